/* The state of a commit before and instead of a verdict: a judgement is under way, or has ended
 * without one. */
#ifndef OPS_FLOW_TELL_NOTIFY_CHECK_H
#define OPS_FLOW_TELL_NOTIFY_CHECK_H

#include "ops/flow/tell/notify.h"

/* A judgement that is under way, of a candidate whose commit is known before. */
struct notify_start {
    const char *project, *workload, *branch, *commit;
};

/* Tells the destinations that show the state of commits that a judgement begins, and leaves with
 * them what ends it when nothing is heard of it again. Nothing when there is no such destination.
 */
bool notify_started(const struct flow *flow, const struct notify_start *start, struct err *err);

/* And that it ended without a verdict. Of why, only the kind goes out of the house: its text may
 * name files of this machine. */
bool notify_aborted(const struct flow *flow, const struct notify_start *start, enum err_kind why,
                    struct err *err);

#endif
