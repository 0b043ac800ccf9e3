/* The table of outbox states. The statements that make the moves are history/sql/outbox_*.sql. */
#include "history/lease/outbox_state.h"

const char *const outbox_state_names[OUTBOX_STATE_COUNT] = {
    [OUTBOX_PENDING] = "pending", [OUTBOX_SENDING] = "sending",       [OUTBOX_DONE] = "done",
    [OUTBOX_DEAD] = "dead",       [OUTBOX_SUPERSEDED] = "superseded",
};

const struct outbox_transition outbox_transitions[] = {
    {OUTBOX_PENDING, OUTBOX_SENDING, "outbox_claim", "due, first of its order key, receiver open"},
    {OUTBOX_PENDING, OUTBOX_DEAD, "outbox_expire", "its time is over before it was sent"},
    {OUTBOX_SENDING, OUTBOX_DONE, "outbox_finish", "delivered"},
    {OUTBOX_SENDING, OUTBOX_PENDING, "outbox_finish", "failed, and may be tried again"},
    {OUTBOX_SENDING, OUTBOX_DEAD, "outbox_finish",
     "failed for good, or attempts or time are used up"},
    {OUTBOX_SENDING, OUTBOX_PENDING, "outbox_reap", "the lease ran out"},
    {OUTBOX_SENDING, OUTBOX_DEAD, "outbox_reap", "the lease of the last attempt ran out"},
    {OUTBOX_PENDING, OUTBOX_SUPERSEDED, "outbox_supersede",
     "a newer message shows the whole state"},
    {OUTBOX_PENDING, OUTBOX_SUPERSEDED, "outbox_void", "the end of what was never told"},
    {OUTBOX_PENDING, OUTBOX_SUPERSEDED, "outbox_join", "told in a digest"},
    {OUTBOX_DEAD, OUTBOX_PENDING, "outbox_revive", "tried again by hand, with all its attempts"},
    {OUTBOX_SUPERSEDED, OUTBOX_PENDING, "outbox_revive", "the end of what is told after all"},
};
const size_t outbox_transition_count = sizeof outbox_transitions / sizeof outbox_transitions[0];
