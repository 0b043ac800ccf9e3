/* Profiles as statistics need them: provenance, hosts, steps and measures, without the document.
 *
 * A verdict rests on hundreds of past runs. Their documents are megabytes each, most of them ops;
 * what is told here is a few kilobytes, read for all of them by five statements. It serves profiles
 * whose month is in an archive too, but for their steps.
 */
#ifndef HISTORY_VERDICTS_BRIEFS_H
#define HISTORY_VERDICTS_BRIEFS_H

#include "history/profiles/profiles.h"
#include "schema/documents/measures.h"

struct ledger_brief {
    /* The summary holds trace hash, format, producer, environment (device type, counts, topology,
     * hosts, facts) and steps: their first BRIEF_STEPS_MAX, each with one span, the mean over
     * devices. Its steady count and percentiles are those of all steps. No ops, devices or tables.
     */
    struct ledger_profile profile;
    struct opt_f64 measures[MEASURE_END]; /* by number */
    const char *changed;                  /* why it cannot be relied on; NULL: it can */
};

enum { BRIEF_STEPS_MAX = 256 };

/* briefs[count], of ids[count] in their order, in the arena. ERR_MISSING: one does not exist;
 * ERR_INPUT: one is not what was recorded; ERR_LIMIT. */
bool ledger_load_briefs(struct db *db, const int64_t *ids, size_t count, struct arena *arena,
                        struct ledger_brief **ret_briefs, struct err *err);

/* The same of profiles that nobody asked for by name, as ledger_load_stored: what is `changed` is
 * for the caller to leave out. */
bool ledger_load_stored_briefs(struct db *db, const int64_t *ids, size_t count, struct arena *arena,
                               struct ledger_brief **ret_briefs, struct err *err);

/* Adds to the summaries of briefs[count] the ops that take time in steady steps, as far as it needs
 * to tell the work of a step: names, shapes, how often and how long they run, operations. None for
 * profiles whose month is in an archive. ERR_LIMIT. */
bool ledger_brief_ops(struct db *db, struct ledger_brief *briefs, size_t count, struct arena *arena,
                      struct err *err);

#endif
