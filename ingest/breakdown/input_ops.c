/* See input_ops.h. Stages nest on their thread; what another thread does for one is that thread's.
 */
#include "ingest/breakdown/input_ops.h"
#include "ingest/breakdown/host_states.h"
#include "ingest/breakdown/step_reading.h"
#include "ingest/intervals/intervals.h"
#include "ingest/lines/lines.h"

#include <stdlib.h>
#include <string.h>

const char *const input_kind_names[INPUT_KIND_COUNT] = {
    [INPUT_ENQUEUE] = "Enqueue",
    [INPUT_DEMANDED_READ] = "Demanded file read",
    [INPUT_ADVANCED_READ] = "Advanced file read",
    [INPUT_PREPROCESSING] = "Preprocessing",
    [INPUT_OTHER] = "Unknown",
};

/* INPUT_KIND_COUNT: no stage of an input pipeline. Who asks an iterator for its next element waits
 * for stages, and is none. */
static enum input_kind kind_of(const char *name)
{
    static const char *const readers[] = {"::TFRecord", "::TextLine", "::FixedLengthRecord",
                                          "::SSTable", "::RecordIO"};
    static const char iterator[] = "Iterator::", asks[] = "IteratorGetNext";
    if (strncmp(name, iterator, sizeof iterator - 1) == 0) {
        bool reads = false;
        for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++)
            reads = reads || text_ends_with(name, readers[i]);
        if (!reads)
            return INPUT_PREPROCESSING;
        return strstr(name, "Prefetch") != NULL || strstr(name, "Interleave") != NULL
                   ? INPUT_ADVANCED_READ
                   : INPUT_DEMANDED_READ;
    }
    if (strncmp(name, asks, sizeof asks - 1) == 0)
        return INPUT_KIND_COUNT;
    switch (host_state_of(name, false)) {
    case HOST_SENDS:
        return INPUT_ENQUEUE;
    case HOST_WAITS_FOR_INPUT:
    case HOST_LOADS:
        return INPUT_OTHER;
    default:
        return INPUT_KIND_COUNT;
    }
}

/* The number of the stage that is so called, which is new if need be. */
static int32_t item_of(struct input_ops *ops, const char *name, enum input_kind kind)
{
    for (size_t i = 0; i < ops->count; i++)
        if (strcmp(ops->items[i].name, name) == 0)
            return (int32_t)i;
    ops->items = arena_grow(ops->arena, ops->items, ops->count, &ops->capacity, sizeof *ops->items);
    ops->items[ops->count] =
        (struct input_op){.name = arena_strdup(ops->arena, name), .kind = kind};
    return (int32_t)ops->count++;
}

/* Stages of a thread that are not over, the outer ones first; deeper ones count for themselves. */
enum { NESTED_MAX = 128, NO_STAGE = -1 };
struct nested {
    struct {
        int64_t end_ps;
        int32_t item;
    } open[NESTED_MAX];
    size_t count;
};

static void stage_add(struct input_ops *ops, struct nested *nested, int32_t item,
                      const struct event *event)
{
    int64_t end;
    if (__builtin_add_overflow(event->offset_ps, event->duration_ps, &end))
        end = INT64_MAX;
    while (nested->count > 0 && nested->open[nested->count - 1].end_ps <= event->offset_ps)
        nested->count--;
    if (nested->count > 0) {
        int64_t *outer = &ops->items[nested->open[nested->count - 1].item].self_ps;
        *outer -= event->duration_ps < *outer ? event->duration_ps : *outer;
    }
    ops->items[item].count++;
    ps_add(&ops->items[item].total_ps, event->duration_ps);
    ps_add(&ops->items[item].self_ps, event->duration_ps);
    if (nested->count < NESTED_MAX) {
        nested->open[nested->count].end_ps = end;
        nested->open[nested->count++].item = item;
    }
}

/* The stages that ops of a host's plane are; more ops come up while its lines are read. */
struct plane_stages {
    struct arena *arena;
    int32_t *items;
    size_t count, capacity;
    bool any;
};

static void stages_know(struct input_ops *ops, const struct catalog *catalog,
                        const struct plane_ops *of, struct plane_stages *stages)
{
    while (stages->count < of->count) {
        const char *name = host_event_name(catalog, &of->ops[stages->count]);
        const enum input_kind kind = kind_of(name);
        const int32_t item = kind == INPUT_KIND_COUNT ? NO_STAGE : item_of(ops, name, kind);
        stages->items = arena_grow(stages->arena, stages->items, stages->count, &stages->capacity,
                                   sizeof *stages->items);
        stages->items[stages->count++] = item;
        stages->any = stages->any || item != NO_STAGE;
    }
}

static bool line_read(struct input_ops *ops, const struct profile *profile,
                      const struct plane_line *of, struct plane_stages *stages, struct err *err)
{
    scoped_line_reader reader = {0};
    struct nested nested = {.count = 0};
    line_reader_init(&reader, of->plane->space, &profile->options->limits);
    line_reader_open(&reader, of->plane, of->line, of->line->order);
    do {
        if (!line_reader_next(&reader, err) || !arena_ok(ops->arena, "the input of a profile", err))
            return false;
        stages_know(ops, &profile->catalog, &of->plane->ops, stages);
        for (size_t i = 0; i < reader.count; i++) {
            const int32_t item = stages->items[reader.batch->events[i].op];
            if (item != NO_STAGE)
                stage_add(ops, &nested, item, &reader.batch->events[i]);
        }
    } while (reader.count > 0);
    return true;
}

bool input_ops_add(struct input_ops *ops, struct profile *profile, struct err *err)
{
    for (size_t p = 0; p < profile->plane_count; p++) {
        struct xplane *plane = profile->planes[p].plane;
        struct plane_stages stages = {.arena = profile->arena};
        if (!plane->is_host)
            continue;
        stages_know(ops, &profile->catalog, &plane->ops, &stages);
        for (size_t i = 0; stages.any && i < plane->line_count; i++) {
            const struct xline *line = &plane->lines[i];
            if (line->role == LINE_HOST && !line->derived && line_has_events(line) &&
                !line_read(ops, profile, &(struct plane_line){plane, line}, &stages, err))
                return false;
        }
    }
    return true;
}

static int item_order(const void *left, const void *right)
{
    const struct input_op *a = left, *b = right;
    if (a->self_ps != b->self_ps)
        return a->self_ps > b->self_ps ? -1 : 1;
    return strcmp(a->name, b->name);
}

void input_ops_settle(struct input_ops *ops)
{
    if (ops->count > 0)
        qsort(ops->items, ops->count, sizeof *ops->items, item_order);
}
