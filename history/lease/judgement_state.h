/* The states of a candidate that is to be judged, and how it moves between them. */
#ifndef HISTORY_LEASE_JUDGEMENT_STATE_H
#define HISTORY_LEASE_JUDGEMENT_STATE_H

#include <stddef.h>

enum judgement_state {
    JUDGEMENT_READY,   /* due at not_before, when nothing came for it lately */
    JUDGEMENT_RUNNING, /* claimed: a worker holds the lease */
    JUDGEMENT_DONE,    /* its verdict is in the ledger, or there is nothing to compare it with */
    JUDGEMENT_ASIDE,   /* set aside with the reason, until it is asked for again */
    JUDGEMENT_STATE_COUNT
};

/* As the database writes them; a test compares them with its CHECK. */
extern const char *const judgement_state_names[JUDGEMENT_STATE_COUNT];

struct judgement_transition {
    enum judgement_state from, to;
    const char *action; /* the statement of history/sql that does it */
    const char *when;
};

/* Every move there is; a test makes each of them and checks that no other happens. */
extern const struct judgement_transition judgement_transitions[];
extern const size_t judgement_transition_count;

#endif
