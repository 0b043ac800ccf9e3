/* Discord's webhooks: an embed per message; the first one of an alert is kept up to date.
 *
 * Always with wait=true, without which a message that was not saved gives no error, and never with
 * a mention. What follows on an alert changes its first message; its end and return are also said
 * in a new one, because an edit notifies nobody.
 */
#include "alerts/channels.h"
#include "alerts/markdown.h"

#include <string.h>

enum { TEXT_MAX_BYTES = 64 << 10, ID_CHARS = 24 };

static const struct escape_rule title_rule = {ESCAPE_NONE, ESCAPE_CHARACTERS, 256},
                                line_rule = {ESCAPE_MARKDOWN, ESCAPE_CHARACTERS, 1900},
                                part_rule = {ESCAPE_MARKDOWN, ESCAPE_CHARACTERS, 1000},
                                code_rule = {ESCAPE_CODE, ESCAPE_CHARACTERS, 1300};

static const int colours[CARD_LEVEL_COUNT] = {
    [CARD_GOOD] = 0x2EB67D,    [CARD_WARN] = 0xECB22E, [CARD_BAD] = 0xE01E5A,
    [CARD_NEUTRAL] = 0x808080, [CARD_BUSY] = 0x4A90D9,
};

static json_t *embed_json(const struct card *card)
{
    const struct escape_rule footer = {ESCAPE_NONE, ESCAPE_CHARACTERS, 500};
    /* At most 3,300 of 4,096 characters, so that title and description stay below 6,000 together.
     */
    scoped_text text;
    text_init(&text, TEXT_MAX_BYTES);
    escape_add(&text, card->reasons, &part_rule);
    if (card->ops[0] != '\0') {
        text_add(&text, "\n```\n");
        escape_add(&text, card->ops, &code_rule);
        text_add(&text, "\n```");
    }
    text_addc(&text, '\n');
    escape_add(&text, card->since, &part_rule);
    json_t *embed = json_pack("{s:o, s:o, s:i}", "title", escape_json(card->title, &title_rule),
                              "description", json_of_text(&text), "color", colours[card->level]);
    if (card->link != NULL)
        (void)json_object_set_new(embed, "url", json_string(card->link));
    if (card->actions[0] != '\0')
        (void)json_object_set_new(embed, "footer",
                                  json_pack("{s:o}", "text", escape_json(card->actions, &footer)));
    return embed;
}

static bool body_build(const struct notice *notice, const struct destination *to,
                       struct arena *arena, struct message *ret_message, struct err *err)
{
    (void)to;
    struct card card = card_make(notice, arena);
    bool news = phase_is_news(notice->phase), follows = phase_follows(notice->phase);
    json_t *reply = news ? json_pack("{s:{s:[]}, s:o}", "allowed_mentions", "parse", "content",
                                     escape_json(card.title, &line_rule))
                         : json_null();
    return body_print(json_pack("{s:{s:{s:[]}, s:[o]}, s:o, s:b, s:b}", "state", "allowed_mentions",
                                "parse", "embeds", embed_json(&card), "reply", reply, "follows",
                                follows, "begins", follows || notice->phase == PHASE_FIRING),
                      arena, ret_message, err);
}

/* One message; id NULL = a new one. *ret_id is NULL when the delivery has failed. */
static bool message_put(struct sending *sending, const json_t *part, const char *id,
                        const char **ret_id, struct err *err)
{
    static const char *const headers[] = {"Content-Type: application/json"};
    struct message message;
    scoped_call_result answer = {0};
    *ret_id = NULL;
    const char *path = id == NULL ? NULL : arena_printf(sending->arena, "/messages/%s", id);
    if (!body_print(json_deep_copy(part), sending->arena, &message, err))
        return false;
    const struct call call = {.method = id == NULL ? HTTP_POST : HTTP_PATCH,
                              .path = path,
                              .query = id == NULL ? "wait=true" : NULL,
                              .headers = headers,
                              .header_count = 1,
                              .body = message.body,
                              .length = message.length};
    if (!sending_call(sending, &call, &answer, err))
        return false;
    scoped_json *body = answer.class == DELIVERY_DONE ? answer_json(&answer) : NULL;
    const char *made = json_string_value(json_object_get(body, "id"));
    bool known =
        made != NULL && strlen(made) <= ID_CHARS && made[strspn(made, "0123456789")] == '\0';
    if (answer.class == DELIVERY_DONE && !known)
        return sending_judge(sending, &answer, DELIVERY_AMBIGUOUS,
                             "its answer does not name the message; it may have taken it");
    *ret_id = known ? arena_strdup(sending->arena, made) : NULL;
    return sending_end(sending, &answer, *ret_id);
}

static bool message_send(struct sending *sending, struct err *err)
{
    scoped_json *body = sending_body(sending, err);
    if (body == NULL)
        return false;
    const json_t *reply = json_object_get(body, "reply");
    bool follows = json_is_true(json_object_get(body, "follows"));
    const char *first = follows ? sending->request->thread_ref : NULL, *made, *said;
    if (!message_put(sending, json_object_get(body, "state"), first, &made, err))
        return false;
    if (first != NULL && made != NULL && json_is_object(reply)) {
        if (!message_put(sending, reply, NULL, &said, err))
            return false;
        made = said == NULL ? NULL : first;
    }
    if (sending->delivery->class == DELIVERY_DONE)
        sending->delivery->remote_ref = json_is_true(json_object_get(body, "begins")) ? made : NULL;
    return true;
}

static const char *const hosts[] = {"discord.com", "discordapp.com"};

const struct channel channel_discord = {
    .kind = "discord",
    .needs = NEEDS_URL,
    .hosts = hosts,
    .host_count = 2,
    .min_interval_ms = 500,
    .body_build = body_build,
    .send = message_send,
};
