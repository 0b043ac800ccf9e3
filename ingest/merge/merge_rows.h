/* Rows of several hosts' tables that have one key, added up. Inside ingest/merge.
 */
#ifndef INGEST_MERGE_MERGE_ROWS_H
#define INGEST_MERGE_MERGE_ROWS_H

#include "ops/runtime/arena.h"
#include "schema/documents/summary.h"

/* A table of the summary: where its rows are, what tells them apart, how they add up. */
struct table {
    size_t rows_offset, count_offset, row_size;
    void (*key)(const void *row, const char *texts[3]);
    void (*add)(void *row, const void *other);
    void (*finish)(void *row); /* what follows from sums; NULL: nothing */
    int (*order)(const void *a, const void *b);
};

/* Fills the table of the summary with the rows of hosts[count], in the table's own order. false:
 * beyond the budget. */
bool table_merge(const struct summary *const *hosts, size_t count, const struct table *table,
                 struct arena *arena, struct summary *summary);

#endif
