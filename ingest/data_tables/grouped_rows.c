#include "ingest/data_tables/grouped_rows.h"

#include "ingest/hlo/hlo.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_MAX_BYTES = 16 << 20 };

static const double ps_per_us = 1e6;

struct grouped_row {
    const struct data_value *keys;
    int64_t count, sums[ROW_SUMS_MAX];
    bool sums_known;
    int64_t total_ps, least_ps, most_ps;
};

void grouped_init(struct grouped_rows *rows, const struct table_kind *kind, struct arena *arena)
{
    *rows = (struct grouped_rows){.kind = kind, .arena = arena};
    for (size_t i = 0; i < kind->column_count; i++) {
        rows->key_count += kind->columns[i].role == ROW_KEY;
        rows->sum_count += kind->columns[i].role == ROW_SUM;
    }
    text_init(&rows->key, KEY_MAX_BYTES);
}

void grouped_done(struct grouped_rows *rows)
{
    text_done(&rows->key);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Equal keys are equal bytes: whether it is set, then a number, or a text with its end. */
static void key_write(struct grouped_rows *rows, const struct row_item *item)
{
    rows->key.length = 0;
    for (size_t i = 0; i < rows->key_count; i++) {
        const struct data_value *value = &item->keys[i];
        text_addc(&rows->key, value->set ? 1 : 0);
        if (value->set && value->kind == DATA_TEXT)
            text_addn(&rows->key, value->text, strlen(value->text) + 1);
        else if (value->set)
            text_addn(&rows->key, (const char *)&value->integer, sizeof value->integer);
    }
}

/* The row of the present key, as key_write made it of the item; it is new if need be. */
static struct grouped_row *row_of(struct grouped_rows *rows, const struct row_item *item)
{
    const size_t number =
        (size_t)byte_keys_number(&rows->by_key, rows->key.data, rows->key.length, rows->arena);
    if (number < rows->count)
        return &rows->rows[number];
    const char *key = rows->by_key.items[number].bytes;
    struct data_value *keys = arena_array(rows->arena, struct data_value, rows->key_count);
    for (size_t i = 0; i < rows->key_count; i++) {
        keys[i] = item->keys[i];
        key++;
        if (!keys[i].set)
            continue;
        if (keys[i].kind == DATA_TEXT)
            keys[i].text = key; /* it stands in the key */
        key += keys[i].kind == DATA_TEXT ? strlen(key) + 1 : sizeof keys[i].integer;
    }
    rows->rows =
        arena_grow(rows->arena, rows->rows, rows->count, &rows->capacity, sizeof *rows->rows);
    rows->rows[rows->count] = (struct grouped_row){.keys = keys};
    return &rows->rows[rows->count++];
}

static bool sums_refuse(const struct grouped_rows *rows, struct err *err)
{
    return err_set(err, ERR_INPUT, "the %s add up to more than 64 bits hold: the file is broken",
                   rows->kind->name);
}

bool grouped_add(struct grouped_rows *rows, const struct row_item *item, struct err *err)
{
    key_write(rows, item);
    if (!text_ok(&rows->key, "the rows of a table", err))
        return false;
    struct grouped_row *row = row_of(rows, item);
    if (row->count == 0 || item->least_ps < row->least_ps)
        row->least_ps = item->least_ps;
    if (row->count == 0 || item->most_ps > row->most_ps)
        row->most_ps = item->most_ps;
    row->sums_known = row->sums_known || !item->sums_unknown;
    bool fits = !__builtin_add_overflow(row->count, item->count, &row->count) &&
                !__builtin_add_overflow(row->total_ps, item->total_ps, &row->total_ps);
    for (size_t i = 0; i < rows->sum_count; i++)
        fits = fits && !__builtin_add_overflow(row->sums[i], item->sums[i], &row->sums[i]);
    return fits ? arena_ok(rows->arena, "the rows of a table", err) : sums_refuse(rows, err);
}

/* ---- the table ------------------------------------------------------------------------------- */

static int value_order(const struct data_value *a, const struct data_value *b)
{
    if (!a->set || !b->set)
        return (int)a->set - (int)b->set;
    if (a->kind == DATA_TEXT)
        return strcmp(a->text, b->text);
    return (a->integer > b->integer) - (a->integer < b->integer); /* doubles above 0, too */
}

static int row_order(const void *left, const void *right, void *context)
{
    const struct grouped_row *a = left, *b = right;
    const struct grouped_rows *rows = context;
    int order = (b->total_ps > a->total_ps) - (b->total_ps < a->total_ps);
    if (order == 0)
        order = (b->sums[0] > a->sums[0]) - (b->sums[0] < a->sums[0]);
    for (size_t i = 0; order == 0 && i < rows->key_count; i++)
        order = value_order(&a->keys[i], &b->keys[i]);
    return order;
}

static struct data_value tensor_value(enum tensor_core told)
{
    return told == TENSOR_CORE_UNKNOWN ? (struct data_value){.kind = DATA_BOOLEAN}
                                       : data_boolean(told == TENSOR_CORE_YES);
}

/* The values of a row, in the order of columns; rank 0: it is no row. */
static void row_fill(const struct grouped_rows *rows, const struct grouped_row *row, size_t rank,
                     struct data_value *values)
{
    const struct table_kind *kind = rows->kind;
    size_t key = 0, sum = 0;
    const char *op = NULL, *first = row->keys[0].set ? row->keys[0].text : NULL;
    const double count = row->count > 0 ? (double)row->count : 1;
    for (size_t i = 0; i < kind->column_count; i++) {
        switch (kind->columns[i].role) {
        case ROW_KEY:
            values[i] = row->keys[key++];
            if (values[i].set && strcmp(kind->columns[i].column.id, "op_name") == 0)
                op = values[i].text;
            break;
        case ROW_COUNT:
            values[i] = data_integer(row->count);
            break;
        case ROW_SUM:
            values[i] = data_integer(row->sums[sum++]);
            values[i].set = row->sums_known;
            break;
        case ROW_TOTAL:
            values[i] = data_real((double)row->total_ps / ps_per_us);
            break;
        case ROW_AVERAGE:
            values[i] = data_real((double)row->total_ps / ps_per_us / count);
            break;
        case ROW_LEAST:
            values[i] = data_real((double)row->least_ps / ps_per_us);
            break;
        case ROW_MOST:
            values[i] = data_real((double)row->most_ps / ps_per_us);
            break;
        case ROW_RANK:
            values[i] = data_integer((int64_t)rank);
            break;
        case ROW_USES_TENSOR:
            values[i] =
                tensor_value(first == NULL ? TENSOR_CORE_UNKNOWN : tensor_core_of_kernel(first));
            break;
        case ROW_ELIGIBLE_TENSOR:
            values[i] = tensor_value(tensor_core_of_op(op));
            break;
        }
        values[i].set = values[i].set && (rows->untold & 1U << kind->columns[i].role) == 0;
    }
}

/* Counts, sums and totals of all rows under the names of their columns. */
static bool properties_add(const struct grouped_rows *rows, struct made_rows *made, struct err *err)
{
    static const struct data_value nothing[ROW_KEYS_MAX] = {{0}};
    struct grouped_row total = {.keys = nothing};
    struct data_value values[ROW_COLUMNS_MAX];
    for (size_t r = 0; r < rows->count; r++) {
        const struct grouped_row *row = &rows->rows[r];
        total.sums_known = total.sums_known || row->sums_known;
        bool fits = !__builtin_add_overflow(total.count, row->count, &total.count) &&
                    !__builtin_add_overflow(total.total_ps, row->total_ps, &total.total_ps);
        for (size_t i = 0; i < rows->sum_count; i++)
            fits = fits && !__builtin_add_overflow(total.sums[i], row->sums[i], &total.sums[i]);
        if (!fits)
            return sums_refuse(rows, err);
    }
    row_fill(rows, &total, 0, values);
    for (size_t i = 0; i < rows->kind->column_count; i++) {
        const struct row_column *column = &rows->kind->columns[i];
        const bool adds_up =
            column->role == ROW_COUNT || column->role == ROW_SUM || column->role == ROW_TOTAL;
        if (adds_up && (values[i].set || rows->count == 0))
            made_property(made, column->column.id, column->column.unit, values[i]);
    }
    if (rows->file_count > 1)
        made_property(made, "host_count", "count", data_integer((int64_t)rows->file_count));
    return true;
}

bool grouped_table(struct grouped_rows *rows, int64_t limit, const char *source_format,
                   struct data_table *ret_table, struct err *err)
{
    const struct table_kind *kind = rows->kind;
    const char *reasons[ROW_COLUMNS_MAX];
    struct made_rows made;
    struct data_column *columns = arena_array(rows->arena, struct data_column, kind->column_count);
    if (rows->count > 0)
        qsort_r(rows->rows, rows->count, sizeof *rows->rows, row_order, rows);
    for (size_t i = 0; i < kind->column_count; i++) {
        columns[i] = kind->columns[i].column;
        reasons[i] = rows->count > 0 ? kind->columns[i].reason : NULL;
    }
    made_rows_init(&made, columns, kind->column_count, rows->arena);
    made.reasons = reasons;
    made.stay = true;
    for (size_t i = 0; i < rows->count; i++)
        row_fill(rows, &rows->rows[i], i + 1, made_row(&made));
    return properties_add(rows, &made, err) &&
           made_table(&made, kind->name, limit, source_format, ret_table, err);
}
