/* stepledger list: what the ledger holds, by name. */
#include "compare/changes/changes.h"
#include "history/reading/reading.h"
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/flow/trends/trends.h"
#include "ops/present/page/page.h"
#include "ops/present/words/words.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/text_harmless.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LIST_MAX_BYTES = 1 << 30, LIMIT_MAX = 1000000, FILTERS_MAX_BYTES = 64 << 10 };

/* What a column holds is known by its kind and its name. */
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

/* list.v1. ERR_LIMIT. */
static bool list_print_json(const struct list_query *query, const struct list *list,
                            struct text *out, struct err *err)
{
    char since[CLOCK_ISO_BYTES];
    json_t *filters = json_object(), *rows = json_array();
    for (int by = 0; by < LIST_BY_COUNT; by++)
        if (query->by[by] != NULL)
            (void)json_object_set_new(filters, list_by_names[by], json_text(query->by[by]));
    if (query->since_us != 0)
        (void)json_object_set_new(filters, "since_utc",
                                  json_text(clock_iso(query->since_us, since)));
    for (size_t row = 0; row < list->row_count; row++) {
        json_t *object = json_object();
        (void)json_array_append_new(rows, object);
        for (size_t i = 0; i < list->column_count; i++)
            (void)json_object_set_new(object, list->columns[i].name,
                                      value_json(&list->columns[i], value_at(list, row, i)));
    }
    scoped_json *root =
        json_pack("{ss, ss, so, sI, sb, sI, so}", "schema_version", "list.v1", "of",
                  query->noun->name, "filters", filters, "limit", (json_int_t)query->limit,
                  "is_cut", (int)list->is_cut, "count", (json_int_t)list->row_count, "rows", rows);
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
    for (size_t i = 0; i < list->column_count && count < COLUMNS_MAX; i++) {
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

/* A table with short ids; long names are cut to the terminal's width. ERR_LIMIT. */
static bool list_print_text(const struct list_query *query, const struct list *list,
                            struct text *out, struct err *err)
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

/* A header and the rows, everything in full. ERR_LIMIT. */
static bool list_print_csv(const struct list_query *query, const struct list *list,
                           struct text *out, struct err *err)
{
    (void)query;
    for (size_t i = 0; i < list->column_count; i++)
        text_addf(out, "%s%s", i > 0 ? "," : "", list->columns[i].name);
    for (size_t row = 0; row < list->row_count; row++) {
        text_add(out, "\r\n");
        for (size_t i = 0; i < list->column_count; i++) {
            char number[TEXT_DOUBLE_BYTES];
            const struct list_value *value = value_at(list, row, i);
            const enum list_kind kind = list->columns[i].kind;
            text_add(out, i > 0 ? "," : "");
            if (!value->set)
                continue;
            if (kind == LIST_INTEGER)
                text_addf(out, "%" PRId64, value->integer);
            else if (kind == LIST_REAL)
                text_add(out, text_double(value->real, number));
            else if (kind == LIST_BOOLEAN)
                text_add(out, value->integer != 0 ? "yes" : "no");
            else
                csv_field_add(value->text, out);
        }
    }
    return text_ok(out, "the list", err);
}

/* ---- the command ----------------------------------------------------------------------------- */

static const struct {
    const char *name;
    bool (*print)(const struct list_query *query, const struct list *list, struct text *out,
                  struct err *err);
} formats[] = {{"json", list_print_json}, {"text", list_print_text}, {"csv", list_print_csv}};

static bool print(const struct cli *cli, const struct list_query *query, const struct list *list,
                  struct err *err)
{
    const char *wanted = cli_text(cli, "format");
    scoped_text out;
    text_init(&out, LIST_MAX_BYTES);
    if (wanted == NULL)
        wanted = isatty(STDOUT_FILENO) ? "text" : "json";
    if (list->row_count == 0) {
        /* On stderr too: who counts the rows of a table must not take silence for an answer. */
        scoped_text filters;
        text_init(&filters, FILTERS_MAX_BYTES);
        for (int by = 0; by < LIST_BY_COUNT; by++)
            if (query->by[by] != NULL)
                text_addf(&filters, ", %s %s", list_by_names[by], query->by[by]);
        harmless_say("stepledger list: the ledger holds no %s%s%s", query->noun->name,
                     text_shown(&filters), query->since_us != 0 ? ", since then" : "");
    }
    if (list->is_cut && strcmp(wanted, "text") != 0) {
        /* CSV has no place to say it, and who counts the rows of JSON may not look for `is_cut`. */
        harmless_say(
            "stepledger list: the newest %zu %s; there are more: --limit, or a filter shows "
            "them",
            list->row_count, query->noun->name);
    }
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(formats[i].name, wanted) == 0)
            return formats[i].print(query, list, &out, err) && cli_emit(NULL, &out, err);
    return err_set(err, ERR_BUG, "no printer for --format %s", wanted);
}

static bool list_show(struct cli *cli, struct err *err)
{
    struct arena *arena = &cli->arena;
    struct list list;
    struct list_query query = {0};
    scoped_db *db = NULL;
    const struct list_noun *noun = list_noun_find(cli->operands[0]);
    query.noun = noun;
    if (noun == NULL) {
        const char *names[LIST_NOUN_COUNT];
        for (size_t i = 0; i < LIST_NOUN_COUNT; i++)
            names[i] = list_nouns[i].name;
        return err_set(err, ERR_USAGE, "'%s' cannot be listed%s", cli->operands[0],
                       text_choices(cli->operands[0], names, LIST_NOUN_COUNT).words);
    }
    for (int by = 0; by < LIST_BY_COUNT; by++) {
        query.by[by] = cli_text(cli, list_by_names[by]);
        if (query.by[by] != NULL && (noun->filters & 1u << by) == 0)
            return err_set(err, ERR_USAGE, "--%s means nothing for %s", list_by_names[by],
                           noun->name);
    }
    const char *status = query.by[LIST_BY_STATUS], *since = cli_text(cli, "since");
    if (status != NULL && !cli_is_choice(noun->statuses, status))
        return err_set(err, ERR_USAGE, "option --status: '%s' is none of %s", status,
                       noun->statuses);
    query.limit = cli_int(cli, "limit");
    if (query.limit < 1 || query.limit > LIMIT_MAX)
        return err_set(err, ERR_USAGE, "option --limit: %lld is not from 1 to %d",
                       (long long)query.limit, LIMIT_MAX);
    if (since != NULL && !moment_read_past(since, "since", &query.since_us, err))
        return false;
    return connect_reader(cli, &db, err) && ledger_list(db, &query, arena, &list, err) &&
           print(cli, &query, &list, err);
}

static const struct cli_option options[] = {
    {"project", CLI_TEXT, "P", NULL, "only of this project"},
    {"workload", CLI_TEXT, "W", NULL, "only of this workload"},
    {"branch", CLI_TEXT, "B", NULL, "only of this branch"},
    {"commit", CLI_TEXT, "SHA", NULL, "only of this commit, or of those that start so"},
    {"run", CLI_TEXT, "RUN", NULL, "only of this run"},
    {"status", CLI_TEXT, "S", NULL,
     "profiles: counts (default), retracted, superseded, all; verdicts: pass, fail, ...; alerts: "
     "unresolved (default), open, ..., all; changes: standing (default), candidate, ..., all"},
    {"since", CLI_TEXT, "TIME", NULL,
     "only what was recorded then or later, whenever it was captured: 2026-11-30, 24h, 7d, 4w"},
    {"limit", CLI_INT, "N", "50", "rows listed; it is said when there are more"},
    {"format", CLI_CHOICE, "json|text|csv", NULL,
     "what to print (default: text on a terminal, else json)"},
    CLI_DB,
    CLI_DB_READ,
    CLI_END,
};

#define DIGITS(number) #number
#define DIGITS_OF(number) DIGITS(number)
#define SHOWN_BY DIGITS_OF(COURSE_NEWEST_RUNS)
#define SETTLED_BY DIGITS_OF(MARKING_SETTLED_RUNS)
#define NOUN_OPERAND(noun, filters, statuses) "|" #noun
const struct cli_command cmd_list = {
    .name = "list",
    .line = "list projects, workloads, series, runs, profiles, verdicts, ...",
    .operands = &LIST_NOUNS(NOUN_OPERAND)[1], /* behind the first bar */
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details =
        "Newest first, with the ids that other commands take (p12, v4, s3, l7). What was\n"
        "corrected stands as it is now; profiles that were retracted or superseded are listed\n"
        "when --status asks for them. Changes are those of the step time that the scheduler finds\n"
        "once a day. A gate goes by its runs and needs none of them: it sets runs of an older\n"
        "level aside where three or more look like a newer one, and is sure of it from\n" SHOWN_BY
        " runs on. A candidate adds nothing to that; with one that is confirmed, once " SETTLED_BY
        "\nruns hold the new level, the baseline begins anew, and no run before it is looked\n"
        "at. People confirm earlier (`rebaseline SERIES --at PROFILE`) or withdraw what was\n"
        "confirmed (--withdraw), and their word stands.\n"
        "\n" CLI_CSV_DETAILS
        "exit: 0 listed, also when there is nothing (which is said) · 2 usage · 69 database away",
    .run = list_show,
};
#undef NOUN_OPERAND
