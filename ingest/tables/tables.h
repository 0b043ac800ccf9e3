/* Our own members of a summary, from what streaming left. All times come from integer picoseconds.
 *
 * Order matters: devices are numbered first, the other tables refer to them. All results lie in the
 * profile's arena; the sweep fails with ERR_FULL.
 */
#ifndef INGEST_TABLES_TABLES_H
#define INGEST_TABLES_TABLES_H

#include "ingest/data_tables/data_tables.h"
#include "ingest/ingest.h"
#include "ingest/source/source.h"
#include "ingest/timeline/timeline.h"

/* summary.devices, and the idle time in steady steps. Numbers the planes that have ops. */
bool device_table_build(struct profile *profile, struct summary *summary, struct err *err);

/* summary.ops. */
void op_table_build(struct profile *profile, struct summary *summary);

/* summary.copies, of the ops on the devices' own lines. */
void copies_build(struct profile *profile, struct summary *summary);
/* Adds a row to one of the same way and name; and the order of rows, longest first. */
void copied_ops_add(void *row, const void *other);
int copied_ops_order(const void *a, const void *b);

/* Names of programs by id: as `XLA Modules` lines and `/host:metadata` tell them. The map
 * lies in the arena, names in the catalog. */
void program_names_collect(struct profile *profile, struct arena *arena, struct id_map *ret_names);

/* What is said of an op that ran: its program (NULL: not known), and its category, which is
 * compute, communication, stall or copy where the file tells none. */
const char *op_program_name(const struct profile *profile, const struct id_map *names,
                            const struct op_detail *detail);
const char *op_category(const struct catalog *catalog, const struct used_op *used);

/* The order in which its rows stand, for qsort. */
int op_row_order(const void *a, const void *b);

/* Type of a plane's device and where it is said; NULL when nothing says it. */
const char *plane_device_type(struct arena *arena, const struct xplane *plane,
                              const char **ret_source);

/* summary.environment, with the facts that options add; summary.run_metadata likewise. ERR_INPUT
 * when an option contradicts the file. */
bool environment_build(struct profile *profile, struct summary *summary, struct err *err);

/* summary.coverage: what is missing and why. Looks at all other members but the capture. */
void coverage_build(struct profile *profile, struct summary *summary);

/* Adds the kernels of all devices to rows of the table `kernels`, their copies and fills to those
 * of `copies`: what says how it was launched. The profile was opened and is good for nothing else
 * afterwards. ERR_INPUT: malformed; ERR_LIMIT. */
bool launch_table_read(struct profile *profile, struct grouped_rows *rows, struct err *err);

/* Ops of devices are told apart by their launches from now on, and say what annotates them. */
void launches_ask(struct profile *profile);

/* The path of the op that a kernel runs: its own, else what annotates its launch, with its type
 * behind a colon; NULL: neither. */
const char *launched_path(const struct catalog *catalog, const struct op_detail *detail,
                          struct arena *arena);

/* Busy time whose op says no path and whose launch names one, as a share; 0 where launches were not
 * asked for. */
double launched_share(struct profile *profile);

struct notes;
/* Adds a note when steps are missing on some devices. */
void missing_steps_note(const struct summary *summary, struct notes *notes);

/* summary.capture of one host: who recorded it, and when. Needs sources. */
void capture_build(struct profile *profile, struct summary *summary);

/* Takes the counts that options state for all hosts (device_count, num_devices, num_hosts) into a
 * capture's summary. ERR_INPUT when they contradict it. */
bool environment_counts(struct summary *summary, const struct ingest_options *options,
                        struct err *err);

/* Adds the collected facts of the options to the summary. What the profile (or --meta) says stays
 * as it is; a collected fact that disagrees, with it or with another collected one, becomes a
 * warning of coverage that names both. Facts of run_metadata fill that, too. ERR_LIMIT. */
bool collected_apply(const struct ingest_options *options, struct arena *arena,
                     struct summary *summary, struct err *err);

/* ---- how the hosts of one capture differ: clocks, and who is slow -----------------------------
 */

/* The hosts of a summary: their names, and where their devices begin in summary.devices; one more
 * than hosts. */
struct skew_hosts {
    const char *const *names;
    const uint32_t *first_devices;
    size_t count;
    const double *bases_us; /* what each one's times count from, since the first one's */
};

/* With several hosts and steps in common, adds the facts
 * - clock_offset_us/HOST: median over steps of the host's begin minus the first host's; in
 *   synchronous training the clocks' difference but for the hosts' skew,
 * - step_skew_us: median over steady steps of the slowest host's time minus the fastest host's,
 * - straggler_host: the host that is slowest in most steady steps; absent when all are equal. */
void host_skew_build(const struct summary *summary, const struct skew_hosts *hosts,
                     struct fact_list *facts);

#endif
