/* One judgement while it is made: the input, the runs that take part, the verdict as it grows.
 *
 * Internal to compare/. The parts append what they find; none has a failure to tell, and gate_judge
 * asks for memory once at the end.
 */
#ifndef COMPARE_JUDGEMENT_JUDGEMENT_H
#define COMPARE_JUDGEMENT_JUDGEMENT_H

#include "compare/judgement/gate_input.h"
#include "compare/judgement/step_methods.h"
#include "compare/statistics/statistics.h"
#include "ops/runtime/text.h"

#include <stdint.h>

/* Means over a run's profiles, per steady device span: what the balance adds up. Busy is the span
 * without the time in which no op runs, so parallel streams are not counted twice. */
enum run_mean { RUN_SPAN_MEAN, RUN_BUSY_MEAN, RUN_IDLE_MEAN, RUN_MEAN_COUNT };

/* What is known of one run: medians over its profiles of every measure, means for the balance. */
struct gate_run {
    const char *id;
    const struct gate_profile **profiles; /* by profile id */
    size_t profile_count;
    int64_t step_count;                   /* steady steps of all its profiles */
    struct opt_f64 measures[MEASURE_END]; /* by number; absent when no profile tells it */
    struct opt_f64 means[RUN_MEAN_COUNT]; /* us */
};

/* The runs of a side, oldest first (by the time of their first profile, then by id: short ids
 * first, so that p2 stands before p10). */
struct gate_runs {
    struct gate_run *items;
    size_t count;
};

/* What is compared op by op: of each side the runs whose ops are of the steps that are judged, with
 * the profiles that have such alone, and their means. Where a side has none, those that have ops of
 * whole captures: times are means of one call, not of a step. */
struct op_sides {
    struct gate_runs before, after, past; /* of recent, candidate, history */
    bool per_call;
};

/* A run in the order of time. */
struct placed_run {
    struct gate_run run;
    enum run_role role;
    size_t hosts, pair; /* as struct run_point has them */
    size_t number;      /* in the order of time, whatever is set aside */
    double step_count;  /* steady steps that were seen one by one */
    double variance;    /* by its steps, in those of a typical past run */
};

/* What steps differ by inside a run: of logarithms, over all runs. */
struct step_noise {
    double sd, correlation;
    double past_within, past_variance; /* of past runs: by their steps, and altogether */
    double candidate_wider; /* so many times as much, 1 or more, the candidate's steps differ */
};

/* What the newest past runs make of the candidate that stand apart from the past, against what the
 * past makes of it. */
enum newest_alone { NEWEST_SAY_THE_SAME, NEWEST_WOULD_FAIL, NEWEST_WOULD_NOT_FAIL };

/* What the candidate is against runs of the past, logarithms with the 95 % interval. */
struct newest_change {
    bool is_known;
    double change, low, high;
};

struct fault_list {
    struct verdict_reason *items;
    size_t count, capacity;
};

struct course_edge; /* changes/edges.h */

struct gate_state {
    const struct gate_input *input;
    const struct gate_policy *policy; /* with the error rates of this attempt (attempts.h) */
    struct arena *arena;
    struct verdict *verdict;
    struct gate_runs baseline, candidate, history;
    struct gate_runs recent; /* the baseline runs whose summaries are whole: what explains a verdict
                                (ops, groups, devices, balance) is made of these */
    struct op_sides op_sides;
    struct placed_run *timeline; /* all runs that take part, without what is set aside */
    size_t timeline_count;
    size_t near_count; /* of a branch's runs those that take part, the nearest to the candidate; 0:
                          all do */
    struct placed_run *newest_timeline; /* with the newest past runs alone as baseline, where these
                                           stand apart from those before (past.h) */
    size_t newest_timeline_count, newest_count; /* of its rows, and of these runs */
    const char *newest_name;                    /* "main's newest run m20 (commit 0123abcd)" */
    double newest_apart;                        /* from those before, a logarithm */
    bool newest_is_level; /* they are the baseline: the model holds it likely that they are one */
    struct newest_change newest_against[2]; /* what the candidate is against them, and against those
                                               before them */
    bool level_is_sure;     /* statistics.level_change_pct: a trend of the same runs confirms it */
    bool level_end_is_sure; /* statistics.level_end_pct: it does as well */
    size_t beyond_count;    /* runs of levels beyond those next to the candidate's */
    const struct course_edge *edge_before, *edge_behind; /* sure ones of the past next to the
                                                            candidate; NULL: none */
    bool drift_is_sure;            /* statistics.drift_pct_per_run: it tells of a drift as well */
    bool drift_leads;              /* it is what the estimate goes by, nearly alone */
    struct opt_f64 open_drift_pct; /* a run, where the past drifts or changed its level, and which
                                      is not told; with open_jump_pct */
    double open_jump_pct;
    bool newest_stay; /* they are not so far apart that they are set aside */
    struct step_noise step_noise;
    bool steps_are_ours; /* step times from `steps`; else from profile_summary.v1 */
    bool paired;         /* the i-th run of each side ran beside the i-th of the other */
    bool same_trace;     /* a trace stands on both sides */
    bool is_of_memory;   /* the candidate is device memory profiles alone: nothing has times */
    bool same_program;   /* all profiles ran one compiled program: op time is environment */
    bool baseline_unfit, candidate_unfit; /* all of its profiles have to be taken again */
    struct fault_list faults;             /* of profiles that are not fit */
    const char *rerun_text;               /* why a side has to be; NULL: it has not */
    struct fault_list notices;            /* of profiles that are fit to be judged with care */
    enum verdict_status step_status;      /* of the step rule alone */
    enum verdict_status period_status;    /* the same of the time from step to step */
    enum verdict_status mean_status;      /* the same of its mean, slow steps and all */
    const char *warning; /* the first limit that only warns and is passed; NULL: none is */
    size_t set_aside_capacity, reason_capacity, message_capacity, mismatch_capacity;
    bool warmup_is_own; /* means leave out what each capture calls warm-up (waited_steps.h) */
};

/* Appends a reason: a code of schema/documents/verdict_reasons.h and one sentence. */
void reason_add(struct gate_state *judgement, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends to a list of what is wrong with profiles. */
void fault_add(struct gate_state *judgement, struct fault_list *list, const char *code,
               const char *text);

/* Appends the list as reasons. */
void fault_reasons(struct gate_state *judgement, const struct fault_list *list);

/* Names a past run that is no baseline: its profiles, a code and a sentence. */
void set_aside_add(struct gate_state *judgement, const char *run,
                   const struct gate_profile *const *profiles, size_t count,
                   const struct verdict_reason *why);

/* Appends a provenance message; the same text is kept once. */
void message_add(struct gate_state *judgement, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A finding beside step time: fail beats everything but incomparable, warn beats only pass. When it
 * changes the verdict, its rule is named and the reason that was added last becomes the first. */
void status_raise(struct gate_state *judgement, enum verdict_status status, const char *rule_id);

/* Sets the verdict whatever it was; names its rule and makes the reason that was added last the
 * first. */
void status_decide(struct gate_state *judgement, enum verdict_status status, const char *rule_id);

/* A name for a sentence: whole when short, else its beginning and "...", cut between code points.
 * Returns buffer. */
enum { NAME_TEXT_BYTES = 128 };
const char *name_text(const char *name, char *buffer);

/* "412.3 ms": a duration in a sentence. Writes FORMAT_BYTES at most; returns buffer. */
const char *duration_text(double us, char *buffer);

#endif
