/* See xprof_export.h. Each table reads the profile once more. */
#include "ops/cli/files/xprof_export.h"
#include "ops/cli/files/table_print.h"

#include "ops/runtime/file.h"
#include "ops/runtime/log.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TABLE_MAX_BYTES = 1 << 30 };

/* ---- memory_profile ---------------------------------------------------------------------------
 */

/* As JSON of a message of Protobuf: numbers of 64 bits are texts. What only xprof knows (addresses,
 * types, shapes, which allocations live at the peak) is left out. */
enum { NUMBER_BYTES = 32 };

/* A member of one cell; nothing where it is not known. */
static void bytes_add(struct json_writer *writer, const char *name, const struct data_value *value)
{
    char number[NUMBER_BYTES];
    if (!value->set)
        return;
    (void)snprintf(number, sizeof number, "%" PRId64, value->integer);
    json_key(writer, name);
    json_write_text(writer, number);
}

static void time_add(struct json_writer *writer, const char *name, const struct data_value *us)
{
    static const double ps_per_us = 1e6;
    const struct data_value ps =
        us->set ? data_integer((int64_t)llround(us->real * ps_per_us)) : *us;
    bytes_add(writer, name, &ps);
}

static void fraction_add(struct json_writer *writer, const struct data_value *value)
{
    if (!value->set)
        return;
    json_key(writer, "fragmentation");
    json_write_number(writer, value->real);
}

/* What an allocator had at one moment; `peak` is the column of its peak until then. */
static void usage_add(struct json_writer *writer, const struct data_table *table, size_t row,
                      const char *peak)
{
    json_open(writer, '{');
    fraction_add(writer, data_cell(table, row, "fragmentation"));
    bytes_add(writer, "freeMemoryBytes", data_cell(table, row, "free"));
    bytes_add(writer, "heapAllocatedBytes", data_cell(table, row, "heap"));
    bytes_add(writer, "peakBytesInUse", data_cell(table, row, peak));
    bytes_add(writer, "stackReservedBytes", data_cell(table, row, "stack"));
    json_close(writer, '}');
}

static void snapshot_add(struct json_writer *writer, const struct data_table *timeline, size_t row)
{
    const struct data_value *op = data_cell(timeline, row, "op_name");
    const bool frees = strcmp(data_cell(timeline, row, "activity")->text, "free") == 0;
    json_item(writer);
    json_open(writer, '{');
    json_key(writer, "activityMetadata");
    json_open(writer, '{');
    bytes_add(writer, "allocationBytes", data_cell(timeline, row, "allocation_bytes"));
    json_key(writer, "memoryActivity");
    json_write_text(writer, frees ? "DEALLOCATION" : "ALLOCATION");
    bytes_add(writer, "requestedBytes", data_cell(timeline, row, "requested_bytes"));
    if (op->set) {
        json_key(writer, "tfOpName");
        json_write_text(writer, op->text);
    }
    json_close(writer, '}');
    json_key(writer, "aggregationStats");
    usage_add(writer, timeline, row, "peak_bytes_lifetime");
    time_add(writer, "timeOffsetPs", data_cell(timeline, row, "time_us"));
    json_close(writer, '}');
}

static void summary_add(struct json_writer *writer, const struct data_table *peaks, size_t row)
{
    json_open(writer, '{');
    bytes_add(writer, "memoryCapacity", data_cell(peaks, row, "capacity"));
    bytes_add(writer, "peakBytesUsageLifetime", data_cell(peaks, row, "peak_bytes_lifetime"));
    json_key(writer, "peakStats");
    usage_add(writer, peaks, row, "peak_bytes_in_use");
    time_add(writer, "peakStatsTimePs", data_cell(peaks, row, "peak_time_us"));
    json_close(writer, '}');
}

static bool memory_print_xprof(const struct data_table *peaks, const struct data_table *timeline,
                               struct text *out, struct err *err)
{
    struct json_writer writer = {.out = out, .style = JSON_STYLE_LINE};
    json_open(&writer, '{');
    json_key(&writer, "memoryProfilePerAllocator");
    json_open(&writer, '{');
    for (size_t i = 0; i < peaks->row_count; i++) {
        const struct data_value *allocator = data_cell(peaks, i, "allocator");
        if (!allocator->set)
            continue;
        json_key(&writer, allocator->text);
        json_open(&writer, '{');
        json_key(&writer, "memoryProfileSnapshots");
        json_open(&writer, '[');
        for (size_t k = 0; k < timeline->row_count; k++) {
            const struct data_value *of = data_cell(timeline, k, "allocator");
            if (of->set && strcmp(of->text, allocator->text) == 0)
                snapshot_add(&writer, timeline, k);
        }
        json_close(&writer, ']');
        json_key(&writer, "profileSummary");
        summary_add(&writer, peaks, i);
        json_close(&writer, '}');
    }
    json_close(&writer, '}');
    json_close(&writer, '}');
    return text_ok(out, "the memory of allocators", err);
}

/* ---- tools -------------------------------------------------------------------------------------
 */

enum { TABLES_MOST = 2 };

/* Prints the tables that the profile gives, tables[count] in the order of their names. */
typedef bool tool_print_fn(const struct data_table *tables, size_t count, struct text *out,
                           struct err *err);

static bool one_print(const struct data_table *tables, size_t count, struct text *out,
                      struct err *err)
{
    (void)count;
    return table_print_xprof(&tables[0], out, err);
}

static bool list_print(const struct data_table *tables, size_t count, struct text *out,
                       struct err *err)
{
    for (size_t i = 0; i < count; i++) {
        text_add(out, i == 0 ? "[" : ", ");
        if (!table_print_xprof(&tables[i], out, err))
            return false;
    }
    text_add(out, "]");
    return text_ok(out, "the tables", err);
}

static bool memory_print(const struct data_table *tables, size_t count, struct text *out,
                         struct err *err)
{
    assert(count == TABLES_MOST); /* of one who tells neither both are missing */
    return memory_print_xprof(&tables[0], &tables[1], out, err);
}

/* The tools, and the tables that make theirs. */
static const struct tool {
    const char *name;
    const char *tables[TABLES_MOST];
    tool_print_fn *print;
} tools[] = {{"overview_page", {"overview_page"}, one_print},
             {"kernel_stats", {"kernels"}, one_print},
             {"framework_op_stats", {"framework_op_stats"}, one_print},
             {"hlo_stats", {"hlo_stats"}, one_print},
             {"roofline_model", {"roofline"}, one_print},
             {"input_pipeline_analyzer", {"overview_page", "input_ops"}, list_print},
             {"memory_profile", {"memory", "memory_timeline"}, memory_print}};
enum { TOOLS = sizeof tools / sizeof tools[0] };

struct export
{
    const char *folder;
    const struct ingest_options *options;
    const struct profile_files *profile;
    struct arena *arena;
    bool page_made; /* the overview page, which two tools have; without a name: there is none */
    struct data_table page;
};

/* Where the profile has no such table the name stays NULL, which is said. */
static bool table_make(struct export *export, const char *name, struct arena *arena,
                       struct data_table *ret_table, struct err *err)
{
    const struct table_request request = {.name = name};
    struct err failure = {0};
    *ret_table = (struct data_table){0};
    if (ingest_table(&request, export->profile, export->options, arena, ret_table, &failure))
        return true;
    *ret_table = (struct data_table){0};
    if (failure.kind != ERR_INPUT) {
        *err = failure;
        return false;
    }
    log_event(LOG_INFO, LOG_input_warning, "file", export->profile->path, "why", failure.text,
              NULL);
    return true;
}

/* *ret_path stays NULL where the profile has no table of the tool. */
static bool tool_export(struct export *export, const struct tool *tool, const char **ret_path,
                        struct err *err)
{
    struct data_table tables[TABLES_MOST];
    size_t count = 0;
    scoped_arena work;
    scoped_text out;
    arena_init_within(&work, export->arena);
    text_init(&out, TABLE_MAX_BYTES);
    for (size_t i = 0; i < TABLES_MOST && tool->tables[i] != NULL; i++) {
        const bool is_page = strcmp(tool->tables[i], "overview_page") == 0;
        if (is_page && export->page_made)
            tables[count] = export->page;
        else if (!table_make(export, tool->tables[i], is_page ? export->arena : &work,
                             &tables[count], err))
            return false;
        if (is_page) {
            export->page_made = true;
            export->page = tables[count];
        }
        count += tables[count].name != NULL;
    }
    if (count == 0)
        return true;
    *ret_path = arena_printf(export->arena, "%s/%s.json", export->folder, tool->name);
    return (*ret_path != NULL || arena_failed(export->arena, "a path", err)) &&
           tool->print(tables, count, &out, err) &&
           file_write_own(*ret_path, text_string(&out), out.length, err);
}

bool xprof_export(const char *folder, const struct ingest_options *options, struct arena *arena,
                  struct profile_files *profile, struct err *err)
{
    const char **paths = arena_array(arena, const char *, TOOLS);
    struct export export = {
        .folder = folder, .options = options, .profile = profile, .arena = arena};
    size_t count = 0;
    if (paths == NULL)
        return arena_failed(arena, "the list of files", err);
    if (profile->file_count != 1)
        return err_set(err, ERR_INPUT,
                       "'%s' has %zu files, and xprof's tables are of one: give that file",
                       profile->path, profile->file_count);
    if (!file_make_dirs(folder, err))
        return false;
    for (size_t i = 0; i < TOOLS; i++) {
        const char *path = NULL;
        if (!tool_export(&export, &tools[i], &path, err))
            return false;
        if (path != NULL)
            paths[count++] = path;
    }
    profile->tables = paths;
    profile->table_count = count;
    return true;
}
