/* Mattermost's incoming webhooks: one post per message, as Markdown.
 *
 * A longer post would be split in several: ours is cut before. A 200 whose body is not `ok` is a
 * failure.
 */
#include "alerts/channels.h"
#include "alerts/markdown.h"

enum { TEXT_MAX_BYTES = 64 << 10 };

static bool body_build(const struct notice *notice, const struct destination *to,
                       struct arena *arena, struct message *ret_message, struct err *err)
{
    (void)to;
    struct card card = card_make(notice, arena);
    scoped_text text;
    text_init(&text, TEXT_MAX_BYTES);
    markdown_add(&card, &text);
    return body_print(json_pack("{s:o}", "text", json_of_text(&text)), arena, ret_message, err);
}

static bool message_send(struct sending *sending, struct err *err)
{
    return sending_post(sending, NULL, OK_BODY, err);
}

const struct channel channel_mattermost = {
    .kind = "mattermost",
    .needs = NEEDS_URL,
    .body_build = body_build,
    .send = message_send,
};
