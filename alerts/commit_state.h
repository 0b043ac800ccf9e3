/* What a verdict means for a commit, in the words of the forges. */
#ifndef ALERTS_COMMIT_STATE_H
#define ALERTS_COMMIT_STATE_H

#include "alerts/message.h"

struct commit_state {
    const char *github;     /* commit status: pending, success, failure, error */
    const char *conclusion; /* check run; NULL while it is under way */
    const char *gitlab;     /* commit status: running, success, failed */
};

/* Only a regression that nobody has accepted, and a judgement that broke off, stop a merge; what
 * could not be judged is neutral. */
struct commit_state commit_state_of(const struct notice *notice);

#endif
