/* Rows of a result as structs, for the files of history/ only: a kind says which member each column
 * of a statement fills, and every list, page and look-up is read by one.
 *
 *     static const struct row_kind jobs = {
 *         ROWS(Q_queue_list, struct queue_row, "a page of jobs", id, state, project, workload)};
 *     return rows_read(db, &jobs, &args, arena, ret_page, err);
 */
#ifndef HISTORY_CLIENT_ROWS_H
#define HISTORY_CLIENT_ROWS_H

#include "history/client/connection.h"
#include "schema/documents/optional.h"

enum row_value {
    ROW_END,     /* there are no more columns */
    ROW_SKIPPED, /* a column that only `finish` looks at */
    ROW_I64,     /* bigint; 0 for NULL, as in all that have no other way to say it */
    ROW_I32,     /* integer */
    ROW_BOOL,    /* boolean */
    ROW_F64,     /* float8 */
    ROW_OPT_I64, /* bigint or integer; not set for NULL */
    ROW_TEXT,    /* text, or timestamptz as clock_iso writes it; NULL for NULL */
    ROW_SHA256,  /* bytea of SHA256_BYTES */
};

/* Where the value of a column goes. */
struct row_field {
    enum row_value value;
    size_t offset;
};

struct row_kind {
    enum query_id query;
    size_t bytes;                   /* of an item */
    const char *what;               /* of a message: "a page of receipts" */
    const struct row_field *fields; /* one per column, in the order of the statement, and ROW_END */
    /* Makes what no field says, behind the fields; NULL: nothing. */
    void (*finish)(const PGresult *rows, int row, struct arena *arena, void *item);
    int64_t limit; /* of rows_after */
};

/* The first members of a struct row_kind at file scope: the members of `record` that the columns
 * fill, in their order. What they hold is known by their types. */
#define ROWS(query_id, record, message, ...) \
    ROWS_BY(query_id, record, message, \
            ((const struct row_field[]){ \
                ROW_FIELDS(record, __VA_ARGS__), \
                {ROW_END, 0}, \
            }))
/* The same with a table of fields. */
#define ROWS_BY(query_id, record, message, table) \
    .query = (query_id), .bytes = sizeof(record), .what = (message), .fields = (table)

/* Members in a table of fields, beside {ROW_SKIPPED, 0}. */
#define ROW_FIELDS(record, ...) EACH_AGAIN(ROW_EACH(record, __VA_ARGS__))
#define ROW_FIELD(record, member) \
    { \
        _Generic(((record *)0)->member, \
            int64_t: ROW_I64, \
            int: ROW_I32, \
            bool: ROW_BOOL, \
            double: ROW_F64, \
            struct opt_i64: ROW_OPT_I64, \
            const char *: ROW_TEXT, \
            uint8_t *: ROW_SHA256), \
            offsetof(record, member) \
    }
#define ROW_EACH(record, member, ...) \
    ROW_FIELD(record, member) __VA_OPT__(, ROW_EACH_LATER EACH_PARENS(record, __VA_ARGS__))
#define ROW_EACH_LATER() ROW_EACH

/* Rows of one column: numbers, texts. */
extern const struct row_field row_number[2], row_text[2];

/* Runs the statement and reads its rows. ret_page: a struct of `items` (in the arena) and `count`,
 * in this order. ERR_LIMIT beyond the arena's budget, or what the query says. */
bool rows_read(struct db *db, const struct row_kind *kind, const struct args *args,
               struct arena *arena, void *ret_page, struct err *err);

/* The same of a statement that takes an id and a limit: the rows behind the id, at most so many as
 * the kind says. */
bool rows_after(struct db *db, const struct row_kind *kind, int64_t after_id, struct arena *arena,
                void *ret_page, struct err *err);

/* The first row, where there is one: into the struct that it is of. */
struct row_found {
    void *item;
    bool *is_there;
};
bool row_find(struct db *db, const struct row_kind *kind, const struct args *args,
              struct arena *arena, struct row_found found, struct err *err);

#endif
