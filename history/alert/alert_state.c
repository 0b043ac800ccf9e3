/* Implements the life of an alert from one table, which the database repeats as a CHECK (migration
 * 0120). */
#include "history/alert/alert_state.h"

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
    [ALERT_REGRESS] = "regress", [ALERT_WORSEN] = "worsen",   [ALERT_RECUR] = "recur",
    [ALERT_RECOVER] = "recover", [ALERT_RESOLVE] = "resolve", [ALERT_ACKNOWLEDGE] = "acknowledge",
    [ALERT_SILENCE] = "silence", [ALERT_DISMISS] = "dismiss", [ALERT_ACCEPT] = "accept",
    [ALERT_REOPEN] = "reopen",   [ALERT_EXPIRE] = "expire",
};

const struct alert_transition alert_transitions[] = {
    {ALERT_NONE, ALERT_REGRESS, ALERT_OPEN, "the first fail"},
    {ALERT_OPEN, ALERT_REGRESS, ALERT_OPEN, "it goes on"},
    {ALERT_REOPENED, ALERT_REGRESS, ALERT_REOPENED, "it goes on"},
    {ALERT_ACKNOWLEDGED, ALERT_REGRESS, ALERT_ACKNOWLEDGED, "somebody knows"},
    {ALERT_ACKNOWLEDGED, ALERT_WORSEN, ALERT_OPEN, "this nobody knows yet"},
    {ALERT_SILENCED, ALERT_REGRESS, ALERT_SILENCED, "nobody wants to know"},
    {ALERT_DISMISSED, ALERT_REGRESS, ALERT_DISMISSED, "it was decided already"},
    {ALERT_RESOLVED, ALERT_REGRESS, ALERT_REOPENED, "it is back"},
    {ALERT_RESOLVED, ALERT_RECUR, ALERT_OPEN, "after so long it is another one"},
    {ALERT_OPEN, ALERT_RECOVER, ALERT_OPEN, "a pass of one that flaps"},
    {ALERT_REOPENED, ALERT_RECOVER, ALERT_REOPENED, "a pass of one that flaps"},
    {ALERT_ACKNOWLEDGED, ALERT_RECOVER, ALERT_ACKNOWLEDGED, "a pass of one that flaps"},
    {ALERT_SILENCED, ALERT_RECOVER, ALERT_SILENCED, "a pass of one that flaps"},
    {ALERT_DISMISSED, ALERT_RECOVER, ALERT_DISMISSED, "a pass of one that flaps"},
    {ALERT_OPEN, ALERT_RESOLVE, ALERT_RESOLVED, "a pass"},
    {ALERT_REOPENED, ALERT_RESOLVE, ALERT_RESOLVED, "a pass"},
    {ALERT_ACKNOWLEDGED, ALERT_RESOLVE, ALERT_RESOLVED, "a pass"},
    {ALERT_SILENCED, ALERT_RESOLVE, ALERT_RESOLVED, "a pass"},
    {ALERT_DISMISSED, ALERT_RESOLVE, ALERT_RESOLVED, "a pass: the next fail is a new one"},
    {ALERT_OPEN, ALERT_ACKNOWLEDGE, ALERT_ACKNOWLEDGED, "a person looks after it"},
    {ALERT_REOPENED, ALERT_ACKNOWLEDGE, ALERT_ACKNOWLEDGED, "a person looks after it"},
    {ALERT_OPEN, ALERT_SILENCE, ALERT_SILENCED, "a person wants to hear no more"},
    {ALERT_REOPENED, ALERT_SILENCE, ALERT_SILENCED, "a person wants to hear no more"},
    {ALERT_ACKNOWLEDGED, ALERT_SILENCE, ALERT_SILENCED, "a person wants to hear no more"},
    {ALERT_SILENCED, ALERT_SILENCE, ALERT_SILENCED, "for another time"},
    {ALERT_OPEN, ALERT_DISMISS, ALERT_DISMISSED, "a person says that it is none"},
    {ALERT_REOPENED, ALERT_DISMISS, ALERT_DISMISSED, "a person says that it is none"},
    {ALERT_ACKNOWLEDGED, ALERT_DISMISS, ALERT_DISMISSED, "a person says that it is none"},
    {ALERT_SILENCED, ALERT_DISMISS, ALERT_DISMISSED, "a person says that it is none"},
    {ALERT_OPEN, ALERT_ACCEPT, ALERT_DISMISSED, "a person takes the change"},
    {ALERT_REOPENED, ALERT_ACCEPT, ALERT_DISMISSED, "a person takes the change"},
    {ALERT_ACKNOWLEDGED, ALERT_ACCEPT, ALERT_DISMISSED, "a person takes the change"},
    {ALERT_SILENCED, ALERT_ACCEPT, ALERT_DISMISSED, "a person takes the change"},
    {ALERT_ACKNOWLEDGED, ALERT_REOPEN, ALERT_REOPENED, "a person takes it back"},
    {ALERT_SILENCED, ALERT_REOPEN, ALERT_REOPENED, "a person takes it back, or its time is over"},
    {ALERT_DISMISSED, ALERT_REOPEN, ALERT_REOPENED,
     "a person takes it back, or another change "
     "fails"},
    {ALERT_RESOLVED, ALERT_REOPEN, ALERT_REOPENED, "a person takes it back"},
    {ALERT_OPEN, ALERT_EXPIRE, ALERT_RESOLVED, "its branch is gone"},
    {ALERT_REOPENED, ALERT_EXPIRE, ALERT_RESOLVED, "its branch is gone"},
    {ALERT_ACKNOWLEDGED, ALERT_EXPIRE, ALERT_RESOLVED, "its branch is gone"},
    {ALERT_SILENCED, ALERT_EXPIRE, ALERT_RESOLVED, "its branch is gone"},
    {ALERT_DISMISSED, ALERT_EXPIRE, ALERT_RESOLVED, "its branch is gone"},
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

/* Resolving is a pass too: a fail after it is a return. What lies behind a RECUR is the past of
 * another alert. */
static bool alert_flaps(const struct alert_past *past)
{
    for (size_t i = 0; i < past->step_count && past->steps[i].action != ALERT_RECUR; i++) {
        const struct alert_step *step = &past->steps[i];
        bool failed = step->action == ALERT_REGRESS || step->action == ALERT_WORSEN;
        bool passed_before = i + 1 < past->step_count && past->steps[i + 1].action == ALERT_RECOVER;
        if (failed && (step->from == ALERT_RESOLVED || passed_before))
            return true;
    }
    return false;
}

static bool is_worse(struct opt_f64 now, struct opt_f64 known)
{
    return now.set && known.set && now.value >= known.value + ALERT_WORSE_POINTS &&
           now.value >= known.value * ALERT_WORSE_FACTOR;
}

bool alert_verdict_action(const struct alert_past *past, const struct alert_finding *finding,
                          enum alert_action *ret_action)
{
    enum alert_state to;
    bool failed = finding->status == VERDICT_FAIL && !finding->accepted;
    if (!failed && finding->status != VERDICT_PASS)
        return false;
    if (failed && past->state == ALERT_RESOLVED && past->long_ago)
        *ret_action = ALERT_RECUR;
    else if (failed && past->state == ALERT_ACKNOWLEDGED &&
             is_worse(finding->slower_pct, past->acknowledged_pct))
        *ret_action = ALERT_WORSEN;
    else if (failed)
        *ret_action = past->lapsed ? ALERT_REOPEN : ALERT_REGRESS;
    else
        *ret_action = alert_flaps(past) && past->good_count + 1 < ALERT_CALM_PASSES ? ALERT_RECOVER
                                                                                    : ALERT_RESOLVE;
    return alert_move(past->state, *ret_action, &to);
}
