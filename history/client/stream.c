/* Reads PostgreSQL's binary COPY format (documentation of COPY, "Binary Format"). libpq hands over
 * one row at a time, the first with the head of the stream before it and the last without columns.
 * The stream is always read to its end, so that the connection can be used again; an early end
 * cancels the statement first. */
#include "history/client/stream.h"

#include "history/client/db_error.h"
#include "history/client/pg_types.h"

#include <string.h>

enum { HEAD_BYTES = 19, END_MARK = 0xffff, COPY_ENDED = -1 /* of PQgetCopyData */ };

struct stream {
    const struct query *query;
    const struct row_sink *sink;
    int column_count;
    bool begun; /* the head was read */
    bool good;
};

static void statement_cancel(struct db *db)
{
    char ignored[256];
    PGcancel *cancel = PQgetCancel(db->conn);
    if (cancel != NULL)
        (void)PQcancel(cancel, ignored, sizeof ignored);
    PQfreeCancel(cancel);
}

static void copied_free(char **bytes)
{
    PQfreemem(*bytes);
}

static bool row_check(const struct stream *stream, const uint8_t *row, size_t length)
{
    size_t at = 2;
    if (length < at || be_get(row, 2) != (uint64_t)stream->column_count)
        return false;
    for (int i = 0; i < stream->column_count; i++) {
        if (length - at < 4)
            return false;
        uint64_t bytes = be_get(row + at, 4);
        at += 4;
        if (bytes == UINT32_MAX)
            continue;
        if (bytes > length - at)
            return false;
        at += bytes;
    }
    return at == length;
}

static bool row_take(struct stream *stream, const uint8_t *row, size_t length, struct err *err)
{
    static const char magic[] = "PGCOPY\n\377\r\n";
    if (!stream->begun) {
        if (length < HEAD_BYTES || memcmp(row, magic, sizeof magic) != 0)
            return err_set(err, ERR_BUG, "query %s: no binary rows came back", stream->query->name);
        stream->begun = true;
        row += HEAD_BYTES;
        length -= HEAD_BYTES;
    }
    if (length == 2 && be_get(row, 2) == END_MARK)
        return true;
    if (!row_check(stream, row, length))
        return err_set(err, ERR_BUG, "query %s: a row is not of %d columns", stream->query->name,
                       stream->column_count);
    return stream->sink->read(stream->sink->context, row, length, err);
}

static bool stream_end(struct db *db, const struct stream *stream, struct err *err)
{
    bool good = stream->good;
    for (;;) {
        scoped_result *result = PQgetResult(db->conn);
        if (result == NULL)
            return good;
        /* Rows that libpq has no memory for stay before the end, however often it is asked. */
        if (PQresultStatus(result) == PGRES_COPY_OUT)
            return good && db_error(db->conn, NULL, stream->query->name, err);
        if (good && PQresultStatus(result) != PGRES_COMMAND_OK)
            good = db_error(db->conn, result, stream->query->name, err);
    }
}

bool query_copy_out(struct db *db, enum query_id id, const struct row_sink *sink, struct err *err)
{
    struct stream stream = {.query = &queries[id], .sink = sink, .good = true};
    for (const char *list = stream.query->columns; pg_type_next(&list) != 0;)
        stream.column_count++;
    if (!query_copy_start(db, id, PGRES_COPY_OUT, err))
        return false;
    for (;;) {
        char *bytes __attribute__((cleanup(copied_free))) = NULL;
        int length = PQgetCopyData(db->conn, &bytes, 0);
        if (length < 0 &&
            (length == COPY_ENDED || !stream.good || PQstatus(db->conn) != CONNECTION_OK))
            return stream_end(db, &stream, err);
        if (length < 0)
            (void)db_error(db->conn, NULL, stream.query->name, err);
        else if (!stream.good || row_take(&stream, (const uint8_t *)bytes, (size_t)length, err))
            continue;
        stream.good = false;
        statement_cancel(db);
    }
}
