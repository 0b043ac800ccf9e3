/* The clock of a device beside the one that its lines are shown in.
 *
 * TPUs count time themselves. What writes a profile moves it to the clock of the host, anew
 * whenever it learns how the two stand, so that the times of events jump: some last longer than
 * they did, some not at all. Where events tell both (device_offset_ps, device_duration_ps beside
 * their own place), the device's is what things took. A clock keeps how far apart the two are, from
 * event to event, and brings what tells only shown times, as other lines of the device do, to the
 * device's.
 *
 * Times of the device are handed out moved by one constant: as far apart as the clocks are by
 * begins of events, of which a quarter is nearer. What holds times back only adds, so that this is
 * about where the host's clock stands; it is off by what the clocks drift while a capture lasts.
 */
#ifndef INGEST_ORDER_DEVICE_CLOCK_H
#define INGEST_ORDER_DEVICE_CLOCK_H

#include "ops/runtime/arena.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Clocks agree that are equally far apart but for this: shown times are rounded. Lines of a device
 * may differ by more, which moves none of their events against others of theirs. */
enum { CLOCKS_AGREE_PS = 2000, LINES_AGREE_PS = 1000000 };

static inline bool clocks_are_within(int64_t a_ps, int64_t b_ps, int64_t most_ps)
{
    int64_t apart;
    return !__builtin_sub_overflow(a_ps, b_ps, &apart) && apart >= -most_ps && apart <= most_ps;
}

/* Shown times, one after the other, at which the clocks are equally far apart. */
struct clock_run {
    int64_t first_ps, last_ps;
    int64_t lag_ps; /* shown time less the device's */
    int64_t count;
};

struct clock_runs {
    struct clock_run *items;
    size_t count, capacity;
};

struct device_clock {
    struct clock_runs begins, ends; /* of events; ascending once settled */
    int64_t shift_ps;               /* the constant */
    int64_t spread_ps;              /* the furthest apart less the nearest */
};

/* An event in both clocks, in picoseconds: the shown one since the profile's base. */
struct clock_event {
    int64_t start_ps, duration_ps;
    int64_t device_start_ps, device_duration_ps;
};

/* Learns from an event; one whose times are out of range says nothing. */
void device_clock_add(struct device_clock *clock, const struct clock_event *event,
                      struct arena *arena);

/* Ends learning. */
void device_clock_settle(struct device_clock *clock, struct arena *arena);

/* Where a span of shown time, of which only that is known, lies by the device's clock: it begins
 * with the first event that begins within it and ends with the last one that ends within it. What
 * holds neither, or one of both, is moved whole. What is out of range stays where it is. */
void device_clock_span(const struct device_clock *clock, int64_t start_ps, int64_t duration_ps,
                       int64_t *ret_start_ps, int64_t *ret_duration_ps);

/* The place of an event by the device's clock: what it tells, moved by the constant, or where its
 * shown span lies (is_told false). As shown where that is out of range. */
void device_clock_place(const struct device_clock *clock, const struct clock_event *event,
                        bool is_told, int64_t *ret_start_ps, int64_t *ret_duration_ps);

/* Whether the clocks of a device agree, as far as its events were read: equally far apart on each
 * of its lines, and on all of them nearly so. */
struct clock_check {
    bool any, any_on_line;
    atomic_bool differ;   /* asked while another thread reads */
    int64_t first_lag_ps; /* of all events … */
    int64_t lag_ps;       /* … and of those of the present line */
};

/* Looks whether what an event tells of its device's time is what it shows. */
static inline void clock_check_event(struct clock_check *check, const struct clock_event *event)
{
    int64_t lag;
    if (__builtin_sub_overflow(event->start_ps, event->device_start_ps, &lag))
        return;
    if (!check->any_on_line) {
        check->first_lag_ps = check->any ? check->first_lag_ps : lag;
        check->any = check->any_on_line = true;
        check->lag_ps = lag;
    }
    if (!clocks_are_within(lag, check->lag_ps, CLOCKS_AGREE_PS) ||
        !clocks_are_within(lag, check->first_lag_ps, LINES_AGREE_PS) ||
        !clocks_are_within(event->duration_ps, event->device_duration_ps, CLOCKS_AGREE_PS) ||
        (event->duration_ps > 0) != (event->device_duration_ps > 0))
        check->differ = true;
}

#endif
