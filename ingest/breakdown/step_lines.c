/* See step_reading.h. Which way copies go follows from their names on a GPU, from opcodes and
 * categories on a TPU. */
#include "ingest/breakdown/framework.h"
#include "ingest/breakdown/host_states.h"
#include "ingest/breakdown/step_reading.h"
#include "ingest/lines/lines.h"

#include <string.h>

/* ---- a line ---------------------------------------------------------------------------------- */

/* An event counts in all of its own time, or cut to the step of its group; false: it has none. */
static bool event_cut(const struct step_reading *reading, const struct event_note *note,
                      int64_t *start, int64_t *end)
{
    int32_t index = note == NULL || !note->step.set
                        ? ID_MAP_ABSENT
                        : id_map_find(&reading->hull_by_number, note->step.value);
    if (index == ID_MAP_ABSENT)
        return false;
    const struct interval *hull = &reading->hulls[index];
    *start = *start < hull->start ? hull->start : *start;
    *end = *end > hull->end ? hull->end : *end;
    return *start < *end;
}

/* The class of an event; WORK_CLASS_COUNT: none. */
typedef unsigned class_of_fn(struct step_reading *reading, const struct plane_ops *ops,
                             const struct event *event, const struct event_note *note);

static void collective_count(struct step_reading *reading, int64_t start, int64_t end)
{
    const size_t begun = sorted_count(reading->own_count, at, reading->own[at].start_ps <= start);
    struct device_step *step = begun == 0 ? NULL : &reading->own[begun - 1];
    if (step == NULL || start >= step->start_ps + step->duration_ps)
        return;
    step->collective_count++;
    ps_add(&step->collective_ps, ps_between(start, end));
}

static bool line_read(struct step_reading *reading, struct xplane *plane, const struct xline *line,
                      class_of_fn *class_of, struct work_lists *lists, struct err *err)
{
    scoped_line_reader reader = {0};
    int64_t base_ps;
    if (!line_base_ps(plane->space, line, &base_ps))
        return true;
    line_reader_init(&reader, plane->space, &reading->profile->options->limits);
    line_reader_open_device(&reader, plane, line);
    work_lists_begin_line(lists);
    do {
        if (!line_reader_next(&reader, err) ||
            !arena_ok(reading->arena, "the steps of a profile", err))
            return false;
        if (lists->sweep != NULL)
            line_reader_take_ps(&reader);
        for (size_t i = 0; i < reader.count; i++) {
            const struct event *event = &reader.batch->events[i];
            const struct event_note *note = line_reader_note(&reader, i);
            unsigned class = class_of(reading, &plane->ops, event, note);
            int64_t start, end;
            if (class == WORK_CLASS_COUNT ||
                __builtin_add_overflow(base_ps, event->offset_ps, &start) ||
                __builtin_add_overflow(start, event->duration_ps, &end))
                continue;
            if (plane->is_host && reading->grouped && !event_cut(reading, note, &start, &end))
                continue;
            reading->seen |= 1U << class;
            if (class == WORK_COLLECTIVE)
                collective_count(reading, start, end);
            if (plane->is_device && reading->grouped && (note == NULL || !note->step.set))
                class += WORK_UNGROUPED;
            if (!work_lists_add(lists, class, start, end, err))
                return false;
        }
    } while (reader.count > 0);
    return true;
}

/* ---- devices --------------------------------------------------------------------------------- */

static const enum work_class copy_classes[COPY_WAY_COUNT] = {
    [COPY_ON_DEVICE] = WORK_DEVICE_TO_DEVICE,
    [COPY_HOST_TO_DEVICE] = WORK_HOST_TO_DEVICE,
    [COPY_DEVICE_TO_HOST] = WORK_DEVICE_TO_HOST,
    [COPY_INFEED] = WORK_INFEED,
};

static unsigned device_class(struct step_reading *reading, const struct plane_ops *ops,
                             const struct event *event, const struct event_note *note)
{
    const struct op *op = &ops->ops[event->op];
    const struct op_detail *detail = &ops->details[event->op];
    const struct catalog *catalog = &reading->profile->catalog;
    (void)note;
    switch ((enum device_class)op->device_class) {
    case DEVICE_COMMUNICATION:
        return WORK_COLLECTIVE;
    case DEVICE_CONTAINER:
        return WORK_CONTAINER;
    case DEVICE_COPY:
        return copy_classes[copy_way_told(catalog_text(catalog, catalog->names[op->name].name),
                                          catalog_text(catalog, detail->opcode),
                                          catalog_text(catalog, detail->category),
                                          (enum hlo_way)detail->way)];
    case DEVICE_COMPUTE:
        break;
    }
    return WORK_COMPUTE;
}

static bool device_line_works(const struct xline *line)
{
    return line->role == LINE_OPS && !line->derived && !line->asynchronous && line_has_events(line);
}

void device_line_longest(struct xplane *plane, struct plane_line *longest)
{
    for (size_t i = 0; i < plane->line_count; i++) {
        const struct xline *line = &plane->lines[i];
        if (device_line_works(line) &&
            (longest->line == NULL ||
             line->end - line->begin > longest->line->end - longest->line->begin))
            *longest = (struct plane_line){plane, line};
    }
}

bool device_line_read(struct step_reading *reading, const struct plane_line *of,
                      struct work_lists *lists, struct err *err)
{
    if (reading->grouped)
        plane_ops_ask_groups(&of->plane->ops);
    reading->any_device = true;
    return line_read(reading, of->plane, of->line, device_class, lists, err);
}

bool device_lines_read(struct step_reading *reading, struct xplane *plane, const struct xline *but,
                       struct work_lists *lists, struct err *err)
{
    for (size_t i = 0; i < plane->line_count; i++) {
        const struct xline *line = &plane->lines[i];
        if (device_line_works(line) && line != but &&
            !device_line_read(reading, &(struct plane_line){plane, line}, lists, err))
            return false;
    }
    return true;
}

/* ---- the host -------------------------------------------------------------------------------- */

static const unsigned class_of_state[] = {
    [HOST_SAYS_NOTHING] = WORK_CLASS_COUNT, [HOST_COMPUTES] = WORK_HOST_COMPUTE,
    [HOST_COMPILES] = WORK_HOST_COMPILE,    [HOST_WAITS_FOR_INPUT] = WORK_HOST_INPUT,
    [HOST_SENDS] = WORK_HOST_SEND,          [HOST_LAUNCHES] = WORK_HOST_LAUNCH,
    [HOST_LOADS] = WORK_BESIDE_LOAD,        [HOST_SAVES] = WORK_HOST_SAVE,
};

const char *host_event_name(const struct catalog *catalog, const struct op *op)
{
    const char *whole = catalog_text(catalog, op->whole_name);
    if (op->name == OP_NONE)
        return "";
    return whole != NULL ? whole : catalog_text(catalog, catalog->names[op->name].name);
}

/* Names are looked at once, not for every event. */
static unsigned host_class(struct step_reading *reading, const struct plane_ops *ops,
                           const struct event *event, const struct event_note *note)
{
    if (note != NULL && note->is_root)
        return WORK_CLASS_COUNT;
    while (reading->state_count < ops->count) {
        const char *name =
            host_event_name(&reading->profile->catalog, &ops->ops[reading->state_count]);
        reading->states = arena_grow(reading->arena, reading->states, reading->state_count,
                                     &reading->state_capacity, sizeof *reading->states);
        reading->states[reading->state_count++] = (struct op_states){
            class_of_state[host_state_of(name, false)], class_of_state[host_state_of(name, true)]};
    }
    const struct op_states *states = &reading->states[event->op];
    return note != NULL && note->correlation.set ? states->called : states->plain;
}

/* What a thread computes tells of a device only where it drives one: it launches, or its events are
 * grouped with the device's. What it loads or saves is waited for there, else it may be ahead. */
static bool host_line_read(struct step_reading *reading, struct xplane *plane,
                           const struct xline *line, struct err *err)
{
    const unsigned before = reading->seen, launch = 1U << WORK_HOST_LAUNCH;
    struct work_lists *lists = &reading->host;
    reading->seen = 0;
    if (!line_read(reading, plane, line, host_class, lists, err))
        return false;
    const bool drives =
        !reading->has_device || reading->grouped || line->launches || (reading->seen & launch) != 0;
    bool thread_launches = false; /* it may have several lines: of its ranges, of its calls */
    for (size_t i = 0; i < plane->line_count && !thread_launches; i++)
        thread_launches = plane->lines[i].launches && plane->lines[i].id == line->id &&
                          plane->lines[i].process == line->process;
    if (!drives) {
        work_lists_drop(lists, WORK_HOST_COMPUTE);
        reading->seen &= ~(1U << WORK_HOST_COMPUTE);
    }
    if (drives || thread_launches) {
        struct untold_idle *idle = &reading->breakdown->idle;
        work_lists_move(lists, WORK_BESIDE_LOAD, WORK_HOST_INPUT);
        idle->drivers = arena_grow(reading->arena, idle->drivers, idle->driver_count,
                                   &idle->driver_capacity, sizeof *idle->drivers);
        idle->drivers[idle->driver_count++] = (struct plane_line){plane, line};
    } else {
        work_lists_move(lists, WORK_HOST_SAVE, WORK_BESIDE_SAVE);
    }
    if (!reading->has_device && (reading->seen & launch) != 0) {
        work_lists_move(lists, WORK_HOST_LAUNCH, WORK_HOST_COMPUTE);
        reading->seen = (reading->seen & ~launch) | 1U << WORK_HOST_COMPUTE;
    }
    reading->any_host = true;
    reading->seen |= before;
    return true;
}

bool host_lines_read(struct step_reading *reading, struct err *err)
{
    for (size_t p = 0; p < reading->profile->plane_count; p++) {
        struct xplane *plane = reading->profile->planes[p].plane;
        if (!plane->is_host)
            continue;
        reading->state_count = 0;
        if (reading->grouped)
            plane_ops_ask_groups(&plane->ops);
        for (size_t i = 0; i < plane->line_count; i++) {
            const struct xline *line = &plane->lines[i];
            if (line->role == LINE_HOST && !line->derived && line_has_events(line) &&
                !host_line_read(reading, plane, line, err))
                return false;
        }
    }
    return true;
}

/* ---- what tells of input --------------------------------------------------------------------- */

static const char *words_of(const struct summary *summary, const char *const words[3])
{
    return strcmp(summary->source_format, "nsight_sqlite") == 0         ? words[2]
           : strcmp(summary->source_format, "perfetto_trace_json") == 0 ? words[1]
                                                                        : words[0];
}

static const char *absent_host(const struct profile *profile, const struct summary *summary)
{
    static const char *const words[] = {
        "the host was not traced: record with host_tracer_level 1 or more",
        "no process of the trace is known as the host: it was not traced (PyTorch: "
        "ProfilerActivity.CPU, JAX: host_tracer_level 1 or more), or no label says which it is "
        "(process_labels)",
        "the host was not traced: record with nsys profile --trace=cuda,nvtx,osrt"};
    for (size_t i = 0; i < profile->space_count; i++)
        if (profile->spaces[i].unread_bytes > 0)
            return "the file was cut off, and what is left holds no event of the host: copy it "
                   "again";
    return words_of(summary, words);
}

static const char *absent_input(const struct summary *summary)
{
    static const char *const words[] = {
        "no event tells that the host waits for input: name what loads a batch with "
        "jax.profiler.TraceAnnotation(\"data_load\")",
        "no event tells that the host waits for input: name what loads a batch (PyTorch: "
        "torch.profiler.record_function(\"data_load\"), JAX: "
        "jax.profiler.TraceAnnotation(\"data_load\"))",
        "no event tells that the host waits for input: name what loads a batch with an NVTX range "
        "(nvtx.annotate(\"data_load\"))"};
    return words_of(summary, words);
}

/* NULL: what recorded the profile would say it. */
static const char *absent_compile(const struct profile *profile, const struct summary *summary)
{
    if (strcmp(summary->source_format, "nsight_sqlite") == 0)
        return "no range tells that the host compiles: name what compiles with an NVTX range "
               "(nvtx.annotate(\"backend_compile\"))";
    if (framework_of(profile) == FRAMEWORK_TORCH)
        return "no event tells that the host compiles, which traces of PyTorch do not say by "
               "themselves: name what compiles with "
               "torch.profiler.record_function(\"backend_compile\")";
    return NULL;
}

void step_absent_note(struct step_reading *reading)
{
    static const char no_device[] = "no device tells what it did in steps";
    const char **absent = reading->breakdown->absent;
    for (int part = STEP_COMPUTE; part <= STEP_DEVICE_TO_HOST; part++)
        absent[part] = reading->any_device ? NULL : no_device;
    if (reading->seen & 1U << WORK_HOST_SEND)
        absent[STEP_HOST_TO_DEVICE] = NULL;
    for (int part = STEP_INPUT_WAIT; part <= STEP_COMPILE; part++)
        absent[part] = reading->any_host ? NULL : absent_host(reading->profile, reading->summary);
    if (reading->seen & 1U << WORK_INFEED)
        absent[STEP_INPUT_WAIT] = NULL;
    if (!reading->any_host)
        return;
    if (!(reading->seen & (1U << WORK_HOST_INPUT | 1U << WORK_BESIDE_LOAD | 1U << WORK_INFEED)))
        absent[STEP_INPUT_WAIT] = absent_input(reading->summary);
    if (!(reading->seen & 1U << WORK_HOST_COMPILE))
        absent[STEP_COMPILE] = absent_compile(reading->profile, reading->summary);
    if (!(reading->seen & 1U << WORK_HOST_LAUNCH))
        absent[STEP_KERNEL_LAUNCH] =
            reading->has_device ? "no event of the host tells a launch" : no_device;
    if (!(reading->seen & (1U << WORK_HOST_COMPUTE | 1U << WORK_HOST_SAVE)))
        absent[STEP_HOST_COMPUTE] =
            !reading->has_device ? "no event of the host tells that it computes"
            : reading->breakdown->idle.driver_count == 0
                ? "no thread of the host is known to drive the device"
                : "no event of the thread that drives the device tells what it "
                  "computes";
}

static bool host_was_traced(const struct profile *profile)
{
    bool any = false;
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        for (size_t i = 0; i < plane->line_count && plane->is_host; i++)
            any |= plane->lines[i].role == LINE_HOST && !plane->lines[i].derived &&
                   line_has_events(&plane->lines[i]);
    }
    return any;
}

const char *compile_absent(const struct profile *profile, const struct summary *summary)
{
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        for (size_t i = 0; plane->is_host && i < plane->ops.count; i++)
            if (plane->ops.ops[i].name != OP_NONE &&
                host_state_of(host_event_name(&profile->catalog, &plane->ops.ops[i]), false) ==
                    HOST_COMPILES)
                return NULL;
    }
    return host_was_traced(profile) ? absent_compile(profile, summary)
                                    : absent_host(profile, summary);
}

const char *input_wait_absent(const struct profile *profile, const struct summary *summary)
{
    const struct catalog *catalog = &profile->catalog;
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        for (size_t i = 0; (plane->is_host || plane->is_device) && i < plane->ops.count; i++) {
            const struct op *op = &plane->ops.ops[i];
            const struct op_detail *detail = &plane->ops.details[i];
            if (op->name == OP_NONE)
                continue;
            const enum host_state state = plane->is_host
                                              ? host_state_of(host_event_name(catalog, op), false)
                                              : HOST_SAYS_NOTHING;
            if (state == HOST_WAITS_FOR_INPUT || state == HOST_LOADS)
                return NULL;
            if (!plane->is_host && op->device_class == DEVICE_COPY &&
                copy_way_of(NULL, catalog_text(catalog, detail->opcode),
                            catalog_text(catalog, detail->category)) == COPY_INFEED)
                return NULL;
        }
    }
    return host_was_traced(profile) ? absent_input(summary) : absent_host(profile, summary);
}
