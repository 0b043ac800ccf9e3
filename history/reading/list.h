/* Lists of what the ledger holds: one table of nouns, each with its statement. A new noun is a line
 * of the table in list.c and a history/sql/list_*.sql; the columns are those of the statement.
 */
#ifndef HISTORY_READING_LIST_H
#define HISTORY_READING_LIST_H

#include "history/db.h"
#include "ops/runtime/arena.h"

#include <stddef.h>
#include <stdint.h>

/* What a list can be cut to. */
enum list_by {
    LIST_BY_PROJECT,
    LIST_BY_WORKLOAD,
    LIST_BY_BRANCH,
    LIST_BY_COMMIT, /* or how it starts */
    LIST_BY_RUN,
    LIST_BY_STATUS,
    LIST_BY_COUNT
};
extern const char *const list_by_names[LIST_BY_COUNT]; /* "project", ... */

struct list_noun {
    const char *name;     /* "profiles" */
    unsigned filters;     /* 1 << LIST_BY_..., those that mean something for it */
    const char *statuses; /* "pass|warn", with LIST_BY_STATUS */
    int query;            /* its statement */
};
enum { LIST_NOUN_COUNT = 10 };
extern const struct list_noun list_nouns[LIST_NOUN_COUNT];

/* The noun of that name; NULL when there is none. */
const struct list_noun *list_noun_find(const char *name);

struct list_query {
    const struct list_noun *noun;
    const char *by[LIST_BY_COUNT]; /* NULL = any */
    int64_t since_us;              /* since 1970; 0 = any */
    int64_t limit;                 /* rows */
};

enum list_kind { LIST_TEXT, LIST_INTEGER, LIST_REAL, LIST_BOOLEAN, LIST_TIME };

struct list_column {
    const char *name; /* "recorded_at_utc" */
    enum list_kind kind;
};

struct list_value {
    bool set;         /* false: nothing is known */
    const char *text; /* LIST_TEXT, LIST_TIME (as clock_iso writes it) */
    int64_t integer;  /* LIST_INTEGER, LIST_BOOLEAN */
    double real;
};

struct list {
    const struct list_column *columns;
    const struct list_value *values; /* row after row */
    size_t column_count, row_count;
    bool is_cut; /* there are more than the limit */
};

/* Newest first, in the arena. ERR_LIMIT beyond its budget. */
bool ledger_list(struct db *db, const struct list_query *query, struct arena *arena,
                 struct list *ret_list, struct err *err);

#endif
