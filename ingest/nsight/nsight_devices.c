/* Rows of what happened on devices: kernels, copies, whole graphs. */
#include "ingest/nsight/nsight_reading.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEV_START,
    DEV_END,
    DEV_DEVICE,
    DEV_CONTEXT,
    DEV_STREAM,
    DEV_PROCESS,
    DEV_CORRELATION,
    DEV_NAME,
    DEV_SHORT_NAME,
    DEV_COPY_KIND
};

enum { DEVICES_MOST = 4096 };

#define DEV_REQUIRED (1U << DEV_START | 1U << DEV_END | 1U << DEV_DEVICE)
#define DEV_COLUMNS \
    "start", "end", "deviceId", "contextId", "streamId", "globalPid", "correlationId"

enum device_rows { ROWS_KERNEL, ROWS_COPY, ROWS_SET, ROWS_GRAPH, ROWS_COUNT };

static const struct export_table tables[ROWS_COUNT] = {
    [ROWS_KERNEL] = {"CUPTI_ACTIVITY_KIND_KERNEL",
                     1U << TRACED_CUDA,
                     DEV_REQUIRED,
                     {DEV_COLUMNS, "demangledName", "shortName"}},
    [ROWS_COPY] = {"CUPTI_ACTIVITY_KIND_MEMCPY",
                   1U << TRACED_CUDA,
                   DEV_REQUIRED,
                   {DEV_COLUMNS, NULL, NULL, "copyKind"}},
    [ROWS_SET] = {"CUPTI_ACTIVITY_KIND_MEMSET", 1U << TRACED_CUDA, DEV_REQUIRED, {DEV_COLUMNS}},
    [ROWS_GRAPH] = {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                    1U << TRACED_GRAPHS,
                    DEV_REQUIRED,
                    {DEV_COLUMNS}},
};

/* ---- names ----------------------------------------------------------------------------------- */

static bool row_name(struct nsight_reading *reading, const struct export_rows *rows,
                     enum device_rows kind, uint32_t *ret_name, struct err *err)
{
    int64_t copy = 0;
    const char *name;
    if (kind == ROWS_KERNEL)
        return nsight_kernel_name(reading, rows, (const int[]){DEV_NAME, DEV_SHORT_NAME}, ret_name,
                                  err);
    if (kind == ROWS_COPY)
        (void)export_integer(rows, DEV_COPY_KIND, &copy);
    reading->graph_count += kind == ROWS_GRAPH;
    name = kind == ROWS_COPY ? nsight_copy_name(copy) : kind == ROWS_SET ? "Memset" : "CUDA graph";
    *ret_name = strings_add(&reading->catalog->strings, name, strlen(name));
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Widens the run that an event is of; copies alone tell no run. */
static void run_take(struct nsight_reading *reading, struct nsight_device *device,
                     struct launch_origin origin, const struct nsight_span *span)
{
    if (origin.run == NO_RUN || !reading->has_kernels)
        return;
    int32_t known = id_map_find(&device->run_by_number, origin.run);
    if (known == ID_MAP_ABSENT) {
        id_map_set(&device->run_by_number, origin.run, (int32_t)device->run_count);
        device->runs = arena_grow(reading->arena, device->runs, device->run_count,
                                  &device->run_capacity, sizeof *device->runs);
        device->runs[device->run_count++] =
            (struct nsight_run){origin.context, span->start_ns, span->end_ns};
        return;
    }
    struct nsight_run *run = &device->runs[known];
    if (span->start_ns < run->start_ns)
        run->start_ns = span->start_ns;
    if (span->end_ns > run->end_ns)
        run->end_ns = span->end_ns;
}

static bool row_add(struct nsight_reading *reading, const struct export_rows *rows,
                    enum device_rows kind, const struct nsight_span *span, struct err *err)
{
    struct nsight_tracks *tracks = &reading->tracks;
    struct nsight_stream stream = {0};
    struct event_note note = {0};
    int64_t device_id, global_pid;
    uint32_t name;
    if (export_integer(rows, DEV_DEVICE, &device_id) != CELL_VALUE || device_id < 0 ||
        device_id >= DEVICES_MOST || export_integer(rows, DEV_PROCESS, &global_pid) == CELL_ODD ||
        export_integer(rows, DEV_CONTEXT, &stream.context) == CELL_ODD ||
        export_integer(rows, DEV_STREAM, &stream.id) == CELL_ODD ||
        tracks->device_count >= DEVICES_MOST) {
        reading->fates[FATE_ODD]++;
        return true;
    }
    struct nsight_device *device = nsight_device_of(tracks, global_pid, device_id);
    stream.process = global_pid == 0 ? 0 : nsight_process_of(tracks, global_pid);
    const int32_t line = nsight_stream_line(tracks, device, &stream);
    if (!row_name(reading, rows, kind, &name, err))
        return false;
    note.correlation = nsight_correlation(reading, rows, DEV_CORRELATION, global_pid);
    const struct launch_origin origin = launch_origin_of(&reading->ranges, note.correlation);
    const int32_t op = nsight_op_find(&device->ops, name, origin.context, reading->arena);
    run_take(reading, device, origin, span);
    return limit_check(reading->limits, max_metadata, (int64_t)device->ops.count,
                       reading->space->input.path, err) &&
           nsight_event_add(reading, line, span, op, &note, err);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* A table while it is read beside the others. */
struct table_reading {
    struct export_rows rows;
    struct nsight_span span; /* of its next event */
    bool any;
};

static void readings_done(struct table_reading (*readings)[ROWS_COUNT])
{
    for (int kind = 0; kind < ROWS_COUNT; kind++)
        export_rows_close(&(*readings)[kind].rows);
}

/* Goes on to the table's next row that is an event. */
static bool reading_next(struct nsight_reading *reading, struct table_reading *table,
                         struct err *err)
{
    do {
        if (!export_rows_next(&table->rows, &table->any, err))
            return false;
    } while (table->any &&
             !nsight_span_read(reading, &table->rows, DEV_START, DEV_END, &table->span));
    return true;
}

static bool readings_open(struct nsight_reading *reading, struct table_reading *tables_read,
                          struct err *err)
{
    for (int kind = 0; kind < ROWS_COUNT; kind++) {
        struct table_reading *table = &tables_read[kind];
        if (!export_rows_open(&table->rows, &reading->db, &tables[kind], err))
            return false;
        const bool found = table->rows.statement != NULL;
        reading->traced |= found ? tables[kind].traced : 0;
        *(kind == ROWS_KERNEL || kind == ROWS_GRAPH ? &reading->has_kernels
                                                    : &reading->has_copies) |= found;
        if (!reading_next(reading, table, err))
            return false;
    }
    if (reading->has_copies && !reading->has_kernels)
        reading->traced |= 1U << TRACED_COPIES;
    return true;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static int compare_runs(const void *a, const void *b)
{
    const struct nsight_run *left = a, *right = b;
    if (left->start_ns != right->start_ns)
        return left->start_ns < right->start_ns ? -1 : 1;
    return (left->end_ns < right->end_ns) - (left->end_ns > right->end_ns);
}

/* The op of a program's runs, by the name that XPlane files have for it: `jit_f(3)`. */
static int32_t run_op(struct nsight_reading *reading, struct nsight_device *device,
                      uint32_t context_number)
{
    const struct launch_context *context = &reading->ranges.contexts[context_number];
    const char *module = catalog_text(reading->catalog, context->module), *name = module;
    if (context->program.set)
        name = arena_printf(reading->arena, "%s(%" PRId64 ")", module, context->program.value);
    const uint32_t text = strings_add(&reading->catalog->strings, name, strlen(name));
    return nsight_op_find(&device->ops, text, NO_CONTEXT, reading->arena);
}

/* The runs as events of a line of their own. */
static bool device_runs_store(struct nsight_reading *reading, struct nsight_device *device,
                              struct err *err)
{
    static const struct event_note no_note = {0};
    if (device->run_count == 0)
        return true;
    device->run_line = event_store_line(&reading->store);
    reading->tracks.line_count++;
    qsort(device->runs, device->run_count, sizeof *device->runs, compare_runs);
    for (size_t i = 0; i < device->run_count; i++) {
        const struct nsight_run *run = &device->runs[i];
        struct nsight_span span = {.start_ns = run->start_ns, .end_ns = run->end_ns};
        if (nsight_span_place(reading, &span) &&
            !nsight_event_add(reading, device->run_line, &span,
                              run_op(reading, device, run->context), &no_note, err))
            return false;
    }
    return true;
}

/* The tables share streams: they are read side by side, so that events come in order. */
bool nsight_devices_read(struct nsight_reading *reading, struct err *err)
{
    __attribute__((cleanup(readings_done))) struct table_reading beside[ROWS_COUNT];
    memset(beside, 0, sizeof beside);
    if (!readings_open(reading, beside, err))
        return false;
    for (;;) {
        int first = ROWS_COUNT;
        for (int kind = 0; kind < ROWS_COUNT; kind++) {
            if (beside[kind].any &&
                (first == ROWS_COUNT || beside[kind].span.start_ns < beside[first].span.start_ns))
                first = kind;
        }
        if (first == ROWS_COUNT)
            break;
        struct table_reading *table = &beside[first];
        if (!row_add(reading, &table->rows, (enum device_rows)first, &table->span, err) ||
            !reading_next(reading, table, err) ||
            !arena_ok(reading->arena, "the events of a profile", err))
            return false;
    }
    for (size_t i = 0; i < reading->tracks.device_count; i++)
        if (!device_runs_store(reading, &reading->tracks.devices[i], err))
            return false;
    return true;
}
