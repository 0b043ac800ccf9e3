/* Provenance of the gate: which baseline profiles can be compared with the candidate at all.
 *
 * Internal to compare/. The reference's own checks of two summaries are in provenance_checks.h.
 */
#ifndef COMPARE_PROVENANCE_PROVENANCE_H
#define COMPARE_PROVENANCE_PROVENANCE_H

#include "compare/judgement/judgement.h"
#include "compare/provenance/provenance_facts.h"
#include "compare/provenance/same_program.h"
#include "compare/provenance/unseen_work.h"

/* A side's profiles that take part, in canonical order: the oldest run first (profile_time_order of
 * its first profile), its profiles together. */
struct profile_set {
    const struct gate_profile **items;
    size_t count;
};

struct profile_sets {
    struct profile_set baseline, candidate, history;
};

/* The run that a profile belongs to: its own id when no run was named. */
const char *gate_run_id(const struct gate_profile *profile);

/* Which of two profiles is older: by ran_at_utc, then by recorded_at_utc, then by id; as strcmp. */
int profile_time_order(const struct gate_profile *a, const struct gate_profile *b);

/* Chooses the profiles that can be compared and writes mismatches, and messages on what is left
 * out. false: nothing can be compared; the verdict is incomparable and the sets
 * hold all profiles. */
bool provenance_judge(struct gate_state *judgement, struct profile_sets *ret_sets);

/* Adds the reason for a trace that stands on both sides, or is known under another name; false:
 * there is none. */
bool known_traces_reason(struct gate_state *judgement);

/* Adds one reason per mismatch (`<field>_differs`, `<field>_unknown`), what makes the sides
 * incomparable first. */
void provenance_reasons(struct gate_state *judgement);

/* The first field that keeps the two from being compared; PROVENANCE_FIELD_COUNT: none. */
enum provenance_field provenance_block(const struct gate_rules *rules,
                                       const struct provenance_facts *a,
                                       const struct provenance_facts *b);

/* The same of that field and those behind it. */
enum provenance_field provenance_block_from(const struct gate_rules *rules,
                                            const struct provenance_facts *a,
                                            const struct provenance_facts *b,
                                            enum provenance_field field);

/* May a past profile be a baseline of the candidate? Who chooses a baseline asks, and looks further
 * back. false: *ret_field names the first fact in the way. */
bool gate_can_compare(const struct summary *past, const struct summary *candidate,
                      const struct gate_rules *rules, struct arena *arena, const char **ret_field);

/* What the two have in a field, which may be work, for people; NULL: not known. */
void gate_field_texts(const struct summary *past, const struct summary *candidate,
                      enum provenance_field field, struct arena *arena, const char *ret_texts[2]);

/* Operations of a step as the ledger keeps them beside the facts of a profile; 0: not known. */
double gate_step_flops(const struct summary *summary);

/* Operations of a step that differ by more than a compiler makes of the same work: another batch,
 * sequence or model. 0 = not known, and no difference. */
bool gate_flops_differ(double a, double b);

#endif
