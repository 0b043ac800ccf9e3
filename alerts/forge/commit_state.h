/* What a verdict means for a commit, in the words of the forges; and how a commit shows it.
 */
#ifndef ALERTS_FORGE_COMMIT_STATE_H
#define ALERTS_FORGE_COMMIT_STATE_H

#include "alerts/forge/forge.h"

struct commit_state {
    const char *github;     /* commit status: pending, success, failure, error */
    const char *conclusion; /* check run; NULL while it is under way */
    const char *gitlab;     /* commit status: pending, success, failed */
};

/* Only a regression that nobody has accepted, and a judgement that broke off, stop a merge. What
 * could not be shown never looks like a pass: its status stays pending, its check is neutral, or
 * waits for someone where the policy makes a fail of it. */
struct commit_state commit_state_of(const struct notice *notice);

/* The card's title as a commit shows it: "not shown: llm/pretrain: ..." where nothing was. */
const char *commit_title(const struct notice *notice, const struct card *card, struct arena *arena);

#endif
