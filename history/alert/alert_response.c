/* Implements what people say about alerts, and the list of them. */
#include "history/alert/alert_response.h"

#include "history/alert/alert_moves.h"
#include "history/chain/chain.h"
#include "history/client/client.h"

#include <inttypes.h>

bool alert_respond(struct db *db, const struct alert_key *key,
                   const struct alert_response *response, struct alert_change *ret_change,
                   struct err *err)
{
    struct alert_status status;
    int64_t event_id;
    scoped_result *added = NULL;
    if (!alert_read(db, key, &status, NULL, err))
        return false;
    *ret_change = (struct alert_change){.before = status, .after = status.state};
    if (status.state == ALERT_NONE)
        return err_set(err, ERR_MISSING, "workload '%s', branch '%s' never had an alert",
                       key->workload, key->branch);
    const struct alert_event event = {
        .action = response->action,
        .good_count = status.good_count,
        .verdict_id = response->verdict_id != 0 ? response->verdict_id : status.verdict_id,
        .reason = response->reason,
        .by = response->by,
    };
    if (!alert_append(db, key, status.state, &event, &event_id, err))
        return false;
    if (response->silent_ms > 0 &&
        (!query_row(db, Q_silence_add,
                    ARGS(key->project, key->workload, key->branch, response->silent_ms,
                         response->reason, event_id),
                    &added, err) ||
         !entry_due_for(db, "ledger", ENTRY_SILENCE, result_i64(added, 0, C_silence_add_id),
                        response->by, err)))
        return false;
    ret_change->action = response->action;
    ret_change->moves = alert_move(status.state, response->action, &ret_change->after);
    return true;
}

bool alert_branch_is_quiet(struct db *db, const struct alert_key *key, int64_t days,
                           bool *ret_quiet, struct err *err)
{
    return query_bool(db, Q_alert_branch_quiet,
                      ARGS(key->project, key->workload, key->branch, days), ret_quiet, err);
}

static const struct row_kind keys = {
    ROWS(Q_alert_find, struct alert_key, "an alert", project, workload, series, branch)};
static const struct row_kind alerts = {ROWS(Q_alert_list, struct alert_row, "the alerts", id,
                                            key.project, key.workload, key.series, key.branch,
                                            state, moved_at_utc, since_utc, since_ms,
                                            since_verdict_id, verdict_id, by, reason, until_utc)};

bool alert_find(struct db *db, int64_t event_id, struct arena *arena, struct alert_key *ret_key,
                struct err *err)
{
    bool found;
    return row_find(db, &keys, ARGS(event_id), arena, (struct row_found){ret_key, &found}, err) &&
           (found || err_set(err, ERR_MISSING, "the ledger holds no alert l%" PRId64, event_id));
}

bool alert_list(struct db *db, const struct alert_query *query, struct arena *arena,
                struct alert_page *ret_page, struct err *err)
{
    return rows_read(db, &alerts, ARGS(query->project, query->with_resolved, query->limit), arena,
                     ret_page, err);
}
