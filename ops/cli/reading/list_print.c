/* Prints lists: what a column holds is known by its kind and its name. */
#include "ops/cli/reading/list_print.h"

#include "ops/cli/cli.h"
#include "ops/present/words/words.h"
#include "ops/present/page/page.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/json.h"
#include "ops/runtime/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct list_value *value_at(const struct list *list, size_t row, size_t column)
{
    return &list->values[row * list->column_count + column];
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *value_json(const struct list_column *column, const struct list_value *value)
{
    if (!value->set)
        return json_null();
    switch (column->kind) {
    case LIST_INTEGER:
        return json_integer((json_int_t)value->integer);
    case LIST_REAL:
        return json_number(value->real);
    case LIST_BOOLEAN:
        return json_boolean(value->integer != 0);
    default:
        return json_text(value->text);
    }
}

static json_t *row_json(const struct list *list, size_t row)
{
    json_t *object = json_object();
    for (size_t i = 0; object != NULL && i < list->column_count; i++)
        if (json_object_set_new(object, list->columns[i].name,
                                value_json(&list->columns[i], value_at(list, row, i))) != 0) {
            json_decref(object);
            return NULL;
        }
    return object;
}

static json_t *filters_json(const struct list_query *query)
{
    char since[CLOCK_ISO_BYTES];
    json_t *filters = json_object();
    for (int by = 0; filters != NULL && by < LIST_BY_COUNT; by++)
        if (query->by[by] != NULL)
            (void)json_object_set_new(filters, list_by_names[by], json_text(query->by[by]));
    if (filters != NULL && query->since_us != 0)
        (void)json_object_set_new(filters, "since_utc",
                                  json_text(clock_iso(query->since_us, since)));
    return filters;
}

bool list_print_json(const struct list_query *query, const struct list *list, struct text *out,
                     struct err *err)
{
    scoped_json *rows = json_array();
    bool made = rows != NULL;
    for (size_t i = 0; made && i < list->row_count; i++)
        made = json_array_append_new(rows, row_json(list, i)) == 0;
    scoped_json *root =
        !made ? NULL
              : json_pack("{ss, ss, so, sI, sb, sI, sO}", "schema_version", "list.v1", "of",
                          query->noun->name, "filters", filters_json(query), "limit",
                          (json_int_t)query->limit, "is_cut", (int)list->is_cut, "count",
                          (json_int_t)list->row_count, "rows", rows);
    if (root == NULL)
        return err_set_memory(err, "no memory for the list");
    json_print(root, JSON_STYLE_INDENTED, out);
    return text_ok(out, "the list", err);
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Whether anything in the column tells more than was asked for. */
static bool is_shown(const struct list_query *query, const struct list *list, size_t column)
{
    bool any = column == 0;
    for (int by = LIST_BY_PROJECT; column > 0 && by <= LIST_BY_WORKLOAD; by++)
        if (query->by[by] != NULL && strcmp(list->columns[column].name, list_by_names[by]) == 0)
            return false;
    for (size_t row = 0; !any && row < list->row_count; row++) {
        const struct list_value *value = value_at(list, row, column);
        any = value->set && (list->columns[column].kind != LIST_BOOLEAN || value->integer != 0);
    }
    return any;
}

/* "recorded_at_utc" -> "recorded", "step_us" -> "step time". */
static const char *title_of(const char *name)
{
    static const struct {
        const char *name, *title;
    } titles[] = {{"captured_at_utc", "captured"}, {"recorded_at_utc", "recorded"},
                  {"moved_at_utc", "moved"},       {"used_at_utc", "last used"},
                  {"step_us", "step time"},        {"before_us", "before"},
                  {"after_us", "after"},           {"change_pct", "estimate"},
                  {"newest_profile", "newest"},    {"newest_verdict", "newest"},
                  {"device_type", "device"},       {"device_count", "devices"},
                  {"host_count", "hosts"},         {"definition_version", "measures"}};
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        if (strcmp(titles[i].name, name) == 0)
            return titles[i].title;
    return name;
}

static void cell_add(const struct list_column *column, const struct list_value *value,
                     struct table *table)
{
    enum { TIME_CHARS = 16, HASH_CHARS = 12 };
    char buffer[64];
    bool is_hash = strcmp(column->name, "commit") == 0 || strcmp(column->name, "policy") == 0;
    if (!value->set)
        table_add(table, TONE_DIM, NULL);
    else if (column->kind == LIST_TIME) /* "2026-11-22 14:03" */
        table_addf(table, TONE_PLAIN, "%.10s %.5s", value->text, value->text + 11);
    else if (column->kind == LIST_BOOLEAN)
        table_add(table, TONE_WARN, value->integer != 0 ? "yes" : NULL);
    else if (column->kind == LIST_INTEGER)
        table_addf(table, TONE_PLAIN, "%" PRId64, value->integer);
    else if (column->kind == LIST_REAL && text_ends_with(column->name, "_us"))
        table_add(table, TONE_PLAIN, format_duration(value->real, 4, buffer));
    else if (column->kind == LIST_REAL)
        table_add(table, TONE_PLAIN, format_percent_delta(value->real, buffer));
    else if (is_hash)
        table_addf(table, TONE_PLAIN, "%.*s", HASH_CHARS, value->text);
    else
        table_add(table, TONE_PLAIN, value->text);
}

static void table_fill(const struct list_query *query, const struct list *list, struct page *page)
{
    enum { COLUMNS_MAX = 16 };
    struct table_column *columns = arena_array(page->arena, struct table_column, COLUMNS_MAX);
    size_t shown[COLUMNS_MAX], count = 0;
    page->failed |= columns == NULL;
    for (size_t i = 0; columns != NULL && i < list->column_count && count < COLUMNS_MAX; i++) {
        enum list_kind kind = list->columns[i].kind;
        if (!is_shown(query, list, i))
            continue;
        columns[count] = (struct table_column){
            title_of(list->columns[i].name),
            kind == LIST_TEXT ? i > 0 ? COLUMN_NAME : COLUMN_TEXT : COLUMN_NUMBER,
        };
        shown[count++] = i;
    }
    struct table *table = page_table(page, columns, count);
    for (size_t row = 0; row < list->row_count; row++)
        for (size_t i = 0; i < count; i++)
            cell_add(&list->columns[shown[i]], value_at(list, row, shown[i]), table);
}

bool list_print_text(const struct list_query *query, const struct list *list, struct text *out,
                     struct err *err)
{
    struct page page;
    scoped_arena arena;
    const struct text_style style = {cli_colour(STDOUT_FILENO), cli_columns(STDOUT_FILENO)};
    arena_init(&arena, PAGE_BUDGET_BYTES);
    page_init(&page, &arena, query->noun->name);
    if (list->row_count == 0)
        page_paragraph(&page, TONE_PLAIN, "no %s", query->noun->name);
    else
        table_fill(query, list, &page);
    if (list->is_cut)
        page_paragraph(&page, TONE_DIM,
                       "the newest %zu; there are more: --limit, or a filter shows them",
                       list->row_count);
    if (!page_ok(&page, "the list", err))
        return false;
    page_print_text(&page, &style, out);
    return text_ok(out, "the list", err);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void csv_value_add(const struct list_column *column, const struct list_value *value,
                          struct text *out)
{
    char number[TEXT_DOUBLE_BYTES];
    if (!value->set)
        return;
    if (column->kind == LIST_INTEGER)
        text_addf(out, "%" PRId64, value->integer);
    else if (column->kind == LIST_REAL)
        text_add(out, text_double(value->real, number));
    else if (column->kind == LIST_BOOLEAN)
        text_add(out, value->integer != 0 ? "yes" : "no");
    else
        csv_field_add(value->text, out);
}

bool list_print_csv(const struct list_query *query, const struct list *list, struct text *out,
                    struct err *err)
{
    (void)query;
    for (size_t i = 0; i < list->column_count; i++)
        text_addf(out, "%s%s", i > 0 ? "," : "", list->columns[i].name);
    for (size_t row = 0; row < list->row_count; row++) {
        text_add(out, "\r\n");
        for (size_t i = 0; i < list->column_count; i++) {
            text_add(out, i > 0 ? "," : "");
            csv_value_add(&list->columns[i], value_at(list, row, i), out);
        }
    }
    return text_ok(out, "the list", err);
}
