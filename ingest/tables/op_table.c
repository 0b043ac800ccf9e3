/* Our op table: every op, by a signature that survives a recompile (schema/documents/summary.h,
 * op_row). */
#include "ingest/hlo/hlo.h"
#include "ingest/steps/steps.h"
#include "ingest/tables/tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* An op with the number of its signature. */
struct signed_op {
    uint32_t signature;
    struct used_op used;
};

struct builder {
    struct profile *profile;
    struct id_map program_names; /* program id to text */
    struct signed_op *ops;
    size_t count;
    struct text signature; /* of the present op */
};

/* ---- programs -------------------------------------------------------------------------------- */

void program_names_collect(struct profile *profile, struct arena *arena, struct id_map *ret_names)
{
    struct catalog *catalog = &profile->catalog;
    id_map_init(ret_names, arena);
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        bool metadata = strcmp(plane->name, "/host:metadata") == 0;
        for (size_t i = 0; i < plane->ops.count; i++) {
            size_t length;
            uint64_t id;
            if (plane->ops.ops[i].name == OP_NONE || (!metadata && plane->ops.seen[i].count == 0))
                continue;
            const char *name = catalog_text(catalog, catalog->names[plane->ops.ops[i].name].name);
            if (!module_split(name, &length, &id))
                continue;
            id_map_set(ret_names, (int64_t)id,
                       (int32_t)strings_add(&catalog->strings, name, length));
        }
    }
}

const char *op_program_name(const struct profile *profile, const struct id_map *names,
                            const struct op_detail *detail)
{
    const struct catalog *catalog = &profile->catalog;
    if (detail->module != STRING_NONE)
        return catalog_text(catalog, detail->module);
    int32_t text =
        detail->has_program ? id_map_find(names, (int64_t)detail->program_id) : ID_MAP_ABSENT;
    return text == ID_MAP_ABSENT ? NULL : catalog_text(catalog, (uint32_t)text);
}

/* ---- signatures ------------------------------------------------------------------------------ */

const char *op_category(const struct catalog *catalog, const struct used_op *used)
{
    const struct op *facts = used_facts(used);
    const char *category = catalog_text(catalog, used_detail(used)->category);
    if (category != NULL)
        return category;
    if (facts->op_part == PART_STALL)
        return breakdown_part_names[PART_STALL];
    return device_class_name((enum device_class)facts->device_class);
}

static const char *text_or_dash(const struct catalog *catalog, uint32_t text)
{
    return text == STRING_NONE ? "-" : catalog_text(catalog, text);
}

static uint32_t signature_of(struct builder *builder, const struct used_op *used)
{
    struct catalog *catalog = &builder->profile->catalog;
    const struct op_detail *detail = used_detail(used);
    const char *name = catalog_text(catalog, catalog->names[used_facts(used)->name].name);
    const char *path = catalog_text(catalog, detail->own_path);
    struct arena_mark mark = arena_mark(&catalog->scratch);
    const char *canonical = phase_path_canonical(path, &catalog->scratch);
    const char *const parts[] = {
        op_category(catalog, used),
        text_or_dash(catalog, detail->opcode),
        detail->kernel == detail->opcode ? "-" : text_or_dash(catalog, detail->kernel),
        text_or_dash(catalog, detail->shapes),
        phase_of(path, name),
        *canonical == '\0' ? "-" : canonical,
    };
    struct text *text = &builder->signature; /* printf would take longer than all else here */
    text->length = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        text_add(text, i > 0 ? "|" : "");
        text_add(text, parts[i]);
    }
    text_add(text, detail->asynchronous ? "|async" : "");
    const uint32_t number = strings_add(&catalog->strings, text_string(text), text->length);
    arena_rewind(&catalog->scratch, mark);
    return number;
}

static int compare_signed(const void *a, const void *b)
{
    const struct signed_op *left = a, *right = b;
    if (left->signature != right->signature)
        return left->signature < right->signature ? -1 : 1;
    uint32_t left_device = left->used.state->device, right_device = right->used.state->device;
    if (left_device != right_device)
        return left_device < right_device ? -1 : 1;
    uint64_t left_place = used_tally(&left->used)->first_seen;
    uint64_t right_place = used_tally(&right->used)->first_seen;
    return (left_place > right_place) - (left_place < right_place);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void number_add(struct opt_f64 *total, struct opt_f64 each, int64_t count)
{
    if (!each.set)
        return;
    total->set = true;
    total->value += each.value * (double)count;
}

/* Texts come from the op seen first, which need not be on the first device. */
static void row_describe(const struct builder *builder, struct op_row *row,
                         const struct signed_op *first)
{
    const struct catalog *catalog = &builder->profile->catalog;
    const struct op_detail *detail = used_detail(&first->used);
    row->signature = catalog_text(catalog, first->signature);
    row->name = catalog_text(catalog, catalog->names[used_facts(&first->used)->name].name);
    row->category = op_category(catalog, &first->used);
    row->opcode = catalog_text(catalog, detail->opcode);
    row->program = op_program_name(builder->profile, &builder->program_names, detail);
    row->op_path = catalog_text(catalog, detail->own_path);
    row->phase = phase_of(row->op_path, row->name);
    row->shape_signature =
        catalog_text(catalog, detail->shapes != STRING_NONE ? detail->shapes : detail->shape);
    row->source_file = catalog_text(catalog, used_facts(&first->used)->source);
    row->asynchronous = detail->asynchronous;
}

/* ops[count] have one signature, by device. Those that are short are worth fusing. */
static void row_fill(const struct builder *builder, struct op_row *row, const struct signed_op *ops,
                     size_t count)
{
    static const int64_t short_ps = 5000000;
    const struct signed_op *first = &ops[0];
    int64_t device_self = 0;
    for (size_t i = 0; i < count; i++) {
        const struct op_tally *tally = used_tally(&ops[i].used);
        const int64_t events = op_placed(ops[i].used.state, ops[i].used.op);
        uint32_t device = ops[i].used.state->device;
        bool new_device = i == 0 || ops[i - 1].used.state->device != device;
        device_self = new_device ? 0 : device_self;
        ps_add(&device_self, tally->self_ps);
        row->device_count += new_device;
        if (i == 0 || device_self > row->max_device_self_ps) {
            row->max_device_self_ps = device_self;
            row->max_device = device;
        }
        row->count += events;
        ps_add(&row->total_ps, tally->total_ps);
        ps_add(&row->self_ps, tally->self_ps);
        row->steady_count += tally->steady_count;
        ps_add(&row->steady_self_ps, tally->steady_self_ps);
        if (events > 0 && tally->total_ps / events < short_ps) {
            row->short_count += events;
            row->short_steady_count += tally->steady_count;
            ps_add(&row->short_self_ps, tally->self_ps);
            ps_add(&row->short_steady_self_ps, tally->steady_self_ps);
        }
        number_add(&row->flops, detail_flops(used_detail(&ops[i].used)), events);
        number_add(&row->bytes_accessed, detail_bytes(used_detail(&ops[i].used)), events);
        if (tally->first_seen < used_tally(&first->used)->first_seen)
            first = &ops[i];
    }
    row_describe(builder, row, first);
}

int op_row_order(const void *a, const void *b)
{
    const struct op_row *left = a, *right = b;
    if (left->steady_self_ps != right->steady_self_ps)
        return left->steady_self_ps > right->steady_self_ps ? -1 : 1;
    if (left->self_ps != right->self_ps)
        return left->self_ps > right->self_ps ? -1 : 1;
    return strcmp(left->signature, right->signature);
}

void op_table_build(struct profile *profile, struct summary *summary)
{
    struct builder builder = {.profile = profile};
    scoped_arena work;
    arena_init_within(&work, profile->arena);
    text_init(&builder.signature, SIZE_MAX);
    program_names_collect(profile, &work, &builder.program_names);
    builder.ops = arena_array(&work, struct signed_op, profile->used_count);
    for (size_t i = 0; i < profile->used_count; i++) {
        const struct used_op *used = &profile->used[i];
        if (used->state->device != UINT32_MAX && op_placed(used->state, used->op) > 0)
            builder.ops[builder.count++] = (struct signed_op){signature_of(&builder, used), *used};
    }
    qsort(builder.ops, builder.count, sizeof *builder.ops, compare_signed);
    size_t rows = 0;
    for (size_t i = 0; i < builder.count; i++)
        rows += i == 0 || builder.ops[i].signature != builder.ops[i - 1].signature;
    summary->ops = arena_array(profile->arena, struct op_row, rows);
    for (size_t i = 0, next; i < builder.count; i = next) {
        for (next = i;
             next < builder.count && builder.ops[next].signature == builder.ops[i].signature;)
            next++;
        row_fill(&builder, &summary->ops[summary->op_count++], &builder.ops[i], next - i);
    }
    qsort(summary->ops, summary->op_count, sizeof *summary->ops, op_row_order);
    if (summary->op_count == 0)
        summary->ops = NULL;
    text_done(&builder.signature);
}
