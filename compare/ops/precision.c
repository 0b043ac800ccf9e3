/* Implements the search: the types in the shapes of an op's two sides, one beside the other. What
 * else differs in them (dimensions, layouts) is no matter, but the arrays must be as many. */
#include "compare/ops/precision.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Ops of one pair of types explain at least this part of the change. */
static const double most_of_it = 0.5;

enum { TYPE_BYTES = 16, PAIRS_MAX = 16 };

/* What takes the place of what, and how much longer the ops take in which it does. */
struct type_pair {
    char before[TYPE_BYTES], after[TYPE_BYTES];
    double delta_us;
};

/* The next type of a shape, "bf16" of "bf16[8,128]{1,0}"; *at is moved behind it. "": no more, or
 * one that is too long for a type. */
static void type_take(const char **at, char type[TYPE_BYTES])
{
    const char *bracket = strchr(*at, '['), *first = bracket;
    type[0] = '\0';
    if (bracket == NULL)
        return;
    while (first > *at && isalnum((unsigned char)first[-1]))
        first--;
    size_t length = (size_t)(bracket - first);
    if (length < TYPE_BYTES) {
        memcpy(type, first, length);
        type[length] = '\0';
    }
    *at = bracket + 1;
}

/* A count or an index in place of another says nothing of precision. */
static bool is_float(const char *type)
{
    return strncmp(type, "bf", 2) == 0 || (type[0] == 'f' && isdigit((unsigned char)type[1]));
}

/* The types that the two shapes differ in: one pair of them, and as many arrays on both sides. */
static bool types_differ(const char *before, const char *after, struct type_pair *ret_pair)
{
    struct type_pair pair = {0};
    for (;;) {
        char old[TYPE_BYTES], new[TYPE_BYTES];
        type_take(&before, old);
        type_take(&after, new);
        if (old[0] == '\0' || new[0] == '\0') {
            *ret_pair = pair;
            return old[0] == new[0] && is_float(pair.before) && is_float(pair.after);
        }
        if (strcmp(old, new) == 0)
            continue;
        if (pair.before[0] != '\0' &&
            (strcmp(old, pair.before) != 0 || strcmp(new, pair.after) != 0))
            return false;
        memcpy(pair.before, old, sizeof pair.before);
        memcpy(pair.after, new, sizeof pair.after);
    }
}

static void pair_count(struct type_pair pairs[PAIRS_MAX], const struct type_pair *found)
{
    for (size_t i = 0; i < PAIRS_MAX; i++) {
        bool is_new = pairs[i].before[0] == '\0';
        if (!is_new && (strcmp(pairs[i].before, found->before) != 0 ||
                        strcmp(pairs[i].after, found->after) != 0))
            continue;
        double delta_us = pairs[i].delta_us + found->delta_us;
        pairs[i] = *found;
        pairs[i].delta_us = delta_us;
        return;
    }
}

const char *precision_change(struct gate_state *judgement, const struct op_table *table,
                             double gain_us)
{
    struct type_pair pairs[PAIRS_MAX] = {0}, found;
    for (size_t i = 0; i < table->count; i++) {
        const struct op_series *series = &table->items[i];
        const struct op_row *before = series->before, *after = series->after;
        if (before == NULL || after == NULL || before->shape_signature == NULL ||
            after->shape_signature == NULL ||
            !types_differ(before->shape_signature, after->shape_signature, &found))
            continue;
        found.delta_us = series->after_us - series->before_us;
        pair_count(pairs, &found);
    }
    for (size_t i = 0; i < PAIRS_MAX; i++) {
        if (pairs[i].before[0] == '\0' || pairs[i].delta_us / gain_us < most_of_it)
            continue;
        const char *text =
            arena_printf(judgement->arena, "%s in place of %s", pairs[i].after, pairs[i].before);
        judgement->out_of_memory |= text == NULL;
        return text;
    }
    return NULL;
}
