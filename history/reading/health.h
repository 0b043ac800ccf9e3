/* The state of the database, for `check`: what a person has to know before trusting it. */
#ifndef HISTORY_READING_HEALTH_H
#define HISTORY_READING_HEALTH_H

#include "history/db.h"
#include "ops/runtime/arena.h"
#include "schema/documents/optional.h"

struct health {
    const char *server_version, *fsync, *synchronous_commit, *full_page_writes, *wal_compression,
        *data_checksums;
    bool is_replica;
    struct opt_i64 replay_lag_ms;     /* of this server, when it is a replica */
    struct opt_i64 replica_lag_bytes; /* of the farthest replica, when it is the primary */
    int64_t database_bytes;
    const char *missing_roles;     /* "a, b"; NULL = none */
    const char *bare_roles;        /* made after `migrate`, without its rights; NULL = none */
    const char *disabled_triggers; /* tables whose lock is off; NULL = none */
    bool may_change_ledger;        /* this role could UPDATE or DELETE but for the triggers */
    bool owner_makes_roles;        /* stepledger_owner has CREATEROLE */
    int64_t entry_count;           /* estimated */
    struct opt_i64 first_profile_ms, last_profile_ms; /* how long ago; not set without one */
    struct opt_i64 last_checkpoint_ms;
    const char *verified_found;     /* what the scheduler's verifying found last; NULL: nothing */
    struct opt_i64 verified_all_ms; /* since the scheduler verified the whole ledger */
};

/* Logins of others that may open the database, and what nothing bounds; NULL: none. */
struct health_logins {
    const char *filling; /* "name: large objects, temporary tables; …": what is no entry */
    const char *unlimited_connections, *unlimited_sorts; /* "a, b" */
};

/* Reads it; texts live in the arena. */
bool health_read(struct db *db, struct arena *arena, struct health *ret_health, struct err *err);
bool health_logins_read(struct db *db, struct arena *arena, struct health_logins *ret_logins,
                        struct err *err);

#endif
