/* What a change of the step time is made of. */
#ifndef OPS_FLOW_TRENDS_EXPLAINING_H
#define OPS_FLOW_TRENDS_EXPLAINING_H

#include "history/db.h"
#include "ops/flow/trends/comparable.h"
#include "schema/documents/trend_report.h"

/* A change, and the runs around it. */
struct change_around {
    const struct comparable *runs;
    size_t at;                                  /* where it lies, which its levels are said of */
    size_t level_from, after, until, level_end; /* the old level is runs [level_from..after], the
                                                   new one [until..level_end) */
    size_t drifts_from, drifts_end; /* the old level surely drifts from there on, the new one until
                                       there; behind after, before until: it does not */
    bool is_one_drift;              /* of both levels */
};

/* Of a change of the course of these runs: the levels end at the next ones that are to be told. */
struct change_around trends_around(const struct comparable *runs, const struct course *course,
                                   const struct course_change *change);

/* What explains the change, of which measure, before and after are set: ops, parts, categories, and
 * how long steps took, in the arena. Of another measure than the step time nothing is told. Errors
 * of ledger_op_points. */
bool trends_explain(struct db *db, const struct change_around *around, struct arena *scratch,
                    struct arena *arena, struct report_change *change, struct err *err);

/* Of that the ops alone, all in one arena. */
bool trends_explain_ops(struct db *db, const struct change_around *around, struct arena *arena,
                        struct report_change *change, struct err *err);

#endif
