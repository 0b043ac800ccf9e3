#include "ops/cli/files/table_print.h"

#include "ops/cli/cli.h"
#include "ops/present/page/page.h"
#include "ops/present/words/words.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { NUMBER_BYTES = 64 };

/* A real number by its unit: "12.3 ms", "41.2 %", else four digits. */
static const char *real_shown(const char *unit, double number, char *buffer)
{
    static const double us_per_ms = 1e3, bytes_most = 9e18;
    if (strcmp(unit, "us") == 0 || strcmp(unit, "ms") == 0)
        return format_duration(unit[0] == 'm' ? us_per_ms * number : number, 4, buffer);
    if (strcmp(unit, "bytes") == 0 && number >= 0 && number < bytes_most)
        return format_size((int64_t)number, buffer);
    if (strcmp(unit, "ratio") == 0 || strcmp(unit, "percent") == 0)
        return format_share_digits(unit[0] == 'r' ? number : number / 100, buffer);
    (void)snprintf(buffer, NUMBER_BYTES, "%.4g", number);
    return buffer;
}

/* "12.3 ms", "1.5 GiB", "1200". */
static const char *value_shown(const char *unit, const struct data_value *value, char *buffer)
{
    if (!value->set)
        return NULL;
    if (value->kind == DATA_TEXT)
        return value->text;
    if (value->kind == DATA_REAL)
        return real_shown(unit, value->real, buffer);
    if (value->kind == DATA_BOOLEAN)
        return value->integer != 0 ? "yes" : "no";
    if (strcmp(unit, "bytes") == 0)
        return format_size(value->integer, buffer);
    (void)snprintf(buffer, NUMBER_BYTES, "%" PRId64, value->integer);
    return buffer;
}

/* Headings of columns say their unit, where a number does not; names of facts do not. */
static const char *unit_shown(const struct data_property *property)
{
    static const char *const units[][2] = {
        {"gflops_per_s", " GFLOP/s"}, {"gib_per_s", " GiB/s"}, {"flops_per_byte", " flop/byte"}};
    for (size_t i = 0; property->value.set && i < sizeof units / sizeof units[0]; i++)
        if (strcmp(property->unit, units[i][0]) == 0)
            return units[i][1];
    return "";
}

static void rows_add(const struct data_table *data, struct page *page)
{
    struct table_column *columns =
        arena_array(page->arena, struct table_column, data->column_count);
    for (size_t i = 0; i < data->column_count; i++)
        columns[i] = (struct table_column){
            data->columns[i].label,
            data->columns[i].kind == DATA_TEXT || data->columns[i].kind == DATA_BOOLEAN
                ? COLUMN_NAME
                : COLUMN_NUMBER,
        };
    struct table *table = page_table(page, columns, data->column_count);
    for (size_t row = 0; row < data->row_count; row++) {
        for (size_t i = 0; i < data->column_count; i++) {
            char buffer[NUMBER_BYTES];
            table_add(table, TONE_PLAIN,
                      value_shown(data->columns[i].unit, &data_row(data, row)[i], buffer));
        }
    }
}

bool table_print_text(const struct data_table *table, struct text *out, struct err *err)
{
    struct page page;
    scoped_arena arena;
    const struct text_style style = {cli_colour(STDOUT_FILENO), cli_columns(STDOUT_FILENO)};
    arena_init(&arena, PAGE_BUDGET_BYTES);
    page_init(&page, &arena, table->name);
    rows_add(table, &page);
    for (size_t i = 0; i < table->property_count; i++) {
        char buffer[NUMBER_BYTES];
        const struct data_property *property = &table->properties[i];
        const char *shown = value_shown(property->unit, &property->value, buffer);
        page_item(&page, TONE_DIM, property->name, "%s%s", shown == NULL ? "-" : shown,
                  unit_shown(property));
    }
    for (size_t i = 0; i < table->absent_count; i++)
        page_item(&page, TONE_DIM, table->absent[i].column, "not known: %s",
                  table->absent[i].reason);
    if (!page_ok(&page, "the table", err))
        return false;
    page_print_text(&page, &style, out);
    return text_ok(out, "the table", err);
}

bool table_print_xprof(const struct data_table *table, struct text *out, struct err *err)
{
    struct json_writer writer = {.out = out, .style = JSON_STYLE_LINE};
    json_open(&writer, '{');
    json_key(&writer, "cols");
    data_columns_write(table, true, &writer);
    /* As xprof answers: columns by id with a type of JavaScript, cells in their order, facts
     * as texts. */
    char number[NUMBER_BYTES];
    json_key(&writer, "p");
    json_open(&writer, '{');
    for (size_t i = 0; i < table->property_count; i++) {
        const struct data_value *value = &table->properties[i].value;
        if (!value->set)
            continue;
        if (value->kind == DATA_INTEGER)
            (void)snprintf(number, sizeof number, "%" PRId64, value->integer);
        json_key(&writer, table->properties[i].name);
        json_write_text(&writer, value->kind == DATA_TEXT   ? value->text
                                 : value->kind == DATA_REAL ? text_double(value->real, number)
                                                            : number);
    }
    json_close(&writer, '}');
    json_key(&writer, "rows");
    json_open(&writer, '[');
    for (size_t row = 0; row < table->row_count; row++) {
        json_item(&writer);
        json_open(&writer, '{');
        json_key(&writer, "c");
        json_open(&writer, '[');
        for (size_t i = 0; i < table->column_count; i++) {
            json_item(&writer);
            json_open(&writer, '{');
            json_key(&writer, "v");
            data_value_write(&data_row(table, row)[i], &writer);
            json_close(&writer, '}');
        }
        json_close(&writer, ']');
        json_close(&writer, '}');
    }
    json_close(&writer, ']');
    json_close(&writer, '}');
    return text_ok(out, "the table", err);
}

bool table_print_csv(const struct data_table *table, struct text *out, struct err *err)
{
    char number[TEXT_DOUBLE_BYTES];
    for (size_t i = 0; i < table->column_count; i++)
        text_addf(out, "%s%s", i > 0 ? "," : "", table->columns[i].id);
    for (size_t row = 0; row < table->row_count; row++) {
        text_add(out, "\r\n");
        for (size_t i = 0; i < table->column_count; i++) {
            const struct data_value *value = &data_row(table, row)[i];
            text_add(out, i > 0 ? "," : "");
            if (!value->set)
                continue;
            if (value->kind == DATA_INTEGER)
                text_add_i64(out, value->integer);
            else if (value->kind == DATA_BOOLEAN)
                text_add(out, value->integer != 0 ? "true" : "false");
            else if (value->kind == DATA_REAL)
                text_add(out, text_double(value->real, number));
            else
                csv_field_add(value->text, out);
        }
    }
    return text_ok(out, "the table", err);
}
