/* See xprof_export.h. */
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

bool table_print_memory(const struct data_table *peaks, const struct data_table *timeline,
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

/* The page begins with the ops, by which it is known; it is one of steps. */
static bool page_print(const struct data_table *tables, size_t count, struct text *out,
                       struct err *err)
{
    const struct data_table ordered[TABLES_MOST] = {tables[count - 1], tables[0]};
    return (count == 1 ? one_print : list_print)(ordered, count, out, err);
}

static bool memory_print(const struct data_table *tables, size_t count, struct text *out,
                         struct err *err)
{
    assert(count == TABLES_MOST); /* of one who tells neither both are missing */
    return table_print_memory(&tables[0], &tables[1], out, err);
}

static bool op_profile_print(const struct data_table *tables, size_t count, struct text *out,
                             struct err *err)
{
    (void)count;
    return table_print_op_profile(&tables[0], out, err);
}

/* What tools are made of. */
enum {
    PAGE,
    TOP_OPS,
    KERNELS,
    FRAMEWORK_OPS,
    HLO_STATS,
    ROOFLINE,
    INPUT_OPS,
    MEMORY,
    TIMELINE,
    TABLES
};
static const struct table_request requests[TABLES] = {
    [PAGE] = {.name = "overview_page"},       [TOP_OPS] = {.name = "top_ops"},
    [KERNELS] = {.name = "kernels"},          [FRAMEWORK_OPS] = {.name = "framework_op_stats"},
    [HLO_STATS] = {.name = "hlo_stats"},      [ROOFLINE] = {.name = "roofline"},
    [INPUT_OPS] = {.name = "input_ops"},      [MEMORY] = {.name = "memory"},
    [TIMELINE] = {.name = "memory_timeline"},
};

/* The tools; is_read: it tells of what the summary has from tables, in the first of its own. */
static const struct tool {
    const char *name;
    int tables[TABLES_MOST], table_count;
    tool_print_fn *print;
    bool is_read;
} tools[] = {{"overview_page", {PAGE, TOP_OPS}, 2, page_print, true},
             {"kernel_stats", {KERNELS}, 1, one_print, true},
             {"framework_op_stats", {FRAMEWORK_OPS}, 1, one_print, false},
             {"hlo_stats", {HLO_STATS}, 1, one_print, false},
             {"op_profile", {HLO_STATS}, 1, op_profile_print, false},
             {"roofline_model", {ROOFLINE}, 1, one_print, false},
             {"input_pipeline_analyzer", {PAGE, INPUT_OPS}, 2, list_print, false},
             {"memory_profile", {MEMORY, TIMELINE}, 2, memory_print, false}};
enum { TOOLS = sizeof tools / sizeof tools[0] };

struct export
{
    const char *folder;
    struct table_set set;
    struct arena *arena;
};

/* *ret_path stays NULL where the profile has no table of the tool. */
static bool tool_export(const struct export *export, const struct tool *tool, const char **ret_path,
                        struct err *err)
{
    struct data_table tables[TABLES_MOST];
    size_t count = 0;
    scoped_text out;
    text_init(&out, TABLE_MAX_BYTES);
    for (int i = 0; i < tool->table_count; i++)
        if (export->set.refusals[tool->tables[i]].kind == ERR_NONE)
            tables[count++] = export->set.tables[tool->tables[i]];
    if (count == 0 || (tool->is_read && export->set.refusals[tool->tables[0]].kind != ERR_NONE))
        return true;
    *ret_path = arena_printf(export->arena, "%s/%s.json", export->folder, tool->name);
    return (*ret_path != NULL || arena_failed(export->arena, "a path", err)) &&
           tool->print(tables, count, &out, err) &&
           file_write_own(*ret_path, text_string(&out), out.length, err);
}

static bool tools_export(struct export *export, const struct ingest_options *options,
                         struct err *err)
{
    const char *paths[TOOLS];
    size_t count = 0;
    for (size_t i = 0; i < TOOLS; i++) {
        const char *path = NULL;
        if (!tool_export(export, &tools[i], &path, err))
            return false;
        if (path != NULL && tools[i].is_read)
            paths[count++] = path;
    }
    return count == 0 ||
           ingest_tables_merge(paths, count, options, export->arena, &export->set.summary, err);
}

bool xprof_export(const struct xprof_export *wanted, struct arena *arena,
                  struct summary *ret_summary, struct err *err)
{
    const struct profile_files *profile = wanted->profile;
    struct data_table tables[TABLES];
    struct err refusals[TABLES];
    struct export export = {
        .folder = wanted->folder,
        .set = {.requests = requests, .count = TABLES, .tables = tables, .refusals = refusals},
        .arena = arena};
    if (profile->file_count != 1)
        return err_set(err, ERR_INPUT,
                       "'%s' has %zu files, and xprof's tables are of one: give that file",
                       profile->path, profile->file_count);
    if (!file_make_dirs(wanted->folder, err) ||
        !ingest_table_set(&export.set, profile, wanted->options, arena, err))
        return false;
    for (size_t i = 0; i < TABLES; i++)
        if (refusals[i].kind != ERR_NONE)
            log_event(LOG_INFO, LOG_input_warning, "file", profile->path, "why", refusals[i].text,
                      NULL);
    if (!tools_export(&export, wanted->options, err))
        return false;
    *ret_summary = export.set.summary;
    return true;
}
