/* Tables that xprof and TensorBoard made of a profile: JSON as they answer or export it, and what
 * they keep beside the profile (`<host>.kernel_stats.pb` and others).
 *
 * Whatever a file's form, its content becomes tables with the columns of the JSON form; ops of
 * op_stats become op rows, and snapshots of memory_profile events of allocators. Which file is what
 * is told by its content. They stand in for a profile that is gone, or change the members of
 * profile_summary.v1 of one that is there, as the reference does (profile_summary.v1 §16).
 */
#ifndef INGEST_XPROF_XPROF_H
#define INGEST_XPROF_XPROF_H

#include "ingest/allocators/allocators.h"
#include "ingest/breakdown/breakdown.h"
#include "ingest/source/source.h"
#include "ingest/xplane/xplane.h"

/* What a table tells. */
enum xprof_role {
    XPROF_STEPS,
    XPROF_ADVICE, /* its properties: what keeps the steps from being faster */
    XPROF_KERNELS,
    XPROF_FRAMEWORK_OPS,
    XPROF_HLO_STATS,
    XPROF_ROOFLINE,
    XPROF_TOP_OPS,   /* of an overview */
    XPROF_INPUT_OPS, /* stages that bring input */
    XPROF_OPS,       /* op rows of op_stats */
    XPROF_MEMORY,    /* events of allocators */
    XPROF_OTHER,
    XPROF_ROLE_COUNT
};

/* Whence; of several that tell the same the first counts. */
enum xprof_origin {
    XPROF_EXPORTED, /* JSON */
    XPROF_STORED,
    XPROF_PIPELINE, /* of the input pipeline, which has the steps, too */
    XPROF_OP_STATS,
    XPROF_ORIGIN_COUNT
};

struct xprof_table {
    enum xprof_role role;
    enum xprof_origin origin;
    struct data_table data;
};

/* What op_stats say of the whole. */
struct xprof_run {
    const char *device_type;
    struct opt_i64 device_count, host_count;
    struct opt_f64 tflops, hbm_gb_per_s;
};

/* An op of op_stats: a name in a program. */
struct xprof_op {
    struct op_row row;
    struct opt_i64 program_id; /* bits of an unsigned number; unset: of no program */
};

struct xprof_tables {
    struct arena *arena;
    const char *claims[XPROF_ROLE_COUNT][XPROF_ORIGIN_COUNT]; /* by which file */
    struct xprof_table *tables;
    size_t count, capacity;
    struct xprof_op *ops; /* as they were read */
    size_t op_count, op_capacity;
    struct xprof_run run;
    struct allocator_log memory;
    int64_t row_count; /* of all tables, also those that say nothing of use */
    const char *const *paths;
    size_t path_count;
    struct notes unread; /* what is not read … */
    struct notes notes;  /* … and what else is to be known of what is */
};

/* Opens a file of tables as a profile that has no plane. */
space_open_fn xprof_open;

/* Whether a file holds such a table. */
bool xprof_is_table(const char *path);

/* The files of a folder, not below it, that hold such tables, by name; those of all hosts first.
 * ERR_MISSING: there is none, or no folder; ERR_INPUT: it cannot be searched. */
bool xprof_folder(const char *folder, struct arena *arena, const char ***ret_paths,
                  size_t *ret_count, struct err *err);

/* Reads files[count] into the arena. ERR_INPUT: one is broken (names file and place), or two tell
 * the same of different hosts; ERR_LIMIT. What is not read is told (unread). */
bool xprof_read(const char *const *paths, size_t count, struct arena *arena,
                struct xprof_tables *ret_tables, struct err *err);

/* The table of that role that counts; NULL: none. */
const struct xprof_table *xprof_find(const struct xprof_tables *tables, enum xprof_role role);

/* What of the files is not read, to be put behind a sentence that something is not there: ". 'x.pb'
 * is a table of xprof that is not read"; "" where all is. */
const char *xprof_unread(const struct xprof_tables *tables);

/* Makes the summary one of the tables alone, whose profile is gone: the members of version 1, the
 * ops, what is known of the devices; and says what cannot be known. */
bool xprof_alone(const struct xprof_tables *tables, const struct ingest_options *options,
                 struct arena *arena, struct summary *summary, struct err *err);

/* Puts what the tables tell in place of steps, breakdown and collectives of version 1, and their
 * kernels behind the hot ops. What speaks against their being of this profile is told: in coverage,
 * to options->warn, and as ERR_INPUT where input is strict. */
bool xprof_merge(const struct xprof_tables *tables, const struct ingest_options *options,
                 struct arena *arena, struct summary *summary, struct err *err);

/* The steps of the tables as those of a profile, of whatever devices and without warm-up, in the
 * list's arena; none where no table tells them. */
void xprof_steps(const struct xprof_tables *tables, struct step_list *list);

/* The tables `kernels`, `steps`, `hlo_stats`, … that such files give. ERR_INPUT: none of that name,
 * and why. name is what the user calls the files. */
bool xprof_show(const struct xprof_tables *tables, const struct table_request *request,
                const char *name, struct arena *arena, struct data_table *ret_table,
                struct err *err);

#endif
