/* The course of one measure over the runs of a workload: trend.v1. */
#ifndef SCHEMA_DOCUMENTS_TREND_H
#define SCHEMA_DOCUMENTS_TREND_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"
#include "schema/documents/course.h"
#include "schema/documents/optional.h"
#include "schema/documents/record.h"
#include "schema/documents/trend_report.h"

#include <jansson.h>

/* Where a run stands among others: by when it was captured (where nobody knows: recorded), then in
 * the order of recording. */
struct run_order {
    int64_t ran_us; /* since 1970 */
    int64_t place;
};

/* Which of the two goes ahead; as strcmp. */
int run_order_compare(struct run_order a, struct run_order b);

/* One run: the median over its profiles. */
struct trend_point {
    const char *profile_id, *run, *series; /* "p12" the newest of the run, "s3" */
    const char *branch, *commit;           /* NULL = not known */
    const char *ran_at_utc; /* when it was captured, as people say or by its own clock; where
                               neither tells, when it was recorded */
    bool captured;          /* that is when it was captured */
    struct run_order order; /* by its newest profile; not in the JSON form */
    const char *recorded_at_utc;
    int64_t recorded_us; /* when the ledger took it in; not in the JSON form */
    double value;
    struct opt_f64 beside; /* of the measure that was asked for beside it; not in the JSON form */
    const char *verdict_id, *verdict; /* of the newest judgement of it; NULL = never judged */
    bool accepted;                    /* a person took that verdict */
    const char *rebaseline;           /* "r2": the newest before it in its series; NULL = none */
    const char *change_point;         /* "k5": the last confirmed one of the measure; NULL = none */
    bool outlier;                     /* far from the runs around it: no gate takes it for a past */
    bool archived;                    /* its contents have left the ledger for a file */
};

struct trend {
    const char *schema_version; /* "trend.v1" */
    const char *project;
    const char *workload;       /* NULL = all, of courses by workload */
    const char *branch;         /* NULL = all */
    const char *branch_why;     /* why this branch when nobody named one; NULL: one was named */
    const char *policy;         /* file that says which runs can be compared; NULL = the default */
    const char *measure, *unit; /* us, share, ratio, count; NULL = all, of courses by measure */
    const char *grouped_by;     /* "op", "measure", "workload": what there is a course of each of;
                                   NULL = of runs that can be compared alone */
    struct trend_point *points; /* oldest first; none where courses are grouped */
    size_t point_count;
    struct course *courses; /* what moved most comes first, or the newest when not grouped */
    size_t course_count;
    bool has_mfu, has_newest;    /* of runs, not of groups */
    struct report_mfu mfu;       /* of the newest run's series: of its newest runs, and of those
                                    before the newest change */
    struct report_change newest; /* the newest change of level that is to be told: measure, places,
                                    levels, and what it is made of where that is the step time */
    struct string_list left_out; /* not of the document: "p7 is not what was recorded ..." */
};

/* The place of the run that a profile names among its points; their number where it is none. */
size_t trend_point_find(const struct trend *trend, const char *profile);

/* What begins a level of its own with this point: another series, a re-baseline or a change point
 * ("s3", "r2", "k5"); NULL: the level of the point before goes on. */
const char *trend_level_start(const struct trend *trend, size_t index);

/* The table of its members, which the JSON schema is checked against. */
extern const struct record trend_record;

/* The JSON form; new reference. */
json_t *trend_to_json(const struct trend *trend);

#endif
