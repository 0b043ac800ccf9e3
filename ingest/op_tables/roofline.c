/* What each op, and the program as a whole, reaches of what the device could do: the columns of
 * xprof's roofline_model, under its names. The first row is the program: the work of all ops that
 * hold no others, over the time from the first to the last op. */
#include "ingest/op_tables/op_rows.h"

enum {
    STEP,
    RANK,
    CATEGORY,
    OPERATION,
    TIMES,
    SHARE = TIMES + OP_TIMES,
    CUMULATIVE,
    RATES,
    MEMORIES = RATES + OP_RATES,
    HBM_INTENSITY = MEMORIES + MEMORY_KINDS,
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
    OP_TIME_COLUMNS(TIMES),
    [SHARE] = {{"total_self_time_percent", "share", "ratio", DATA_REAL}, NULL},
    [CUMULATIVE] = {{"cumulative_total_self_time_percent", "so far", "ratio", DATA_REAL}, NULL},
    OP_RATE_COLUMNS(RATES, "measured_flop_rate", "measured_memory_bw"),
    OP_MEMORY_COLUMNS(MEMORIES),
    [HBM_INTENSITY] = {{"hbm_operational_intensity", "flop/HBM byte", "flops_per_byte", DATA_REAL},
                       NO_INTENSITY},
    [BOUND] = OP_BOUND_COLUMN,
    [TIME_PER_CORE] = {{"total_time_per_core", "per device", "us", DATA_REAL},
                       "the source has no devices"},
    [TIME_SHARE] = {{"total_time_in_percentage", "of program", "ratio", DATA_REAL},
                    "the source has no devices"},
    [OPTIMAL_RATE] = {{"optimal_flop_rate", "roof GFLOP/s", "gflops_per_s", DATA_REAL}, NO_PEAKS},
    [EFFICIENCY] = {{"roofline_efficiency", "of roof", "ratio", DATA_REAL}, NO_PEAKS},
    [COMPUTE_EFFICIENCY] = {{"compute_efficiency", "of peak", "ratio", DATA_REAL}, NO_PEAKS},
    [MEMORY_UTILIZATION] = {{"max_mem_bw_utilization", "of bandwidth", "ratio", DATA_REAL},
                            NO_PEAKS},
    [MODULE_ID] = OP_PROGRAM_ID_COLUMN("hlo_module_id"),
    [SOURCE] = OP_SOURCE_COLUMN,
};
const struct op_columns roofline_columns = {columns, COLUMNS};

static void row_fill(const struct op_table_input *input, const struct op_sums *sums,
                     const struct op_figures *figures, struct data_value *row)
{
    const double program = (double)input->window_ps;
    const size_t devices = input->summary->device_count;
    row[STEP] = data_text("Total");
    op_times_fill(sums, row + TIMES);
    op_rates_fill(figures, row + RATES);
    op_memories_fill(figures, row + MEMORIES);
    row[HBM_INTENSITY] = data_opt_real(figures->hbm_intensity);
    row[BOUND] = data_text(figures->bound_by);
    if (devices > 0)
        row[TIME_PER_CORE] = data_real(us_of_ps(sums->total_ps) / (double)devices);
    if (program > 0)
        row[TIME_SHARE] = data_real((double)sums->total_ps / program);
    row[OPTIMAL_RATE] = data_opt_real(figures->optimal_flop_rate);
    row[EFFICIENCY] = data_opt_real(figures->efficiency);
    row[COMPUTE_EFFICIENCY] = data_opt_real(figures->compute_share);
    row[MEMORY_UTILIZATION] = data_opt_real(figures->most_memory_share);
}

bool roofline_table(const struct op_table_input *input, struct data_table *ret_table,
                    struct err *err)
{
    struct made_rows rows;
    size_t count;
    double so_far = 0;
    const uint32_t *ranked = ops_ranked(input, &count);
    op_rows_init(&rows, columns, COLUMNS, input);
    struct op_sums sums = input->total;
    sums.count = 1;
    sums.total_ps = input->window_ps;
    const struct op_figures whole = op_figures_of(&sums, sums.total_ps, NULL, &input->limits);
    struct data_value *program = made_row(&rows);
    row_fill(input, &sums, &whole, program);
    if (input->window_ps == 0)
        program[TIMES + OP_TOTAL] = program[TIMES + OP_AVERAGE] =
            (struct data_value){.kind = DATA_REAL};
    program[RANK] = data_integer(0);
    program[CATEGORY] = program[OPERATION] = data_text("Program");
    for (size_t i = 0; i < count; i++) {
        const struct op_item *op = &input->ops->items[ranked[i]];
        const struct op_figures figures = op_item_figures(op, &input->limits);
        struct data_value *row = made_row(&rows);
        row_fill(input, &op->sums, &figures, row);
        row[CATEGORY] = data_text(op->category);
        row[OPERATION] = data_text(op->name);
        row[SOURCE] = data_text(op->source_file);
        row[MODULE_ID] = op_program_id(op, input->arena);
        so_far += (double)op->sums.self_ps;
        row[RANK] = data_integer((int64_t)i + 1);
        row[SHARE] = op_time_share(input, (double)op->sums.self_ps, 1);
        row[CUMULATIVE] = op_time_share(input, so_far, 1);
    }
    op_properties(input, &rows);
    return made_table(&rows, "roofline", input->request->limit, input->summary->source_format,
                      ret_table, err);
}
