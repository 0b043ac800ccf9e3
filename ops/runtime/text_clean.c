/* Implements the cleaning over code points: those that hide are left out. */
#include "ops/runtime/text_clean.h"

#include "ops/runtime/text_harmless.h"

#include <string.h>

enum { UTF8_MAX_BYTES = 4 };

/* The next code point that is kept; false at the end. */
static bool kept_next(const char **p, const char *end, uint32_t *ret_c)
{
    while (*p < end) {
        uint32_t c = text_utf8_next(p, end);
        *ret_c = text_is_space(c) ? ' ' : c;
        if (!harmless_hides(*ret_c))
            return true;
    }
    return false;
}

enum { WORD_MAX_BYTES = 48 };

/* "412.3", "(+4.8", "+18.9" and what stands between two of them. */
static bool is_dangling(const char *word, size_t length)
{
    static const char *const arrows[] = {"->", "-&gt;", "-\\>"};
    for (size_t i = 0; i < sizeof arrows / sizeof arrows[0]; i++) {
        if (strlen(arrows[i]) == length && strncmp(arrows[i], word, length) == 0)
            return true;
    }
    size_t lead = strspn(word, "(+-");
    return lead < length && word[lead] >= '0' && word[lead] <= '9';
}

/* Where the word begins that ends at `end`. */
static size_t word_start(const struct text *out, size_t start, size_t end)
{
    while (end > start && out->data[end - 1] != ' ' && out->data[end - 1] != '\n')
        end--;
    return end;
}

static size_t blanks_skip(const struct text *out, size_t start, size_t end)
{
    while (end > start && out->data[end - 1] == ' ')
        end--;
    return end;
}

void cut_mark(struct text *out, size_t start, bool is_within)
{
    for (bool partial = is_within; !out->failed && out->data != NULL; partial = false) {
        size_t end = blanks_skip(out, start, out->length), word = word_start(out, start, end);
        bool goes = partial || is_dangling(out->data + word, end - word);
        if (word <= start || end - word > WORD_MAX_BYTES || !goes)
            break;
        out->length = word;
    }
    if (!out->failed && out->data != NULL)
        out->data[out->length] = '\0';
    text_add(out, "\xe2\x80\xa6");
}

void clean_add(struct text *out, const char *string, size_t max_chars, const char *absent)
{
    if (string == NULL) {
        text_add(out, absent);
        return;
    }
    const char *end = string + strlen(string), *p = string;
    uint32_t c;
    size_t count = 0;
    while (count <= max_chars && kept_next(&p, end, &c))
        count++;
    bool cut = count > max_chars;
    size_t shown = cut && max_chars > 0 ? max_chars - 1 : max_chars;
    p = string;
    size_t start = out->length;
    for (size_t i = 0; i < shown && kept_next(&p, end, &c); i++) {
        char bytes[UTF8_MAX_BYTES];
        text_addn(out, bytes, text_utf8_put(c, bytes));
    }
    if (cut)
        cut_mark(out, start, out->length > start && kept_next(&p, end, &c) && c != ' ');
}
