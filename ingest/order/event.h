/* An event of a line, as it is handed from the reader through a sort to who adds it up.
 */
#ifndef INGEST_ORDER_EVENT_H
#define INGEST_ORDER_EVENT_H

#include "schema/documents/optional.h"

#include <stdbool.h>
#include <stdint.h>

struct event {
    double start_us, duration_us;
    int64_t offset_ps, duration_ps; /* from the line's timestamp_ns */
    int32_t op;
    bool has_note; /* of its own; else the op's counts */
};

/* End from the line's timestamp, at most INT64_MAX. */
static inline int64_t event_end(const struct event *event)
{
    int64_t end;
    return __builtin_add_overflow(event->offset_ps, event->duration_ps, &end) ? INT64_MAX : end;
}

/* A run id: a number, or a text when it is none. */
struct run_id {
    bool set;
    uint32_t text; /* STRING_NONE: the number counts */
    int64_t number;
};

/* What differs from event to event. */
struct event_note {
    struct run_id run_id;
    struct opt_i64 step;
    struct opt_i64 correlation;
    struct opt_i64 group; /* that a viewer gave to all events of a step; of stored lines alone */
    bool is_root;         /* a StepTraceAnnotation */
};

#endif
