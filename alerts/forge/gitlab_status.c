/* GitLab's commit status. The service refuses the state that a status already
 * has, with a text that means success. */
#include "alerts/forge/commit_state.h"

#include <string.h>

enum { DESCRIPTION_CHARS = 255, TARGET_BYTES = 255, BAD_REQUEST = 400 };

static bool body_build(const struct notice *notice, const struct destination *to,
                       struct arena *arena, struct message *ret_message, struct err *err)
{
    const struct status_form form = {commit_state_of(notice).gitlab, "name", DESCRIPTION_CHARS,
                                     TARGET_BYTES};
    return status_build(notice, to, &form, arena, ret_message, err);
}

static bool message_send(struct sending *sending, struct err *err)
{
    scoped_call_result answer = {0};
    if (!status_send(sending, gitlab_path, gitlab_call, &answer, err))
        return false;
    if (answer.reply.status == BAD_REQUEST && !answer.body.failed &&
        strstr(text_string(&answer.body), "Cannot transition status") != NULL)
        return sending_judge(sending, &answer, DELIVERY_DONE, NULL);
    if (answer.reply.status == BAD_REQUEST && !answer.reply.body_whole)
        return sending_judge(sending, &answer, DELIVERY_RETRY,
                             "why it rejects the message came in part");
    return sending_end(sending, &answer, NULL);
}

const struct channel channel_gitlab_status = {
    .kind = "gitlab_status",
    .needs = NEEDS_SECRET | NEEDS_REPOSITORY,
    .default_url = "https://gitlab.com/api/v4",
    .min_interval_ms = 200,
    .shows_state = true,
    .by_commit = true,
    .takes = forge_takes_commit,
    .body_build = body_build,
    .send = message_send,
};
