/* What moved in a project in a period, since which commits, by which ops, and what to do:
 * trend_report.v1. */
#ifndef SCHEMA_DOCUMENTS_TREND_REPORT_H
#define SCHEMA_DOCUMENTS_TREND_REPORT_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"
#include "schema/documents/optional.h"
#include "schema/documents/record.h"
#include "schema/documents/report_change.h"
#include "schema/documents/report_course.h"

#include <jansson.h>

#define TREND_REPORT_VERSION "trend_report.v1"

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

/* What reports have that people get: enough to see whether gates can be believed. */
enum { REPORT_CANARIES = 3 };

/* How often a gate would fail a workload's own past: rates of its windows, which share no run. */
struct report_canary {
    const char *workload, *series;
    int64_t run_count, window_count;
    double false_fail;                      /* of windows in which nothing was changed */
    double false_fail_low, false_fail_high; /* 95 % */
    double effect_pct, caught;              /* with so much put in, windows that fail */
};

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
    struct report_drift *drifts; /* new, or twice as large as when they were last told so */
    size_t drift_count;
    struct report_drift *drifting; /* told before, and still going on */
    size_t drifting_count;
    struct report_noise *noisiest;
    size_t noisiest_count;
    const char *noise_graded;      /* how, a sentence */
    struct report_count *verdicts; /* of the period, by status */
    size_t verdict_count;
    struct report_alert *alerts; /* neither resolved nor dismissed at the end of the period, those
                                    that moved last first */
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

/* A series that it names for what moved or for its noise. */
struct report_named {
    const char *workload, *series;
};

/* The i-th of them, some of which are the same: of confirmed changes, of drifts, of the noisiest;
 * workload NULL behind the last. */
struct report_named report_named_at(const struct trend_report *report, size_t i);

/* "earlier" or "later": where it came, beside where it was told. */
const char *report_moved_word(const struct report_withdrawn *moved);

/* "r12": people set a new baseline; else runs are apart by a fact. */
bool report_is_rebaseline(const char *what);

enum { REPORT_MFU_BYTES = 128 };

/* "41.2 % (43.0 % before this period)". before: which one it is, "before this period". Returns
 * buffer[REPORT_MFU_BYTES]. */
const char *report_mfu_text(const struct report_mfu *mfu, const char *before, char *buffer);
#define REPORT_MFU_BEFORE "before this period"

enum { REPORT_TOLD_BYTES = 160 };

/* "told on 2025-03-18 in rp3 at +3.8 %", of one that was told. Returns buffer[REPORT_TOLD_BYTES].
 */
const char *report_drift_told_text(const struct report_drift *drift, char *buffer);

/* Parts that trends have, too: how well devices were used, and what a change is made of. */
extern const struct record report_mfu_record, report_made_of_record;

/* The table of its members, which the JSON schema is checked against. */
extern const struct record trend_report_record;

/* The JSON form; new reference. */
json_t *trend_report_to_json(const struct trend_report *report);

/* Of its JSON form; texts are copied into the arena. ERR_INPUT names the source and the member that
 * is wrong. */
bool trend_report_from_json(const json_t *root, const char *source, struct arena *arena,
                            struct trend_report *ret_report, struct err *err);

#endif
