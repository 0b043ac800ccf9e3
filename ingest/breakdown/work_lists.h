/* When a device or a host did what: lists of intervals by class, to be swept together.
 */
#ifndef INGEST_BREAKDOWN_WORK_LISTS_H
#define INGEST_BREAKDOWN_WORK_LISTS_H

#include "ingest/intervals/intervals.h"

/* Classes of a sweep: what a device does, then what its host does. */
enum work_class {
    WORK_COMPUTE,
    WORK_CONTAINER,
    WORK_COLLECTIVE,
    WORK_DEVICE_TO_DEVICE,
    WORK_HOST_TO_DEVICE,
    WORK_DEVICE_TO_HOST,
    WORK_INFEED,
    WORK_HOST_COMPUTE,
    WORK_HOST_COMPILE,
    WORK_HOST_INPUT,
    WORK_HOST_SEND,
    WORK_HOST_LAUNCH,
    WORK_HOST_SAVE,
    WORK_BESIDE_LOAD, /* on a thread that launches nothing */
    WORK_BESIDE_SAVE,
    WORK_CLASS_COUNT,
    /* Behind them those of a device again, for work that no viewer gave to a step: the device did
       it all the same, but xprof leaves it out. */
    WORK_UNGROUPED = WORK_CLASS_COUNT,
    WORK_SWEPT_COUNT = WORK_UNGROUPED + WORK_INFEED + 1
};
_Static_assert((int)WORK_SWEPT_COUNT <= (int)SWEEP_CLASSES, "a sweep has a bit for each class");

struct work_list {
    unsigned class;
    int64_t last_start;
    struct interval_list list;
};

struct work_lists {
    struct arena *arena;
    struct spill *spill;
    struct work_list **items;
    size_t count, capacity;
    size_t line;         /* the first of the present line */
    struct sweep *sweep; /* where the present line goes instead, by start; NULL: into lists */
};

/* No lists. work_lists_done accepts a zeroed struct. */
void work_lists_init(struct work_lists *lists, struct arena *arena, struct spill *spill);
void work_lists_done(struct work_lists *lists);

/* Events of another line follow, by start. */
void work_lists_begin_line(struct work_lists *lists);

/* Adds to the present line. Intervals that were cut to their step may begin before the last one:
 * they get a list of their own. */
bool work_lists_add(struct work_lists *lists, unsigned class, int64_t start, int64_t end,
                    struct err *err);

/* Has what the present line has of a class be of another one. */
void work_lists_move(struct work_lists *lists, unsigned class, unsigned to);

/* Takes back what the present line has of a class. */
void work_lists_drop(struct work_lists *lists, unsigned class);

#endif
