/* Implements the blocks: title and reasons, the ops in a fixed pitch, who was compared and what can
 * be done in small print, and a button. */
#include "alerts/chat/slack_blocks.h"
#include "alerts/escape.h"

enum { TEXT_MAX_BYTES = 64 << 10 };

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
    if (text->failed)
        return NULL;
    return json_pack("{s:s, s:s#, s:b}", "type", "mrkdwn", "text", text_string(text),
                     (int)text->length, "verbatim", 1);
}

static bool block_add(json_t *blocks, json_t *block)
{
    return json_array_append_new(blocks, block) == 0;
}

static bool section_add(json_t *blocks, const struct text *text)
{
    return block_add(blocks, json_pack("{s:s, s:o}", "type", "section", "text", mrkdwn(text)));
}

static bool head_add(json_t *blocks, const struct card *card)
{
    scoped_text text;
    text_init(&text, TEXT_MAX_BYTES);
    text_addc(&text, '*');
    escape_add(&text, card->title, &title_rule);
    text_addc(&text, '*');
    if (card->reasons[0] != '\0') {
        text_addc(&text, '\n');
        escape_add(&text, card->reasons, &reasons_rule);
    }
    return section_add(blocks, &text);
}

static bool ops_add(json_t *blocks, const struct card *card)
{
    if (card->ops[0] == '\0')
        return true;
    scoped_text text;
    text_init(&text, TEXT_MAX_BYTES);
    text_add(&text, "```\n");
    escape_add(&text, card->ops, &ops_rule);
    text_add(&text, "\n```");
    return section_add(blocks, &text);
}

static bool small_add(json_t *blocks, const char *string, const struct escape_rule *rule)
{
    if (string[0] == '\0')
        return true;
    scoped_text text;
    text_init(&text, TEXT_MAX_BYTES);
    escape_add(&text, string, rule);
    return block_add(blocks,
                     json_pack("{s:s, s:[o]}", "type", "context", "elements", mrkdwn(&text)));
}

static bool button_add(json_t *blocks, const struct card *card)
{
    if (card->link == NULL)
        return true;
    return block_add(blocks, json_pack("{s:s, s:[{s:s, s:{s:s, s:s}, s:s}]}", "type", "actions",
                                       "elements", "type", "button", "text", "type", "plain_text",
                                       "text", "Open the report", "url", card->link));
}

json_t *slack_message(const struct card *card)
{
    scoped_json *blocks = json_array();
    if (blocks == NULL || !head_add(blocks, card) || !ops_add(blocks, card) ||
        !small_add(blocks, card->since, &since_rule) ||
        !small_add(blocks, card->actions, &actions_rule) || !button_add(blocks, card))
        return NULL;
    return json_pack("{s:o, s:O, s:b, s:b}", "text", slack_line(card), "blocks", blocks,
                     "unfurl_links", 0, "unfurl_media", 0);
}
