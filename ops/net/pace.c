/* Implements the table of statuses and the waits. */
#include "ops/net/pace.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/text.h"

#include <ctype.h>
#include <curl/curl.h>
#include <math.h>
#include <time.h>

enum { US_PER_S = 1000000, US_PER_MS = 1000, MS_PER_S = 1000, SLICE_MS = 100 };

/* Longer than this nobody sits in front of a command; a queue may. */
static const int64_t patience_ms = 15LL * 60 * 1000;

/* First match wins; what is not listed is tried again from 500 on, and below for GraphQL. */
static const struct {
    int status;
    bool graphql, upsert, file;
} statuses[] = {
    {308, false, false, true},  {400, false, false, false}, {401, false, false, false},
    {403, false, false, false}, {404, false, false, false}, {408, true, true, true},
    {409, false, true, true},   {410, false, false, false}, {413, false, false, false},
    {422, false, false, false}, {429, true, true, true},    {501, false, false, false},
};

static bool status_worth(enum pace_traffic traffic, int status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        if (statuses[i].status == status)
            return traffic == PACE_GRAPHQL  ? statuses[i].graphql
                   : traffic == PACE_UPSERT ? statuses[i].upsert
                                            : statuses[i].file;
    }
    bool is_redirect = status >= 300 && status < 400;
    return status >= 500 || (status >= 400 && traffic != PACE_FILE && !is_redirect);
}

struct pace pace_of(const struct retry_policy *policy, struct pace_gate *gate,
                    enum pace_traffic traffic)
{
    return (struct pace){
        .policy = policy, .gate = gate, .traffic = traffic, .started_ms = clock_monotonic_ms()};
}

bool pace_worth(enum pace_traffic traffic, const struct http_reply *reply)
{
    switch (reply->outcome) {
    case HTTP_ANSWERED:
        return (reply->status < 300 && !reply->body_whole) || status_worth(traffic, reply->status);
    case HTTP_LOST:
    case HTTP_NOT_SENT:
        return true;
    default:
        return false;
    }
}

static bool is_stopped(const struct pace *pace)
{
    return pace->stop != NULL && atomic_load(pace->stop);
}

static void sleep_until(const struct pace *pace, int64_t until_ms)
{
    for (int64_t left; (left = until_ms - clock_monotonic_ms()) > 0 && !is_stopped(pace);)
        clock_sleep_ms(left < SLICE_MS ? left : SLICE_MS);
}

/* The gate may be closed for longer while we wait. */
void pace_enter(const struct pace *pace)
{
    for (int64_t until;
         (until = atomic_load(&pace->gate->until_ms)) > clock_monotonic_ms() && !is_stopped(pace);)
        sleep_until(pace, until);
}

static void time_raise(_Atomic int64_t *time_ms, int64_t until_ms)
{
    int64_t known = atomic_load(time_ms);
    while (known < until_ms && !atomic_compare_exchange_weak(time_ms, &known, until_ms))
        continue;
}

bool pace_again(struct pace *pace, const struct http_reply *reply, const char **ret_why)
{
    const struct retry_policy *policy = pace->policy;
    /* Dates are measured against the real clock: SOURCE_DATE_EPOCH fixes only what documents
     * show. */
    int64_t now = clock_monotonic_ms(),
            wall_us = reply_wall_us(reply, (int64_t)time(NULL) * US_PER_S),
            asked = retry_after_ms(reply->retry_after, wall_us);
    int64_t wait = asked >= 0 ? asked : retry_delay_ms(policy, pace->attempt, retry_random());
    pace->attempt++;
    if (asked > patience_ms)
        *ret_why = "it asks to come back in more than 15 minutes";
    else if (pace->attempt >= policy->max_attempts)
        *ret_why = "all attempts are used up";
    else if (policy->deadline_ms > 0 && now + wait - pace->started_ms > policy->deadline_ms)
        *ret_why = "the time for retries is used up";
    else {
        if (asked >= 0)
            time_raise(&pace->gate->until_ms, now + asked + 1);
        sleep_until(pace, now + wait);
        return true;
    }
    if (asked >= 0)
        time_raise(&pace->gate->unmet_ms, now + asked + 1);
    return false;
}

void pace_quota(struct pace_gate *gate, const char *remaining, const char *reset)
{
    double left, seconds;
    if (!text_parse_double(remaining, &left) || left > 0 || !text_parse_double(reset, &seconds))
        return;
    int64_t wait = (int64_t)(seconds * MS_PER_S);
    if (wait > 0 && wait <= patience_ms)
        time_raise(&gate->until_ms, clock_monotonic_ms() + wait);
}

/* ---- Retry-After; libcurl knows all three spellings of dates that HTTP has ---- */

/* Longer than any message lives; also keeps a hostile value from parking a destination for ever. */
static const int64_t longest_ms = 24LL * 60 * 60 * 1000;

static int64_t bounded(double ms)
{
    if (ms < 0)
        return 0;
    return ms > (double)longest_ms ? longest_ms : (int64_t)ceil(ms);
}

int64_t retry_after_ms(const char *text, int64_t now_us)
{
    double seconds;
    if (isdigit((unsigned char)text[0]) && text_parse_double(text, &seconds))
        return bounded(seconds * MS_PER_S);
    time_t when = curl_getdate(text, NULL);
    if (when == -1)
        return -1;
    return bounded((double)when * MS_PER_S - (double)now_us / US_PER_MS);
}

int64_t reply_wall_us(const struct http_reply *reply, int64_t wall_us)
{
    time_t when = curl_getdate(reply->date, NULL);
    return when == -1 ? wall_us : (int64_t)when * US_PER_S;
}
