/* The tables `steps`, `overview`, `overview_page` and `input_pipeline`: where the time of steps
 * went. */
#include "ingest/breakdown/breakdown.h"
#include "ingest/made_tables.h"
#include "ingest/op_tables/op_tables.h"

#include <math.h>

static const double ps_per_us = 1e6, us_per_ms = 1e3;

/* The steps of all hosts; ERR_INPUT: there are none. */
static bool steps_read(const struct table_making *making, struct step_list *list, struct err *err)
{
    *list = making->reading->steps;
    return list->count > 0 ||
           step_list_refuse(arena_printf(making->arena, "table '%s'", making->request->name),
                            making->profile->path, making->reading->cut, err);
}

/* What both tables tell of the whole. */
static void properties_add(const struct step_list *list, struct made_rows *rows)
{
    struct part_stats step = step_list_stats(list, STEP_PART_COUNT, READING_OURS);
    int64_t steps = 0, steady = 0;
    for (size_t i = 0; i < list->count; i = step_list_next(list, i)) {
        steps += list->items[i].times.numbered;
        steady += list->items[i].times.numbered && list->items[i].warmup == NULL;
    }
    if (steps == 0) { /* then it is of the capture */
        step = (struct part_stats){0};
        made_property(rows, "step_time_us_absent", "",
                      data_text("no steps were found: rows are of the whole capture"));
    }
    made_property(rows, "step_method", "", data_text(list->method));
    made_property(rows, "step_count", "count", data_integer(steps));
    made_property(rows, "steady_step_count", "count", data_integer(steady));
    made_property(rows, "step_time_us_average", "us", data_opt_real(step.average));
    made_property(rows, "step_time_us_median", "us", data_opt_real(step_list_middle_us(list)));
    made_property(rows, "step_time_us_stddev", "us", data_opt_real(step.deviation));
    made_property(rows, "step_time_us_min", "us", data_opt_real(step.least));
    made_property(rows, "step_time_us_max", "us", data_opt_real(step.most));
    if (!list->of_tables || list->host_count > 0)
        made_property(rows, "host_count", "count", data_integer(list->host_count));
    if (!list->of_tables || list->device_count > 0)
        made_property(rows, "device_count", "count", data_integer(list->device_count));
    made_property(rows, "device_type", "", data_text(list->device_type));
    if (list->left != NULL)
        made_property(rows, "steps_left", "", data_text(list->left));
}

/* ---- steps ----------------------------------------------------------------------------------- */

enum {
    ROW_STEP,
    ROW_SCOPE,
    ROW_HOST,
    ROW_DEVICE,
    ROW_WARMUP,
    ROW_TIME,
    ROW_PERIOD,
    ROW_PARTS,
    ROW_INPUT_BETWEEN = ROW_PARTS + STEP_PART_COUNT,
    ROW_COMPILE_BETWEEN,
    STEP_COLUMNS
};

static const struct data_column step_columns[STEP_COLUMNS] = {
    [ROW_STEP] = {"step", "step", "", DATA_INTEGER},
    [ROW_SCOPE] = {"scope", "of", "", DATA_TEXT}, /* "step": its slowest device; "device" */
    [ROW_HOST] = {"host", "host", "", DATA_TEXT},
    [ROW_DEVICE] = {"device", "device", "", DATA_TEXT},
    [ROW_WARMUP] = {"warmup", "warm-up", "", DATA_TEXT},
    [ROW_TIME] = {"step_time_us", "step", "us", DATA_REAL},
    [ROW_PERIOD] = {"period_us", "to the next", "us", DATA_REAL},
    [ROW_PARTS + STEP_COMPUTE] = {"compute_us", "compute", "us", DATA_REAL},
    [ROW_PARTS + STEP_COLLECTIVES] = {"collectives_us", "collectives", "us", DATA_REAL},
    [ROW_PARTS + STEP_DEVICE_TO_DEVICE] = {"device_to_device_us", "on device", "us", DATA_REAL},
    [ROW_PARTS + STEP_HOST_TO_DEVICE] = {"host_to_device_us", "to device", "us", DATA_REAL},
    [ROW_PARTS + STEP_DEVICE_TO_HOST] = {"device_to_host_us", "to host", "us", DATA_REAL},
    [ROW_PARTS + STEP_INPUT_WAIT] = {"input_wait_us", "input", "us", DATA_REAL},
    [ROW_PARTS + STEP_KERNEL_LAUNCH] = {"kernel_launch_us", "launches", "us", DATA_REAL},
    [ROW_PARTS + STEP_HOST_COMPUTE] = {"host_compute_us", "host", "us", DATA_REAL},
    [ROW_PARTS + STEP_COMPILE] = {"compile_us", "compiles", "us", DATA_REAL},
    [ROW_PARTS + STEP_IDLE] = {"idle_us", "idle", "us", DATA_REAL},
    [ROW_INPUT_BETWEEN] = {"input_wait_between_us", "input behind it", "us", DATA_REAL},
    [ROW_COMPILE_BETWEEN] = {"compile_between_us", "compiles behind it", "us", DATA_REAL},
};

static void step_row_add(const struct step_list *list, size_t at, const char *scope,
                         struct made_rows *rows)
{
    const struct listed_step *step = &list->items[at];
    const struct device_step *times = &step->times;
    const bool followed = step_list_has_follower(list, at);
    struct data_value *row = made_row(rows);
    if (times->numbered)
        row[ROW_STEP] = data_integer(times->number);
    row[ROW_SCOPE] = data_text(scope);
    row[ROW_HOST] = data_text(step->host);
    row[ROW_DEVICE] = data_text(step->device);
    row[ROW_WARMUP] = data_text(step->warmup);
    row[ROW_TIME] = data_real((double)times->duration_ps / ps_per_us);
    if (step->has_period)
        row[ROW_PERIOD] = data_real((double)step->period_ps / ps_per_us);
    for (int part = 0; part < STEP_PART_COUNT; part++)
        if (list->absent[part] == NULL)
            row[ROW_PARTS + part] = data_real((double)times->ps[part] / ps_per_us);
    if (followed && list->absent[STEP_INPUT_WAIT] == NULL)
        row[ROW_INPUT_BETWEEN] = data_real((double)times->behind_ps[STEP_INPUT_WAIT] / ps_per_us);
    if (followed && list->absent[STEP_COMPILE] == NULL)
        row[ROW_COMPILE_BETWEEN] = data_real((double)times->behind_ps[STEP_COMPILE] / ps_per_us);
}

/* Why parts are not measured. */
static void absents_add(const struct step_list *list, struct made_rows *rows)
{
    for (int part = 0; part < STEP_PART_COUNT; part++)
        if (list->absent[part] != NULL)
            made_property(rows, arena_printf(rows->arena, "%s_absent", step_part_names[part]), "",
                          data_text(list->absent[part]));
}

bool steps_table_make(const struct table_making *making, struct data_table *ret_table,
                      struct err *err)
{
    struct step_list list;
    struct made_rows rows;
    made_rows_init(&rows, step_columns, STEP_COLUMNS, making->arena);
    if (!steps_read(making, &list, err))
        return false;
    for (size_t i = 0, end; i < list.count; i = end) {
        end = step_list_next(&list, i);
        if (list.items[i].times.numbered)
            step_row_add(&list, i, "step", &rows);
        for (size_t k = i; k < end; k++)
            step_row_add(&list, k, "device", &rows);
    }
    properties_add(&list, &rows);
    absents_add(&list, &rows);
    return made_table(&rows, making->request->name, making->request->limit, list.format, ret_table,
                      err);
}

/* ---- overview -------------------------------------------------------------------------------- */

enum {
    PART_NAME,
    PART_SCOPE,
    PART_OWN,
    PART_AVERAGE,
    PART_DEVIATION,
    PART_LEAST,
    PART_MOST,
    PART_SHARE,
    PART_XPROF,
    PART_ABSENT,
    OVERVIEW_COLUMNS
};

static const struct data_column overview_columns[OVERVIEW_COLUMNS] = {
    [PART_NAME] = {"part", "part", "", DATA_TEXT},
    [PART_SCOPE] = {"scope", "of", "", DATA_TEXT}, /* "step", or "capture" without steps; "ops" */
    [PART_OWN] = {"self_time_us", "own", "us", DATA_REAL},
    [PART_AVERAGE] = {"average_us", "average", "us", DATA_REAL},
    [PART_DEVIATION] = {"stddev_us", "deviation", "us", DATA_REAL},
    [PART_LEAST] = {"min_us", "least", "us", DATA_REAL},
    [PART_MOST] = {"max_us", "most", "us", DATA_REAL},
    [PART_SHARE] = {"share", "share", "ratio", DATA_REAL},
    [PART_XPROF] = {"xprof_average_us", "as xprof counts", "us", DATA_REAL},
    [PART_ABSENT] = {"absent", "why not known", "", DATA_TEXT},
};

static const char no_ops[] = "nothing tells an op that ran on a device";
static const char *const overview_reasons[OVERVIEW_COLUMNS] = {[PART_OWN] = no_ops};

static void overview_row_add(const struct step_list *list, enum step_part part,
                             struct made_rows *rows)
{
    const bool whole = part == STEP_PART_COUNT;
    const char *of = list->items[0].times.numbered ? "step" : "capture";
    const struct part_stats stats = step_list_stats(list, part, READING_OURS);
    const struct opt_f64 step = step_list_stats(list, STEP_PART_COUNT, READING_OURS).average;
    struct data_value *row = made_row(rows);
    row[PART_NAME] = data_text(whole ? of : step_part_names[part]);
    row[PART_SCOPE] = data_text(of);
    row[PART_ABSENT] = data_text(whole ? NULL : list->absent[part]);
    if (row[PART_ABSENT].set)
        return;
    row[PART_AVERAGE] = data_opt_real(stats.average);
    row[PART_DEVIATION] = data_opt_real(stats.deviation);
    row[PART_LEAST] = data_opt_real(stats.least);
    row[PART_MOST] = data_opt_real(stats.most);
    row[PART_XPROF] = data_opt_real(step_list_stats(list, part, READING_XPROF).average);
    if (step.set && step.value > 0)
        row[PART_SHARE] = data_real(stats.average.value / step.value);
}

/* The ops of most own time, of all devices and the whole capture, and in how many bits what
 * computes does. */
static void ops_add(const struct op_list *ops, struct made_rows *rows)
{
    const struct top_ops top = top_ops_find(ops, rows->arena);
    for (size_t i = 0; i < top.count && i < TOP_OPS_MOST && top.ops[i].sums.self_ps > 0; i++) {
        const struct framework_op *op = &top.ops[i];
        const double own_ps = (double)op->sums.self_ps;
        struct data_value *row = made_row(rows);
        row[PART_NAME] = data_text(op->operation);
        row[PART_SCOPE] = data_text("ops");
        row[PART_OWN] = data_real(own_ps / ps_per_us);
        row[PART_SHARE] = data_real(own_ps / (double)top.own_ps);
    }
    const struct opt_f64 narrow = top_ops_narrow_share(&top);
    made_property(rows, "compute_16bit_share", "ratio", data_opt_real(narrow));
    made_property(rows, "compute_32bit_share", "ratio",
                  narrow.set ? data_real(1 - narrow.value) : (struct data_value){0});
    if (narrow.set)
        made_property(
            rows, "compute_bits_told_share", "ratio",
            data_real(((double)top.narrow_ps + (double)top.wide_ps) / (double)top.compute_ps));
    else
        made_property(rows, "compute_bits_absent", "",
                      data_text(ops->count == 0 ? no_ops
                                                : "no op tells the types of its arrays, and no "
                                                  "kernel's name does"));
}

/* Levels, shares and statements; names that are made lie in the arena. */
static void bottlenecks_add(const struct step_list *list, struct made_rows *rows)
{
    const struct bottlenecks found = bottlenecks_of(list);
    const struct step_waits waits = step_list_waits(list);
    for (int kind = 0; kind < BOTTLENECK_COUNT; kind++) {
        const struct bottleneck *one = &found.of[kind];
        const char *level = arena_printf(list->arena, "%s_level", bottleneck_names[kind]);
        const char *share = arena_printf(list->arena, "%s_share", bottleneck_names[kind]);
        const char *words = arena_printf(list->arena, "%s_statement", bottleneck_names[kind]);
        made_property(rows, level, "", data_text(one->level));
        made_property(rows, share, "ratio", data_opt_real(one->share));
        made_property(rows, words, "", data_text(one->statement));
    }
    made_property(rows, "bottleneck", "", data_text(found.input_class));
    made_property(rows, found.input_class != NULL ? "bottleneck_of" : "bottleneck_absent", "",
                  data_text(found.class_words));
    made_property(rows, "device_idle_share", "ratio", data_opt_real(waits.idle_share));
    made_property(rows, "device_idle_statement", "", data_text(found.device_idle_statement));
    made_property(rows, "period_us_average", "us", data_opt_real(waits.period_us));
    made_property(rows, "between_steps_us_average", "us", data_opt_real(waits.between_us));
    made_property(rows, "input_wait_between_us_average", "us",
                  data_opt_real(waits.input_between_us));
    made_property(rows, "input_wait_share", "ratio", data_opt_real(waits.input_share));
    made_property(rows, "collectives_wait_us_average", "us",
                  list->absent[STEP_COLLECTIVES] == NULL && !list->of_tables
                      ? data_real(step_list_collectives(list).waiting_us)
                      : (struct data_value){0});
    made_property(rows, "compile_between_us_average", "us",
                  data_opt_real(waits.compile_between_us));
    made_property(rows, "xprof_compute_share", "ratio", data_opt_real(found.compute_share));
    made_property(rows, "xprof_idle_share", "ratio", data_opt_real(found.idle_share));
}

bool overview_table_make(const struct table_making *making, struct data_table *ret_table,
                         struct err *err)
{
    struct step_list list;
    struct made_rows rows;
    made_rows_init(&rows, overview_columns, OVERVIEW_COLUMNS, making->arena);
    rows.reasons = overview_reasons;
    if (!steps_read(making, &list, err))
        return false;
    for (int part = 0; part <= STEP_PART_COUNT; part++)
        overview_row_add(&list, (enum step_part)part, &rows);
    properties_add(&list, &rows);
    stated_figures_add(making, &rows);
    ops_add(&making->reading->ops, &rows);
    bottlenecks_add(&list, &rows);
    return made_table(&rows, making->request->name, making->request->limit, list.format, ret_table,
                      err);
}

/* ---- input pipeline -------------------------------------------------------------------------- */

enum {
    INPUT_STEP,
    INPUT_WARMUP,
    INPUT_TIME,
    INPUT_PERIOD,
    INPUT_INPUT,
    INPUT_SHARE,
    INPUT_COLUMNS
};

static const struct data_column input_columns[INPUT_COLUMNS] = {
    [INPUT_STEP] = {"step", "step", "", DATA_INTEGER},
    [INPUT_WARMUP] = {"warmup", "warm-up", "", DATA_TEXT},
    [INPUT_TIME] = {"step_time_us", "step", "us", DATA_REAL},
    [INPUT_PERIOD] = {"period_us", "to the next", "us", DATA_REAL},
    [INPUT_INPUT] = {"input_us", "input", "us", DATA_REAL},
    [INPUT_SHARE] = {"input_share", "share", "ratio", DATA_REAL},
};

bool input_pipeline_table_make(const struct table_making *making, struct data_table *ret_table,
                               struct err *err)
{
    struct step_list list;
    struct made_rows rows;
    made_rows_init(&rows, input_columns, INPUT_COLUMNS, making->arena);
    if (!steps_read(making, &list, err))
        return false;
    const bool measured = list.absent[STEP_INPUT_WAIT] == NULL &&
                          (list.absent[STEP_HOST_TO_DEVICE] == NULL || list.of_tables);
    for (size_t i = 0; i < list.count; i = step_list_next(&list, i)) {
        const struct device_step *times = &list.items[i].times;
        const struct device_step *waiter = &step_list_waiter(&list, i)->times;
        const int64_t whole = waiter->behind_ps[STEP_INPUT_WAIT] > 0
                                  ? step_to_step_ps(&list.items[i])
                                  : times->duration_ps;
        const int64_t waited = waiter->xprof_ps[STEP_INPUT_WAIT] +
                               waiter->xprof_ps[STEP_HOST_TO_DEVICE] +
                               waiter->behind_ps[STEP_INPUT_WAIT];
        const int64_t input = waited < whole ? waited : whole;
        struct data_value *row = made_row(&rows);
        if (times->numbered)
            row[INPUT_STEP] = data_integer(times->number);
        row[INPUT_WARMUP] = data_text(list.items[i].warmup);
        row[INPUT_TIME] = data_real((double)times->duration_ps / ps_per_us);
        if (list.items[i].has_period)
            row[INPUT_PERIOD] = data_real((double)list.items[i].period_ps / ps_per_us);
        if (!measured || times->duration_ps <= 0)
            continue;
        row[INPUT_INPUT] = data_real((double)input / ps_per_us);
        row[INPUT_SHARE] = data_real((double)input / (double)whole);
    }
    properties_add(&list, &rows);
    made_property(&rows, "input_wait_absent", "", data_text(list.absent[STEP_INPUT_WAIT]));
    bottlenecks_add(&list, &rows);
    return made_table(&rows, making->request->name, making->request->limit, list.format, ret_table,
                      err);
}

/* ---- xprof's overview page ------------------------------------------------------------------- */

enum {
    PAGE_STEP,
    PAGE_COMPUTE,
    PAGE_DEVICE,
    PAGE_COLLECTIVES,
    PAGE_HOST,
    PAGE_LAUNCH,
    PAGE_INPUT,
    PAGE_OUTPUT,
    PAGE_COMPILE,
    PAGE_OTHER,
    PAGE_TIME,
    PAGE_COLUMNS
};

static const struct data_column page_columns[PAGE_COLUMNS] = {
    [PAGE_STEP] = {"stepnum", "step", "", DATA_TEXT},
    [PAGE_COMPUTE] = {"deviceComputeTimeMs", "compute", "ms", DATA_REAL},
    [PAGE_DEVICE] = {"deviceToDeviceTimeMs", "on device", "ms", DATA_REAL},
    [PAGE_COLLECTIVES] = {"deviceCollectivesTimeMs", "collectives", "ms", DATA_REAL},
    [PAGE_HOST] = {"hostComputeTimeMs", "host", "ms", DATA_REAL},
    [PAGE_LAUNCH] = {"kernelLaunchTimeMs", "launches", "ms", DATA_REAL},
    [PAGE_INPUT] = {"infeedTimeMs", "input", "ms", DATA_REAL},
    [PAGE_OUTPUT] = {"outfeedTimeMs", "output", "ms", DATA_REAL},
    [PAGE_COMPILE] = {"compileTimeMs", "compiles", "ms", DATA_REAL},
    [PAGE_OTHER] = {"otherTimeMs", "others", "ms", DATA_REAL},
    [PAGE_TIME] = {"stepTimeMs", "step", "ms", DATA_REAL},
};

/* What no event told is no part of a step there: 0. */
static void page_row_add(const struct device_step *times, struct made_rows *rows)
{
    static const int columns[STEP_PART_COUNT] = {
        [STEP_COMPUTE] = PAGE_COMPUTE,         [STEP_COLLECTIVES] = PAGE_COLLECTIVES,
        [STEP_DEVICE_TO_DEVICE] = PAGE_DEVICE, [STEP_HOST_TO_DEVICE] = PAGE_INPUT,
        [STEP_DEVICE_TO_HOST] = PAGE_OUTPUT,   [STEP_INPUT_WAIT] = PAGE_INPUT,
        [STEP_KERNEL_LAUNCH] = PAGE_LAUNCH,    [STEP_HOST_COMPUTE] = PAGE_HOST,
        [STEP_COMPILE] = PAGE_COMPILE,         [STEP_IDLE] = PAGE_OTHER,
    };
    int64_t parts[PAGE_COLUMNS] = {0};
    struct data_value *row = made_row(rows);
    for (int part = 0; part < STEP_PART_COUNT; part++)
        parts[columns[part]] += times->xprof_ps[part];
    parts[PAGE_TIME] = times->duration_ps;
    row[PAGE_STEP] = data_text(arena_printf(rows->arena, "%lld", (long long)times->number));
    for (int i = PAGE_COMPUTE; i < PAGE_COLUMNS; i++)
        row[i] = data_real((double)parts[i] / ps_per_us / us_per_ms);
}

/* What a column adds up to over all rows, under xprof's names. */
static void page_column_tell(struct made_rows *rows, int column, const char *name)
{
    double sum = 0, squares = 0, least = INFINITY, most = 0;
    const double count = (double)rows->count;
    const bool whole = column == PAGE_TIME;
    for (size_t i = 0; i < rows->count; i++) {
        const double ms = rows->values[i * PAGE_COLUMNS + (size_t)column].real;
        sum += ms;
        least = ms < least ? ms : least;
        most = ms > most ? ms : most;
    }
    for (size_t i = 0; i < rows->count; i++) {
        const double off = rows->values[i * PAGE_COLUMNS + (size_t)column].real - sum / count;
        squares += off * off;
    }
    const char *average = arena_printf(rows->arena, whole ? "%s_average" : "%s_avg", name);
    const char *deviation =
        arena_printf(rows->arena, whole ? "%s_standard_deviation" : "%s_sdv", name);
    made_property(rows, average, "ms", data_real(sum / count));
    made_property(rows, deviation, "ms",
                  data_opt_real((struct opt_f64){count > 1, sqrt(squares / (count - 1))}));
    if (whole) {
        made_property(rows, "steptime_ms_minimum", "ms", data_real(least));
        made_property(rows, "steptime_ms_maximum", "ms", data_real(most));
    }
}

bool overview_page_table_make(const struct table_making *making, struct data_table *ret_table,
                              struct err *err)
{
    struct step_list list;
    struct made_rows rows;
    made_rows_init(&rows, page_columns, PAGE_COLUMNS, making->arena);
    if (!steps_read(making, &list, err))
        return false;
    if (list.is_tpu || !list.items[0].times.numbered)
        return err_set(err, ERR_INPUT, "no table 'overview_page': '%s' %s", making->profile->path,
                       list.is_tpu ? "is of TPUs, whose page has other columns: `steps` and "
                                     "`overview` tell of them"
                                   : "has no steps");
    for (size_t i = 0; i < list.count; i = step_list_next(&list, i))
        if (list.items[i].times.numbered)
            page_row_add(&list.items[i].times, &rows);
    const struct bottlenecks found = bottlenecks_of(&list);
    made_property(&rows, "bottleneck", "", data_text(found.input_class));
    made_property(&rows, "statement", "", data_text(found.of[BOTTLENECK_INPUT].statement));
    made_property(&rows, "device_collectives_statement", "",
                  data_text(found.of[BOTTLENECK_COLLECTIVES].statement));
    made_property(&rows, "kernel_launch_statement", "",
                  data_text(found.of[BOTTLENECK_KERNEL_LAUNCH].statement));
    made_property(&rows, "input_conclusion", "", data_text(found.of[BOTTLENECK_INPUT].statement));
    made_property(&rows, "output_conclusion", "", data_text(found.of[BOTTLENECK_OUTPUT].statement));
    made_property(&rows, "hardware_type", "",
                  data_text(list.device_count > 0 ? "GPU"
                            : list.of_tables      ? NULL
                                                  : "CPU_ONLY"));
    static const char *const names[PAGE_COLUMNS] = {
        [PAGE_COMPUTE] = "device_compute_time_ms",
        [PAGE_DEVICE] = "device_to_device_time_ms",
        [PAGE_COLLECTIVES] = "device_collectives_time_ms",
        [PAGE_HOST] = "host_compute_time_ms",
        [PAGE_LAUNCH] = "kernel_launch_time_ms",
        [PAGE_INPUT] = "infeed_time_ms",
        [PAGE_OUTPUT] = "outfeed_time_ms",
        [PAGE_COMPILE] = "compile_time_ms",
        [PAGE_OTHER] = "other_time_ms",
        [PAGE_TIME] = "steptime_ms",
    };
    for (int i = PAGE_COMPUTE; i < PAGE_COLUMNS; i++)
        page_column_tell(&rows, i, names[i]);
    if (!list.of_tables)
        absents_add(&list, &rows);
    return made_table(&rows, making->request->name, making->request->limit, list.format, ret_table,
                      err);
}
