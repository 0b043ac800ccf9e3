/* The facts of provenance of one profile, and how those of two relate. Internal to compare/. */
#ifndef COMPARE_PROVENANCE_PROVENANCE_FACTS_H
#define COMPARE_PROVENANCE_PROVENANCE_FACTS_H

#include "compare/policy/policy.h"
#include "compare/provenance/op_work.h"
#include "schema/documents/summary.h"

/* Values as text, NULL when not known; "none" (no steps) counts as unknown. */
struct provenance_facts {
    const char *values[PROVENANCE_FIELD_COUNT];
    struct op_work work; /* what FIELD_work compares; it has no value of its own */
};

/* Reads them; texts live in the summary or the arena. */
struct provenance_facts provenance_facts_of(const struct summary *summary, struct arena *arena);

/* The value of a field that is a text in the profile, which owns it; NULL: not known, or of another
 * kind. */
const char *provenance_value(const struct summary *summary, enum provenance_field field);

/* What a difference in this field does: the policy's word, but hardware and device count are strict
 * under every policy. */
enum provenance_action provenance_action_of(const struct gate_policy *policy,
                                            enum provenance_field field);

/* Both know the field and disagree. */
bool provenance_differs(const struct provenance_facts *a, const struct provenance_facts *b,
                        enum provenance_field field);

/* What each side has there, for people; for work that depends on the other side. */
void provenance_texts(const struct provenance_facts *a, const struct provenance_facts *b,
                      enum provenance_field field, struct arena *arena, const char *ret_texts[2]);

/* One side knows it, or neither does though every complete profile tells it. */
bool provenance_unknown(const struct provenance_facts *a, const struct provenance_facts *b,
                        enum provenance_field field);

#endif
