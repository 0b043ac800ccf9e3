/* The life of an alert: one per project, workload, series and branch of the candidate. Pure: the
 * moves, and which of them a verdict makes; the events are written by history/alert/alert_change.c.
 *
 * The series belongs to the key because a pass on other hardware says nothing about a fail here.
 *
 * An alert is resolved by the first pass, so that the fix of a change ends it at once. Only one
 * that has come back lately (a fail after a pass, within the last ALERT_FLAP_VERDICTS verdicts that
 * moved it) flaps, and needs ALERT_CALM_PASSES passes in a row.
 */
#ifndef HISTORY_ALERT_ALERT_STATE_H
#define HISTORY_ALERT_ALERT_STATE_H

#include "schema/documents/optional.h"
#include "schema/documents/verdict.h"

#include <stdbool.h>
#include <stddef.h>

enum alert_state {
    ALERT_NONE, /* there was never one */
    ALERT_OPEN,
    ALERT_ACKNOWLEDGED, /* a person looks after it */
    ALERT_SILENCED,     /* it goes on, and nobody wants to hear of it */
    ALERT_DISMISSED,    /* a person says that it is none, or takes the change with its cost */
    ALERT_RESOLVED,
    ALERT_REOPENED, /* it came back after it was resolved, or a decision no longer holds */
    ALERT_STATE_COUNT
};

enum alert_action {
    ALERT_REGRESS, /* a fail */
    ALERT_WORSEN,  /* a fail that is clearly worse than the one that was acknowledged */
    ALERT_RECUR,   /* a fail so long after the end that it is another alert */
    ALERT_RECOVER, /* a pass, and of this alert one is not enough */
    ALERT_RESOLVE, /* a pass that ends it */
    ALERT_ACKNOWLEDGE,
    ALERT_SILENCE,
    ALERT_DISMISS,
    ALERT_ACCEPT, /* a person takes one change with its cost */
    ALERT_REOPEN, /* a person takes a decision back, or a fail is not what it was about */
    ALERT_EXPIRE, /* no run of its branch for long: it is gone */
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

enum {
    ALERT_FLAP_VERDICTS = 5, /* so far back a return counts as flapping */
    ALERT_CALM_PASSES = 2,   /* passes in a row that end an alert that flaps */
    ALERT_RECUR_DAYS = 7,    /* a fail so long after the end is another alert */
};

/* Worse than acknowledged: the slow-down is at least so many times as large, and by so many points
 * of percent. Less is the noise of repeated runs. */
#define ALERT_WORSE_FACTOR 1.25
#define ALERT_WORSE_POINTS 1.0

/* The state after an action. false: there is no such move. */
bool alert_move(enum alert_state from, enum alert_action action, enum alert_state *ret_to);

/* One move that a verdict made. */
struct alert_step {
    enum alert_state from;
    enum alert_action action;
};

/* What is known of an alert when a verdict comes. */
struct alert_past {
    enum alert_state state;
    int good_count;                               /* passes in a row, behind it */
    struct alert_step steps[ALERT_FLAP_VERDICTS]; /* the last moves that verdicts made, newest
                                                     first */
    size_t step_count;
    bool long_ago; /* resolved ALERT_RECUR_DAYS ago, or earlier */
    bool lapsed;   /* the silence is over; or it was dismissed with another change than this */
    struct opt_f64 acknowledged_pct; /* slow-down of the verdict that was acknowledged */
};

/* What a verdict says to an alert. */
struct alert_finding {
    enum verdict_status status;
    bool accepted;             /* a person has taken this change with its cost */
    struct opt_f64 slower_pct; /* of the step; not set: unknown */
};

/* Which move it makes. false: none; a warn, what could not be judged, and a fail that is accepted
 * neither raise nor settle an alert, nor break a row of passes. */
bool alert_verdict_action(const struct alert_past *past, const struct alert_finding *finding,
                          enum alert_action *ret_action);

#endif
