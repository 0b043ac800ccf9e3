/* The states of leased work, and how it moves between them: jobs of the queue, candidates to be
 * judged, messages. */
#ifndef HISTORY_LEASE_STATES_H
#define HISTORY_LEASE_STATES_H

#include <stddef.h>

enum queue_state {
    QUEUE_READY,   /* due at not_before */
    QUEUE_RUNNING, /* claimed: a worker holds the lease */
    QUEUE_DONE,    /* its profile is in the ledger */
    QUEUE_ASIDE,   /* set aside with the reason, until somebody says retry or drop */
    QUEUE_DROPPED, /* given up by hand */
    QUEUE_STATE_COUNT
};

enum judgement_state {
    JUDGEMENT_READY,   /* due at not_before, when nothing came for it lately */
    JUDGEMENT_RUNNING, /* claimed: a worker holds the lease */
    JUDGEMENT_DONE,    /* its verdict is in the ledger, or there is nothing to compare it with */
    JUDGEMENT_ASIDE,   /* set aside with the reason, until it is asked for again */
    JUDGEMENT_STATE_COUNT
};

enum outbox_state {
    OUTBOX_PENDING,    /* due at not_before, if it is the first of its order key */
    OUTBOX_SENDING,    /* claimed: a worker holds the lease */
    OUTBOX_DONE,       /* the receiver took it */
    OUTBOX_DEAD,       /* given up; the next of its order key may go */
    OUTBOX_SUPERSEDED, /* made pointless by a later message, never sent */
    OUTBOX_STATE_COUNT
};

/* As the database writes them; a test compares them with its CHECKs. */
extern const char *const queue_state_names[QUEUE_STATE_COUNT];
extern const char *const judgement_state_names[JUDGEMENT_STATE_COUNT];
extern const char *const outbox_state_names[OUTBOX_STATE_COUNT];

struct state_move {
    int from, to;
    const char *action; /* the statement of history/sql that does it */
    const char *when;
};

/* Every move there is; a test makes each of them and checks that no other happens. */
extern const struct state_move queue_moves[], judgement_moves[], outbox_moves[];
extern const size_t queue_move_count, judgement_move_count, outbox_move_count;

#endif
