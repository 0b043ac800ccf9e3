/* Implements the reading of the five fields, and the search for days that fit. */
#include "ops/flow/reports/cron.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum {
    DAY_MINUTES = 24 * 60,
    DAYS_SEARCHED = 366 * 9 /* a 29 February comes within eight years */
};
static const int64_t MINUTE_US = INT64_C(60000000);

static const char *const months[] = {"jan", "feb", "mar", "apr", "may", "jun", "jul",
                                     "aug", "sep", "oct", "nov", "dec", NULL};
static const char *const weekdays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat", NULL};

static const struct {
    const char *name;
    long min, max;
    const char *const *words; /* for the values from min on; NULL = none */
    const char *takes;
} fields[CRON_FIELD_COUNT] = {
    [CRON_MINUTE] = {"minute", 0, 59, NULL, "0 to 59"},
    [CRON_HOUR] = {"hour", 0, 23, NULL, "0 to 23"},
    [CRON_DAY] = {"day of the month", 1, 31, NULL, "1 to 31"},
    [CRON_MONTH] = {"month", 1, 12, months, "1 to 12 or jan to dec"},
    [CRON_WEEKDAY] = {"day of the week", 0, 7, weekdays,
                      "0 to 7 (0 and 7 are Sunday) or sun to sat"},
};

static bool refuse(enum cron_field field, const char *part, size_t length, struct err *err)
{
    return err_set(err, ERR_USAGE,
                   "the %s '%.*s' is none: it takes %s, *, ranges (a-b), lists (a,b) and steps "
                   "(*/n); an example is `0 7 * * mon`, Mondays at 07:00 UTC",
                   fields[field].name, (int)(length < 60 ? length : 60), part, fields[field].takes);
}

/* A number or a name at *at, which moves behind it. */
static bool value_read(enum cron_field field, const char **at, long *ret_value)
{
    char *end;
    for (size_t i = 0; fields[field].words != NULL && fields[field].words[i] != NULL; i++)
        if (strncasecmp(*at, fields[field].words[i], 3) == 0) {
            *ret_value = fields[field].min + (long)i;
            *at += 3;
            return true;
        }
    if (**at < '0' || **at > '9')
        return false;
    *ret_value = strtol(*at, &end, 10);
    *at = end;
    return *ret_value >= fields[field].min && *ret_value <= fields[field].max;
}

/* One member of a list: "*", "5", "1-5", each with "/2". */
static bool part_read(enum cron_field field, const char **at, struct cron *cron)
{
    long from = fields[field].min, until = fields[field].max, step = 1;
    if (**at == '*')
        ++*at;
    else {
        if (!value_read(field, at, &from))
            return false;
        bool is_range = **at == '-';
        until = is_range || **at == '/' ? until : from;
        if (is_range && (++*at, !value_read(field, at, &until)))
            return false;
    }
    if (**at == '/') {
        char *end;
        ++*at;
        step = **at >= '0' && **at <= '9' ? strtol(*at, &end, 10) : 0;
        if (step < 1 || step > fields[field].max)
            return false;
        *at = end;
    }
    for (long value = from; value <= until; value += step)
        cron->fits[field] |= UINT64_C(1) << value;
    return from <= until;
}

static bool field_read(enum cron_field field, const char *text, size_t length, struct cron *cron,
                       struct err *err)
{
    const char *at = text;
    cron->is_any[field] = *at == '*';
    do {
        at += at > text; /* the comma */
        if (!part_read(field, &at, cron))
            return refuse(field, text, length, err);
    } while (at < text + length && *at == ',');
    return at == text + length || refuse(field, text, length, err);
}

bool cron_read(const char *text, struct cron *ret_cron, struct err *err)
{
    static const char blanks[] = " \t";
    struct cron cron = {0};
    const char *at = text + strspn(text, blanks);
    for (int field = 0; field < CRON_FIELD_COUNT; field++) {
        size_t length = strcspn(at, blanks);
        if (length == 0)
            return err_set(
                err, ERR_USAGE,
                "'%.100s' ends before its %s: five fields say when (minute, hour, day of "
                "the month, month, day of the week; UTC), such as `0 7 * * mon`",
                text, fields[field].name);
        if (!field_read((enum cron_field)field, at, length, &cron, err))
            return false;
        at += length;
        at += strspn(at, blanks);
    }
    if (*at != '\0')
        return err_set(err, ERR_USAGE,
                       "'%.100s' has more than five fields: '%.60s' is one too many", text, at);
    if ((cron.fits[CRON_WEEKDAY] & UINT64_C(1) << 7) != 0)
        cron.fits[CRON_WEEKDAY] |= 1;
    *ret_cron = cron;
    return cron_last(&cron, 0) != INT64_MIN ||
           err_set(err, ERR_USAGE, "'%.100s' never comes: no month of it has such a day", text);
}

static bool has(const struct cron *cron, enum cron_field field, int value)
{
    return (cron->fits[field] & UINT64_C(1) << value) != 0;
}

/* day: since 1970. */
static bool day_fits(const struct cron *cron, int64_t day)
{
    struct tm parts;
    time_t seconds = (time_t)(day * DAY_MINUTES * 60);
    (void)gmtime_r(&seconds, &parts);
    bool by_day = has(cron, CRON_DAY, parts.tm_mday);
    bool by_weekday = has(cron, CRON_WEEKDAY, parts.tm_wday);
    bool either = !cron->is_any[CRON_DAY] && !cron->is_any[CRON_WEEKDAY];
    return has(cron, CRON_MONTH, parts.tm_mon + 1) &&
           (either ? by_day || by_weekday : by_day && by_weekday);
}

/* The nearest minute that fits, from `minute` (since 1970) on in steps of `step`: 1 or -1.
 * INT64_MIN: none does. */
static int64_t search(const struct cron *cron, int64_t minute, int step)
{
    for (int passed = 0; passed < DAYS_SEARCHED; passed++) {
        int64_t of_day = (minute % DAY_MINUTES + DAY_MINUTES) % DAY_MINUTES;
        int64_t day = (minute - of_day) / DAY_MINUTES;
        for (; day_fits(cron, day) && of_day >= 0 && of_day < DAY_MINUTES; of_day += step)
            if (has(cron, CRON_HOUR, (int)(of_day / 60)) &&
                has(cron, CRON_MINUTE, (int)(of_day % 60)))
                return (day * DAY_MINUTES + of_day) * MINUTE_US;
        minute = step > 0 ? (day + 1) * DAY_MINUTES : day * DAY_MINUTES - 1;
    }
    return INT64_MIN;
}

static int64_t minute_of(int64_t us)
{
    return us / MINUTE_US - (us % MINUTE_US < 0);
}

int64_t cron_last(const struct cron *cron, int64_t now_us)
{
    return search(cron, minute_of(now_us), -1);
}

int64_t cron_next(const struct cron *cron, int64_t now_us)
{
    return search(cron, minute_of(now_us) + 1, 1);
}
