/* What a gate is given. */
#ifndef COMPARE_JUDGEMENT_GATE_INPUT_H
#define COMPARE_JUDGEMENT_GATE_INPUT_H

#include "compare/policy/policy.h"
#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"
#include "schema/documents/summary.h"
#include "schema/documents/verdict.h"

#include <stdbool.h>
#include <stddef.h>

struct gate_profile {
    const char *profile_id;              /* "p12" */
    const char *run;                     /* NULL: the profile is a run of its own */
    const char *branch, *commit, *label; /* NULL: not known */
    const char *known_as;   /* NULL, or what the same bytes were called when they came before: "run
                               main-3 of branch main" */
    const char *ran_at_utc; /* runs stand in its order: when it was captured, where that is known;
                               NULL: in that of recording */
    const char *recorded_at_utc; /* and of equal times in its order, then by id; NULL: by id */
    const struct summary *summary;
    /* [MEASURE_END], of a profile of which only this is loaded: its summary then holds provenance,
     * hosts and steps (one span each, the mean over devices), no ops, devices or tables. NULL: the
     * summary is whole and tells them. */
    const struct opt_f64 *measures;
};

struct gate_side {
    const struct gate_profile *profiles;
    size_t profile_count;
    const char *why; /* how these were chosen, one sentence; NULL: nothing is said */
};

struct gate_input {
    const char *project, *workload, *series;
    struct gate_side baseline;  /* all comparable past runs; the order means nothing. The newest of
                                   them are whole: what explains a verdict is made of these */
    struct gate_side candidate; /* whole */
    struct gate_side history;   /* other runs, where the baseline was named: they only tell the
                                   variance */
    int64_t attempts; /* how often this change was judged, with this time; 0: not known, it is the
                         first */
    struct string_list earlier_verdicts; /* on this change, oldest first: "v7 (fail)" */
    const char *first_failed;        /* of these, the first that failed by itself: "v7"; NULL: not
                                        known, or none did */
    const char *first_failed_reason; /* the sentence that it failed by */
    struct string_list left_out; /* of pairs: runs of the change that take no part, and that nobody
                                    judged: "p4" */
    struct string_list against;  /* what the baseline is: "branch main", "commit 0123abcd"; none:
                                    the profiles that were named */
    const char *same_commit;     /* of which both sides are; NULL: there is none */
    bool is_own_past;            /* and the branch that is the baseline has no other */
    bool paired; /* the sides ran in turns: the i-th run of each, in the order given, is a pair */
    const struct gate_policy *policy; /* NULL: the default */
    const char *policy_text;          /* as it was recorded; NULL: the policy's own */
    bool strict_provenance; /* the same trace twice and unknown strict facts are incomparable */
    const char *created_at_utc;
};

/* What decides whether two profiles may be compared. */
struct gate_rules {
    const struct gate_policy *policy;
    bool strict_provenance;
};

#endif
