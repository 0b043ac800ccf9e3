/* The policy of a gate: every number and action that a verdict depends on, as one plain struct.
 *
 * X-macro tables make the struct, its defaults, its canonical text (which is hashed into the
 * verdict and is itself a policy file) and, for whoever reads policy files, names, ranges and help.
 * The reading of files is in policy_file.h.
 */
#ifndef COMPARE_POLICY_GATE_POLICY_H
#define COMPARE_POLICY_GATE_POLICY_H

#include "ops/runtime/arena.h"
#include "schema/documents/measures.h"
#include "schema/documents/provenance_fields.h"

#include <stdbool.h>
#include <stddef.h>

/* X(name, default, min, max, unit, help). The statistics are those of run_model.h: one-sided,
 * on the logarithms of run medians, with the spread of past runs. */
#define GATE_POLICY_NUMBERS(X) \
    X(min_effect_pct, 2, 0.01, 100, "%", "smallest change of step time that matters") \
    X(min_effect_us, 10, 0, 1e9, "us", "and its absolute floor") \
    X(alpha_fail, 0.01, 1e-6, 0.5, "", "largest p of a fail") \
    X(alpha_warn, 0.05, 1e-6, 0.5, "", "largest p of a warning") \
    X(alpha_pass, 0.05, 1e-6, 0.5, "", "error rate of the equivalence that a pass states") \
    X(power, 0.80, 0.5, 0.999, "", "power behind the smallest detectable effect") \
    X(min_past_runs, 6, 2, 1000, "runs", "past runs below which nothing passes") \
    X(min_steps, 1, 1, 1e6, "steps", "steady steps below which a profile is not compared") \
    X(warmup_steps, -1, -1, 1e9, "steps", "steps with a smaller number are warm-up; -1: as read") \
    X(max_more_runs, 50, 1, 10000, "runs", "more runs than this are not asked for") \
    X(max_autocorrelation, 0.9, 0, 1, "", "a profile whose steps are above it is not compared") \
    X(max_drift_t, 4, 0, 1000, "", \
      "nor one with a trend of min_effect_pct above this t (of many steps)") \
    X(mode_distance, 5, 2, 1000, "sd", \
      "nor one with two modes this far apart (of few steps more), unlike the others") \
    X(op_min_share, 0.001, 0, 1, "", \
      "the smallest ops are not tested that together take less of a step") \
    X(op_min_us, 5, 0, 1e9, "us", "time per step below which an op is not tested") \
    X(op_effect_pct, 5, 0, 1000, "%", "smallest change of an op that is called one") \
    X(op_fdr_q, 0.05, 1e-6, 0.5, "", "false discovery rate over all tested ops") \
    X(op_limit, 20, 0, 100000, "rows", "ops shown of each direction") \
    X(device_slow_pct, 2, 0, 1000, "%", "a device is called slower above this change of its step") \
    X(confirm_hosts, 1, 1, 100, "hosts", "hosts whose candidate runs must agree before a fail")

/* What happens where nothing could be decided. KEEP leaves the verdict as it is. */
enum policy_outcome {
    OUTCOME_KEEP,
    OUTCOME_PASS,
    OUTCOME_WARN,
    OUTCOME_INCONCLUSIVE,
    OUTCOME_FAIL,
    OUTCOME_COUNT
};

/* X(name, standard, help) */
#define GATE_POLICY_OUTCOMES(X) \
    X(on_inconclusive, KEEP, "what an inconclusive verdict becomes") \
    X(on_earlier_fail, FAIL, "what a verdict becomes when an earlier fail is not refuted") \
    X(on_missing, INCONCLUSIVE, "what a verdict becomes when a required measure is not known")

/* The version of the grammar and of the meaning of its keys. */
enum { GATE_POLICY_VERSION = 1 };

/* What a measure above its limit does to the verdict. */
enum measure_action { MEASURE_INFO, MEASURE_WARN, MEASURE_FAIL };

/* X(measure, limit_pct, limit_abs, action) of those that are limited by default; a policy can limit
 * every measure of schema/documents/measures.h. The allowed change for the worse is limit_pct
 * percent of the baseline or limit_abs in the measure's unit, the larger where both are given; -1 =
 * no such limit. Of steady_step_median, steady_step_period and steady_step_mean it is the margin of
 * the rule on runs, in place of min_effect_pct; where past runs are too few for that rule, a limit
 * that is given may fail by the medians alone. */
#define GATE_LIMITS(X) \
    X(steady_step_median, -1, -1, FAIL) \
    X(steady_step_period, -1, -1, FAIL) \
    X(steady_step_mean, -1, -1, FAIL) \
    X(steady_step_p90, 10, -1, WARN) \
    X(device_idle_share, -1, 0.05, WARN) \
    X(exposed_communication_share, -1, 0.05, WARN) \
    X(exposed_copy_share, -1, 0.05, WARN) \
    X(device_skew, -1, 0.05, WARN) \
    X(communication_share, -1, 0.05, WARN) \
    X(stall_share, -1, 0.05, WARN) \
    X(device_memory, 10, -1, WARN)

enum provenance_field {
#define PROVENANCE_FIELD_MEMBER(name, action, kind, help) FIELD_##name,
    PROVENANCE_FIELDS(PROVENANCE_FIELD_MEMBER)
#undef PROVENANCE_FIELD_MEMBER
        PROVENANCE_FIELD_COUNT
};

struct measure_rule {
    double limit_pct, limit_abs; /* -1 = none */
    enum measure_action action;
    bool required; /* both sides must tell it */
};

/* An op that is judged by itself: a shell pattern on the op's name or path, and the largest
 * increase in percent. It fails with two or more candidate runs, else it warns. */
struct watched_op {
    const char *name; /* of the rule */
    const char *pattern;
    double limit_pct;
};

struct gate_policy {
#define GATE_POLICY_FIELD(name, standard, min, max, unit, help) double name;
    GATE_POLICY_NUMBERS(GATE_POLICY_FIELD)
#undef GATE_POLICY_FIELD
#define GATE_POLICY_OUTCOME_FIELD(name, standard, help) enum policy_outcome name;
    GATE_POLICY_OUTCOMES(GATE_POLICY_OUTCOME_FIELD)
#undef GATE_POLICY_OUTCOME_FIELD
    struct measure_rule measures[MEASURE_END]; /* by number */
    enum provenance_action provenance[PROVENANCE_FIELD_COUNT];
    const struct watched_op *watched; /* order does not matter to the verdict but to its hash */
    size_t watched_count;
};

/* Static names: "fail", "device_type", "strict". */
const char *measure_action_name(enum measure_action action);
const char *provenance_field_name(enum provenance_field field);
const char *provenance_action_name(enum provenance_action action);
const char *policy_outcome_name(enum policy_outcome outcome);

/* What the fact is; of HARDWARE no policy relaxes the action. */
enum provenance_kind provenance_field_kind(enum provenance_field field);

/* The policy that is right for most. */
void gate_policy_default(struct gate_policy *ret_policy);

/* Whether the policy warns or fails by a measure otherwise than the default does. Not where its
 * file names it: that is not in the text that is hashed, and equal texts judge alike. */
bool gate_policy_limits_itself(const struct gate_policy *policy, enum measure measure);

/* The text that is hashed: one `key = value` per line in table order, in the grammar of policy
 * files. NULL where it is too long. The hash says which policy a verdict is of; a text that was
 * recorded before a key, measure or fact came is of the same policy where that is at its default.
 */
const char *gate_policy_text(const struct gate_policy *policy, struct arena *arena);

/* The same with a comment above each key that says what it does: the reference of the format. */
const char *gate_policy_guide(const struct gate_policy *policy, struct arena *arena);

#endif
