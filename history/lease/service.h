/* What the running service leaves in the database beside its work: which workers there are, which
 * regular task was done when, and all of it in numbers, for `status` and for metrics. */
#ifndef HISTORY_LEASE_SERVICE_H
#define HISTORY_LEASE_SERVICE_H

#include "history/db.h"
#include "history/lease/destinations.h"
#include "ops/runtime/arena.h"
#include "schema/documents/optional.h"

#include <stddef.h>
#include <stdint.h>

struct worker_heartbeat {
    const char *name; /* "host:process" */
    const char *kind; /* "ingest", "alert", "schedule" */
    int slots, busy;
};

/* A worker says that it lives; every few seconds. */
bool worker_seen(struct db *db, const struct worker_heartbeat *heartbeat, struct err *err);

/* It leaves in order; workers that were not seen for an hour are forgotten with it. */
bool worker_gone(struct db *db, const char *name, struct err *err);

/* *ret_mine true when the task was not done for every_ms by anybody, or was begun and has not ended
 * for a quarter of an hour: the caller is to do it now. */
bool schedule_claim(struct db *db, const char *task, int64_t every_ms, bool *ret_mine,
                    struct err *err);

/* The same of a task that the caller found due: every_ms keeps off only what failed or has not
 * ended. */
bool schedule_claim_due(struct db *db, const char *task, int64_t every_ms, bool *ret_mine,
                        struct err *err);

/* "until 2026-11-30T07:05:00Z: why it failed", of a task that is kept off. */
bool schedule_wait_words(struct db *db, const char *task, int64_t every_ms, struct arena *arena,
                         const char **ret_words, struct err *err);

/* What came of a task: failure NULL = it is done. Not over: something that may pass kept it from
 * being done. */
bool schedule_end(struct db *db, const char *task, const char *failure, bool over, struct err *err);

/* Jobs or messages of one state. */
struct state_numbers {
    const char *state;
    int64_t count;
    int64_t oldest_ms; /* since the oldest was submitted */
    int64_t recent;    /* how many ended in the last five minutes */
};

struct state_table {
    struct state_numbers *items;
    size_t count;
};

struct worker_state {
    const char *name, *kind;
    int slots, busy;
    int64_t seen_ms; /* since it was last seen */
};

struct service_status {
    const char *database, *server_version;
    int64_t database_bytes;
    struct opt_i64 replica_lag_bytes;      /* of the farthest; not set without replicas */
    struct opt_i64 profile_id, profile_ms; /* the last one, and how long ago */
    struct opt_i64 verdict_id, verdict_ms; /* the same */
    int64_t recent_profiles;               /* stored in the last five minutes */
    /* Since the scheduler verified all of the ledger, and what was new; not set: never. */
    struct opt_i64 verified_all_ms, verified_new_ms;
    bool all_found, new_found;                    /* and found that something was changed */
    const char *failed_tasks;                     /* "name: why; …"; NULL = none */
    struct state_table queue, judgements, outbox; /* one row per state, also those without any */
    struct destination_states destinations;
    struct worker_state *workers;
    size_t worker_count;
};

/* The numbers of now. */
bool service_status_read(struct db *db, struct arena *arena, struct service_status *ret_status,
                         struct err *err);

#endif
