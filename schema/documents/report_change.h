/* A change of level of a series, with the commits in which it came and what it is made of; a
 * slow drift; and a change that was told and is not so. */
#ifndef SCHEMA_DOCUMENTS_REPORT_CHANGE_H
#define SCHEMA_DOCUMENTS_REPORT_CHANGE_H

#include "schema/documents/optional.h"

/* A commit of the range in which a change came. */
struct report_commit {
    const char *sha;
    const char *subject; /* NULL = not known */
};

/* An op (or, where no op tells it, a region of the step) that explains a part of a change. */
struct report_op {
    const char *name, *signature;
    double before_us, after_us, delta_us; /* per step and device, medians of both levels where
                                             these do not drift */
    struct opt_f64 share_pct;             /* of the change of the step time; may be above 100 */
};

/* A part of the step time before and after, of which the parts add up to the step: for stacked
 * bars. */
struct report_part {
    const char *name;           /* "fusion.1", "everything else", ... */
    double before_us, after_us; /* of REPORT_PART_BEYOND below 0 or 0, else 0 or above */
};

/* The last part where the others are more than the step, as ops that run beside each other are, and
 * ops whose mean lies above their median. */
#define REPORT_PART_BEYOND "less what ops are beyond the step"

/* Steady steps of the runs around a change that took so long: from_us is in it, until_us is not. */
struct report_step_bin {
    double from_us;
    struct opt_f64 until_us; /* not set: that long and longer */
    int64_t before, after;
};

/* A change of level. It came behind the run `after` and at the latest with the run `until`. */
struct report_change {
    const char *workload;
    const char *branch; /* NULL = all */
    const char *series, *measure, *unit;
    const char *tier; /* "confirmed", "suspected" */
    const char *at_profile, *at_utc;
    const char *after_profile, *after_commit, *after_utc; /* commits: NULL = not known */
    const char *until_profile, *until_commit, *until_utc;
    double before, after;
    struct opt_f64 change_pct;        /* of before */
    struct opt_f64 low_pct, high_pct; /* 95 % interval of it; not set where it is not known */
    double confidence;                /* 0 to 1 */
    bool loss;                        /* for the worse */
    bool went_away;                   /* a later change took it back, by an op that moved with it
                                         where ops are told */
    struct opt_f64 rest;   /* of one that takes another back, or went away: what is left of it, in
                              the measure's unit; not set: no more than the level's own doubt */
    struct opt_f64 undone; /* the part of one that did not go away that later changes took back */
    const char *undone_by, *undone_utc;      /* "p58", the last of them; NULL = none */
    const char *takes_back, *takes_back_utc; /* "p31": the change there, of whose old level the new
                                                one is again (up to a quarter of the way), and when
                                                it came; NULL = none */
    const char *takes_back_entry;  /* "k4": a gate's baseline begins with that one; NULL = none does
                                    */
    const char *entry, *status;    /* "k5" and what is thought of it; NULL = it is not there */
    const char *begun_since;       /* "k7": said behind the period's end, and before the report was
                                      made; not in the JSON form */
    struct report_commit *commits; /* newest first; none where the range is not known */
    size_t commit_count;
    int64_t commits_in_range; /* may be more than are listed; 0 = not known */
    const char *commits_why;  /* why the repository does not tell them; NULL: it does, or none is
                                 named */
    struct report_op *ops;    /* what moved most first */
    size_t op_count;
    struct report_part *parts; /* of the step; none where ops are not told */
    size_t part_count;
    struct report_part *categories; /* of ops, those that take most first, then what is left of the
                                       step; none where ops are not told */
    size_t category_count;
    struct report_step_bin *step_bins; /* one behind the other; none where steps are not told */
    size_t step_bin_count;
    const char *next;      /* what to do, a sentence without its full stop */
    const char *command;   /* the command for it; NULL = none */
    struct opt_i64 course; /* index into courses; not set: not drawn */
};

/* Where readers were told of a drift before, and how large it was then. */
struct report_drift_told {
    const char *report, *until_utc; /* "rp3", the end of its period */
    double before, after;
};

/* A slow drift: no run began it. */
struct report_drift {
    const char *workload, *branch, *series, *measure, *unit;
    const char *from_profile, *from_commit, *from_utc;
    const char *until_profile, *until_commit, *until_utc;
    int64_t run_count; /* over which it goes */
    double before, after;
    struct opt_f64 change_pct; /* over the window */
    struct opt_f64 run_pct;    /* per run */
    struct opt_f64 month_pct;  /* in thirty days */
    double p;                  /* that nothing drifts, of Mann and Kendall */
    bool loss;
    const char *next, *command;
    struct opt_i64 course;
    bool has_told; /* a report of its name told of it: */
    struct report_drift_told told;
};

/* Where a change came that was told elsewhere: behind the run `after`, at the latest with the run
 * `until`. */
struct report_moved {
    const char *at_profile;                               /* its likeliest place */
    const char *after_profile, *after_commit, *after_utc; /* commits: NULL = not known */
    const char *until_profile, *until_commit, *until_utc;
};

/* A confirmed change that was told before and that the ledger took back in the period, or that came
 * elsewhere. */
struct report_withdrawn {
    const char *workload, *branch, *series, *measure, *unit;
    const char *entry; /* the word that takes it back, "k7"; of one that moved the last word of
                          where it was told; NULL = there is none: its runs were corrected */
    const char *at_profile, *at_commit, *at_utc; /* where it was told; the commit: NULL = not known
                                                  */
    double before, after; /* as they were told; of one that moved as they are */
    struct opt_f64 change_pct;
    const char *told_in; /* "rp3"; NULL = its report is not known */
    const char *why;
    bool has_moved; /* it is no less true, but came there: */
    struct report_moved moved_to;
};

#endif
