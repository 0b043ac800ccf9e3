/* See memory_delta.h. Rows of both sides stand in one array; equal neighbours become one row, first
 * by the whole source, then, of those that were left alone, by file name and function. */
#include "compare/reference/memory_delta.h"

#include <stdlib.h>
#include <string.h>

/* A row with the name of its file: "train.py" of "/job/train.py:41". */
struct joined {
    struct memory_delta_row row;
    const char *file;
    size_t file_length;
    bool has_before, has_after;
};

static void sum(int64_t *total, int64_t value)
{
    if (__builtin_add_overflow(*total, value, total))
        *total = INT64_MAX;
}

static int exact_order(const void *left, const void *right)
{
    const struct joined *a = left, *b = right;
    int order = strcmp(a->row.kind, b->row.kind);
    if (order == 0)
        order = strcmp(a->row.source, b->row.source);
    return order != 0 ? order : strcmp(a->row.function, b->row.function);
}

/* Those with both sides first: they are joined already. */
static int loose_order(const void *left, const void *right)
{
    const struct joined *a = left, *b = right;
    int alone = (int)(a->has_before != a->has_after) - (int)(b->has_before != b->has_after);
    int order = alone != 0 ? alone : strcmp(a->row.kind, b->row.kind);
    size_t length = a->file_length < b->file_length ? a->file_length : b->file_length;
    if (order == 0)
        order = memcmp(a->file, b->file, length);
    if (order == 0)
        order = (a->file_length > b->file_length) - (a->file_length < b->file_length);
    return order != 0 ? order : strcmp(a->row.function, b->row.function);
}

/* Of several lines the last one of the new side names the row. */
static void fold(struct joined *into, const struct joined *other)
{
    if (other->has_after || !into->has_after)
        into->row.source = other->row.source;
    into->has_before |= other->has_before;
    into->has_after |= other->has_after;
    sum(&into->row.before_bytes, other->row.before_bytes);
    sum(&into->row.after_bytes, other->row.after_bytes);
    sum(&into->row.before_count, other->row.before_count);
    sum(&into->row.after_count, other->row.after_count);
}

/* Whether neighbours that the loose order takes for equal hold both sides: only then is it a line
 * that moved. */
static bool has_both(const struct joined *items, size_t count)
{
    bool before = false, after = false;
    for (size_t i = 0; i < count; i++) {
        before |= items[i].has_before;
        after |= items[i].has_after;
    }
    return before && after;
}

static size_t equal_fold(struct joined *items, size_t count,
                         int (*order)(const void *left, const void *right), bool only_both)
{
    size_t kept = 0;
    if (count > 0)
        qsort(items, count, sizeof *items, order);
    for (size_t i = 0, next; i < count; i = next) {
        next = i + 1;
        bool alone = !only_both || items[i].has_before != items[i].has_after;
        while (alone && next < count && order(&items[i], &items[next]) == 0)
            next++;
        if (only_both && !has_both(items + i, next - i)) {
            for (; i < next; i++)
                items[kept++] = items[i];
            continue;
        }
        struct joined folded = items[i];
        for (size_t k = i + 1; k < next; k++)
            fold(&folded, &items[k]);
        items[kept++] = folded;
    }
    return kept;
}

static int grown_first(const void *left, const void *right)
{
    const struct memory_delta_row *a = left, *b = right;
    int order = (b->delta_bytes > a->delta_bytes) - (b->delta_bytes < a->delta_bytes);
    if (order == 0)
        order = strcmp(a->source, b->source);
    if (order == 0)
        order = strcmp(a->function, b->function);
    return order != 0 ? order : strcmp(a->kind, b->kind);
}

static void side_put(const struct memory_summary *memory, bool is_after, struct joined *items)
{
    for (size_t i = 0; i < memory->allocation_count; i++) {
        const struct memory_row *row = &memory->allocations[i];
        items[i] = (struct joined){
            .row = {.kind = row->kind, .source = row->source, .function = row->function},
            .has_before = !is_after,
            .has_after = is_after,
        };
        *(is_after ? &items[i].row.after_bytes : &items[i].row.before_bytes) = row->bytes;
        *(is_after ? &items[i].row.after_count : &items[i].row.before_count) = row->count;
        const char *slash = strrchr(row->source, '/'), *line = strrchr(row->source, ':');
        items[i].file = slash == NULL ? row->source : slash + 1;
        items[i].file_length = line != NULL && line > items[i].file ? (size_t)(line - items[i].file)
                                                                    : strlen(items[i].file);
    }
}

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct memory_delta_share *)left)->name,
                  ((const struct memory_delta_share *)right)->name);
}

static void devices_make(const struct memory_summary *before, const struct memory_summary *after,
                         struct arena *arena, struct memory_delta *delta)
{
    size_t count = before->device_count + after->device_count, kept = 0;
    struct memory_delta_share *shares = arena_array(arena, struct memory_delta_share, count);
    for (size_t i = 0; i < before->device_count; i++)
        shares[i] = (struct memory_delta_share){.name = before->devices[i].name,
                                                .before_bytes = before->devices[i].bytes};
    for (size_t i = 0; i < after->device_count; i++)
        shares[before->device_count + i] = (struct memory_delta_share){
            .name = after->devices[i].name, .after_bytes = after->devices[i].bytes};
    if (count > 0)
        qsort(shares, count, sizeof *shares, by_name);
    for (size_t i = 0; i < count; i++) {
        bool same = kept > 0 && strcmp(shares[kept - 1].name, shares[i].name) == 0;
        if (!same)
            shares[kept++] = (struct memory_delta_share){.name = shares[i].name};
        sum(&shares[kept - 1].before_bytes, shares[i].before_bytes);
        sum(&shares[kept - 1].after_bytes, shares[i].after_bytes);
        shares[kept - 1].delta_bytes = shares[kept - 1].after_bytes - shares[kept - 1].before_bytes;
    }
    delta->devices = kept == 0 ? NULL : shares;
    delta->device_count = kept;
}

struct memory_delta memory_delta_make(const struct memory_summary *before,
                                      const struct memory_summary *after, struct arena *arena)
{
    struct memory_delta delta = {
        .before_bytes = before->bytes,
        .after_bytes = after->bytes,
        .delta_bytes = after->bytes - before->bytes,
        .before_unknown_count = before->unknown_count,
        .after_unknown_count = after->unknown_count,
    };
    size_t count = before->allocation_count + after->allocation_count, changed = 0;
    struct joined *items = arena_array(arena, struct joined, count);
    struct memory_delta_row *rows = arena_array(arena, struct memory_delta_row, count);
    side_put(before, false, items);
    side_put(after, true, items + before->allocation_count);
    count = equal_fold(items, count, exact_order, false);
    count = equal_fold(items, count, loose_order, true);
    for (size_t i = 0; i < count; i++) {
        struct memory_delta_row *row = &items[i].row;
        row->delta_bytes = row->after_bytes - row->before_bytes;
        if (row->delta_bytes != 0 || row->before_count != row->after_count)
            rows[changed++] = *row;
    }
    if (changed > 0)
        qsort(rows, changed, sizeof *rows, grown_first);
    delta.allocations = changed == 0 ? NULL : rows;
    delta.allocation_count = changed;
    devices_make(before, after, arena, &delta);
    return delta;
}
