/* The verdict of a gate: verdict.v1. What was compared, by which rule, what came out, and every
 * number behind it.
 *
 * Times are microseconds. Ops are per step and device (self time inside steady steps / number of
 * steady device spans). Everything lives in the arena that the verdict was made in.
 */
#ifndef SCHEMA_DOCUMENTS_VERDICT_H
#define SCHEMA_DOCUMENTS_VERDICT_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"
#include "schema/documents/optional.h"
#include "schema/documents/verdict_parts.h"

#include <jansson.h>

enum verdict_status {
    VERDICT_PASS,
    VERDICT_WARN,
    VERDICT_FAIL,
    VERDICT_INCONCLUSIVE,
    VERDICT_INCOMPARABLE,
    VERDICT_STATUS_COUNT
};
extern const char *const verdict_status_names[VERDICT_STATUS_COUNT];

struct verdict_reason {
    const char *
        code; /* stable, snake_case: step_median_regressed, op_regressed, device_count_differs, … */
    const char *text; /* one sentence with the numbers */
};

struct verdict_mismatch {
    const char *field, *baseline, *candidate; /* values as text; NULL = unknown */
    const char *action;                       /* strict, warn, ignore */
};

/* A past run that is no baseline of this candidate, though it could be compared. */
struct verdict_set_aside {
    const char *run;
    struct string_list profile_ids;
    const char *reason; /* outlier, newest, other_level, drift, or why unfit: steps_drift ... */
    const char *text;   /* one sentence with the numbers */
};

/* One side: the profiles it was computed from. */
struct verdict_side {
    struct string_list profile_ids; /* "p12" */
    struct string_list run_ids;
    const char *branch, *commit;
    const char *why;               /* how these were chosen, one sentence */
    int64_t run_count, step_count; /* steady steps */
    struct opt_f64 step_median_us, step_p90_us;
    struct string_list labels;
    struct opt_i64 attempts; /* candidate: how often this change was judged, with this verdict;
                                absent when no commit was given */
    struct string_list
        earlier_failed; /* candidate: verdicts on it that failed, oldest first: "v7" */
    struct verdict_set_aside *set_aside; /* of the baseline, oldest first of a reason */
    size_t set_aside_count;
};

struct verdict {
    const char *schema_version; /* "verdict.v1" */
    bool has_id;                /* not in the ledger: what is stored does not know its number */
    const char *id;             /* "v7" */
    bool is_answered;           /* nor what a person said of the change, who took it */
    const char *accepted;       /* "reason (by whom, of v3)"; NULL: nobody did, or not all of it */
    const char *beyond;         /* why an acceptance does not cover it; NULL */
    bool was_retracted;         /* nor what is told of it later: `show` adds it to what is stored */
    const char *based_on_retracted; /* "p3 of the baseline (a slip)" */
    const char *project, *workload, *series;
    enum verdict_status status;
    struct verdict_reason *reasons;
    size_t reason_count;
    const char *rule_id;
    int64_t rule_version;
    bool paired; /* runs that took turns on one machine were compared, pair by pair */
    const char *policy_sha256;
    struct verdict_side baseline, candidate;
    struct verdict_mismatch *mismatches;
    size_t mismatch_count;
    struct string_list provenance_messages;
    struct verdict_measure
        *measures; /* all of schema/documents/measures.h, in the order of their numbers */
    size_t measure_count;
    struct verdict_statistics statistics;
    struct verdict_op
        *ops; /* culprits first: |delta| descending among regressions, then improvements */
    size_t op_count;
    const char *ops_per; /* "call": a side has no steps, so ops are means of one call; NULL: of a
                            step and device */
    struct verdict_group *groups; /* by kind, in each the largest change first */
    size_t group_count;
    struct verdict_step_bin *step_bins; /* one behind the other; none where steps are not told */
    size_t step_bin_count;
    struct verdict_balance balance;
    struct verdict_cause cause;
    const char *slow_devices;    /* one sentence: did all slow down or one; NULL when unknown */
    const char *evidence_sha256; /* over the canonical inputs */
    const char *created_at_utc;
};

/* The JSON form; new reference. */
json_t *verdict_to_json(const struct verdict *verdict);

/* Reads what verdict_to_json wrote. name is for messages. */
bool verdict_from_json(const json_t *root, const char *name, struct arena *arena,
                       struct verdict *ret_verdict, struct err *err);

/* What a document says of something that `runs` of `of` runs have. */
struct verdict_part verdict_part_of(size_t runs, size_t of);

/* The mean over all runs of a side, of one over those that have it. */
double verdict_of_all(double us, const struct verdict_part *part);

/* Adds before_runs to after_runs_of to the object where they are set. */
void verdict_parts_add(json_t *object, const struct verdict_part *before,
                       const struct verdict_part *after);

/* Whether some runs of a side run ops that others of it do not. */
bool verdict_runs_differ(const struct verdict *verdict);

/* The reason with that code; NULL: it does not give it. */
const struct verdict_reason *verdict_reason_find(const struct verdict *verdict, const char *code);
bool verdict_has_reason(const struct verdict *verdict, const char *code);

/* How many ops moved by what matters: they stand first, those that did not change last. */
size_t verdict_moved_count(const struct verdict *verdict);

/* What became of the op, in words: of one that is compared with another in its place ("shifted": a
 * new name, other shapes or types, fused otherwise) whether it is slower, and that. */
const char *verdict_op_words(const struct verdict_op *op);

/* A pass whose step is surely shorter, and not because its environment is another (same_program).
 */
bool verdict_improved(const struct verdict *verdict);

/* The change that the candidate is: its commit, else its profiles. */
const char *verdict_change_key(const struct verdict *verdict, struct arena *arena);

#endif
