/* Implements the provenance part of the gate.
 *
 * Every profile's facts are compared with those of the candidate's first profile. A strict field
 * that differs takes a baseline profile out; when none is left the two sides are incomparable.
 */
#include "compare/provenance/provenance.h"
#include "compare/provenance/provenance_facts.h"
#include "compare/judgement/judgement.h"

#include "ops/runtime/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Flags that one side tells and the other does not may be anything there: who asks for strictness
 * does not compare them, whatever a known difference does. */
static bool is_of_flags(enum provenance_field field)
{
    return field == FIELD_xla_flags || field == FIELD_profiler_options;
}

static bool field_blocks(const struct gate_rules *rules, const struct provenance_facts *a,
                         const struct provenance_facts *b, enum provenance_field field)
{
    enum provenance_action action = provenance_action_of(rules->policy, field);
    bool minds_unknown =
        action == PROVENANCE_STRICT || (action == PROVENANCE_WARN && is_of_flags(field));
    if (rules->strict_provenance && minds_unknown && provenance_unknown(a, b, field))
        return true;
    return action == PROVENANCE_STRICT && provenance_differs(a, b, field);
}

enum provenance_field provenance_block(const struct gate_rules *rules,
                                       const struct provenance_facts *a,
                                       const struct provenance_facts *b)
{
    return provenance_block_from(rules, a, b, 0);
}

enum provenance_field provenance_block_from(const struct gate_rules *rules,
                                            const struct provenance_facts *a,
                                            const struct provenance_facts *b,
                                            enum provenance_field field)
{
    while (field < PROVENANCE_FIELD_COUNT && !field_blocks(rules, a, b, field))
        field++;
    return field;
}

static struct gate_rules rules_of(const struct gate_state *judgement)
{
    return (struct gate_rules){judgement->policy, judgement->input->strict_provenance};
}

bool gate_can_compare(const struct summary *past, const struct summary *candidate,
                      const struct gate_rules *rules, struct arena *arena, const char **ret_field)
{
    struct provenance_facts left = provenance_facts_of(past, arena);
    struct provenance_facts right = provenance_facts_of(candidate, arena);
    *ret_field = NULL;
    enum step_method common = step_method_common(past, candidate);
    if (common != STEPS_NONE)
        left.values[FIELD_step_method] = right.values[FIELD_step_method] =
            step_method_names[common];
    enum provenance_field field = provenance_block(rules, &left, &right);
    if (field < PROVENANCE_FIELD_COUNT)
        *ret_field = provenance_field_name(field);
    return *ret_field == NULL;
}

void gate_field_texts(const struct summary *past, const struct summary *candidate,
                      enum provenance_field field, struct arena *arena, const char *ret_texts[2])
{
    const struct provenance_facts left = provenance_facts_of(past, arena);
    const struct provenance_facts right = provenance_facts_of(candidate, arena);
    provenance_texts(&left, &right, field, arena, ret_texts);
}

double gate_step_flops(const struct summary *summary)
{
    double flops = 0;
    const struct fact *fact = environment_fact(&summary->environment, STEP_FLOPS_FACT);
    return fact != NULL && fact->value != NULL && text_parse_double(fact->value, &flops) ? flops
                                                                                         : 0;
}

bool gate_flops_differ(double a, double b)
{
    static const double flops_differ = 0.1;
    return a > 0 && b > 0 && fabs(log(a / b)) > log1p(flops_differ);
}

static const char *value_text(const char *value, char *buffer)
{
    return name_text(value == NULL ? "not known" : value, buffer);
}

/* ---- mismatches ------------------------------------------------------------------------------ */

/* Each is kept once, however many profiles show it. */
static void mismatch_add(struct gate_state *judgement, const struct verdict_mismatch *mismatch)
{
    struct verdict *verdict = judgement->verdict;
    for (size_t i = 0; i < verdict->mismatch_count; i++) {
        const struct verdict_mismatch *held = &verdict->mismatches[i];
        bool is_work =
            strcmp(mismatch->field, provenance_field_name(FIELD_work)) == 0; /* told by one op */
        if (strcmp(held->field, mismatch->field) == 0 && is_work)
            return;
        if (strcmp(held->field, mismatch->field) == 0 &&
            text_same(held->baseline, mismatch->baseline) &&
            text_same(held->candidate, mismatch->candidate))
            return;
    }
    struct verdict_mismatch *items =
        arena_grow(judgement->arena, verdict->mismatches, verdict->mismatch_count,
                   &judgement->mismatch_capacity, sizeof *items);
    verdict->mismatches = items;
    items[verdict->mismatch_count++] = *mismatch;
}

static bool is_strict(const struct verdict_mismatch *mismatch)
{
    return strcmp(mismatch->action, provenance_action_name(PROVENANCE_STRICT)) == 0;
}

void provenance_reasons(struct gate_state *judgement)
{
    struct verdict *verdict = judgement->verdict;
    /* What makes the sides incomparable stands first; the order is kept otherwise. */
    size_t strict = 0;
    for (size_t i = 0; i < verdict->mismatch_count; i++) {
        struct verdict_mismatch moved = verdict->mismatches[i];
        if (!is_strict(&moved))
            continue;
        memmove(&verdict->mismatches[strict + 1], &verdict->mismatches[strict],
                (i - strict) * sizeof moved);
        verdict->mismatches[strict++] = moved;
    }
    for (size_t i = 0; i < verdict->mismatch_count; i++) {
        const struct verdict_mismatch *m = &verdict->mismatches[i];
        bool known = m->baseline != NULL && m->candidate != NULL;
        const char *code =
            arena_printf(judgement->arena, "%s_%s", m->field, known ? "differs" : "unknown");
        char left[NAME_TEXT_BYTES], right[NAME_TEXT_BYTES];
        if (m->baseline == NULL && m->candidate == NULL)
            reason_add(judgement, code, "%s is known of neither side.", m->field);
        else
            reason_add(judgement, code, "%s is %s in the baseline and %s in the candidate.",
                       m->field, value_text(m->baseline, left), value_text(m->candidate, right));
    }
}

/* ---- one trace twice ------------------------------------------------------------------------- */

bool known_traces_reason(struct gate_state *judgement)
{
    const struct gate_side *candidate = &judgement->input->candidate;
    if (judgement->same_trace) {
        reason_add(judgement, "same_trace",
                   "The same trace stands on both sides, which says nothing about a change.");
        return true;
    }
    enum { NAMED = 5, NAMES_MAX_BYTES = 1500 };
    size_t known = 0;
    scoped_text names;
    text_init(&names, NAMES_MAX_BYTES);
    for (size_t i = 0; i < candidate->profile_count; i++) {
        const struct gate_profile *profile = &candidate->profiles[i];
        if (profile->known_as == NULL)
            continue;
        if (known < NAMED)
            text_addf(&names, "%s%s as %.250s", known == 0 ? "" : "; ", profile->profile_id,
                      profile->known_as);
        known++;
    }
    if (known > NAMED)
        text_addf(&names, "; and %zu more", known - NAMED);
    if (known > 0)
        reason_add(judgement, "known_trace",
                   "%zu of %zu candidate profile%s %s in the ledger under another name (%s): under "
                   "two names the same bytes are one measurement, not two.",
                   known, candidate->profile_count, candidate->profile_count == 1 ? "" : "s",
                   known == 1 ? "is" : "are", text_shown(&names));
    return known > 0;
}

static bool same_trace_named(struct gate_state *judgement, const struct profile_sets *sets)
{
    bool found = false;
    for (size_t i = 0; i < sets->candidate.count; i++) {
        const struct gate_profile *b = sets->candidate.items[i];
        const char *hash = b->summary->trace_provenance.trace_sha256;
        for (size_t j = 0; hash != NULL && j < sets->baseline.count; j++) {
            const struct gate_profile *a = sets->baseline.items[j];
            if (!text_same(hash, a->summary->trace_provenance.trace_sha256))
                continue;
            found = true;
            message_add(judgement, "Baseline %s and candidate %s are the same trace (%.12s).",
                        a->profile_id, b->profile_id, hash);
        }
    }
    return found;
}

/* ---- choosing -------------------------------------------------------------------------------- */

static int id_order(const char *a, const char *b)
{
    size_t left = strlen(a), right = strlen(b);
    return left != right ? (left < right ? -1 : 1) : strcmp(a, b);
}

const char *gate_run_id(const struct gate_profile *profile)
{
    return profile->run != NULL ? profile->run : profile->profile_id;
}

/* What is not known stands nowhere. */
static int time_order(const char *a, const char *b)
{
    return a != NULL && b != NULL ? strcmp(a, b) : 0;
}

int profile_time_order(const struct gate_profile *a, const struct gate_profile *b)
{
    int order = time_order(a->ran_at_utc, b->ran_at_utc);
    order = order != 0 ? order : time_order(a->recorded_at_utc, b->recorded_at_utc);
    return order != 0 ? order : id_order(a->profile_id, b->profile_id);
}

/* A profile with the first one of its run. */
struct placed {
    const struct gate_profile *profile, *first;
};

static int run_order(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    int order = id_order(gate_run_id(a->profile), gate_run_id(b->profile));
    return order != 0 ? order : profile_time_order(a->profile, b->profile);
}

static int placed_order(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    int order = profile_time_order(a->first, b->first);
    return order != 0 ? order : profile_time_order(a->profile, b->profile);
}

/* All profiles of a side in canonical order: the oldest run first, a run's profiles together. */
static void set_fill(struct gate_state *judgement, const struct gate_side *side,
                     struct profile_set *ret)
{
    ret->count = side->profile_count;
    ret->items = arena_array(judgement->arena, const struct gate_profile *, ret->count);
    struct placed *placed = arena_array(judgement->arena, struct placed, ret->count);
    for (size_t i = 0; i < ret->count; i++)
        placed[i] = (struct placed){&side->profiles[i], &side->profiles[i]};
    if (ret->count > 1)
        qsort(placed, ret->count, sizeof *placed, run_order);
    for (size_t i = 1; i < ret->count; i++) {
        if (text_same(gate_run_id(placed[i].profile), gate_run_id(placed[i - 1].profile)))
            placed[i].first = placed[i - 1].first;
    }
    if (ret->count > 1)
        qsort(placed, ret->count, sizeof *placed, placed_order);
    for (size_t i = 0; i < ret->count; i++)
        ret->items[i] = placed[i].profile;
}

/* Keeps what can be compared with the candidate, in order, and names what is left out. When nothing
 * can be, all stay and false comes back. */
static bool baseline_filter(struct gate_state *judgement, struct profile_set *set,
                            const struct provenance_facts *candidate)
{
    const struct gate_profile **all =
        arena_array(judgement->arena, const struct gate_profile *, set->count);
    struct gate_rules rules = rules_of(judgement);
    size_t kept = 0;
    for (size_t i = 0; i < set->count; i++) {
        struct provenance_facts facts =
            provenance_facts_of(set->items[i]->summary, judgement->arena);
        if (provenance_block(&rules, &facts, candidate) == PROVENANCE_FIELD_COUNT)
            all[kept++] = set->items[i];
    }
    if (kept == 0)
        return false;
    for (size_t i = 0; i < set->count && kept < set->count; i++) {
        struct provenance_facts facts =
            provenance_facts_of(set->items[i]->summary, judgement->arena);
        enum provenance_field field = provenance_block(&rules, &facts, candidate);
        char left[NAME_TEXT_BYTES], right[NAME_TEXT_BYTES];
        const char *texts[2];
        if (field == PROVENANCE_FIELD_COUNT)
            continue;
        provenance_texts(&facts, candidate, field, judgement->arena, texts);
        message_add(judgement, "Baseline %s is left out: %s is %s, the candidate's %s.",
                    set->items[i]->profile_id, provenance_field_name(field),
                    value_text(texts[0], left), value_text(texts[1], right));
    }
    *set = (struct profile_set){all, kept};
    return true;
}

/* The candidate's own profiles must agree with each other. */
static bool candidate_agrees(struct gate_state *judgement, const struct profile_set *set,
                             const struct provenance_facts *first)
{
    bool agrees = true;
    for (size_t i = 1; i < set->count; i++) {
        struct provenance_facts facts =
            provenance_facts_of(set->items[i]->summary, judgement->arena);
        for (enum provenance_field field = 0; field < PROVENANCE_FIELD_COUNT; field++) {
            if (provenance_action_of(judgement->policy, field) != PROVENANCE_STRICT ||
                !provenance_differs(first, &facts, field))
                continue;
            char left[NAME_TEXT_BYTES], right[NAME_TEXT_BYTES];
            const char *texts[2];
            agrees = false;
            provenance_texts(first, &facts, field, judgement->arena, texts);
            reason_add(judgement, "candidate_profiles_differ",
                       "The candidate's profiles differ in %s: %s is %s and %s is %s.",
                       provenance_field_name(field), set->items[0]->profile_id,
                       value_text(texts[0], left), set->items[i]->profile_id,
                       value_text(texts[1], right));
        }
    }
    return agrees;
}

/* Variance may only come from runs of identical provenance: nothing that the policy minds differs
 * from the baseline (the candidate may change a version, which takes no history away). */
static void history_filter(struct gate_state *judgement, struct profile_sets *sets)
{
    struct provenance_facts baseline =
        provenance_facts_of(sets->baseline.items[0]->summary, judgement->arena);
    size_t kept = 0;
    for (size_t i = 0; i < sets->history.count; i++) {
        struct provenance_facts facts =
            provenance_facts_of(sets->history.items[i]->summary, judgement->arena);
        bool differs = false;
        for (enum provenance_field field = 0; field < PROVENANCE_FIELD_COUNT; field++)
            differs |= provenance_action_of(judgement->policy, field) != PROVENANCE_IGNORE &&
                       provenance_differs(&facts, &baseline, field);
        if (!differs)
            sets->history.items[kept++] = sets->history.items[i];
    }
    sets->history.count = kept;
}

bool provenance_judge(struct gate_state *judgement, struct profile_sets *ret_sets)
{
    const struct gate_input *input = judgement->input;
    struct profile_sets *sets = ret_sets;
    set_fill(judgement, &input->baseline, &sets->baseline);
    set_fill(judgement, &input->candidate, &sets->candidate);
    set_fill(judgement, &input->history, &sets->history);
    struct provenance_facts candidate =
        provenance_facts_of(sets->candidate.items[0]->summary, judgement->arena);
    judgement->same_trace = same_trace_named(judgement, sets);
    bool refused = input->strict_provenance && known_traces_reason(judgement);
    bool agrees = candidate_agrees(judgement, &sets->candidate, &candidate);
    bool usable = baseline_filter(judgement, &sets->baseline, &candidate);
    for (size_t i = 0; i < sets->baseline.count; i++) {
        struct provenance_facts facts =
            provenance_facts_of(sets->baseline.items[i]->summary, judgement->arena);
        /* Mismatches of one baseline profile. */
        struct gate_rules rules = rules_of(judgement);
        for (enum provenance_field j = 0; j < PROVENANCE_FIELD_COUNT; j++) {
            bool differs = provenance_differs(&facts, &candidate, j);
            bool unknown = provenance_unknown(&facts, &candidate, j);
            if (provenance_action_of(judgement->policy, j) == PROVENANCE_IGNORE ||
                (!differs && !unknown))
                continue;
            bool blocks = field_blocks(&rules, &facts, &candidate, j);
            const char *texts[2];
            provenance_texts(&facts, &candidate, j, judgement->arena, texts);
            struct verdict_mismatch mismatch = {
                provenance_field_name(j), texts[0], texts[1],
                provenance_action_name(blocks ? PROVENANCE_STRICT : PROVENANCE_WARN)};
            mismatch_add(judgement, &mismatch);
        }
    }
    if (refused || !agrees || !usable) {
        judgement->verdict->status = VERDICT_INCOMPARABLE;
        judgement->verdict->rule_id = "provenance";
        return false;
    }
    history_filter(judgement, sets);
    return true;
}
