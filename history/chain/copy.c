/* The writer of PostgreSQL's binary COPY format (documentation of COPY, "Binary Format"):
 * signature, flags, then per row the number of columns and each column as length and bytes, and a
 * row of -1 columns at the end. The elements of a binary array have the form of columns. */
#include "history/chain/copy.h"

#include "history/client/client.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t head[] =
    "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0";         /* the literal's own NUL is the 19th byte */
static const uint64_t NULL_LENGTH = UINT32_MAX; /* -1 */

static void copy_flush(struct copy *copy)
{
    /* What was written since the last call belongs to rows. */
    row_hash_bytes(&copy->hash, copy->buffer + copy->hashed, copy->fill - copy->hashed);
    copy->hashed = copy->fill;
    if (copy->db != NULL && copy->fill > 0 && !copy->failed &&
        PQputCopyData(copy->db->conn, (const char *)copy->buffer, (int)copy->fill) != 1)
        copy->failed = true;
    copy->fill = copy->hashed = 0;
}

static void copy_put(struct copy *copy, const void *bytes, size_t length)
{
    const uint8_t *from = bytes;
    if (copy->array >= 0)
        text_addn(&copy->arrays[copy->array], bytes, length);
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

static void copy_start(struct copy *copy, enum query_id id, const char *types)
{
    copy->id = id;
    copy->query = &queries[id];
    copy->rows = 0;
    copy->failed = false;
    copy->fill = copy->hashed = 0;
    copy->column_count = 0;
    copy->array = -1;
    copy->hash = (struct row_hash){0};
    for (uint32_t type = pg_type_next(&types); type != 0; type = pg_type_next(&types)) {
        assert(copy->column_count < COPY_COLUMNS_MAX);
        copy->types[copy->column_count++] = copy->db == NULL ? pg_type_element(type) : type;
    }
    copy->column = copy->column_count;
    row_hash_begin(&copy->hash);
}

bool copy_begin(struct copy *copy, struct db *db, enum query_id id, struct err *err)
{
    copy->db = db;
    copy_start(copy, id, queries[id].columns);
    if (!query_copy_start(db, id, PGRES_COPY_IN, err)) {
        row_hash_done(&copy->hash);
        return false;
    }
    copy_put(copy, head, sizeof head);
    copy->hashed = copy->fill;
    return true;
}

void copy_begin_arrays(struct copy *copy, enum query_id id)
{
    static const char room[ARRAY_HEAD_BYTES];
    copy->db = NULL;
    copy_start(copy, id, queries[id].parameters);
    assert(copy->column_count <= COPY_ARRAYS_MAX);
    for (int i = 0; i < copy->column_count; i++) {
        text_init(&copy->arrays[i], INT_MAX);
        text_addn(&copy->arrays[i], room, sizeof room);
    }
}

void copy_row(struct copy *copy)
{
    assert(copy->column == copy->column_count && "the row before is whole");
    copy->column = 0;
    copy->rows++;
    copy->array = -1; /* the number of columns is part of the row, not of an array */
    copy_put_be(copy, (uint64_t)copy->column_count, 2);
}

void copy_raw_row(struct copy *copy)
{
    assert(copy->column == copy->column_count && "the row before is whole");
    copy->rows++;
    copy_put_be(copy, (uint64_t)copy->column_count, 2);
}

void copy_raw(struct copy *copy, const void *bytes, size_t length)
{
    copy_put(copy, bytes, length);
}

static void copy_column(struct copy *copy, uint32_t type, uint64_t length)
{
    assert(copy->column < copy->column_count && copy->types[copy->column] == type);
    (void)type;
    copy->column++;
    if (copy->db == NULL)
        copy->array++;
    copy_put_be(copy, length, 4);
}

void copy_i64(struct copy *copy, int64_t value)
{
    copy_column(copy, OID_BIGINT, 8);
    copy_put_be(copy, (uint64_t)value, 8);
}

void copy_opt_i64(struct copy *copy, struct opt_i64 value)
{
    if (value.set)
        copy_i64(copy, value.value);
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

bool copy_end(struct copy *copy, struct section_digest *ret_digest, struct err *err)
{
    static const uint8_t tail[] = {0xff, 0xff};
    assert(copy->column == copy->column_count && "the last row is whole");
    copy_flush(copy);
    if (!copy->failed && PQputCopyData(copy->db->conn, (const char *)tail, sizeof tail) != 1)
        copy->failed = true;
    copy->hash.rows = copy->rows;
    struct section_digest digest = row_hash_end(&copy->hash);
    PGconn *conn = copy->db->conn;
    if (PQputCopyEnd(conn, copy->failed ? "the writer gave up" : NULL) != 1)
        return db_error(conn, NULL, copy->query->name, err);
    scoped_result *result = result_next(conn);
    if (PQresultStatus(result) != PGRES_COMMAND_OK)
        return db_error(conn, result, copy->query->name, err);
    int64_t taken = strtoll(PQcmdTuples(result), NULL, 10);
    if (taken != copy->rows)
        return err_set(err, ERR_BUG, "%s: the server took %" PRId64 " rows of %" PRId64,
                       copy->query->name, taken, copy->rows);
    if (ret_digest != NULL)
        *ret_digest = digest;
    return true;
}

bool copy_end_arrays(struct copy *copy, struct pipeline *pipeline,
                     struct section_digest *ret_digest, struct err *err)
{
    struct args args = {0};
    assert(copy->column == copy->column_count && "the last row is whole");
    copy_flush(copy);
    copy->hash.rows = copy->rows;
    *ret_digest = row_hash_end(&copy->hash);
    bool sent =
        !copy->failed || err_set(err, ERR_LIMIT, "%s: a value is too long", copy->query->name);
    for (int i = 0; i < copy->column_count; i++) {
        struct text *array = &copy->arrays[i];
        /* Now that the number of rows is known. */
        array_head_put((uint8_t *)array->data, copy->types[i], (size_t)copy->rows);
        (void)ARGS_MORE(&args, arg_bytes(array->data, array->length));
        sent = sent && text_ok(array, copy->query->name, err);
    }
    sent = sent && (copy->rows == 0 || pipeline_add(pipeline, copy->id, &args, err));
    for (int i = 0; i < copy->column_count; i++)
        text_done(&copy->arrays[i]);
    return sent;
}
