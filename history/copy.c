/* The writer of PostgreSQL's binary COPY format (documentation of COPY, "Binary Format"):
 * signature, flags, then per row the number of columns and each column as length and bytes, and a
 * row of -1 columns at the end. */
#include "history/copy.h"

#include "history/db_error.h"
#include "history/pg_types.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t head[] =
    "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0";         /* the literal's own NUL is the 19th byte */
static const uint64_t NULL_LENGTH = UINT32_MAX; /* -1 */

/* What was written since the last call belongs to rows. */
static void copy_hash(struct copy *copy)
{
    row_hash_bytes(&copy->hash, copy->buffer + copy->hashed, copy->fill - copy->hashed);
    copy->hashed = copy->fill;
}

static void copy_flush(struct copy *copy)
{
    copy_hash(copy);
    if (copy->fill > 0 && !copy->failed &&
        PQputCopyData(copy->db->conn, (const char *)copy->buffer, (int)copy->fill) != 1)
        copy->failed = true;
    copy->fill = copy->hashed = 0;
}

static void copy_put(struct copy *copy, const void *bytes, size_t length)
{
    const uint8_t *from = bytes;
    while (length > 0) {
        if (copy->fill == sizeof copy->buffer)
            copy_flush(copy);
        size_t part = sizeof copy->buffer - copy->fill;
        if (part > length)
            part = length;
        memcpy(copy->buffer + copy->fill, from, part);
        copy->fill += part;
        from += part;
        length -= part;
    }
}

static void copy_put_be(struct copy *copy, uint64_t value, size_t length)
{
    uint8_t bytes[8];
    be_put(bytes, value, length);
    copy_put(copy, bytes, length);
}

bool copy_begin(struct copy *copy, struct db *db, enum query_id id, struct err *err)
{
    copy->db = db;
    copy->query = &queries[id];
    copy->columns = "";
    copy->rows = 0;
    copy->failed = false;
    copy->fill = copy->hashed = 0;
    copy->column_count = 0;
    copy->hash = (struct row_hash){0};
    for (const char *list = copy->query->columns; pg_type_next(&list) != 0;)
        copy->column_count++;
    if (!row_hash_begin(&copy->hash, err))
        return false;
    if (!query_copy_in(db, id, err)) {
        row_hash_done(&copy->hash);
        return false;
    }
    copy_put(copy, head, sizeof head);
    copy->hashed = copy->fill;
    return true;
}

static void row_check_full(const struct copy *copy)
{
    const char *rest = copy->columns;
    assert(pg_type_next(&rest) == 0);
}

void copy_row(struct copy *copy)
{
    row_check_full(copy);
    copy->columns = copy->query->columns;
    copy->rows++;
    copy_put_be(copy, (uint64_t)copy->column_count, 2);
}

static void copy_column(struct copy *copy, uint32_t type, uint64_t length)
{
    uint32_t wanted = pg_type_next(&copy->columns);
    assert(wanted == type);
    (void)wanted;
    copy_put_be(copy, length, 4);
}

void copy_i64(struct copy *copy, int64_t value)
{
    copy_column(copy, OID_BIGINT, 8);
    copy_put_be(copy, (uint64_t)value, 8);
}

void copy_i64_if(struct copy *copy, bool present, int64_t value)
{
    if (present)
        copy_i64(copy, value);
    else
        copy_column(copy, OID_BIGINT, NULL_LENGTH);
}

void copy_i32(struct copy *copy, int32_t value)
{
    copy_column(copy, OID_INTEGER, 4);
    copy_put_be(copy, (uint32_t)value, 4);
}

void copy_i32_if(struct copy *copy, bool present, int32_t value)
{
    if (present)
        copy_i32(copy, value);
    else
        copy_column(copy, OID_INTEGER, NULL_LENGTH);
}

void copy_bool(struct copy *copy, bool value)
{
    copy_column(copy, OID_BOOLEAN, 1);
    copy_put_be(copy, value, 1);
}

void copy_uuid(struct copy *copy, const struct uuid *value)
{
    copy_column(copy, OID_UUID, UUID_BYTES);
    copy_put(copy, value->bytes, UUID_BYTES);
}

static void copy_value(struct copy *copy, uint32_t type, const void *bytes, size_t length)
{
    if (length > INT_MAX)
        copy->failed = true;
    copy_column(copy, type, bytes == NULL ? NULL_LENGTH : length);
    if (bytes != NULL && !copy->failed)
        copy_put(copy, bytes, length);
}

void copy_text(struct copy *copy, const char *string)
{
    copy_value(copy, OID_TEXT, string, string == NULL ? 0 : strlen(string));
}

void copy_bytes(struct copy *copy, const void *bytes, size_t length)
{
    copy_value(copy, OID_BYTEA, bytes, length);
}

void copy_opt_f64(struct copy *copy, struct opt_f64 value)
{
    uint64_t bits;
    static_assert(sizeof bits == sizeof value.value, "a double has 64 bits");
    memcpy(&bits, &value.value, sizeof bits);
    copy_column(copy, OID_FLOAT8, value.set ? 8 : NULL_LENGTH);
    if (value.set)
        copy_put_be(copy, bits, 8);
}

static bool row_count_check(const struct copy *copy, PGresult *result, struct err *err)
{
    int64_t taken = strtoll(PQcmdTuples(result), NULL, 10);
    if (taken == copy->rows)
        return true;
    return err_set(err, ERR_BUG, "%s: the server took %" PRId64 " rows of %" PRId64,
                   copy->query->name, taken, copy->rows);
}

static bool reply_read(struct copy *copy, struct err *err)
{
    PGconn *conn = copy->db->conn;
    const char *refusal = copy->failed ? "the writer gave up" : NULL;
    if (PQputCopyEnd(conn, refusal) != 1)
        return db_error(conn, NULL, copy->query->name, err);
    scoped_result *result = PQgetResult(conn);
    for (PGresult *more = PQgetResult(conn); more != NULL; more = PQgetResult(conn))
        PQclear(more);
    if (PQresultStatus(result) != PGRES_COMMAND_OK)
        return db_error(conn, result, copy->query->name, err);
    return row_count_check(copy, result, err);
}

bool copy_end(struct copy *copy, struct section_digest *ret_digest, struct err *err)
{
    static const uint8_t tail[] = {0xff, 0xff};
    struct section_digest digest = {0};
    row_check_full(copy);
    copy_flush(copy);
    if (!copy->failed && PQputCopyData(copy->db->conn, (const char *)tail, sizeof tail) != 1)
        copy->failed = true;
    copy->hash.rows = copy->rows;
    bool hashed = row_hash_end(&copy->hash, &digest, err);
    if (!reply_read(copy, err) || !hashed)
        return false;
    if (ret_digest != NULL)
        *ret_digest = digest;
    return true;
}
