/* Implements the reading of times. */
#include "ops/cli/operand/moment.h"

#include "ops/runtime/clock.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const int64_t US_PER_S = 1000000;

bool moment_read(const char *text, int64_t *ret_wall_us)
{
    static const char *const forms[] = {"%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%MZ", "%Y-%m-%d"};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        struct tm parts = {0};
        const char *rest = strptime(text, forms[i], &parts);
        if (rest == NULL || *rest != '\0')
            continue;
        *ret_wall_us = (int64_t)timegm(&parts) * US_PER_S;
        return true;
    }
    return false;
}

static bool age_read(const char *text, int64_t *ret_s)
{
    enum { COUNT_MAX = 100000 };
    static const struct {
        char unit;
        int64_t seconds;
    } units[] = {{'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 7 * 86400}};
    char *end;
    long count = strtol(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || count > COUNT_MAX || strlen(end) != 1)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (units[i].unit != *end)
            continue;
        *ret_s = count * units[i].seconds;
        return true;
    }
    return false;
}

bool moment_read_past(const char *text, const char *option, int64_t *ret_wall_us, struct err *err)
{
    int64_t age_s;
    if (moment_read(text, ret_wall_us))
        return true;
    if (!age_read(text, &age_s))
        return err_set(err, ERR_USAGE,
                       "option --%s: '%s' is no time in UTC like 2026-11-30 or 2026-11-30T08:00Z, "
                       "and not how long ago, like 24h, 7d or 4w",
                       option, text);
    *ret_wall_us = clock_wall_us() - age_s * US_PER_S;
    return true;
}
