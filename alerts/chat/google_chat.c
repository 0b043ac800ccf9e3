/* Google Chat's webhooks: one thread per alert, by its key.
 *
 * The thread's key is made from the alert's identity, so that follow-ups find their thread without
 * anything being remembered. requestId lets the service recognise a repeat.
 */
#include "alerts/card.h"
#include "alerts/channels.h"
#include "alerts/escape.h"

enum { TEXT_MAX_BYTES = 64 << 10 };

/* Bytes of UTF-8: 4,000 of 32,000, of which each is at most three as an escape of JSON. */
static const struct escape_rule title_rule = {ESCAPE_GOOGLE, ESCAPE_BYTES, 600},
                                details_rule = {ESCAPE_GOOGLE, ESCAPE_BYTES, 3000};

static json_t *text_json(const struct card *card)
{
    scoped_text text, details;
    text_init(&text, TEXT_MAX_BYTES);
    text_init(&details, TEXT_MAX_BYTES);
    card_details_add(card, &details);
    escape_add(&text, card->title, &title_rule);
    if (details.length > 0) {
        text_add(&text, "\n```\n");
        escape_add(&text, text_string(&details), &details_rule);
        text_fail_as(&text, &details);
        text_add(&text, "```");
    }
    if (card->link != NULL)
        text_addf(&text, "\n%s", card->link);
    return json_of_text(&text);
}

static bool body_build(const struct notice *notice, const struct destination *to,
                       struct arena *arena, struct message *ret_message, struct err *err)
{
    (void)to;
    struct card card = card_make(notice, arena);
    char key[SHA256_HEX_BYTES];
    if (notice->verdict == NULL)
        return body_print(json_pack("{s:o}", "text", text_json(&card)), arena, ret_message, err);
    message_order_key(notice->verdict, key);
    return body_print(
        json_pack("{s:o, s:{s:s}}", "text", text_json(&card), "thread", "threadKey", key), arena,
        ret_message, err);
}

static bool message_send(struct sending *sending, struct err *err)
{
    const char *query = arena_printf(
        sending->arena, "messageReplyOption=REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD&requestId=%s",
        sending->request->message_id);
    return sending_post(sending, query, ANY_BODY, err);
}

static const char *const hosts[] = {"chat.googleapis.com"};

const struct channel channel_google_chat = {
    .kind = "google_chat",
    .needs = NEEDS_URL,
    .hosts = hosts,
    .host_count = 1,
    .min_interval_ms = 1000,
    .body_build = body_build,
    .send = message_send,
};
