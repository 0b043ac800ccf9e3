#include "ops/cli/files/xprof_export.h"
#include "ops/cli/files/table_print.h"

#include "ops/runtime/file.h"
#include "ops/runtime/log.h"

#include <assert.h>
#include <string.h>

enum { TABLE_MAX_BYTES = 1 << 30, PAGE_BYTES = 1 << 20 };

/* ---- tools -------------------------------------------------------------------------------------
 */

static bool one_print(const struct data_table *const *tables, struct text *out, struct err *err)
{
    return table_print_xprof(tables[0], out, err);
}

static bool list_print(const struct data_table *const *tables, struct text *out, struct err *err)
{
    const char *before = "[";
    for (size_t i = 0; i < XPROF_TABLES_MOST; i++) {
        if (tables[i] == NULL)
            continue;
        text_add(out, before);
        before = ", ";
        if (!table_print_xprof(tables[i], out, err))
            return false;
    }
    text_add(out, "]");
    return text_ok(out, "the tables", err);
}

/* A fact of the overview, and what xprof calls it. */
struct named_fact {
    const char *ours, *theirs;
};
enum { FACTS_MOST = 16 };
#define COUNT_OF(items) (sizeof(items) / sizeof(items)[0])

static const struct named_fact run_facts[] = {{"host_count", "host_count"},
                                              {"device_type", "device_type"},
                                              {"device_count", "device_core_count"}};
static const struct data_column run_columns[] = {{"host_id", "host", "", DATA_TEXT},
                                                 {"command_line", "command", "", DATA_TEXT},
                                                 {"start_time", "started", "", DATA_TEXT},
                                                 {"bns_address", "address", "", DATA_TEXT}};

static const struct named_fact advice_facts[] = {
    {"bottleneck", "bottleneck"},
    {"input_statement", "statement"},
    {"output_statement", "output_statement"},
    {"kernel_launch_level", "kernel_launch_bottleneck"},
    {"kernel_launch_statement", "kernel_launch_statement"},
    {"all_other_level", "all_other_bottleneck"},
    {"all_other_statement", "all_other_statement"},
    {"collectives_level", "device_collectives_bottleneck"},
    {"collectives_statement", "device_collectives_statement"}};
static const struct data_column advice_columns[] = {{"tip_type", "kind", "", DATA_TEXT},
                                                    {"link", "link", "", DATA_TEXT},
                                                    {"description", "what", "", DATA_TEXT}};

/* A table without rows, of facts that the overview has; properties[FACTS_MOST] must stay. */
static struct data_table facts_of(const struct data_table *overview, const struct named_fact *facts,
                                  size_t count, struct data_property *properties)
{
    struct data_table table = {.properties = properties};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < overview->property_count; k++)
            if (strcmp(overview->properties[k].name, facts[i].ours) == 0) {
                properties[table.property_count] = overview->properties[k];
                properties[table.property_count++].name = facts[i].theirs;
            }
    return table;
}

/* What is not measured is 0 among the steps there, and the diagnostics say that it is not. */
static struct data_table diagnostics_of(const struct data_table *overview, struct arena *arena)
{
    static const struct data_column columns[] = {{"severity", "severity", "", DATA_TEXT},
                                                 {"message", "message", "", DATA_TEXT}};
    enum { COLUMNS = sizeof columns / sizeof columns[0] };
    struct data_value *values =
        arena_array(arena, struct data_value, COLUMNS * (overview->row_count + 1));
    struct data_table table = {
        .name = "diagnostics", .columns = columns, .column_count = COLUMNS, .values = values};
    for (size_t i = 0; i < overview->row_count; i++) {
        const struct data_value *why = data_cell(overview, i, "absent");
        if (why == NULL || !why->set)
            continue;
        struct data_value *row = &values[COLUMNS * table.row_count++];
        row[0] = data_text("Warning");
        row[1] = data_text(
            arena_printf(arena, "%s: %s", data_cell(overview, i, "part")->text, why->text));
    }
    return table;
}

/* The page begins with the ops, by which it is known; then steps, the run, advice, and what is not
 * measured. */
static bool page_print(const struct data_table *const *tables, struct text *out, struct err *err)
{
    const struct data_table *page = tables[0], *ops = tables[1], *overview = tables[2];
    struct data_property of_run[FACTS_MOST], of_advice[FACTS_MOST];
    struct data_table run, advice, diagnostics;
    const struct data_table *all[XPROF_TABLES_MOST] = {ops, page};
    scoped_arena arena;
    arena_init(&arena, PAGE_BYTES);
    if (overview != NULL) {
        run = facts_of(overview, run_facts, COUNT_OF(run_facts), of_run);
        run.columns = run_columns;
        run.column_count = COUNT_OF(run_columns);
        advice = facts_of(overview, advice_facts, COUNT_OF(advice_facts), of_advice);
        advice.columns = advice_columns;
        advice.column_count = COUNT_OF(advice_columns);
        diagnostics = diagnostics_of(overview, &arena);
        all[2] = &run;
        all[3] = &advice;
        all[4] = &diagnostics;
    }
    return list_print(all, out, err) && arena_ok(&arena, "the tables", err);
}

/* What the answers of tools are made of, the table first that has their name. A tool that is read
 * tells what the summary has from tables, in the first of its parts. */
struct tool {
    const char *name, *table;
    const char *parts[XPROF_TABLES_MOST];
    table_answer *print;
    bool is_read, is_tree;
};
static const struct tool tools[] = {
    {"overview_page",
     "overview_page",
     {"overview_page", "top_ops", "overview"},
     page_print,
     true,
     false},
    {"kernel_stats", "kernels", {"kernels"}, one_print, true, false},
    {"framework_op_stats",
     "framework_op_stats",
     {"framework_op_stats"},
     table_print_framework_ops,
     false,
     false},
    {"hlo_stats", "hlo_stats", {"hlo_stats"}, one_print, false, false},
    {"op_profile", "op_profile", {"hlo_stats"}, table_print_op_profile, false, true},
    {"roofline_model", "roofline", {"roofline"}, table_print_roofline, false, false},
    {"input_pipeline_analyzer",
     "input_pipeline",
     {"overview_page", "input_ops"},
     list_print,
     false,
     false},
    {"memory_profile", "memory", {"memory", "memory_timeline"}, table_print_memory, false, true}};
enum { TOOLS = sizeof tools / sizeof tools[0], PARTS_MOST = TOOLS * 2 };

static const struct {
    const char *theirs, *ours;
} names[] = {
#define XPROF_NAME(theirs, ours) {#theirs, #ours},
    XPROF_NAMES(XPROF_NAME)
#undef XPROF_NAME
};
enum { NAMES = sizeof names / sizeof names[0] };

const char *xprof_table_of(const char *name)
{
    for (size_t i = 0; i < NAMES; i++)
        if (strcmp(names[i].theirs, name) == 0)
            return names[i].ours;
    return name;
}

struct export
{
    const char *folder;
    struct table_set set;
    struct arena *arena;
};

static const struct data_table *part_of(const struct export *export, const char *name)
{
    for (size_t i = 0; i < export->set.count; i++)
        if (strcmp(export->set.requests[i].name, name) == 0)
            return export->set.refusals[i].kind == ERR_NONE ? &export->set.tables[i] : NULL;
    return NULL;
}

/* *ret_path stays NULL where the profile has no table of the tool. */
static bool tool_export(const struct export *export, const struct tool *tool, const char **ret_path,
                        struct err *err)
{
    const struct data_table *parts[XPROF_TABLES_MOST] = {0};
    bool any = false;
    scoped_text out;
    text_init(&out, TABLE_MAX_BYTES);
    for (int i = 0; i < XPROF_TABLES_MOST && tool->parts[i] != NULL; i++) {
        parts[i] = part_of(export, tool->parts[i]);
        any = any || parts[i] != NULL;
    }
    if (!any || (tool->is_read && parts[0] == NULL))
        return true;
    *ret_path = arena_printf(export->arena, "%s/%s.json", export->folder, tool->name);
    return tool->print(parts, &out, err) &&
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

/* The parts of all tools, each once. */
static size_t parts_ask(struct table_request *requests)
{
    size_t count = 0;
    for (size_t t = 0; t < TOOLS; t++)
        for (size_t i = 0; i < XPROF_TABLES_MOST && tools[t].parts[i] != NULL; i++) {
            size_t place = 0;
            while (place < count && strcmp(requests[place].name, tools[t].parts[i]) != 0)
                place++;
            assert(place < PARTS_MOST);
            if (place == count)
                requests[count++] = (struct table_request){.name = tools[t].parts[i]};
        }
    return count;
}

bool xprof_export(const struct xprof_export *wanted, struct arena *arena,
                  struct summary *ret_summary, struct err *err)
{
    const struct profile_files *profile = wanted->profile;
    struct table_request requests[PARTS_MOST];
    struct data_table tables[PARTS_MOST];
    struct err refusals[PARTS_MOST];
    struct export export = {.folder = wanted->folder,
                            .set = {.requests = requests,
                                    .count = parts_ask(requests),
                                    .tables = tables,
                                    .refusals = refusals},
                            .arena = arena};
    if (profile->file_count != 1)
        return err_set(err, ERR_INPUT,
                       "'%s' has %zu files, and xprof's tables are of one: give that file",
                       profile->path, profile->file_count);
    if (!file_make_dirs(wanted->folder, err) ||
        !ingest_table_set(&export.set, profile, wanted->options, arena, err))
        return false;
    for (size_t i = 0; i < export.set.count; i++)
        if (refusals[i].kind != ERR_NONE)
            log_event(LOG_INFO, LOG_input_warning, "file", profile->path, "why", refusals[i].text,
                      NULL);
    if (!tools_export(&export, wanted->options, err))
        return false;
    *ret_summary = export.set.summary;
    return true;
}

/* ---- one answer ------------------------------------------------------------------------------ */

bool xprof_answer(const struct table_request *request, xprof_part_fn *part_make, void *context,
                  struct text *out, struct err *err)
{
    const struct tool plain = {request->name, request->name, {request->name},
                               one_print,     false,         false};
    const struct tool *tool = &plain;
    struct data_table tables[XPROF_TABLES_MOST];
    const struct data_table *parts[XPROF_TABLES_MOST] = {0};
    const bool is_page = strcmp(request->name, "overview") == 0;
    struct err first = {0};
    bool any = false;
    for (size_t i = 0; i < TOOLS; i++)
        if (strcmp(tools[i].table, is_page ? "overview_page" : request->name) == 0)
            tool = &tools[i];
    if (tool->is_tree && request->limit > 0)
        return err_set(err, ERR_USAGE,
                       "option --limit cuts rows, of which %s has none in xprof's layout",
                       request->name);
    for (int i = 0; i < XPROF_TABLES_MOST && tool->parts[i] != NULL; i++) {
        struct table_request part = *request;
        struct err why = {0};
        part.name = tool->parts[i];
        if (part_make(context, &part, &tables[i], &why)) {
            parts[i] = &tables[i];
            any = true;
        } else if (why.kind != ERR_INPUT || tool->parts[1] == NULL || tool->is_tree) {
            *err = why;
            return false;
        } else if (first.kind == ERR_NONE) {
            first = why;
        }
    }
    if (any)
        return tool->print(parts, out, err);
    *err = first;
    return false;
}
