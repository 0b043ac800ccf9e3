/* Rows of a table that is made of what a whole profile tells, in an order of its own, and the facts
 * beside them. All of it lies in an arena, whose budget made_table asks about.
 */
#ifndef INGEST_DATA_TABLES_MADE_ROWS_H
#define INGEST_DATA_TABLES_MADE_ROWS_H

#include "ops/runtime/arena.h"
#include "schema/documents/data_table.h"

struct made_rows {
    const struct data_column *columns; /* must stay */
    const char *const *reasons; /* by column: why a source may not give it (NULL: it always does);
                                   NULL: every column stays */
    size_t column_count;
    bool stay; /* columns without a value do, all null, and their reasons are told all the same */
    struct arena *arena;
    struct data_value *values;
    size_t count, capacity; /* rows */
    size_t withheld;        /* rows that a limit kept out: row_count counts them too */
    struct data_property *properties;
    size_t property_count, property_capacity;
};

/* No rows yet. */
void made_rows_init(struct made_rows *rows, const struct data_column *columns, size_t column_count,
                    struct arena *arena);

/* A new row, of which nothing is known: its values in the order of columns. */
struct data_value *made_row(struct made_rows *rows);

/* A fact of all rows; name and unit must stay. */
void made_property(struct made_rows *rows, const char *name, const char *unit,
                   struct data_value value);

/* The first `limit` rows (0 = all) as a table, without the columns that have a reason and in no row
 * a value (unless columns stay): those are told apart, because what was not measured is no zero;
 * and the properties by name, row_count and source_format among them. ERR_LIMIT. */
bool made_table(struct made_rows *rows, const char *name, int64_t limit, const char *source_format,
                struct data_table *ret_table, struct err *err);

/* Adds a fact to a table that is made. */
void data_table_tell(struct data_table *table, struct data_property property, struct arena *arena);

#endif
