/* Implements the moves that verdicts make. */
#include "history/alert/alert_moves.h"

#include "history/chain/chain.h"
#include "history/client/client.h"
#include "ops/runtime/text.h"

struct alert_key alert_key_of(const struct verdict *verdict)
{
    const char *series = verdict->series, *branch = verdict->candidate.branch;
    return (struct alert_key){verdict->project, verdict->workload, series == NULL ? "" : series,
                              branch == NULL ? "" : branch};
}

/* ---- reading ---- */

/* Moves of earlier versions, which no longer exist, count as none. */
static bool steps_read(struct db *db, const struct alert_key *key, struct alert_past *past,
                       struct err *err)
{
    scoped_result *result = NULL;
    if (!query_run(db, Q_alert_steps,
                   ARGS(key->project, key->workload, key->series, key->branch,
                        arg_i64(ALERT_FLAP_VERDICTS)),
                   &result, err))
        return false;
    past->step_count = (size_t)PQntuples(result);
    for (int i = 0; i < PQntuples(result); i++) {
        const char *from = result_text(result, i, C_alert_steps_from_state),
                   *action = result_text(result, i, C_alert_steps_action);
        past->steps[i] = (struct alert_step){
            (enum alert_state)text_index(from, alert_state_names, ALERT_STATE_COUNT),
            (enum alert_action)text_index(action, alert_action_names, ALERT_ACTION_COUNT)};
    }
    return true;
}

bool alert_read(struct db *db, const struct alert_key *key, struct alert_status *ret_status,
                struct alert_past *ret_past, struct err *err)
{
    struct alert_past past = {.state = ALERT_NONE};
    scoped_result *result = NULL;
    *ret_status = (struct alert_status){.state = ALERT_NONE};
    int64_t project_id;
    if (!project_find_or_add(db, key->project, &project_id, err))
        return false;
    if (!query_do(db, Q_workload_lock, ARGS(project_id, key->workload), err) ||
        !query_run(
            db, Q_alert_latest,
            ARGS(key->project, key->workload, key->series, key->branch, arg_i64(ALERT_RECUR_DAYS)),
            &result, err))
        return false;
    if (PQntuples(result) > 0) {
        *ret_status = (struct alert_status){
            .state = (enum alert_state)text_index(result_text(result, 0, C_alert_latest_state),
                                                  alert_state_names, ALERT_STATE_COUNT),
            .good_count = result_i32(result, 0, C_alert_latest_good_count),
            .verdict_id = result_i64(result, 0, C_alert_latest_verdict_id),
        };
        past = (struct alert_past){
            .state = ret_status->state,
            .good_count = ret_status->good_count,
            .long_ago = result_bool(result, 0, C_alert_latest_long_ago),
            .lapsed = result_bool(result, 0, C_alert_latest_lapsed),
        };
        if (!result_is_null(result, 0, C_alert_latest_slower_pct))
            past.acknowledged_pct = some_f64(result_f64(result, 0, C_alert_latest_slower_pct));
    }
    if (ret_past == NULL)
        return true;
    *ret_past = past;
    return past.state == ALERT_NONE || steps_read(db, key, ret_past, err);
}

bool alert_look(struct db *db, const struct alert_key *key, struct alert_status *ret_status,
                struct err *err)
{
    return alert_read(db, key, ret_status, NULL, err);
}

/* ---- appending ---- */

bool alert_append(struct db *db, const struct alert_key *key, enum alert_state from,
                  const struct alert_event *event, int64_t *ret_id, struct err *err)
{
    enum alert_state to;
    if (!alert_move(from, event->action, &to))
        return err_set(
            err, ERR_INPUT, "the alert of workload '%s', branch '%s' is %s: there is nothing to %s",
            key->workload, key->branch, alert_state_names[from], alert_action_names[event->action]);
    scoped_result *result = NULL;
    if (!query_row(db, Q_alert_event_add,
                   ARGS(key->project, key->workload, key->branch,
                        from == ALERT_NONE ? NULL : alert_state_names[from], alert_state_names[to],
                        alert_action_names[event->action], event->good_count, event->verdict_id,
                        event->reason),
                   &result, err))
        return false;
    if (ret_id != NULL)
        *ret_id = result_i64(result, 0, C_alert_event_add_id);
    return added_due(db, ENTRY_ALERT, result, &event->origin, event->by, err);
}

/* ---- verdicts ---- */

bool alert_decide(struct db *db, const struct verdict *verdict, struct arena *arena,
                  struct alert_change *ret_change, struct err *err)
{
    const struct alert_key key = alert_key_of(verdict);
    struct alert_change change = {0};
    struct alert_past past;
    if (!alert_read(db, &key, &change.before, &past, err) ||
        !ledger_find_acceptance(db, verdict, arena, &change.acceptance, err))
        return false;
    const struct opt_f64 us_before = verdict->baseline.step_median_us;
    const struct opt_f64 us_after = verdict->candidate.step_median_us;
    struct alert_finding finding = {verdict->status, change.acceptance.found, {0}};
    if (us_before.set && us_after.set && us_before.value > 0)
        finding.slower_pct = some_f64(100 * (us_after.value / us_before.value - 1));
    bool was_said = false;
    for (size_t i = 0; i < past.step_count; i++)
        was_said |= past.steps[i].action == ALERT_RECOVER;
    change.after = change.before.state;
    change.moves = alert_verdict_action(&past, &finding, &change.action) &&
                   alert_move(past.state, change.action, &change.after);
    change.flap_begins = change.moves && change.action == ALERT_RECOVER && !was_said;
    *ret_change = change;
    return true;
}

bool alert_record(struct db *db, const struct verdict *verdict, int64_t verdict_id,
                  const struct alert_change *change, struct err *err)
{
    const struct alert_key key = alert_key_of(verdict);
    const struct alert_event event = {
        .action = change->action,
        .good_count = change->action == ALERT_RECOVER ? change->before.good_count + 1 : 0,
        .verdict_id = verdict_id,
    };
    return !change->moves || alert_append(db, &key, change->before.state, &event, NULL, err);
}
