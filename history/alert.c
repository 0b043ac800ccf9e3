/* Implements the events of alerts. The workload's lock makes moves of one alert wait for each
 * other. */
#include "history/alert.h"

#include "history/connection.h"
#include "history/find_or_add.h"
#include "history/result.h"

#include <string.h>

struct move {
    enum alert_action action;
    int good_count; /* after it */
    struct opt_i64 verdict_id;
    const char *reason; /* NULL: a verdict's doing */
};

static enum alert_state state_of(const char *name)
{
    for (enum alert_state i = 0; i < ALERT_STATE_COUNT; i++) {
        if (strcmp(alert_state_names[i], name) == 0)
            return i;
    }
    return ALERT_NONE;
}

/* Takes the lock and reads the state. */
static bool status_read(struct db *db, const struct alert_key *key, struct alert_status *ret_status,
                        struct err *err)
{
    int64_t project_id;
    *ret_status = (struct alert_status){.state = ALERT_NONE};
    if (!project_find_or_add(db, key->project, &project_id, err))
        return false;
    struct args lock = {0};
    args_i64(&lock, project_id);
    args_text(&lock, key->workload);
    struct args args = {0};
    args_text(&args, key->project);
    args_text(&args, key->workload);
    args_text(&args, key->branch);
    scoped_result *result = NULL;
    if (!query_do(db, Q_workload_lock, &lock, err) ||
        !query_run(db, Q_alert_latest, &args, &result, err))
        return false;
    if (PQntuples(result) > 0)
        *ret_status =
            (struct alert_status){state_of(result_text(result, 0, 0)), result_i32(result, 0, 1)};
    return true;
}

static bool move_append(struct db *db, const struct alert_key *key, const struct move *move,
                        struct alert_status *status, struct err *err)
{
    enum alert_state to;
    if (!alert_move(status->state, move->action, &to))
        return err_set(err, ERR_INPUT,
                       "the alert of workload '%s', branch '%s' is %s: %s is no "
                       "move from there",
                       key->workload, key->branch, alert_state_names[status->state],
                       alert_action_names[move->action]);
    struct args args = {0};
    args_text(&args, key->project);
    args_text(&args, key->workload);
    args_text(&args, key->branch);
    args_text(&args, status->state == ALERT_NONE ? NULL : alert_state_names[status->state]);
    args_text(&args, alert_state_names[to]);
    args_text(&args, alert_action_names[move->action]);
    args_i32(&args, move->good_count);
    args_opt_i64(&args, move->verdict_id);
    args_text(&args, move->reason);
    if (!query_do(db, Q_alert_event_add, &args, err))
        return false;
    *status = (struct alert_status){to, move->good_count};
    return true;
}

bool alert_note_verdict(struct db *db, const struct alert_key *key, int64_t verdict_id,
                        enum verdict_status status, struct err *err)
{
    struct alert_status held;
    enum alert_action action;
    if (!status_read(db, key, &held, err))
        return false;
    if (!alert_verdict_action(held.state, status, held.good_count, &action))
        return true;
    const struct move move = {
        .action = action,
        .good_count = action == ALERT_RECOVER ? held.good_count + 1 : 0,
        .verdict_id = some_i64(verdict_id),
    };
    return move_append(db, key, &move, &held, err);
}

bool alert_note_person(struct db *db, const struct alert_key *key, const struct alert_word *word,
                       struct alert_status *ret_status, struct err *err)
{
    struct alert_status status;
    if (!db_begin(db, err))
        return false;
    bool done = status_read(db, key, &status, err);
    if (done && status.state == ALERT_NONE)
        done = err_set(err, ERR_MISSING, "workload '%s', branch '%s' never had an alert",
                       key->workload, key->branch);
    const struct move move = {
        .action = word->action,
        .good_count = status.good_count,
        .verdict_id = {word->verdict_id > 0, word->verdict_id},
        .reason = word->reason,
    };
    if (!done || !move_append(db, key, &move, &status, err) || !db_commit(db, err)) {
        db_rollback(db);
        return false;
    }
    *ret_status = status;
    return true;
}
