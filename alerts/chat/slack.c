/* Slack's incoming webhooks: one message per POST, whose URL is the credential.
 *
 * The service gives no id back: nothing can be changed later, follow-ups are messages of their own.
 * A 200 whose body is not `ok` is a failure.
 */
#include "alerts/channels.h"
#include "alerts/chat/slack_blocks.h"

static bool body_build(const struct notice *notice, const struct destination *to,
                       struct arena *arena, struct message *ret_message, struct err *err)
{
    (void)to;
    struct card card = card_make(notice, arena);
    return body_print(slack_message(&card), arena, ret_message, err);
}

static bool message_send(struct sending *sending, struct err *err)
{
    return sending_post(sending, NULL, OK_BODY, err);
}

static const char *const hosts[] = {"hooks.slack.com", "hooks.slack-gov.com"};

const struct channel channel_slack = {
    .kind = "slack",
    .needs = NEEDS_URL,
    .hosts = hosts,
    .host_count = 2,
    .min_interval_ms = 1000,
    .body_build = body_build,
    .send = message_send,
};
