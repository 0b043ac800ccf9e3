/* The tables. */
#include "alerts/commit_state.h"

static const struct commit_state states[VERDICT_STATUS_COUNT] = {
    [VERDICT_PASS] = {"success", "success", "success"},
    [VERDICT_WARN] = {"success", "neutral", "success"},
    [VERDICT_FAIL] = {"failure", "failure", "failed"},
    [VERDICT_INCONCLUSIVE] = {"success", "neutral", "success"},
    [VERDICT_INCOMPARABLE] = {"error", "neutral", "failed"},
};
static const struct commit_state started = {"pending", NULL, "running"},
                                 aborted = {"error", "failure", "failed"},
                                 accepted = {"success", "neutral", "success"};

struct commit_state commit_state_of(const struct notice *notice)
{
    if (notice->phase == PHASE_STARTED)
        return started;
    if (notice->accepted)
        return accepted;
    return notice->phase == PHASE_ABORTED ? aborted : states[notice->verdict->status];
}
