/* The queue of profiles to ingest, seen from workers: claim, prolong, end.
 *
 * A claim gives a lease and a fence, the number of the claim. What a worker says later is taken
 * only while no other claim came after: the profile is stored and its job ended in one transaction
 * that checks the fence, so a worker that was cut off, and whose job was taken over, stores
 * nothing. At least once is not good enough here and exactly once is had: the same bytes are one
 * profile anyway. The loop is ops/serve/workers/worker_ingest.c; people's side of the queue is
 * history/lease/queue_admin.h.
 */
#ifndef HISTORY_LEASE_QUEUE_H
#define HISTORY_LEASE_QUEUE_H

#include "history/db.h"
#include "history/profiles/profiles.h"
#include "ops/runtime/arena.h"

#include <stddef.h>
#include <stdint.h>

/* What a file of a job is to its capture (struct profile_files), in the order in which they lie. */
enum queue_part { FILE_HOST, FILE_MEMORY, FILE_ASIDE, FILE_UNREAD, FILE_PARTS };
extern const char *const queue_part_words[FILE_PARTS];

/* One file of a job. */
struct queue_file {
    const char *path;
    const void *bytes; /* NULL: to be read from the path */
    size_t length;
    enum queue_part part;
};

struct queue_job {
    int64_t id, fence;
    struct profile_identity identity;
    const char *path;    /* of the capture, as it was submitted */
    const char *options; /* JSON; ops/flow/submit/job_options.h */
    int attempt;         /* this one: 1 = the first */
    int max_attempts;    /* after this one it is set aside */
    bool has_bytes;      /* files came with the job */
    int64_t lease_ms;    /* what it was claimed with, and is prolonged by */
};

struct queue_lease {
    const char *worker; /* who claims, for people: "host:process" */
    int64_t lease_ms;
};

/* Claims the job that has been due for longest; committed before it returns. *ret_found false when
 * none is due. The job lives in the arena. */
bool queue_claim(struct db *db, const struct queue_lease *lease, struct arena *arena,
                 struct queue_job *ret_job, bool *ret_found, struct err *err);

/* The files of a job, in the arena. */
bool queue_files_load(struct db *db, int64_t job_id, struct arena *arena,
                      struct queue_file **ret_files, size_t *ret_count, struct err *err);

/* Prolongs the lease. *ret_held false: it was lost, the job is another's or ended. */
bool queue_heartbeat(struct db *db, const struct queue_job *job, bool *ret_held, struct err *err);

/* First and last in the transaction in which the caller appends the job's profile: both are stored
 * or neither. ERR_CONFLICT: the lease was lost. The server ends the transaction when this process
 * is silent for the lease. */
bool queue_store_begin(struct db *db, const struct queue_job *job, struct err *err);
struct queue_failure; /* of some of its files: kind and text; NULL: there were none */
bool queue_store_end(struct db *db, const struct queue_job *job,
                     const struct profile_receipt *receipt, const struct queue_failure *left,
                     struct err *err);

enum queue_ending {
    QUEUE_RETRY,     /* again after delay_ms, or aside when the attempts are used up */
    QUEUE_SET_ASIDE, /* the job itself is bad */
    QUEUE_RELEASE    /* again after delay_ms, and the attempt does not count: not the job's fault */
};

/* As the statements that record a failure take them. */
extern const char *const queue_ending_words[];

/* How an attempt failed. */
struct queue_failure {
    enum queue_ending ending;
    const char *kind; /* err_kind_name, or "crash" */
    const char *text;
    int64_t delay_ms;
};

/* Records a failed attempt; *ret_aside: the job was set aside. ERR_CONFLICT: the lease was lost. */
bool queue_fail(struct db *db, const struct queue_job *job, const struct queue_failure *failure,
                bool *ret_aside, struct err *err);

/* Takes expired leases back (to ready, or aside after the last attempt); *ret_count of them. */
bool queue_reap(struct db *db, int64_t *ret_count, struct err *err);

/* Asks for hints on this connection: when jobs are added, its socket becomes readable. A hint may
 * be lost, so waiting ends with a poll of the queue all the same. */
bool queue_listen(struct db *db, struct err *err);
/* The socket to wait on; -1 when the connection is gone. */
int queue_socket(const struct db *db);
/* Takes the hints that have come; *ret_hinted says whether there was one. ERR_UNAVAILABLE: the
 * connection is gone. */
bool queue_hints_take(struct db *db, bool *ret_hinted, struct err *err);

#endif
