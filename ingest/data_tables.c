/* The registry of tables: which kind of source gives which, and why another does not. */
#include "ingest/beside.h"
#include "ingest/captures.h"
#include "ingest/data_tables/data_tables.h"
#include "ingest/formats.h"
#include "ingest/made_tables.h"
#include "ingest/memory/memory.h"
#include "ingest/nsight/nsight.h"
#include "ingest/tables/tables.h"
#include "ingest/trace/trace.h"
#include "ingest/wire/wire.h"
#include "ingest/xprof/xprof.h"

#include <string.h>

/* Adds what one file holds to the rows. */
typedef bool table_read_fn(const struct profile_format *format, const struct profile_files *file,
                           const struct ingest_options *options, struct grouped_rows *rows,
                           struct err *err);

static bool export_read(const struct profile_format *format, const struct profile_files *file,
                        const struct ingest_options *options, struct grouped_rows *rows,
                        struct err *err)
{
    return format == &profile_formats[FORMAT_NSIGHT_REPORT]
               ? nsight_report_table_read(file->path, options, rows, err)
               : nsight_table_read(file->path, options, rows, err);
}

static bool trace_rows_read(const struct profile_format *format, const struct profile_files *file,
                            const struct ingest_options *options, struct grouped_rows *rows,
                            struct err *err)
{
    (void)format;
    return trace_table_read(file->path, options, rows, err);
}

static bool launches_read(const struct profile_format *format, const struct profile_files *file,
                          const struct ingest_options *options, struct grouped_rows *rows,
                          struct err *err)
{
    scoped_arena arena;
    scoped_profile profile = {0};
    const struct file_opener opener = {.open = format->open};
    arena_init_within(&arena, rows->arena);
    if (!profile_open(file, &opener, options, &arena, &profile, err))
        return false;
    if (options->leaves_broken && profile.event_count + profile.skipped_count == 0)
        return ingest_no_events(&(struct summary){.source_format = format->name}, file->path, "",
                                err);
    if (!launch_table_read(&profile, rows, err))
        return false;
    if (profile.spaces[0].unread_bytes > 0) {
        rows->cut = space_unread_told(&profile.spaces[0], rows->arena);
        if (options->warn != NULL)
            options->warn(file->path, rows->cut);
    }
    return true;
}

/* Of several files the rule of summaries holds: those of one device are not added up. */
static bool allocations_read(const struct profile_format *format, const struct profile_files *files,
                             const struct ingest_options *options, struct grouped_rows *rows,
                             struct err *err)
{
    struct summary summary = {0};
    const struct memory_files all = {files->files, files->file_count, true};
    (void)format;
    (void)options;
    return memory_take(&all, rows->arena, &summary, err) &&
           memory_rows_add(&summary.memory, rows, err);
}

/* The devices of a profile by name, as far as it can be opened: of others no memory is its own. */
static bool devices_name(const struct profile_files *profile, const struct ingest_options *options,
                         struct arena *arena, struct summary *summary, struct err *err)
{
    scoped_arena own;
    scoped_profile opened = {0};
    struct profile_files file;
    const struct profile_format *format;
    struct err broken = {0};
    arena_init_within(&own, arena);
    if (!file_alone(profile->files[0], &own, &file, err) ||
        !format_of_file(file.files[0], true, &format, err))
        return false;
    const struct file_opener opener = {.open = format->open};
    if (!profile_open(&file, &opener, options, &own, &opened, &broken)) {
        *err = broken;
        return broken.kind == ERR_INPUT;
    }
    summary->devices = arena_array(arena, struct device_row, opened.plane_count);
    for (size_t p = 0; p < opened.plane_count; p++) {
        struct device_row *device = &summary->devices[summary->device_count];
        if (!opened.planes[p].plane->is_device)
            continue;
        device->name = arena_strdup(arena, opened.planes[p].plane->name);
        summary->device_count++;
    }
    return true;
}

/* What lies beside a profile, as its summary takes it. */
static bool memory_beside_read(const struct profile_files *profile,
                               const struct ingest_options *options, struct grouped_rows *rows,
                               struct err *err)
{
    struct summary summary = {0};
    const struct memory_files beside = {profile->memory, profile->memory_count,
                                        options->strict_input};
    if (!devices_name(profile, options, rows->arena, &summary, err) ||
        !memory_take(&beside, rows->arena, &summary, err))
        return false;
    const struct string_list *said = &summary.coverage.warnings;
    if (!summary.has_memory)
        return err_set(err, ERR_INPUT, "no table 'allocations': %s",
                       said->count > 0 ? said->items[0] : "no memory lies beside the profile");
    for (size_t i = 0; i < said->count && options->warn != NULL; i++)
        options->warn(profile->path, said->items[i]);
    return memory_rows_add(&summary.memory, rows, err);
}

/* A way to read a table, or why there is none: a sentence behind the file's name. */
struct table_source {
    table_read_fn *read;
    const char *refusal;
    const char *nothing; /* why a file that could give it holds no row */
};

static const char only_memory[] =
    "is a device memory profile, which holds `allocations` and nothing else";

static const struct table_source sources[DATA_TABLE_COUNT][FORMAT_COUNT] = {
    [DATA_TABLE_kernels] =
        {
            [FORMAT_XPLANE] = {launches_read, NULL,
                               "records no launch of a kernel, as GPUs have them (of TPUs "
                               "`summarize` lists the ops)"},
            [FORMAT_TRACE] =
                {trace_rows_read, NULL,
                 "is a trace whose categories tell no kernel, as those of PyTorch do: give "
                 "the *.xplane.pb"},
            [FORMAT_NSIGHT] = {export_read, NULL,
                               "holds no kernel (CUPTI_ACTIVITY_KIND_KERNEL): CUDA was not traced "
                               "(nsys profile --trace=cuda), or nothing ran on a GPU"},
            [FORMAT_MEMORY] = {NULL, only_memory, NULL},
        },
    [DATA_TABLE_copies] =
        {
            [FORMAT_XPLANE] =
                {launches_read, NULL,
                 "records no copy or fill of a GPU's memory as one: kernels that copy or fill "
                 "(__amd_rocclr_copyBuffer) stand in `table kernels`"},
            [FORMAT_TRACE] =
                {trace_rows_read, NULL,
                 "is a trace whose categories tell no copy or fill of memory, as those of "
                 "PyTorch do: give the *.xplane.pb"},
            [FORMAT_NSIGHT] =
                {export_read, NULL,
                 "holds no copy or fill of memory (CUPTI_ACTIVITY_KIND_MEMCPY, …_MEMSET): "
                 "CUDA was not traced, or nothing was copied"},
            [FORMAT_MEMORY] = {NULL, only_memory, NULL},
        },
    [DATA_TABLE_ranges] =
        {
            [FORMAT_XPLANE] = {NULL,
                               "is an XPlane file, which does not tell the ranges that a program "
                               "marks from those of the runtime: `summarize` has steps and ops",
                               NULL},
            [FORMAT_TRACE] =
                {trace_rows_read, NULL,
                 "is a trace whose categories tell no range that the program marks, as those "
                 "of PyTorch do (user_annotation)"},
            [FORMAT_NSIGHT] = {export_read, NULL,
                               "holds no range (NVTX_EVENTS): NVTX was not traced "
                               "(nsys profile --trace=nvtx), or the program marks none"},
            [FORMAT_MEMORY] = {NULL, only_memory, NULL},
        },
    [DATA_TABLE_allocations] =
        {
            [FORMAT_XPLANE] = {NULL,
                               "is an XPlane file, which does not tell what memory is in use by "
                               "source line: save it with "
                               "jax.profiler.save_device_memory_profile(\"memory.prof\")",
                               NULL},
            [FORMAT_TRACE] = {NULL,
                              "is a trace in Chrome's JSON, which does not tell what memory is in "
                              "use by source line: save it with "
                              "jax.profiler.save_device_memory_profile(\"memory.prof\")",
                              NULL},
            [FORMAT_NSIGHT] = {NULL,
                               "is an export of Nsight Systems, which does not tell what memory is "
                               "in use by source line: save it with "
                               "jax.profiler.save_device_memory_profile(\"memory.prof\")",
                               NULL},
            [FORMAT_MEMORY] = {allocations_read, NULL, "tells of no allocation"},
        },
};

/* A report is read as the export that is made of it. */
static const struct table_source *source_of(enum data_table_id table,
                                            const struct profile_format *format)
{
    ptrdiff_t place = format - profile_formats;
    return &sources[table][place == FORMAT_NSIGHT_REPORT ? FORMAT_NSIGHT : place];
}

/* How a table is made; *ret_made NULL: it lies in the files and is *ret_table. */
static bool table_find(const char *name, enum data_table_id *ret_table,
                       const struct made_table **ret_made, struct err *err)
{
    const char *names[DATA_TABLE_COUNT + MADE_TABLES_MOST];
    size_t count = 0;
    *ret_made = made_table_find(name);
    for (size_t i = 0; i < DATA_TABLE_COUNT; i++) {
        names[count++] = table_kinds[i].name;
        if (strcmp(table_kinds[i].name, name) == 0) {
            *ret_table = (enum data_table_id)i;
            return true;
        }
    }
    for (size_t i = 0; i < made_table_count; i++)
        names[count++] = made_tables[i].name;
    return *ret_made != NULL || err_set(err, ERR_USAGE, "there is no table '%s'%s", name,
                                        text_choices(name, names, count).words);
}

/* Of all files of one kind that give the table: rows of them. */
struct file_reading {
    const struct table_request *request;
    const struct ingest_options *options;
    const struct profile_format *format; /* of the last file */
    struct grouped_rows *rows;
};

static bool file_read_table(struct file_reading *reading, enum data_table_id table,
                            const char *path, struct err *err)
{
    struct profile_files file;
    if (!file_alone(path, reading->rows->arena, &file, err) ||
        !format_of_file(file.files[0], reading->options->may_be_empty, &reading->format, err))
        return false;
    const struct table_source *source = source_of(table, reading->format);
    if (source->read == NULL)
        return err_set(err, ERR_INPUT, "no table '%s': '%s' %s", reading->request->name,
                       file.files[0], source->refusal);
    return source->read(reading->format, &file, reading->options, reading->rows, err);
}

static bool table_read_alone(const struct table_making *making, const struct made_table *made,
                             struct data_table *ret_table, struct err *err)
{
    struct summary summary;
    scoped_table_reading reading = {0};
    struct table_making own = *making;
    table_reading_init(&reading, making->arena);
    table_reading_ask(&reading, made);
    own.reading = &reading;
    return table_reading_take(&reading, making->profile, making->options, false, &summary, err) &&
           made_table_make(&own, made, ret_table, err);
}

bool ingest_table(const struct table_request *request, const struct profile_files *profile,
                  const struct ingest_options *options, struct arena *arena,
                  struct data_table *ret_table, struct err *err)
{
    enum data_table_id table = DATA_TABLE_COUNT;
    scoped_grouped rows = {0};
    struct ingest_options complete = *options;
    struct file_reading reading = {request, &complete, NULL, &rows};
    const struct made_table *made;
    limits_complete(&complete.limits);
    complete.peaks = request->peaks;
    complete.leaves_broken = !options->strict_input && profile->file_count > 1;
    complete.may_be_empty = options->strict_input && profile->file_count > 1;
    if (!table_find(request->name, &table, &made, err))
        return false;
    const struct table_making making = {request, profile, &complete, NULL, arena};
    if (profile->file_count == 1 && xprof_is_table(profile->files[0]))
        return xprof_table_show(&making, ret_table, err);
    if (made != NULL)
        return format_has_times(profile, "such table", err) &&
               table_read_alone(&making, made, ret_table, err);
    struct profile_files hosts;
    copies_leave(profile, &complete, arena, &hosts);
    const bool beside = table == DATA_TABLE_allocations && profile->memory_count > 0;
    if (!beside && !capture_check(&hosts, &complete, arena, err))
        return false;
    grouped_init(&rows, &table_kinds[table], arena);
    if (beside && !memory_beside_read(profile, &complete, &rows, err))
        return false;
    reading.format = &profile_formats[FORMAT_MEMORY];
    for (size_t i = 0; i < hosts.file_count && !beside;) {
        if (file_read_table(&reading, table, hosts.files[i], err)) {
            i++;
            continue;
        }
        if (!complete.leaves_broken || !broken_leave(&hosts, i, &complete, arena, err))
            return false;
        i = 0; /* what was read of it may be in the rows */
        grouped_done(&rows);
        grouped_init(&rows, &table_kinds[table], arena);
    }
    rows.file_count = hosts.file_count;
    if (rows.count == 0)
        return err_set(err, ERR_INPUT, "no table '%s': '%s' %s", request->name, profile->path,
                       rows.nothing != NULL ? rows.nothing
                                            : source_of(table, reading.format)->nothing);
    if (!grouped_table(&rows, request->limit, reading.format->name, ret_table, err))
        return false;
    table_tell_input(ret_table, rows.cut, &hosts, arena);
    return true;
}

/* ---- several ----------------------------------------------------------------------------------
 */

/* Of others, which hold no events, each table is made of the file by itself. */
static bool has_events(const struct profile_format *format)
{
    return format != &profile_formats[FORMAT_MEMORY] && format != &profile_formats[FORMAT_XPROF];
}

/* Kernels of an XPlane file are read with the rest; every other kind has a reading of its own. */
static bool launches_are_read(const char *table, const struct profile_format *format)
{
    return strcmp(table, table_kinds[DATA_TABLE_kernels].name) == 0 &&
           format == &profile_formats[FORMAT_XPLANE];
}

static bool set_ask(const struct table_set *set, const struct profile_format *format,
                    struct table_reading *reading, struct err *err)
{
    for (size_t i = 0; i < set->count; i++) {
        enum data_table_id table;
        const struct made_table *made;
        if (!table_find(set->requests[i].name, &table, &made, err))
            return false;
        if (made != NULL && has_events(format))
            table_reading_ask(reading, made);
        else if (launches_are_read(set->requests[i].name, format))
            reading->asked |= 1U << SUBJECT_LAUNCHES;
    }
    return true;
}

static bool set_table_make(const struct table_making *making, const struct profile_format *format,
                           struct data_table *ret_table, struct err *err)
{
    const struct made_table *made = made_table_find(making->request->name);
    struct table_reading *reading = making->reading;
    const bool shared = has_events(format);
    if (shared && made != NULL)
        return made_table_make(making, made, ret_table, err);
    if (!shared || !launches_are_read(making->request->name, format))
        return ingest_table(making->request, making->profile, making->options, making->arena,
                            ret_table, err);
    if (reading->failed[SUBJECT_LAUNCHES].kind != ERR_NONE) {
        *err = reading->failed[SUBJECT_LAUNCHES];
        return false;
    }
    if (reading->launches.count == 0)
        return err_set(err, ERR_INPUT, "no table '%s': '%s' %s", making->request->name,
                       making->profile->path, sources[DATA_TABLE_kernels][FORMAT_XPLANE].nothing);
    if (!grouped_table(&reading->launches, making->request->limit, reading->format, ret_table, err))
        return false;
    table_tell_input(ret_table, reading->cut, &reading->files, making->arena);
    return true;
}

bool ingest_table_set(struct table_set *set, const struct profile_files *profile,
                      const struct ingest_options *options, struct arena *arena, struct err *err)
{
    scoped_table_reading reading = {0};
    const struct profile_format *format;
    table_reading_init(&reading, arena);
    if (!format_of_file(profile->files[0], profile->file_count > 1, &format, err) ||
        !set_ask(set, format, &reading, err) ||
        !table_reading_take(&reading, profile, options, true, &set->summary, err))
        return false;
    for (size_t i = 0; i < set->count; i++) {
        const struct table_making making = {&set->requests[i], profile, options, &reading, arena};
        struct err *why = &set->refusals[i];
        *why = (struct err){0};
        if (set_table_make(&making, format, &set->tables[i], why))
            continue;
        if (why->kind != ERR_INPUT) {
            *err = *why;
            return false;
        }
    }
    return true;
}

bool ingest_table_of_summary(const struct table_request *request, const struct summary *summary,
                             const char *name, struct arena *arena, struct data_table *ret_table,
                             struct err *err)
{
    enum data_table_id table = DATA_TABLE_COUNT;
    scoped_grouped rows = {0};
    const struct made_table *made;
    if (!table_find(request->name, &table, &made, err))
        return false;
    if (op_table_is(request->name)) {
        if (!op_table_of_summary(&(struct table_making){.request = request, .arena = arena},
                                 summary, name, ret_table, err))
            return false;
        table_tell_input(ret_table,
                         summary->coverage.bytes_unread > 0
                             ? "What was summarized ends early: see its coverage."
                             : NULL,
                         NULL, arena);
        return true;
    }
    if (table != DATA_TABLE_allocations)
        return err_set(err, ERR_INPUT,
                       "no table '%s': a summary such as '%s' keeps no %s; give the files of the "
                       "profile",
                       request->name, name, request->name);
    if (!summary->has_memory)
        return err_set(err, ERR_INPUT, "no table '%s': no device memory profile was read with '%s'",
                       request->name, name);
    grouped_init(&rows, &table_kinds[table], arena);
    return memory_rows_add(&summary->memory, &rows, err) &&
           grouped_table(&rows, request->limit, profile_formats[FORMAT_MEMORY].name, ret_table,
                         err);
}
