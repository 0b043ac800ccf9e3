/* Chains rows that are there already. Subjects come in the order of their ids, kind by kind. */
#include "history/migrate/late.h"

#include "history/chain/chain.h"
#include "history/client/client.h"
#include "history/profiles/profiles.h"

#include <inttypes.h>

static bool start_fill_kind(struct db *db, enum entry_kind kind, int64_t last_id, int64_t *count,
                            struct err *err)
{
    struct args args = {0};
    args_text(&args, entry_kinds[kind].name);
    args_i64(&args, last_id);
    scoped_result *missing = NULL;
    if (!query_run(db, Q_entry_missing, &args, &missing, err))
        return false;
    for (int row = 0; row < PQntuples(missing); row++, (*count)++) {
        int64_t id = result_i64(missing, row, 0);
        if ((kind == ENTRY_PROFILE && !ledger_measures_backfill(db, id, err)) ||
            !chain_append_stored(db, kind, id, err))
            return err_prefix(err, "%s %s%" PRId64, entry_kinds[kind].name,
                              entry_kinds[kind].prefix, id);
    }
    return true;
}

bool late_start_fill(struct db *db, int64_t *ret_count, struct err *err)
{
    scoped_result *starts = NULL;
    *ret_count = 0;
    if (!query_run(db, Q_chain_start_list, NULL, &starts, err))
        return false;
    for (int row = 0; row < PQntuples(starts); row++) {
        enum entry_kind kind = entry_kind_of(result_text(starts, row, 0));
        if (kind == ENTRY_KIND_COUNT)
            return err_set(err, ERR_BUG, "chain_starts names an unknown kind");
        if (!start_fill_kind(db, kind, result_i64(starts, row, 1), ret_count, err))
            return false;
    }
    return query_do(db, Q_chain_start_end, NULL, err);
}
