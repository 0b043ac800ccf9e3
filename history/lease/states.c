/* The tables of states. The statements that make the moves are history/sql/queue_*.sql,
 * judgement_*.sql, outbox_*.sql. */
#include "history/lease/states.h"

const char *const queue_state_names[QUEUE_STATE_COUNT] = {
    [QUEUE_READY] = "ready", [QUEUE_RUNNING] = "running", [QUEUE_DONE] = "done",
    [QUEUE_ASIDE] = "aside", [QUEUE_DROPPED] = "dropped",
};

const struct state_move queue_moves[] = {
    {QUEUE_READY, QUEUE_RUNNING, "queue_claim", "due, and a worker has a free slot"},
    {QUEUE_READY, QUEUE_DROPPED, "queue_drop", "given up by hand before anybody took it"},
    {QUEUE_RUNNING, QUEUE_DONE, "queue_done", "stored, in the transaction that stored it"},
    {QUEUE_RUNNING, QUEUE_READY, "queue_fail", "failed and may be tried again, or given back"},
    {QUEUE_RUNNING, QUEUE_ASIDE, "queue_fail", "the input is bad, or the attempts are used up"},
    {QUEUE_RUNNING, QUEUE_READY, "queue_reap", "the lease ran out"},
    {QUEUE_RUNNING, QUEUE_ASIDE, "queue_reap", "the lease of the last attempt ran out"},
    {QUEUE_ASIDE, QUEUE_READY, "queue_retry", "tried again by hand, with all its attempts"},
    {QUEUE_ASIDE, QUEUE_DROPPED, "queue_drop", "given up by hand"},
};
const size_t queue_move_count = sizeof queue_moves / sizeof queue_moves[0];

const char *const judgement_state_names[JUDGEMENT_STATE_COUNT] = {
    [JUDGEMENT_READY] = "ready",
    [JUDGEMENT_RUNNING] = "running",
    [JUDGEMENT_DONE] = "done",
    [JUDGEMENT_ASIDE] = "aside",
};

const struct state_move judgement_moves[] = {
    {JUDGEMENT_READY, JUDGEMENT_RUNNING, "judgement_claim", "due and settled"},
    {JUDGEMENT_RUNNING, JUDGEMENT_DONE, "judgement_done",
     "judged, in the transaction that records the verdict"},
    {JUDGEMENT_RUNNING, JUDGEMENT_READY, "judgement_done", "judged, but asked for meanwhile"},
    {JUDGEMENT_RUNNING, JUDGEMENT_READY, "judgement_fail", "failed and may be tried again"},
    {JUDGEMENT_RUNNING, JUDGEMENT_ASIDE, "judgement_fail", "cannot be judged"},
    {JUDGEMENT_RUNNING, JUDGEMENT_READY, "judgement_reap", "the lease ran out"},
    {JUDGEMENT_RUNNING, JUDGEMENT_ASIDE, "judgement_reap", "the lease of the last attempt ran out"},
    {JUDGEMENT_DONE, JUDGEMENT_READY, "judgement_ask", "asked for again, or more of it came"},
    {JUDGEMENT_ASIDE, JUDGEMENT_READY, "judgement_ask", "asked for again, or more of it came"},
};
const size_t judgement_move_count = sizeof judgement_moves / sizeof judgement_moves[0];

const char *const outbox_state_names[OUTBOX_STATE_COUNT] = {
    [OUTBOX_PENDING] = "pending", [OUTBOX_SENDING] = "sending",       [OUTBOX_DONE] = "done",
    [OUTBOX_DEAD] = "dead",       [OUTBOX_SUPERSEDED] = "superseded",
};

const struct state_move outbox_moves[] = {
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
const size_t outbox_move_count = sizeof outbox_moves / sizeof outbox_moves[0];
