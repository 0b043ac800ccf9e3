/* What moved in a project in a period, since which commits, by which ops, and what to do:
 * trend_report.v1. */
#ifndef SCHEMA_DOCUMENTS_TREND_REPORT_H
#define SCHEMA_DOCUMENTS_TREND_REPORT_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"
#include "schema/documents/optional.h"
#include "schema/documents/record.h"

#include <jansson.h>

#define TREND_REPORT_VERSION "trend_report.v1"

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
    const char *takes_back, *takes_back_utc; /* "p31": the change there, of whose old level the new
                                                one is again (up to a quarter of the way), and when
                                                it came; NULL = none */
    const char *takes_back_entry;  /* "k4": a gate's baseline begins with that one; NULL = none does
                                    */
    const char *entry, *status;    /* "k5" and what is thought of it; NULL = it is not there */
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
};

/* How much single runs differ. */
struct report_noise {
    const char *workload, *branch, *series, *measure;
    const char *noise; /* "quiet", "fair", "noisy", "wild" */
    double noise_pct;  /* what a single run may be off by */
    int64_t run_count;
    struct opt_i64 course;
};

struct report_count {
    const char *status; /* of verdicts */
    int64_t count;
};

struct report_alert {
    const char *alert, *status; /* "l3", "open" */
    const char *workload, *series, *branch, *verdict;
    const char *moved_at_utc;
};

/* A workload's series that stopped reporting. */
struct report_quiet {
    const char *workload, *branch, *series;
    const char *last_profile, *last_utc;
    int64_t run_count;
    double usual_hours, silent_hours; /* between runs, the median; since the last one */
    const char *other_size; /* "the workload goes on as series s5, on 16 devices in place of 8";
                               NULL: it does not */
    const char *next, *command;
};

/* One that had stopped and reports again. */
struct report_return {
    const char *workload, *branch, *series;
    const char *last_profile, *last_utc;   /* before its silence */
    const char *first_profile, *first_utc; /* behind it */
    double silent_hours;
};

/* One that began to. */
struct report_newcomer {
    const char *workload, *branch, *series;
    const char *first_profile, *first_utc;
    int64_t run_count;      /* so far */
    const char *other_size; /* "s3 on 16 devices in place of 8"; NULL: it is none */
};

/* Model flops utilization, as a share: the median of the period's newest runs that tell it, and of
 * those before. */
struct report_mfu {
    const char *workload, *branch;
    double now;
    struct opt_f64 before;
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
                          where it was told, NULL = there is none */
    const char *at_profile, *at_commit, *at_utc; /* where it was told; the commit: NULL = not known
                                                  */
    double before, after; /* as they were told; of one that moved as they are */
    struct opt_f64 change_pct;
    const char *why;
    bool has_moved; /* it is no less true, but came there: */
    struct report_moved moved_to;
};

/* A series whose runs of the period are not compared with the ones before: a fact differs, or
 * people set a new baseline. What changed with it is judged by nobody. */
struct report_restart {
    const char *workload, *branch, *series, *measure, *unit;
    const char *what; /* the fact ("batch") or the re-baseline ("r2") */
    const char *why;  /* as words */
    const char *after_profile, *after_commit, *after_utc; /* the last run before; commits: NULL =
                                                             not known */
    const char *at_profile, *at_commit, *at_utc;          /* the first run of the newer ones */
    int64_t run_count;                                    /* of the newer ones, so far */
    double before, after;      /* medians of the last runs before, and of the first newer ones */
    struct opt_f64 change_pct; /* of before */
    const char *next, *command;
};

/* How often a gate would fail a workload's own past: rates of its windows, which share no run. */
struct report_canary {
    const char *workload, *series;
    int64_t run_count, window_count;
    double false_fail;                      /* of windows in which nothing was changed */
    double false_fail_low, false_fail_high; /* 95 % */
    double effect_pct, caught;              /* with so much put in, windows that fail */
};

/* A run of a course. */
struct report_point {
    const char *profile_id, *run, *commit; /* commit: NULL = not known */
    const char *ran_at_utc; /* when it was captured; where nobody knows, when it was recorded */
    double value;
    int64_t group; /* of runs that can be compared: 0 the newest, 1 the one before ... */
    const char *verdict_id, *verdict; /* NULL = never judged */
    bool accepted;
    bool outlier; /* far from the runs around it: no gate takes it for a past run */
};

/* Runs of a group from points[from] to points[end - 1] are of one level, or of one slope. */
struct report_level {
    int64_t from, end, group;
    double left, right; /* the fitted values at its ends; equal for a level */
};

/* The runs from points[at] on are not comparable with the ones before. */
struct report_break {
    int64_t at;
    const char *what; /* a fact ("batch") or a re-baseline ("r2") */
    const char *why;  /* as words */
};

/* How the measure of a series went, oldest run first: what there is to draw. */
struct report_course {
    const char *workload, *branch, *series, *measure, *unit;
    struct report_point *points;
    size_t point_count;
    struct report_level *levels;
    size_t level_count;
    struct report_break *breaks;
    size_t break_count;
};

/* The place of a profile's point; the last one where it has none. */
size_t report_point_find(const struct report_course *course, const char *profile);

struct trend_report {
    const char *schema_version; /* TREND_REPORT_VERSION */
    const char *report;         /* "rp7" in the ledger; NULL = it is not there */
    const char *name;           /* of its section of the configuration; NULL = made by hand */
    const char *project;
    const char *branch;    /* NULL = all */
    const char *workloads; /* the pattern that they match; NULL = all */
    const char *measure, *unit;
    const char *policy;                /* the file that says which runs can be compared; NULL = the
                                          default */
    const char *since_utc, *until_utc; /* the period: from then on, and before */
    const char *made_at_utc;
    const char *told_by, *told_until_utc; /* "rp6", of its name, whose period ended within this one:
                                             what runs up to that end showed it told, or one before
                                             it; NULL = all of the period is told */
    int64_t workload_count, series_count, run_count; /* that were looked at; runs of the period */
    struct opt_i64 reporting_workload_count, reporting_series_count; /* of which there is such a
                                                                        run; not set: not kept */
    bool nothing_new; /* no loss, improvement, recovery, suspicion, new drift, silence, restart,
                         return or new series is told */
    struct string_list headlines; /* the first one is the report's; sentences with full stops */
    struct report_change *losses; /* confirmed and not told before, the largest first */
    size_t loss_count;
    struct report_change *improvements;
    size_t improvement_count;
    struct report_change *recoveries; /* for the better, back to the level of before a loss */
    size_t recovery_count;
    struct report_change *suspected;
    size_t suspected_count;
    struct report_drift *drifts; /* new, or twice as large as when they were told */
    size_t drift_count;
    struct report_drift *drifting; /* told before, and still going on */
    size_t drifting_count;
    struct report_noise *noisiest;
    size_t noisiest_count;
    const char *noise_graded;      /* how, a sentence */
    struct report_count *verdicts; /* of the period, by status */
    size_t verdict_count;
    struct report_alert *alerts; /* not resolved at the end of the period, those that moved last
                                    first */
    size_t alert_count;
    struct report_quiet *quiet;
    size_t quiet_count;
    struct report_newcomer *newcomers;
    size_t newcomer_count;
    struct report_return *returns;
    size_t return_count;
    struct report_restart *restarts;
    size_t restart_count;
    struct report_mfu *mfu; /* of the workloads that tell it, those that moved most first */
    size_t mfu_count;
    struct report_withdrawn *withdrawn;
    size_t withdrawn_count;
    struct report_canary *canaries;
    size_t canary_count;
    struct report_course *courses; /* of what is named above, in its order */
    size_t course_count;
};

/* The i-th of its confirmed changes: losses, improvements, recoveries; NULL behind the last. */
struct report_change *report_change_at(const struct trend_report *report, size_t i);

/* "earlier" or "later": where it came, beside where it was told. */
const char *report_moved_word(const struct report_withdrawn *moved);

/* "r12": people set a new baseline; else runs are apart by a fact. */
bool report_is_rebaseline(const char *what);

enum { REPORT_MFU_BYTES = 128 };

/* "41.2 % (43.0 % before)". Returns buffer[REPORT_MFU_BYTES]. */
const char *report_mfu_text(const struct report_mfu *mfu, char *buffer);

/* Parts that trends have, too: how well devices were used, and what a change is made of. */
extern const struct record report_mfu_record, report_made_of_record;

/* The table of its members, which the JSON schema is checked against. */
extern const struct record trend_report_record;

/* The JSON form; new reference, NULL with ERR_LIMIT without memory. */
json_t *trend_report_to_json(const struct trend_report *report, struct err *err);

/* Of its JSON form; texts are copied into the arena. ERR_INPUT names the source and the member that
 * is wrong. */
bool trend_report_from_json(const json_t *root, const char *source, struct arena *arena,
                            struct trend_report *ret_report, struct err *err);

#endif
