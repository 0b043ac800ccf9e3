/* Candidates that wait to be judged: work state, like the queue, from which `work compare` takes.
 *
 * Who submits a profile may ask for a judgement of what it belongs to: its commit with all its
 * profiles, or the profile itself when it names no commit. Several profiles of one commit are
 * judged together, when none has come for a while; one that comes later makes it judged again. A
 * claim gives a lease and a fence: the verdict and the end of its judgement are one transaction, so
 * a worker that was cut off records nothing, and no candidate gets a verdict twice. The loop is
 * ops/serve/workers/worker_compare.c.
 */
#ifndef HISTORY_LEASE_JUDGEMENT_H
#define HISTORY_LEASE_JUDGEMENT_H

#include "history/db.h"
#include "history/lease/queue.h"
#include "ops/runtime/arena.h"

#include <stddef.h>
#include <stdint.h>

/* What is judged. */
struct judgement_subject {
    const char *project, *workload;
    const char *candidate;       /* a commit or "p12" */
    const char *branch, *commit; /* of the candidate; NULL: not known */
};

struct judgement_lease {
    const char *worker; /* who claims, for people: "host:process" */
    int64_t lease_ms;
    int64_t settle_ms;    /* nothing came for the candidate for so long */
    int64_t max_attempts; /* after the last one it is set aside */
};

/* A claim: what a worker states when it ends the judgement. */
struct judgement {
    int64_t id, fence, asked, max_attempts;
    int attempt; /* this one: 1 = the first */
    struct judgement_subject subject;
};

/* Claims the candidate that has been due for longest; committed before it returns. *ret_found false
 * when none is due. In the arena. */
bool judgement_claim(struct db *db, const struct judgement_lease *lease, struct arena *arena,
                     struct judgement *ret_judgement, bool *ret_found, struct err *err);

/* Ends it with its verdict, in the caller's transaction. ERR_CONFLICT: the lease was lost. */
bool judgement_end_within(struct db *db, const struct judgement *judgement, int64_t verdict_id,
                          struct err *err);

/* Ends it without one: there is nothing to compare it with. ERR_CONFLICT: the lease was lost. */
bool judgement_end_void(struct db *db, const struct judgement *judgement, const struct err *why,
                        struct err *err);

/* Records a failed attempt; *ret_aside: it was set aside, at once or because it was the last.
 * ERR_CONFLICT: the lease was lost. */
bool judgement_fail(struct db *db, const struct judgement *judgement,
                    const struct queue_failure *failure, bool *ret_aside, struct err *err);

/* Whether an error of one of these says that the lease was lost. */
bool judgement_is_lost(const struct err *failure);

/* Takes expired leases back; *ret_count of them. */
bool judgement_reap(struct db *db, int64_t max_attempts, int64_t *ret_count, struct err *err);

/* Asks for a judgement at once, with all attempts; *ret_id: its number. ERR_INPUT: a name that
 * cannot be one. */
bool judgement_ask(struct db *db, const struct judgement_subject *subject, int64_t *ret_id,
                   struct err *err);

/* A row for people. */
struct judgement_row {
    int64_t id;
    const char *state, *project, *workload, *candidate;
    const char *branch; /* NULL = none, as below */
    int attempt;
    const char *worker, *failure_kind, *failure;
    int64_t verdict_id; /* 0 = none */
    const char *finished_at_utc;
};

struct judgement_page {
    struct judgement_row *items;
    size_t count;
};

/* The last `limit` candidates in a state (NULL = any), newest first, in the arena. */
bool judgement_list(struct db *db, const char *state, int64_t limit, struct arena *arena,
                    struct judgement_page *ret_page, struct err *err);

/* Removes those that were judged more than age_ms ago; *ret_count of them. */
bool judgement_forget(struct db *db, int64_t age_ms, int64_t *ret_count, struct err *err);

#endif
