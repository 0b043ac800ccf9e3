/* See hlo_buffers.h. Allocations live as long as the program runs, but those that the simulated
 * heap fills: of these what is live is replayed. */
#include "ingest/hlo_proto/hlo_buffers.h"

#include <stdlib.h>
#include <string.h>

struct buffer { /* a value that an instruction makes */
    int64_t id, size, instruction;
    const char *name;
    uint32_t holder; /* of its memory, by place; its own unless it shares another's */
    int64_t users;   /* of its memory, while the heap is replayed */
};

struct allocation {
    int64_t index, size, color;
    bool thread_local, parameter, constant, output, replayed;
    int64_t buffer, buffer_size; /* the largest that lies in it, of equal ones the first */
    bool has_buffer;
};

enum event_kind { EVENT_ALLOC, EVENT_FREE, EVENT_SHARE };

struct event {
    int64_t kind, buffer, shared;
};

struct trace {
    int64_t allocation;
    size_t event_count;
};

struct assignment {
    struct buffer *buffers;
    size_t buffer_count, buffer_capacity;
    struct allocation *allocations;
    size_t allocation_count, allocation_capacity;
    struct trace *traces;
    size_t trace_count, trace_capacity;
    struct event *events;
    size_t event_count, event_capacity;
    struct id_map by_id;
};

/* ---- the wire -------------------------------------------------------------------------------- */

static const struct hlo_field location_fields[] = {
    {2, HLO_TEXT, FIELD_AT(struct buffer, name, const char *), NULL, NULL},
    {4, HLO_NUMBER, FIELD_AT(struct buffer, instruction, int64_t), NULL, NULL},
    {0},
};
static const struct hlo_field buffer_fields[] = {
    {1, HLO_NUMBER, FIELD_AT(struct buffer, id, int64_t), NULL, NULL},
    {2, HLO_NUMBER, FIELD_AT(struct buffer, size, int64_t), NULL, NULL},
    {3, HLO_MESSAGE, 0, location_fields, NULL},
    {0},
};

static bool buffer_take(struct hlo_reader *reader, void *into, struct err *err)
{
    struct assignment *assignment = into;
    const size_t at = assignment->buffer_count++;
    assignment->buffers = arena_grow(reader->arena, assignment->buffers, at,
                                     &assignment->buffer_capacity, sizeof(struct buffer));
    assignment->buffers[at] = (struct buffer){.instruction = -1, .holder = (uint32_t)at};
    return hlo_message_read(reader, buffer_fields, &assignment->buffers[at], err);
}

/* A buffer that lies in an allocation. */
struct assigned {
    int64_t buffer, size;
};
static const struct hlo_field assigned_fields[] = {
    {1, HLO_NUMBER, FIELD_AT(struct assigned, buffer, int64_t), NULL, NULL},
    {3, HLO_NUMBER, FIELD_AT(struct assigned, size, int64_t), NULL, NULL},
    {0},
};

static bool assigned_take(struct hlo_reader *reader, void *into, struct err *err)
{
    struct allocation *allocation = into;
    struct assigned assigned = {0};
    if (!hlo_message_read(reader, assigned_fields, &assigned, err))
        return false;
    if (!allocation->has_buffer || assigned.size > allocation->buffer_size) {
        allocation->buffer = assigned.buffer;
        allocation->buffer_size = assigned.size;
    }
    allocation->has_buffer = true;
    return true;
}

#define OF_ALLOCATION(field, type) FIELD_AT(struct allocation, field, type)
static const struct hlo_field allocation_fields[] = {
    {1, HLO_NUMBER, OF_ALLOCATION(index, int64_t), NULL, NULL},
    {2, HLO_NUMBER, OF_ALLOCATION(size, int64_t), NULL, NULL},
    {3, HLO_FLAG, OF_ALLOCATION(thread_local, bool), NULL, NULL},
    {5, HLO_FLAG, OF_ALLOCATION(parameter, bool), NULL, NULL},
    {7, HLO_FLAG, OF_ALLOCATION(output, bool), NULL, NULL},
    {8, HLO_NUMBER, OF_ALLOCATION(color, int64_t), NULL, NULL},
    {9, HLO_TAKEN, 0, NULL, assigned_take},
    {12, HLO_FLAG, OF_ALLOCATION(constant, bool), NULL, NULL},
    {0},
};

static bool allocation_take(struct hlo_reader *reader, void *into, struct err *err)
{
    struct assignment *assignment = into;
    const size_t at = assignment->allocation_count++;
    assignment->allocations =
        arena_grow(reader->arena, assignment->allocations, at, &assignment->allocation_capacity,
                   sizeof(struct allocation));
    assignment->allocations[at] = (struct allocation){0};
    return hlo_message_read(reader, allocation_fields, &assignment->allocations[at], err);
}

static const struct hlo_field event_fields[] = {
    {1, HLO_NUMBER, FIELD_AT(struct event, kind, int64_t), NULL, NULL},
    {2, HLO_NUMBER, FIELD_AT(struct event, buffer, int64_t), NULL, NULL},
    {5, HLO_NUMBER, FIELD_AT(struct event, shared, int64_t), NULL, NULL},
    {0},
};

static bool event_take(struct hlo_reader *reader, void *into, struct err *err)
{
    struct assignment *assignment = reader->whole;
    struct trace *trace = into;
    const size_t at = assignment->event_count++;
    assignment->events = arena_grow(reader->arena, assignment->events, at,
                                    &assignment->event_capacity, sizeof(struct event));
    assignment->events[at] = (struct event){0};
    trace->event_count++;
    return hlo_message_read(reader, event_fields, &assignment->events[at], err);
}

static const struct hlo_field trace_fields[] = {
    {1, HLO_TAKEN, 0, NULL, event_take},
    {3, HLO_NUMBER, FIELD_AT(struct trace, allocation, int64_t), NULL, NULL},
    {0},
};

static bool trace_take(struct hlo_reader *reader, void *into, struct err *err)
{
    struct assignment *assignment = into;
    const size_t at = assignment->trace_count++;
    assignment->traces = arena_grow(reader->arena, assignment->traces, at,
                                    &assignment->trace_capacity, sizeof(struct trace));
    assignment->traces[at] = (struct trace){0};
    return hlo_message_read(reader, trace_fields, &assignment->traces[at], err);
}

static const struct hlo_field assignment_fields[] = {
    {1, HLO_TAKEN, 0, NULL, buffer_take},
    {3, HLO_TAKEN, 0, NULL, allocation_take},
    {4, HLO_TAKEN, 0, NULL, trace_take},
    {0},
};
static const struct hlo_field proto_fields[] = {{3, HLO_MESSAGE, 0, assignment_fields, NULL}, {0}};

/* ---- replay ---------------------------------------------------------------------------------- */

static struct buffer *buffer_of(const struct assignment *assignment, int64_t id)
{
    const int32_t at = id_map_find(&assignment->by_id, id);
    return at == ID_MAP_ABSENT ? NULL : &assignment->buffers[at];
}

/* What a trace holds behind one event more. */
static void event_apply(const struct assignment *assignment, const struct event *event,
                        int64_t *held)
{
    struct buffer *buffer = buffer_of(assignment, event->buffer);
    const struct buffer *shared =
        event->kind == EVENT_SHARE ? buffer_of(assignment, event->shared) : NULL;
    if (buffer == NULL)
        return;
    if (shared != NULL)
        buffer->holder = shared->holder;
    struct buffer *holder = &assignment->buffers[buffer->holder];
    const bool was_held = holder->users > 0;
    if (event->kind == EVENT_FREE)
        holder->users -= was_held;
    else
        holder->users++;
    if (was_held != (holder->users > 0))
        *held += was_held ? -holder->size : holder->size;
}

static void buffers_rest(struct assignment *assignment)
{
    for (size_t i = 0; i < assignment->buffer_count; i++) {
        assignment->buffers[i].users = 0;
        assignment->buffers[i].holder = (uint32_t)i;
    }
}

/* Up to the event behind which most is held, whose place it gives; events[count] of one trace. */
static size_t peak_find(struct assignment *assignment, const struct event *events, size_t count,
                        int64_t *ret_peak)
{
    int64_t held = 0;
    size_t at = 0;
    *ret_peak = 0;
    buffers_rest(assignment);
    for (size_t i = 0; i < count; i++) {
        event_apply(assignment, &events[i], &held);
        if (held <= *ret_peak)
            continue;
        *ret_peak = held;
        at = i + 1;
    }
    return at;
}

static void held_add(struct hlo_memory *memory, const char *kind, const struct buffer *buffer,
                     int64_t bytes)
{
    memory->held[memory->held_count++] =
        (struct hlo_held){kind, buffer == NULL ? -1 : buffer->instruction,
                          buffer == NULL ? NULL : buffer->name, bytes};
}

/* Nothing where no allocation of the device's memory is of that index, or another has filled it. */
static void trace_replay(struct assignment *assignment, const struct trace *trace,
                         const struct event *events, struct hlo_memory *memory)
{
    struct allocation *allocation = NULL;
    int64_t peak, held = 0;
    for (size_t i = 0; i < assignment->allocation_count && allocation == NULL; i++)
        if (assignment->allocations[i].index == trace->allocation)
            allocation = &assignment->allocations[i];
    if (allocation == NULL || allocation->color != 0 || allocation->replayed)
        return;
    const size_t count = peak_find(assignment, events, trace->event_count, &peak);
    allocation->replayed = true;
    buffers_rest(assignment);
    for (size_t i = 0; i < count; i++)
        event_apply(assignment, &events[i], &held);
    for (size_t i = 0; i < assignment->buffer_count; i++)
        if (assignment->buffers[i].users > 0 && assignment->buffers[i].size > 0)
            held_add(memory, "temporary", &assignment->buffers[i], assignment->buffers[i].size);
    memory->peak_bytes += peak;
}

static int held_order(const void *a, const void *b)
{
    const struct hlo_held *left = a, *right = b;
    if (left->bytes != right->bytes)
        return left->bytes > right->bytes ? -1 : 1;
    return (left->instruction > right->instruction) - (left->instruction < right->instruction);
}

/* Sums that a file could make too large are no sizes of a device. */
static bool sizes_are_sane(const struct assignment *assignment)
{
    enum { COUNT_MOST = 1 << 20 };
    const int64_t most = INT64_C(1) << 42;
    for (size_t i = 0; i < assignment->allocation_count; i++)
        if (assignment->allocations[i].size < 0 || assignment->allocations[i].size > most)
            return false;
    for (size_t i = 0; i < assignment->buffer_count; i++)
        if (assignment->buffers[i].size < 0 || assignment->buffers[i].size > most)
            return false;
    return assignment->buffer_count <= COUNT_MOST && assignment->allocation_count <= COUNT_MOST;
}

static void memory_find(struct assignment *assignment, struct arena *arena,
                        struct hlo_memory *memory)
{
    size_t most = assignment->allocation_count;
    for (size_t i = 0; i < assignment->trace_count; i++)
        most += assignment->traces[i].event_count; /* each holds what it allocates */
    memory->held = arena_array(arena, struct hlo_held, most);
    const struct event *events = assignment->events;
    for (size_t i = 0; i < assignment->trace_count; i++) {
        if (assignment->traces[i].event_count > 0)
            trace_replay(assignment, &assignment->traces[i], events, memory);
        events += assignment->traces[i].event_count;
    }
    for (size_t i = 0; i < assignment->allocation_count; i++) {
        const struct allocation *allocation = &assignment->allocations[i];
        if (allocation->color != 0 || allocation->thread_local)
            continue;
        memory->allocated_bytes += allocation->size;
        if (allocation->replayed || allocation->size == 0)
            continue;
        memory->peak_bytes += allocation->size;
        const char *kind = allocation->parameter  ? "parameter"
                           : allocation->constant ? "constant"
                           : allocation->output   ? "output"
                                                  : "temporary";
        held_add(memory, kind,
                 allocation->has_buffer ? buffer_of(assignment, allocation->buffer) : NULL,
                 allocation->size);
    }
    if (memory->held_count > 0)
        qsort(memory->held, memory->held_count, sizeof *memory->held, held_order);
}

bool hlo_buffers_read(struct cursor *cursor, int64_t begin, int64_t end, struct arena *arena,
                      struct hlo_memory *ret_memory, struct err *err)
{
    struct assignment assignment = {0};
    struct hlo_reader reader = {.cursor = cursor, .arena = arena, .whole = &assignment};
    *ret_memory = (struct hlo_memory){0};
    cursor_seek(cursor, begin, end);
    if (!hlo_fields_read(&reader, proto_fields, &assignment, err))
        return false;
    if (assignment.allocation_count == 0)
        return true;
    if (!sizes_are_sane(&assignment))
        return cursor_malformed(cursor, "sizes of buffers that no device has", err);
    id_map_init(&assignment.by_id, arena);
    for (size_t i = 0; i < assignment.buffer_count; i++)
        id_map_set(&assignment.by_id, assignment.buffers[i].id, (int32_t)i);
    memory_find(&assignment, arena, ret_memory);
    ret_memory->known = true;
    return arena_ok(arena, "the programs of a profile", err);
}
