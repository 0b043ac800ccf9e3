/* See hlo_buffers.h. Allocations live as long as the program runs, but those that the simulated
 * heap fills: of these what is live is replayed. */
#include "ingest/hlo_proto/hlo_buffers.h"
#include "ingest/hlo_proto/hlo_message.h"

#include "ops/runtime/text.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_MOST_BYTES = 4096 };

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

/* A buffer that lies in an allocation. */
struct assigned {
    int64_t buffer, size;
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
    struct cursor *cursor;
    struct arena *arena;
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

static bool memory_failed(const struct assignment *assignment, struct err *err)
{
    return arena_failed(assignment->arena, "the buffers of a program", err);
}

/* ---- the wire -------------------------------------------------------------------------------- */

/* The numbers of a message that are asked for, by field; others are stepped over. */
struct number_field {
    uint32_t field;
    int64_t *number;
};

static bool number_take(struct assignment *assignment, uint32_t tag,
                        const struct number_field *fields, size_t count, struct err *err)
{
    uint64_t value;
    for (size_t i = 0; i < count; i++) {
        if (tag != WIRE_TAG(fields[i].field, WIRE_VARINT))
            continue;
        if (!cursor_varint(assignment->cursor, &value, err))
            return false;
        *fields[i].number = (int64_t)value;
        return true;
    }
    return cursor_skip_field(assignment->cursor, tag, err);
}

#define FIELDS_TAKE(assignment, tag, fields, err) \
    number_take(assignment, tag, fields, sizeof(fields) / sizeof(fields)[0], err)

static bool location_field(void *context, uint32_t tag, void *into, struct err *err)
{
    struct assignment *assignment = context;
    enum { INSTRUCTION_NAME = 2, INSTRUCTION_ID = 4 };
    struct buffer *buffer = into;
    uint64_t length;
    const struct number_field fields[] = {{INSTRUCTION_ID, &buffer->instruction}};
    if (tag != WIRE_TAG(INSTRUCTION_NAME, WIRE_BYTES))
        return FIELDS_TAKE(assignment, tag, fields, err);
    if (!cursor_length(assignment->cursor, &length, err))
        return false;
    if (length > 0 && length <= NAME_MOST_BYTES) {
        if (!cursor_need(assignment->cursor, (size_t)length, err))
            return false;
        buffer->name = text_utf8_repair(assignment->arena, (const char *)assignment->cursor->p,
                                        (size_t)length);
        if (buffer->name == NULL)
            return memory_failed(assignment, err);
    }
    return cursor_skip(assignment->cursor, length, err);
}

static bool buffer_field(void *context, uint32_t tag, void *into, struct err *err)
{
    struct assignment *assignment = context;
    enum { ID = 1, SIZE = 2, DEFINED_AT = 3 };
    struct buffer *buffer = into;
    const struct number_field fields[] = {{ID, &buffer->id}, {SIZE, &buffer->size}};
    if (tag == WIRE_TAG(DEFINED_AT, WIRE_BYTES))
        return message_read(assignment->cursor, assignment, location_field, buffer, err);
    return FIELDS_TAKE(assignment, tag, fields, err);
}

static bool assigned_field(void *context, uint32_t tag, void *into, struct err *err)
{
    struct assignment *assignment = context;
    enum { BUFFER = 1, SIZE = 3 };
    struct assigned *assigned = into;
    const struct number_field fields[] = {{BUFFER, &assigned->buffer}, {SIZE, &assigned->size}};
    return FIELDS_TAKE(assignment, tag, fields, err);
}

static bool allocation_field(void *context, uint32_t tag, void *into, struct err *err)
{
    struct assignment *assignment = context;
    enum {
        INDEX = 1,
        SIZE = 2,
        THREAD_LOCAL = 3,
        PARAMETER = 5,
        OUTPUT = 7,
        COLOR = 8,
        ASSIGNED = 9,
        CONSTANT = 12
    };
    struct allocation *allocation = into;
    const struct number_field numbers[] = {
        {INDEX, &allocation->index}, {SIZE, &allocation->size}, {COLOR, &allocation->color}};
    const struct {
        uint32_t field;
        bool *flag;
    } flags[] = {{THREAD_LOCAL, &allocation->thread_local},
                 {PARAMETER, &allocation->parameter},
                 {OUTPUT, &allocation->output},
                 {CONSTANT, &allocation->constant}};
    if (tag == WIRE_TAG(ASSIGNED, WIRE_BYTES)) {
        struct assigned assigned = {0};
        if (!message_read(assignment->cursor, assignment, assigned_field, &assigned, err))
            return false;
        if (!allocation->has_buffer || assigned.size > allocation->buffer_size) {
            allocation->buffer = assigned.buffer;
            allocation->buffer_size = assigned.size;
        }
        allocation->has_buffer = true;
        return true;
    }
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        uint64_t value;
        if (tag != WIRE_TAG(flags[i].field, WIRE_VARINT))
            continue;
        if (!cursor_varint(assignment->cursor, &value, err))
            return false;
        *flags[i].flag = value != 0;
        return true;
    }
    return FIELDS_TAKE(assignment, tag, numbers, err);
}

static bool event_field(void *context, uint32_t tag, void *into, struct err *err)
{
    struct assignment *assignment = context;
    enum { KIND = 1, BUFFER = 2, SHARED = 5 };
    struct event *event = into;
    const struct number_field fields[] = {
        {KIND, &event->kind}, {BUFFER, &event->buffer}, {SHARED, &event->shared}};
    return FIELDS_TAKE(assignment, tag, fields, err);
}

static bool trace_field(void *context, uint32_t tag, void *into, struct err *err)
{
    struct assignment *assignment = context;
    enum { EVENT = 1, ALLOCATION = 3 };
    struct trace *trace = into;
    const struct number_field fields[] = {{ALLOCATION, &trace->allocation}};
    if (tag != WIRE_TAG(EVENT, WIRE_BYTES))
        return FIELDS_TAKE(assignment, tag, fields, err);
    struct event *events =
        arena_grow(assignment->arena, assignment->events, assignment->event_count,
                   &assignment->event_capacity, sizeof *events);
    if (events == NULL)
        return memory_failed(assignment, err);
    assignment->events = events;
    events[assignment->event_count] = (struct event){0};
    trace->event_count++;
    return message_read(assignment->cursor, assignment, event_field,
                        &events[assignment->event_count++], err);
}

static bool assignment_field(void *context, uint32_t tag, void *into, struct err *err)
{
    struct assignment *assignment = context;
    enum { BUFFERS = 1, ALLOCATIONS = 3, TRACES = 4 };
    (void)into;
    if (tag == WIRE_TAG(BUFFERS, WIRE_BYTES)) {
        struct buffer *grown =
            arena_grow(assignment->arena, assignment->buffers, assignment->buffer_count,
                       &assignment->buffer_capacity, sizeof *grown);
        if (grown == NULL)
            return memory_failed(assignment, err);
        assignment->buffers = grown;
        grown[assignment->buffer_count] =
            (struct buffer){.instruction = -1, .holder = (uint32_t)assignment->buffer_count};
        return message_read(assignment->cursor, assignment, buffer_field,
                            &grown[assignment->buffer_count++], err);
    }
    if (tag == WIRE_TAG(ALLOCATIONS, WIRE_BYTES)) {
        struct allocation *grown =
            arena_grow(assignment->arena, assignment->allocations, assignment->allocation_count,
                       &assignment->allocation_capacity, sizeof *grown);
        if (grown == NULL)
            return memory_failed(assignment, err);
        assignment->allocations = grown;
        grown[assignment->allocation_count] = (struct allocation){0};
        return message_read(assignment->cursor, assignment, allocation_field,
                            &grown[assignment->allocation_count++], err);
    }
    if (tag != WIRE_TAG(TRACES, WIRE_BYTES))
        return cursor_skip_field(assignment->cursor, tag, err);
    struct trace *grown = arena_grow(assignment->arena, assignment->traces, assignment->trace_count,
                                     &assignment->trace_capacity, sizeof *grown);
    if (grown == NULL)
        return memory_failed(assignment, err);
    assignment->traces = grown;
    grown[assignment->trace_count] = (struct trace){0};
    const bool read = message_read(assignment->cursor, assignment, trace_field,
                                   &grown[assignment->trace_count], err);
    assignment->trace_count++;
    return read;
}

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

static const char *kind_of(const struct allocation *allocation)
{
    return allocation->parameter  ? "parameter"
           : allocation->constant ? "constant"
           : allocation->output   ? "output"
                                  : "temporary";
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

static bool memory_find(struct assignment *assignment, struct hlo_memory *memory)
{
    size_t most = assignment->allocation_count;
    for (size_t i = 0; i < assignment->trace_count; i++)
        most += assignment->traces[i].event_count; /* each holds what it allocates */
    memory->held = arena_array(assignment->arena, struct hlo_held, most);
    if (memory->held == NULL)
        return false;
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
        held_add(memory, kind_of(allocation),
                 allocation->has_buffer ? buffer_of(assignment, allocation->buffer) : NULL,
                 allocation->size);
    }
    if (memory->held_count > 0)
        qsort(memory->held, memory->held_count, sizeof *memory->held, held_order);
    return true;
}

bool hlo_buffers_read(struct cursor *cursor, int64_t begin, int64_t end, struct arena *arena,
                      struct hlo_memory *ret_memory, struct err *err)
{
    enum { BUFFER_ASSIGNMENT = 3 };
    struct assignment assignment = {.cursor = cursor, .arena = arena};
    *ret_memory = (struct hlo_memory){0};
    cursor_seek(cursor, begin, end);
    while (!cursor_at_end(cursor)) {
        uint32_t tag;
        if (!cursor_tag(cursor, &tag, err))
            return false;
        const bool read = tag == WIRE_TAG(BUFFER_ASSIGNMENT, WIRE_BYTES)
                              ? message_read(cursor, &assignment, assignment_field, NULL, err)
                              : cursor_skip_field(cursor, tag, err);
        if (!read)
            return false;
    }
    if (assignment.allocation_count == 0)
        return true;
    if (!sizes_are_sane(&assignment))
        return cursor_malformed(cursor, "sizes of buffers that no device has", err);
    id_map_init(&assignment.by_id, arena);
    for (size_t i = 0; i < assignment.buffer_count; i++)
        if (!id_map_set(&assignment.by_id, assignment.buffers[i].id, (int32_t)i))
            return memory_failed(&assignment, err);
    if (!memory_find(&assignment, ret_memory))
        return memory_failed(&assignment, err);
    ret_memory->known = true;
    return true;
}
