/* Implements the text rules of questions. */
#include "ops/present/query/question.h"

#include "ops/present/words/words.h"

#include "ops/runtime/text.h"

#include <stdint.h>
#include <string.h>

static const char TRIMMED[] = "`\"'?.!, ";

/* What Python's str.lower() makes of the letters that names of ops hold. */
static uint32_t folded(uint32_t c)
{
    static const uint32_t KELVIN = 0x212A;
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 'a';
    return c == KELVIN ? 'k' : c;
}

/* text_utf8_next with a short way for ASCII: names of ops are long and many. */
static uint32_t next_point(const char **p, const char *end)
{
    unsigned char c = (unsigned char)**p;
    if (c >= 0x80)
        return text_utf8_next(p, end);
    ++*p;
    return c;
}

struct phrase phrase_of(const char *text)
{
    return (struct phrase){text, strlen(text)};
}

static const char *phrase_end(struct phrase phrase)
{
    return phrase.start + phrase.length;
}

static struct phrase phrase_strip(struct phrase phrase)
{
    text_strip(&phrase.start, &phrase.length);
    return phrase;
}

static struct phrase phrase_trim(struct phrase phrase)
{
    phrase = phrase_strip(phrase);
    while (phrase.length > 0 && strchr(TRIMMED, phrase.start[0]) != NULL) {
        phrase.start++;
        phrase.length--;
    }
    while (phrase.length > 0 && strchr(TRIMMED, phrase_end(phrase)[-1]) != NULL)
        phrase.length--;
    return phrase;
}

/* Compares at the start of text; *ret_end is where the match ends. */
static bool phrase_starts(struct phrase phrase, const char *text, const char *text_end,
                          const char **ret_end)
{
    const char *end = phrase_end(phrase);
    for (const char *p = phrase.start; p < end;) {
        if (text >= text_end || folded(next_point(&p, end)) != folded(next_point(&text, text_end)))
            return false;
    }
    *ret_end = text;
    return true;
}

struct phrase phrase_clean(struct phrase phrase)
{
    static const char *const leading[] = {"op", "operation"};
    phrase = phrase_trim(phrase_trim(phrase));
    for (size_t i = 0; i < sizeof leading / sizeof *leading; i++) {
        const char *rest;
        if (!phrase_starts(phrase_of(leading[i]), phrase.start, phrase_end(phrase), &rest))
            continue;
        struct phrase named =
            phrase_strip((struct phrase){rest, (size_t)(phrase_end(phrase) - rest)});
        if (named.start > rest)
            return named;
    }
    return phrase;
}

bool phrase_equals(struct phrase phrase, const char *text)
{
    const char *end = text + strlen(text);
    const char *match_end;
    return phrase_starts(phrase, text, end, &match_end) && match_end == end;
}

enum bounds { BOUNDS_NONE, BOUNDS_START, BOUNDS_BOTH };

/* Whether the character at p, if there is one, belongs to a word. */
static bool is_word_at(const char *p, const char *end)
{
    return p < end && text_is_word(text_utf8_next(&p, end));
}

/* The first place of the phrase in text whose bounds are bounds of words. */
static bool phrase_find(struct phrase phrase, struct phrase text, enum bounds bounds,
                        struct phrase *ret_match)
{
    const char *end = phrase_end(text);
    uint32_t before = ' ';
    for (const char *p = text.start; p <= end;) {
        const char *match_end;
        if (phrase_starts(phrase, p, end, &match_end) &&
            (bounds == BOUNDS_NONE || !text_is_word(before)) &&
            (bounds != BOUNDS_BOTH || !is_word_at(match_end, end))) {
            *ret_match = (struct phrase){p, (size_t)(match_end - p)};
            return true;
        }
        if (p == end)
            break;
        before = next_point(&p, end);
    }
    return false;
}

bool phrase_within(struct phrase phrase, const char *text)
{
    struct phrase match;
    return phrase_find(phrase, phrase_of(text), BOUNDS_NONE, &match);
}

bool phrase_is_word_of(struct phrase phrase, const char *text)
{
    struct phrase match;
    return phrase_find(phrase, phrase_of(text), BOUNDS_BOTH, &match);
}

bool question_has_word_start(const char *text, const char *start)
{
    struct phrase match;
    return phrase_find(phrase_of(start), phrase_of(text), BOUNDS_START, &match);
}

bool question_after(const char *question, const char *word, struct phrase *ret_rest)
{
    struct phrase text = phrase_of(question);
    struct phrase match;
    if (!phrase_find(phrase_of(word), text, BOUNDS_BOTH, &match))
        return false;
    const char *rest = phrase_end(match);
    *ret_rest = phrase_clean((struct phrase){rest, (size_t)(phrase_end(text) - rest)});
    return ret_rest->length > 0;
}

static bool is_name_start(char c)
{
    return c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* `[A-Za-z_][A-Za-z0-9_]*\.\d+\b` at p; the end, or NULL. */
static const char *op_token_end(const char *p, const char *end)
{
    if (!is_name_start(*p))
        return NULL;
    while (p < end && (is_name_start(*p) || (*p >= '0' && *p <= '9')))
        p++;
    if (p >= end || *p++ != '.')
        return NULL;
    const char *digits = p;
    for (const char *next = p; next < end; p = next) {
        uint32_t c = text_utf8_next(&next, end);
        if (text_digit_value(c) < 0)
            return p > digits && !text_is_word(c) ? p : NULL;
    }
    return p > digits ? p : NULL;
}

bool question_op_token(const char *question, struct phrase *ret_token)
{
    const char *end = question + strlen(question);
    bool after_word = false;
    for (const char *p = question; p < end;) {
        const char *token_end = after_word ? NULL : op_token_end(p, end);
        if (token_end != NULL) {
            *ret_token = (struct phrase){p, (size_t)(token_end - p)};
            return true;
        }
        after_word = text_is_word(text_utf8_next(&p, end));
    }
    return false;
}

bool question_next_token(const char **cursor, struct phrase *ret_token)
{
    const char *end = *cursor + strlen(*cursor);
    const char *p = *cursor;
    const char *start = NULL;
    while (p < end) {
        const char *here = p;
        bool space = text_is_space(text_utf8_next(&p, end));
        if (space && start != NULL) {
            p = here;
            break;
        }
        if (!space && start == NULL)
            start = here;
    }
    *cursor = p;
    if (start == NULL)
        return false;
    *ret_token = phrase_trim((struct phrase){start, (size_t)(p - start)});
    return true;
}
