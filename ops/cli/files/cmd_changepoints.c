/* stepledger changepoints: where a plain series of numbers changed its level. */
#include "compare/changes/changes.h"
#include "ops/cli/cli.h"
#include "ops/present/trend/trend.h"
#include "ops/runtime/file.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { FILE_MAX_BYTES = 64 << 20, DOCUMENT_MAX_BYTES = 64 << 20, CELL_BYTES = 256 };
enum { CELL_SHOWN = 40 };

static const double value_most = 1e100; /* beyond it differences and their squares overflow */

/* Numbers with the places they had among the missing ones. */
struct series {
    const char *path;
    double *values;
    int64_t *places;
    size_t count, place_count, capacity, place_capacity;
    size_t line; /* that is read, of a CSV file; 0 = JSON */
    struct arena *arena;
};

/* NAN = missing. */
static bool value_add(struct series *series, double value, struct err *err)
{
    int64_t place = (int64_t)series->place_count++;
    if (isnan(value))
        return true;
    if (fabs(value) > value_most)
        return err_set(err, ERR_INPUT,
                       "%s: %s %zu: %g is beyond %g, where differences cannot be told; divide all "
                       "values by one power of ten",
                       series->path, series->line > 0 ? "line" : "value",
                       series->line > 0 ? series->line : (size_t)place, value,
                       value < 0 ? -value_most : value_most);
    series->values = arena_grow(series->arena, series->values, series->count, &series->capacity,
                                sizeof *series->values);
    series->places = arena_grow(series->arena, series->places, series->count,
                                &series->place_capacity, sizeof *series->places);
    series->values[series->count] = value;
    series->places[series->count++] = place;
    return arena_ok(series->arena, "the series", err);
}

/* An array of numbers and nulls, or the TCPD benchmark's object: {"series": [{"raw": [...]}]}. */
static bool json_series(struct series *series, const char *data, size_t length, struct err *err)
{
    scoped_json *root = json_parse(data, length, series->path, err);
    if (root == NULL)
        return false;
    const json_t *all = json_object_get(root, "series"), *values = root;
    if (json_is_array(all) && json_array_size(all) != 1)
        return err_set(err, ERR_INPUT, "%s: 'series' holds %zu series; give one a file",
                       series->path, json_array_size(all));
    if (json_is_object(root))
        values = json_object_get(json_array_get(all, 0), "raw");
    if (!json_is_array(values))
        return err_set(err, ERR_INPUT,
                       "%s: neither an array of numbers nor an object with series[0].raw",
                       series->path);
    for (size_t i = 0; i < json_array_size(values); i++) {
        const json_t *value = json_array_get(values, i);
        if (!json_is_number(value) && !json_is_null(value))
            return err_set(err, ERR_INPUT, "%s: value %zu is neither a number nor null",
                           series->path, i);
        double number = json_is_null(value) ? NAN : json_number_value(value);
        if (!value_add(series, number, err))
            return false;
    }
    return true;
}

/* A cell as a number: false when it is something else; NAN when it is empty. */
static bool cell_number(const char *cell, size_t length, double *ret_number)
{
    char copy[CELL_BYTES];
    *ret_number = NAN;
    if (length == 0)
        return true;
    if (length >= sizeof copy)
        return false;
    memcpy(copy, cell, length);
    copy[length] = '\0';
    return text_parse_double(copy, ret_number);
}

/* Where the field ends that begins there. Commas within quotes belong to it. */
static const char *field_end(const char *field, const char *end)
{
    for (bool quoted = false; field < end && (quoted || *field != ','); field++)
        quoted ^= *field == '"';
    return field;
}

static size_t field_count(const char *line, size_t length)
{
    size_t count = 1;
    const char *end = line + length;
    for (const char *stop = field_end(line, end); stop < end; stop = field_end(stop + 1, end))
        count++;
    return count;
}

/* The column's cell of a line, without the blanks and quotes around it; NULL when the line has
 * fewer. column < 0: the last. */
static const char *line_cell(const char *line, size_t length, int64_t column, size_t *ret_length)
{
    const char *cell = line, *end = line + length, *stop;
    for (int64_t at = 0;; at++, cell = stop + 1) {
        stop = field_end(cell, end);
        if (at == column || (column < 0 && stop == end))
            break;
        if (stop == end)
            return NULL;
    }
    *ret_length = (size_t)(stop - cell);
    text_strip(&cell, ret_length);
    if (*ret_length >= 2 && cell[0] == '"' && cell[*ret_length - 1] == '"') {
        cell++;
        *ret_length -= 2;
    }
    return cell;
}

static bool column_find(const char *path, const char *header, size_t length, const char *wanted,
                        int64_t *ret_column, struct err *err)
{
    for (int64_t i = 0;; i++) {
        size_t cell_length;
        const char *cell = line_cell(header, length, i, &cell_length);
        if (cell == NULL)
            return err_set(err, ERR_USAGE,
                           "option --column: %s has no column '%s' in its first line", path,
                           wanted);
        if (strlen(wanted) == cell_length && memcmp(cell, wanted, cell_length) == 0) {
            *ret_column = i;
            return true;
        }
    }
}

/* A table while it is read. */
struct table_reading {
    struct series *series;
    const char *wanted; /* column; NULL = the last */
    int64_t column;
    size_t fields; /* of each line; 0: no line held anything yet */
    size_t empty;  /* lines since the last that held something */
};

/* What begins as a number does is no name: "1OO.2" is a mistake, 1e999 is too large. */
static bool begins_as_number(const char *cell, size_t length)
{
    size_t at = length > 0 && strchr("+-", cell[0]) != NULL;
    at += length > at && cell[at] == '.';
    return length > at && cell[at] >= '0' && cell[at] <= '9';
}

/* The first line that holds something may be names, in which the wanted column is looked for. */
static bool first_line_read(struct table_reading *table, const char *line, size_t length,
                            bool *ret_names, struct err *err)
{
    size_t cell_length;
    double number;
    table->fields = field_count(line, length);
    *ret_names = table->wanted != NULL;
    if (table->wanted != NULL)
        return column_find(table->series->path, line, length, table->wanted, &table->column, err);
    const char *cell = line_cell(line, length, table->column, &cell_length);
    *ret_names = !cell_number(cell, cell_length, &number) && !begins_as_number(cell, cell_length);
    return true;
}

/* Lines of nothing: values that are missing, of a column that is alone. */
static bool empty_lines_read(struct table_reading *table, struct err *err)
{
    for (; table->empty > 0; table->empty--) {
        if (table->fields > 1)
            return err_set(err, ERR_INPUT,
                           "%s: line %zu is empty, the first one has %zu fields: a missing value "
                           "is an empty field between commas",
                           table->series->path, table->series->line - table->empty, table->fields);
        if (!value_add(table->series, NAN, err))
            return false;
    }
    return true;
}

static bool line_read(struct table_reading *table, const char *line, size_t length, struct err *err)
{
    double number;
    size_t cell_length = 0, fields = field_count(line, length);
    const struct series *series = table->series;
    if (fields != table->fields)
        return err_set(err, ERR_INPUT,
                       "%s: line %zu has %zu field%s ('%.*s'), the first one %zu: a missing value "
                       "is an empty field, and a number has a point, no comma",
                       series->path, series->line, fields, fields == 1 ? "" : "s",
                       length > CELL_SHOWN ? CELL_SHOWN : (int)length, line, table->fields);
    const char *cell = line_cell(line, length, table->column, &cell_length);
    if (!cell_number(cell, cell_length, &number))
        return err_set(err, ERR_INPUT,
                       "%s: line %zu: '%.*s' is no number; --column NAME chooses another column",
                       series->path, series->line, (int)cell_length, cell);
    return value_add(table->series, number, err);
}

/* One value a line: the named column, else the last; the first line may be names. */
static bool csv_series(struct series *series, const char *data, size_t size, const char *wanted,
                       struct err *err)
{
    struct table_reading table = {.series = series, .wanted = wanted, .column = -1};
    const char *end = data + size;
    for (const char *line = data; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        const char *next = stop == NULL ? end : stop + 1;
        size_t length = (size_t)((stop == NULL ? end : stop) - line), blanks = 0;
        bool is_names = false, is_first = table.fields == 0;
        while (blanks < length &&
               (line[blanks] == ' ' || line[blanks] == '\t' || line[blanks] == '\r'))
            blanks++;
        series->line++;
        if (blanks == length) {
            table.empty++;
            line = next;
            continue;
        }
        length -= line[length - 1] == '\r';
        if (is_first && !first_line_read(&table, line, length, &is_names, err))
            return false;
        if (is_names)
            table.empty = 0;
        else if (!empty_lines_read(&table, err) || !line_read(&table, line, length, err))
            return false;
        line = next;
    }
    series->line++;
    return table.fields != 1 || empty_lines_read(&table, err); /* else behind the table */
}

static bool series_read(struct cli *cli, struct arena *arena, struct series *ret_series,
                        struct err *err)
{
    struct series series = {.path = cli->operands[0], .arena = arena};
    const char *column = cli_text(cli, "column");
    char *data;
    size_t length, mark;
    if (!file_read(series.path, FILE_MAX_BYTES, arena, &data, &length, err))
        return false;
    mark = text_utf8_mark(data, length);
    data += mark;
    length -= mark;
    bool json = data[strspn(data, " \t\r\n")] == '[' || data[strspn(data, " \t\r\n")] == '{';
    if (strlen(data) != length)
        return err_set(err, ERR_INPUT, "%s: holds NUL bytes: neither JSON nor CSV", series.path);
    if (json && column != NULL)
        return err_set(err, ERR_USAGE, "option --column: %s is JSON", series.path);
    if (!(json ? json_series(&series, data, length, err)
               : csv_series(&series, data, length, column, err)))
        return false;
    if (series.count == 0)
        return err_set(err, ERR_INPUT, "%s: holds no number", series.path);
    *ret_series = series;
    return arena_ok(arena, "the series", err);
}

static bool changepoints(struct cli *cli, struct err *err)
{
    struct arena *arena = &cli->arena;
    struct series series = {0};
    struct change_report report;
    const char *output = cli_text(cli, "output");
    if (!series_read(cli, arena, &series, err) ||
        !changes_find(series.values, series.count, arena, &report, err))
        return false;
    report.source = series.path;
    report.missing_count = (int64_t)(series.place_count - series.count);
    for (size_t i = 0; i < report.change_point_count; i++) {
        struct change_point *point = &report.change_points[i];
        point->index = series.places[point->index];
        point->first = series.places[point->first];
        point->last = series.places[point->last];
    }
    if (strcmp(cli_text(cli, "format"), "json") == 0)
        return document_print(output, change_report_to_json(&report), err);
    scoped_text out;
    const struct text_style style = {cli_colour(STDOUT_FILENO), cli_columns(STDOUT_FILENO)};
    text_init(&out, DOCUMENT_MAX_BYTES);
    return change_points_text(&report, &style, &out, err) && cli_emit(output, &out, err);
}

static const struct cli_option options[] = {
    {"column", CLI_TEXT, "NAME", NULL, "of a CSV file, by its first line (default: the last)"},
    {"format", CLI_CHOICE, "json|text", "json", "what to print"},
    {"output", CLI_TEXT, "FILE", NULL, "write there and print the path"},
    CLI_END,
};

const struct cli_command cmd_changepoints = {
    .name = "changepoints",
    .line = "where a series of numbers changed its level",
    .operands = "FILE",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details =
        "FILE is a JSON array of numbers (null: missing), a CSV file of one value a line (empty\n"
        "field or line: missing; all lines of as many fields), or the JSON of TCPD's benchmark. A\n"
        "confirmed change stands out of noise as correlated as the series' own is, and lasts; a\n"
        "suspected one would stand out if neighbours were independent. The index is that of the\n"
        "first value of the new level, from 0; the change lies from first to last (95 %). Needs\n"
        "no database.\n\n"
        "exit: 0 shown, with changes or without · 2 usage · 6 no such file · 65 not a series",
    .run = changepoints,
};
