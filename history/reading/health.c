/* One statement, one row. */
#include "history/reading/health.h"

#include "history/client/client.h"

static const struct row_kind state = {
    ROWS(Q_health_read, struct health, "the state of the database", server_version, fsync,
         synchronous_commit, full_page_writes, wal_compression, data_checksums, is_replica,
         replay_lag_ms, replica_lag_bytes, database_bytes, missing_roles, disabled_triggers,
         may_change_ledger, entry_count, last_profile_ms, last_checkpoint_ms, first_profile_ms,
         owner_makes_roles, bare_roles, verified_all_ms, verified_found, fills_disk)};

bool health_read(struct db *db, struct arena *arena, struct health *ret_health, struct err *err)
{
    struct health *health;
    if (!row_find(db, &state, NULL, arena, &health, err))
        return false;
    *ret_health = *health;
    return true;
}
