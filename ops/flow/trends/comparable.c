/* Splits by the words that the ledger has for equal facts; the gate's question is asked once for
 * each word, of the newest profile that has it. */
#include "ops/flow/trends/comparable.h"

#include "compare/gate/gate.h"
#include "compare/policy/policy.h"
#include "history/reading/reading.h"
#include "history/verdicts/verdicts.h"
#include "ops/runtime/text.h"
#include "schema/documents/provenance_fields.h"

#include <string.h>

/* Why runs do not go on in newer ones; NULL = they do. */
struct apart {
    const char *field, *why;
};

/* Runs of one series with one word. */
struct kind {
    const struct trend_point *newest;
    const char *word;
    size_t group;
};

/* Runs whose kinds can be compared, of one level. */
struct group {
    const char *series, *rebaseline;
    size_t facts; /* the group's number among those of equal facts */
    size_t count;
    struct apart apart;
};

struct splitting {
    struct db *db;
    const struct trend *trend;
    struct gate_rules rules;
    struct arena *arena;
    int64_t *ids;
    const char **words; /* of each point */
    size_t *kind_of;    /* of each point */
    struct kind *kinds; /* the newest first */
    size_t kind_count;
    struct apart *apart; /* of each group of kinds */
};

int64_t trends_number(const char *id)
{
    int64_t number = 0;
    (void)text_parse_i64(id + 1, &number);
    return number;
}

size_t comparable_place(const struct comparable *runs, const char *profile)
{
    size_t i = 0;
    while (i + 1 < runs->count && strcmp(runs->points[i]->profile_id, profile) != 0)
        i++;
    return i;
}

size_t comparable_from(const struct comparable *runs, const struct change_mark *mark)
{
    size_t i = 0;
    while (i < runs->count && run_order_compare(runs->points[i]->order, mark->order) < 0)
        i++;
    return i;
}

const struct string_list *comparable_facts(void)
{
#define NAME_OF_FIELD(name, action, kind, help) #name,
#define NAME_OF_ALIAS(fact, name) #name,
    static const char *names[] = {PROVENANCE_FIELDS(NAME_OF_FIELD) PROVENANCE_ALIASES(NAME_OF_ALIAS)
                                      STEP_FLOPS_FACT};
    static const struct string_list list = {names, sizeof names / sizeof *names};
    return &list;
}

static void kinds_find(struct splitting *splitting)
{
    const struct trend *trend = splitting->trend;
    for (size_t i = trend->point_count; i-- > 0;) {
        const struct trend_point *point = &trend->points[i];
        size_t at = 0;
        while (at < splitting->kind_count &&
               (strcmp(splitting->kinds[at].word, splitting->words[i]) != 0 ||
                strcmp(splitting->kinds[at].newest->series, point->series) != 0))
            at++;
        if (at == splitting->kind_count)
            splitting->kinds[splitting->kind_count++] =
                (struct kind){point, splitting->words[i], 0};
        splitting->kind_of[i] = at;
    }
}

/* What keeps the two from being compared; NULL = nothing. Ops that are not told, as those of an
 * archived month, leave the operations of a step to tell its work. */
static const char *briefs_compare(struct splitting *splitting, const struct ledger_brief *past,
                                  const struct ledger_brief *now)
{
    const struct summary *before = &past->profile.summary, *after = &now->profile.summary;
    const char *field;
    struct arena_mark mark = arena_mark(splitting->arena);
    bool told = before->op_count > 0 && after->op_count > 0;
    (void)gate_can_compare(before, after, &splitting->rules, splitting->arena, &field);
    arena_rewind(splitting->arena, mark);
    if (field == NULL && !told &&
        gate_flops_differ(gate_step_flops(before), gate_step_flops(after)) &&
        splitting->rules.policy->provenance[FIELD_work] == PROVENANCE_STRICT)
        field = provenance_field_name(FIELD_work);
    return field;
}

static struct apart apart_by(struct splitting *splitting, const struct ledger_brief *past,
                             const struct ledger_brief *now, const char *field)
{
    enum provenance_field number = 0;
    const char *texts[2];
    while (strcmp(provenance_field_name(number), field) != 0)
        number++;
    gate_field_texts(&past->profile.summary, &now->profile.summary, number, splitting->arena,
                     texts);
    const char *why = texts[0] == NULL || texts[1] == NULL
                          ? arena_printf(splitting->arena, "another %s", field)
                          : arena_printf(splitting->arena, "%s was %s, newer runs have %s", field,
                                         texts[0], texts[1]);
    return (struct apart){field, why};
}

/* Whether there are two kinds in a series, so that there is something to compare. */
static bool kinds_meet(const struct splitting *splitting)
{
    for (size_t i = 1; i < splitting->kind_count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(splitting->kinds[i].newest->series, splitting->kinds[k].newest->series) == 0)
                return true;
    return false;
}

/* Each kind goes to the newest group of its series that it can be compared with. */
static bool kinds_group(struct splitting *splitting, struct err *err)
{
    size_t count = splitting->kind_count, group_count = 0;
    struct ledger_brief *briefs;
    int64_t *ids = arena_array(splitting->arena, int64_t, count);
    size_t *firsts = arena_array(splitting->arena, size_t, count);
    splitting->apart = arena_array(splitting->arena, struct apart, count);
    for (size_t i = 0; i < count; i++)
        ids[i] = trends_number(splitting->kinds[i].newest->profile_id);
    if (!kinds_meet(splitting)) {
        for (size_t i = 0; i < count; i++) {
            splitting->apart[i] = (struct apart){0};
            splitting->kinds[i].group = i;
        }
        return true;
    }
    if (!ledger_load_stored_briefs(splitting->db, ids, count, splitting->arena, &briefs, err) ||
        !ledger_brief_ops(splitting->db, briefs, count, splitting->arena, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct apart apart = {0};
        size_t group = briefs[i].changed != NULL ? group_count : 0; /* its facts are not known */
        for (; group < group_count; group++) {
            const struct kind *first = &splitting->kinds[firsts[group]];
            if (strcmp(first->newest->series, splitting->kinds[i].newest->series) != 0 ||
                briefs[firsts[group]].changed != NULL)
                continue;
            const char *field = briefs_compare(splitting, &briefs[i], &briefs[firsts[group]]);
            if (field == NULL)
                break;
            if (apart.field == NULL)
                apart = apart_by(splitting, &briefs[i], &briefs[firsts[group]], field);
        }
        if (group == group_count) {
            splitting->apart[group_count] = apart;
            firsts[group_count++] = i;
        }
        splitting->kinds[i].group = group;
    }
    return true;
}

/* The group of a point; a new one where a re-baseline stands behind it. */
static size_t group_find(const struct splitting *splitting, struct group *groups, size_t *count,
                         size_t point)
{
    const struct trend_point *run = &splitting->trend->points[point];
    size_t facts = splitting->kinds[splitting->kind_of[point]].group;
    struct apart apart = splitting->apart[facts];
    for (size_t i = 0; i < *count; i++) {
        if (groups[i].facts != facts)
            continue;
        if (text_same(groups[i].rebaseline, run->rebaseline))
            return i;
        const char *ended_by = groups[i].rebaseline; /* of the oldest of them so far */
        apart = (struct apart){ended_by, ended_by};
    }
    groups[*count] = (struct group){run->series, run->rebaseline, facts, 0, apart};
    return (*count)++;
}

bool comparable_split(struct db *db, const struct trend *trend, const struct gate_policy *policy,
                      struct arena *arena, struct comparable_list *ret_list, struct err *err)
{
    size_t n = trend->point_count, count = 0;
    struct splitting splitting = {
        .db = db,
        .trend = trend,
        .rules = {policy, false},
        .arena = arena,
        .ids = arena_array(arena, int64_t, n),
        .kind_of = arena_array(arena, size_t, n),
        .kinds = arena_array(arena, struct kind, n),
    };
    struct group *groups = arena_array(arena, struct group, n);
    size_t *group_of = arena_array(arena, size_t, n);
    for (size_t i = 0; i < n; i++)
        splitting.ids[i] = trends_number(trend->points[i].profile_id);
    if (!ledger_profile_kinds(db, (struct profile_numbers){splitting.ids, n}, comparable_facts(),
                              arena, &splitting.words, err))
        return false;
    kinds_find(&splitting);
    if (!kinds_group(&splitting, err))
        return false;
    for (size_t i = n; i-- > 0;) {
        group_of[i] = group_find(&splitting, groups, &count, i);
        groups[group_of[i]].count++;
    }
    struct comparable *items = arena_array(arena, struct comparable, count);
    for (size_t i = 0; i < count; i++) {
        items[i] =
            (struct comparable){.apart = groups[i].apart.field, .apart_why = groups[i].apart.why};
        items[i].points = arena_array(arena, const struct trend_point *, groups[i].count);
    }
    for (size_t i = 0; i < n; i++) {
        struct comparable *item = &items[group_of[i]];
        item->points[item->count++] = &trend->points[i];
    }
    *ret_list = (struct comparable_list){items, count};
    return true;
}
