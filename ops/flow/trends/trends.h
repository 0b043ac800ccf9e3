/* A measure over time: its runs, which of them can be compared, and what moved. */
#ifndef OPS_FLOW_TRENDS_TRENDS_H
#define OPS_FLOW_TRENDS_TRENDS_H

#include "history/db.h"
#include "history/reading/reading.h"
#include "ops/flow/trends/comparable.h"
#include "ops/flow/trends/explaining.h"
#include "ops/flow/trends/judged.h"
#include "ops/flow/trends/marking.h"
#include "ops/flow/trends/ways.h"
#include "ops/runtime/conf.h"
#include "schema/documents/trend.h"

/* A method that is ours, of any version. */
bool trends_is_ours(const char *method);

enum trends_group { TRENDS_PLAIN, TRENDS_BY_OP, TRENDS_BY_MEASURE, TRENDS_BY_WORKLOAD };
enum { TRENDS_GROUP_COUNT = TRENDS_BY_WORKLOAD + 1 };

/* "none", "op", "measure", "workload". */
extern const char *const trends_group_names[TRENDS_GROUP_COUNT];

enum {
    TRENDS_RUNS = 400,            /* that a course is made of, unless more are asked for */
    TRENDS_RUNS_MAX = 10000,      /* that can be asked for */
    TRENDS_WORKLOADS_MAX = 100000 /* of a project that are looked at */
};

struct trends_request {
    const char *project, *workload; /* workload: NULL by workload */
    const char *workloads;          /* by workload: patterns, of which one matches; NULL = all */
    const char *branch;             /* NULL = all */
    const char *series;             /* "s3"; NULL = all */
    const char *measure;            /* not looked at by measure and by op */
    const char *beside;             /* another one, which points tell beside it; NULL = none */
    enum trends_group group;
    const struct conf_file *policy; /* says which runs can be compared; NULL = the default one */
    const char *policy_name;        /* what the trend is told to be compared by; NULL = nothing */
    bool policy_is_recorded;        /* it is the whole text that a verdict was judged by */
    struct opt_i64 since_us, until_us; /* runs that were captured then or later, and before; where
                                          that is not known, recorded */
    struct opt_i64 as_of_us;     /* verdicts and words about changes of before; not set: all */
    struct opt_i64 corrected_us; /* runs that were recorded before, and amendments, retractions,
                                    later hosts and words about their branch; not set: all */
    int64_t shown;               /* runs in points, the newest; courses are of at least
                                    TRENDS_RUNS */
};

/* Texts of the request are kept by pointer, all else is in the arena. ERR_USAGE: an unknown measure
 * (with a suggestion), or no series; ERR_MISSING: no run has it; ERR_INPUT: a value is not what was
 * recorded. */
bool trends_read(struct db *db, const struct trends_request *request, struct arena *arena,
                 struct trend *ret_trend, struct err *err);

/* A workload's runs and what they are, while trends_walk is there. */
struct trends_seen {
    const struct trend *trend;            /* all its runs */
    const struct comparable_list *runs;   /* those that can be compared, the newest first */
    const struct course *courses;         /* [runs->count], of each */
    const struct change_mark_list *marks; /* of the project */
};

/* What it shows is gone when it returns. */
typedef bool trends_visit(void *context, const struct trends_seen *seen, struct err *err);

/* Shows each workload that has runs, the one with the newest profile first; group is not looked at,
 * memory is that of one workload at a time. Errors of trends_read. */
bool trends_walk(struct db *db, const struct trends_request *request, struct arena *arena,
                 trends_visit *visit, void *context, struct err *err);

/* The median of the newest runs that `is_of` picks, seven at most; NAN: there is none. */
double trends_newest_level(const struct trend *trend,
                           bool (*is_of)(const void *context, const struct trend_point *point),
                           const void *context);

#endif
