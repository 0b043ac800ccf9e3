/* Implements the life of an alert from one table, which schema/0030_judge.sql repeats as a CHECK.
 */
#include "history/alert_state.h"

const char *const alert_state_names[ALERT_STATE_COUNT] = {
    [ALERT_NONE] = "none",
    [ALERT_OPEN] = "open",
    [ALERT_ACKNOWLEDGED] = "acknowledged",
    [ALERT_SILENCED] = "silenced",
    [ALERT_DISMISSED] = "dismissed",
    [ALERT_RESOLVED] = "resolved",
    [ALERT_REOPENED] = "reopened",
};

const char *const alert_action_names[ALERT_ACTION_COUNT] = {
    [ALERT_REGRESS] = "regress",         [ALERT_RECOVER] = "recover", [ALERT_RESOLVE] = "resolve",
    [ALERT_ACKNOWLEDGE] = "acknowledge", [ALERT_SILENCE] = "silence", [ALERT_DISMISS] = "dismiss",
    [ALERT_REOPEN] = "reopen",
};

const struct alert_transition alert_transitions[] = {
    {ALERT_NONE, ALERT_REGRESS, ALERT_OPEN, "the first fail"},
    {ALERT_OPEN, ALERT_REGRESS, ALERT_OPEN, "it goes on"},
    {ALERT_ACKNOWLEDGED, ALERT_REGRESS, ALERT_ACKNOWLEDGED, "somebody knows"},
    {ALERT_SILENCED, ALERT_REGRESS, ALERT_SILENCED, "nobody wants to know"},
    {ALERT_DISMISSED, ALERT_REGRESS, ALERT_DISMISSED, "it was decided already"},
    {ALERT_RESOLVED, ALERT_REGRESS, ALERT_REOPENED, "it is back"},
    {ALERT_REOPENED, ALERT_REGRESS, ALERT_REOPENED, "it goes on"},
    {ALERT_OPEN, ALERT_RECOVER, ALERT_OPEN, "a pass: one is not enough"},
    {ALERT_ACKNOWLEDGED, ALERT_RECOVER, ALERT_ACKNOWLEDGED, "a pass: one is not enough"},
    {ALERT_SILENCED, ALERT_RECOVER, ALERT_SILENCED, "a pass: one is not enough"},
    {ALERT_DISMISSED, ALERT_RECOVER, ALERT_DISMISSED, "a pass: one is not enough"},
    {ALERT_REOPENED, ALERT_RECOVER, ALERT_REOPENED, "a pass: one is not enough"},
    {ALERT_OPEN, ALERT_RESOLVE, ALERT_RESOLVED, "passes in a row"},
    {ALERT_ACKNOWLEDGED, ALERT_RESOLVE, ALERT_RESOLVED, "passes in a row"},
    {ALERT_SILENCED, ALERT_RESOLVE, ALERT_RESOLVED, "passes in a row"},
    {ALERT_DISMISSED, ALERT_RESOLVE, ALERT_RESOLVED, "passes in a row: the next fail is a new one"},
    {ALERT_REOPENED, ALERT_RESOLVE, ALERT_RESOLVED, "passes in a row"},
    {ALERT_OPEN, ALERT_ACKNOWLEDGE, ALERT_ACKNOWLEDGED, "a person says so"},
    {ALERT_REOPENED, ALERT_ACKNOWLEDGE, ALERT_ACKNOWLEDGED, "a person says so"},
    {ALERT_OPEN, ALERT_SILENCE, ALERT_SILENCED, "a person says so"},
    {ALERT_ACKNOWLEDGED, ALERT_SILENCE, ALERT_SILENCED, "a person says so"},
    {ALERT_REOPENED, ALERT_SILENCE, ALERT_SILENCED, "a person says so"},
    {ALERT_OPEN, ALERT_DISMISS, ALERT_DISMISSED, "a person says so, or accepts the change"},
    {ALERT_ACKNOWLEDGED, ALERT_DISMISS, ALERT_DISMISSED, "a person says so, or accepts the change"},
    {ALERT_SILENCED, ALERT_DISMISS, ALERT_DISMISSED, "a person says so, or accepts the change"},
    {ALERT_REOPENED, ALERT_DISMISS, ALERT_DISMISSED, "a person says so, or accepts the change"},
    {ALERT_ACKNOWLEDGED, ALERT_REOPEN, ALERT_REOPENED, "a person takes it back"},
    {ALERT_SILENCED, ALERT_REOPEN, ALERT_REOPENED, "a person takes it back"},
    {ALERT_DISMISSED, ALERT_REOPEN, ALERT_REOPENED, "a person takes it back"},
    {ALERT_RESOLVED, ALERT_REOPEN, ALERT_REOPENED, "a person takes it back"},
};
const size_t alert_transition_count = sizeof alert_transitions / sizeof alert_transitions[0];

bool alert_move(enum alert_state from, enum alert_action action, enum alert_state *ret_to)
{
    for (size_t i = 0; i < alert_transition_count; i++) {
        const struct alert_transition *move = &alert_transitions[i];
        if (move->from == from && move->action == action) {
            *ret_to = move->to;
            return true;
        }
    }
    return false;
}

bool alert_verdict_action(enum alert_state state, enum verdict_status status, int good_count,
                          enum alert_action *ret_action)
{
    enum alert_state to;
    if (status != VERDICT_FAIL && status != VERDICT_PASS)
        return false;
    *ret_action = status == VERDICT_FAIL                   ? ALERT_REGRESS
                  : good_count + 1 >= ALERT_RESOLVE_PASSES ? ALERT_RESOLVE
                                                           : ALERT_RECOVER;
    return alert_move(state, *ret_action, &to);
}
