/* Answers of xprof that are two tables: its framework_op_stats has the ops with the device's idle
 * time among them, and without it; its roofline_model says in a second one what is in doubt. */
#include "ops/cli/files/table_print.h"

#include "ops/runtime/arena.h"

#include <string.h>

enum { PAIR_BYTES = 1 << 30 }; /* at most: a copy of the table */

static bool pair_print(const struct data_table *first, const struct data_table *second,
                       struct text *out, struct err *err)
{
    text_add(out, "[");
    if (first != NULL && !table_print_xprof(first, out, err))
        return false;
    text_add(out, first != NULL ? ", " : "");
    if (!table_print_xprof(second, out, err))
        return false;
    text_add(out, "]");
    return text_ok(out, "the tables", err);
}

static int column_of(const struct data_table *table, const char *id)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (strcmp(table->columns[i].id, id) == 0)
            return (int)i;
    return -1;
}

static void cell_set(const struct data_table *table, struct data_value *row, const char *id,
                     struct data_value value)
{
    const int column = column_of(table, id);
    if (column >= 0)
        row[column] = value;
}

static double cell_real(const struct data_table *table, size_t row, const char *id)
{
    const struct data_value *value = data_cell(table, row, id);
    return value != NULL && value->set && value->kind == DATA_REAL ? value->real : 0;
}

static double fact_us(const struct data_table *table, const char *name)
{
    for (size_t i = 0; i < table->property_count; i++)
        if (strcmp(table->properties[i].name, name) == 0 &&
            table->properties[i].value.kind == DATA_REAL)
            return table->properties[i].value.real;
    return 0;
}

/* Waiting is an op `IDLE` there, in its place among the others, and shares are of all time. */
static void idle_add(const struct data_table *table, double idle_us, struct data_value *values)
{
    const size_t width = table->column_count;
    const double whole_us = fact_us(table, "self_time_us") + idle_us;
    double so_far_us = 0;
    for (size_t i = 0, from = 0; i <= table->row_count; i++) {
        struct data_value *row = values + i * width;
        const bool left = from < table->row_count;
        const double own_us = left ? cell_real(table, from, "total_self_time") : -1;
        const bool is_idle = from == i && own_us < idle_us;
        const double us = is_idle ? idle_us : own_us;
        if (!is_idle)
            memcpy(row, data_row(table, from++), width * sizeof *row);
        so_far_us += us;
        cell_set(table, row, "rank", data_integer((int64_t)i + 1));
        cell_set(table, row, "device_total_self_time_percent", data_real(us / whole_us));
        cell_set(table, row, "device_cumulative_total_self_time_percent",
                 data_real(so_far_us / whole_us));
        if (!is_idle)
            continue;
        static const char *const texts[][2] = {{"host_or_device", "Device"},
                                               {"type", "IDLE"},
                                               {"operation", "IDLE"},
                                               {"bound_by", "Unknown"}};
        for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
            cell_set(table, row, texts[k][0], data_text(texts[k][1]));
        cell_set(table, row, "occurrences", data_integer(0));
        cell_set(table, row, "total_time", data_real(us));
        cell_set(table, row, "total_self_time", data_real(us));
    }
}

/* Whether a limit keeps rows out. */
static bool is_cut(const struct data_table *table)
{
    for (size_t i = 0; i < table->property_count; i++)
        if (strcmp(table->properties[i].name, "row_count") == 0)
            return table->properties[i].value.integer > (int64_t)table->row_count;
    return false;
}

bool table_print_framework_ops(const struct data_table *const *parts, struct text *out,
                               struct err *err)
{
    const struct data_table *table = parts[0];
    const double idle_us = fact_us(table, "idle_time_us");
    struct data_table with_idle = *table;
    scoped_arena arena;
    arena_init(&arena, PAIR_BYTES);
    if (idle_us <= 0) /* nobody tells it */
        return pair_print(NULL, table, out, err);
    struct data_value *values =
        arena_array(&arena, struct data_value, (table->row_count + 1) * table->column_count);
    idle_add(table, idle_us, values);
    with_idle.values = values;
    with_idle.row_count += !is_cut(table); /* else it is one of so many, if it takes its place */
    return pair_print(&with_idle, table, out, err);
}

bool table_print_roofline(const struct data_table *const *parts, struct text *out, struct err *err)
{
    const struct data_table *table = parts[0];
    static const struct data_column columns[] = {{"severity", "severity", "", DATA_TEXT},
                                                 {"message", "message", "", DATA_TEXT}};
    enum { COLUMNS = sizeof columns / sizeof columns[0] };
    struct data_table diagnostics = {
        .name = "diagnostics", .columns = columns, .column_count = COLUMNS};
    scoped_arena arena;
    arena_init(&arena, PAIR_BYTES);
    struct data_value *values =
        arena_array(&arena, struct data_value, COLUMNS * (table->absent_count + 1));
    for (size_t i = 0; i < table->absent_count; i++) {
        values[COLUMNS * i] = data_text("Warning");
        values[COLUMNS * i + 1] = data_text(
            arena_printf(&arena, "%s: %s", table->absent[i].column, table->absent[i].reason));
    }
    diagnostics.values = values;
    diagnostics.row_count = table->absent_count;
    return pair_print(table, &diagnostics, out, err);
}
