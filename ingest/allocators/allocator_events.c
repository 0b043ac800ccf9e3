/* Events of allocators off the host's lines. Each says how much is in use behind it, so none is
 * needed to understand the next, and a capture may begin in the middle. */
#include "ingest/allocators/allocators.h"

#include "ops/runtime/text.h"

#include <math.h>
#include <string.h>

enum { ALLOCATORS_MAX = 4096 };

static const char allocation[] = "MemoryAllocation", deallocation[] = "MemoryDeallocation";

/* ---- one event ------------------------------------------------------------------------------- */

/* What an event's stats say. */
struct said {
    struct allocator_event event;
    const char *allocator;
    struct opt_i64 device; /* where the allocator has no name */
};

static struct opt_i64 bytes_of(const struct stat_value *value)
{
    struct opt_i64 bytes = stat_integer(value);
    return bytes.set && bytes.value >= 0 ? bytes : (struct opt_i64){0};
}

static const char *text_of(const struct stat_value *value, struct arena *arena)
{
    return stat_has_text(value) ? arena_strndup(arena, value->text, value->length) : NULL;
}

static void stat_take(struct said *said, const char *name, const struct stat_value *value,
                      struct arena *arena)
{
    struct allocator_event *event = &said->event;
    const struct {
        const char *name;
        struct opt_i64 *bytes;
    } sizes[] = {
        {"bytes_reserved", &event->stack},      {"bytes_allocated", &event->heap},
        {"bytes_available", &event->free},      {"peak_bytes_in_use", &event->lifetime_peak},
        {"requested_bytes", &event->requested}, {"allocation_bytes", &event->allocated},
        {"device_ordinal", &said->device},      {"index_on_host", &said->device}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (strcmp(name, sizes[i].name) == 0)
            *sizes[i].bytes = bytes_of(value);
    if (strcmp(name, "addr") == 0)
        event->address = stat_integer(value);
    if (strcmp(name, "allocator_name") == 0)
        said->allocator = text_of(value, arena);
    if (strcmp(name, "tf_op") == 0)
        event->op = text_of(value, arena);
    if (strcmp(name, "fragmentation") == 0) {
        double number;
        event->fragmentation.set = stat_number(value, &number) && isfinite(number);
        event->fragmentation.value = number;
    }
}

/* The number of a text in a list, which it is added to. */
static uint32_t number_of(const char *text, const char ***list, size_t *count, size_t *capacity,
                          struct arena *arena)
{
    for (size_t i = 0; i < *count; i++) {
        if (text_same((*list)[i], text))
            return (uint32_t)i;
    }
    *list = arena_grow(arena, *list, *count, capacity, sizeof **list);
    (*list)[*count] = text;
    return (uint32_t)(*count)++;
}

bool allocator_log_add(struct allocator_log *log, const struct allocator_event *event,
                       const char *allocator, const char *path, struct err *err)
{
    const uint32_t number = number_of(allocator, &log->allocators, &log->allocator_count,
                                      &log->allocator_capacity, log->arena);
    if (log->allocator_count > ALLOCATORS_MAX)
        return err_set(err, ERR_LIMIT,
                       "'%s': events of more than %d allocators: the file is broken", path,
                       ALLOCATORS_MAX);
    log->events =
        arena_grow(log->arena, log->events, log->count, &log->capacity, sizeof *log->events);
    log->events[log->count] = *event;
    log->events[log->count].allocator = number;
    log->events[log->count].place = (int64_t)log->count;
    log->count++;
    return arena_ok(log->arena, "the allocations of a profile", err);
}

uint32_t allocator_log_host(struct allocator_log *log, const char *name)
{
    return number_of(name, &log->hosts, &log->host_count, &log->host_capacity, log->arena);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Whether an op is that of allocations (1) or of what frees them (2); 0: neither. */
static int kind_of(const struct profile *profile, const struct plane_ops *ops, int32_t op)
{
    if (op == ID_MAP_ABSENT || ops->ops[op].name == OP_NONE)
        return 0;
    const char *name =
        catalog_text(&profile->catalog, profile->catalog.names[ops->ops[op].name].name);
    return strcmp(name, allocation) == 0 ? 1 : strcmp(name, deallocation) == 0 ? 2 : 0;
}

static bool plane_tells(const struct profile *profile, const struct xplane *plane)
{
    for (size_t i = 0; plane->is_host && i < plane->ops.count; i++)
        if (kind_of(profile, &plane->ops, (int32_t)i) != 0)
            return true;
    return false;
}

static bool line_read(struct profile *profile, struct xplane *plane, const struct xline *line,
                      uint32_t host, struct allocator_log *log, struct err *err)
{
    int64_t base_ps;
    bool any = true;
    if (!line_base_ps(plane->space, line, &base_ps))
        return true;
    scoped_event_walk walk;
    event_walk_init(&walk, plane->space, &profile->options->limits);
    event_walk_open(&walk, plane, line);
    for (;;) {
        if (!event_walk_next(&walk, &any, err))
            return false;
        if (!any)
            return true;
        const int kind = kind_of(profile, &plane->ops, walk.op);
        if (kind == 0)
            continue;
        struct said said = {.event = {.frees = kind == 2, .host = host}};
        for (size_t i = 0; i < walk.stat_count; i++) {
            const char *name;
            struct stat_value value;
            if (!event_walk_stat(&walk, i, &name, &value, err))
                return false;
            stat_take(&said, name, &value, log->arena);
        }
        if (said.allocator == NULL && said.device.set)
            said.allocator = arena_printf(log->arena, "%lld", (long long)said.device.value);
        if (__builtin_add_overflow(base_ps, walk.offset_ps, &said.event.time_ps))
            continue; /* too far from the others for a place in time */
        if (!allocator_log_add(log, &said.event, said.allocator, walk.cursor.input->path, err))
            return false;
    }
}

bool allocators_tell(const struct profile *profile)
{
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        if (plane->space->store == NULL && plane_tells(profile, plane))
            return true;
    }
    return false;
}

bool allocators_read(struct profile *profile, struct allocator_log *log, struct err *err)
{
    for (size_t p = 0; p < profile->plane_count; p++) {
        struct xplane *plane = profile->planes[p].plane;
        if (plane->space->store != NULL || !plane_tells(profile, plane))
            continue;
        const char *name = arena_strdup(log->arena, plane->space->host);
        const uint32_t host = allocator_log_host(log, name);
        for (size_t i = 0; i < plane->line_count; i++)
            if (!line_read(profile, plane, &plane->lines[i], host, log, err))
                return false;
    }
    return true;
}
