/* What the devices' ops copy, by its way: of copies between a host's memory and a device's the
 * layouts of their arrays tell it, which no other member of a summary keeps. */
#include "ingest/hlo/hlo.h"
#include "ingest/tables/tables.h"
#include "schema/documents/told_ops.h"

#include <stdlib.h>
#include <string.h>

static int name_order(const void *a, const void *b)
{
    const struct copied_ops *left = a, *right = b;
    const int names = strcmp(left->name, right->name);
    return left->way != right->way ? (left->way > right->way) - (left->way < right->way) : names;
}

int copied_ops_order(const void *a, const void *b)
{
    const struct copied_ops *left = a, *right = b;
    return left->total_ps != right->total_ps ? (left->total_ps < right->total_ps ? 1 : -1)
                                             : name_order(a, b);
}

/* The row of one op of one device. What a copy moves both of its halves say: its end counts. */
static struct copied_ops row_of(const struct catalog *catalog, const struct used_op *used)
{
    const struct op_detail *detail = used_detail(used);
    const struct op_tally *tally = used_tally(used);
    const char *name = catalog_text(catalog, catalog->names[used_facts(used)->name].name);
    const char *opcode = catalog_text(catalog, detail->opcode);
    const int64_t events = op_placed(used->state, used->op);
    const bool is_start = opcode_ends(opcode, "-start");
    const struct opt_f64 each = detail_bytes(detail);
    return (struct copied_ops){
        .name = opcode == NULL ? name : opcode,
        .way = copy_way_told(name, opcode, catalog_text(catalog, detail->category),
                             (enum hlo_way)detail->way),
        .count = events,
        .total_ps = tally->total_ps,
        .steady_self_ps = tally->steady_self_ps,
        .bytes = {each.set && !is_start, is_start ? 0 : each.value * (double)events},
    };
}

void copied_ops_add(void *row, const void *other)
{
    struct copied_ops *sum = row;
    const struct copied_ops *own = other;
    sum->count += own->count;
    ps_add(&sum->total_ps, own->total_ps);
    ps_add(&sum->steady_self_ps, own->steady_self_ps);
    sum->bytes.set = sum->bytes.set && own->bytes.set;
    sum->bytes.value = sum->bytes.set ? sum->bytes.value + own->bytes.value : 0;
}

static bool is_copy(const struct used_op *used)
{
    return used->state->device != UINT32_MAX && !used_detail(used)->asynchronous &&
           used_facts(used)->device_class == DEVICE_COPY;
}

void copies_build(struct profile *profile, struct summary *summary)
{
    size_t most = 0, count = 0, kept = 0;
    for (size_t i = 0; i < profile->used_count; i++)
        most += is_copy(&profile->used[i]);
    struct copied_ops *rows = arena_array(profile->arena, struct copied_ops, most);
    for (size_t i = 0; i < profile->used_count; i++)
        if (is_copy(&profile->used[i]))
            rows[count++] = row_of(&profile->catalog, &profile->used[i]);
    if (count > 0)
        qsort(rows, count, sizeof *rows, name_order);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && name_order(&rows[kept - 1], &rows[i]) == 0)
            copied_ops_add(&rows[kept - 1], &rows[i]);
        else
            rows[kept++] = rows[i];
    }
    if (kept > 0)
        qsort(rows, kept, sizeof *rows, copied_ops_order);
    summary->has_copies = true;
    summary->copies = kept == 0 ? NULL : rows;
    summary->copy_count = kept;
}
