/* The table of units. */
#include "ops/cli/age.h"

#include <stddef.h>
#include <stdio.h>

const char *age_text(int64_t ms, char buffer[AGE_BYTES])
{
    static const struct {
        double from_s, unit_s;
        const char *name;
    } units[] = {{2 * 86400, 86400, "days"}, {2 * 3600, 3600, "h"}, {120, 60, "min"}};
    enum { UNIT_COUNT = sizeof units / sizeof units[0] };
    double s = ms > 0 ? (double)ms / 1000 : 0; /* by a clock that was ahead */
    size_t i = 0;
    while (i < UNIT_COUNT && s < units[i].from_s)
        i++;
    if (i < UNIT_COUNT)
        (void)snprintf(buffer, AGE_BYTES, "%.1f %s", s / units[i].unit_s, units[i].name);
    else
        (void)snprintf(buffer, AGE_BYTES, "%.1f s", s);
    return buffer;
}
