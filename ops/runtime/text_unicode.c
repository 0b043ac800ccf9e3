/* Unicode rules: UTF-8 checking and repair, and the parts of Python's text behaviour that the
 * documents depend on. */
#include "ops/runtime/text.h"
#include "ops/runtime/text_unicode_tables.h"

#include <string.h>

enum { REPLACEMENT = 0xFFFD, KELVIN = 0x212A };

/* Length of the sequence at p, 0 when it is invalid. On return *used is the number of bytes of a
 * valid beginning (at least 1 for an invalid one): what Python replaces by one U+FFFD. */
static size_t sequence_length(const unsigned char *p, size_t left, size_t *used)
{
    *used = 1;
    if (p[0] < 0x80)
        return 1;
    if (p[0] < 0xC2 || p[0] > 0xF4)
        return 0;
    size_t length = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    for (size_t i = 1; i < length; i++) {
        unsigned low = 0x80, high = 0xBF;
        if (i == 1) {
            low = p[0] == 0xE0 ? 0xA0 : p[0] == 0xF0 ? 0x90 : 0x80;
            high = p[0] == 0xED ? 0x9F : p[0] == 0xF4 ? 0x8F : 0xBF;
        }
        if (i >= left || p[i] < low || p[i] > high)
            return 0;
        *used = i + 1;
    }
    return length;
}

size_t text_utf8_valid(const char *bytes, size_t length)
{
    const unsigned char *p = (const unsigned char *)bytes;
    size_t at = 0, used;
    while (at < length) {
        size_t step = p[at] < 0x80 ? 1 : sequence_length(p + at, length - at, &used);
        if (step == 0)
            break;
        at += step;
    }
    return at;
}

uint32_t text_utf8_next(const char **p, const char *end)
{
    const unsigned char *s = (const unsigned char *)*p;
    size_t used;
    size_t length = sequence_length(s, (size_t)(end - *p), &used);
    *p += used;
    switch (length) {
    case 1:
        return s[0];
    case 2:
        return (uint32_t)(s[0] & 0x1F) << 6 | (s[1] & 0x3Fu);
    case 3:
        return (uint32_t)(s[0] & 0x0F) << 12 | (uint32_t)(s[1] & 0x3F) << 6 | (s[2] & 0x3Fu);
    case 4:
        return (uint32_t)(s[0] & 0x07) << 18 | (uint32_t)(s[1] & 0x3F) << 12 |
               (uint32_t)(s[2] & 0x3F) << 6 | (s[3] & 0x3Fu);
    default:
        return REPLACEMENT;
    }
}

size_t text_utf8_put(uint32_t c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t length = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char heads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = length - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)(heads[length] | c);
    return length;
}

char *text_utf8_repair(struct arena *arena, const char *bytes, size_t length)
{
    if (text_utf8_valid(bytes, length) == length)
        return arena_strndup(arena, bytes, length);
    char *copy = length > SIZE_MAX / 4 ? NULL : arena_alloc(arena, 3 * length + 1);
    if (copy == NULL)
        return NULL;
    char *out = copy;
    for (const char *p = bytes, *end = bytes + length; p < end;)
        out += text_utf8_put(text_utf8_next(&p, end), out);
    *out = '\0';
    return copy;
}

int text_digit_value(uint32_t code_point)
{
    size_t low = 0, high = sizeof digit_zeros / sizeof digit_zeros[0];
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (digit_zeros[middle] <= code_point)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || code_point - digit_zeros[low - 1] > 9)
        return -1;
    return (int)(code_point - digit_zeros[low - 1]);
}

bool text_is_space(uint32_t code_point)
{
    for (size_t i = 0; i < sizeof space_points / sizeof space_points[0]; i++) {
        if (space_points[i] == code_point)
            return true;
    }
    return false;
}

/* Start of the last code point before end. */
static const char *utf8_back(const char *start, const char *end)
{
    const char *p = end - 1;
    while (p > start && ((unsigned char)*p & 0xC0) == 0x80)
        p--;
    return p;
}

static void strip_points(const char **start, size_t *length, bool (*is_blank)(uint32_t))
{
    const char *from = *start, *end = *start + *length;
    while (from < end) {
        const char *next = from;
        if (!is_blank(text_utf8_next(&next, end)))
            break;
        from = next;
    }
    while (end > from) {
        const char *last = utf8_back(from, end), *p = last;
        if (!is_blank(text_utf8_next(&p, end)))
            break;
        end = last;
    }
    *start = from;
    *length = (size_t)(end - from);
}

void text_strip(const char **start, size_t *length)
{
    strip_points(start, length, text_is_space);
}

/* int() trims with C's isspace() after its own conversion: the separators U+001C to U+001F, which
 * str.strip() takes away, make a text no integer. */
static bool is_blank_beside_int(uint32_t code_point)
{
    return text_is_space(code_point) && (code_point < 0x1C || code_point > 0x1F);
}

bool text_python_int(const char *string, size_t length, int64_t *ret_value)
{
    strip_points(&string, &length, is_blank_beside_int);
    const char *p = string, *end = string + length;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    int64_t value = 0;
    bool after_digit = false;
    while (p < end) {
        uint32_t c = text_utf8_next(&p, end);
        if (c == '_' && after_digit) {
            after_digit = false;
            continue;
        }
        int digit = text_digit_value(c);
        if (digit < 0 || __builtin_mul_overflow(value, (int64_t)10, &value) ||
            __builtin_sub_overflow(value, (int64_t)digit, &value))
            return false;
        after_digit = true;
    }
    if (!after_digit || (!negative && value == INT64_MIN))
        return false;
    *ret_value = negative ? value : -value;
    return true;
}

char *text_lower(struct arena *arena, const char *string)
{
    size_t length = strlen(string);
    char *copy = arena_alloc(arena, length + 1);
    if (copy == NULL)
        return NULL;
    char *out = copy;
    for (const char *p = string, *end = string + length; p < end;) {
        const char *from = p;
        uint32_t c = text_utf8_next(&p, end);
        if (c == KELVIN)
            *out++ = 'k';
        else if (c >= 'A' && c <= 'Z')
            *out++ = (char)(c - 'A' + 'a');
        else
            while (from < p)
                *out++ = *from++;
    }
    *out = '\0';
    return copy;
}

bool text_is_word(uint32_t code_point)
{
    if (code_point < 0x80)
        return (code_point >= '0' && code_point <= '9') || code_point == '_' ||
               ((code_point | 0x20) >= 'a' && (code_point | 0x20) <= 'z');
    size_t low = 0, high = sizeof word_ranges / sizeof word_ranges[0];
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (word_ranges[middle].last < code_point)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sizeof word_ranges / sizeof word_ranges[0] && word_ranges[low].first <= code_point;
}
