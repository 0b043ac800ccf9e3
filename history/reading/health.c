/* One statement, one row. */
#include "history/reading/health.h"

#include "history/client/client.h"

static bool texts_read(const PGresult *result, struct arena *arena, struct health *out)
{
    const char **const texts[] = {&out->server_version,     &out->fsync,
                                  &out->synchronous_commit, &out->full_page_writes,
                                  &out->wal_compression,    &out->data_checksums};
    for (int i = 0; i < (int)(sizeof texts / sizeof texts[0]); i++)
        if (!result_copy_text(result, 0, i, arena, texts[i]))
            return false;
    return result_copy_text(result, 0, 10, arena, &out->missing_roles) &&
           result_copy_text(result, 0, 11, arena, &out->disabled_triggers) &&
           result_copy_text(result, 0, 18, arena, &out->bare_roles) &&
           result_copy_text(result, 0, 20, arena, &out->verified_found);
}

bool health_read(struct db *db, struct arena *arena, struct health *ret_health, struct err *err)
{
    scoped_result *result = NULL;
    if (!query_row(db, Q_health_read, NULL, &result, err))
        return false;
    struct health health = {
        .is_replica = result_bool(result, 0, 6),
        .replay_lag_ms = result_opt_i64(result, 0, 7),
        .replica_lag_bytes = result_opt_i64(result, 0, 8),
        .database_bytes = result_i64(result, 0, 9),
        .may_change_ledger = result_bool(result, 0, 12),
        .entry_count = result_i64(result, 0, 13),
        .last_profile_ms = result_opt_i64(result, 0, 14),
        .last_checkpoint_ms = result_opt_i64(result, 0, 15),
        .first_profile_ms = result_opt_i64(result, 0, 16),
        .owner_makes_roles = result_bool(result, 0, 17),
        .verified_all_ms = result_opt_i64(result, 0, 19),
    };
    if (!texts_read(result, arena, &health))
        return arena_failed(arena, "the state of the database", err);
    *ret_health = health;
    return true;
}
