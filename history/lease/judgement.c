/* Judgements: one statement and one transaction each, but for the end with a verdict, which is the
 * verdict's. */
#include "history/lease/judgement.h"

#include "history/client/client.h"
#include "history/profiles/profiles.h"

#include <string.h>

enum { FAILURE_BYTES_MAX = 1 << 20 };

static const struct row_kind claimed = {
    ROWS(Q_judgement_claim, struct judgement, "a candidate", id, fence, asked, subject.project,
         subject.workload, subject.candidate, subject.branch, subject.commit, attempt)};
static const struct row_kind listed = {ROWS(
    Q_judgement_list, struct judgement_row, "a page of candidates", id, state, project, workload,
    candidate, branch, attempt, worker, failure_kind, failure, verdict_id, finished_at_utc)};

bool judgement_claim(struct db *db, const struct judgement_lease *lease, struct arena *arena,
                     struct judgement *ret_judgement, bool *ret_found, struct err *err)
{
    if (!row_find(db, &claimed, ARGS(lease->worker, lease->lease_ms, lease->settle_ms), arena,
                  (struct row_found){ret_judgement, ret_found}, err))
        return false;
    ret_judgement->max_attempts = lease->max_attempts;
    return true;
}

static bool lease_lost(const struct judgement *judgement, struct err *err)
{
    return err_set(err, ERR_CONFLICT,
                   "the lease on candidate %s of %s ran out before attempt %d was recorded: "
                   "another worker has it, or had it",
                   judgement->subject.candidate, judgement->subject.workload, judgement->attempt);
}

/* A conflict that the database itself sees has its code. */
bool judgement_is_lost(const struct err *failure)
{
    return failure->kind == ERR_CONFLICT && failure->sqlstate[0] == '\0';
}

/* why NULL: it has this verdict. */
static bool judgement_end(struct db *db, const struct judgement *judgement, struct opt_i64 verdict,
                          const struct err *why, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, FAILURE_BYTES_MAX);
    scoped_result *result = NULL;
    return query_run(db, Q_judgement_done,
                     ARGS(judgement->id, judgement->fence, judgement->asked, verdict,
                          why == NULL ? NULL : err_kind_name(why->kind),
                          arg_repaired(&arena, why == NULL ? NULL : why->text)),
                     &result, err) &&
           (PQntuples(result) == 1 || lease_lost(judgement, err));
}

bool judgement_end_within(struct db *db, const struct judgement *judgement, int64_t verdict_id,
                          struct err *err)
{
    return judgement_end(db, judgement, some_i64(verdict_id), NULL, err);
}

bool judgement_end_void(struct db *db, const struct judgement *judgement, const struct err *why,
                        struct err *err)
{
    return judgement_end(db, judgement, (struct opt_i64){0}, why, err);
}

bool judgement_fail(struct db *db, const struct judgement *judgement,
                    const struct queue_failure *failure, bool *ret_aside, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, FAILURE_BYTES_MAX);
    scoped_result *result = NULL;
    if (!query_run(db, Q_judgement_fail,
                   ARGS(judgement->id, judgement->fence, queue_ending_words[failure->ending],
                        failure->kind, arg_repaired(&arena, failure->text), failure->delay_ms,
                        judgement->max_attempts),
                   &result, err))
        return false;
    if (PQntuples(result) != 1)
        return lease_lost(judgement, err);
    *ret_aside = strcmp(result_text(result, 0, C_judgement_fail_state), "aside") == 0;
    return true;
}

bool judgement_reap(struct db *db, int64_t max_attempts, int64_t *ret_count, struct err *err)
{
    return query_number(db, Q_judgement_reap, ARGS(max_attempts), ret_count, err);
}

bool judgement_forget(struct db *db, int64_t age_ms, int64_t *ret_count, struct err *err)
{
    return query_number(db, Q_judgement_forget, ARGS(age_ms), ret_count, err);
}

bool judgement_ask(struct db *db, const struct judgement_subject *subject, int64_t *ret_id,
                   struct err *err)
{
    const struct profile_identity identity = {.project = subject->project,
                                              .workload = subject->workload,
                                              .branch = subject->branch,
                                              .commit = subject->commit};
    if (!identity_check(&identity, err))
        return false;
    return query_number(db, Q_judgement_ask,
                        ARGS(subject->project, subject->workload, subject->candidate,
                             subject->branch, subject->commit),
                        ret_id, err);
}

bool judgement_list(struct db *db, const char *state, int64_t limit, struct arena *arena,
                    struct judgement_page *ret_page, struct err *err)
{
    return rows_read(db, &listed, ARGS(state, limit), arena, ret_page, err);
}
