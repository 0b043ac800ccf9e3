/* Lists of what the ledger holds: one table of nouns, each with its statement. A new noun is a line
 * of LIST_NOUNS, a history/sql/list_NOUN.sql and a word of schema/documents/list.schema.json; the
 * columns are those of the statement.
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

/* X(noun, LIST_OF_... that it can be cut to, words of LIST_BY_STATUS: "pass|warn"). */
#define LIST_NOUNS(X) \
    X(projects, LIST_OF_PROJECT, NULL) \
    X(workloads, LIST_OF_WORKLOAD, NULL) \
    X(series, LIST_OF_WORKLOAD, NULL) \
    X(runs, LIST_OF_WORKLOAD | LIST_OF_CODE, NULL) \
    X(profiles, LIST_OF_WORKLOAD | LIST_OF_CODE | LIST_OF_STATUS, \
      "counts|retracted|superseded|all") \
    X(verdicts, LIST_OF_WORKLOAD | LIST_OF_CODE | LIST_OF_STATUS, \
      "pass|warn|fail|inconclusive|incomparable") \
    X(alerts, LIST_OF_WORKLOAD | 1 << LIST_BY_BRANCH | LIST_OF_STATUS, \
      "unresolved|open|acknowledged|silenced|reopened|dismissed|resolved|all") \
    X(changes, LIST_OF_WORKLOAD | LIST_OF_CODE | LIST_OF_STATUS, \
      "standing|candidate|confirmed|withdrawn|all") \
    X(policies, LIST_OF_WORKLOAD, NULL) \
    X(reports, LIST_OF_PROJECT, NULL)

enum {
    LIST_OF_PROJECT = 1 << LIST_BY_PROJECT,
    LIST_OF_WORKLOAD = LIST_OF_PROJECT | 1 << LIST_BY_WORKLOAD,
    LIST_OF_CODE = 1 << LIST_BY_BRANCH | 1 << LIST_BY_COMMIT | 1 << LIST_BY_RUN,
    LIST_OF_STATUS = 1 << LIST_BY_STATUS
};

struct list_noun {
    const char *name;     /* "profiles" */
    unsigned filters;     /* 1 << LIST_BY_..., those that mean something for it */
    const char *statuses; /* "pass|warn", with LIST_BY_STATUS */
    int query;            /* its statement */
};
#define LIST_NOUN_ONE(noun, filters, statuses) +1
enum { LIST_NOUN_COUNT = LIST_NOUNS(LIST_NOUN_ONE) };
#undef LIST_NOUN_ONE
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
