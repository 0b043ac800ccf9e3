/* The growing set of a plane's ops: from metadata (plane_load.c), and from what events add. */
#include "ingest/xplane/plane_ops.h"
#include "ingest/wire/wire.h"
#include "ingest/xplane/op_build.h"
#include "ingest/xplane/op_stats.h"
#include "ingest/xplane/plane_stats.h"

#include <assert.h>
#include <string.h>

enum { FIRST_OPS = 8, EXPECTED_OPS = 64 * 1024 };

/* ---- growth ---------------------------------------------------------------------------------- */

static void *array_grow(struct plane_ops *ops, void *items, size_t capacity, size_t size)
{
    char *grown = arena_zalloc(ops->catalog->arena, capacity, size);
    if (ops->count > 0)
        memcpy(grown, items, ops->count * size);
    return grown;
}

/* Room for what metadata will make, with a few that events add; what is outgrown stays in the
 * arena. */
static void ops_grow(struct plane_ops *ops)
{
    size_t first = ops->expected > EXPECTED_OPS ? EXPECTED_OPS : ops->expected;
    size_t capacity = ops->count == 0 ? FIRST_OPS + first + first / 8 : 2 * ops->count;
    if (ops->ahead != NULL)
        relay_settle(ops->ahead);
    ops->ops = array_grow(ops, ops->ops, capacity, sizeof *ops->ops);
    ops->traits = array_grow(ops, ops->traits, capacity, sizeof *ops->traits);
    ops->seen = array_grow(ops, ops->seen, capacity, sizeof *ops->seen);
    if (ops->is_device) {
        ops->details = array_grow(ops, ops->details, capacity, sizeof *ops->details);
        ops->tallies = array_grow(ops, ops->tallies, capacity, sizeof *ops->tallies);
    }
    ops->capacity = capacity;
}

/* The place of the op's program among those that are told apart. */
static uint16_t program_place(struct plane_ops *ops, const struct op_detail *detail)
{
    size_t place = 1;
    if (detail->module == STRING_NONE)
        return 0;
    while (place <= ops->program_count && !op_is_of(detail, &ops->programs[place]))
        place++;
    if (place > ops->program_count) {
        if (place == PROGRAMS_TOLD)
            return 0;
        ops->programs[place] = (struct op_program){detail->module, detail->has_program,
                                                   detail->has_program ? detail->program_id : 0};
        ops->program_count = place;
    }
    return (uint16_t)place;
}

int32_t plane_ops_append(struct plane_ops *ops, const struct op *op, const struct op_detail *detail,
                         struct err *err)
{
    if (!((int64_t)ops->count < ops->max_count)) {
        (void)limit_exceeded("max_metadata", ops->max_count, ops->path, err);
        return OP_NONE;
    }
    if (ops->count == ops->capacity)
        ops_grow(ops);
    ops->ops[ops->count] = *op;
    ops->traits[ops->count] = (struct op_traits){op->part, op->device_class, op->name != OP_NONE,
                                                 op->is_marker, op->note != NULL};
    if (ops->is_device) {
        ops->details[ops->count] = *detail;
        ops->details[ops->count].program = program_place(ops, detail);
    }
    return (int32_t)ops->count++;
}

bool plane_ops_make(struct plane_ops *ops, const struct op_source *source, struct err *err)
{
    struct op op;
    struct op_detail detail;
    struct op_source named = *source;
    /* what a viewer shows of a host's event is the last part of its name: traces keep the whole */
    const struct stat_value *whole = &source->own_values[STAT_LONG_NAME];
    named.metadata_name = ops->is_host && stat_has_text(whole) ? whole->text : source->name;
    op_build(ops, &named, &op, &detail);
    return plane_ops_append(ops, &op, &detail, err) != OP_NONE;
}

/* ---- what events' stats make ----------------------------------------------------------------- */

/* Reads the messages of a key, which the base stands behind, over the values of the base. They were
 * read before: they are well-formed, and what is cut of them was counted. */
static void key_apply(struct plane_ops *ops, const struct text *key, struct stat_value *values)
{
    const uint8_t *p = (const uint8_t *)key->data, *end = p + key->length - sizeof(int32_t);
    const int64_t texts_cut = ops->texts_cut;
    while (p < end) {
        uint64_t length;
        enum stat_kind kind;
        struct stat_value value;
        p = varint_read(p, end, &length);
        const bool is_read = p != NULL && plane_stat_parse(ops, p, p + length, &kind, &value);
        assert(is_read);
        if (kind != STAT_OTHER && value.type != STAT_UNSET)
            values[kind] = value;
        p += length;
    }
    ops->texts_cut = texts_cut;
}

static int32_t variant_make(struct plane_ops *ops, int32_t base, const struct text *key,
                            struct err *err)
{
    struct stat_value values[STAT_KIND_COUNT];
    struct op op;
    struct op_detail detail;
    const struct op *base_op = &ops->ops[base];
    op_stats_read(base_op->stats, values);
    values[STAT_LONG_NAME].type = STAT_UNSET;
    key_apply(ops, key, values);
    (void)pthread_mutex_lock(&ops->catalog->lock);
    const struct op_source source = {
        .name = catalog_text(ops->catalog, ops->catalog->names[base_op->name].name),
        .values = values,
        .own_values = values,
        .base = base_op,
        .base_detail = ops->is_device ? &ops->details[base] : NULL,
        .overrides_long_name = values[STAT_LONG_NAME].type != STAT_UNSET,
    };
    op_build(ops, &source, &op, &detail);
    const int32_t number = plane_ops_append(ops, &op, &detail, err);
    (void)pthread_mutex_unlock(&ops->catalog->lock);
    return number;
}

int32_t plane_ops_variant(struct plane_ops *ops, int32_t base, struct text *key, struct err *err)
{
    text_addn(key, (const char *)&base, sizeof base);
    if (!text_ok(key, "the stats of an event", err))
        return OP_NONE;
    int32_t number = byte_keys_find(&ops->variants, key->data, key->length);
    if (number >= 0)
        return ops->variant_ops[number];
    const int32_t op = variant_make(ops, base, key, err);
    if (op == OP_NONE)
        return OP_NONE;
    struct arena *arena = ops->catalog->arena;
    (void)pthread_mutex_lock(&ops->catalog->lock);
    ops->variant_ops = arena_grow(arena, ops->variant_ops, ops->variants.count,
                                  &ops->variant_capacity, sizeof *ops->variant_ops);
    number = byte_keys_number(&ops->variants, key->data, key->length, arena);
    (void)pthread_mutex_unlock(&ops->catalog->lock);
    ops->variant_ops[number] = op;
    return op;
}

int32_t plane_ops_async(struct plane_ops *ops, int32_t op, struct err *err)
{
    if (ops->ops[op].async_twin != OP_NONE)
        return ops->ops[op].async_twin;
    struct op copy = ops->ops[op];
    struct op_detail detail = ops->details[op];
    detail.asynchronous = true;
    (void)pthread_mutex_lock(&ops->catalog->lock);
    int32_t twin = plane_ops_append(ops, &copy, &detail, err);
    (void)pthread_mutex_unlock(&ops->catalog->lock);
    if (twin != OP_NONE)
        ops->ops[op].async_twin = twin;
    return twin;
}

bool plane_ops_note(struct plane_ops *ops, int32_t op,
                    const struct stat_value values[STAT_KIND_COUNT], struct event_note *ret_note,
                    struct err *err)
{
    struct stat_value merged[STAT_KIND_COUNT];
    if (ops->ops[op].note != NULL) {
        op_stats_read(ops->ops[op].stats, merged);
        for (int kind = STAT_OP_KIND_COUNT; kind < STAT_KIND_COUNT; kind++) {
            if (values[kind].type != STAT_UNSET)
                merged[kind] = values[kind];
        }
        values = merged;
    }
    bool not_finite;
    op_note_build(ops->catalog, values, &ops->texts_cut, ret_note, &not_finite);
    return !not_finite ||
           err_set(err, ERR_INPUT, "'%s': a run_id or step_num of an event is not a finite number",
                   ops->path);
}
