/* One statement, one row. */
#include "history/health.h"

#include "history/connection.h"
#include "history/result.h"

static struct opt_i64 opt_read(const PGresult *result, int column)
{
    bool set = !result_is_null(result, 0, column);
    return (struct opt_i64){set, set ? result_i64(result, 0, column) : 0};
}

static bool texts_read(const PGresult *result, struct arena *arena, struct health *out)
{
    const char **const texts[] = {&out->server_version,     &out->fsync,
                                  &out->synchronous_commit, &out->full_page_writes,
                                  &out->wal_compression,    &out->data_checksums};
    for (int i = 0; i < (int)(sizeof texts / sizeof texts[0]); i++)
        if (!result_copy_text(result, 0, i, arena, texts[i]))
            return false;
    return result_copy_text(result, 0, 10, arena, &out->missing_roles) &&
           result_copy_text(result, 0, 11, arena, &out->disabled_triggers);
}

bool health_read(struct db *db, struct arena *arena, struct health *ret_health, struct err *err)
{
    scoped_result *result = NULL;
    if (!query_row(db, Q_health_read, NULL, &result, err))
        return false;
    struct health health = {
        .is_replica = result_bool(result, 0, 6),
        .replay_lag_ms = opt_read(result, 7),
        .replica_lag_bytes = opt_read(result, 8),
        .database_bytes = result_i64(result, 0, 9),
        .may_change_ledger = result_bool(result, 0, 12),
        .entry_count = result_i64(result, 0, 13),
        .last_profile_ms = opt_read(result, 14),
        .last_checkpoint_ms = opt_read(result, 15),
    };
    if (!texts_read(result, arena, &health))
        return arena_failed(arena, "the state of the database", err);
    *ret_health = health;
    return true;
}
