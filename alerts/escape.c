/* Implements escaping: one table of marks per style, and the count of what was appended. */
#include "alerts/escape.h"
#include "ops/runtime/text_harmless.h"

#include <stdbool.h>
#include <string.h>

enum { PIECE_BYTES = 12, JSON_MAX_BYTES = 1 << 20 };

static const char ellipsis[] = "\xe2\x80\xa6";

static const struct mark {
    char from;
    const char *to;
} slack_marks[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {0, NULL}},
  markdown_marks[] = {{'\\', "\\\\"},         {'`', "\\`"}, {'*', "\\*"}, {'_', "\\_"},
                      {'~', "\\~"},           {'|', "\\|"}, {'[', "\\["}, {']', "\\]"},
                      {'<', "\\<"},           {'>', "\\>"}, {'!', "\\!"}, {'@', "@\xe2\x80\x8b"},
                      {'#', "#\xe2\x80\x8b"}, {0, NULL}},
  code_marks[] = {{'`', "'"}, {0, NULL}}, no_marks[] = {{0, NULL}},
  slack_code_marks[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'`', "'"}, {0, NULL}},
  google_marks[] = {{'<', "<\xe2\x80\x8b"}, {'`', "'"}, {0, NULL}},
  html_marks[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {0, NULL}};

static const struct mark *const marks[ESCAPE_STYLE_COUNT] = {
    [ESCAPE_NONE] = no_marks,
    [ESCAPE_SLACK] = slack_marks,
    [ESCAPE_MARKDOWN] = markdown_marks,
    [ESCAPE_CODE] = code_marks,
    [ESCAPE_SLACK_CODE] = slack_code_marks,
    [ESCAPE_GOOGLE] = google_marks,
    [ESCAPE_HTML] = html_marks,
};

/* The escaped form of the next code point, in piece; its length in bytes. */
static size_t piece_next(const char **p, const char *end, enum escape_style style,
                         char piece[PIECE_BYTES])
{
    uint32_t c = text_utf8_next(p, end);
    for (const struct mark *mark = marks[style]; mark->to != NULL; mark++) {
        if (c != (unsigned char)mark->from)
            continue;
        size_t length = strlen(mark->to);
        memcpy(piece, mark->to, length);
        return length;
    }
    return text_utf8_put(c, piece);
}

static size_t cost_of(const char *piece, size_t length, enum escape_unit unit)
{
    return unit == ESCAPE_BYTES ? length : text_utf8_count(piece, length);
}

/* Appends what fits into `room`; true when that was all. */
static bool fitting_add(struct text *out, const char *string, const struct escape_rule *rule,
                        size_t room)
{
    const char *p = string, *end = string + strlen(string);
    while (p < end) {
        char piece[PIECE_BYTES];
        size_t length = piece_next(&p, end, rule->style, piece);
        size_t cost = cost_of(piece, length, rule->unit);
        if (cost > room)
            return false;
        room -= cost;
        text_addn(out, piece, length);
    }
    return true;
}

void escape_add(struct text *out, const char *string, const struct escape_rule *rule)
{
    size_t start = out->length, tail = cost_of(ellipsis, sizeof ellipsis - 1, rule->unit);
    if (out->failed || fitting_add(out, string, rule, rule->max) || rule->max < tail)
        return;
    out->length = start; /* again, leaving room for the mark of a cut */
    (void)fitting_add(out, string, rule, rule->max - tail);
    cut_mark(out, start, true);
}

json_t *escape_json(const char *string, const struct escape_rule *rule)
{
    scoped_text text;
    text_init(&text, JSON_MAX_BYTES);
    escape_add(&text, string, rule);
    return json_of_text(&text);
}
