/* See allocators.h. What steps allocate and give back again is no growth, so a step is taken at the
 * least that is in use in it. */
#include "ingest/allocators/allocators.h"

#include <stdlib.h>

/* So many windows show that memory grows; more do where others before them did not. */
enum { WINDOWS_LEAST = 4, LATE_WINDOWS_LEAST = 5 };
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

/* What windows leave in use of one allocator, whose events come by time; how many of them tell it.
 * 0: one leaves less than the one before. What comes and goes is no leak, also where it grows from
 * there on: a tooth of a saw. */
static size_t leasts_find(const struct allocator_event *events, size_t count, const int64_t *bounds,
                          size_t window_count, int64_t *ret_leasts)
{
    struct opt_i64 used = {0};
    size_t at = 0, known = 0;
    while (at < count && events[at].time_ps < bounds[0])
        used = allocator_in_use(&events[at++]);
    for (size_t i = 0; i < window_count; i++) {
        const struct opt_i64 least = least_within(events, count, &at, &used, bounds[i + 1]);
        if (!least.set)
            continue;
        if (known > 0 && least.value < ret_leasts[known - 1])
            return 0;
        ret_leasts[known++] = least.value;
    }
    return known;
}

/* From the first window behind which they grow to the last. */
static bool growth_of(const int64_t *leasts, size_t count, struct memory_growth *growth)
{
    size_t first = 0, more = 0;
    for (size_t i = 1; i < count; i++)
        more += leasts[i] > leasts[i - 1];
    for (; first + WINDOWS_LEAST <= count; first++) {
        const bool next_grows = leasts[first + 1] > leasts[first];
        const double grown = (double)leasts[count - 1] - (double)leasts[first];
        if ((first == 0 || next_grows) &&
            (double)more >= GROWS_LEAST * (double)(count - 1 - first) &&
            grown >= GROWTH_LEAST * (double)leasts[count - 1])
            break;
        more -= next_grows;
    }
    if (first + (first == 0 ? WINDOWS_LEAST : LATE_WINDOWS_LEAST) > count)
        return false;
    *growth = (struct memory_growth){.from_bytes = leasts[first],
                                     .to_bytes = leasts[count - 1],
                                     .windows = count - first,
                                     .windows_before = first};
    return true;
}

bool allocators_grow(struct allocator_log *log, const int64_t *bounds, size_t window_count,
                     struct memory_growth *ret_growth)
{
    bool any = false;
    *ret_growth = (struct memory_growth){0};
    int64_t *leasts = arena_array(log->arena, int64_t, window_count);
    allocator_log_order(log);
    for (size_t begin = 0, end; begin < log->count; begin = end) {
        struct memory_growth growth;
        const struct allocator_event *first = &log->events[begin];
        const char *allocator = log->allocators[first->allocator];
        end = allocator_log_next(log, begin);
        if (!growth_of(leasts, leasts_find(first, end - begin, bounds, window_count, leasts),
                       &growth))
            continue;
        growth.allocator = allocator;
        growth.of_host = allocator_is_of_host(allocator);
        /* A device's before a host's, of which nobody runs out as soon. */
        const bool grows_more = growth.of_host != ret_growth->of_host
                                    ? ret_growth->of_host
                                    : growth.to_bytes - growth.from_bytes >
                                          ret_growth->to_bytes - ret_growth->from_bytes;
        if (!any || grows_more)
            *ret_growth = growth;
        any = true;
    }
    return any;
}
