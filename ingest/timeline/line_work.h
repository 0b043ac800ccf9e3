/* The lists that lines leave of when they did what: two classes for the reference's global
 * breakdown, six for a device's own time. */
#ifndef INGEST_TIMELINE_LINE_WORK_H
#define INGEST_TIMELINE_LINE_WORK_H

#include "ingest/intervals/intervals.h"
#include "ops/runtime/err.h"

#include <stdbool.h>
#include <stddef.h>

struct plane_state;
struct profile;

/* Classes of global time (§6), and of a device's time; bits of the masks that sweeps report. */
enum { GLOBAL_COMPUTE, GLOBAL_COMMUNICATION, GLOBAL_CLASSES };
enum {
    BUSY_COMPUTE,
    BUSY_COMMUNICATION,
    BUSY_COPY,
    BUSY_CONTAINER,
    FLIGHT_COMMUNICATION, /* transfers beside the ops: they keep no device busy */
    FLIGHT_COPY,
    BUSY_CLASSES
};
_Static_assert((int)BUSY_CLASSES <= (int)SWEEP_CLASSES, "a sweep has a bit for each class");

/* The intervals of one class on one line. */
struct line_work {
    bool global; /* in the reference's doubles, for the global breakdown; else in picoseconds */
    unsigned class;
    struct interval_list list;
};

/* What a line leaves. */
struct line_work_need {
    bool global; /* lists in the reference's doubles */
    bool own;    /* lists in picoseconds */
};

/* Appends the lists of a line to the plane's; *ret_first is the first of them: GLOBAL_CLASSES of
 * the former, when needed, before BUSY_CLASSES of the latter. */
size_t line_work_open(struct plane_state *state, struct line_work_need need);

/* Drops the lists from `first` on. */
void line_work_close(struct plane_state *state, size_t first);

/* Unites the compute of all lines that are no op lines: what it covers need not be kept of op
 * lines. Programs cover nearly all of their ops. */
bool line_work_cover(struct profile *profile, struct err *err);

/* true when [start, end] lies in the cover. *at is the caller's place, 0 at first; starts ascend.
 */
static inline bool line_work_is_covered(const struct interval_list *cover, size_t *at,
                                        int64_t start, int64_t end)
{
    while (*at < cover->count && cover->items[*at].end < start)
        ++*at;
    return *at < cover->count && cover->items[*at].start <= start && end <= cover->items[*at].end;
}

#endif
