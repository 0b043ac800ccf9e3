/* Decodes rows by their tables. */
#include "history/client/rows.h"

#include "history/client/pg_types.h"
#include "history/client/result.h"
#include "ops/runtime/digest.h"

#include <assert.h>
#include <string.h>

const struct row_field row_number[2] = {{ROW_I64, 0}, {ROW_END, 0}};
const struct row_field row_text[2] = {{ROW_TEXT, 0}, {ROW_END, 0}};

static void row_read(const PGresult *rows, int row, const struct row_kind *kind,
                     struct arena *arena, char *item)
{
    int column = 0;
    for (const struct row_field *field = kind->fields; field->value != ROW_END; field++) {
        size_t length;
        const uint8_t *bytes;
        void *out = item + field->offset;
        bool is_null = result_is_null(rows, row, column);
        uint32_t type = PQftype(rows, column);
        switch (field->value) {
        case ROW_END:
        case ROW_SKIPPED:
            break;
        case ROW_I64:
            *(int64_t *)out = is_null ? 0 : result_i64(rows, row, column);
            break;
        case ROW_I32:
            *(int *)out = is_null ? 0 : result_i32(rows, row, column);
            break;
        case ROW_BOOL:
            *(bool *)out = !is_null && result_bool(rows, row, column);
            break;
        case ROW_F64:
            *(double *)out = is_null ? 0 : result_f64(rows, row, column);
            break;
        case ROW_OPT_I64:
            *(struct opt_i64 *)out = !is_null && type == OID_INTEGER
                                         ? some_i64(result_i32(rows, row, column))
                                         : result_opt_i64(rows, row, column);
            break;
        case ROW_TEXT:
            *(const char **)out = (type == OID_TIMESTAMPTZ ? result_copy_time : result_copy_text)(
                rows, row, column, arena);
            break;
        case ROW_SHA256:
            bytes = result_bytes(rows, row, column, &length);
            assert(length == SHA256_BYTES);
            memcpy(out, bytes, length);
            break;
        }
        column++;
    }
    assert(column == PQnfields(rows));
    if (kind->finish != NULL)
        kind->finish(rows, row, arena, item);
}

bool rows_read(struct db *db, const struct row_kind *kind, const struct args *args,
               struct arena *arena, void *ret_page, struct err *err)
{
    scoped_result *rows = NULL;
    if (!query_run(db, kind->query, args, &rows, err))
        return false;
    struct {
        void *items;
        size_t count;
    } page = {.count = (size_t)PQntuples(rows)};
    if (!arena_fits(arena, page.count, kind->bytes))
        return arena_failed(arena, kind->what, err);
    char *item = page.items = arena_zalloc(arena, page.count, kind->bytes);
    for (size_t i = 0; i < page.count; i++, item += kind->bytes) {
        row_read(rows, (int)i, kind, arena, item);
        if (!arena_ok(arena, kind->what, err))
            return false;
    }
    memcpy(ret_page, &page, sizeof page);
    return true;
}

bool rows_after(struct db *db, const struct row_kind *kind, int64_t after_id, struct arena *arena,
                void *ret_page, struct err *err)
{
    return rows_read(db, kind, ARGS(after_id, kind->limit), arena, ret_page, err);
}

bool row_find(struct db *db, const struct row_kind *kind, const struct args *args,
              struct arena *arena, struct row_found found, struct err *err)
{
    struct {
        void *items;
        size_t count;
    } page;
    if (!rows_read(db, kind, args, arena, &page, err))
        return false;
    *found.is_there = page.count > 0;
    if (page.count > 0)
        memcpy(found.item, page.items, kind->bytes);
    return true;
}
