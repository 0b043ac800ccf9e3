/* The registry of tables: which kind of source gives which, and why another does not. */
#include "ingest/data_tables/data_tables.h"
#include "ingest/formats.h"
#include "ingest/nsight/nsight.h"
#include "ingest/tables/tables.h"
#include "ingest/trace/trace.h"
#include "ingest/wire/wire.h"

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
    return profile_open(file, &opener, options, &arena, &profile, err) &&
           launch_table_read(&profile, rows, err);
}

/* A way to read a table, or why there is none: a sentence behind the file's name. */
struct table_source {
    table_read_fn *read;
    const char *refusal;
    const char *nothing; /* why a file that could give it holds no row */
};

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
        },
    [DATA_TABLE_copies] =
        {
            [FORMAT_XPLANE] = {launches_read, NULL, "records no copy or fill of a GPU's memory"},
            [FORMAT_TRACE] =
                {trace_rows_read, NULL,
                 "is a trace whose categories tell no copy or fill of memory, as those of "
                 "PyTorch do: give the *.xplane.pb"},
            [FORMAT_NSIGHT] =
                {export_read, NULL,
                 "holds no copy or fill of memory (CUPTI_ACTIVITY_KIND_MEMCPY, …_MEMSET): "
                 "CUDA was not traced, or nothing was copied"},
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
        },
};

/* A report is read as the export that is made of it. */
static const struct table_source *source_of(enum data_table_id table,
                                            const struct profile_format *format)
{
    ptrdiff_t place = format - profile_formats;
    return &sources[table][place == FORMAT_NSIGHT_REPORT ? FORMAT_NSIGHT : place];
}

static bool table_find(const char *name, enum data_table_id *ret_table, struct err *err)
{
    const char *names[DATA_TABLE_COUNT];
    for (size_t i = 0; i < DATA_TABLE_COUNT; i++) {
        names[i] = table_kinds[i].name;
        if (strcmp(names[i], name) == 0) {
            *ret_table = (enum data_table_id)i;
            return true;
        }
    }
    return err_set(err, ERR_USAGE, "there is no table '%s'%s", name,
                   text_choices(name, names, DATA_TABLE_COUNT).words);
}

bool ingest_table(const struct table_request *request, const struct profile_files *profile,
                  const struct ingest_options *options, struct arena *arena,
                  struct data_table *ret_table, struct err *err)
{
    enum data_table_id table = DATA_TABLE_COUNT;
    scoped_grouped rows = {0};
    const struct profile_format *format = NULL;
    struct ingest_options complete = *options;
    limits_complete(&complete.limits);
    if (!table_find(request->name, &table, err))
        return false;
    grouped_init(&rows, &table_kinds[table], arena);
    for (size_t i = 0; i < profile->file_count; i++) {
        struct profile_files file;
        if (!ingest_file(profile->files[i], arena, &file, err) ||
            !format_of_file(file.path, &format, err))
            return false;
        const struct table_source *source = source_of(table, format);
        if (source->read == NULL)
            return err_set(err, ERR_INPUT, "no table '%s': '%s' %s", request->name, file.path,
                           source->refusal);
        if (!source->read(format, &file, &complete, &rows, err))
            return false;
    }
    if (rows.count == 0)
        return err_set(err, ERR_INPUT, "no table '%s': '%s' %s", request->name, profile->path,
                       source_of(table, format)->nothing);
    return grouped_table(&rows, request->limit, format->name, ret_table, err);
}
