/* The queue, seen from the worker. Claiming, prolonging and failing are one statement and one
 * transaction each; storing is the ledger's append with the end of the job as its last statement,
 * so the row of the job is locked for no longer than the commit takes. */
#include "history/lease/queue.h"

#include "history/client/client.h"
#include "ops/runtime/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { FAILURE_BYTES_MAX = 1 << 20 };

static const struct row_kind claimed = {ROWS(Q_queue_claim, struct queue_job, "a job", id, fence,
                                             identity.project, identity.workload, identity.branch,
                                             identity.commit, identity.run, identity.label, path,
                                             options, attempt, max_attempts, has_bytes)};

bool queue_claim(struct db *db, const struct queue_lease *lease, struct arena *arena,
                 struct queue_job *ret_job, bool *ret_found, struct err *err)
{
    if (!row_find(db, &claimed, ARGS(lease->worker, lease->lease_ms), arena,
                  (struct row_found){ret_job, ret_found}, err))
        return false;
    ret_job->lease_ms = lease->lease_ms;
    return true;
}

const char *const queue_part_words[FILE_PARTS] = {[FILE_HOST] = "host",
                                                  [FILE_MEMORY] = "memory",
                                                  [FILE_ASIDE] = "aside",
                                                  [FILE_UNREAD] = "unread"};

bool queue_files_load(struct db *db, int64_t job_id, struct arena *arena,
                      struct queue_file **ret_files, size_t *ret_count, struct err *err)
{
    scoped_result *rows = NULL;
    if (!query_run(db, Q_queue_files, ARGS(job_id), &rows, err))
        return false;
    *ret_count = (size_t)PQntuples(rows);
    *ret_files = arena_array(arena, struct queue_file, *ret_count);
    for (int row = 0; row < PQntuples(rows); row++) {
        struct queue_file *file = &(*ret_files)[row];
        const char *word = result_text(rows, row, C_queue_files_part);
        file->path = result_copy_text(rows, row, C_queue_files_path, arena);
        file->part = (enum queue_part)text_index(word, queue_part_words, FILE_PARTS - 1);
        if (!result_is_null(rows, row, C_queue_files_body))
            file->bytes = result_copy_bytes(rows, row, C_queue_files_body, arena, &file->length);
        if (!arena_ok(arena, "the files of a job", err))
            return false;
    }
    return true;
}

bool queue_heartbeat(struct db *db, const struct queue_job *job, bool *ret_held, struct err *err)
{
    scoped_result *result = NULL;
    if (!query_run(db, Q_queue_heartbeat, ARGS(job->id, job->fence, job->lease_ms), &result, err))
        return false;
    *ret_held = PQntuples(result) == 1;
    return true;
}

static bool lease_lost(const struct queue_job *job, struct err *err)
{
    return err_set(err, ERR_CONFLICT,
                   "the lease of job %" PRId64 " ran out before attempt %d was recorded: another "
                   "worker has it, or had it",
                   job->id, job->attempt);
}

bool queue_store_begin(struct db *db, const struct queue_job *job, struct err *err)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRId64, job->lease_ms);
    return query_do(db, Q_queue_settle, ARGS(text), err);
}

bool queue_store_end(struct db *db, const struct queue_job *job,
                     const struct profile_receipt *receipt, const struct queue_failure *left,
                     struct err *err)
{
    scoped_arena arena;
    scoped_result *result = NULL;
    arena_init(&arena, FAILURE_BYTES_MAX);
    const char *kind = left == NULL ? NULL : left->kind, *text = left == NULL ? NULL : left->text;
    if (!query_run(db, Q_queue_done,
                   ARGS(job->id, job->fence, receipt->id, receipt->duplicate, kind,
                        arg_repaired(&arena, text)),
                   &result, err))
        return false;
    return PQntuples(result) == 1 || lease_lost(job, err);
}

const char *const queue_ending_words[] = {
    [QUEUE_RETRY] = "retry", [QUEUE_SET_ASIDE] = "aside", [QUEUE_RELEASE] = "release"};

bool queue_fail(struct db *db, const struct queue_job *job, const struct queue_failure *failure,
                bool *ret_aside, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, FAILURE_BYTES_MAX);
    scoped_result *result = NULL;
    if (!query_run(db, Q_queue_fail,
                   ARGS(job->id, job->fence, queue_ending_words[failure->ending], failure->kind,
                        arg_repaired(&arena, failure->text), failure->delay_ms),
                   &result, err))
        return false;
    if (PQntuples(result) != 1)
        return lease_lost(job, err);
    *ret_aside = strcmp(result_text(result, 0, C_queue_fail_state), "aside") == 0;
    return true;
}

bool queue_reap(struct db *db, int64_t *ret_count, struct err *err)
{
    return query_number(db, Q_queue_reap, NULL, ret_count, err);
}

bool queue_listen(struct db *db, struct err *err)
{
    return query_do(db, Q_queue_listen, NULL, err);
}

int queue_socket(const struct db *db)
{
    return PQsocket(db->conn);
}

bool queue_hints_take(struct db *db, bool *ret_hinted, struct err *err)
{
    if (PQconsumeInput(db->conn) == 0 || PQstatus(db->conn) != CONNECTION_OK)
        return err_set(err, ERR_UNAVAILABLE, "the connection to the database is lost");
    *ret_hinted = false;
    for (PGnotify *hint; (hint = PQnotifies(db->conn)) != NULL;) {
        *ret_hinted = true;
        PQfreemem(hint);
    }
    return true;
}
