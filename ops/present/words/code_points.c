/* Looks code points up in ranges. ASCII, nearly everything there is, never reaches a table. */
#include "ops/present/words/code_points.h"

#include "ops/present/words/code_points_tables.h"

#include <stddef.h>

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

int code_point_columns(uint32_t code_point)
{
    if (code_point < 0x80)
        return 1;
    if (in_ranges(code_point, zero_width_ranges, COUNT_OF(zero_width_ranges)))
        return 0;
    return in_ranges(code_point, wide_ranges, COUNT_OF(wide_ranges)) ? 2 : 1;
}
