/* Implements the keys of policy files from the tables of policy.h. */
#include "compare/policy/policy_keys.h"

#include "ops/runtime/text.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const double limit_max = 1e12;

enum { WORDS_MAX = 64 };

/* Words of a closed list, for values and for suggestions. */
struct words {
    const char *items[WORDS_MAX];
    size_t count;
};

static bool word_index(const struct words *words, const char *word, size_t *ret_index)
{
    for (size_t i = 0; i < words->count; i++) {
        if (strcmp(words->items[i], word) == 0) {
            *ret_index = i;
            return true;
        }
    }
    return false;
}

static bool word_refuse(const struct conf_entry *entry, const char *what, const char *word,
                        const struct words *words, struct err *err)
{
    return err_set(err, ERR_USAGE, "%s:%d: unknown %s '%s'%s", entry->file, entry->line, what, word,
                   text_choices(word, words->items, words->count).words);
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool number_read(const struct conf_entry *entry, double min, double max, double *ret_number,
                        struct err *err)
{
    double number;
    char low[TEXT_DOUBLE_BYTES], high[TEXT_DOUBLE_BYTES];
    if (!text_parse_double(entry->value, &number) || number < min || number > max)
        return err_set(err, ERR_USAGE, "%s:%d: %s = '%s' must be a number from %s to %s",
                       entry->file, entry->line, entry->key, entry->value, text_double(min, low),
                       text_double(max, high));
    *ret_number = number;
    return true;
}

/* Things that are counted come whole. */
static bool whole_check(const struct conf_entry *entry, const char *unit, double number,
                        struct err *err)
{
    static const char *const counted[] = {"runs", "steps", "rows", "hosts"};
    for (size_t i = 0; i < COUNT(counted); i++) {
        if (strcmp(unit, counted[i]) == 0 && number != floor(number))
            return err_set(err, ERR_USAGE, "%s:%d: %s = '%s' must be a whole number of %s",
                           entry->file, entry->line, entry->key, entry->value, unit);
    }
    return true;
}

/* A number, or `none`. */
static bool limit_read(const struct conf_entry *entry, double *ret_limit, struct err *err)
{
    if (strcmp(entry->value, POLICY_NO_LIMIT) != 0)
        return number_read(entry, 0, limit_max, ret_limit, err);
    *ret_limit = -1;
    return true;
}

static bool choice_read(const struct conf_entry *entry, const struct words *words,
                        size_t *ret_index, struct err *err)
{
    return word_index(words, entry->value, ret_index) ||
           word_refuse(entry, "value", entry->value, words, err);
}

/* ---- the top --------------------------------------------------------------------------------- */

static bool top_apply(struct policy_draft *draft, const struct policy_target *target,
                      const struct conf_entry *entry, struct err *err)
{
    (void)target;
    struct gate_policy *policy = &draft->policy;
    static const struct words outcomes = {{"keep", "pass", "warn", "inconclusive", "fail"}, 5};
    size_t index = 0;
#define APPLY_NUMBER(name, standard, min, max, unit, help) \
    if (strcmp(entry->key, #name) == 0) \
        return number_read(entry, min, max, &policy->name, err) && \
               whole_check(entry, unit, policy->name, err);
    GATE_POLICY_NUMBERS(APPLY_NUMBER)
#undef APPLY_NUMBER
#define APPLY_OUTCOME(name, standard, help) \
    if (strcmp(entry->key, #name) == 0) { \
        bool read = choice_read(entry, &outcomes, &index, err); \
        policy->name = (enum policy_outcome)index; \
        return read; \
    }
    GATE_POLICY_OUTCOMES(APPLY_OUTCOME)
#undef APPLY_OUTCOME
    static const struct words keys = {
        {
#define KEY_NUMBER(name, standard, min, max, unit, help) #name,
            GATE_POLICY_NUMBERS(KEY_NUMBER)
#undef KEY_NUMBER
#define KEY_OUTCOME(name, standard, help) #name,
                GATE_POLICY_OUTCOMES(KEY_OUTCOME)
#undef KEY_OUTCOME
                    POLICY_VERSION_KEY},
#define ONE_NUMBER(name, standard, min, max, unit, help) +1
#define ONE_OUTCOME(name, standard, help) +1
        GATE_POLICY_NUMBERS(ONE_NUMBER) GATE_POLICY_OUTCOMES(ONE_OUTCOME) + 1
#undef ONE_NUMBER
#undef ONE_OUTCOME
    };
    return strcmp(entry->key, POLICY_VERSION_KEY) == 0 ||
           word_refuse(entry, "key", entry->key, &keys, err);
}

/* ---- measures -------------------------------------------------------------------------------- */

/* A limit of one kind takes the place of a default one of the other; a file that gives both means
 * both. */
static bool limit_apply(struct policy_draft *draft, enum measure measure,
                        const struct conf_entry *entry, struct err *err)
{
    struct measure_rule *rule = &draft->policy.measures[measure];
    struct measure_given *given = &draft->given[measure];
    bool is_pct = strcmp(entry->key, "limit_pct") == 0;
    if (!limit_read(entry, is_pct ? &rule->limit_pct : &rule->limit_abs, err))
        return false;
    bool is_number = (is_pct ? rule->limit_pct : rule->limit_abs) >= 0;
    if (is_number && !(is_pct ? given->limit_abs : given->limit_pct))
        *(is_pct ? &rule->limit_abs : &rule->limit_pct) = -1;
    given->limit_pct |= is_pct;
    given->limit_abs |= !is_pct;
    given->limit = is_number ? entry : given->limit;
    return true;
}

static bool measure_apply(struct policy_draft *draft, const struct policy_target *target,
                          const struct conf_entry *entry, struct err *err)
{
    enum { KEY_LIMIT_PCT, KEY_LIMIT_ABS, KEY_ACTION, KEY_REQUIRED };
    static const struct words keys = {{"limit_pct", "limit_abs", "action", "required"}, 4};
    static const struct words actions = {{"info", "warn", "fail"}, 3};
    static const struct words flags = {{"no", "yes"}, 2};
    enum measure measure;
    size_t index = 0, key = 0;
    if (!measure_find(target->name, &measure, err))
        return err_prefix(err, "%s:%d: section [%s]", entry->file, entry->line, entry->section);
    if (!word_index(&keys, entry->key, &key))
        return word_refuse(entry, "key", entry->key, &keys, err);
    struct measure_rule *rule = &draft->policy.measures[measure];
    switch (key) {
    case KEY_LIMIT_PCT:
    case KEY_LIMIT_ABS:
        return limit_apply(draft, measure, entry, err);
    case KEY_ACTION:
        if (!choice_read(entry, &actions, &index, err))
            return false;
        rule->action = (enum measure_action)index;
        draft->given[measure].action = true;
        return true;
    default:
        if (!choice_read(entry, &flags, &index, err))
            return false;
        rule->required = index == 1;
        return true;
    }
}

/* ---- watched ops ----------------------------------------------------------------------------- */

/* The watch of that name, made on first sight. A scope that says the same name
 * again changes it. */
static struct watched_op *watch_find(struct policy_draft *draft, const char *name,
                                     const struct conf_entry *entry)
{
    size_t count = draft->policy.watched_count;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(draft->watched[i].name, name) == 0)
            return &draft->watched[i];
    }
    struct watched_op *watched =
        arena_grow(draft->arena, draft->watched, count, &draft->watched_capacity, sizeof *watched);
    const struct conf_entry **places =
        arena_grow(draft->arena, draft->places, count, &draft->place_capacity, sizeof *places);
    draft->watched = watched;
    draft->places = places;
    watched[count] = (struct watched_op){name, name, -1};
    places[count] = entry;
    draft->policy.watched = watched;
    draft->policy.watched_count++;
    return &watched[count];
}

static bool watch_apply(struct policy_draft *draft, const struct policy_target *target,
                        const struct conf_entry *entry, struct err *err)
{
    static const struct words keys = {{"pattern", "limit_pct"}, 2};
    size_t key = 0;
    if (target->name[0] == '\0')
        return err_set(err, ERR_USAGE, "%s:%d: section [%s]: the watch needs a name", entry->file,
                       entry->line, entry->section);
    if (!word_index(&keys, entry->key, &key))
        return word_refuse(entry, "key", entry->key, &keys, err);
    struct watched_op *watched = watch_find(draft, target->name, entry);
    if (key == 1)
        return number_read(entry, 0, limit_max, &watched->limit_pct, err);
    if (entry->value[0] == '\0')
        return err_set(err, ERR_USAGE, "%s:%d: pattern is empty: it would match no op", entry->file,
                       entry->line);
    watched->pattern = entry->value;
    return true;
}

/* ---- provenance ------------------------------------------------------------------------------ */

static bool provenance_apply(struct policy_draft *draft, const struct policy_target *target,
                             const struct conf_entry *entry, struct err *err)
{
    (void)target;
    static const struct words actions = {{"strict", "warn", "ignore"}, 3};
    struct words fields = {.count = PROVENANCE_FIELD_COUNT};
    size_t field = 0, index = 0;
    for (enum provenance_field i = 0; i < PROVENANCE_FIELD_COUNT; i++)
        fields.items[i] = provenance_field_name(i);
    if (!word_index(&fields, entry->key, &field))
        return word_refuse(entry, "fact", entry->key, &fields, err);
    if (!choice_read(entry, &actions, &index, err))
        return false;
    if (provenance_field_kind((enum provenance_field)field) == PROVENANCE_HARDWARE &&
        index != PROVENANCE_STRICT)
        return err_set(err, ERR_USAGE,
                       "%s:%d: %s = '%s': other hardware is another thing, not a slower one; this "
                       "fact is always strict",
                       entry->file, entry->line, entry->key, entry->value);
    draft->policy.provenance[field] = (enum provenance_action)index;
    return true;
}

/* ---- the table of sections ------------------------------------------------------------------- */

static const struct {
    const char *word;
    bool (*apply)(struct policy_draft *draft, const struct policy_target *target,
                  const struct conf_entry *entry, struct err *err);
} targets[] = {
    [TARGET_TOP] = {"", top_apply},
    [TARGET_MEASURE] = {"measure", measure_apply},
    [TARGET_WATCH] = {"watch", watch_apply},
    [TARGET_PROVENANCE] = {"provenance", provenance_apply},
};

bool policy_target_kind(const char *word, struct policy_target *ret_target)
{
    for (size_t i = 0; i < COUNT(targets); i++) {
        if (strcmp(targets[i].word, word) == 0) {
            ret_target->kind = (enum policy_target_kind)i;
            return true;
        }
    }
    return false;
}

bool policy_entry_apply(struct policy_draft *draft, const struct policy_target *target,
                        const struct conf_entry *entry, struct err *err)
{
    return targets[target->kind].apply(draft, target, entry, err);
}

bool policy_fault_keep(struct policy_faults *faults, struct err *err)
{
    if (faults == NULL || (err->kind != ERR_USAGE && err->kind != ERR_INPUT))
        return false;
    const char **items =
        arena_grow(faults->arena, faults->items, faults->count, &faults->capacity, sizeof *items);
    faults->items = items;
    items[faults->count++] = arena_strdup(faults->arena, err->text);
    *err = (struct err){0};
    return true;
}

bool policy_draft_close(struct policy_draft *draft, struct policy_faults *faults, struct err *err)
{
    for (size_t i = 0; i < draft->policy.watched_count; i++) {
        const struct conf_entry *place = draft->places[i];
        if (draft->watched[i].limit_pct < 0 &&
            !err_set(err, ERR_USAGE,
                     "%s:%d: section [%s]: `limit_pct = ...` is missing: by how much may the op "
                     "grow?",
                     place->file, place->line, place->section) &&
            !policy_fault_keep(faults, err))
            return false;
    }
    /* A limit that decides nothing was meant to decide something. */
    for (enum measure i = MEASURE_FIRST; i < MEASURE_END; i++) {
        const struct measure_given *given = &draft->given[i];
        if (given->limit != NULL && !given->action &&
            draft->policy.measures[i].action == MEASURE_INFO &&
            !err_set(err, ERR_USAGE,
                     "%s:%d: section [%s]: the limit decides nothing while %s is for information: "
                     "add `action = warn` or `action = fail`",
                     given->limit->file, given->limit->line, given->limit->section,
                     measure_rows[i].name) &&
            !policy_fault_keep(faults, err))
            return false;
    }
    return true;
}
