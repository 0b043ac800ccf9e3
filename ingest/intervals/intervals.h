/* Unions of time intervals: what a line was busy with, and when several lines did what at once.
 *
 * Each line fills a list per class of work. Intervals arrive by start; those that touch become one,
 * so a list is short even when the line is long; when it is not, it goes to a temporary file. A
 * sweep then merges many lists by start and says for every stretch of time which classes were
 * active. Times are 64-bit ticks: picoseconds, or doubles by their rank (tick_of_us).
 */
#ifndef INGEST_INTERVALS_INTERVALS_H
#define INGEST_INTERVALS_INTERVALS_H

#include "ingest/intervals/exclusive.h"
#include "ingest/intervals/span_index.h"
#include "ingest/wire/wire.h"
#include "ops/runtime/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct interval {
    int64_t start, end;
};

struct interval_chunk {
    int64_t offset;
    size_t count;
};

struct interval_list {
    struct spill *spill;  /* shared by lists that one thread fills */
    struct arena *budget; /* what the list takes counts against it; NULL = against none */
    struct interval *items;
    size_t count, capacity;
    struct interval_chunk *chunks; /* what went to the spill */
    size_t chunk_count, chunk_capacity;
    int64_t first_start, last_end; /* of all, empty ones included */
    bool any;
    bool sealed;             /* read before: the items are but a window on the spill */
    size_t next_chunk, next; /* reading */
};

/* An empty list; takes no memory yet. interval_list_done accepts a zeroed list. */
void interval_list_init(struct interval_list *list, struct spill *spill, struct arena *budget);
void interval_list_done(struct interval_list *list);

/* The slow path of interval_list_add. */
bool interval_list_append(struct interval_list *list, int64_t start, int64_t end, struct err *err);

/* Adds an interval that starts no earlier than the one before. */
static inline bool interval_list_add(struct interval_list *list, int64_t start, int64_t end,
                                     struct err *err)
{
    if (list->count > 0 && start <= list->items[list->count - 1].end) {
        struct interval *last = &list->items[list->count - 1];
        if (end > last->end)
            last->end = list->last_end = end;
        return true;
    }
    return interval_list_append(list, start, end, err);
}

/* Called for consecutive stretches of time: classes is the mask of those active, 0 for none. */
typedef void interval_segment(void *context, int64_t start, int64_t end, unsigned classes);

enum { SWEEP_CLASSES = 22 };

struct sweep_input {
    struct interval_list *list; /* is read to its end; nothing can be added afterwards */
    unsigned class;             /* below SWEEP_CLASSES: bit of the mask */
};

/* Merges lists, and intervals that come one by one, by start. */
struct sweep {
    struct sweep_input *inputs; /* a heap by the start of the next interval */
    size_t count;
    int64_t next_start; /* of the first input; INT64_MAX without */
    struct interval window;
    int64_t now;
    int64_t ends[SWEEP_CLASSES];
    unsigned active; /* classes whose end lies ahead, and maybe more */
    interval_segment *segment;
    void *context;
};

/* Begins at window.start; what lies outside the window is cut off. inputs[count] is reordered and
 * must stay until the end. */
bool sweep_begin(struct sweep *sweep, struct sweep_input *inputs, size_t count,
                 struct interval window, struct err *err);

/* The slow paths of sweep_add: takes what the inputs have up to `start`; takes an interval that
 * ends behind its class. */
bool sweep_drain(struct sweep *sweep, int64_t start, struct err *err);
void sweep_take(struct sweep *sweep, unsigned class, int64_t start, int64_t end);

/* Adds an interval that starts no earlier than those added before. */
static inline bool sweep_add(struct sweep *sweep, unsigned class, int64_t start, int64_t end,
                             struct err *err)
{
    if (sweep->next_start <= start && !sweep_drain(sweep, start, err))
        return false;
    if (end > sweep->ends[class])
        sweep_take(sweep, class, start, end);
    return true;
}

/* Takes what is left of the inputs and reports up to the window's end. */
bool sweep_end(struct sweep *sweep, struct err *err);

/* Adds what does not fit as INT64_MAX. */
static inline void ps_add(int64_t *sum, int64_t value)
{
    if (__builtin_add_overflow(*sum, value, sum))
        *sum = INT64_MAX;
}

/* end - start, at most INT64_MAX. */
static inline int64_t ps_between(int64_t start, int64_t end)
{
    int64_t length;
    return __builtin_sub_overflow(end, start, &length) ? INT64_MAX : length;
}

/* Doubles as ticks of the same order, and back. */
static inline int64_t tick_of_us(double us)
{
    int64_t bits;
    us += 0.0; /* -0 and 0 are the same time */
    memcpy(&bits, &us, sizeof bits);
    return bits < 0 ? bits ^ INT64_MAX : bits;
}

static inline double us_of_tick(int64_t tick)
{
    double us;
    int64_t bits = tick < 0 ? tick ^ INT64_MAX : tick;
    memcpy(&us, &bits, sizeof us);
    return us;
}

#endif
