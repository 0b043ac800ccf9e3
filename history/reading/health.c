/* Statements of one row each. */
#include "history/reading/health.h"

#include "history/client/client.h"

static const struct row_kind state = {
    ROWS(Q_health_read, struct health, "the state of the database", server_version, fsync,
         synchronous_commit, full_page_writes, wal_compression, data_checksums, is_replica,
         replay_lag_ms, replica_lag_bytes, database_bytes, missing_roles, disabled_triggers,
         may_change_ledger, entry_count, last_profile_ms, last_checkpoint_ms, first_profile_ms,
         owner_makes_roles, bare_roles, verified_all_ms, verified_found)};

static const struct row_kind logins = {ROWS(Q_health_logins, struct health_logins,
                                            "the logins of the database", filling,
                                            unlimited_connections, unlimited_sorts)};

bool health_read(struct db *db, struct arena *arena, struct health *ret_health, struct err *err)
{
    bool found;
    return row_find(db, &state, NULL, arena, (struct row_found){ret_health, &found}, err);
}

bool health_logins_read(struct db *db, struct arena *arena, struct health_logins *ret_logins,
                        struct err *err)
{
    bool found;
    return row_find(db, &logins, NULL, arena, (struct row_found){ret_logins, &found}, err);
}
