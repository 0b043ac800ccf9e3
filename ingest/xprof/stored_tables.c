/* Tables that are stored as messages: kernel_stats (KernelStatsDb), overview_page (OverviewPage),
 * input_pipeline (InputPipelineAnalysisResult) of steps with the generic breakdown, as GPUs have
 * it; op_stats have a file of their own. The fields that are read stand in ingest/README.md.
 */
#include "ingest/xprof/xprof_reading.h"

#include <math.h>
#include <string.h>

/* ---- kernel_stats ---------------------------------------------------------------------------- */

enum {
    KERNEL_NAME,
    KERNEL_REGISTERS,
    KERNEL_SHARED,
    KERNEL_BLOCK,
    KERNEL_GRID,
    KERNEL_OCCUPANCY,
    KERNEL_OP,
    KERNEL_OCCURRENCES,
    KERNEL_TOTAL,
    KERNEL_LEAST,
    KERNEL_MOST,
    KERNEL_COLUMNS
};

static const struct data_column kernel_columns[KERNEL_COLUMNS] = {
    [KERNEL_NAME] = {"kernel_name", "kernel", "", DATA_TEXT},
    [KERNEL_REGISTERS] = {"registers_per_thread", "registers", "count", DATA_INTEGER},
    [KERNEL_SHARED] = {"shmem_bytes", "shared memory", "bytes", DATA_INTEGER},
    [KERNEL_BLOCK] = {"block_dim", "block", "", DATA_TEXT},
    [KERNEL_GRID] = {"grid_dim", "grid", "", DATA_TEXT},
    [KERNEL_OCCUPANCY] = {"occupancy_pct", "occupancy", "percent", DATA_REAL},
    [KERNEL_OP] = {"op_name", "op", "", DATA_TEXT},
    [KERNEL_OCCURRENCES] = {"occurrences", "occurrences", "count", DATA_INTEGER},
    [KERNEL_TOTAL] = {"total_duration_us", "total", "us", DATA_REAL},
    [KERNEL_LEAST] = {"min_duration_us", "shortest", "us", DATA_REAL},
    [KERNEL_MOST] = {"max_duration_us", "longest", "us", DATA_REAL},
};

/* Three numbers as kernel_stats shows them: "16,8,1". */
static bool dimensions_take(const struct xprof_file *file, const struct wire_field *field,
                            struct data_value *cell, struct err *err)
{
    scoped_text out;
    uint64_t number;
    text_init(&out, 128);
    for (const uint8_t *p = field->bytes; p < field->end;) {
        p = varint_read(p, field->end, &number);
        if (p == NULL)
            return xprof_malformed(file, field->bytes, err);
        text_addf(&out, "%s%llu", out.length > 0 ? "," : "", (unsigned long long)number);
    }
    *cell = data_text(text_keep(&out, file->tables->arena));
    return cell->text != NULL || xprof_malformed(file, field->bytes, err);
}

static double float_of(const struct wire_field *field)
{
    float value;
    const uint32_t bits = (uint32_t)field->value;
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? (double)value : 0;
}

static bool kernel_field(const struct xprof_file *file, const struct wire_field *field,
                         void *context, struct err *err)
{
    enum { NAME = 1, REGISTERS, STATIC, DYNAMIC, BLOCK, GRID, TOTAL, LEAST, MOST };
    enum { OP = 12, OCCURRENCES = 13, OCCUPANCY = 14 };
    struct data_value *row = context;
    const bool is_text = field->type == WIRE_BYTES, is_number = field->type == WIRE_VARINT;
    const uint32_t number = field->number;
    if (is_text && (number == BLOCK || number == GRID))
        return dimensions_take(file, field, &row[number == BLOCK ? KERNEL_BLOCK : KERNEL_GRID],
                               err);
    if (is_text && (number == NAME || (number == OP && field->value > 0)))
        row[number == NAME ? KERNEL_NAME : KERNEL_OP] = data_text(xprof_text(file, field));
    if (is_number && (number == STATIC || number == DYNAMIC) && field->value <= INT32_MAX)
        row[KERNEL_SHARED].integer += (int64_t)field->value;
    if (is_number && number == REGISTERS && field->value <= INT32_MAX)
        row[KERNEL_REGISTERS] = data_integer((int64_t)field->value);
    if (is_number && number == OCCURRENCES && field->value <= INT64_MAX)
        row[KERNEL_OCCURRENCES] = data_integer((int64_t)field->value);
    if (is_number && number >= TOTAL && number <= MOST)
        row[KERNEL_TOTAL + (number - TOTAL)] = data_real((double)field->value / 1e3);
    if (field->type == WIRE_FIXED32 && number == OCCUPANCY && float_of(field) > 0)
        row[KERNEL_OCCUPANCY] = data_real(float_of(field));
    return true;
}

static bool kernel_report(const struct xprof_file *file, const struct wire_field *field,
                          void *context, struct err *err)
{
    if (field->number != 1 || field->type != WIRE_BYTES)
        return true;
    struct data_value *row = made_row(context);
    row[KERNEL_SHARED] = row[KERNEL_REGISTERS] = row[KERNEL_OCCURRENCES] = data_integer(0);
    row[KERNEL_TOTAL] = row[KERNEL_LEAST] = row[KERNEL_MOST] = data_real(0);
    return xprof_walk(file, field, kernel_field, row, err);
}

bool xprof_kernels_read(const struct xprof_file *file, const struct wire_field *database,
                        enum xprof_origin origin, struct err *err)
{
    struct made_rows rows;
    bool taken;
    made_rows_init(&rows, kernel_columns, KERNEL_COLUMNS, file->tables->arena);
    if (!xprof_claim(file, XPROF_KERNELS, origin, &taken, err))
        return false;
    if (!taken)
        return true;
    if (!xprof_walk(file, database, kernel_report, &rows, err))
        return false;
    file->tables->row_count += (int64_t)rows.count;
    xprof_add(file->tables, XPROF_KERNELS, origin, &rows);
    return true;
}

/* ---- steps ----------------------------------------------------------------------------------- */

enum {
    STEP_NUMBER,
    STEP_TIME,
    STEP_COMPUTE_MS,
    STEP_COLLECTIVES_MS,
    STEP_DEVICE_MS,
    STEP_INFEED_MS,
    STEP_OUTFEED_MS,
    STEP_LAUNCH_MS,
    STEP_HOST_MS,
    STEP_COMPILE_MS,
    STEP_OTHER_MS,
    STEP_COLUMNS
};

static const struct data_column step_columns[STEP_COLUMNS] = {
    [STEP_NUMBER] = {"stepnum", "step", "", DATA_TEXT},
    [STEP_TIME] = {"stepTimeMs", "step", "ms", DATA_REAL},
    [STEP_COMPUTE_MS] = {"deviceComputeTimeMs", "compute", "ms", DATA_REAL},
    [STEP_COLLECTIVES_MS] = {"deviceCollectivesTimeMs", "collectives", "ms", DATA_REAL},
    [STEP_DEVICE_MS] = {"deviceToDeviceTimeMs", "on device", "ms", DATA_REAL},
    [STEP_INFEED_MS] = {"infeedTimeMs", "input", "ms", DATA_REAL},
    [STEP_OUTFEED_MS] = {"outfeedTimeMs", "to host", "ms", DATA_REAL},
    [STEP_LAUNCH_MS] = {"kernelLaunchTimeMs", "launches", "ms", DATA_REAL},
    [STEP_HOST_MS] = {"hostComputeTimeMs", "host", "ms", DATA_REAL},
    [STEP_COMPILE_MS] = {"compileTimeMs", "compiles", "ms", DATA_REAL},
    [STEP_OTHER_MS] = {"otherTimeMs", "others", "ms", DATA_REAL},
};

static bool step_field(const struct xprof_file *file, const struct wire_field *field, void *context,
                       struct err *err)
{
    enum { NUMBER = 1, NAME = 14, FIELDS };
    static const int columns[FIELDS] = {
        [2] = STEP_TIME,       [3] = STEP_OTHER_MS,       [5] = STEP_OUTFEED_MS,
        [6] = STEP_COMPUTE_MS, [7] = STEP_DEVICE_MS,      [8] = STEP_HOST_MS,
        [9] = STEP_LAUNCH_MS,  [10] = STEP_COMPILE_MS,    [11] = STEP_INFEED_MS,
        [12] = STEP_INFEED_MS, [13] = STEP_COLLECTIVES_MS};
    struct data_value *row = context;
    double value;
    (void)err;
    memcpy(&value, &field->value, sizeof value);
    if (field->number == NUMBER && field->type == WIRE_VARINT && row[STEP_NUMBER].text[0] == '0')
        row[STEP_NUMBER].text = arena_printf(file->tables->arena, "%lld", (long long)field->value);
    if (field->number == NAME && field->type == WIRE_BYTES && field->value > 0)
        row[STEP_NUMBER].text = xprof_text(file, field);
    if (field->type == WIRE_FIXED64 && field->number < FIELDS && columns[field->number] != 0 &&
        isfinite(value))
        row[columns[field->number]].real += value;
    return true;
}

/* google.protobuf.Any: its type, and the message. */
struct any {
    struct wire_field type, message;
};

static bool any_field(const struct xprof_file *file, const struct wire_field *field, void *context,
                      struct err *err)
{
    struct any *any = context;
    (void)file;
    (void)err;
    if (field->type == WIRE_BYTES && field->number <= 2)
        *(field->number == 1 ? &any->type : &any->message) = *field;
    return true;
}

static bool any_is(const struct any *any, const char *name)
{
    const size_t length = strlen(name), whole = (size_t)(any->type.end - any->type.bytes);
    return any->type.bytes != NULL && any->message.bytes != NULL && whole > length &&
           memcmp(any->type.end - length, name, length) == 0 &&
           any->type.end[-(ptrdiff_t)length - 1] == '.';
}

/* Rows of steps, and whether there are some in another breakdown. */
struct pipeline_reading {
    struct made_rows rows;
    bool others;
};

static bool pipeline_field(const struct xprof_file *file, const struct wire_field *field,
                           void *context, struct err *err)
{
    enum { STEP_DETAILS = 4 };
    struct pipeline_reading *reading = context;
    struct any any = {0};
    if (field->number != STEP_DETAILS || field->type != WIRE_BYTES)
        return true;
    if (!xprof_walk(file, field, any_field, &any, err))
        return false;
    if (!any_is(&any, "PerGenericStepDetails")) {
        reading->others = true;
        return true;
    }
    struct data_value *row = made_row(&reading->rows);
    row[STEP_NUMBER] = data_text("0");
    for (int i = STEP_TIME; i < STEP_COLUMNS; i++)
        row[i] = data_real(0);
    return xprof_walk(file, &any.message, step_field, row, err);
}

bool xprof_pipeline_read(const struct xprof_file *file, const struct wire_field *pipeline,
                         enum xprof_origin origin, struct err *err)
{
    struct pipeline_reading reading = {0};
    bool taken;
    made_rows_init(&reading.rows, step_columns, STEP_COLUMNS, file->tables->arena);
    if (!xprof_claim(file, XPROF_STEPS, origin, &taken, err) ||
        (taken && !xprof_walk(file, pipeline, pipeline_field, &reading, err)))
        return false;
    if (reading.others)
        NOTE(&file->tables->unread,
             "The steps of '%s' are in a breakdown that is not read, as of TPUs: give "
             "overview_page.json.",
             file->path);
    file->tables->row_count += (int64_t)reading.rows.count;
    if (reading.rows.count > 0)
        xprof_add(file->tables, XPROF_STEPS, origin, &reading.rows);
    return true;
}

/* ---- overview_page --------------------------------------------------------------------------- */

static bool generic_field(const struct xprof_file *file, const struct wire_field *field,
                          void *context, struct err *err)
{
    static const char *const names[] = {
        [1] = "kernel_launch_bottleneck",    [2] = "kernel_launch_statement",
        [3] = "all_other_bottleneck",        [4] = "all_other_statement",
        [5] = "precision_statement",         [6] = "device_collectives_bottleneck",
        [7] = "device_collectives_statement"};
    (void)err;
    if (field->type == WIRE_BYTES && field->number < sizeof names / sizeof names[0])
        made_property(context, names[field->number], "", data_text(xprof_text(file, field)));
    return true;
}

static bool advice_field(const struct xprof_file *file, const struct wire_field *field,
                         void *context, struct err *err)
{
    enum { BOTTLENECK = 1, STATEMENT = 2, MORE = 6 };
    struct any any = {0};
    if (field->type != WIRE_BYTES)
        return true;
    if (field->number == BOTTLENECK || field->number == STATEMENT)
        made_property(context, field->number == BOTTLENECK ? "bottleneck" : "statement", "",
                      data_text(xprof_text(file, field)));
    return field->number != MORE || (xprof_walk(file, field, any_field, &any, err) &&
                                     (!any_is(&any, "GenericRecommendation") ||
                                      xprof_walk(file, &any.message, generic_field, context, err)));
}

static bool overview_field(const struct xprof_file *file, const struct wire_field *field,
                           void *context, struct err *err)
{
    enum { INPUT_ANALYSIS = 2, RECOMMENDATION = 4 };
    if (field->type != WIRE_BYTES)
        return true;
    if (field->number == INPUT_ANALYSIS)
        return xprof_pipeline_read(file, field, XPROF_STORED, err);
    return field->number != RECOMMENDATION || xprof_walk(file, field, advice_field, context, err);
}

bool xprof_overview_read(const struct xprof_file *file, const struct wire_field *page,
                         struct err *err)
{
    struct made_rows advice;
    bool taken;
    made_rows_init(&advice, NULL, 0, file->tables->arena);
    if (!xprof_claim(file, XPROF_ADVICE, XPROF_STORED, &taken, err) ||
        (taken && !xprof_walk(file, page, overview_field, &advice, err)))
        return false;
    if (taken)
        xprof_add(file->tables, XPROF_ADVICE, XPROF_STORED, &advice);
    return true;
}
