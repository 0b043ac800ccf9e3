/* The life of an alert: one per project, workload and branch of the candidate. Pure: the moves and
 * the rule that keeps it from flapping; the events are written by history/alert.c. */
#ifndef HISTORY_ALERT_STATE_H
#define HISTORY_ALERT_STATE_H

#include "schema/verdict.h"

#include <stdbool.h>
#include <stddef.h>

enum alert_state {
    ALERT_NONE, /* there was never one */
    ALERT_OPEN,
    ALERT_ACKNOWLEDGED, /* a person looks after it */
    ALERT_SILENCED,     /* it goes on, and nobody wants to hear of it */
    ALERT_DISMISSED,    /* a person says that it is none, or is taken with its cost */
    ALERT_RESOLVED,
    ALERT_REOPENED, /* it came back after it was resolved, or a person took a decision back */
    ALERT_STATE_COUNT
};

enum alert_action {
    ALERT_REGRESS, /* a fail */
    ALERT_RECOVER, /* a pass, but not enough of them yet */
    ALERT_RESOLVE, /* enough passes in a row */
    ALERT_ACKNOWLEDGE,
    ALERT_SILENCE,
    ALERT_DISMISS,
    ALERT_REOPEN,
    ALERT_ACTION_COUNT
};

/* As the database writes them; a test compares them with its CHECK. */
extern const char *const alert_state_names[ALERT_STATE_COUNT];
extern const char *const alert_action_names[ALERT_ACTION_COUNT];

struct alert_transition {
    enum alert_state from;
    enum alert_action action;
    enum alert_state to;
    const char *when;
};

/* Every move there is. */
extern const struct alert_transition alert_transitions[];
extern const size_t alert_transition_count;

/* Passes in a row after which an alert is resolved: one pass between fails is noise. */
enum { ALERT_RESOLVE_PASSES = 2 };

/* The state after an action. false: there is no such move. */
bool alert_move(enum alert_state from, enum alert_action action, enum alert_state *ret_to);

/* What a verdict does to an alert with so many passes in a row behind it. false: nothing; warn,
 * inconclusive and incomparable neither raise nor settle an alert, nor break a row of passes. */
bool alert_verdict_action(enum alert_state state, enum verdict_status status, int good_count,
                          enum alert_action *ret_action);

#endif
