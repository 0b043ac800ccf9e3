/* A measure over time: its runs, which of them can be compared, and what moved. */
#ifndef OPS_FLOW_TRENDS_TRENDS_H
#define OPS_FLOW_TRENDS_TRENDS_H

#include "history/db.h"
#include "ops/flow/trends/marking.h"
#include "schema/documents/trend.h"

enum trends_group { TRENDS_PLAIN, TRENDS_BY_OP, TRENDS_BY_MEASURE, TRENDS_BY_WORKLOAD };
enum { TRENDS_GROUP_COUNT = TRENDS_BY_WORKLOAD + 1 };

/* "none", "op", "measure", "workload". */
extern const char *const trends_group_names[TRENDS_GROUP_COUNT];

enum {
    TRENDS_RUNS = 400,      /* that a course is made of, unless more are asked for */
    TRENDS_RUNS_MAX = 10000 /* that can be asked for */
};

struct trends_request {
    const char *project, *workload; /* workload: NULL by workload */
    const char *branch;             /* NULL = all */
    const char *series;             /* "s3"; NULL = all */
    const char *measure;            /* not looked at by measure and by op */
    enum trends_group group;
    const char *policy; /* file that says which runs can be compared; NULL or "" = the
                           default */
    struct opt_i64 since_us, until_us; /* recorded then or later, and before */
    int64_t shown;                     /* runs in points, the newest; courses are of at least
                                          TRENDS_RUNS */
};

/* Texts of the request are kept by pointer, all else is in the arena. ERR_USAGE: an unknown measure
 * (with a suggestion), or no series; ERR_MISSING: no run has it; ERR_INPUT: a value is not what was
 * recorded. */
bool trends_read(struct db *db, const struct trends_request *request, struct arena *arena,
                 struct trend *ret_trend, struct err *err);

#endif
