/* From steps on devices to the step table: what reading one host's file and merging several share.
 *
 * Functions over rows alone: spans of several hosts are rows of one table once their devices are
 * numbered together, and a step that is warm-up on one host is so for all.
 */
#ifndef INGEST_STEP_TABLE_STEP_TABLE_H
#define INGEST_STEP_TABLE_STEP_TABLE_H

#include "ingest/step_table/step_stats.h"
#include "ingest/step_table/warmup.h"
#include "schema/documents/summary.h"

/* A step on one device, before it is part of a row. */
struct numbered_span {
    int64_t number;
    struct step_span span;
};

/* The rows of spans[count], which it sorts, by number, with periods and gaps. A number that comes
 * back on a device counts once. Which rows are warm-up is for the caller to say. */
void step_rows_make(struct numbered_span *spans, size_t count, struct arena *arena,
                    struct step_table *table);

/* The figures over steady rows of summary->steps and its other tables, and the median of each
 * device. */
void step_figures_make(struct summary *summary, struct arena *arena);

#endif
