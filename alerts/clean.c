/* Implements the cleaning over code points, with a table of those to leave out. */
#include "alerts/clean.h"

#include <string.h>

enum { UTF8_MAX_BYTES = 4 };

static const struct {
    uint32_t from, to;
} dropped[] = {
    {0x0000, 0x001F},   /* C0 controls */
    {0x007F, 0x009F},   /* DEL and C1 controls */
    {0x00AD, 0x00AD},   /* soft hyphen */
    {0x061C, 0x061C},   /* Arabic letter mark */
    {0x200B, 0x200F},   /* zero-width space and joiners, direction marks */
    {0x202A, 0x202E},   /* direction embeddings and overrides */
    {0x2060, 0x206F},   /* invisible operators, direction isolates */
    {0xFEFF, 0xFEFF},   /* byte order mark */
    {0xFFF9, 0xFFFB},   /* interlinear annotation */
    {0xE0000, 0xE007F}, /* tags */
};

static bool is_dropped(uint32_t c)
{
    for (size_t i = 0; i < sizeof dropped / sizeof dropped[0]; i++) {
        if (c >= dropped[i].from && c <= dropped[i].to)
            return true;
    }
    return false;
}

/* The next code point that is kept; false at the end. */
static bool kept_next(const char **p, const char *end, uint32_t *ret_c)
{
    while (*p < end) {
        uint32_t c = text_utf8_next(p, end);
        *ret_c = text_is_space(c) ? ' ' : c;
        if (!is_dropped(*ret_c))
            return true;
    }
    return false;
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
    for (size_t i = 0; i < shown && kept_next(&p, end, &c); i++) {
        char bytes[UTF8_MAX_BYTES];
        text_addn(out, bytes, text_utf8_put(c, bytes));
    }
    if (cut)
        text_add(out, "…");
}
