/* The table of job states. The statements that make the moves are history/sql/queue_*.sql. */
#include "history/lease/queue_state.h"

const char *const queue_state_names[QUEUE_STATE_COUNT] = {
    [QUEUE_READY] = "ready", [QUEUE_RUNNING] = "running", [QUEUE_DONE] = "done",
    [QUEUE_ASIDE] = "aside", [QUEUE_DROPPED] = "dropped",
};

const struct queue_transition queue_transitions[] = {
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
const size_t queue_transition_count = sizeof queue_transitions / sizeof queue_transitions[0];
