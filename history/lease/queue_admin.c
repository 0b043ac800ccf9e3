/* Adding jobs is one transaction per job: a capture whose files come with it is there whole or not
 * at all. */
#include "history/lease/queue_admin.h"

#include "history/chain/chain.h"
#include "history/client/client.h"
#include "history/profiles/profiles.h"

bool queue_add(struct db *db, const struct queue_entry *entry, int64_t *ret_id, struct err *err)
{
    const struct profile_identity *identity = &entry->identity;
    scoped_transaction *open = NULL;
    if (!identity_check(identity, err) || !identity_shows(identity, err) ||
        !transaction_open(db, &open, err) ||
        !query_number_or(db, Q_queue_add,
                         ARGS(identity->project, identity->workload, identity->branch,
                              identity->commit, identity->run, identity->label, entry->path,
                              entry->options, entry->dedupe_key, entry->max_attempts, entry->judge),
                         0, ret_id, err))
        return false;
    for (size_t i = 0; *ret_id != 0 && i < entry->file_count; i++) {
        const struct queue_file *file = &entry->files[i];
        if (!query_do(db, Q_queue_file_add,
                      ARGS(*ret_id, arg_i32((int32_t)i), file->path,
                           arg_bytes(file->bytes, file->length), queue_part_words[file->part]),
                      err))
            return false;
    }
    return transaction_close(&open, err);
}

bool queue_hint(struct db *db, struct err *err)
{
    struct err fault = {0};
    if (query_do(db, Q_queue_notify, NULL, &fault) || fault.kind == ERR_LIMIT)
        return true;
    *err = fault;
    return false;
}

static const struct row_kind jobs = {ROWS(Q_queue_list, struct queue_row, "a page of jobs", id,
                                          state, project, workload, path, attempt, max_attempts,
                                          worker, failure_kind, failure, profile_id, duplicate,
                                          submitted_at_utc, not_before_utc, finished_at_utc)};

bool queue_list(struct db *db, const char *state, int64_t limit, struct arena *arena,
                struct queue_page *ret_page, struct err *err)
{
    return rows_read(db, &jobs, ARGS(state, limit), arena, ret_page, err);
}

/* Runs a statement that takes job numbers, or NULL for all, and returns those it moved. */
static bool selection_run(struct db *db, enum query_id id, const struct queue_selection *selection,
                          struct arena *arena, struct queue_ids *ret_ids, struct err *err)
{
    const struct arg ids = selection->count > 0 ? arg_i64s(arena, selection->ids, selection->count)
                                                : arg_bytes(NULL, 0);
    const struct row_kind moved = {ROWS_BY(id, int64_t, "a list of jobs", row_number)};
    return rows_read(db, &moved, ARGS(ids), arena, ret_ids, err);
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
    return query_number(db, Q_queue_forget, ARGS(age_ms), ret_count, err);
}
