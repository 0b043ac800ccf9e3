/* Implements it, one statement each. */
#include "history/lease/destinations.h"

#include "history/client/client.h"

const char *const receipt_outcome_names[RECEIPT_OUTCOME_COUNT] = {
    [RECEIPT_DONE] = "done",
    [RECEIPT_RETRY] = "retry",
    [RECEIPT_DEAD] = "dead",
    [RECEIPT_LEASE_EXPIRED] = "lease_expired",
};

static const struct row_kind failing = {
    ROWS(Q_destination_list, struct destination_row, "the destinations", name, disabled_why,
         disabled_until_utc, paused_until_utc, failing_since_utc, waiting)};
static const struct row_kind untold = {ROWS(Q_destination_disabled_untold, struct destination_row,
                                            "a destination", name, disabled_why, disabled_until_utc,
                                            waiting)};
static const struct row_kind numbers = {
    ROWS(Q_destination_numbers, struct destination_state, "the destinations", name, disabled,
         waiting, oldest_ms, dead, attempts[RECEIPT_DONE], attempts[RECEIPT_RETRY],
         attempts[RECEIPT_DEAD], attempts[RECEIPT_LEASE_EXPIRED])};
static const struct row_kind branches = {
    ROWS_BY(Q_branches_recent, const char *, "the branches", row_text)};

bool destinations_failing(struct db *db, struct arena *arena, struct destination_page *ret_page,
                          struct err *err)
{
    return rows_read(db, &failing, NULL, arena, ret_page, err);
}

bool destinations_read(struct db *db, struct arena *arena, struct destination_states *ret_states,
                       struct err *err)
{
    return rows_read(db, &numbers, NULL, arena, ret_states, err);
}

bool branches_recent(struct db *db, int64_t profiles, struct arena *arena,
                     struct string_list *ret_branches, struct err *err)
{
    return rows_read(db, &branches, ARGS(profiles), arena, ret_branches, err);
}

bool destination_reopen(struct db *db, const char *name, struct err *err)
{
    scoped_result *result = NULL;
    if (!query_run(db, Q_destination_open, ARGS(name), &result, err))
        return false;
    return PQntuples(result) > 0 ||
           err_set(err, ERR_MISSING, "nothing was ever sent to a destination '%s'", name);
}

bool destination_disabled_untold(struct db *db, struct arena *arena,
                                 struct destination_row *ret_row, bool *ret_found, struct err *err)
{
    return row_find(db, &untold, NULL, arena, (struct row_found){ret_row, ret_found}, err);
}

bool destination_disabled_told(struct db *db, const char *name, struct err *err)
{
    return query_do(db, Q_destination_disabled_told, ARGS(name), err);
}
