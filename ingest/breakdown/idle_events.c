/* See idle_events.h. By the whole time of events, not their own: what a call of a framework calls
 * in turn says less than its own name does. */
#include "ingest/breakdown/idle_events.h"
#include "ingest/breakdown/host_states.h"
#include "ingest/breakdown/step_reading.h"
#include "ingest/lines/lines.h"

#include <string.h>

static const double IDLE_LEAST = .10;  /* of the steps, to look for an event at all */
static const double COVERS_LEAST = .5; /* of the waiting, to name one */
static const double OWN_LEAST = .75;   /* of its time the device waits: else it only goes on, too */

/* What the events of an op add up to. */
struct event_sums {
    int64_t total_ps, idle_ps;
    bool is_mark;
};

struct idle_reading {
    struct profile *profile;
    struct arena *arena;
    struct span_index idle;
    int64_t all_ps;          /* of that */
    int64_t longest_ps;      /* of one event: what lasts longer holds several steps */
    struct event_sums *sums; /* by op of the plane at hand */
    size_t count, capacity;
};

static bool line_read(struct idle_reading *reading, const struct plane_line *of, struct err *err)
{
    const struct plane_ops *ops = &of->plane->ops;
    scoped_line_reader reader = {0};
    int64_t base_ps;
    if (!line_base_ps(of->plane->space, of->line, &base_ps))
        return true;
    line_reader_init(&reader, of->plane->space, &reading->profile->options->limits);
    line_reader_open(&reader, of->plane, of->line, of->line->order);
    do {
        if (!line_reader_next(&reader, err) ||
            !arena_ok(reading->arena, "the events of a host", err))
            return false;
        while (reading->count < ops->count) {
            const char *name =
                host_event_name(&reading->profile->catalog, &ops->ops[reading->count]);
            reading->sums = arena_grow(reading->arena, reading->sums, reading->count,
                                       &reading->capacity, sizeof *reading->sums);
            reading->sums[reading->count++] =
                (struct event_sums){.is_mark = name[0] == '\0' || host_event_is_mark(name)};
        }
        for (size_t i = 0; i < reader.count; i++) {
            const struct event *event = &reader.batch->events[i];
            const struct event_note *note = line_reader_note(&reader, i);
            struct event_sums *sums = &reading->sums[event->op];
            int64_t start, end;
            if (sums->is_mark || (note != NULL && note->is_root) ||
                event->duration_ps > reading->longest_ps ||
                __builtin_add_overflow(base_ps, event->offset_ps, &start) ||
                __builtin_add_overflow(start, event->duration_ps, &end))
                continue;
            ps_add(&sums->total_ps, event->duration_ps);
            ps_add(&sums->idle_ps, span_index_within(&reading->idle, start, end));
        }
    } while (reader.count > 0);
    return true;
}

/* Keeps the event of the plane that covers more than *most does; of events that cover as much the
 * outer one, which lasts longer. */
static void plane_pick(struct idle_reading *reading, const struct plane_ops *ops,
                       struct event_sums *most, struct idle_event *event)
{
    for (size_t i = 0; i < reading->count; i++) {
        const struct event_sums *sums = &reading->sums[i];
        const bool is_more = sums->idle_ps != most->idle_ps ? sums->idle_ps > most->idle_ps
                                                            : sums->total_ps > most->total_ps;
        if ((double)sums->idle_ps < COVERS_LEAST * (double)reading->all_ps ||
            (double)sums->idle_ps < OWN_LEAST * (double)sums->total_ps || !is_more)
            continue;
        *most = *sums;
        event->name =
            arena_strdup(reading->arena, host_event_name(&reading->profile->catalog, &ops->ops[i]));
    }
    reading->count = 0;
}

bool idle_event_find(struct profile *profile, const struct untold_idle *idle, struct arena *arena,
                     struct idle_event *ret_event, struct err *err)
{
    struct idle_reading reading = {
        .profile = profile, .arena = arena, .longest_ps = idle->longest_step_ps};
    struct event_sums most = {0};
    *ret_event = (struct idle_event){0};
    if (idle->span_count == 0)
        return true;
    span_index_make(idle->spans, idle->span_count, arena, &reading.idle);
    reading.all_ps = span_index_within(&reading.idle, INT64_MIN, INT64_MAX);
    if ((double)reading.all_ps < IDLE_LEAST * (double)idle->steps_ps)
        return true;
    for (size_t i = 0; i < idle->driver_count; i++) {
        const struct plane_line *driver = &idle->drivers[i];
        if (!line_read(&reading, driver, err))
            return false;
        const bool is_last =
            i + 1 == idle->driver_count || idle->drivers[i + 1].plane != driver->plane;
        if (is_last)
            plane_pick(&reading, &driver->plane->ops, &most, ret_event);
    }
    ret_event->share =
        most.idle_ps < reading.all_ps ? (double)most.idle_ps / (double)reading.all_ps : 1;
    return true;
}
