/* What a verdict means for a commit, in the words of the forges; and the commit status that both of
 * them know in nearly the same form.
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

/* How a forge writes a commit status. */
struct status_form {
    const char *state;        /* of the notice's commit_state */
    const char *name_key;     /* the member that names the status */
    size_t description_chars; /* at most */
    size_t target_bytes;      /* a longer link is left out; 0 = no bound */
};

/* The frozen message: {"sha", "status": what the request holds}. ERR_LIMIT. */
bool status_build(const struct notice *notice, const struct destination *to,
                  const struct status_form *form, struct arena *arena, struct message *ret_message,
                  struct err *err);

/* Sends it; path_of adds the forge's own beginning to "/statuses/SHA". The caller ends *ret_answer
 * and judges it. */
bool status_send(struct sending *sending,
                 const char *(*path_of)(const struct sending *sending, const char *rest),
                 bool (*forge)(struct sending *sending, const struct forge_call *call,
                               struct call_result *ret_answer, struct err *err),
                 struct call_result *ret_answer, struct err *err);

#endif
