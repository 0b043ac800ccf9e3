#include "ingest/trace/trace_ops.h"

#include <math.h>
#include <string.h>

/* What stands before each text of an op. */
struct part_head {
    uint32_t length;
    uint8_t member, kind, escaped, spare;
};

/* ---- finding --------------------------------------------------------------------------------- */

static void part_add(struct text *key, enum trace_member member, const struct token *value)
{
    const struct part_head head = {value->length, (uint8_t)member, (uint8_t)value->kind,
                                   value->escaped, 0};
    text_addn(key, (const char *)&head, sizeof head);
    text_addn(key, value->start, value->length);
}

int32_t trace_ops_find(struct byte_keys *ops, const struct token *name,
                       const struct trace_event *event, struct text *key, struct arena *arena)
{
    const uint64_t op_args = ((uint64_t)1 << TRACE_OP_ARGS_END) - ((uint64_t)1 << TRACE_ARGS_BEGIN);
    key->length = 0;
    part_add(key, TRACE_NAME, name);
    uint64_t left = event->has & op_args;
    if (!trace_has(event, TRACE_TF_OP)) /* what a path may stand in for, and anything elsewhere */
        left &= ~((uint64_t)1 << TRACE_ARG_NAME);
    for (; left != 0; left &= left - 1) {
        enum trace_member member = (enum trace_member)__builtin_ctzll(left);
        part_add(key, member, &event->values[member]);
    }
    return byte_keys_number(ops, text_shown(key), key->length, arena);
}

/* ---- building -------------------------------------------------------------------------------- */

static bool counts_things(enum stat_kind kind)
{
    return kind == STAT_FLOPS || kind == STAT_MODEL_FLOPS || kind == STAT_BYTES_ACCESSED ||
           kind == STAT_PROGRAM_ID;
}

static struct stat_value text_value(const char *text)
{
    return (struct stat_value){.type = STAT_TEXT, .text = text, .length = strlen(text)};
}

/* A run id is told by a number as Python shows it. */
static struct stat_value number_value(const struct token *value, enum stat_kind kind,
                                      struct arena *scratch)
{
    struct token plain = *value;
    struct decimal number;
    int64_t integer;
    uint64_t large;
    char shown[TEXT_DOUBLE_BYTES];
    plain.kind = TOKEN_NUMBER;
    if (token_integer(&plain, &integer))
        return (struct stat_value){.type = STAT_INT, .signed_value = integer};
    if (token_unsigned(&plain, &large))
        return (struct stat_value){.type = STAT_UINT, .unsigned_value = large};
    if (!token_decimal(&plain, &number))
        return (struct stat_value){.type = STAT_UNSET};
    const double real = token_double(&plain, &number);
    if (kind == STAT_RUN_ID && isfinite(real))
        return text_value(arena_strdup(scratch, text_double(real, shown)));
    return (struct stat_value){.type = STAT_DOUBLE, .double_value = real};
}

struct stat_value trace_stat_value(const struct token *value, enum stat_kind kind,
                                   struct arena *scratch)
{
    if (value->kind == TOKEN_NUMBER || (value->kind == TOKEN_STRING && counts_things(kind)))
        return number_value(value, kind, scratch);
    return value->kind == TOKEN_STRING ? text_value(token_text(value, scratch))
                                       : (struct stat_value){.type = STAT_UNSET};
}

static bool op_take(const struct byte_key *texts, struct plane_ops *ops, struct arena *scratch,
                    struct err *err)
{
    struct stat_value own[STAT_KIND_COUNT] = {{0}}, plain[STAT_KIND_COUNT];
    const char *p = texts->bytes, *end = p + texts->length, *name = NULL;
    while (p < end) {
        struct part_head head;
        memcpy(&head, p, sizeof head);
        const struct token value = {(enum token_kind)head.kind, head.escaped, head.length,
                                    p + sizeof head};
        p += sizeof head + head.length;
        const enum stat_kind kind = trace_stat((enum trace_member)head.member);
        if (head.member == TRACE_NAME)
            name = token_text(&value, scratch);
        else
            own[kind] = trace_stat_value(&value, kind, scratch);
    }
    memcpy(plain, own, sizeof plain);
    plain[STAT_NAME].type = STAT_UNSET; /* the reference looks for paths in tf_op alone */
    return plane_ops_make(
        ops, &(struct op_source){.name = name, .values = plain, .own_values = own}, err);
}

bool trace_ops_build(const struct byte_keys *texts, struct plane_ops *ops, struct err *err)
{
    scoped_arena scratch;
    arena_init_within(&scratch, ops->catalog->arena);
    for (size_t i = 0; i < texts->count; i++) {
        struct arena_mark mark = arena_mark(&scratch);
        if (!op_take(&texts->items[i], ops, &scratch, err) ||
            !arena_ok(&scratch, "the ops of a profile", err))
            return false;
        arena_rewind(&scratch, mark);
    }
    return true;
}
