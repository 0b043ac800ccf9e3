/* What GitHub and GitLab have in common: commits, requests with a token, names of statuses.
 */
#ifndef ALERTS_FORGE_FORGE_H
#define ALERTS_FORGE_FORGE_H

#include "alerts/card.h"
#include "alerts/channels.h"

/* One request of a forge's API. */
struct forge_call {
    enum http_method method;
    const char *path, *query; /* NULL = nothing */
    json_t *body;             /* the reference is taken; NULL = none */
};

/* Performs it; the answer is judged as the service means it: a 403 can be a limit, and a GET whose
 * answer did not come, or is no whole JSON, is to be tried again. */
bool github_call(struct sending *sending, const struct forge_call *call,
                 struct call_result *ret_answer, struct err *err);
bool gitlab_call(struct sending *sending, const struct forge_call *call,
                 struct call_result *ret_answer, struct err *err);

/* true when the candidate's commit is a whole one: 40 hex digits. */
bool forge_takes_commit(const struct notice *notice, const struct destination *to);

/* true when the destination names an issue, or the branch is of a pull or merge request. */
bool forge_takes_issue(const struct notice *notice, const struct destination *to);

/* "pull/7", "refs/pull/7/merge", "mr/7", "merge-requests/7". branch may be NULL. */
bool forge_is_request(const char *branch);

/* The number of the pull request, merge request or issue that a message goes to, in the arena; NULL
 * when there is none. */
const char *forge_issue(const struct notice *notice, const struct destination *to,
                        struct arena *arena);

/* "stepledger (llm/pretrain)", at most 255 characters: a new reference. */
json_t *forge_context(const struct card *card, const struct destination *to);

/* The id of what an answer describes, as text in the arena; NULL when it names none. */
const char *forge_id(const struct call_result *answer, struct arena *arena);

/* "/repos/acme/train" + rest, printed; or "/projects/acme%2Ftrain" + rest. */
const char *github_path(const struct sending *sending, const char *rest);
const char *gitlab_path(const struct sending *sending, const char *rest);

#endif
