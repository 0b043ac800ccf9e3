/* Launches of a program, told from the events of ops that run once a launch.
 *
 * Kernels may have lost the label that says which op they are of, and a capture begins and ends
 * amid launches: no single op tells all of them. So the events are followed in order, and a launch
 * begins where an op comes again.
 */
#ifndef INGEST_STEPS_LAUNCH_WALK_H
#define INGEST_STEPS_LAUNCH_WALK_H

#include "ingest/timeline/timeline.h"
#include "ops/runtime/arena.h"

/* An event of an op that runs once a launch. */
struct once_event {
    int64_t start_ps;
    struct opt_i64 correlation;
    int32_t place; /* of its op among those that run once a launch, in the order of the program */
};

struct once_events {
    struct once_event *items;
    size_t count, capacity;
};

struct found_launch {
    int64_t start_ps;
    struct opt_i64 correlation; /* of its first event; set where ids tell which are of a launch */
    int64_t number;
    int32_t least, greatest; /* the places that it showed lie between */
};

struct found_launches {
    struct found_launch *items; /* ascending */
    size_t count;
    struct found_launch cut; /* one behind them that the end of the capture cut … */
    bool has_cut;            /* … if any */
};

/* Orders events by start; for qsort. */
int compare_starts(const void *a, const void *b);

/* Sorts the events, of one event and more, and finds their launches: in the order in which kernels
 * were launched where ids tell it, else by start. One that began before the capture, or did not end
 * in it, is left out: its first ops, or last ones, are missing. */
struct found_launches launches_walk(struct once_events *list, size_t place_count,
                                    struct arena *arena);

/* Counts launches from 0. On a device that misses some each has the number of the one that begins
 * nearest to it on the device that has `most`. */
void launches_number(struct found_launches *launches, const struct found_launches *most);

#endif
