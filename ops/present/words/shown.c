/* Implements measuring and cutting of texts that are shown. */
#include "ops/present/words/shown.h"

#include "ops/present/words/code_points_tables.h"
#include "ops/runtime/text.h"

#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static bool in_ranges(uint32_t code_point, const struct code_range *ranges, size_t count)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code_point > ranges[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && code_point >= ranges[low].first;
}

/* Columns of a terminal: 0, 1 or 2. ASCII, nearly everything there is, never reaches a table. */
static int code_point_columns(uint32_t code_point)
{
    if (code_point < 0x80)
        return 1;
    if (in_ranges(code_point, zero_width_ranges, COUNT_OF(zero_width_ranges)))
        return 0;
    return in_ranges(code_point, wide_ranges, COUNT_OF(wide_ranges)) ? 2 : 1;
}

static const char ELLIPSIS[] = "…";

size_t shown_columns(const char *text)
{
    const char *end = text + strlen(text);
    size_t columns = 0;
    while (text < end)
        columns += (size_t)code_point_columns(text_utf8_next(&text, end));
    return columns;
}

/* Moves on over at most `columns` columns and what takes none after them. */
static const char *skip_columns(const char *text, size_t columns)
{
    const char *end = text + strlen(text);
    for (size_t used = 0; text < end;) {
        const char *next = text;
        used += (size_t)code_point_columns(text_utf8_next(&next, end));
        if (used > columns)
            break;
        text = next;
    }
    return text;
}

char *shown_cut(struct arena *arena, const char *text, size_t columns)
{
    size_t total = shown_columns(text);
    if (total <= columns)
        return arena_strdup(arena, text);
    size_t head = (columns - 1) / 2;
    size_t tail = columns - 1 - head;
    const char *head_end = skip_columns(text, head);
    const char *tail_start = skip_columns(text, total - tail);
    if (shown_columns(tail_start) > tail) /* a wide character stood across the cut */
        tail_start = skip_columns(tail_start, 2);
    return arena_printf(arena, "%.*s%s%s", (int)(head_end - text), text, ELLIPSIS, tail_start);
}

char *shown_cut_start(struct arena *arena, const char *text, size_t columns)
{
    size_t total = shown_columns(text);
    if (total <= columns)
        return arena_strdup(arena, text);
    const char *tail = skip_columns(text, total - columns + 1);
    if (shown_columns(tail) > columns - 1) /* a wide character stood across the cut */
        tail = skip_columns(tail, 2);
    return arena_printf(arena, "%s%s", ELLIPSIS, tail);
}

void shown_trim_end(struct text *out, const char *set)
{
    while (!out->failed && out->length > 0 && strchr(set, out->data[out->length - 1]) != NULL)
        out->data[--out->length] = '\0';
}
