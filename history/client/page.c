/* The two parameters that every page has, and the copies of its rows. */
#include "history/client/page.h"

#include "history/client/result.h"

bool page_run(struct db *db, enum query_id id, int64_t after_id, int64_t limit, PGresult **ret_rows,
              struct err *err)
{
    struct args args = {0};
    args_i64(&args, after_id);
    args_i64(&args, limit);
    return query_run(db, id, &args, ret_rows, err);
}

bool page_read(struct db *db, const struct page_kind *kind, int64_t after_id, struct arena *arena,
               struct page_rows *ret_page, struct err *err)
{
    scoped_result *rows = NULL;
    if (!page_run(db, kind->query, after_id, kind->limit, &rows, err))
        return false;
    struct page_rows page = {.count = (size_t)PQntuples(rows)};
    page.items = arena_zalloc(arena, page.count, kind->row_bytes);
    char *item = page.items;
    for (size_t i = 0; page.items != NULL && i < page.count; i++, item += kind->row_bytes)
        if (!kind->copy(rows, (int)i, arena, item))
            page.items = NULL;
    *ret_page = page;
    return page.items != NULL || arena_failed(arena, kind->what, err);
}
