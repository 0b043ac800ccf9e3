/* See sorter.h. A record is an event with its note; keys are made for a chunk at a time and sorted
 * by least significant byte first, skipping bytes that are the same everywhere.
 */
#include "ingest/sorter.h"

#include "ingest/spill.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHUNK_RECORDS = 128 * 1024, /* 14 MiB of records, 6 MiB of keys */
    RUN_RECORDS = 256,          /* read ahead per run while merging */
    KEY_BYTES = 16,
    BYTE_VALUES = 256
};

struct record {
    struct event event;
    struct event_note note;
};

/* Ascending by start, then descending by end. */
struct sort_key {
    uint64_t start, end;
    uint32_t index; /* in the chunk */
};

struct run {
    int64_t offset; /* in the spill file, of what was not read yet */
    size_t left;    /* records there */
    struct record *buffer;
    size_t at, filled;
    struct sort_key key; /* of the record at `at` */
};

struct sorter {
    enum line_order order;
    struct record *chunk;
    size_t count;
    struct sort_key *keys, *keys_spare;
    size_t next; /* without runs: place in keys */
    struct spill spill;
    struct run *runs;
    size_t run_count, run_capacity;
    uint32_t *heap; /* runs, the smallest key first */
    size_t heap_count;
};

struct sorter *sorter_new(enum line_order order, struct err *err)
{
    struct sorter *sorter = calloc(1, sizeof *sorter);
    if (sorter != NULL) {
        sorter->order = order;
        spill_init(&sorter->spill);
        sorter->chunk = malloc(CHUNK_RECORDS * sizeof *sorter->chunk);
        sorter->keys = malloc(CHUNK_RECORDS * sizeof *sorter->keys);
        sorter->keys_spare = malloc(CHUNK_RECORDS * sizeof *sorter->keys_spare);
    }
    if (sorter == NULL || sorter->chunk == NULL || sorter->keys == NULL ||
        sorter->keys_spare == NULL) {
        sorter_free(sorter);
        (void)err_set(err, ERR_LIMIT, "no memory for sorting a line");
        return NULL;
    }
    return sorter;
}

void sorter_free(struct sorter *sorter)
{
    if (sorter == NULL)
        return;
    for (size_t i = 0; i < sorter->run_count; i++)
        free(sorter->runs[i].buffer);
    free(sorter->runs);
    free(sorter->heap);
    free(sorter->chunk);
    free(sorter->keys);
    free(sorter->keys_spare);
    spill_done(&sorter->spill);
    free(sorter);
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* Unsigned order of doubles (-0 equals 0) and of signed numbers. */
static uint64_t double_rank(double value)
{
    uint64_t bits;
    value += 0.0;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static uint64_t signed_rank(int64_t value)
{
    return (uint64_t)value ^ UINT64_C(1) << 63;
}

static struct sort_key key_of(const struct event *event, enum line_order order)
{
    if (order == ORDER_US)
        return (struct sort_key){.start = double_rank(event->start_us),
                                 .end = ~double_rank(event->start_us + event->duration_us)};
    return (struct sort_key){.start = signed_rank(event->offset_ps),
                             .end = ~signed_rank(event_end(event))};
}

static unsigned key_byte(const struct sort_key *key, unsigned byte)
{
    uint64_t word = byte < 8 ? key->end : key->start;
    return (unsigned)(word >> (8 * (byte & 7))) & 0xFF;
}

static void keys_pass(struct sorter *sorter, unsigned byte)
{
    uint32_t starts[BYTE_VALUES] = {0};
    for (size_t i = 0; i < sorter->count; i++)
        starts[key_byte(&sorter->keys[i], byte)]++;
    if (starts[key_byte(&sorter->keys[0], byte)] == sorter->count)
        return; /* the same everywhere */
    uint32_t sum = 0;
    for (size_t value = 0; value < BYTE_VALUES; value++) {
        uint32_t here = starts[value];
        starts[value] = sum;
        sum += here;
    }
    for (size_t i = 0; i < sorter->count; i++)
        sorter->keys_spare[starts[key_byte(&sorter->keys[i], byte)]++] = sorter->keys[i];
    struct sort_key *sorted = sorter->keys_spare;
    sorter->keys_spare = sorter->keys;
    sorter->keys = sorted;
}

static void chunk_sort(struct sorter *sorter)
{
    for (size_t i = 0; i < sorter->count; i++) {
        sorter->keys[i] = key_of(&sorter->chunk[i].event, sorter->order);
        sorter->keys[i].index = (uint32_t)i;
    }
    for (unsigned byte = 0; byte < KEY_BYTES && sorter->count > 1; byte++)
        keys_pass(sorter, byte);
}

/* ---- input ----------------------------------------------------------------------------------- */

static bool run_add(struct sorter *sorter, struct run run, struct err *err)
{
    if (sorter->run_count == sorter->run_capacity) {
        size_t capacity = sorter->run_capacity == 0 ? 16 : 2 * sorter->run_capacity;
        struct run *runs = realloc(sorter->runs, capacity * sizeof *runs);
        if (runs == NULL)
            return err_set(err, ERR_LIMIT, "no memory for sorting a line");
        sorter->runs = runs;
        sorter->run_capacity = capacity;
    }
    sorter->runs[sorter->run_count++] = run;
    return true;
}

static bool chunk_spill(struct sorter *sorter, struct err *err)
{
    struct record buffer[16];
    struct run run = {.offset = sorter->spill.size_bytes, .left = sorter->count};
    chunk_sort(sorter);
    for (size_t i = 0; i < sorter->count;) {
        size_t filled = 0;
        while (filled < sizeof buffer / sizeof buffer[0] && i < sorter->count)
            buffer[filled++] = sorter->chunk[sorter->keys[i++].index];
        if (!spill_write(&sorter->spill, buffer, filled * sizeof buffer[0], err))
            return false;
    }
    sorter->count = 0;
    return spill_flush(&sorter->spill, err) && run_add(sorter, run, err);
}

bool sorter_add(struct sorter *sorter, const struct event *events, const struct event_note *notes,
                size_t count, struct err *err)
{
    for (size_t i = 0; i < count; i++) {
        if (sorter->count == CHUNK_RECORDS && !chunk_spill(sorter, err))
            return false;
        struct record *record = &sorter->chunk[sorter->count++];
        record->event = events[i];
        if (events[i].has_note)
            record->note = notes[i];
        else
            record->note = (struct event_note){0};
    }
    return true;
}

/* ---- merging --------------------------------------------------------------------------------- */

static bool run_fill(struct sorter *sorter, struct run *run, struct err *err)
{
    run->filled = run->left < RUN_RECORDS ? run->left : RUN_RECORDS;
    run->at = 0;
    size_t bytes = run->filled * sizeof *run->buffer;
    if (!spill_read(&sorter->spill, run->offset, run->buffer, bytes, err))
        return false;
    run->offset += (int64_t)bytes;
    run->left -= run->filled;
    if (run->filled > 0)
        run->key = key_of(&run->buffer[0].event, sorter->order);
    return true;
}

static bool run_before(const struct sorter *sorter, uint32_t a, uint32_t b)
{
    const struct sort_key *left = &sorter->runs[a].key, *right = &sorter->runs[b].key;
    if (left->start != right->start)
        return left->start < right->start;
    return left->end != right->end ? left->end < right->end : a < b;
}

static void heap_sink(struct sorter *sorter, size_t at)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= sorter->heap_count)
            return;
        if (child + 1 < sorter->heap_count &&
            run_before(sorter, sorter->heap[child + 1], sorter->heap[child]))
            child++;
        if (!run_before(sorter, sorter->heap[child], sorter->heap[at]))
            return;
        uint32_t moved = sorter->heap[at];
        sorter->heap[at] = sorter->heap[child];
        sorter->heap[child] = moved;
        at = child;
    }
}

bool sorter_finish(struct sorter *sorter, struct err *err)
{
    if (sorter->run_count == 0) {
        chunk_sort(sorter);
        return true;
    }
    if (sorter->count > 0 && !chunk_spill(sorter, err))
        return false;
    sorter->heap = malloc(sorter->run_count * sizeof *sorter->heap);
    if (sorter->heap == NULL)
        return err_set(err, ERR_LIMIT, "no memory for sorting a line");
    for (size_t i = 0; i < sorter->run_count; i++) {
        struct run *run = &sorter->runs[i];
        run->buffer = malloc(RUN_RECORDS * sizeof *run->buffer);
        if (run->buffer == NULL)
            return err_set(err, ERR_LIMIT, "no memory for sorting a line");
        if (!run_fill(sorter, run, err))
            return false;
        sorter->heap[sorter->heap_count++] = (uint32_t)i;
    }
    for (size_t i = sorter->heap_count; i-- > 0;)
        heap_sink(sorter, i);
    return true;
}

/* The next record; NULL with *ret_failed false at the end. It stays valid until the next call. */
static bool record_next(struct sorter *sorter, struct record *ret_record, bool *ret_any,
                        struct err *err)
{
    *ret_any = false;
    if (sorter->run_count == 0) {
        if (sorter->next < sorter->count) {
            *ret_record = sorter->chunk[sorter->keys[sorter->next++].index];
            *ret_any = true;
        }
        return true;
    }
    if (sorter->heap_count == 0)
        return true;
    struct run *run = &sorter->runs[sorter->heap[0]];
    *ret_record = run->buffer[run->at++];
    *ret_any = true;
    if (run->at == run->filled && !run_fill(sorter, run, err))
        return false;
    if (run->filled == 0)
        sorter->heap[0] = sorter->heap[--sorter->heap_count];
    else
        run->key = key_of(&run->buffer[run->at].event, sorter->order);
    heap_sink(sorter, 0);
    return true;
}

bool sorter_next(struct sorter *sorter, struct event *events, struct event_note *notes,
                 size_t *ret_count, struct err *err)
{
    size_t count = 0;
    bool any = true;
    while (count < BATCH_EVENTS && any) {
        struct record record;
        if (!record_next(sorter, &record, &any, err))
            return false;
        if (any) {
            events[count] = record.event;
            notes[count++] = record.note;
        }
    }
    *ret_count = count;
    return true;
}
