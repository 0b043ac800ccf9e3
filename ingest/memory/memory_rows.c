/* Rows of the table `allocations`, from files and from summaries, and a summary's member of them.
 */
#include "ingest/memory/memory.h"
#include "ingest/memory/pprof.h"

#include "ops/runtime/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUM_BYTES, SUM_UNKNOWN }; /* of row_item.sums */
enum {
    KEY_DEVICE,
    KEY_KIND,
    KEY_SOURCE,
    KEY_FUNCTION,
    KEY_BYTES, /* columns of the table */
    KEY_COUNT,
    KEY_UNKNOWN
};
enum { SOURCE_MAX_BYTES = 1 << 20 };

/* ---- into rows ------------------------------------------------------------------------------- */

struct taking {
    struct grouped_rows *rows;
    struct text source; /* of the present sample */
};

static bool sample_take(void *context, const struct pprof_sample *sample, struct err *err)
{
    struct taking *taking = context;
    bool is_known = sample->bytes >= 0;
    taking->source.length = 0;
    if (sample->file[0] != '\0')
        text_addf(&taking->source, "%s:%" PRId64, sample->file, sample->line);
    if (!text_ok(&taking->source, "the source of an allocation", err))
        return false;
    const struct row_item item = {
        .keys = {data_text(sample->device), data_text(sample->kind),
                 data_text(text_string(&taking->source)), data_text(sample->function)},
        .count = sample->count,
        .sums = {[SUM_BYTES] = is_known ? sample->bytes : 0,
                 [SUM_UNKNOWN] = is_known ? 0 : sample->count},
    };
    return grouped_add(taking->rows, &item, err);
}

static void taking_done(struct taking *taking)
{
    text_done(&taking->source);
}

bool memory_profile_read(const char *path, struct grouped_rows *rows, struct err *err)
{
    scoped_arena arena;
    __attribute__((cleanup(taking_done))) struct taking taking = {.rows = rows};
    text_init(&taking.source, SOURCE_MAX_BYTES);
    arena_init_within(&arena, rows->arena);
    return pprof_read(path, &arena, sample_take, &taking, err);
}

bool memory_rows_add(const struct memory_summary *memory, struct grouped_rows *rows,
                     struct err *err)
{
    for (size_t i = 0; i < memory->allocation_count; i++) {
        const struct memory_row *row = &memory->allocations[i];
        const struct row_item item = {
            .keys = {data_text(row->device), data_text(row->kind), data_text(row->source),
                     data_text(row->function)},
            .count = row->count,
            .sums = {[SUM_BYTES] = row->bytes, [SUM_UNKNOWN] = row->unknown_count},
        };
        if (!grouped_add(rows, &item, err))
            return false;
    }
    return true;
}

/* ---- out of rows ----------------------------------------------------------------------------- */

static int share_order(const void *a, const void *b)
{
    const struct memory_share *left = a, *right = b;
    int order = (right->bytes > left->bytes) - (right->bytes < left->bytes);
    return order != 0 ? order : strcmp(left->name, right->name);
}

static int by_device(const void *a, const void *b)
{
    const struct memory_row *const *left = a, *const *right = b;
    return strcmp((*left)->device, (*right)->device);
}

static int by_kind(const void *a, const void *b)
{
    const struct memory_row *const *left = a, *const *right = b;
    return strcmp((*left)->kind, (*right)->kind);
}

/* Adds up what one of the orders puts side by side. The sums of all rows fit, so these do. */
static void shares_make(const struct memory_summary *memory, bool devices, struct arena *arena,
                        struct memory_share **ret_shares, size_t *ret_count)
{
    const size_t count = memory->allocation_count;
    const struct memory_row **rows = arena_array(arena, const struct memory_row *, count);
    struct memory_share *shares = arena_array(arena, struct memory_share, count);
    size_t made = 0;
    for (size_t i = 0; i < count; i++)
        rows[i] = &memory->allocations[i];
    if (count > 0)
        qsort(rows, count, sizeof *rows, devices ? by_device : by_kind);
    for (size_t i = 0; i < count; i++) {
        const char *name = devices ? rows[i]->device : rows[i]->kind;
        if (made == 0 || strcmp(shares[made - 1].name, name) != 0)
            shares[made++].name = name;
        shares[made - 1].bytes += rows[i]->bytes;
        shares[made - 1].count += rows[i]->count;
        shares[made - 1].unknown_count += rows[i]->unknown_count;
    }
    if (made > 0)
        qsort(shares, made, sizeof *shares, share_order);
    *ret_shares = made == 0 ? NULL : shares;
    *ret_count = made;
}

bool memory_summary_of(struct grouped_rows *rows, struct memory_summary *ret_memory,
                       struct err *err)
{
    struct data_table table;
    struct memory_summary memory = {0};
    if (!grouped_table(rows, 0, "", &table, err))
        return false;
    memory.allocations = arena_array(rows->arena, struct memory_row, table.row_count);
    memory.allocation_count = table.row_count;
    for (size_t i = 0; i < table.row_count; i++) {
        const struct data_value *values = data_row(&table, i);
        memory.allocations[i] = (struct memory_row){
            .device = values[KEY_DEVICE].text,
            .kind = values[KEY_KIND].text,
            .source = values[KEY_SOURCE].text,
            .function = values[KEY_FUNCTION].text,
            .bytes = values[KEY_BYTES].integer,
            .count = values[KEY_COUNT].integer,
            .unknown_count = values[KEY_UNKNOWN].integer,
        };
        memory.bytes += memory.allocations[i].bytes;
        memory.count += memory.allocations[i].count;
        memory.unknown_count += memory.allocations[i].unknown_count;
    }
    if (memory.allocation_count == 0)
        memory.allocations = NULL;
    *ret_memory = memory;
    shares_make(&memory, true, rows->arena, &ret_memory->devices, &ret_memory->device_count);
    shares_make(&memory, false, rows->arena, &ret_memory->kinds, &ret_memory->kind_count);
    return true;
}
