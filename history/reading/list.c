/* Implements lists: every statement takes the same parameters, and names its columns. */
#include "history/reading/list.h"

#include "history/client/client.h"

#include <math.h>
#include <string.h>

const char *const list_by_names[LIST_BY_COUNT] = {
    [LIST_BY_PROJECT] = "project", [LIST_BY_WORKLOAD] = "workload", [LIST_BY_BRANCH] = "branch",
    [LIST_BY_COMMIT] = "commit",   [LIST_BY_RUN] = "run",           [LIST_BY_STATUS] = "status",
};

const struct list_noun list_nouns[LIST_NOUN_COUNT] = {
#define LIST_NOUN_ROW(noun, filters, statuses) {#noun, filters, statuses, Q_list_##noun},
    LIST_NOUNS(LIST_NOUN_ROW)
#undef LIST_NOUN_ROW
};

const struct list_noun *list_noun_find(const char *name)
{
    for (size_t i = 0; i < LIST_NOUN_COUNT; i++)
        if (strcmp(list_nouns[i].name, name) == 0)
            return &list_nouns[i];
    return NULL;
}

static enum list_kind kind_of(const PGresult *rows, int column)
{
    switch (PQftype(rows, column)) {
    case OID_BIGINT:
        return LIST_INTEGER;
    case OID_FLOAT8:
        return LIST_REAL;
    case OID_BOOLEAN:
        return LIST_BOOLEAN;
    case OID_TIMESTAMPTZ:
        return LIST_TIME;
    default:
        return LIST_TEXT;
    }
}

static struct list_value value_read(const PGresult *rows, int row, int column, struct arena *arena)
{
    struct list_value value = {.set = !result_is_null(rows, row, column)};
    if (!value.set)
        return value;
    switch (kind_of(rows, column)) {
    case LIST_INTEGER:
        value.integer = result_i64(rows, row, column);
        break;
    case LIST_REAL:
        value.real = result_f64(rows, row, column);
        value.set = isfinite(value.real); /* who judges may have stored one that is no number */
        break;
    case LIST_BOOLEAN:
        value.integer = result_bool(rows, row, column);
        break;
    case LIST_TIME:
        value.text = result_copy_time(rows, row, column, arena);
        break;
    default:
        value.text = result_copy_text(rows, row, column, arena);
    }
    return value;
}

bool ledger_list(struct db *db, const struct list_query *query, struct arena *arena,
                 struct list *ret_list, struct err *err)
{
    scoped_result *rows = NULL;
    struct args args = {0};
    for (int by = 0; by < LIST_BY_COUNT; by++)
        (void)ARGS_MORE(&args, query->by[by]);
    const struct opt_i64 since_us = {query->since_us != 0, query->since_us};
    if (!query_run(db, (enum query_id)query->noun->query,
                   ARGS_MORE(&args, since_us, query->limit + 1), &rows, err))
        return false;
    struct list list = {.column_count = (size_t)PQnfields(rows),
                        .row_count = (size_t)PQntuples(rows)};
    list.is_cut = list.row_count > (size_t)query->limit;
    list.row_count -= list.is_cut;
    struct list_column *columns = arena_array(arena, struct list_column, list.column_count);
    for (int column = 0; column < (int)list.column_count; column++)
        columns[column] =
            (struct list_column){arena_strdup(arena, PQfname(rows, column)), kind_of(rows, column)};
    if (!arena_fits(arena, list.column_count * list.row_count, sizeof(struct list_value)))
        return arena_failed(arena, "a list", err);
    struct list_value *values =
        arena_array(arena, struct list_value, list.column_count * list.row_count);
    list.columns = columns;
    list.values = values;
    for (size_t row = 0; row < list.row_count; row++) {
        for (int column = 0; column < (int)list.column_count; column++)
            *values++ = value_read(rows, (int)row, column, arena);
        if (!arena_ok(arena, "a list", err))
            return false;
    }
    *ret_list = list;
    return true;
}
