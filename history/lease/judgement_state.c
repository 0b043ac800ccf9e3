/* The table of states. The statements that make the moves are history/sql/judgement_*.sql. */
#include "history/lease/judgement_state.h"

const char *const judgement_state_names[JUDGEMENT_STATE_COUNT] = {
    [JUDGEMENT_READY] = "ready",
    [JUDGEMENT_RUNNING] = "running",
    [JUDGEMENT_DONE] = "done",
    [JUDGEMENT_ASIDE] = "aside",
};

const struct judgement_transition judgement_transitions[] = {
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
const size_t judgement_transition_count =
    sizeof judgement_transitions / sizeof judgement_transitions[0];
