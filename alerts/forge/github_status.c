/* GitHub's commit status: the last one of a context counts, so a repeat does no harm. */
#include "alerts/forge/commit_state.h"

static bool body_build(const struct notice *notice, const struct destination *to,
                       struct arena *arena, struct message *ret_message, struct err *err)
{
    const struct status_form form = {commit_state_of(notice).github, "context", 140, 0};
    return status_build(notice, to, &form, arena, ret_message, err);
}

static bool message_send(struct sending *sending, struct err *err)
{
    scoped_call_result answer = {0};
    return status_send(sending, github_path, github_call, &answer, err) &&
           sending_end(sending, &answer, NULL);
}

const struct channel channel_github_status = {
    .kind = "github_status",
    .needs = NEEDS_SECRET | NEEDS_REPOSITORY,
    .default_url = "https://api.github.com",
    .min_interval_ms = 1000,
    .shows_state = true,
    .by_commit = true,
    .takes = forge_takes_commit,
    .body_build = body_build,
    .send = message_send,
};
