/* Implements the blocks: title and reasons, the ops in a fixed pitch, who was compared and what can
 * be done in small print, and a button. */
#include "alerts/chat/slack_blocks.h"
#include "alerts/escape.h"

/* Sum 9,500: the documented limits are 3,000 each, the total about 13,200. */
static const struct escape_rule title_rule = {ESCAPE_SLACK, ESCAPE_CHARACTERS, 1000},
                                reasons_rule = {ESCAPE_SLACK, ESCAPE_CHARACTERS, 1900},
                                ops_rule = {ESCAPE_SLACK_CODE, ESCAPE_CHARACTERS, 2600},
                                since_rule = {ESCAPE_SLACK, ESCAPE_CHARACTERS, 2000},
                                actions_rule = {ESCAPE_SLACK, ESCAPE_CHARACTERS, 1000};

json_t *slack_line(const struct card *card)
{
    return escape_json(card->title, &title_rule);
}

static json_t *mrkdwn(const struct text *text)
{
    return json_pack("{s:s, s:o, s:b}", "type", "mrkdwn", "text", json_of_text(text), "verbatim",
                     1);
}

static void section_add(json_t *blocks, const struct text *text)
{
    (void)json_array_append_new(blocks,
                                json_pack("{s:s, s:o}", "type", "section", "text", mrkdwn(text)));
}

static void small_add(json_t *blocks, const char *string, const struct escape_rule *rule)
{
    if (string[0] == '\0')
        return;
    scoped_text text;
    text_init(&text, SIZE_MAX);
    escape_add(&text, string, rule);
    (void)json_array_append_new(
        blocks, json_pack("{s:s, s:[o]}", "type", "context", "elements", mrkdwn(&text)));
}

json_t *slack_message(const struct card *card)
{
    json_t *blocks = json_array();
    scoped_text head, ops;
    text_init(&head, SIZE_MAX);
    text_init(&ops, SIZE_MAX);
    text_addc(&head, '*');
    escape_add(&head, card->title, &title_rule);
    text_addc(&head, '*');
    if (card->reasons[0] != '\0') {
        text_addc(&head, '\n');
        escape_add(&head, card->reasons, &reasons_rule);
    }
    section_add(blocks, &head);
    if (card->ops[0] != '\0') {
        text_add(&ops, "```\n");
        escape_add(&ops, card->ops, &ops_rule);
        text_add(&ops, "\n```");
        section_add(blocks, &ops);
    }
    small_add(blocks, card->since, &since_rule);
    small_add(blocks, card->actions, &actions_rule);
    if (card->link != NULL)
        (void)json_array_append_new(blocks, json_pack("{s:s, s:[{s:s, s:{s:s, s:s}, s:s}]}", "type",
                                                      "actions", "elements", "type", "button",
                                                      "text", "type", "plain_text", "text",
                                                      "Open the report", "url", card->link));
    return json_pack("{s:o, s:o, s:b, s:b}", "text", slack_line(card), "blocks", blocks,
                     "unfurl_links", 0, "unfurl_media", 0);
}
