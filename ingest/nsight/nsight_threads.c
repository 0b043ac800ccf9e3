/* Rows of what happened on threads: ranges of NVTX, calls of CUDA, of its libraries and of the
 * system. */
#include "ingest/nsight/nsight_reading.h"

enum {
    HOST_START,
    HOST_END,
    HOST_THREAD,
    HOST_NAME,
    HOST_CORRELATION,
    HOST_TEXT, /* a name that is no id */
    HOST_TYPE, /* of an event of NVTX */
};

/* Events of NVTX that are no ranges. */
enum {
    NVTX_CATEGORY = 33,
    NVTX_THREAD = 39,
    NVTX_PUSH_POP = 59,
    NVTX_START_END = 60,
    NVTX_DOMAIN = 75
};

#define HOST_REQUIRED (1U << HOST_START | 1U << HOST_END)
#define CALL_COLUMNS \
    { \
        "start", "end", "globalTid", "nameId", "correlationId" \
    }

static const struct export_table ranges_table = {
    "NVTX_EVENTS",
    1U << TRACED_NVTX,
    HOST_REQUIRED,
    {"start", "end", "globalTid", "textId", NULL, "text", "eventType"}};

static const struct {
    enum thread_layer layer;
    struct export_table table;
} calls[] = {
    {THREAD_API, {"CUPTI_ACTIVITY_KIND_RUNTIME", 1U << TRACED_CUDA, HOST_REQUIRED, CALL_COLUMNS}},
    {THREAD_LIBRARIES, {"CUDNN_EVENTS", 1U << TRACED_LIBRARIES, HOST_REQUIRED, CALL_COLUMNS}},
    {THREAD_LIBRARIES, {"CUBLAS_EVENTS", 1U << TRACED_LIBRARIES, HOST_REQUIRED, CALL_COLUMNS}},
    {THREAD_SYSTEM, {"OSRT_API", 1U << TRACED_SYSTEM, HOST_REQUIRED, CALL_COLUMNS}},
};

/* Which line of which thread an event is of. */
struct host_place {
    int64_t thread;
    enum thread_layer layer;
};

/* Adds an event of a thread under a name. */
static bool host_event_add(struct nsight_reading *reading, const struct nsight_span *span,
                           struct host_place place, uint32_t name, const struct event_note *note,
                           struct err *err)
{
    struct nsight_tracks *tracks = &reading->tracks;
    struct nsight_thread *thread = nsight_thread_of(tracks, place.thread);
    const int32_t op = nsight_op_find(&tracks->host_ops, name, NO_CONTEXT, reading->arena);
    const int32_t line = nsight_thread_line(tracks, thread, place.layer);
    return limit_check(reading->limits, max_metadata, (int64_t)tracks->host_ops.count,
                       reading->space->input.path, err) &&
           nsight_event_add(reading, line, span, op, note, err);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

/* Twice as far fits 64 bits. */
static const int64_t step_most = INT64_MAX / 4;

/* Steps of one name on one thread, while they come. */
struct nsight_steps {
    int64_t last_start_ns, last, shift;
};

/* The number of a step: as its range says, but for numbers that begin again, as those of an epoch
 * do; they go on where the others ended. */
static void step_number(struct nsight_reading *reading, int64_t thread_id, uint32_t name,
                        int64_t start_ns, struct opt_i64 *step)
{
    const struct nsight_thread *thread = nsight_thread_of(&reading->tracks, thread_id);
    const int64_t key = (int64_t)(thread - reading->tracks.threads) << 32 | name;
    int32_t known = id_map_find(&reading->steps_by_key, key);
    if (known == ID_MAP_ABSENT) {
        id_map_set(&reading->steps_by_key, key, (int32_t)reading->step_count);
        reading->steps = arena_grow(reading->arena, reading->steps, reading->step_count,
                                    &reading->step_capacity, sizeof *reading->steps);
        reading->steps[reading->step_count++] = (struct nsight_steps){start_ns, step->value, 0};
        return;
    }
    struct nsight_steps *steps = &reading->steps[known];
    if (steps->last > step_most) /* nobody counts so far */
        return;
    if (start_ns >= steps->last_start_ns && step->value + steps->shift <= steps->last)
        steps->shift = steps->last + 1 - step->value;
    step->value += steps->shift;
    reading->shifted_count += steps->shift != 0;
    if (start_ns >= steps->last_start_ns) {
        steps->last_start_ns = start_ns;
        steps->last = step->value;
    }
}

static bool range_take(struct nsight_reading *reading, const struct export_rows *rows,
                       void *context, struct err *err)
{
    struct event_note note = {0};
    struct nsight_span span;
    uint32_t text;
    int64_t thread, end, type = NVTX_PUSH_POP;
    (void)context;
    (void)export_integer(rows, HOST_TYPE, &type);
    if (type == NVTX_CATEGORY || type == NVTX_THREAD || type == NVTX_DOMAIN)
        return true; /* names of things */
    if (export_integer(rows, HOST_END, &end) == CELL_EMPTY) {
        const bool is_range = type == NVTX_PUSH_POP || type == NVTX_START_END;
        reading->fates[is_range ? FATE_OPEN : FATE_MARK]++;
        reading->row_count++;
        return true;
    }
    if (!nsight_span_read(reading, rows, HOST_START, HOST_END, &span))
        return true;
    (void)export_integer(rows, HOST_THREAD, &thread);
    if (!nsight_range_text(reading, rows, (const int[]){HOST_TEXT, HOST_NAME}, &text, err))
        return false;
    const char *shown = catalog_text(reading->catalog, text);
    const struct range_name name = range_name_read(shown, strlen(shown), reading->step_range);
    reading->has_steps = reading->has_steps || name.kind == RANGE_STEP || name.kind == RANGE_MODULE;
    if (name.kind == RANGE_STEP) {
        note.step = name.step;
        note.is_root = true;
        text = strings_add(&reading->catalog->strings, name.name.start, name.name.length);
        step_number(reading, thread, text, span.start_ns, &note.step);
    } else if (name.kind != RANGE_OTHER) {
        const struct range_place place = {thread, span.start_ns, span.end_ns};
        launch_ranges_add(&reading->ranges, &place, text, &name);
    }
    const struct host_place place = {thread, type == NVTX_START_END ? THREAD_SPANS : THREAD_RANGES};
    return host_event_add(reading, &span, place, text, &note, err);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static bool call_take(struct nsight_reading *reading, const struct export_rows *rows, void *context,
                      struct err *err)
{
    const enum thread_layer *layer = context;
    struct event_note note = {0};
    struct nsight_span span;
    uint32_t text = reading->unnamed;
    int64_t thread, id;
    if (!nsight_span_read(reading, rows, HOST_START, HOST_END, &span))
        return true;
    (void)export_integer(rows, HOST_THREAD, &thread);
    if (export_integer(rows, HOST_NAME, &id) == CELL_VALUE &&
        !nsight_text_of_id(reading, id, &text, err))
        return false;
    reading->unnamed_count += text == reading->unnamed;
    note.correlation = nsight_correlation(reading, rows, HOST_CORRELATION, thread);
    if (note.correlation.set && reading->ranges.thread_count > 0)
        launch_add(&reading->ranges, thread, span.start_ns, note.correlation.value);
    return host_event_add(reading, &span, (struct host_place){thread, *layer}, text, &note, err);
}

bool nsight_threads_read(struct nsight_reading *reading, struct err *err)
{
    if (!nsight_rows_read(reading, &ranges_table, range_take, NULL, err))
        return false;
    launch_ranges_nest(&reading->ranges);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        enum thread_layer layer = calls[i].layer;
        if (!nsight_rows_read(reading, &calls[i].table, call_take, &layer, err))
            return false;
    }
    return true;
}
