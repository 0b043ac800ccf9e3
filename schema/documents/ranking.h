/* Many runs side by side, such as attempts of tuning: ranking.v1. Runs that can be compared with
 * each other stand in one group, fastest first.
 */
#ifndef SCHEMA_DOCUMENTS_RANKING_H
#define SCHEMA_DOCUMENTS_RANKING_H

#include "schema/documents/record.h"
#include "schema/documents/summary.h"

/* A fact in which the runs differ, of one group or not. */
struct ranked_difference {
    const char *name;
    const char *value; /* NULL: not known of this run */
    const char *own;   /* of a list of flags those that not all runs have */
};

struct ranked_run {
    const char *name; /* the run, else the profile or the file */
    struct string_list profiles;
    const char *branch, *commit, *label;
    int64_t step_count;             /* steady ones, of all its profiles */
    struct opt_f64 step_us;         /* the measure steady_step_median */
    struct opt_f64 period_us;       /* the measure steady_step_period */
    struct opt_f64 behind;          /* share by which `by` is longer than the group's first */
    struct summary_figure *figures; /* those of figures.h, in their order */
    size_t figure_count;
    struct ranked_difference *differences;
    size_t difference_count;
};

struct ranked_group {
    const char *apart; /* why these cannot be compared with the first group, and with that of those
                          above which they differ least from; NULL: this is the first */
    struct ranked_run *runs;
    size_t run_count;
};

struct ranking {
    const char *schema_version;  /* "ranking.v1" */
    const char *by;              /* the measure of the order: steady_step_period where all runs know
                                    it, else steady_step_median */
    struct ranked_group *groups; /* the largest first, of equals the fastest */
    size_t group_count;
    struct string_list left_out; /* what was named and takes no part, and why */
    struct string_list notes;    /* what figures of different runs do not have in common */
};

extern const struct record ranking_record;

/* The JSON form; new reference. */
json_t *ranking_to_json(const struct ranking *ranking);

#endif
