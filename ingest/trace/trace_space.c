/* Planes and lines of a trace that was read, and what is said of the rest. */
#include "ingest/source/source.h"
#include "ingest/trace/trace_reading.h"
#include "ingest/trace/trace_table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- PyTorch --------------------------------------------------------------------------------- */

/* PyTorch names all processes after the program, and labels them by what they run on: they get the
 * names that other profilers give to such processes. */
static const char *process_name(const struct trace_reading *reading,
                                const struct trace_process *process, bool *ret_labelled)
{
    size_t kind;
    int device = trace_device_number(process->labels, &kind);
    *ret_labelled = device >= 0;
    if (process->labels != NULL && strcmp(process->labels, "CPU") == 0)
        return "/host:CPU";
    if (device >= 0)
        return arena_printf(reading->arena, "/device:%.*s:%d", (int)kind, process->labels, device);
    return process->name == NULL ? "" : process->name;
}

static const char *thread_name(const struct trace_reading *reading,
                               const struct trace_thread *thread, enum trace_layer layer,
                               bool labelled)
{
    static const char stream[] = "stream ";
    if (!labelled)
        return thread->name == NULL ? "" : thread->name;
    if (layer == LAYER_MARKS)
        return "Annotations";
    const char *text =
        thread->tid < 0 ? catalog_text(reading->catalog, (uint32_t)-thread->tid) : NULL;
    if (text != NULL && strncmp(text, stream, sizeof stream - 1) == 0)
        text += sizeof stream - 1;
    return text != NULL ? arena_printf(reading->arena, "Stream #%s", text)
                        : arena_printf(reading->arena, "Stream #%" PRId64, thread->tid);
}

/* ---- facts ----------------------------------------------------------------------------------- */

enum { FACTS_MOST = 8 };

static void fact_put(struct fact_stat *facts, size_t *count, const char *name, const char *value)
{
    if (value != NULL)
        facts[(*count)++] = (struct fact_stat){.name = name, .text = value};
}

static void number_put(struct fact_stat *facts, size_t *count, const char *name,
                       struct opt_i64 number)
{
    if (number.set)
        facts[(*count)++] = (struct fact_stat){.name = name, .number = number};
}

/* When the trace begins or ends, in ns since 1970, where its clock is known. */
static struct opt_i64 epoch_ns(const struct trace_reading *reading, double time_us)
{
    const double most_us = 9e15;
    int64_t ns;
    if (!reading->root.base_ns.set || !(fabs(time_us) < most_us) ||
        __builtin_add_overflow(reading->root.base_ns.value, (int64_t)llround(time_us * 1e3), &ns))
        return (struct opt_i64){0};
    return some_i64(ns);
}

/* What a device is: as its number says; where that is none of the list's, because the numbers are
 * of the host and the list of what the job sees, as all of them are. */
static const char *device_type(const struct trace_root *root, int device)
{
    const char *any = NULL;
    if (device < 0 || root->devices == NULL)
        return NULL;
    if (device < (int)root->device_count && root->devices[device] != NULL)
        return root->devices[device];
    for (size_t i = 0; i < root->device_count; i++) {
        if (root->devices[i] != NULL && any != NULL && strcmp(any, root->devices[i]) != 0)
            return NULL;
        any = root->devices[i] != NULL ? root->devices[i] : any;
    }
    return any;
}

static void facts_build(const struct trace_reading *reading, struct trace_process *process,
                        bool is_first)
{
    const struct trace_root *root = &reading->root;
    struct fact_stat *facts = arena_array(reading->arena, struct fact_stat, FACTS_MOST);
    static const char named[] = "/device:";
    size_t kind, count = 0;
    const int device = trace_device_number(process->labels, &kind);
    /* named as a device, and labelled with what it is: as `convert` writes it */
    const bool is_named = process->name != NULL && process->labels != NULL && device < 0 &&
                          strncmp(process->name, named, sizeof named - 1) == 0;
    fact_put(facts, &count, "device_type_string",
             is_named ? process->labels : device_type(root, device));
    if (is_first) {
        fact_put(facts, &count, "cuda_runtime_version", root->cuda_runtime);
        fact_put(facts, &count, "cuda_driver_version", root->cuda_driver);
        fact_put(facts, &count, "process_groups",
                 trace_groups_text(&reading->groups, reading->arena));
        number_put(facts, &count, "process_index",
                   root->rank.set ? root->rank : trace_groups_rank(&reading->groups));
        number_put(facts, &count, "process_count", root->world_size);
        number_put(facts, &count, "profile_start_time", epoch_ns(reading, reading->first_us));
        number_put(facts, &count, "profile_stop_time", epoch_ns(reading, reading->last_us));
    }
    process->facts = facts;
    process->fact_count = count;
}

static bool ops_load(struct xplane *plane, struct catalog *catalog,
                     const struct ingest_limits *limits, struct err *err)
{
    const struct trace_process *process = plane->format;
    struct plane_ops *ops = &plane->ops;
    plane_ops_init(plane, catalog, limits);
    ops->step_by_group = process->step_by_group;
    plane_facts_load(process->facts, process->fact_count, ops);
    return trace_ops_build(&process->ops, ops, err);
}

/* ---- planes ---------------------------------------------------------------------------------- */

static void plane_fill(const struct trace_reading *reading, struct trace_process *process,
                       struct xplane *plane)
{
    bool labelled;
    *plane = (struct xplane){.space = reading->space,
                             .index = process->place,
                             .line_count = process->line_count,
                             .entry_count = (int64_t)process->ops.count,
                             .format = process};
    plane->lines = arena_array(reading->arena, struct xline, process->line_count);
    plane->process = plane->name = process_name(reading, process, &labelled);
    facts_build(reading, process, process->place == 0);
    process->step_by_group = reading->step_by_group;
    plane->head = plane_head_make(process->facts, process->fact_count, reading->arena);
    for (size_t t = 0; t < process->thread_count; t++) {
        const struct trace_thread *thread = &process->threads[t];
        for (int layer = 0; layer < LAYER_COUNT; layer++) {
            if (thread->lines[layer] < 0)
                continue;
            plane->lines[thread->places[layer]] = (struct xline){
                .id = thread->tid,
                .stored = thread->lines[layer],
                .end = event_store_bytes(&reading->store, thread->lines[layer]),
                .timestamp_ns = reading->base_us * 1000,
                .event_count = 1, /* at least: it was made for one */
                .name = thread_name(reading, thread, (enum trace_layer)layer, labelled),
            };
        }
    }
}

/* ---- what is said ---------------------------------------------------------------------------- */

/* What makes the reference refuse the file. */
static void warnings_fill(struct trace_reading *reading)
{
    struct notes said = {.arena = reading->arena};
    if (reading->is_array)
        NOTE(&said, "The trace is a bare array of events, without an object around it.");
    if (reading->text_ids > 0)
        NOTE(&said, "%" PRId64 " %s a process or thread that is a text: read as one of that name.",
             reading->text_ids, reading->text_ids == 1 ? "event has" : "events have");
    if (reading->fates[FATE_ODD] > 0)
        NOTE(&said, "%" PRId64 " %s members of another type than the format has, and %s left out.",
             reading->fates[FATE_ODD], reading->fates[FATE_ODD] == 1 ? "item holds" : "items hold",
             reading->fates[FATE_ODD] == 1 ? "was" : "were");
    if (reading->broken_count > 0)
        NOTE(&said,
             "Places where the text makes no sense: %" PRId64 ", the first at byte %" PRId64
             ". What stands there was left out.",
             reading->broken_count, reading->broken_at);
    trace_end_note(reading, &said);
    reading->space->warnings = notes_list(&said);
}

static bool has_device(const struct trace_reading *reading)
{
    for (size_t i = 0; i < reading->tracks.process_count; i++) {
        const struct trace_process *process = &reading->tracks.processes[i];
        size_t kind;
        if (process->line_count > 0 && trace_device_number(process->labels, &kind) >= 0)
            return true;
    }
    return false;
}

static void notes_fill(struct trace_reading *reading)
{
    /* So many events a writer keeps at most: JAX and TensorFlow, and newer ones. */
    static const int64_t writer_caps[] = {1000000, 5000000};
    static const char *const texts[FATE_COUNT] = {
#define TRACE_FATE_TEXT(name, text) [FATE_##name] = text,
        TRACE_FATES(TRACE_FATE_TEXT)
#undef TRACE_FATE_TEXT
    };
    struct notes said = {.arena = reading->arena};
    notes_fates(&said, &(struct fate_list){"items of the trace", reading->item_count, texts,
                                           reading->fates, FATE_COUNT});
    if (reading->is_torch && reading->kernel_count > 0 && !has_device(reading))
        NOTE(&said,
             "Nothing says of which device %" PRId64 " kernels and copies are (process_labels like "
             "`GPU 0`), so they are in no op and no step: `stepledger table kernels` lists them.",
             reading->kernel_count);
    else if (reading->is_torch && reading->fates[FATE_ODD] == 0 && !has_device(reading))
        note_add(&said, "PyTorch recorded no device: " TRACE_TORCH_REMEDY ".");
    for (size_t i = 0; i < sizeof writer_caps / sizeof writer_caps[0]; i++) {
        if (reading->complete_count == writer_caps[i])
            NOTE(&said,
                 "The trace has exactly %" PRId64 " events, as many as its writer keeps: events "
                 "are missing, and so may ops and steps. The XPlane file of the capture has them.",
                 reading->complete_count);
    }
    reading->space->notes = notes_list(&said);
}

static void counts_fill(struct trace_reading *reading)
{
    struct xspace *space = reading->space;
    space->said = arena_new(reading->arena, struct stated_counts);
    *space->said = (struct stated_counts){reading->root.time_unit, reading->tracks.named_processes,
                                          reading->tracks.named_threads};
    space->is_torch = reading->is_torch;
    space->event_count = reading->item_count;
    space->exact_most = STORED_EXACT_EVENTS;
    space->line_count = reading->tracks.line_count;
    space->dropped = (struct dropped_events){.counter = reading->fates[FATE_COUNTER],
                                             .zero = reading->fates[FATE_ZERO],
                                             .nameless = reading->fates[FATE_NAMELESS]};
    if (reading->root.host != NULL)
        space->host = reading->root.host;
    trace_end_fill(reading, space);
}

void trace_space_fill(struct trace_reading *reading)
{
    struct xspace *space = reading->space;
    struct trace_tracks *tracks = &reading->tracks;
    space->ops_load = ops_load;
    trace_tracks_name(tracks);
    space->planes = arena_array(reading->arena, struct xplane, tracks->used_processes);
    space->plane_count = tracks->used_processes;
    for (size_t i = 0; i < tracks->process_count; i++) {
        struct trace_process *process = &tracks->processes[i];
        if (process->line_count > 0)
            plane_fill(reading, process, &space->planes[process->place]);
    }
    counts_fill(reading);
    warnings_fill(reading);
    notes_fill(reading);
}
