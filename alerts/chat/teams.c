/* Microsoft Teams through a Workflow: one Adaptive Card per message.
 *
 * The service answers 202 before it looks inside, so the card is kept far below the size that its
 * flow loses: about 12 KB of 28, whatever the names hold. It gives no id back, nothing can be
 * changed later, and a failure inside the flow is seen by nobody: a second destination is wise.
 */
#include "alerts/card.h"
#include "alerts/channels.h"
#include "alerts/escape.h"

#include <stdio.h>
#include <string.h>

/* What a part may take, in bytes of JSON as they are sent: text blocks read Markdown, so marks cost
 * more. All parts together, with what each line's block costs, stay below 18 KB. */
enum { TITLE_COST = 1800, PART_COST = 3200, OPS_COST = 2400, LINE_BYTES = 256 << 10 };

static const char *const colours[CARD_LEVEL_COUNT] = {
    [CARD_GOOD] = "Good",       [CARD_WARN] = "Warning", [CARD_BAD] = "Attention",
    [CARD_NEUTRAL] = "Default", [CARD_BUSY] = "Accent",
};

/* ---- blocks: a single line break in one is not shown, so each line has its own ---- */

/* Bytes of JSON in ASCII: \\" and \\\\ take two, what is not ASCII six, or twelve beyond the first
 * plane of Unicode. */
static size_t json_cost(const char *string)
{
    size_t cost = 0;
    for (const unsigned char *p = (const unsigned char *)string; *p != '\0'; p++)
        cost += *p < 0x20   ? 6
                : *p < 0x80 ? (*p == '"' || *p == '\\' ? 2 : 1)
                : *p < 0xC0 ? 0 /* within a code point */
                : *p < 0xF0 ? 6
                            : 12;
    return cost;
}

/* Escapes a line; one that is too long ends behind a word, so that no number is cut in two. */
static void line_escape(const char *line, size_t length, size_t max, struct text *out)
{
    scoped_text copy;
    text_init(&copy, SIZE_MAX);
    text_addn(&copy, line, length);
    for (size_t chars = LINE_BYTES; chars > 0; chars = chars > max ? max : chars / 2) {
        const struct escape_rule rule = {ESCAPE_MARKDOWN, ESCAPE_CHARACTERS, chars};
        text_done(out);
        text_init(out, SIZE_MAX);
        escape_add(out, text_string(&copy), &rule);
        if (json_cost(text_string(out)) <= max)
            return;
    }
}

static void block_add(json_t *blocks, const char *string, const char *font, bool is_first)
{
    json_t *block = json_pack("{s:s, s:s, s:b, s:s}", "type", "TextBlock", "text", string, "wrap",
                              1, "fontType", font);
    if (!is_first)
        (void)json_object_set_new(block, "spacing", json_string("None"));
    (void)json_array_append_new(blocks, block);
}

/* Line by line, as long as there is room; what is left out is counted. */
static void lines_add(json_t *blocks, const char *lines, size_t cost, const char *font)
{
    size_t used = 0, left = 0;
    for (const char *p = lines; *p != '\0';) {
        size_t length = strcspn(p, "\n");
        scoped_text line;
        text_init(&line, SIZE_MAX);
        line_escape(p, length, cost, &line);
        size_t now = json_cost(text_string(&line));
        bool fits = left == 0 && used + now <= cost;
        if (fits && now > 0)
            block_add(blocks, text_string(&line), font, used == 0);
        used += fits ? now : 0;
        left += !fits;
        p += length + (p[length] == '\n');
    }
    char more[40];
    (void)snprintf(more, sizeof more, "… and %zu more", left);
    if (left > 0)
        block_add(blocks, more, font, false);
}

static bool body_build(const struct notice *notice, const struct destination *to,
                       struct arena *arena, struct message *ret_message, struct err *err)
{
    (void)to;
    struct card card = card_make(notice, arena);
    scoped_text title;
    text_init(&title, LINE_BYTES);
    line_escape(card.title, strlen(card.title), TITLE_COST, &title);
    json_t *blocks =
        json_pack("[{s:s, s:o, s:b, s:s, s:s}]", "type", "TextBlock", "text", json_of_text(&title),
                  "wrap", 1, "weight", "Bolder", "color", colours[card.level]);
    lines_add(blocks, card.reasons, PART_COST, "Default");
    lines_add(blocks, card.ops, OPS_COST, "Monospace");
    lines_add(blocks, card.since, PART_COST, "Default");
    lines_add(blocks, card.actions, PART_COST, "Monospace");
    json_t *content =
        json_pack("{s:s, s:s, s:s, s:o, s:{s:s}}", "$schema",
                  "http://adaptivecards.io/schemas/adaptive-card.json", "type", "AdaptiveCard",
                  "version", "1.4", "body", blocks, "msteams", "width", "full");
    if (card.link != NULL)
        (void)json_object_set_new(content, "actions",
                                  json_pack("[{s:s, s:s, s:s}]", "type", "Action.OpenUrl", "title",
                                            "Open the report", "url", card.link));
    return body_print(json_pack("{s:s, s:[{s:s, s:n, s:o}]}", "type", "message", "attachments",
                                "contentType", "application/vnd.microsoft.card.adaptive",
                                "contentUrl", "content", content),
                      arena, ret_message, err);
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
