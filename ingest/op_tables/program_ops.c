/* See program_ops.h. A row is a signature, as in `ops`, made of what programs say. */
#include "ingest/op_tables/program_ops.h"

#include "ingest/tables/tables.h"
#include "ops/runtime/text.h"

#include <stdlib.h>
#include <string.h>

static const double SHARE_TOLD = .90; /* below it is said what is missing */

bool programs_are_there(const struct profile *profile)
{
    if (profile->options->program_count > 0)
        return true;
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        if (strcmp(plane->name, "/host:metadata") == 0 && plane->run_count > 0)
            return true;
    }
    return false;
}

bool op_list_of(struct profile *profile, const struct op_list **ret_list, struct err *err)
{
    if (profile->op_list == NULL) {
        arena_init_within(&profile->op_arena, profile->arena);
        struct op_list *list = arena_new(&profile->op_arena, struct op_list);
        op_list_init(list, &profile->catalog.strings, &profile->op_arena);
        list->program_bytes_most = profile->program_bytes_most;
        if (!op_list_collect(list, profile, err))
            return false;
        op_list_finish(list);
        profile->op_list = list;
    }
    *ret_list = profile->op_list;
    return true;
}

bool op_list_main_program(const struct op_list *list, uint64_t *ret_id, const char **ret_name)
{
    struct id_map places;
    int64_t most_ps = -1, *sums = arena_array(list->arena, int64_t, list->count);
    int32_t count = 0;
    id_map_init(&places, list->arena);
    for (size_t i = 0; i < list->count; i++) {
        const struct op_item *op = &list->items[i];
        if (!op->program_id.set || op->asynchronous)
            continue;
        int32_t at = id_map_find(&places, op->program_id.value);
        if (at == ID_MAP_ABSENT)
            id_map_set(&places, op->program_id.value, at = count++);
        ps_add(&sums[at], op->sums.self_ps);
        if (sums[at] <= most_ps)
            continue;
        most_ps = sums[at];
        *ret_id = (uint64_t)op->program_id.value;
        *ret_name = op->program;
    }
    return most_ps >= 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

struct row_making {
    struct profile *profile;
    const struct op_list *list;
    struct strings signatures;
    struct id_map by_signature; /* its number to its row */
    struct op_row *rows;
    uint32_t *row_of; /* by item */
    size_t count;
};

static const char *text_or_dash(const char *text)
{
    return text == NULL || text[0] == '\0' ? "-" : text;
}

/* The number of an item's signature. */
static uint32_t signature_of(struct row_making *making, const struct op_item *item)
{
    struct arena *scratch = &making->profile->catalog.scratch;
    const struct arena_mark mark = arena_mark(scratch);
    const char *canonical = phase_path_canonical(item->op_path, scratch);
    const char *text =
        arena_printf(scratch, "%s|%s|-|%s|%s|%s%s", text_or_dash(item->category),
                     text_or_dash(item->opcode), text_or_dash(item->shapes), item->phase,
                     text_or_dash(canonical), item->asynchronous ? "|async" : "");
    const uint32_t number = strings_add(&making->signatures, text, strlen(text));
    arena_rewind(scratch, mark);
    return number;
}

static void number_add(struct opt_f64 *sum, struct opt_f64 more)
{
    if (more.set)
        *sum = some_f64(sum->value + more.value);
}

/* Each item's row, with the sums of all devices. */
static void rows_fill(struct row_making *making)
{
    for (size_t i = 0; i < making->list->count; i++) {
        const struct op_item *item = &making->list->items[i];
        const uint32_t signature = signature_of(making, item);
        int32_t at = id_map_find(&making->by_signature, (int64_t)signature);
        if (at == ID_MAP_ABSENT) {
            at = (int32_t)making->count++;
            id_map_set(&making->by_signature, (int64_t)signature, at);
            making->rows[at] = (struct op_row){
                .signature = strings_text(&making->signatures, signature),
                .name = item->name,
                .category = item->category != NULL ? item->category : item->device_class,
                .opcode = item->opcode,
                .program = item->program,
                .phase = item->phase,
                .shape_signature = item->shapes,
                .source_file = item->source_file,
                .op_path = item->op_path,
                .asynchronous = item->asynchronous,
                .max_device = UINT32_MAX,
                .has_device_class = true,
                .device_class = item->device_class,
            };
        }
        struct op_row *row = &making->rows[at];
        making->row_of[i] = (uint32_t)at;
        row->count += item->sums.count;
        ps_add(&row->total_ps, item->sums.total_ps);
        ps_add(&row->self_ps, item->sums.self_ps);
        row->steady_count += item->steady_count;
        ps_add(&row->steady_self_ps, item->steady_self_ps);
        number_add(&row->flops, item->sums.flops);
        number_add(&row->bytes_accessed, item->sums.bytes_accessed);
    }
}

/* What a device spent on a row. */
struct device_share {
    uint32_t row, device;
    int64_t self_ps;
};

static int by_row_and_device(const void *a, const void *b)
{
    const struct device_share *left = a, *right = b;
    if (left->row != right->row)
        return left->row < right->row ? -1 : 1;
    return (left->device > right->device) - (left->device < right->device);
}

static void devices_fill(struct row_making *making)
{
    const size_t count = making->list->share_count;
    struct device_share *shares = arena_array(making->profile->arena, struct device_share, count);
    for (size_t i = 0; i < count; i++) {
        const struct op_share *share = &making->list->shares[i];
        shares[i] =
            (struct device_share){making->row_of[share->item], share->device, share->self_ps};
    }
    if (count > 0)
        qsort(shares, count, sizeof *shares, by_row_and_device);
    for (size_t i = 0, next; i < count; i = next) {
        struct op_row *row = &making->rows[shares[i].row];
        int64_t self_ps = 0;
        for (next = i; next < count && by_row_and_device(&shares[i], &shares[next]) == 0; next++)
            ps_add(&self_ps, shares[next].self_ps);
        row->device_count++;
        if (row->max_device == UINT32_MAX || self_ps > row->max_device_self_ps) {
            row->max_device = shares[i].device;
            row->max_device_self_ps = self_ps;
        }
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Why programs tell less than they might, of so large a part of the ops' own time; NULL: they tell
 * most. */
static const char *unsaid_of(struct profile *profile, const struct op_list *list, double told)
{
    if (list->program_bytes_over)
        return arena_printf(
            profile->arena,
            "Programs (HLO) tell what ops of %.1f %% of their own time are; the others are of "
            "programs beyond the %d MiB that are read for a summary: `explain`, `table findings` "
            "and tables of ops read all.",
            100 * told, OP_PROGRAM_BYTES_MOST >> 20);
    if (list->broken_programs > 0)
        return arena_printf(profile->arena,
                            "%zu of the kernels' programs (HLO) cannot be read; programs tell "
                            "what ops of %.1f %% of their own time are.",
                            list->broken_programs, 100 * told);
    if (told >= SHARE_TOLD || !(told > 0))
        return NULL;
    return arena_printf(profile->arena,
                        "Programs (HLO) tell what ops of %.1f %% of their own time are; kernels of "
                        "the others name no instruction of a program that is there (copies, "
                        "libraries, command buffers).",
                        100 * told);
}

bool program_ops_build(struct profile *profile, struct summary *summary, struct err *err)
{
    const struct op_list *list;
    double all_ps = 0, told_ps = 0; /* own time of ops, and of those that programs told */
    bool has_kernels = false;
    for (size_t p = 0; p < profile->plane_count; p++)
        has_kernels = has_kernels || (profile->planes[p].plane->is_device &&
                                      profile->planes[p].plane->has_streams);
    if (!has_kernels || !programs_are_there(profile))
        return true;
    if (!op_list_of(profile, &list, err))
        return false;
    for (size_t i = 0; i < list->count; i++) {
        const struct op_item *item = &list->items[i];
        if (item->asynchronous)
            continue;
        all_ps += (double)item->sums.self_ps;
        told_ps += item->joined ? (double)item->sums.self_ps : 0;
    }
    profile->programs_unsaid = unsaid_of(profile, list, all_ps > 0 ? told_ps / all_ps : 0);
    if (!(told_ps > 0))
        return true;
    struct row_making making = {.profile = profile, .list = list};
    making.rows = arena_array(profile->arena, struct op_row, list->count);
    making.row_of = arena_array(profile->arena, uint32_t, list->count);
    id_map_init(&making.by_signature, profile->arena);
    strings_init(&making.signatures, profile->arena);
    rows_fill(&making);
    devices_fill(&making);
    qsort(making.rows, making.count, sizeof *making.rows, op_row_order);
    summary->has_program_ops = true;
    summary->program_ops = making.rows;
    summary->program_op_count = making.count;
    summary->coverage.joined_time_share = some_f64(told_ps / all_ps);
    return true;
}
