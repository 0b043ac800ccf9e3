/* See sort_spill.h. A run is its records, then the notes of those that have one, in their order. */
#include "ingest/order/sort_spill.h"

#include "ops/runtime/arena.h"

#include <stdlib.h>

/* What a merge holds of all runs, and of one: neither more than pays, nor a read for a few events.
 */
enum { MERGE_RECORDS = 128 * 1024, PIECE_MOST = 512, PIECE_LEAST = 32 };

struct spilled_run {
    int64_t record_offset, note_offset; /* in the file, of what was not read yet */
    size_t left;                        /* records there */
    struct sort_record *buffer;
};

void sort_spill_init(struct sort_spill *spill, struct note_slots *keeper)
{
    *spill = (struct sort_spill){.keeper = keeper};
    spill_init(&spill->file);
}

void sort_spill_done(struct sort_spill *spill)
{
    for (size_t i = 0; i < spill->count; i++)
        free(spill->runs[i].buffer);
    free(spill->runs);
    free(spill->pieces);
    free(spill->heap);
    free(spill->notes);
    spill_done(&spill->file);
}

bool sort_spill_add(struct sort_spill *spill, const struct sort_record *records, size_t count,
                    struct err *err)
{
    if (spill->count == spill->capacity) {
        spill->capacity = spill->capacity == 0 ? 16 : 2 * spill->capacity;
        spill->runs = memory_resize(spill->runs, spill->capacity * sizeof *spill->runs);
    }
    struct spilled_run run = {.record_offset = spill->file.size_bytes, .left = count};
    if (!spill_write(&spill->file, records, count * sizeof *records, err))
        return false;
    run.note_offset = spill->file.size_bytes;
    for (size_t i = 0; i < count; i++) {
        uint32_t note = records[i].note;
        if (note != 0 && !spill_write(&spill->file, note_of(spill->keeper, note),
                                      sizeof *spill->keeper->items, err))
            return false;
        note_release(spill->keeper, note);
    }
    spill->runs[spill->count++] = run;
    return spill_flush(&spill->file, err);
}

/* Reads the notes of a piece and gives its records their new numbers. */
static bool notes_refill(struct sort_spill *spill, struct spilled_run *run, size_t count,
                         struct err *err)
{
    size_t wanted = 0, at = 0;
    for (size_t i = 0; i < count; i++)
        wanted += run->buffer[i].note != 0;
    if (wanted == 0)
        return true;
    size_t bytes = wanted * sizeof *spill->notes;
    if (!spill_read(&spill->file, run->note_offset, spill->notes, bytes, err))
        return false;
    run->note_offset += (int64_t)bytes;
    for (size_t i = 0; i < count; i++) {
        if (run->buffer[i].note != 0)
            run->buffer[i].note = note_keep(spill->keeper, &spill->notes[at++]);
    }
    return true;
}

static bool piece_refill(void *context, size_t index, struct sort_run *ret_piece, struct err *err)
{
    struct sort_spill *spill = context;
    struct spilled_run *run = &spill->runs[index];
    size_t count = run->left < spill->piece_records ? run->left : spill->piece_records;
    size_t bytes = count * sizeof *run->buffer;
    if (!spill_read(&spill->file, run->record_offset, run->buffer, bytes, err) ||
        !notes_refill(spill, run, count, err))
        return false;
    run->record_offset += (int64_t)bytes;
    run->left -= count;
    *ret_piece = (struct sort_run){run->buffer, run->buffer + count};
    return true;
}

static size_t piece_records(size_t runs)
{
    const size_t records = MERGE_RECORDS / runs;
    if (records > PIECE_MOST)
        return PIECE_MOST;
    return records < PIECE_LEAST ? PIECE_LEAST : records;
}

bool sort_spill_merge(struct sort_spill *spill, struct sort_merge *ret_merge, struct err *err)
{
    spill->pieces = memory_zalloc(spill->count, sizeof *spill->pieces);
    spill->heap = memory_alloc(spill->count * sizeof *spill->heap);
    spill->piece_records = piece_records(spill->count);
    spill->notes = memory_alloc(spill->piece_records * sizeof *spill->notes);
    for (size_t i = 0; i < spill->count; i++)
        spill->runs[i].buffer = memory_alloc(spill->piece_records * sizeof *spill->runs[i].buffer);
    *ret_merge = (struct sort_merge){.runs = spill->pieces,
                                     .run_count = spill->count,
                                     .heap = spill->heap,
                                     .refill = piece_refill,
                                     .context = spill};
    return sort_merge_begin(ret_merge, err);
}
