/* The tables memory and memory_timeline as JSON of a message of Protobuf: numbers of 64 bits are
 * texts. What only xprof knows (types, shapes, steps) is left out. */
#include "ops/cli/files/table_print.h"

#include "ops/runtime/arena.h"
#include "ops/runtime/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = 32, LIVE_BYTES = 1 << 30 };

/* A member of one cell; nothing where it is not known. */
static void bytes_add(struct json_writer *writer, const char *name, const struct data_value *value)
{
    char number[NUMBER_BYTES];
    if (!value->set)
        return;
    (void)snprintf(number, sizeof number, "%" PRId64, value->integer);
    json_key(writer, name);
    json_write_text(writer, number);
}

static void time_add(struct json_writer *writer, const char *name, const struct data_value *us)
{
    static const double ps_per_us = 1e6;
    const struct data_value ps =
        us->set ? data_integer((int64_t)llround(us->real * ps_per_us)) : *us;
    bytes_add(writer, name, &ps);
}

static void fraction_add(struct json_writer *writer, const struct data_value *value)
{
    if (!value->set)
        return;
    json_key(writer, "fragmentation");
    json_write_number(writer, value->real);
}

/* What an allocator had at one moment; `peak` is the column of its peak until then. */
static void usage_add(struct json_writer *writer, const struct data_table *table, size_t row,
                      const char *peak)
{
    json_open(writer, '{');
    fraction_add(writer, data_cell(table, row, "fragmentation"));
    bytes_add(writer, "freeMemoryBytes", data_cell(table, row, "free"));
    bytes_add(writer, "heapAllocatedBytes", data_cell(table, row, "heap"));
    bytes_add(writer, "peakBytesInUse", data_cell(table, row, peak));
    bytes_add(writer, "stackReservedBytes", data_cell(table, row, "stack"));
    json_close(writer, '}');
}

static void snapshot_add(struct json_writer *writer, const struct data_table *timeline, size_t row)
{
    const struct data_value *op = data_cell(timeline, row, "op_name");
    const struct data_value *address = data_cell(timeline, row, "address");
    const bool frees = strcmp(data_cell(timeline, row, "activity")->text, "free") == 0;
    json_item(writer);
    json_open(writer, '{');
    json_key(writer, "activityMetadata");
    json_open(writer, '{');
    if (address->set) {
        json_key(writer, "address");
        json_write_text(writer, address->text);
    }
    bytes_add(writer, "allocationBytes", data_cell(timeline, row, "allocation_bytes"));
    json_key(writer, "memoryActivity");
    json_write_text(writer, frees ? "DEALLOCATION" : "ALLOCATION");
    bytes_add(writer, "requestedBytes", data_cell(timeline, row, "requested_bytes"));
    if (op->set) {
        json_key(writer, "tfOpName");
        json_write_text(writer, op->text);
    }
    json_close(writer, '}');
    json_key(writer, "aggregationStats");
    usage_add(writer, timeline, row, "peak_bytes_lifetime");
    time_add(writer, "timeOffsetPs", data_cell(timeline, row, "time_us"));
    json_close(writer, '}');
}

static void summary_add(struct json_writer *writer, const struct data_table *peaks, size_t row)
{
    json_open(writer, '{');
    bytes_add(writer, "memoryCapacity", data_cell(peaks, row, "capacity"));
    bytes_add(writer, "peakBytesUsageLifetime", data_cell(peaks, row, "peak_bytes_lifetime"));
    json_key(writer, "peakStats");
    usage_add(writer, peaks, row, "peak_bytes_in_use");
    time_add(writer, "peakStatsTimePs", data_cell(peaks, row, "peak_time_us"));
    json_close(writer, '}');
}

/* ---- what lives at the peak ------------------------------------------------------------------ */

/* An allocation that does: its place among the allocator's snapshots, and how many are alike. */
struct live_one {
    int64_t place, bytes, requested, count;
    const char *op; /* "": nothing says it */
};

struct live_list {
    struct live_one *items; /* most bytes first */
    size_t count;
    bool known;
};

static bool is_of(const struct data_table *timeline, size_t row, const char *allocator)
{
    const struct data_value *of = data_cell(timeline, row, "allocator");
    return of->set && strcmp(of->text, allocator) == 0;
}

static int live_order(const void *left, const void *right)
{
    const struct live_one *a = left, *b = right;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    if (a->requested != b->requested)
        return a->requested > b->requested ? -1 : 1;
    const int order = strcmp(b->op, a->op);
    return order != 0 ? order : (a->place > b->place) - (a->place < b->place);
}

static bool are_alike(const struct live_one *a, const struct live_one *b)
{
    return a->bytes == b->bytes && a->requested == b->requested && strcmp(a->op, b->op) == 0;
}

static struct live_list live_find(const struct data_table *timeline, const char *allocator,
                                  struct arena *arena)
{
    int64_t place = 0;
    struct live_list live = {.items = arena_array(arena, struct live_one, timeline->row_count)};
    for (size_t i = 0; i < timeline->row_count; i++) {
        const struct data_value *lives = data_cell(timeline, i, "live_at_peak");
        const struct data_value *op = data_cell(timeline, i, "op_name");
        if (!is_of(timeline, i, allocator))
            continue;
        live.known = live.known || lives->set;
        if (lives->set && lives->integer != 0)
            live.items[live.count++] = (struct live_one){
                .place = place,
                .bytes = data_cell(timeline, i, "allocation_bytes")->integer,
                .requested = data_cell(timeline, i, "requested_bytes")->integer,
                .count = 1,
                .op = op->set ? op->text : "",
            };
        place++;
    }
    if (live.count > 0)
        qsort(live.items, live.count, sizeof *live.items, live_order);
    return live;
}

static void number_add(struct json_writer *writer, const char *name, int64_t number)
{
    const struct data_value value = data_integer(number);
    bytes_add(writer, name, &value);
}

/* Memory of which no snapshot tells: as xprof calls it. */
static void special_add(struct json_writer *writer, const char *name, int64_t bytes)
{
    json_item(writer);
    json_open(writer, '{');
    number_add(writer, "allocationBytes", bytes);
    json_key(writer, "memoryActivity");
    json_write_text(writer, "ALLOCATION");
    number_add(writer, "requestedBytes", bytes);
    json_key(writer, "tfOpName");
    json_write_text(writer, name);
    json_close(writer, '}');
}

/* special: its place among those, -1: it has a snapshot, whose place that is. */
static void active_add(struct json_writer *writer, int64_t place, int64_t special, int64_t count)
{
    json_item(writer);
    json_open(writer, '{');
    number_add(writer, "numOccurrences", count);
    number_add(writer, "snapshotIndex", special < 0 ? place : -1 - special);
    number_add(writer, "specialIndex", special);
    json_close(writer, '}');
}

/* The members of what lives at the peak, largest first; none where nothing tells addresses. What
 * was there before the capture is what the heap holds beside it. */
static void live_add(struct json_writer *writer, const struct data_table *peaks, size_t row,
                     const struct live_list *live)
{
    enum { BEFORE, STACK, SPECIALS };
    static const char *const names[SPECIALS] = {"preallocated/unknown", "stack"};
    int64_t sizes[SPECIALS] = {data_cell(peaks, row, "heap")->integer,
                               data_cell(peaks, row, "stack")->integer};
    bool told[SPECIALS] = {false};
    if (!live->known)
        return;
    for (size_t i = 0; i < live->count; i++)
        sizes[BEFORE] -= live->items[i].bytes;
    json_key(writer, "activeAllocations");
    json_open(writer, '[');
    for (size_t i = 0, next; i <= live->count; i = next) {
        const int64_t bytes = i < live->count ? live->items[i].bytes : 0;
        for (int k = 0; k < SPECIALS; k++)
            if (!told[k] && sizes[k] > 0 && sizes[k] >= bytes) {
                told[k] = true;
                active_add(writer, 0, k == STACK && sizes[BEFORE] > 0, 1);
            }
        for (next = i + 1; next < live->count && are_alike(&live->items[i], &live->items[next]);)
            next++;
        if (i < live->count)
            active_add(writer, live->items[i].place, -1, (int64_t)(next - i));
    }
    json_close(writer, ']');
    json_key(writer, "specialAllocations");
    json_open(writer, '[');
    for (int k = 0; k < SPECIALS; k++)
        if (sizes[k] > 0)
            special_add(writer, names[k], sizes[k]);
    json_close(writer, ']');
}

bool table_print_memory(const struct data_table *const *parts, struct text *out, struct err *err)
{
    const struct data_table *peaks = parts[0], *timeline = parts[1];
    assert(timeline != NULL); /* of one who tells neither both are missing */
    struct json_writer writer = {.out = out, .style = JSON_STYLE_LINE};
    scoped_arena arena;
    arena_init(&arena, LIVE_BYTES);
    json_open(&writer, '{');
    json_key(&writer, "memoryProfilePerAllocator");
    json_open(&writer, '{');
    for (size_t i = 0; i < peaks->row_count; i++) {
        const struct data_value *allocator = data_cell(peaks, i, "allocator");
        if (!allocator->set)
            continue;
        const struct live_list live = live_find(timeline, allocator->text, &arena);
        if (!arena_ok(&arena, "the memory of allocators", err))
            return false;
        json_key(&writer, allocator->text);
        json_open(&writer, '{');
        live_add(&writer, peaks, i, &live);
        json_key(&writer, "memoryProfileSnapshots");
        json_open(&writer, '[');
        for (size_t k = 0; k < timeline->row_count; k++)
            if (is_of(timeline, k, allocator->text))
                snapshot_add(&writer, timeline, k);
        json_close(&writer, ']');
        json_key(&writer, "profileSummary");
        summary_add(&writer, peaks, i);
        json_close(&writer, '}');
    }
    json_close(&writer, '}');
    json_close(&writer, '}');
    return text_ok(out, "the memory of allocators", err);
}
