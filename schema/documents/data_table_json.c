/* See data_table.h. Written value by value: a table may have a million rows. */
#include "schema/documents/data_table.h"

#include <assert.h>
#include <string.h>

const struct data_value *data_cell(const struct data_table *table, size_t row, const char *id)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (strcmp(table->columns[i].id, id) == 0)
            return &data_row(table, row)[i];
    return NULL;
}

void data_value_write(const struct data_value *value, struct json_writer *writer)
{
    if (!value->set)
        json_write_null(writer);
    else if (value->kind == DATA_INTEGER)
        json_write_int(writer, value->integer);
    else if (value->kind == DATA_REAL)
        json_write_number(writer, value->real);
    else if (value->kind == DATA_BOOLEAN)
        json_write_bool(writer, value->integer != 0);
    else
        json_write_text(writer, value->text);
}

void data_columns_write(const struct data_table *table, bool typed, struct json_writer *writer)
{
    json_open(writer, '[');
    for (size_t i = 0; i < table->column_count; i++) {
        const enum data_kind kind = table->columns[i].kind;
        const char *type = kind == DATA_TEXT      ? "string"
                           : kind == DATA_BOOLEAN ? "boolean"
                                                  : "number";
        json_item(writer);
        json_open(writer, '{');
        json_key(writer, "id");
        json_write_text(writer, table->columns[i].id);
        json_key(writer, "label");
        json_write_text(writer, table->columns[i].label);
        json_key(writer, typed ? "type" : "unit");
        json_write_text(writer, typed ? type : table->columns[i].unit);
        json_close(writer, '}');
    }
    json_close(writer, ']');
}

static void rows_write(struct json_writer *writer, const struct data_table *table)
{
    size_t order[DATA_COLUMNS_MAX];
    /* Columns in the order of their ids, as members of documents stand. */
    assert(table->column_count <= DATA_COLUMNS_MAX);
    for (size_t i = 0; i < table->column_count; i++) {
        size_t at = i;
        for (; at > 0 && strcmp(table->columns[order[at - 1]].id, table->columns[i].id) > 0; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    json_open(writer, '[');
    for (size_t row = 0; row < table->row_count; row++) {
        json_item(writer);
        json_open(writer, '{');
        for (size_t i = 0; i < table->column_count; i++) {
            json_key(writer, table->columns[order[i]].id);
            data_value_write(&data_row(table, row)[order[i]], writer);
        }
        json_close(writer, '}');
    }
    json_close(writer, ']');
}

void data_table_print(const struct data_table *table, enum json_style style, struct text *out)
{
    struct json_writer writer = {.out = out, .style = style};
    json_open(&writer, '{');
    json_key(&writer, "absent");
    json_open(&writer, '[');
    for (size_t i = 0; i < table->absent_count; i++) {
        json_item(&writer);
        json_open(&writer, '{');
        json_key(&writer, "column");
        json_write_text(&writer, table->absent[i].column);
        json_key(&writer, "reason");
        json_write_text(&writer, table->absent[i].reason);
        json_close(&writer, '}');
    }
    json_close(&writer, ']');
    json_key(&writer, "columns");
    data_columns_write(table, false, &writer);
    json_key(&writer, "properties");
    json_open(&writer, '{');
    for (size_t i = 0; i < table->property_count; i++) {
        json_key(&writer, table->properties[i].name);
        data_value_write(&table->properties[i].value, &writer);
    }
    json_close(&writer, '}');
    json_key(&writer, "rows");
    rows_write(&writer, table);
    json_key(&writer, "schema_version");
    json_write_text(&writer, "table.v1");
    json_key(&writer, "table");
    json_write_text(&writer, table->name);
    json_close(&writer, '}');
}
