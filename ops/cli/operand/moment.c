/* Implements the reading of times. */
#include "ops/cli/operand/moment.h"

#include "ops/runtime/clock.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const int64_t US_PER_S = 1000000;
static const char DIGITS[] = "0123456789";

/* ".123456" behind seconds, which may be left out; what is finer than a microsecond is cut. */
static bool fraction_read(const char **at, int64_t *ret_us)
{
    *ret_us = 0;
    if (**at != '.')
        return true;
    size_t count = strspn(++*at, DIGITS);
    int64_t unit = US_PER_S / 10;
    for (size_t i = 0; i < count; i++, unit /= 10)
        *ret_us += unit * ((*at)[i] - '0');
    *at += count;
    return count > 0;
}

/* "Z", "+01:00", "-0530" or nothing, which is UTC; then the end. */
static bool zone_read(const char *at, int64_t *ret_s)
{
    enum { HOURS_MAX = 14, MINUTES_MAX = 59 };
    int64_t numbers[2]; /* hours, minutes */
    int64_t sign = *at == '-' ? -1 : 1;
    *ret_s = 0;
    if (strcmp(at, "Z") == 0 || *at == '\0')
        return true;
    if (*at != '+' && *at != '-')
        return false;
    at++;
    for (int i = 0; i < 2; i++) {
        if (strspn(at, DIGITS) < 2)
            return false;
        numbers[i] = 10 * (at[0] - '0') + at[1] - '0';
        at += 2;
        at += i == 0 && *at == ':';
    }
    *ret_s = sign * 60 * (60 * numbers[0] + numbers[1]);
    return *at == '\0' && numbers[0] <= HOURS_MAX && numbers[1] <= MINUTES_MAX;
}

bool moment_read(const char *text, int64_t *ret_wall_us)
{
    struct tm parts = {0};
    int64_t fraction_us = 0, zone_s = 0;
    const char *at = strptime(text, "%Y-%m-%d", &parts);
    if (at == NULL)
        return false;
    if (*at == 'T' || *at == ' ') {
        const char *behind = strptime(at + 1, "%H:%M:%S", &parts);
        bool has_seconds = behind != NULL;
        at = has_seconds ? behind : strptime(at + 1, "%H:%M", &parts);
        if (at == NULL || (has_seconds && !fraction_read(&at, &fraction_us)) ||
            !zone_read(at, &zone_s))
            return false;
    } else if (*at != '\0')
        return false;
    int day = parts.tm_mday;
    *ret_wall_us = ((int64_t)timegm(&parts) - zone_s) * US_PER_S + fraction_us;
    return parts.tm_mday == day; /* else the month has no such day */
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
                       "option --%s: '%s' is no time like 2026-11-30, 2026-11-30T08:00 (UTC) or "
                       "2026-11-30T08:00:00+01:00, and not how long ago, like 24h, 7d or 4w",
                       option, text);
    *ret_wall_us = clock_wall_us() - age_s * US_PER_S;
    return true;
}
