/* Reading the binary values of a result, for the files of history/ only.
 *
 * The shape of the result was checked when it arrived (query_result_check), so a reader that asks
 * for another type or column is our own mistake and an assertion. NULL is asked for first, except
 * where the reader says what it makes of it.
 */
#ifndef HISTORY_CLIENT_RESULT_H
#define HISTORY_CLIENT_RESULT_H

#include "ops/runtime/arena.h"
#include "schema/documents/optional.h"

#include <libpq-fe.h>
#include <stdbool.h>
#include <stdint.h>

/* The next result, which is its statement's only one; the NULL that ends it is read too. */
PGresult *result_next(PGconn *conn);

/* true for SQL NULL, of any type. */
bool result_is_null(const PGresult *result, int row, int column);
/* bigint */
int64_t result_i64(const PGresult *result, int row, int column);
/* bigint; not set for NULL. */
struct opt_i64 result_opt_i64(const PGresult *result, int row, int column);
/* integer */
int32_t result_i32(const PGresult *result, int row, int column);
/* boolean */
bool result_bool(const PGresult *result, int row, int column);
/* float8 */
double result_f64(const PGresult *result, int row, int column);
/* timestamptz, microseconds since 1970-01-01 UTC. */
int64_t result_wall_us(const PGresult *result, int row, int column);
/* text: lives as long as the result; NULL for NULL. */
const char *result_text(const PGresult *result, int row, int column);
/* bytea: lives as long as the result. */
const uint8_t *result_bytes(const PGresult *result, int row, int column, size_t *ret_length);
/* text copied to the arena; NULL for NULL. One that does not fit is "", and the arena is over: who
 * reads what may be large asks it (arena_ok) before anything is made of the text. */
const char *result_copy_text(const PGresult *result, int row, int column, struct arena *arena);
/* The same of a bytea. */
const char *result_copy_bytes(const PGresult *result, int row, int column, struct arena *arena,
                              size_t *ret_length);

/* A row of each profile that was asked for; ERR_MISSING: some do not exist. */
bool result_holds_all(const PGresult *result, size_t profile_count, struct err *err);

/* A column of ids, one of each row, in the arena. */
int64_t *result_ids(const PGresult *result, int column, struct arena *arena);

/* A bytea in lower-case hex, in the arena. */
const char *result_hex(const PGresult *result, int row, int column, struct arena *arena);

/* A timestamp as clock_iso writes it, in the arena; NULL for NULL. */
const char *result_copy_time(const PGresult *result, int row, int column, struct arena *arena);

/* "p12" of a bigint, in the arena; NULL for NULL. */
const char *result_name(const PGresult *result, int row, int column, const char *prefix,
                        struct arena *arena);

#endif
