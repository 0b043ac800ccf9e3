/* Pages are small: the documents of one page lie in memory at once. */
#include "history/interchange.h"

#include "history/find_or_add.h"
#include "history/owed.h"
#include "history/page.h"
#include "history/result.h"

enum { ID_PAGE = 1000, TRACK_PAGE = 100 };

bool ledger_profile_ids(struct db *db, int64_t after_id, struct arena *arena,
                        struct id_page *ret_page, struct err *err)
{
    scoped_result *result = NULL;
    if (!page_run(db, Q_profile_ids, after_id, ID_PAGE, &result, err))
        return false;
    struct id_page page = {.count = (size_t)PQntuples(result)};
    page.items = arena_array(arena, int64_t, page.count);
    if (page.items == NULL)
        return arena_failed(arena, "a page of ids", err);
    for (size_t i = 0; i < page.count; i++)
        page.items[i] = result_i64(result, (int)i, 0);
    *ret_page = page;
    return true;
}

bool ledger_events(struct db *db, int64_t profile_id, struct arena *arena,
                   struct event_list *ret_events, struct err *err)
{
    struct args args = {0};
    args_i64(&args, profile_id);
    scoped_result *result = NULL;
    if (!query_run(db, Q_profile_events_list, &args, &result, err))
        return false;
    struct event_list events = {.count = (size_t)PQntuples(result)};
    events.items = arena_array(arena, struct profile_event, events.count);
    if (events.items == NULL)
        return arena_failed(arena, "the events of a profile", err);
    for (size_t i = 0; i < events.count; i++)
        if (!result_copy_text(result, (int)i, 0, arena, &events.items[i].branch) ||
            !result_copy_text(result, (int)i, 1, arena, &events.items[i].commit) ||
            !result_copy_text(result, (int)i, 2, arena, &events.items[i].label))
            return arena_failed(arena, "the events of a profile", err);
    *ret_events = events;
    return true;
}

bool ledger_verdict_after(struct db *db, int64_t after_id, struct arena *arena,
                          struct verdict_record *ret_record, bool *ret_found, struct err *err)
{
    scoped_result *result = NULL;
    if (!page_run(db, Q_verdict_page, after_id, 1, &result, err))
        return false;
    *ret_found = PQntuples(result) > 0;
    if (!*ret_found)
        return true;
    ret_record->id = result_i64(result, 0, 0);
    return (result_copy_text(result, 0, 1, arena, &ret_record->document) &&
            result_copy_text(result, 0, 2, arena, &ret_record->request) &&
            result_copy_text(result, 0, 3, arena, &ret_record->policy)) ||
           arena_failed(arena, "a verdict", err);
}

bool ledger_tracks(struct db *db, const struct track_query *query, struct arena *arena,
                   struct track_page *ret_page, struct err *err)
{
    struct args args = {0};
    args_i64(&args, query->after_id);
    args_text(&args, query->project);
    args_text(&args, query->workload);
    args_i64(&args, TRACK_PAGE);
    scoped_result *result = NULL;
    if (!query_run(db, Q_track_page, &args, &result, err))
        return false;
    struct track_page page = {.count = (size_t)PQntuples(result)};
    page.items = arena_array(arena, struct track_row, page.count);
    if (page.items == NULL)
        return arena_failed(arena, "a page of records", err);
    for (size_t i = 0; i < page.count; i++) {
        struct track_row *row = &page.items[i];
        row->id = result_i64(result, (int)i, 0);
        if (!result_copy_text(result, (int)i, 1, arena, &row->project) ||
            !result_copy_text(result, (int)i, 2, arena, &row->workload) ||
            !result_copy_text(result, (int)i, 3, arena, &row->document))
            return arena_failed(arena, "a page of records", err);
    }
    *ret_page = page;
    return true;
}

static bool track_append(struct db *db, const struct track_row *row, bool *ret_new, struct err *err)
{
    int64_t project_id;
    if (!project_find_or_add(db, row->project, &project_id, err))
        return false;
    struct args args = {0};
    args_i64(&args, project_id);
    args_text(&args, row->workload);
    args_text(&args, row->document);
    scoped_result *result = NULL;
    if (!query_run(db, Q_track_add, &args, &result, err))
        return false;
    *ret_new = PQntuples(result) > 0;
    return !*ret_new ||
           entry_owe(db, result_text(result, 0, 1), ENTRY_TRACK, result_i64(result, 0, 0), err);
}

bool ledger_append_track(struct db *db, const struct track_row *row, bool *ret_new, struct err *err)
{
    bool is_new;
    if (!db_begin(db, err) || !db_end(db, track_append(db, row, &is_new, err), err))
        return false;
    *ret_new = is_new;
    return true;
}

bool ledger_verdict_find(struct db *db, const struct verdict_name *name, int64_t *ret_id,
                         struct err *err)
{
    struct args args = {0};
    args_text(&args, name->project);
    args_text(&args, name->workload);
    args_text(&args, name->document);
    scoped_result *result = NULL;
    if (!query_run(db, Q_verdict_known, &args, &result, err))
        return false;
    *ret_id = PQntuples(result) > 0 ? result_i64(result, 0, 0) : 0;
    return true;
}
