/* See allocators.h. What steps allocate and give back again is no growth, so a step is taken at the
 * least that is in use in it. */
#include "ingest/allocators/allocators.h"

#include <stdlib.h>

enum { WINDOWS_LEAST = 4 };
static const double GROWS_LEAST = .75, GROWTH_LEAST = .01;

/* The least in use behind the events up to `end`, from events[*at] on, which is moved; without one
 * what was in use before. */
static struct opt_i64 least_within(const struct allocator_event *events, size_t count, size_t *at,
                                   struct opt_i64 *used, int64_t end)
{
    struct opt_i64 least = {0};
    for (; *at < count && events[*at].time_ps < end; (*at)++) {
        const struct opt_i64 now = allocator_in_use(&events[*at]);
        if (!now.set)
            continue;
        *used = now;
        if (!least.set || now.value < least.value)
            least = now;
    }
    return least.set ? least : *used;
}

/* Of one allocator, whose events come by time. */
static bool growth_of(const struct allocator_event *events, size_t count, const int64_t *bounds,
                      size_t window_count, struct memory_growth *growth)
{
    struct opt_i64 used = {0}, last = {0};
    size_t at = 0, more = 0;
    *growth = (struct memory_growth){0};
    while (at < count && events[at].time_ps < bounds[0])
        used = allocator_in_use(&events[at++]);
    for (size_t i = 0; i < window_count; i++) {
        const struct opt_i64 least = least_within(events, count, &at, &used, bounds[i + 1]);
        if (!least.set)
            continue;
        if (growth->windows++ == 0)
            growth->from_bytes = least.value;
        else if (least.value < last.value)
            return false;
        else
            more += least.value > last.value;
        last = least;
    }
    growth->to_bytes = last.value;
    const double grown = (double)growth->to_bytes - (double)growth->from_bytes;
    return growth->windows >= WINDOWS_LEAST &&
           (double)more >= GROWS_LEAST * (double)(growth->windows - 1) &&
           grown >= GROWTH_LEAST * (double)growth->to_bytes;
}

bool allocators_grow(struct allocator_log *log, const int64_t *bounds, size_t window_count,
                     struct memory_growth *ret_growth)
{
    bool any = false;
    allocator_log_order(log);
    for (size_t begin = 0, end; begin < log->count; begin = end) {
        struct memory_growth growth;
        const struct allocator_event *first = &log->events[begin];
        const char *allocator = log->allocators[first->allocator];
        end = allocator_log_next(log, begin);
        if (allocator_is_of_host(allocator) ||
            !growth_of(first, end - begin, bounds, window_count, &growth) ||
            (any &&
             growth.to_bytes - growth.from_bytes <= ret_growth->to_bytes - ret_growth->from_bytes))
            continue;
        *ret_growth = growth;
        ret_growth->allocator = allocator;
        any = true;
    }
    return any;
}
