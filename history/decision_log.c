/* Reads and counts decisions. */
#include "history/decision_log.h"

#include "history/page.h"
#include "history/result.h"
#include "schema/measures.h"

#include <inttypes.h>

enum { PAGE = 100 };

static bool acceptance_copy(const PGresult *rows, int row, struct arena *arena,
                            struct acceptance_row *out)
{
    out->id = result_i64(rows, row, 0);
    out->entry.verdict_id = result_i64(rows, row, 1);
    return result_copy_text(rows, row, 2, arena, &out->entry.change_key) &&
           result_copy_text(rows, row, 3, arena, &out->entry.reason) &&
           result_copy_text(rows, row, 4, arena, &out->entry.by);
}

bool acceptances_after(struct db *db, int64_t after_id, struct arena *arena,
                       struct acceptance_page *ret_page, struct err *err)
{
    scoped_result *rows = NULL;
    if (!page_run(db, Q_acceptance_page, after_id, PAGE, &rows, err))
        return false;
    struct acceptance_page page = {.count = (size_t)PQntuples(rows)};
    page.items = arena_array(arena, struct acceptance_row, page.count);
    for (size_t i = 0; page.items != NULL && i < page.count; i++)
        if (!acceptance_copy(rows, (int)i, arena, &page.items[i]))
            page.items = NULL;
    *ret_page = page;
    return page.items != NULL || arena_failed(arena, "a page of acceptances", err);
}

bool rebaselines_after(struct db *db, int64_t after_id, struct arena *arena,
                       struct rebaseline_page *ret_page, struct err *err)
{
    scoped_result *rows = NULL;
    if (!page_run(db, Q_rebaseline_page, after_id, PAGE, &rows, err))
        return false;
    struct rebaseline_page page = {.count = (size_t)PQntuples(rows)};
    page.items = arena_array(arena, struct rebaseline_row, page.count);
    for (size_t i = 0; page.items != NULL && i < page.count; i++) {
        struct rebaseline_row *row = &page.items[i];
        row->id = result_i64(rows, (int)i, 0);
        row->after_profile_id = result_i64(rows, (int)i, 1);
        if (!result_copy_text(rows, (int)i, 2, arena, &row->reason))
            page.items = NULL;
    }
    *ret_page = page;
    return page.items != NULL || arena_failed(arena, "a page of re-baselines", err);
}

bool acceptance_count(struct db *db, const struct acceptance_entry *entry, int64_t *ret_count,
                      struct err *err)
{
    struct args args = {0};
    args_i64(&args, entry->verdict_id);
    args_text(&args, entry->change_key);
    args_text(&args, entry->reason);
    scoped_result *found = NULL;
    if (!query_row(db, Q_acceptance_count, &args, &found, err))
        return false;
    *ret_count = result_i64(found, 0, 0);
    return true;
}

bool rebaseline_count(struct db *db, const struct rebaseline_row *row, struct arena *arena,
                      const char **ret_series, int64_t *ret_count, struct err *err)
{
    struct args args = {0};
    args_i64(&args, row->after_profile_id);
    args_text(&args, row->reason);
    scoped_result *found = NULL;
    if (!query_run(db, Q_rebaseline_count, &args, &found, err))
        return false;
    if (PQntuples(found) == 0)
        return err_set(err, ERR_MISSING, "the ledger holds no profile p%" PRId64,
                       row->after_profile_id);
    *ret_count = result_i64(found, 0, 0);
    return result_copy_text(found, 0, 1, arena, ret_series) ||
           arena_failed(arena, "a re-baseline", err);
}

bool change_point_count(struct db *db, const struct change_point *point, int64_t *ret_count,
                        struct err *err)
{
    enum measure measure;
    if (!measure_find(point->measure, &measure, err))
        return false;
    struct args args = {0};
    args_i64(&args, point->at_profile_id);
    args_i32(&args, (int32_t)measure);
    args_text(&args, change_point_status_names[point->status]);
    args_f64(&args, point->before);
    args_f64(&args, point->after);
    args_text(&args, point->method);
    scoped_result *found = NULL;
    if (!query_row(db, Q_change_point_count, &args, &found, err))
        return false;
    *ret_count = result_i64(found, 0, 0);
    return true;
}
