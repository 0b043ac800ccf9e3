/* Tables as `table` prints them, out of those of xprof: kernels and memory in our columns, tables
 * of ops as they are, because theirs are the columns that ours have.
 */
#include "ingest/data_tables/data_tables.h"
#include "ingest/op_tables/op_tables.h"
#include "ingest/xprof/xprof_reading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double ps_per_us = 1e6, us_per_ms = 1e3;
enum { PROPERTY_BYTES = 64 };

/* files: those of xprof that have it; NULL: none has. */
static bool absent(const struct xprof_tables *tables, const struct table_request *request,
                   const char *name, const char *files, struct err *err)
{
    const char *unread = xprof_unread(tables);
    if (files == NULL)
        return err_set(
            err, ERR_INPUT,
            "no table '%s': '%s' is of xprof's tables, which tell kernels, steps, memory "
            "and ops: for this one give the *.xplane.pb%s",
            request->name, name, unread);
    return err_set(err, ERR_INPUT, "no table '%s': of xprof's tables %s, and '%s' holds none%s%s",
                   request->name, files, name, unread[0] == '\0' ? "" : " that is read", unread);
}

/* ---- kernels --------------------------------------------------------------------------------- */

static int64_t ps_of(const struct data_table *table, size_t row, const char *id)
{
    const double us = xprof_number(data_cell(table, row, id)).value;
    return us > 0 && us < (double)INT64_MAX / ps_per_us / 2 ? llround(us * ps_per_us) : 0;
}

/* The cell as the column of the key wants it. */
static struct data_value key_of(const struct data_table *table, size_t row,
                                const struct data_column *column)
{
    const struct data_value *value = data_cell(table, row, column->id);
    const struct opt_f64 number = xprof_number(value);
    if (column->kind == DATA_TEXT)
        return value != NULL && value->set && value->kind == DATA_TEXT && value->text[0] != '\0'
                   ? *value
                   : (struct data_value){.kind = DATA_TEXT};
    if (column->kind == DATA_REAL)
        return number.value > 0 ? data_real(number.value) : (struct data_value){.kind = DATA_REAL};
    return number.set && fabs(number.value) < (double)INT64_MAX
               ? data_integer((int64_t)number.value)
               : (struct data_value){.kind = DATA_INTEGER};
}

static bool is_smallest(const struct data_value *size)
{
    return size->set && (strcmp(size->text, "1,1,1") == 0 || size->text[0] == '\0');
}

/* Every kernel has registers. One of 0 is one whose launch the profiler did not tell: xprof writes
 * 0 for memory then, and 1,1,1 for both sizes. Who leaves the cell empty tells what is not known.
 */
static void launch_doubt(struct row_item *item)
{
    enum { GRID = 1, BLOCK, REGISTERS, SHARED };
    struct data_value *keys = item->keys;
    if (!keys[REGISTERS].set || keys[REGISTERS].integer != 0)
        return;
    const bool is_untold = is_smallest(&keys[GRID]) && is_smallest(&keys[BLOCK]);
    keys[REGISTERS].set = false;
    keys[SHARED].set = keys[SHARED].set && keys[SHARED].integer != 0;
    keys[GRID].set = keys[GRID].set && !is_untold;
    keys[BLOCK].set = keys[BLOCK].set && !is_untold;
}

/* Bits of what the table has no column of, by what our columns hold. */
static unsigned untold_roles(const struct data_table *table)
{
    static const struct {
        enum row_role role;
        const char *id;
    } columns[] = {{ROW_COUNT, "occurrences"},
                   {ROW_TOTAL, "total_duration_us"},
                   {ROW_LEAST, "min_duration_us"},
                   {ROW_MOST, "max_duration_us"}};
    unsigned untold = 0;
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        if (table->row_count > 0 && data_cell(table, 0, columns[i].id) == NULL)
            untold |= 1U << columns[i].role;
    if (untold & (1U << ROW_COUNT | 1U << ROW_TOTAL))
        untold |= 1U << ROW_AVERAGE;
    return untold;
}

static bool kernels_show(const struct data_table *table, const struct table_request *request,
                         struct arena *arena, struct data_table *ret_table, struct err *err)
{
    scoped_grouped rows = {0};
    const struct table_kind *kind = &table_kinds[DATA_TABLE_kernels];
    grouped_init(&rows, kind, arena);
    rows.untold = untold_roles(table);
    for (size_t i = 0; i < table->row_count; i++) {
        struct row_item item = {
            .count = (int64_t)xprof_number(data_cell(table, i, "occurrences")).value,
            .total_ps = ps_of(table, i, "total_duration_us"),
            .least_ps = ps_of(table, i, "min_duration_us"),
            .most_ps = ps_of(table, i, "max_duration_us"),
        };
        for (size_t k = 0; k < rows.key_count; k++)
            item.keys[k] = key_of(table, i, &kind->columns[k].column);
        launch_doubt(&item);
        if (!grouped_add(&rows, &item, err))
            return false;
    }
    return grouped_table(&rows, request->limit, "xplane_pb_xprof_tables", ret_table, err);
}

/* ---- steps ----------------------------------------------------------------------------------- */

enum {
    ROW_STEP,
    ROW_TIME,
    ROW_COMPUTE,
    ROW_COLLECTIVES,
    ROW_ON_DEVICE,
    ROW_INPUT,
    ROW_OUTPUT,
    ROW_LAUNCH,
    ROW_HOST,
    ROW_COMPILE,
    ROW_IDLE,
    ROW_COLUMNS
};

static const struct data_column step_columns[ROW_COLUMNS] = {
    [ROW_STEP] = {"step", "step", "", DATA_INTEGER},
    [ROW_TIME] = {"step_time_us", "step", "us", DATA_REAL},
    [ROW_COMPUTE] = {"compute_us", "compute", "us", DATA_REAL},
    [ROW_COLLECTIVES] = {"collectives_us", "collectives", "us", DATA_REAL},
    [ROW_ON_DEVICE] = {"device_to_device_us", "on device", "us", DATA_REAL},
    [ROW_INPUT] = {"input_us", "input", "us", DATA_REAL},
    [ROW_OUTPUT] = {"output_us", "output", "us", DATA_REAL},
    [ROW_LAUNCH] = {"kernel_launch_us", "launches", "us", DATA_REAL},
    [ROW_HOST] = {"host_compute_us", "host", "us", DATA_REAL},
    [ROW_COMPILE] = {"compile_us", "compiles", "us", DATA_REAL},
    [ROW_IDLE] = {"idle_us", "idle", "us", DATA_REAL},
};

static const char no_such_column[] = "the table that xprof made has no such column";

/* Their columns, of GPUs, of TPUs, and as TPUs had them before. */
static const struct {
    const char *id;
    int column;
} step_sources[] = {{"deviceComputeTimeMs", ROW_COMPUTE},
                    {"deviceCollectivesTimeMs", ROW_COLLECTIVES},
                    {"deviceToDeviceTimeMs", ROW_ON_DEVICE},
                    {"infeedTimeMs", ROW_INPUT},
                    {"outfeedTimeMs", ROW_OUTPUT},
                    {"kernelLaunchTimeMs", ROW_LAUNCH},
                    {"hostComputeTimeMs", ROW_HOST},
                    {"compileTimeMs", ROW_COMPILE},
                    {"otherTimeMs", ROW_IDLE},
                    {"tcComputeTimeMs", ROW_COMPUTE},
                    {"scv0ComputeTimeMs", ROW_COMPUTE},
                    {"scv0InfeedTimeMs", ROW_INPUT},
                    {"tcInfeedTimeMs", ROW_INPUT},
                    {"tcOutfeedTimeMs", ROW_OUTPUT},
                    {"tcIdleTimeMs", ROW_IDLE},
                    {"hostTransferTimeMs", ROW_OUTPUT},
                    {"computeTimeMs", ROW_COMPUTE},
                    {"inputTimeMs", ROW_INPUT},
                    {"idleTimeMs", ROW_IDLE}};

/* A step that has no time of its own is the sum of its parts. */
static void step_fill(const struct data_table *table, size_t place, struct data_value *row)
{
    const struct opt_f64 number = xprof_number(data_cell(table, place, "stepnum"));
    const struct opt_f64 whole = xprof_number(data_cell(table, place, "stepTimeMs"));
    double sum = 0;
    if (number.set && fabs(number.value) < (double)INT64_MAX)
        row[ROW_STEP] = data_integer((int64_t)number.value);
    for (size_t i = 0; i < sizeof step_sources / sizeof step_sources[0]; i++) {
        const struct opt_f64 ms = xprof_number(data_cell(table, place, step_sources[i].id));
        struct data_value *cell = &row[step_sources[i].column];
        if (!ms.set)
            continue;
        *cell = data_real((cell->set ? cell->real : 0) + ms.value * us_per_ms);
        sum += ms.value * us_per_ms;
    }
    row[ROW_TIME] = data_real(whole.set ? whole.value * us_per_ms : sum);
}

static bool steps_show(const struct data_table *table, const struct table_request *request,
                       struct arena *arena, struct data_table *ret_table, struct err *err)
{
    const char *reasons[ROW_COLUMNS] = {NULL};
    struct made_rows rows;
    double sum = 0;
    made_rows_init(&rows, step_columns, ROW_COLUMNS, arena);
    rows.reasons = reasons;
    for (int column = ROW_COMPUTE; column < ROW_COLUMNS; column++)
        reasons[column] = no_such_column;
    for (size_t i = 0; i < table->row_count; i++) {
        struct data_value *row = made_row(&rows);
        step_fill(table, i, row);
        sum += row[ROW_TIME].real;
    }
    made_property(&rows, "step_count", "count", data_integer((int64_t)table->row_count));
    made_property(
        &rows, "step_time_us_average", "us",
        data_opt_real((struct opt_f64){table->row_count > 0, sum / (double)table->row_count}));
    return made_table(&rows, request->name, request->limit, "xplane_pb_xprof_tables", ret_table,
                      err);
}

/* Copies to the device are input there. */
static const int parts_of[ROW_COLUMNS] = {
    [ROW_COMPUTE] = STEP_COMPUTE,
    [ROW_COLLECTIVES] = STEP_COLLECTIVES,
    [ROW_ON_DEVICE] = STEP_DEVICE_TO_DEVICE,
    [ROW_INPUT] = STEP_INPUT_WAIT,
    [ROW_OUTPUT] = STEP_DEVICE_TO_HOST,
    [ROW_LAUNCH] = STEP_KERNEL_LAUNCH,
    [ROW_HOST] = STEP_HOST_COMPUTE,
    [ROW_COMPILE] = STEP_COMPILE,
    [ROW_IDLE] = STEP_IDLE,
};

static int64_t cell_ps(const struct data_value *cell)
{
    const double ps = cell->set ? cell->real * ps_per_us : 0;
    return ps > 0 && ps < (double)INT64_MAX / 2 ? llround(ps) : 0;
}

void xprof_steps(const struct xprof_tables *tables, struct step_list *list)
{
    const struct xprof_table *found = xprof_find(tables, XPROF_STEPS);
    const struct data_table *table = found == NULL ? NULL : &found->data;
    const size_t count = table == NULL ? 0 : table->row_count;
    list->items = arena_array(list->arena, struct listed_step, count);
    for (int part = 0; part < STEP_PART_COUNT; part++)
        list->absent[part] = no_such_column;
    for (list->count = 0; list->count < count; list->count++) {
        struct data_value row[ROW_COLUMNS] = {0};
        struct device_step *times = &list->items[list->count].times;
        step_fill(table, list->count, row);
        *times = (struct device_step){
            .numbered = true,
            .number = row[ROW_STEP].set ? row[ROW_STEP].integer : (int64_t)list->count,
            .device = UINT32_MAX,
            .duration_ps = cell_ps(&row[ROW_TIME]),
        };
        for (int column = ROW_COMPUTE; column < ROW_COLUMNS; column++) {
            const int part = parts_of[column];
            times->ps[part] = times->xprof_ps[part] = cell_ps(&row[column]);
            if (row[column].set)
                list->absent[part] = NULL;
        }
    }
    list->absent[STEP_HOST_TO_DEVICE] = "xprof counts it as input";
    for (int part = 0; table != NULL && part < STEP_PART_COUNT; part++) {
        char name[PROPERTY_BYTES];
        (void)snprintf(name, sizeof name, "%s_absent", step_part_names[part]);
        const char *why = xprof_property(table, name); /* of a page of ours */
        list->absent[part] = why != NULL ? why : list->absent[part];
    }
    list->of_tables = true;
    list->method = "steps of xprof's tables";
    list->format = "xplane_pb_xprof_tables";
    list->device_type = tables->run.device_type;
    list->host_count = tables->run.host_count.value;
    list->device_count = tables->run.device_count.value;
    for (size_t i = 0; table != NULL && i < table->column_count; i++)
        list->is_tpu |= strcmp(table->columns[i].id, "tcComputeTimeMs") == 0;
    step_list_settle(list);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static bool memory_show(const struct allocator_log *log, bool is_timeline,
                        const struct table_request *request, struct arena *arena,
                        struct data_table *ret_table, struct err *err)
{
    struct allocator_log copy = *log;
    struct made_rows rows;
    made_rows_init(&rows, is_timeline ? allocator_event_columns : allocator_columns,
                   is_timeline ? allocator_event_column_count : allocator_column_count, arena);
    return (is_timeline ? allocator_event_rows : allocator_rows)(&copy, &rows, err) &&
           made_table(&rows, request->name, request->limit, "xplane_pb_xprof_tables", ret_table,
                      err);
}

/* ---- the table that is asked for ------------------------------------------------------------- */

/* Files tell no units. Of tables of ops they are those of ours, of others the ids end with them. */
static const char *unit_of(const char *table, const char *id)
{
    static const struct {
        const char *end, *unit;
    } units[] = {{"InMs", "ms"}, {"TimeMs", "ms"}, {"InPercent", "percent"}, {"count", "count"}};
    const struct data_column *column = op_table_column(table, id);
    const size_t length = strlen(id);
    for (size_t i = 0; column == NULL && i < sizeof units / sizeof units[0]; i++) {
        const size_t own = strlen(units[i].end);
        if (length >= own && strcmp(id + length - own, units[i].end) == 0)
            return units[i].unit;
    }
    return column == NULL ? "" : column->unit;
}

/* Its properties are texts that differ between versions, and stay in the file. */
static bool as_it_is(const struct data_table *table, const struct table_request *request,
                     struct arena *arena, struct data_table *ret_table, struct err *err)
{
    struct made_rows rows;
    struct data_column *columns = arena_array(arena, struct data_column, table->column_count);
    for (size_t i = 0; i < table->column_count; i++) {
        columns[i] = table->columns[i];
        columns[i].unit = unit_of(request->name, columns[i].id);
    }
    made_rows_init(&rows, columns, table->column_count, arena);
    for (size_t i = 0; i < table->row_count; i++)
        memcpy(made_row(&rows), data_row(table, i), table->column_count * sizeof *rows.values);
    return made_table(&rows, request->name, request->limit, "xplane_pb_xprof_tables", ret_table,
                      err);
}

typedef bool show_fn(const struct data_table *table, const struct table_request *request,
                     struct arena *arena, struct data_table *ret_table, struct err *err);

static const struct {
    const char *name;
    enum xprof_role role;
    show_fn *show;
    const char *files; /* that give it, and that they do */
} shown[] = {{"kernels", XPROF_KERNELS, kernels_show, "kernel_stats and op_stats have it"},
             {"steps", XPROF_STEPS, steps_show, "overview_page and input_pipeline have it"},
             {"hlo_stats", XPROF_HLO_STATS, as_it_is, "hlo_stats and op_stats have it"},
             {"framework_op_stats", XPROF_FRAMEWORK_OPS, as_it_is,
              "framework_op_stats and op_stats have it"},
             {"roofline", XPROF_ROOFLINE, as_it_is, "roofline_model and op_stats have it"},
             {"top_ops", XPROF_TOP_OPS, as_it_is, "overview_page has it"},
             {"input_ops", XPROF_INPUT_OPS, as_it_is, "input_pipeline has it"}};

bool xprof_show(const struct xprof_tables *tables, const struct table_request *request,
                const char *name, struct arena *arena, struct data_table *ret_table,
                struct err *err)
{
    const bool is_timeline = strcmp(request->name, "memory_timeline") == 0;
    if (is_timeline || strcmp(request->name, "memory") == 0)
        return tables->memory.count > 0
                   ? memory_show(&tables->memory, is_timeline, request, arena, ret_table, err)
                   : absent(tables, request, name, "memory_profile has events of allocators", err);
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        if (strcmp(shown[i].name, request->name) != 0)
            continue;
        const struct xprof_table *table = xprof_find(tables, shown[i].role);
        return table != NULL ? shown[i].show(&table->data, request, arena, ret_table, err)
                             : absent(tables, request, name, shown[i].files, err);
    }
    return absent(tables, request, name, NULL, err);
}
