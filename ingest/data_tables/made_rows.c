#include "ingest/data_tables/made_rows.h"

#include <stdlib.h>
#include <string.h>

void made_rows_init(struct made_rows *rows, const struct data_column *columns, size_t column_count,
                    struct arena *arena)
{
    *rows = (struct made_rows){.columns = columns, .column_count = column_count, .arena = arena};
}

struct data_value *made_row(struct made_rows *rows)
{
    const size_t row_size = rows->column_count * sizeof *rows->values;
    rows->values = arena_grow(rows->arena, rows->values, rows->count, &rows->capacity, row_size);
    return memset(&rows->values[rows->count++ * rows->column_count], 0, row_size);
}

void made_property(struct made_rows *rows, const char *name, const char *unit,
                   struct data_value value)
{
    rows->properties = arena_grow(rows->arena, rows->properties, rows->property_count,
                                  &rows->property_capacity, sizeof *rows->properties);
    rows->properties[rows->property_count++] = (struct data_property){name, unit, value};
}

static int property_order(const void *a, const void *b)
{
    return strcmp(((const struct data_property *)a)->name, ((const struct data_property *)b)->name);
}

/* Leaves out the columns that have no value, with their reasons. */
static void columns_keep(const struct made_rows *rows, struct data_table *table)
{
    size_t kept[DATA_COLUMNS_MAX], count = 0;
    struct data_column *columns = arena_array(rows->arena, struct data_column, rows->column_count);
    struct data_absence *absent = arena_array(rows->arena, struct data_absence, rows->column_count);
    for (size_t i = 0; i < rows->column_count; i++) {
        bool set = rows->reasons[i] == NULL;
        for (size_t row = 0; row < rows->count && !set; row++)
            set = rows->values[row * rows->column_count + i].set;
        if (!set)
            absent[table->absent_count++] =
                (struct data_absence){rows->columns[i].id, rows->reasons[i]};
        if (set || rows->stay) {
            columns[count] = rows->columns[i];
            kept[count++] = i;
        }
    }
    for (size_t row = 0; row < rows->count; row++) {
        for (size_t i = 0; i < count; i++) /* values move to the front only */
            rows->values[row * count + i] = rows->values[row * rows->column_count + kept[i]];
    }
    table->columns = columns;
    table->column_count = count;
    table->absent = absent;
}

bool made_table(struct made_rows *rows, const char *name, int64_t limit, const char *source_format,
                struct data_table *ret_table, struct err *err)
{
    made_property(rows, "row_count", "count",
                  data_integer((int64_t)(rows->count + rows->withheld)));
    made_property(rows, "source_format", "", data_text(source_format));
    qsort(rows->properties, rows->property_count, sizeof *rows->properties, property_order);
    *ret_table = (struct data_table){
        .name = name,
        .columns = rows->columns,
        .column_count = rows->column_count,
        .values = rows->values,
        .row_count = limit > 0 && (uint64_t)limit < rows->count ? (size_t)limit : rows->count,
        .properties = rows->properties,
        .property_count = rows->property_count,
    };
    if (rows->reasons != NULL)
        columns_keep(rows, ret_table);
    return arena_ok(rows->arena, "the rows of a table", err);
}

void data_table_tell(struct data_table *table, struct data_property property, struct arena *arena)
{
    struct data_property *properties =
        arena_array(arena, struct data_property, table->property_count + 1);
    for (size_t i = 0; i < table->property_count; i++)
        properties[i] = table->properties[i];
    properties[table->property_count++] = property;
    qsort(properties, table->property_count, sizeof *properties, property_order);
    table->properties = properties;
}
