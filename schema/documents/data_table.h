/* A table of a profile, as `table` prints it: table.v1. Rows of values under columns, and facts of
 * the whole.
 *
 * What an absent value means is the column's; numbers are in the column's unit.
 */
#ifndef SCHEMA_DOCUMENTS_DATA_TABLE_H
#define SCHEMA_DOCUMENTS_DATA_TABLE_H

#include "ops/runtime/json.h"
#include "schema/documents/optional.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum data_kind { DATA_TEXT, DATA_INTEGER, DATA_REAL, DATA_BOOLEAN };

struct data_value {
    bool set; /* false: nothing is known */
    enum data_kind kind;
    union {
        const char *text;
        int64_t integer; /* a boolean: 0 or 1 */
        double real;
    };
};

static inline struct data_value data_text(const char *text)
{
    return (struct data_value){.set = text != NULL, .kind = DATA_TEXT, .text = text};
}

static inline struct data_value data_integer(int64_t integer)
{
    return (struct data_value){.set = true, .kind = DATA_INTEGER, .integer = integer};
}

static inline struct data_value data_real(double real)
{
    return (struct data_value){.set = true, .kind = DATA_REAL, .real = real};
}

static inline struct data_value data_boolean(bool holds)
{
    return (struct data_value){.set = true, .kind = DATA_BOOLEAN, .integer = holds};
}

static inline struct data_value data_opt_integer(struct opt_i64 number)
{
    return (struct data_value){
        .set = number.set, .kind = DATA_INTEGER, .integer = number.set ? number.value : 0};
}

static inline struct data_value data_opt_real(struct opt_f64 number)
{
    return (struct data_value){
        .set = number.set, .kind = DATA_REAL, .real = number.set ? number.value : 0};
}

struct data_column {
    const char *id, *label;
    const char *unit; /* us, bytes, count, …; "" of what has none */
    enum data_kind kind;
};

/* A fact of the whole table; of all its rows, whatever the limit. */
struct data_property {
    const char *name, *unit;
    struct data_value value;
};

/* A column that the table would have, and why this source cannot give it. */
struct data_absence {
    const char *column, *reason;
};

enum { DATA_COLUMNS_MAX = 64 };

struct data_table {
    const char *name; /* "kernels" */
    const struct data_column *columns;
    size_t column_count;
    const struct data_value *values; /* row after row */
    size_t row_count;
    const struct data_absence *absent;
    size_t absent_count;
    const struct data_property *properties; /* by name */
    size_t property_count;
};

static inline const struct data_value *data_row(const struct data_table *table, size_t row)
{
    return &table->values[row * table->column_count];
}

/* The cell of a row by the column's id; NULL: the table has no such column. */
const struct data_value *data_cell(const struct data_table *table, size_t row, const char *id);

/* A value; null where it is not set. */
void data_value_write(const struct data_value *value, struct json_writer *writer);

/* The array of columns: id, label, and the unit of each, or of what type of JavaScript it is. */
void data_columns_write(const struct data_table *table, bool typed, struct json_writer *writer);

/* table.v1 as text. Trouble is that of the text (text_ok). */
void data_table_print(const struct data_table *table, enum json_style style, struct text *out);

#endif
