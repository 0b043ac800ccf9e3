/* Decodes PostgreSQL's binary result values. */
#include "history/client/result.h"

#include "history/client/pg_types.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/text.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* 2000-01-01, where timestamptz starts, in microseconds since 1970-01-01. */
static const int64_t PG_EPOCH_US = INT64_C(946684800) * 1000000;

/* Without memory libpq says again and again that there is none: not for ever. */
PGresult *result_next(PGconn *conn)
{
    enum { MORE_MAX = 4 };
    PGresult *result = PQgetResult(conn), *more = result;
    for (int i = 0; i < MORE_MAX && more != NULL; i++) {
        more = PQgetResult(conn);
        PQclear(more);
    }
    return result;
}

static const uint8_t *value_of(const PGresult *result, int row, int column, uint32_t type)
{
    assert(row < PQntuples(result) && column < PQnfields(result));
    assert(PQftype(result, column) == type && PQfformat(result, column) == 1);
    return (const uint8_t *)PQgetvalue(result, row, column);
}

bool result_is_null(const PGresult *result, int row, int column)
{
    return PQgetisnull(result, row, column) != 0;
}

int64_t result_i64(const PGresult *result, int row, int column)
{
    assert(!result_is_null(result, row, column));
    return (int64_t)be_get(value_of(result, row, column, OID_BIGINT), 8);
}

struct opt_i64 result_opt_i64(const PGresult *result, int row, int column)
{
    bool set = !result_is_null(result, row, column);
    return (struct opt_i64){set, set ? result_i64(result, row, column) : 0};
}

int32_t result_i32(const PGresult *result, int row, int column)
{
    assert(!result_is_null(result, row, column));
    return (int32_t)be_get(value_of(result, row, column, OID_INTEGER), 4);
}

bool result_bool(const PGresult *result, int row, int column)
{
    assert(!result_is_null(result, row, column));
    return value_of(result, row, column, OID_BOOLEAN)[0] != 0;
}

double result_f64(const PGresult *result, int row, int column)
{
    double value;
    assert(!result_is_null(result, row, column));
    uint64_t bits = be_get(value_of(result, row, column, OID_FLOAT8), sizeof bits);
    memcpy(&value, &bits, sizeof value);
    return value;
}

int64_t result_wall_us(const PGresult *result, int row, int column)
{
    assert(!result_is_null(result, row, column));
    /* Unsigned: "infinity" must not overflow. */
    uint64_t since_2000 = be_get(value_of(result, row, column, OID_TIMESTAMPTZ), 8);
    return (int64_t)(since_2000 + (uint64_t)PG_EPOCH_US);
}

const char *result_text(const PGresult *result, int row, int column)
{
    const uint8_t *value = value_of(result, row, column, OID_TEXT);
    return result_is_null(result, row, column) ? NULL : (const char *)value;
}

const uint8_t *result_bytes(const PGresult *result, int row, int column, size_t *ret_length)
{
    *ret_length = (size_t)PQgetlength(result, row, column);
    return value_of(result, row, column, OID_BYTEA);
}

const char *result_copy_text(const PGresult *result, int row, int column, struct arena *arena)
{
    const char *text = result_text(result, row, column);
    return text == NULL || arena_fits(arena, (size_t)PQgetlength(result, row, column) + 1, 1)
               ? arena_strdup(arena, text)
               : "";
}

const char *result_copy_bytes(const PGresult *result, int row, int column, struct arena *arena,
                              size_t *ret_length)
{
    const uint8_t *bytes = result_bytes(result, row, column, ret_length);
    if (arena_fits(arena, *ret_length + 1, 1))
        return arena_strndup(arena, (const char *)bytes, *ret_length);
    *ret_length = 0;
    return "";
}

bool result_holds_all(const PGresult *result, size_t profile_count, struct err *err)
{
    return (size_t)PQntuples(result) == profile_count ||
           err_set(err, ERR_MISSING, "the ledger holds %d of %zu profiles that were asked for",
                   PQntuples(result), profile_count);
}

int64_t *result_ids(const PGresult *result, int column, struct arena *arena)
{
    int64_t *ids = arena_array(arena, int64_t, (size_t)PQntuples(result));
    for (int row = 0; row < PQntuples(result); row++)
        ids[row] = result_i64(result, row, column);
    return ids;
}

const char *result_hex(const PGresult *result, int row, int column, struct arena *arena)
{
    size_t length;
    const uint8_t *bytes = result_bytes(result, row, column, &length);
    char *hex = arena_alloc(arena, 2 * length + 1);
    text_hex(bytes, length, hex);
    return hex;
}

const char *result_copy_time(const PGresult *result, int row, int column, struct arena *arena)
{
    char iso[CLOCK_ISO_BYTES];
    return result_is_null(result, row, column)
               ? NULL
               : arena_strdup(arena, clock_iso(result_wall_us(result, row, column), iso));
}

const char *result_name(const PGresult *result, int row, int column, const char *prefix,
                        struct arena *arena)
{
    return result_is_null(result, row, column)
               ? NULL
               : arena_printf(arena, "%s%" PRId64, prefix, result_i64(result, row, column));
}
