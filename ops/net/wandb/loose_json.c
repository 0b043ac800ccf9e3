/* Implements the rewriting of literals before and after jansson, over the text alone: strings are
 * skipped, everything else that begins like a number or a word is one token. */
#include "ops/net/wandb/loose_json.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* U+E000 is for private use: no configuration means anything by it. */
#define MARK "\uE000"
#define MARK_ESCAPED "\"\\ue000"

enum { SAFE_DIGITS = 18 };

static const char *const words[] = {"NaN", "Infinity", "-Infinity"};
enum { WORD_COUNT = sizeof words / sizeof words[0] };

/* Length of the string that begins at p, quotes included, or what is left of the text. */
static size_t string_length(const char *p, const char *end)
{
    const char *q = p + 1;
    while (q < end && *q != '"')
        q += *q == '\\' && q + 1 < end ? 2 : 1;
    return (size_t)((q < end ? q + 1 : end) - p);
}

static bool is_token_char(char c)
{
    return isalnum((unsigned char)c) || c == '-' || c == '+' || c == '.';
}

static const char *word_of(const char *token, size_t length)
{
    for (size_t i = 0; i < WORD_COUNT; i++) {
        if (strlen(words[i]) == length && memcmp(words[i], token, length) == 0)
            return words[i];
    }
    return NULL;
}

/* What Python would print for this token when jansson cannot hold it, NULL when it can. An integer
 * is at most 18 digits long in 64 bits; a number beyond a double is an infinity to Python. */
static const char *literal_of(const char *token, size_t length)
{
    const char *word = word_of(token, length);
    if (word != NULL)
        return word;
    char number[512];
    if (length == 0 || length >= sizeof number)
        return NULL;
    memcpy(number, token, length);
    number[length] = '\0';
    if (strspn(number, "-0123456789") == length)
        return NULL;
    char *rest;
    double value = strtod(number, &rest);
    if (*rest != '\0' || !isinf(value) || isalpha((unsigned char)number[length - 1]))
        return NULL;
    return value > 0 ? words[1] : words[2];
}

static bool is_long_integer(const char *token, size_t length)
{
    size_t sign = length > 0 && token[0] == '-';
    if (length - sign <= SAFE_DIGITS)
        return false;
    for (size_t i = sign; i < length; i++) {
        if (!isdigit((unsigned char)token[i]))
            return false;
    }
    return token[sign] != '0';
}

static void rewrite(const char *data, size_t length, struct text *out)
{
    const char *end = data + length;
    for (const char *p = data; p < end;) {
        size_t taken = 1;
        if (*p == '"') {
            taken = string_length(p, end);
            text_addn(out, p, taken);
        } else if (is_token_char(*p)) {
            while (p + taken < end && is_token_char(p[taken]))
                taken++;
            const char *literal = literal_of(p, taken);
            if (literal != NULL)
                text_addf(out, "\"" MARK "%s\"", literal);
            else if (is_long_integer(p, taken))
                text_addf(out, "\"" MARK "%.*s\"", (int)taken, p);
            else
                text_addn(out, p, taken);
        } else {
            text_addc(out, *p);
        }
        p += taken;
    }
}

json_t *loose_json_parse(const char *data, size_t length, const char *name, struct err *err)
{
    scoped_text strict;
    text_init(&strict, 2 * length + 64);
    rewrite(data, length, &strict);
    if (!text_ok(&strict, name, err))
        return NULL;
    return json_parse(text_string(&strict), strict.length, name, err);
}

const char *loose_json_literal(const json_t *value)
{
    const char *string = json_string_value(value);
    const size_t skip = sizeof MARK - 1;
    if (string == NULL || strncmp(string, MARK, skip) != 0)
        return NULL;
    const char *literal = string + skip;
    size_t length = strlen(literal);
    return word_of(literal, length) != NULL || is_long_integer(literal, length) ? literal : NULL;
}

/* A printed marked string at p: its whole length, 0 when there is none; *ret_word: it is one of the
 * words. */
static size_t marked_length(const char *p, const char *end, bool *ret_word)
{
    const size_t skip = sizeof MARK_ESCAPED - 1;
    if ((size_t)(end - p) < skip || memcmp(p, MARK_ESCAPED, skip) != 0)
        return 0;
    size_t length = string_length(p, end);
    size_t count = length - skip - 1;
    *ret_word = word_of(p + skip, count) != NULL;
    return *ret_word || is_long_integer(p + skip, count) ? length : 0;
}

void loose_json_print(const json_t *value, enum loose_json_form form, struct text *out)
{
    scoped_text marked;
    text_init(&marked, out->max_bytes);
    json_print(value, JSON_STYLE_LINE, &marked);
    out->failed = out->failed || marked.failed;
    const size_t skip = sizeof MARK_ESCAPED - 1;
    const char *p = text_string(&marked), *end = p + marked.length;
    while (p < end) {
        bool is_word = false;
        size_t taken = marked_length(p, end, &is_word);
        if (taken > 0) {
            const char *quote = is_word && form == LOOSE_JSON_STRICT ? "\"" : "";
            text_add(out, quote);
            text_addn(out, p + skip, taken - skip - 1);
            text_add(out, quote);
        } else {
            taken = *p == '"' ? string_length(p, end) : 1;
            text_addn(out, p, taken);
        }
        p += taken;
    }
}
