/* Reads and counts decisions. */
#include "history/alert/decision_log.h"

#include "history/chain/chain.h"
#include "history/client/client.h"
#include "schema/documents/measures.h"

#include <inttypes.h>

enum { PAGE = 100 };

static const struct row_kind acceptances = {
    ROWS(Q_acceptance_page, struct acceptance_row, "a page of acceptances", id, entry.verdict_id,
         entry.change_key, entry.reason, entry.origin.recorded_at_utc, entry.origin.by),
    .limit = PAGE};
static const struct row_kind rebaselines = {
    ROWS(Q_rebaseline_page, struct rebaseline_row, "a page of re-baselines", id, of_profile_id,
         after_profile_id, reason, origin.recorded_at_utc, origin.by),
    .limit = PAGE};

bool acceptances_after(struct db *db, int64_t after_id, struct arena *arena,
                       struct acceptance_page *ret_page, struct err *err)
{
    return rows_after(db, &acceptances, after_id, arena, ret_page, err);
}

bool rebaselines_after(struct db *db, int64_t after_id, struct arena *arena,
                       struct rebaseline_page *ret_page, struct err *err)
{
    return rows_after(db, &rebaselines, after_id, arena, ret_page, err);
}

bool acceptance_count(struct db *db, const struct acceptance_entry *entry, int64_t *ret_count,
                      struct err *err)
{
    return query_number(db, Q_acceptance_count,
                        ARGS(entry->verdict_id, entry->change_key, entry->reason), ret_count, err);
}

bool rebaseline_count(struct db *db, const struct rebaseline_row *row, struct arena *arena,
                      const char **ret_series, int64_t *ret_count, struct err *err)
{
    scoped_result *found = NULL;
    if (!query_run(db, Q_rebaseline_count,
                   ARGS(row->of_profile_id, row->reason, row->after_profile_id), &found, err))
        return false;
    if (PQntuples(found) == 0)
        return err_set(err, ERR_MISSING, "the ledger holds no profile p%" PRId64,
                       row->of_profile_id);
    *ret_count = result_i64(found, 0, C_rebaseline_count_count);
    return result_copy_text(found, 0, C_rebaseline_count_series, arena, ret_series) ||
           arena_failed(arena, "a re-baseline", err);
}
