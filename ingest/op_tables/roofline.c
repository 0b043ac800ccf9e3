/* What each op, and the program as a whole, reaches of what the device could do: the columns of
 * xprof's roofline_model, under its names. The first row is the program: the work of all ops that
 * hold no others, over the time from the first to the last op. */
#include "ingest/op_tables/op_rows.h"

#include "ingest/intervals/intervals.h"

#include <inttypes.h>

enum {
    STEP,
    RANK,
    CATEGORY,
    OPERATION,
    OCCURRENCES,
    TOTAL,
    AVERAGE,
    SELF,
    AVERAGE_SELF,
    SHARE,
    CUMULATIVE,
    FLOP_RATE,
    MODEL_RATE,
    BANDWIDTH,
    INTENSITY,
    BOUND,
    TIME_PER_CORE,
    TIME_SHARE,
    OPTIMAL_RATE,
    EFFICIENCY,
    COMPUTE_EFFICIENCY,
    MEMORY_UTILIZATION,
    MODULE_ID,
    SOURCE,
    COLUMNS
};

static const struct op_column columns[COLUMNS] = {
    [STEP] = {{"step", "step", "", DATA_TEXT}, NULL},
    [RANK] = {{"rank", "rank", "count", DATA_INTEGER}, NULL},
    [CATEGORY] = {{"category", "category", "", DATA_TEXT}, NULL},
    [OPERATION] = {{"operation", "operation", "", DATA_TEXT}, NULL},
    [OCCURRENCES] = {{"occurrences", "occurrences", "count", DATA_INTEGER}, NULL},
    [TOTAL] = {{"total_time", "total", "us", DATA_REAL}, NULL},
    [AVERAGE] = {{"avg_time", "average", "us", DATA_REAL}, NULL},
    [SELF] = {{"total_self_time", "own", "us", DATA_REAL}, NULL},
    [AVERAGE_SELF] = {{"avg_self_time", "own average", "us", DATA_REAL}, NULL},
    [SHARE] = {{"total_self_time_percent", "share", "ratio", DATA_REAL}, NULL},
    [CUMULATIVE] = {{"cumulative_total_self_time_percent", "so far", "ratio", DATA_REAL}, NULL},
    [FLOP_RATE] = {{"measured_flop_rate", "GFLOP/s", "gflops_per_s", DATA_REAL}, NO_FLOPS},
    [MODEL_RATE] = {{"model_flop_rate", "model GFLOP/s", "gflops_per_s", DATA_REAL}, NO_FLOPS},
    [BANDWIDTH] = {{"measured_memory_bw", "GiB/s", "gib_per_s", DATA_REAL}, NO_BYTES},
    [INTENSITY] = {{"operational_intensity", "flop/byte", "flops_per_byte", DATA_REAL},
                   "no op tells both operations and bytes"},
    [BOUND] = {{"bound_by", "bound by", "", DATA_TEXT}, NULL},
    [TIME_PER_CORE] = {{"total_time_per_core", "per device", "us", DATA_REAL},
                       "the source has no devices"},
    [TIME_SHARE] = {{"total_time_in_percentage", "of program", "ratio", DATA_REAL},
                    "the source has no devices"},
    [OPTIMAL_RATE] = {{"optimal_flop_rate", "roof GFLOP/s", "gflops_per_s", DATA_REAL}, NO_PEAKS},
    [EFFICIENCY] = {{"roofline_efficiency", "of roof", "ratio", DATA_REAL}, NO_PEAKS},
    [COMPUTE_EFFICIENCY] = {{"compute_efficiency", "of peak", "ratio", DATA_REAL}, NO_PEAKS},
    [MEMORY_UTILIZATION] = {{"max_mem_bw_utilization", "of bandwidth", "ratio", DATA_REAL},
                            NO_PEAKS},
    [MODULE_ID] = {{"hlo_module_id", "program id", "", DATA_TEXT},
                   "the source names programs without their ids, or keeps none"},
    [SOURCE] = {{"source_info", "source", "", DATA_TEXT},
                "no op of the source tells its line of the program"},
};

/* From the first to the last op, of all devices. */
static int64_t program_ps(const struct summary *summary)
{
    int64_t time = 0;
    for (size_t i = 0; i < summary->device_count; i++)
        ps_add(&time, summary->devices[i].window_ps);
    return time;
}

static void row_fill(const struct op_table_input *input, const struct op_sums *sums,
                     const struct op_figures *figures, struct data_value *row)
{
    const double program = (double)program_ps(input->summary);
    const size_t devices = input->summary->device_count;
    row[STEP] = data_text("Total");
    row[OCCURRENCES] = data_integer(sums->count);
    row[TOTAL] = data_real(us_of_ps(sums->total_ps));
    row[AVERAGE] = data_real(average(us_of_ps(sums->total_ps), sums->count));
    row[SELF] = data_real(us_of_ps(sums->self_ps));
    row[AVERAGE_SELF] = data_real(average(us_of_ps(sums->self_ps), sums->count));
    row[FLOP_RATE] = data_opt(figures->flop_rate);
    row[MODEL_RATE] = data_opt(figures->model_flop_rate);
    row[BANDWIDTH] = data_opt(figures->bandwidth);
    row[INTENSITY] = data_opt(figures->intensity);
    row[BOUND] = data_text(figures->bound_by);
    if (devices > 0)
        row[TIME_PER_CORE] = data_real(us_of_ps(sums->total_ps) / (double)devices);
    if (program > 0)
        row[TIME_SHARE] = data_real((double)sums->total_ps / program);
    row[OPTIMAL_RATE] = data_opt(figures->optimal_flop_rate);
    row[EFFICIENCY] = data_opt(figures->efficiency);
    row[COMPUTE_EFFICIENCY] = data_opt(figures->compute_share);
    row[MEMORY_UTILIZATION] = data_opt(figures->memory_share);
}

static void program_row(const struct op_table_input *input, struct data_value *row)
{
    struct op_sums sums = ops_total(input->ops);
    sums.count = 1;
    sums.total_ps = program_ps(input->summary);
    const struct op_figures figures = op_figures_of(&sums, sums.total_ps, NULL, &input->limits);
    row_fill(input, &sums, &figures, row);
    row[RANK] = data_integer(0);
    row[CATEGORY] = data_text("Program");
    row[OPERATION] = data_text("Program");
}

static void op_row(const struct op_table_input *input, const struct op_item *op,
                   struct data_value *row)
{
    const struct op_figures figures = op_figures_of(
        &op->sums, op->sums.total_ps, op->opcode == NULL ? op->name : op->opcode, &input->limits);
    row_fill(input, &op->sums, &figures, row);
    row[CATEGORY] = data_text(op->category);
    row[OPERATION] = data_text(op->name);
    row[SOURCE] = data_text(op->source_file);
    if (op->program_id.set)
        row[MODULE_ID] =
            data_text(arena_printf(input->arena, "%" PRIu64, (uint64_t)op->program_id.value));
}

bool roofline_table(const struct op_table_input *input, struct data_table *ret_table,
                    struct err *err)
{
    struct made_rows rows;
    size_t count;
    const uint32_t *ranked = ops_ranked(input, &count);
    if (ranked == NULL || !op_rows_init(&rows, columns, COLUMNS, input->arena))
        return arena_failed(input->arena, "the rows of a table", err);
    const double all = (double)ops_total(input->ops).self_ps;
    double so_far = 0;
    struct data_value *row = made_row(&rows);
    if (row != NULL)
        program_row(input, row);
    for (size_t i = 0; i < count && row != NULL; i++) {
        const struct op_item *op = &input->ops->items[ranked[i]];
        row = made_row(&rows);
        if (row == NULL)
            break;
        op_row(input, op, row);
        so_far += (double)op->sums.self_ps;
        row[RANK] = data_integer((int64_t)i + 1);
        row[SHARE] = data_real(all > 0 ? (double)op->sums.self_ps / all : 0);
        row[CUMULATIVE] = data_real(all > 0 ? so_far / all : 0);
    }
    op_properties(input, &rows);
    return made_table(&rows, "roofline", input->request->limit, input->summary->source_format,
                      ret_table, err);
}
