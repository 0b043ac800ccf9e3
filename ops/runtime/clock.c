/* Implements the clocks on clock_gettime. */
#include "ops/runtime/clock.h"
#include "ops/runtime/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { US_PER_S = 1000000 };

int64_t clock_wall_us(void)
{
    const char *fixed = getenv("SOURCE_DATE_EPOCH");
    int64_t seconds;
    if (fixed != NULL && text_parse_i64(fixed, &seconds) && seconds >= 0 &&
        seconds < INT64_MAX / US_PER_S)
        return seconds * US_PER_S;
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * US_PER_S + now.tv_nsec / 1000;
}

int64_t clock_monotonic_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void split_utc(int64_t wall_us, struct tm *parts, int *micros)
{
    int64_t seconds = wall_us / US_PER_S;
    *micros = (int)(wall_us % US_PER_S);
    if (*micros < 0) {
        *micros += US_PER_S;
        seconds--;
    }
    time_t when = (time_t)seconds;
    (void)gmtime_r(&when, parts);
}

const char *clock_iso(int64_t wall_us, char *buffer)
{
    struct tm parts;
    int micros;
    split_utc(wall_us, &parts, &micros);
    size_t used = strftime(buffer, CLOCK_ISO_BYTES, "%Y-%m-%dT%H:%M:%S", &parts);
    (void)snprintf(buffer + used, CLOCK_ISO_BYTES - used, ".%06dZ", micros);
    return buffer;
}

const char *clock_compact(int64_t wall_us, char *buffer)
{
    struct tm parts;
    int micros;
    split_utc(wall_us, &parts, &micros);
    (void)strftime(buffer, CLOCK_ISO_BYTES, "%Y%m%d-%H%M%S", &parts);
    return buffer;
}

void clock_sleep_ms(int64_t ms)
{
    struct timespec wait = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};
    (void)nanosleep(&wait, NULL);
}

bool clock_read_iso(const char *text, int64_t *ret_wall_us)
{
    enum { DIGITS = 6 };
    struct tm parts = {0};
    const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S.", &parts);
    int64_t fraction = 0;
    if (rest == NULL || strspn(rest, "0123456789") != DIGITS || strcmp(rest + DIGITS, "Z") != 0)
        return false;
    for (int i = 0; i < DIGITS; i++)
        fraction = 10 * fraction + rest[i] - '0';
    *ret_wall_us = (int64_t)timegm(&parts) * 1000000 + fraction;
    return true;
}
