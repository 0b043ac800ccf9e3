/* A report that is being made. Stays in its room. */
#ifndef OPS_FLOW_REPORTS_MAKING_H
#define OPS_FLOW_REPORTS_MAKING_H

#include "compare/changes/changes.h"
#include "history/reports/reports.h"
#include "ops/flow/reports/reports.h"
#include "ops/flow/trends/trends.h"
#include "ops/net/secret.h"
#include "ops/runtime/conf.h"

struct report_making {
    struct db *db;
    const struct report_request *request;
    struct arena *arena;   /* of the report */
    struct arena *scratch; /* of one workload */
    struct trend_report *report;
    const struct conf_file *policy; /* that the request names; NULL: the default one holds */
    int64_t new_us;  /* what runs of before showed was told: the begin of the period, or the end
                        of the last report within it */
    int64_t seen_us; /* what was recorded or corrected by then counts: the end of the period of a
                        scheduled one, as the next one begins there; else when it is made */
    struct change_mark_list said; /* the last words about changes when it is made, of one that
                                     is made behind its end */
    struct report_told_list told; /* before, of series of which runs were corrected or changes were
                                     withdrawn since; workload NULL: that is settled */
    int64_t oldest_us; /* when the first of the runs that are new was captured; 0: none is */
    struct report_capacity {
        size_t losses, improvements, recoveries, suspected, drifts, drifting, noisiest, quiet,
            newcomers, returns, restarts, withdrawn, mfu, canaries, courses;
    } capacity;
};

/* Room for one more item of a list of the report. */
#define REPORT_ADD(making, list, count) \
    ((making)->report->list = \
         arena_grow((making)->arena, (making)->report->list, (making)->report->count, \
                    &(making)->capacity.list, sizeof *(making)->report->list), \
     &(making)->report->list[(making)->report->count++])

/* A copy that the report keeps; NULL for NULL. */
static inline const char *keep(const struct report_making *making, const char *text)
{
    return arena_strdup(making->arena, text);
}

/* What a workload has to tell is added to the report. context: struct report_making. */
bool report_workload_see(void *context, const struct trends_seen *seen, struct err *err);

/* A series of a workload that is looked at: its runs, oldest first. */
struct report_series {
    const char *series; /* "s3" */
    const struct trends_seen *seen;
    const struct trend_point **points;
    size_t count;
    struct opt_i64 course; /* its place in the report's courses once something names it */
};

/* Which of the runs that can be compared a run is of. */
size_t report_group_of(const struct trends_seen *seen, const struct trend_point *point);

/* Whether the run is of the period. By hand a report is of what ran in it; one that comes by itself
 * is of what the ledger learned in it: what was captured earlier and taken in late must be told by
 * one, too. */
bool report_is_of_period(const struct report_making *making, const struct trend_point *point);

/* Whether it is, and no report of that name saw it. */
bool report_is_new(const struct report_making *making, const struct trend_point *point);

/* Whether all of them are: what comes late may go ahead of what is there. */
bool report_all_new(const struct report_making *making, const struct trend_point *const *points,
                    size_t count);

/* Adds that the series stopped, reports again or is new. */
bool report_presence_take(struct report_making *making, const struct report_series *series,
                          struct err *err);

/* How a series that stopped goes on, or what a new one was before, where the workload runs on
 * another number of devices now; NULL: it is not so. Of a kept report in the report's arena. */
bool report_size_find(struct report_making *making, const struct report_series *series,
                      bool has_stopped, const char **ret_words, struct err *err);

/* What the runs of before the period showed by themselves; `places` are theirs in the course; NULL:
 * they were not asked yet. */
struct report_before {
    struct course_findings found;
    size_t *places;
};

/* One course of a series, and its changes as places in its runs. */
struct report_looking {
    struct report_making *making;
    struct report_series *series;
    const struct comparable *runs;
    const struct course *course;
    struct report_before *before;
    const struct change_ways *ways;
};

/* Asks them, once. */
bool report_before_find(const struct report_looking *looking, struct err *err);

/* What they showed of the change: there, in that direction and as surely; else, of levels like
 * these, what stands no more where they showed it (by hand nobody was told of it). NULL: nothing.
 */
const struct course_shift *report_shown_before(const struct report_looking *looking,
                                               const struct course_change *change, bool *ret_there);

/* What readers know of a drift. */
struct report_drift_before {
    bool goes_on; /* they were told of it, and it is less than twice as large as it was then */
    bool is_told; /* by a report of the name: */
    struct report_drift_told told;
};

/* By what reports of the name told; where none did (by hand nobody was told), by what the runs of
 * before the period showed. */
bool report_drift_find_told(const struct report_looking *looking, const struct course_drift *drift,
                            struct report_drift_before *ret_before, struct err *err);

/* Adds where a change is that they showed, if that is elsewhere: runs that were taken in since say
 * so. */
void report_moved_take(const struct report_looking *looking, const struct course_change *change);

/* Whether the change leads from one of these levels to the other. */
bool report_same_levels(double before, double after, const struct course_change *change);

/* Adds what a report by hand told by a mark that the ledger has set elsewhere in the period. */
void report_elsewhere_take(struct report_making *making, const struct trends_seen *seen);

/* Adds what of it the workload's runs do not show any more, and by whose word. */
void report_taken_back_take(struct report_making *making, const struct trends_seen *seen);

/* Adds what is left of it: of workloads without a run. */
void report_taken_back_rest(struct report_making *making);

/* What was told of about that place of the runs, in that direction; NULL: nothing. */
const struct report_told *report_told_at(const struct report_making *making,
                                         const struct comparable *runs, const char *series,
                                         const struct change_mark *mark);

/* A change that is told so near by is the same one, at its likeliest place of today. */
enum { REPORT_BESIDE_RUNS = 3 };

/* Its course is added to the report, unless it is there. */
void report_course_add(struct report_making *making, struct report_series *series);

/* Courses are numbered in the order in which the report names them; those that are too many are
 * left out. */
void report_courses_order(struct report_making *making);

/* The commits of the ranges in which losses and improvements came, as the repository or the kept
 * report has them. What the repository cannot tell is left out, and why is said. */
bool report_commits_find(struct report_making *making, struct err *err);

/* A forge that is asked for commits. */
struct report_forge {
    struct forge_ask ask;
    struct secret token;
    const char *secret_ref; /* where the token is kept; NULL: it is asked without one */
    const char *lender;     /* the destination that the token is of; NULL = none */
    const char *why;        /* it is not asked, or not any more; NULL = it is */
};

/* Finds how the repository's forge is asked: by what the report's section that names it says, and
 * by the destination of the same host. That it cannot be asked is no failure. */
bool report_forge_open(const struct report_request *request, struct arena *arena,
                       struct report_forge *ret_forge, struct err *err);

/* The commits of the change's range, or why they are not known. */
bool report_forge_ask(struct report_forge *forge, struct arena *arena, struct report_change *change,
                      struct err *err);

/* Forgets the token; accepts a zeroed struct. */
void report_forge_done(struct report_forge *forge);
#define scoped_report_forge __attribute__((cleanup(report_forge_done))) struct report_forge

/* How often a gate would be wrong on the past of the series that the report names, those that moved
 * first; a series of too few runs has no figures. */
bool report_canaries_find(struct report_making *making, struct err *err);

/* What gates decide by. */
bool report_is_of_step_time(const char *measure);

/* What was lost before came back, and nothing besides was gained. */
bool report_is_recovery(const struct report_change *change);

/* "1a2b3c4..5d6e7f8"; else the profiles. */
void report_places_add(const char *const commits[2], const char *const profiles[2],
                       struct text *out);

/* "1a2b3c4..5d6e7f8"; the profiles, too, where a commit is not known, or is the same one. */
void report_range_add(const struct report_change *change, struct text *out);

/* What to do about each finding. */
void report_advise(struct report_making *making);

/* What to do, and the headlines, when all else is there. */
void report_words_fill(struct report_making *making);

#endif
