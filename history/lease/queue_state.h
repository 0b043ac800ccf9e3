/* The states of a job, and how it moves between them. */
#ifndef HISTORY_LEASE_QUEUE_STATE_H
#define HISTORY_LEASE_QUEUE_STATE_H

#include <stddef.h>

enum queue_state {
    QUEUE_READY,   /* due at not_before */
    QUEUE_RUNNING, /* claimed: a worker holds the lease */
    QUEUE_DONE,    /* its profile is in the ledger */
    QUEUE_ASIDE,   /* set aside with the reason, until somebody says retry or drop */
    QUEUE_DROPPED, /* given up by hand */
    QUEUE_STATE_COUNT
};

/* As the database writes them; a test compares them with its CHECK. */
extern const char *const queue_state_names[QUEUE_STATE_COUNT];

struct queue_transition {
    enum queue_state from, to;
    const char *action; /* the statement of history/sql that does it */
    const char *when;
};

/* Every move there is; a test makes each of them and checks that no other happens. */
extern const struct queue_transition queue_transitions[];
extern const size_t queue_transition_count;

#endif
