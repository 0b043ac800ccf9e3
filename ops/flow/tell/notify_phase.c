/* The tables: moves to phases, first match wins, and states to quiet. */
#include "ops/flow/tell/notify_phase.h"

static const struct {
    enum alert_action action;
    enum alert_state from; /* ALERT_STATE_COUNT = any */
    enum alert_phase phase;
} moves[] = {
    {ALERT_REGRESS, ALERT_NONE, PHASE_FIRING},
    {ALERT_REGRESS, ALERT_RESOLVED, PHASE_REOPENED},
    {ALERT_REGRESS, ALERT_STATE_COUNT, PHASE_REPEATED},
    {ALERT_WORSEN, ALERT_STATE_COUNT, PHASE_WORSENED},
    {ALERT_RECUR, ALERT_STATE_COUNT, PHASE_FIRING},
    {ALERT_RECOVER, ALERT_STATE_COUNT, PHASE_FLAPPING},
    {ALERT_RESOLVE, ALERT_STATE_COUNT, PHASE_RESOLVED},
    {ALERT_ACCEPT, ALERT_STATE_COUNT, PHASE_RESOLVED},
    {ALERT_EXPIRE, ALERT_STATE_COUNT, PHASE_RESOLVED},
    {ALERT_REOPEN, ALERT_STATE_COUNT, PHASE_REOPENED},
};

enum alert_phase phase_of_change(const struct alert_change *change,
                                 const struct alert_thread *thread)
{
    enum alert_phase phase = PHASE_NONE;
    bool open_there = thread->known && phase_is_open(thread->phase);
    for (size_t i = 0; change->moves && phase == PHASE_NONE && i < sizeof moves / sizeof *moves;
         i++)
        if (moves[i].action == change->action &&
            (moves[i].from == ALERT_STATE_COUNT || moves[i].from == change->before.state))
            phase = moves[i].phase;
    switch (phase) {
    case PHASE_REPEATED:
    case PHASE_WORSENED:
        return open_there ? phase : PHASE_FIRING;
    case PHASE_REOPENED:
        return thread->generation > 0 ? phase : PHASE_FIRING;
    case PHASE_FLAPPING:
    case PHASE_RESOLVED:
        return open_there ? phase : PHASE_NONE;
    default:
        return phase;
    }
}

enum alert_phase phase_of_commit(const struct alert_thread *thread, enum verdict_status status,
                                 bool accepted)
{
    bool open_there = thread->known && phase_is_open(thread->phase);
    if (status == VERDICT_FAIL && !accepted)
        return open_there ? PHASE_REPEATED : PHASE_FIRING;
    if (status == VERDICT_FAIL || status == VERDICT_PASS)
        return open_there ? PHASE_RESOLVED : PHASE_NONE;
    return PHASE_NONE;
}

static bool is_quiet(enum alert_state state)
{
    return state == ALERT_ACKNOWLEDGED || state == ALERT_SILENCED || state == ALERT_DISMISSED;
}

bool change_disturbs(const struct alert_change *change, enum verdict_status status)
{
    if (change->acceptance.found && status == VERDICT_FAIL)
        return false;
    if (change->moves && change->action == ALERT_RECOVER && !change->flap_begins)
        return false;
    if (change->moves && (change->action == ALERT_RESOLVE || change->action == ALERT_EXPIRE))
        return !is_quiet(change->before.state) || change->before.state == ALERT_ACKNOWLEDGED;
    return !is_quiet(change->after);
}
