/* Microsoft Teams through a Workflow: one Adaptive Card per message (spec/wire.md §8.4).
 *
 * The service answers 202 before it looks inside, so the card is kept far below the size that its
 * flow loses: about 12 KB of 28, whatever the names hold. It gives no id back, nothing can be
 * changed later, and a failure inside the flow is seen by nobody: a second destination is wise.
 */
#include "alerts/channels.h"
#include "alerts/card.h"
#include "alerts/escape.h"

/* A card's text blocks read Markdown. A code point costs at most 12 bytes of JSON: 1,400 of them
 * stay below 18 KB. */
static const struct escape_rule title_rule = {ESCAPE_MARKDOWN, ESCAPE_CHARACTERS, 300},
                                part_rule = {ESCAPE_MARKDOWN, ESCAPE_CHARACTERS, 350},
                                ops_rule = {ESCAPE_MARKDOWN, ESCAPE_CHARACTERS, 400};

static const char *const colours[CARD_LEVEL_COUNT] = {
    [CARD_GOOD] = "Good",       [CARD_WARN] = "Warning", [CARD_BAD] = "Attention",
    [CARD_NEUTRAL] = "Default", [CARD_BUSY] = "Accent",
};

static bool block_add(json_t *blocks, const char *string, const struct escape_rule *rule,
                      const char *font)
{
    if (string[0] == '\0')
        return true;
    return json_array_append_new(blocks, json_pack("{s:s, s:o, s:b, s:s}", "type", "TextBlock",
                                                   "text", escape_json(string, rule), "wrap", 1,
                                                   "fontType", font)) == 0;
}

static json_t *blocks_json(const struct card *card)
{
    scoped_json *blocks = json_pack("[{s:s, s:o, s:b, s:s, s:s}]", "type", "TextBlock", "text",
                                    escape_json(card->title, &title_rule), "wrap", 1, "weight",
                                    "Bolder", "color", colours[card->level]);
    if (blocks == NULL || !block_add(blocks, card->reasons, &part_rule, "Default") ||
        !block_add(blocks, card->ops, &ops_rule, "Monospace") ||
        !block_add(blocks, card->since, &part_rule, "Default") ||
        !block_add(blocks, card->actions, &part_rule, "Monospace"))
        return NULL;
    return json_incref(blocks);
}

static json_t *card_json(const struct card *card)
{
    json_t *content =
        json_pack("{s:s, s:s, s:s, s:o, s:{s:s}}", "$schema",
                  "http://adaptivecards.io/schemas/adaptive-card.json", "type", "AdaptiveCard",
                  "version", "1.4", "body", blocks_json(card), "msteams", "width", "full");
    if (content != NULL && card->link != NULL)
        (void)json_object_set_new(content, "actions",
                                  json_pack("[{s:s, s:s, s:s}]", "type", "Action.OpenUrl", "title",
                                            "Open the report", "url", card->link));
    return json_pack("{s:s, s:[{s:s, s:n, s:o}]}", "type", "message", "attachments", "contentType",
                     "application/vnd.microsoft.card.adaptive", "contentUrl", "content", content);
}

static bool body_build(const struct notice *notice, const struct destination *to,
                       struct arena *arena, struct message *ret_message, struct err *err)
{
    (void)to;
    struct card card;
    return card_make(notice, arena, &card, err) &&
           body_print(card_json(&card), arena, ret_message, err);
}

static bool message_send(struct sending *sending, struct err *err)
{
    return sending_post(sending, NULL, ANY_BODY, err);
}

static const char *const hosts[] = {"*.logic.azure.com", "*.api.powerplatform.com"};

const struct channel channel_teams = {
    .kind = "teams",
    .needs = NEEDS_URL,
    .hosts = hosts,
    .host_count = 2,
    .min_interval_ms = 500, /* 60 in 30 s */
    .body_build = body_build,
    .send = message_send,
};
