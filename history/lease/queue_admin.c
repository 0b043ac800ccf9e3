/* Adding jobs is one transaction per job: a capture whose files come with it is there whole or not
 * at all. */
#include "history/lease/queue_admin.h"

#include "history/client/client.h"
#include "history/profiles/profiles.h"

static bool job_add(struct db *db, const struct queue_entry *entry, int64_t *ret_id,
                    struct err *err)
{
    const struct profile_identity *identity = &entry->identity;
    struct args args = {0};
    args_text(&args, identity->project);
    args_text(&args, identity->workload);
    args_text(&args, identity->branch);
    args_text(&args, identity->commit);
    args_text(&args, identity->run);
    args_text(&args, identity->label);
    args_text(&args, entry->path);
    args_text(&args, entry->options);
    args_text(&args, entry->dedupe_key);
    args_i32(&args, entry->max_attempts);
    args_bool(&args, entry->judge);
    scoped_result *result = NULL;
    if (!query_run(db, Q_queue_add, &args, &result, err))
        return false;
    *ret_id = PQntuples(result) > 0 ? result_i64(result, 0, 0) : 0;
    return true;
}

static bool files_add(struct db *db, const struct queue_entry *entry, int64_t job_id,
                      struct err *err)
{
    for (size_t i = 0; i < entry->file_count; i++) {
        const struct queue_file *file = &entry->files[i];
        struct args args = {0};
        args_i64(&args, job_id);
        args_i32(&args, (int32_t)i);
        args_text(&args, file->path);
        args_bytes(&args, file->bytes, file->length);
        if (!query_do(db, Q_queue_file_add, &args, err))
            return false;
    }
    return true;
}

bool queue_add(struct db *db, const struct queue_entry *entry, int64_t *ret_id, struct err *err)
{
    int64_t id;
    if (!identity_check(&entry->identity, err) || !identity_shows(&entry->identity, err) ||
        !db_begin(db, err))
        return false;
    if (!job_add(db, entry, &id, err) || (id != 0 && !files_add(db, entry, id, err)) ||
        !db_commit(db, err)) {
        db_rollback(db);
        return false;
    }
    *ret_id = id;
    return true;
}

bool queue_hint(struct db *db, struct err *err)
{
    return query_do(db, Q_queue_notify, NULL, err);
}

static bool row_read(const PGresult *result, int row, struct arena *arena, struct queue_row *out)
{
    out->id = result_i64(result, row, 0);
    out->attempt = result_i32(result, row, 5);
    out->max_attempts = result_i32(result, row, 6);
    out->profile_id = result_is_null(result, row, 10) ? 0 : result_i64(result, row, 10);
    out->duplicate = !result_is_null(result, row, 11) && result_bool(result, row, 11);
    return result_copy_text(result, row, 1, arena, &out->state) &&
           result_copy_text(result, row, 2, arena, &out->project) &&
           result_copy_text(result, row, 3, arena, &out->workload) &&
           result_copy_text(result, row, 4, arena, &out->path) &&
           result_copy_text(result, row, 7, arena, &out->worker) &&
           result_copy_text(result, row, 8, arena, &out->failure_kind) &&
           result_copy_text(result, row, 9, arena, &out->failure) &&
           result_copy_time(result, row, 12, arena, &out->submitted_at_utc) &&
           result_copy_time(result, row, 13, arena, &out->not_before_utc) &&
           result_copy_time(result, row, 14, arena, &out->finished_at_utc);
}

bool queue_list(struct db *db, const char *state, int64_t limit, struct arena *arena,
                struct queue_page *ret_page, struct err *err)
{
    struct args args = {0};
    args_text(&args, state);
    args_i64(&args, limit);
    scoped_result *result = NULL;
    if (!query_run(db, Q_queue_list, &args, &result, err))
        return false;
    struct queue_page page = {.count = (size_t)PQntuples(result)};
    page.items = arena_array(arena, struct queue_row, page.count);
    if (page.items == NULL)
        return arena_failed(arena, "a page of jobs", err);
    for (size_t i = 0; i < page.count; i++)
        if (!row_read(result, (int)i, arena, &page.items[i]))
            return arena_failed(arena, "a page of jobs", err);
    *ret_page = page;
    return true;
}

/* Runs a statement that takes job numbers, or NULL for all, and returns those it moved. */
static bool selection_run(struct db *db, enum query_id id, const struct queue_selection *selection,
                          struct arena *arena, struct queue_ids *ret_ids, struct err *err)
{
    struct args args = {0};
    if (selection->count > 0)
        args_i64s(&args, arena, selection->ids, selection->count);
    else
        args_bytes(&args, NULL, 0);
    scoped_result *result = NULL;
    if (!query_run(db, id, &args, &result, err))
        return false;
    struct queue_ids ids = {.count = (size_t)PQntuples(result)};
    ids.items = arena_array(arena, int64_t, ids.count);
    if (ids.items == NULL)
        return arena_failed(arena, "a list of jobs", err);
    for (size_t i = 0; i < ids.count; i++)
        ids.items[i] = result_i64(result, (int)i, 0);
    *ret_ids = ids;
    return true;
}

bool queue_retry(struct db *db, const struct queue_selection *selection, struct arena *arena,
                 struct queue_ids *ret_ids, struct err *err)
{
    return selection_run(db, Q_queue_retry, selection, arena, ret_ids, err);
}

bool queue_drop(struct db *db, const struct queue_selection *selection, struct arena *arena,
                struct queue_ids *ret_ids, struct err *err)
{
    return selection_run(db, Q_queue_drop, selection, arena, ret_ids, err);
}

bool queue_forget(struct db *db, int64_t age_ms, int64_t *ret_count, struct err *err)
{
    struct args args = {0};
    args_i64(&args, age_ms);
    scoped_result *result = NULL;
    if (!query_row(db, Q_queue_forget, &args, &result, err))
        return false;
    *ret_count = result_i64(result, 0, 0);
    return true;
}
