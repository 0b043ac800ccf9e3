/* Planes and lines of an export that was read, and what is said of the rest. */
#include "ingest/nsight/nsight_reading.h"

#include "ops/runtime/file.h"

#include <inttypes.h>
#include <string.h>

enum { FACTS_MOST = 16, TRACED_BYTES_MAX = 256 };

/* What is known of one plane, for ops_load. */
struct made_plane {
    const struct nsight_reading *reading;
    const struct nsight_ops *ops;
    struct fact_stat facts[FACTS_MOST];
    size_t fact_count;
};

/* ---- ops ------------------------------------------------------------------------------------- */

static void text_set(const struct catalog *catalog, uint32_t number, struct stat_value *value)
{
    const char *text = catalog_text(catalog, number);
    if (text != NULL)
        *value = (struct stat_value){.type = STAT_TEXT, .text = text, .length = strlen(text)};
}

static bool op_take(const struct nsight_op *source, const struct launch_context *context,
                    struct plane_ops *ops, struct err *err)
{
    struct stat_value values[STAT_KIND_COUNT] = {{0}};
    text_set(ops->catalog, context->module, &values[STAT_HLO_MODULE]);
    text_set(ops->catalog, context->op, &values[STAT_HLO_OP]);
    text_set(ops->catalog, context->path, &values[STAT_TF_OP]);
    if (context->program.set)
        values[STAT_PROGRAM_ID] =
            (struct stat_value){.type = STAT_INT, .signed_value = context->program.value};
    return plane_ops_make(ops,
                          &(struct op_source){.name = catalog_text(ops->catalog, source->name),
                                              .values = values,
                                              .own_values = values},
                          err);
}

static bool ops_load(struct xplane *plane, struct catalog *catalog,
                     const struct ingest_limits *limits, struct err *err)
{
    const struct made_plane *made = plane->format;
    plane_ops_init(plane, catalog, limits);
    plane_facts_load(made->facts, made->fact_count, &plane->ops);
    for (size_t i = 0; i < made->ops->count; i++) {
        const struct nsight_op *op = &made->ops->items[i];
        if (!op_take(op, &made->reading->ranges.contexts[op->context], &plane->ops, err))
            return false;
    }
    return true;
}

/* ---- facts ----------------------------------------------------------------------------------- */

static void text_fact(struct made_plane *made, const char *name, const char *text)
{
    if (text != NULL)
        made->facts[made->fact_count++] = (struct fact_stat){.name = name, .text = text};
}

static void number_fact(struct made_plane *made, const char *name, struct opt_i64 number)
{
    if (number.set)
        made->facts[made->fact_count++] = (struct fact_stat){.name = name, .number = number};
}

/* When the capture began or ended, in ns since 1970, where its clock is known. */
static struct opt_i64 epoch_ns(const struct nsight_reading *reading, int64_t time_ns)
{
    int64_t ns;
    if (!reading->facts.epoch_ns.set || !reading->has_base ||
        __builtin_add_overflow(reading->facts.epoch_ns.value, time_ns, &ns))
        return (struct opt_i64){0};
    return some_i64(ns);
}

/* What was traced slows the run as options of a profiler do. */
static const char *traced_text(const struct nsight_reading *reading)
{
    static const char *const names[TRACED_COUNT] = {
#define NSIGHT_TRACED_TEXT(name, text) [TRACED_##name] = text,
        NSIGHT_TRACED(NSIGHT_TRACED_TEXT)
#undef NSIGHT_TRACED_TEXT
    };
    scoped_text text;
    text_init(&text, TRACED_BYTES_MAX);
    text_add(&text, "Nsight Systems");
    for (int i = 0, count = 0; i < TRACED_COUNT; i++) {
        if (reading->traced >> i & 1)
            text_addf(&text, "%s%s", count++ == 0 ? ": " : ", ", names[i]);
    }
    return text_keep_start(&text, reading->arena);
}

static void capture_facts(struct made_plane *made)
{
    const struct nsight_reading *reading = made->reading;
    text_fact(made, "profile_options", traced_text(reading));
    number_fact(made, "cuda_driver_version", reading->facts.cuda_driver);
    number_fact(made, "profile_start_time", epoch_ns(reading, reading->first_ns));
    number_fact(made, "profile_stop_time", epoch_ns(reading, reading->last_ns));
    for (int i = 0; i < NSIGHT_LAUNCHERS; i++) { /* the first one that tells both */
        const struct opt_i64 rank = reading->facts.ranks[i], count = reading->facts.counts[i];
        if (!rank.set || !count.set || rank.value >= count.value)
            continue;
        number_fact(made, "process_index", rank);
        number_fact(made, "process_count", count);
        break;
    }
}

static void gpu_facts(struct made_plane *made, int64_t id)
{
    const struct nsight_facts *facts = &made->reading->facts;
    for (size_t i = 0; i < facts->gpu_count; i++) {
        const struct nsight_gpu *gpu = &facts->gpus[i];
        if (gpu->id != id)
            continue;
        text_fact(made, "device_vendor", "Nvidia");
        text_fact(made, "device_type_string", gpu->name);
        number_fact(made, "clock_rate", gpu->clock_khz);
        number_fact(made, "core_count", gpu->cores);
        number_fact(made, "memory_size", gpu->memory_bytes);
        number_fact(made, "memory_bandwidth", gpu->bandwidth);
        number_fact(made, "compute_cap_major", gpu->major);
        number_fact(made, "compute_cap_minor", gpu->minor);
        return;
    }
}

/* ---- planes ---------------------------------------------------------------------------------- */

static struct xline *line_fill(const struct nsight_reading *reading, struct xplane *plane,
                               int32_t stored, int64_t id, const char *name)
{
    struct xline *line = &plane->lines[plane->line_count++];
    *line = (struct xline){
        .id = id,
        .stored = stored,
        .end = event_store_bytes(&reading->store, stored),
        .timestamp_ns = reading->base_ns,
        .event_count = 1, /* at least: it was made for one */
        .name = name,
    };
    return line;
}

/* A plane with room for its lines. */
static struct xplane *plane_begin(struct nsight_reading *reading, const struct nsight_ops *ops,
                                  size_t lines, struct made_plane **ret_made)
{
    struct xspace *space = reading->space;
    struct xplane *plane = &space->planes[space->plane_count];
    struct made_plane *made = arena_new(reading->arena, struct made_plane);
    *made = (struct made_plane){.reading = reading, .ops = ops};
    *plane = (struct xplane){.space = space,
                             .index = (uint32_t)space->plane_count,
                             .lines = arena_array(reading->arena, struct xline, lines),
                             .entry_count = (int64_t)ops->count,
                             .format = made};
    if (space->plane_count++ == 0)
        capture_facts(made);
    *ret_made = made;
    return plane;
}

static void plane_end(struct nsight_reading *reading, struct xplane *plane,
                      const struct made_plane *made)
{
    plane->process = plane->name;
    plane->head = plane_head_make(made->facts, made->fact_count, reading->arena);
}

/* No stream has this number. */
enum { RUN_LINE_ID = -1 };

static void device_fill(struct nsight_reading *reading, const struct nsight_device *device)
{
    struct made_plane *made;
    struct xplane *plane = plane_begin(reading, &device->ops, device->stream_count + 1, &made);
    plane->name = arena_printf(reading->arena, "/device:GPU:%" PRId64, device->number);
    gpu_facts(made, device->id);
    for (size_t i = 0; i < device->stream_count; i++) {
        const struct nsight_stream *stream = &device->streams[i];
        const char *name = arena_printf(reading->arena, "Stream #%" PRId64, stream->id);
        (void)line_fill(reading, plane, stream->line, stream->id, name);
    }
    if (device->run_line >= 0)
        (void)line_fill(reading, plane, device->run_line, RUN_LINE_ID, "XLA Modules");
    plane_end(reading, plane, made);
}

/* The lines of a thread, by layers. */
static void thread_fill(struct nsight_reading *reading, struct xplane *plane,
                        const struct nsight_thread *thread)
{
    static const char *const layers[THREAD_LAYER_COUNT] = {
#define THREAD_LAYER_TEXT(name, text) [THREAD_##name] = text,
        THREAD_LAYERS(THREAD_LAYER_TEXT)
#undef THREAD_LAYER_TEXT
    };
    enum { TID_MASK = (1 << 24) - 1 };
    const int32_t process = nsight_process_of(&reading->tracks, thread->id);
    for (int layer = 0; layer < THREAD_LAYER_COUNT; layer++) {
        if (thread->lines[layer] < 0)
            continue;
        const char *name =
            arena_printf(reading->arena, "%s: %s", thread->name != NULL ? thread->name : "thread",
                         layers[layer]);
        line_fill(reading, plane, thread->lines[layer], thread->id & TID_MASK, name)->process =
            process;
    }
}

/* ---- what is said ---------------------------------------------------------------------------- */

static void notes_fill(struct nsight_reading *reading, bool guessed)
{
    static const char *const texts[FATE_COUNT + 1] = {
#define NSIGHT_FATE_TEXT(name, text) [FATE_##name] = text,
        NSIGHT_FATES(NSIGHT_FATE_TEXT)
#undef NSIGHT_FATE_TEXT
            [FATE_COUNT] = "are larger than can be read at once"};
    struct notes *said = &reading->said;
    int64_t counts[FATE_COUNT + 1];
    memcpy(counts, reading->fates, sizeof reading->fates);
    counts[FATE_COUNT] = reading->db.huge_rows;
    notes_fates(said, &(struct fate_list){"rows of the export",
                                          reading->row_count + reading->db.huge_rows, texts, counts,
                                          FATE_COUNT + 1});
    if (!reading->has_kernels && reading->has_copies)
        NOTE(said, "The export has copies, but no table of kernels (CUPTI_ACTIVITY_KIND_KERNEL): "
                   "it holds a part of its report, or nothing but copies ran on its GPUs.");
    else if (!reading->has_kernels)
        NOTE(said, "The export has no table of kernels (CUPTI_ACTIVITY_KIND_KERNEL): CUDA was not "
                   "traced (nsys profile --trace=cuda,nvtx), or nothing ran on a GPU. Nothing is "
                   "known of devices.");
    if (reading->unnamed_count > 0)
        NOTE(said, "%" PRId64 " %s a name that the table StringIds lacks, and %s called %s.",
             reading->unnamed_count, reading->unnamed_count == 1 ? "event has" : "events have",
             reading->unnamed_count == 1 ? "is" : "are",
             catalog_text(reading->catalog, reading->unnamed));
    if (reading->graph_count > 0)
        NOTE(said,
             "%" PRId64 " %s traced as a whole, without kernels: nsys profile "
             "--cuda-graph-trace=node tells them apart.",
             reading->graph_count,
             reading->graph_count == 1 ? "CUDA graph was" : "CUDA graphs were");
    if (!reading->has_steps)
        NOTE(said, "%s",
             reading->step_range == NULL
                 ? "No NVTX range is named as steps are (train 12, step 12, Iteration 12), and "
                   "none tells which program of XLA ran: --step-range says which ranges are steps."
                 : "No NVTX range is one that --step-range names: its expression must match the "
                   "range's name, and its group whole digits.");
    if (reading->shifted_count > 0)
        NOTE(said,
             "The numbers of steps begin again, as those of an epoch do: %" PRId64 " steps are "
             "counted on from the ones before.",
             reading->shifted_count);
    if (guessed)
        NOTE(said, "Several processes have a device of the same number, and the export does not "
                   "say which GPUs these are: they were taken for different ones.");
    reading->space->notes = notes_list(said);
}

void nsight_space_fill(struct nsight_reading *reading)
{
    struct xspace *space = reading->space;
    struct nsight_tracks *tracks = &reading->tracks;
    struct made_plane *made;
    bool guessed;
    nsight_devices_number(tracks, &guessed);
    space->ops_load = ops_load;
    space->planes = arena_array(reading->arena, struct xplane, tracks->device_count + 1);
    for (size_t i = 0; i < tracks->device_count; i++)
        device_fill(reading, &tracks->devices[i]);
    struct xplane *host =
        plane_begin(reading, &tracks->host_ops, tracks->thread_count * THREAD_LAYER_COUNT, &made);
    host->name = "/host:CPU";
    for (size_t i = 0; i < tracks->thread_count; i++)
        thread_fill(reading, host, &tracks->threads[i]);
    plane_end(reading, host, made);
    notes_fill(reading, guessed);
    space->event_count = reading->row_count;
    space->exact_most = STORED_EXACT_EVENTS;
    space->line_count = tracks->line_count;
    space->dropped.zero = reading->fates[FATE_ZERO];
    space->unread_bytes = reading->db.broken_count > 0;
    if (space->unread_bytes > 0)
        space->unread_note =
            arena_printf(reading->arena, "'%s' is broken, and what is not whole was not read.",
                         path_base(space->input.path));
    space->host = reading->facts.host;
}
