/* The queue, seen from people and from what watches for files: add, list, retry, drop. */
#ifndef HISTORY_LEASE_QUEUE_ADMIN_H
#define HISTORY_LEASE_QUEUE_ADMIN_H

#include "history/lease/queue.h"

/* What is to be ingested. */
struct queue_entry {
    struct profile_identity identity;
    const char *path;
    const char *options;
    const char *dedupe_key; /* a second entry of the same key is not added; NULL = always added */
    int max_attempts;
    bool judge; /* when it is stored: history/lease/judgement.h */
    const struct queue_file *files;
    size_t file_count;
};

/* Adds a job; *ret_id is 0 when its dedupe key was known. ERR_INPUT: a name that cannot be one.
 * Call queue_hint when all are added. */
bool queue_add(struct db *db, const struct queue_entry *entry, int64_t *ret_id, struct err *err);

/* Wakes the workers. Never in a transaction with other work. Where the server's queue of hints is
 * full, as anybody who listens and reads nothing can make it, they look by themselves: no error. */
bool queue_hint(struct db *db, struct err *err);

/* A row of the queue for people. */
struct queue_row {
    int64_t id;
    const char *state, *project, *workload, *path;
    int attempt, max_attempts;
    const char *worker, *failure_kind, *failure; /* NULL = none */
    int64_t profile_id;                          /* 0 = none */
    bool duplicate;
    const char *submitted_at_utc, *not_before_utc, *finished_at_utc; /* the last: NULL = not yet */
};

struct queue_page {
    struct queue_row *items;
    size_t count;
};

/* The last `limit` jobs in a state (NULL = any), newest first. */
bool queue_list(struct db *db, const char *state, int64_t limit, struct arena *arena,
                struct queue_page *ret_page, struct err *err);

/* Jobs by number; count 0 stands for all that are set aside. */
struct queue_selection {
    const int64_t *ids;
    size_t count;
};

struct queue_ids {
    int64_t *items;
    size_t count;
};

/* Jobs that were set aside get all their attempts again. *ret_ids: those that did. */
bool queue_retry(struct db *db, const struct queue_selection *selection, struct arena *arena,
                 struct queue_ids *ret_ids, struct err *err);

/* Gives up jobs that are ready or set aside. *ret_ids: those that were. */
bool queue_drop(struct db *db, const struct queue_selection *selection, struct arena *arena,
                struct queue_ids *ret_ids, struct err *err);

/* Removes jobs that were done or dropped more than age_ms ago; *ret_count of them. */
bool queue_forget(struct db *db, int64_t age_ms, int64_t *ret_count, struct err *err);

#endif
