/* Writing rows, for the files of history/ only: by binary COPY, or as the parameters of an INSERT
 * that takes one array per column. A COPY costs two round trips of its own, arrays travel with
 * other statements; COPY is for tables of many rows, arrays are for those of a few.
 *
 *     struct copy copy;
 *     if (!copy_begin(&copy, db, Q_op_rows_copy, err)) return false;
 *     for (...) { copy_row(&copy); copy_values(&copy, ...); }
 *     return copy_end(&copy, &digest, err);
 *
 * copy_begin_arrays and copy_end_arrays take their place for arrays. Trouble in between is
 * remembered and reported by the end, which must always be called. The types of the values are
 * checked against the `-- Copies:` or the `-- Parameters:` line of the statement: a mismatch is our
 * own mistake and an assertion.
 */
#ifndef HISTORY_CHAIN_COPY_H
#define HISTORY_CHAIN_COPY_H

#include "history/chain/canonical.h"
#include "history/client/client.h"
#include "ops/runtime/text.h"
#include "schema/documents/optional.h"

enum { COPY_BUFFER_BYTES = 32768, COPY_ARRAYS_MAX = 16, COPY_COLUMNS_MAX = 32 };

struct copy {
    struct db *db; /* NULL: the rows become arrays */
    enum query_id id;
    const struct query *query;
    uint32_t types[COPY_COLUMNS_MAX]; /* of the values: of arrays their elements' */
    int column_count;
    int column; /* of the current row, the next one */
    int64_t rows;
    bool failed;
    struct row_hash hash; /* over the rows, as they are sent */
    size_t hashed;        /* bytes of the buffer that are no longer to be hashed */
    size_t fill;
    uint8_t buffer[COPY_BUFFER_BYTES];
    struct text arrays[COPY_ARRAYS_MAX];
    int array; /* the one that the current value goes to; -1 = none */
};

/* Sends the statement; the server then waits for rows. */
bool copy_begin(struct copy *copy, struct db *db, enum query_id id, struct err *err);

/* The same for arrays; nothing is sent. */
void copy_begin_arrays(struct copy *copy, enum query_id id);

/* Starts the next row; then one call per column, in the order of the statement. */
void copy_row(struct copy *copy);
void copy_i64(struct copy *copy, int64_t value);
void copy_i32(struct copy *copy, int32_t value);
void copy_bool(struct copy *copy, bool value);
void copy_uuid(struct copy *copy, const struct uuid *value);
/* NULL, or not set, stands for SQL NULL. */
void copy_text(struct copy *copy, const char *string);
void copy_bytes(struct copy *copy, const void *bytes, size_t length);
void copy_opt_i64(struct copy *copy, struct opt_i64 value);
void copy_opt_f64(struct copy *copy, struct opt_f64 value);
/* NULL when `present` is false. */
void copy_i32_if(struct copy *copy, bool present, int32_t value);

/* Several columns, each by the one of those above that takes a value of its type. */
#define copy_values(copy, ...) \
    do { \
        EACH_AGAIN(COPY_EACH(copy, __VA_ARGS__)); \
    } while (0)
#define COPY_EACH(copy, value, ...) \
    _Generic((value), \
        int64_t: copy_i64, \
        int32_t: copy_i32, \
        bool: copy_bool, \
        const struct uuid *: copy_uuid, \
        struct uuid *: copy_uuid, \
        const char *: copy_text, \
        char *: copy_text, \
        struct opt_i64: copy_opt_i64,         struct opt_f64: copy_opt_f64)(copy, value) \
    __VA_OPT__(; COPY_EACH_LATER EACH_PARENS(copy, __VA_ARGS__))
#define COPY_EACH_LATER() COPY_EACH

/* A row that is there in binary form already: its start, then all of its columns in any number of
 * pieces, instead of a call per column. */
void copy_raw_row(struct copy *copy);
void copy_raw(struct copy *copy, const void *bytes, size_t length);

/* Ends the COPY; false when anything failed. The server must have taken as many rows as were
 * written. *ret_digest (may be NULL) is that of the rows, as history/chain/canonical.h has it. */
bool copy_end(struct copy *copy, struct section_digest *ret_digest, struct err *err);

/* Adds the INSERT to the pipeline, unless there is no row. *ret_digest is the same as copy_end's.
 */
bool copy_end_arrays(struct copy *copy, struct pipeline *pipeline,
                     struct section_digest *ret_digest, struct err *err);

#endif
