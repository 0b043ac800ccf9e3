/* The states of an outbox row, and how it moves between them. */
#ifndef HISTORY_LEASE_OUTBOX_STATE_H
#define HISTORY_LEASE_OUTBOX_STATE_H

#include <stddef.h>

enum outbox_state {
    OUTBOX_PENDING,    /* due at not_before, if it is the first of its order key */
    OUTBOX_SENDING,    /* claimed: a worker holds the lease */
    OUTBOX_DONE,       /* the receiver took it */
    OUTBOX_DEAD,       /* given up; the next of its order key may go */
    OUTBOX_SUPERSEDED, /* made pointless by a later message, never sent */
    OUTBOX_STATE_COUNT
};

/* As the database writes them; a test compares them with its CHECK. */
extern const char *const outbox_state_names[OUTBOX_STATE_COUNT];

struct outbox_transition {
    enum outbox_state from, to;
    const char *action; /* the statement of history/sql that does it */
    const char *when;
};

/* Every move there is; a test makes each of them and checks that no other happens. */
extern const struct outbox_transition outbox_transitions[];
extern const size_t outbox_transition_count;

#endif
