/* Events of one table, grouped: equal keys are one row, however many events have them.
 *
 * What is kept grows with the rows alone, in an arena and so within its budget.
 */
#ifndef INGEST_DATA_TABLES_GROUPED_ROWS_H
#define INGEST_DATA_TABLES_GROUPED_ROWS_H

#include "ingest/data_tables/made_rows.h"
#include "ingest/data_tables/table_kinds.h"
#include "ingest/lookup/lookup.h"
#include "ops/runtime/text.h"

/* One event, or several of one key that somebody else has added up. */
struct row_item {
    struct data_value keys[ROW_KEYS_MAX]; /* texts are copied */
    int64_t count, sums[ROW_SUMS_MAX];
    bool sums_unknown;                   /* nothing tells them */
    int64_t total_ps, least_ps, most_ps; /* of tables with durations */
};

static inline void row_item_time(struct row_item *item, int64_t duration_ps)
{
    item->count = 1;
    item->total_ps = item->least_ps = item->most_ps = duration_ps;
}

struct grouped_row;

struct grouped_rows {
    const struct table_kind *kind;
    struct arena *arena;
    size_t key_count, sum_count;
    struct grouped_row *rows;
    size_t count, capacity;
    struct byte_keys by_key; /* the numbers of rows */
    struct text key;         /* of the present item */
    unsigned untold;         /* bits of enum row_role that no item tells */
    size_t file_count;       /* of hosts, that rows are of; told where there are several */
    const char *cut;         /* that a file was cut off; NULL: none was */
    const char *nothing;     /* why the file gives no rows, as a sentence without subject; NULL: as
                                all of its kind */
};

/* No rows yet. grouped_done accepts a zeroed struct. */
void grouped_init(struct grouped_rows *rows, const struct table_kind *kind, struct arena *arena);
void grouped_done(struct grouped_rows *rows);

/* Adds to the row of the item's keys. ERR_LIMIT beyond the budget; ERR_INPUT when sums do not fit
 * 64 bits. */
bool grouped_add(struct grouped_rows *rows, const struct row_item *item, struct err *err);

/* The first `limit` rows (0 = all), most time or, without durations, most of the first sum first,
 * equal ones by key; and the properties: row_count, the sums and the total of all rows, and
 * source_format. Columns are the same of all sources, for they are the keys of rows: what no row
 * has is null, and the table says why. All of it lies in the arena. */
bool grouped_table(struct grouped_rows *rows, int64_t limit, const char *source_format,
                   struct data_table *ret_table, struct err *err);

#define scoped_grouped __attribute__((cleanup(grouped_done))) struct grouped_rows

#endif
