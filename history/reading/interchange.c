/* Pages are small: the documents of one page lie in memory at once. */
#include "history/reading/interchange.h"

#include "history/chain/chain.h"
#include "history/client/client.h"

#include <inttypes.h>
#include <string.h>

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

/* "p1 p3" -> its words, in the arena. */
static bool words_read(const char *text, struct arena *arena, struct string_list *ret_words)
{
    size_t count = 0, length = text == NULL ? 0 : strlen(text);
    char *copy = arena_strndup(arena, text == NULL ? "" : text, length);
    const char **items = arena_array(arena, const char *, length / 2 + 1);
    if (copy == NULL || items == NULL)
        return false;
    char *rest = NULL;
    for (char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
        items[count++] = word;
    *ret_words = (struct string_list){items, count};
    return true;
}

bool ledger_recorded(struct db *db, int64_t profile_id, struct arena *arena,
                     struct profile_recorded *ret_recorded, struct err *err)
{
    struct args args = {0};
    args_i64(&args, profile_id);
    scoped_result *row = NULL;
    struct profile_recorded recorded = {0};
    if (!query_run(db, Q_profile_recorded, &args, &row, err))
        return false;
    if (PQntuples(row) == 0)
        return err_set(err, ERR_MISSING, "the ledger holds no profile p%" PRId64, profile_id);
    if (!result_copy_text(row, 0, 0, arena, &recorded.project) ||
        !result_copy_text(row, 0, 1, arena, &recorded.workload) ||
        !result_copy_text(row, 0, 2, arena, &recorded.run) ||
        !origin_copy(row, 0, 3, arena, &recorded.origin) ||
        !words_read(result_text(row, 0, 5), arena, &recorded.supersedes))
        return arena_failed(arena, "a profile", err);
    *ret_recorded = recorded;
    return true;
}

static bool amendment_read(const PGresult *rows, int row, struct arena *arena,
                           struct recorded_amendment *out)
{
    struct amendment *amendment = &out->amendment;
    while (amendment->action < AMEND_ACTION_COUNT - 1 &&
           strcmp(amend_action_names[amendment->action], result_text(rows, row, 0)) != 0)
        amendment->action++;
    out->events_before = result_i64(rows, row, 7);
    return result_copy_text(rows, row, 1, arena, &amendment->reason) &&
           result_copy_text(rows, row, 2, arena, &amendment->workload) &&
           result_copy_text(rows, row, 3, arena, &amendment->run) &&
           result_copy_text(rows, row, 4, arena, &amendment->branch) &&
           result_copy_text(rows, row, 5, arena, &amendment->commit) &&
           result_copy_text(rows, row, 6, arena, &amendment->label) &&
           origin_copy(rows, row, 8, arena, &out->origin);
}

bool ledger_amendments(struct db *db, int64_t profile_id, struct arena *arena,
                       struct amendment_list *ret_amendments, struct err *err)
{
    struct args args = {0};
    args_i64(&args, profile_id);
    scoped_result *rows = NULL;
    if (!query_run(db, Q_profile_amendments, &args, &rows, err))
        return false;
    struct amendment_list list = {.count = (size_t)PQntuples(rows)};
    list.items = arena_array(arena, struct recorded_amendment, list.count);
    bool good = list.items != NULL;
    for (size_t i = 0; good && i < list.count; i++)
        good = amendment_read(rows, (int)i, arena, &list.items[i]);
    *ret_amendments = list;
    return good || arena_failed(arena, "the corrections of a profile", err);
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
            result_copy_text(result, 0, 3, arena, &ret_record->policy) &&
            origin_copy(result, 0, 4, arena, &ret_record->origin)) ||
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
            !result_copy_text(result, (int)i, 3, arena, &row->document) ||
            !origin_copy(result, (int)i, 4, arena, &row->origin))
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
           (origin_append(db, ENTRY_TRACK, result_i64(result, 0, 0), &row->origin, err) &&
            entry_owe(db, result_text(result, 0, 1), ENTRY_TRACK, result_i64(result, 0, 0), err));
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
