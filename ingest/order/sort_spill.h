/* Runs of a sort that do not fit in memory: written to a temporary file, read back piece by piece.
 */
#ifndef INGEST_ORDER_SORT_SPILL_H
#define INGEST_ORDER_SORT_SPILL_H

#include "ingest/order/note_slots.h"
#include "ingest/order/sort_merge.h"
#include "ingest/wire/wire.h"

struct spilled_run;

struct sort_spill {
    struct spill file;
    struct spilled_run *runs;
    size_t count, capacity;
    struct sort_run *pieces;   /* by run: what is in memory of it; set by sort_spill_merge */
    uint32_t *heap;            /* of the merge */
    size_t piece_records;      /* of each run in memory, at most */
    struct event_note *notes;  /* read ahead */
    struct note_slots *keeper; /* of the notes that were read */
};

/* Nothing written yet. Notes are taken from the slots and put back there. sort_spill_done accepts
 * what this made. */
void sort_spill_init(struct sort_spill *spill, struct note_slots *keeper);
void sort_spill_done(struct sort_spill *spill);

/* Writes records[count], which ascend, and their notes, which it releases. ERR_FULL when the disk
 * is. */
bool sort_spill_add(struct sort_spill *spill, const struct sort_record *records, size_t count,
                    struct err *err);

/* Begins the merge of all runs. */
bool sort_spill_merge(struct sort_spill *spill, struct sort_merge *ret_merge, struct err *err);

#endif
