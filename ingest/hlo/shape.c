/* The three expressions of §8, tried in turn:
 *   1. `=\s*\((.*?)\)\s*[A-Za-z0-9_.-]+\(`   the tuple that an instruction returns
 *   2. `=\s*([A-Za-z0-9_]+\[[^\]]+\])`       the array that it returns
 *   3. the whole text, of which the first eight shapes count
 * and in what they give all `(bf16|f32|f16|s32|u32|s8|u8|pred)\[([^\]]+)\]`, any case.
 */
#include "ingest/hlo/shape.h"

#include <stdbool.h>
#include <string.h>

enum { SHAPES_OF_ANY_TEXT = 8, SHAPES_ALL = -1 };

static const char *space_skip(const char *p, const char *end)
{
    while (p < end) {
        const char *next = p;
        if (!text_is_space(text_utf8_next(&next, end)))
            break;
        p = next;
    }
    return p;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* After a `)`: `\s*[A-Za-z0-9_.-]+\(`. */
static bool calls_opcode(const char *p, const char *end)
{
    const char *name = space_skip(p, end);
    p = name;
    while (p < end && (is_word(*p) || *p == '.' || *p == '-'))
        p++;
    return p > name && p < end && *p == '(';
}

static bool tuple_find(const char *text, const char *end, const char **ret_from,
                       const char **ret_to)
{
    const char *close = text; /* the first `)` from here on that an opcode follows */
    bool close_known = false;
    for (const char *p = text; (p = memchr(p, '=', (size_t)(end - p))) != NULL; p++) {
        const char *open = space_skip(p + 1, end);
        if (open == end || *open != '(')
            continue;
        if (!close_known || close < open + 1) {
            close = open + 1;
            while ((close = memchr(close, ')', (size_t)(end - close))) != NULL &&
                   !calls_opcode(close + 1, end))
                close++;
            close_known = true;
        }
        if (close == NULL)
            return false;
        *ret_from = open + 1;
        *ret_to = close;
        return true;
    }
    return false;
}

static bool array_find(const char *text, const char *end, const char **ret_from,
                       const char **ret_to)
{
    for (const char *p = text; (p = memchr(p, '=', (size_t)(end - p))) != NULL; p++) {
        const char *from = space_skip(p + 1, end), *open = from;
        while (open < end && is_word(*open))
            open++;
        if (open == from || open == end || *open != '[')
            continue;
        const char *close = memchr(open, ']', (size_t)(end - open));
        if (close == NULL)
            return false;
        if (close == open + 1)
            continue;
        *ret_from = from;
        *ret_to = close + 1;
        return true;
    }
    return false;
}

/* true when the text that ends at `open` ends in `type`; ſ counts as s. */
static bool ends_in_type(const char *text, const char *open, const char *type)
{
    static const char long_s[] = "\xC5\xBF";
    for (const char *want = type + strlen(type); want > type; want--) {
        if (want[-1] == 's' && open - text >= 2 && memcmp(open - 2, long_s, 2) == 0) {
            open -= 2;
            continue;
        }
        if (open == text)
            return false;
        char c = *--open;
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != want[-1])
            return false;
    }
    return true;
}

static bool type_before(const char *text, const char *open)
{
    static const char *const types[] = {"bf16", "f32", "f16", "s32", "u32", "s8", "u8", "pred"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (ends_in_type(text, open, types[i]))
            return true;
    }
    return false;
}

/* The dimensions between two brackets: trimmed, empty ones dropped. */
static void dimensions_add(const char *p, const char *end, struct text *out)
{
    bool first = true;
    while (p <= end) {
        const char *comma = memchr(p, ',', (size_t)(end - p));
        const char *stop = comma == NULL ? end : comma, *part = p;
        size_t length = (size_t)(stop - p);
        text_strip(&part, &length);
        if (length > 0) {
            if (!first)
                text_addc(out, ',');
            text_addn(out, part, length);
            first = false;
        }
        p = stop + 1;
    }
}

static void shapes_add(const char *text, const char *end, int most, struct text *out)
{
    int count = 0;
    const char *after = text; /* the end of the shape before */
    for (const char *p = text; (p = memchr(p, '[', (size_t)(end - p))) != NULL && count != most;) {
        const char *close = memchr(p, ']', (size_t)(end - p));
        if (close == NULL)
            return;
        if (close == p + 1 || !type_before(after, p)) {
            p++;
            continue;
        }
        if (count++ > 0)
            text_addc(out, '|');
        dimensions_add(p + 1, close, out);
        p = after = close + 1;
    }
}

void shape_signature(const char *text, size_t length, struct text *out)
{
    const char *end = text + length, *from = text, *to = end;
    int most = SHAPES_ALL;
    if (!tuple_find(text, end, &from, &to) && !array_find(text, end, &from, &to)) {
        from = text;
        to = end;
        most = SHAPES_OF_ANY_TEXT;
    }
    shapes_add(from, to, most, out);
}
