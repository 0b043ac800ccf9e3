/* Implements the text rules of ops: a table of literals instead of a regex engine, one pass over
 * each name.
 *
 * The reference searches with Python's case-insensitive expressions on Unicode text. All of them
 * are literals with at most a word boundary before and a short list of followers behind, so a table
 * row holds one alternative.
 */
#include "schema/documents/op_semantics.h"

#include "ops/runtime/text.h"

#include <string.h>

/* ---- canonical names ------------------------------------------------------------------------- */

char *op_canonical_name(struct arena *arena, const char *name)
{
    size_t length = strlen(name);
    text_strip(&name, &length);
    const char *end = name + length;
    while (name < end && *name == '%')
        name++;
    const char *dot = NULL; /* the last one with nothing but digits behind it */
    bool digits = false;
    for (const char *p = name; p < end;) {
        const char *from = p;
        uint32_t c = text_utf8_next(&p, end);
        if (c == '.') {
            dot = from;
            digits = false;
        } else if (text_digit_value(c) >= 0) {
            digits = true;
        } else {
            dot = NULL;
        }
    }
    if (dot != NULL && digits)
        end = dot;
    return arena_strndup(arena, name, (size_t)(end - name));
}

/* ---- families -------------------------------------------------------------------------------- */

enum { DOTTED_CAPITAL_I = 0x130, DOTLESS_I = 0x131, LONG_S = 0x17F, KELVIN = 0x212A };

/* `(^|\b)` before the literal; `(\.|-|$)` behind it. */
enum anchor { ANYWHERE = 0, WORD_START = 1, NAME_END = 2 };

static const struct family_rule {
    const char *family, *literal; /* lower case */
    unsigned anchors;
} family_rules[] = {
    {"attention_splash", "splash_mha", ANYWHERE},
    {"attention_splash", "splash_attention", ANYWHERE},
    {"attention_flash", "flash_attention", ANYWHERE},
    {"attention_flash", "fused_attention", ANYWHERE},
    {"loss_xent", "linear_softmax_cross_entropy_loss", ANYWHERE},
    {"loss_xent", "softmax_cross_entropy", ANYWHERE},
    {"loss_xent", "xent", ANYWHERE},
    {"fusion", "fusion.", WORD_START},
    {"fusion", "exponential_reduce_fusion", WORD_START},
    {"copy", "copy", WORD_START | NAME_END},
    {"convert", "convert_element_type", ANYWHERE},
    {"collective", "all-reduce", ANYWHERE},
    {"collective", "all_gather", ANYWHERE},
    {"collective", "all-gather", ANYWHERE},
    {"collective", "reduce-scatter", ANYWHERE},
    {"collective", "all-to-all", ANYWHERE},
    {"collective", "alltoall", ANYWHERE},
    {"collective", "collective", ANYWHERE},
    {"collective", "nccl", ANYWHERE},
    {"collective", "allgather", ANYWHERE},
    {"collective", "allreduce", ANYWHERE},
    {"collective", "reducescatter", ANYWHERE},
};

/* The ASCII letter that a case-insensitive expression takes this code point for. */
static uint32_t fold(uint32_t c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 'a';
    switch (c) {
    case DOTTED_CAPITAL_I:
    case DOTLESS_I:
        return 'i';
    case LONG_S:
        return 's';
    case KELVIN:
        return 'k';
    default:
        return c;
    }
}

/* `$` stands before a line feed that ends the text, too. */
static bool ends_name(const char *p, const char *end)
{
    return p == end || *p == '.' || *p == '-' || (*p == '\n' && p + 1 == end);
}

static bool rule_matches_at(const struct family_rule *rule, const char *p, const char *end)
{
    for (const char *want = rule->literal; *want != '\0'; want++) {
        if (p == end || fold(text_utf8_next(&p, end)) != (unsigned char)*want)
            return false;
    }
    return (rule->anchors & NAME_END) == 0 || ends_name(p, end);
}

static bool rule_matches(const struct family_rule *rule, const char *name)
{
    const char *end = name + strlen(name);
    bool after_word = false;
    for (const char *p = name; p < end;) {
        const char *from = p;
        bool allowed = (rule->anchors & WORD_START) == 0 || !after_word;
        if ((unsigned char)*p < 0x80 && fold((unsigned char)*p) != (unsigned char)*rule->literal) {
            if ((rule->anchors & WORD_START) != 0)
                after_word = text_is_word((unsigned char)*p);
            p++;
            continue;
        }
        after_word = text_is_word(text_utf8_next(&p, end));
        if (allowed && rule_matches_at(rule, from, end))
            return true;
    }
    return false;
}

const char *op_family(const char *canonical_name)
{
    for (size_t i = 0; i < sizeof family_rules / sizeof family_rules[0]; i++) {
        if (rule_matches(&family_rules[i], canonical_name))
            return family_rules[i].family;
    }
    return "other";
}

/* ---- flop proxy ------------------------------------------------------------------------------ */

enum { ATTENTION_RANK = 4, LOSS_RANK = 2 };

struct shape {
    double dims[ATTENTION_RANK]; /* the first ones */
    size_t rank;
    double product; /* 0 when a dimension is not positive */
};

/* What all shapes of a signature add up to. */
struct shape_sums {
    double largest_product;
    double attention_max[ATTENTION_RANK]; /* of shapes of rank 4 and more; 0 = no positive one */
    double attention_min_last;
    double loss_max[LOSS_RANK]; /* of shapes of rank 2 and more */
};

/* The numbers `-?\d+` of one token; *p ends at '|' or the end. */
static struct shape shape_read(const char **p, const char *end)
{
    struct shape shape = {.product = 1};
    bool minus = false;
    while (*p < end && **p != '|') {
        uint32_t c = text_utf8_next(p, end);
        int digit = text_digit_value(c);
        if (digit < 0) {
            minus = c == '-';
            continue;
        }
        double value = digit;
        const char *next = *p;
        while (next < end && (digit = text_digit_value(text_utf8_next(&next, end))) >= 0) {
            value = value * 10 + digit;
            *p = next;
        }
        value = minus ? -value : value;
        minus = false;
        if (shape.rank < ATTENTION_RANK)
            shape.dims[shape.rank] = value;
        shape.rank++;
        shape.product = value > 0 ? shape.product * value : 0;
    }
    return shape;
}

static void max_positive(double *max, const double *dims, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (dims[i] > max[i])
            max[i] = dims[i];
    }
}

static void shape_add(struct shape_sums *sums, const struct shape *shape)
{
    if (shape->rank == 0)
        return;
    if (shape->product > sums->largest_product)
        sums->largest_product = shape->product;
    if (shape->rank >= LOSS_RANK)
        max_positive(sums->loss_max, shape->dims, LOSS_RANK);
    if (shape->rank < ATTENTION_RANK)
        return;
    max_positive(sums->attention_max, shape->dims, ATTENTION_RANK);
    double last = shape->dims[ATTENTION_RANK - 1];
    if (last > 0 && (sums->attention_min_last == 0 || last < sums->attention_min_last))
        sums->attention_min_last = last;
}

static bool all_positive(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (values[i] <= 0)
            return false;
    }
    return true;
}

struct opt_f64 op_flop_proxy(const char *family, const char *shape_signature)
{
    struct opt_f64 absent = {0};
    if (shape_signature == NULL)
        return absent;
    struct shape_sums sums = {0};
    const char *end = shape_signature + strlen(shape_signature);
    for (const char *p = shape_signature; p < end; p += p < end) {
        struct shape shape = shape_read(&p, end);
        shape_add(&sums, &shape);
    }
    const double *a = sums.attention_max;
    if (strncmp(family, "attention", strlen("attention")) == 0 && all_positive(a, ATTENTION_RANK))
        return some_f64(2 * a[0] * a[1] * a[2] * a[2] * (a[3] + sums.attention_min_last));
    if (strcmp(family, "loss_xent") == 0 && all_positive(sums.loss_max, LOSS_RANK))
        return some_f64(2 * sums.loss_max[0] * sums.loss_max[1]);
    return sums.largest_product > 0 ? some_f64(sums.largest_product) : absent;
}
