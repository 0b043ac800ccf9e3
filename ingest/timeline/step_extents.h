/* What the ops of one device span of each step, by the program they are of.
 *
 * Kept for the steps only in which the device did something: a device costs what it did, however
 * many steps its host went through.
 */
#ifndef INGEST_TIMELINE_STEP_EXTENTS_H
#define INGEST_TIMELINE_STEP_EXTENTS_H

#include "ingest/lookup/lookup.h"
#include "ops/runtime/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct launch_list;
struct op_program;

/* A step, while the ops of a device are streamed. */
struct step_window {
    int64_t number;
    int64_t start_ps, end_ps; /* which ops belong to it: those that start in it */
    int64_t span_ps[2];       /* begin and end of the step on the device */
    int64_t busy_ps;          /* in which the device did something; -1 = not known */
    int64_t op_count;         /* of its ops, where windows are by_ops … */
    int32_t last_op;          /* … and the one that ended last */
    bool steady;              /* false as long as it is not known */
    uint8_t head; /* among the first ones, which may be warm-up: head_sums.h; 0 = it is not */
};

/* The steps of a device. Those from the host's annotations are shared by all devices of the host;
 * their extent on the device is what its ops span. */
struct window_list {
    struct step_window *items; /* ascending, not overlapping */
    size_t count;
    bool by_ops;                        /* the spans are not known before the ops are */
    const struct launch_list *launches; /* tell the step of a kernel; NULL = its start does */
    const struct id_map *by_number;     /* index by step number; set with launches */
    const struct op_program *program;   /* whose launches the steps are; NULL = ops of all */
};

struct step_extent {
    int32_t window;   /* of the device's windows */
    uint16_t program; /* of plane_ops.programs */
    int64_t first_ps, last_ps;
    int64_t busy_ps; /* durations of all its ops: too much where they are nested or side by side */
    int64_t count;   /* of its ops */
    int32_t last_op; /* the one that ended last */
};

struct extent_list {
    struct arena *arena;
    struct step_extent *items; /* in order of arrival */
    size_t count, capacity;
    size_t last;            /* the one that was added to last */
    struct id_map by_place; /* of window and program */
};

/* An empty list in the arena. */
void extents_init(struct extent_list *list, struct arena *arena);

/* The slow path of extents_add: another window or program than the time before. */
void extents_enter(struct extent_list *list, int32_t window, uint16_t program);

/* Lengthens what ops of a program span of a window. */
static inline void extents_add(struct extent_list *list, int32_t window, uint16_t program,
                               int64_t start, int64_t end)
{
    if (list->count == 0 || list->items[list->last].window != window ||
        list->items[list->last].program != program)
        extents_enter(list, window, program);
    struct step_extent *extent = &list->items[list->last];
    extent->first_ps = start < extent->first_ps ? start : extent->first_ps;
    extent->last_ps = end > extent->last_ps ? end : extent->last_ps;
    if (__builtin_add_overflow(extent->busy_ps, end - start, &extent->busy_ps))
        extent->busy_ps = INT64_MAX;
    extent->count++;
}

/* Notes which op it was that was added last. */
static inline void extents_note(struct extent_list *list, int64_t end, int32_t op)
{
    struct step_extent *extent = &list->items[list->last];
    if (end == extent->last_ps)
        extent->last_op = op;
}

/* Orders the whole list by window, and by program within. Nothing is added after. */
void extents_sort(struct extent_list *list);

#endif
