/* Every op of every program: the columns of xprof's hlo_stats, under its names. */
#include "ingest/op_tables/op_rows.h"

#include "ingest/intervals/intervals.h"

#include <stdlib.h>
#include <string.h>

enum {
    RANK,
    PROGRAM_ID,
    PROGRAM,
    CATEGORY,
    NAME,
    EXPRESSION,
    PATH,
    TIMES,
    SELF_PERCENT = TIMES + OP_TIMES,
    CUMULATIVE_PERCENT,
    MODEL_RATE,
    FLOP_RATE,
    BANDWIDTH,
    MEMORIES,
    INTENSITY = MEMORIES + MEMORY_KINDS,
    BOUND,
    REMATERIALIZATION,
    SOURCE,
    SKEW,
    STALL,
    FLOPS, /* what it adds to those of several */
    BYTES,
    COLUMNS
};

static const struct op_column columns[COLUMNS] = {
    [RANK] = {{"rank", "rank", "count", DATA_INTEGER}, NULL},
    [PROGRAM_ID] = OP_PROGRAM_ID_COLUMN("program_id"),
    [PROGRAM] = {{"program", "program", "", DATA_TEXT},
                 "the source does not tell of which program its ops are"},
    [CATEGORY] = {{"category", "category", "", DATA_TEXT}, NULL},
    [NAME] = {{"hlo_op_name", "op", "", DATA_TEXT}, NULL},
    [EXPRESSION] = {{"hlo_op_expression", "instruction", "", DATA_TEXT},
                    "the source has no shapes of its ops, and no program that tells them"},
    [PATH] = {{"tf_op_name", "path", "", DATA_TEXT},
              "no op of the source has the path of the framework's op that it is of"},
    OP_TIME_COLUMNS(TIMES),
    [SELF_PERCENT] = {{"total_self_time_percent", "of all", "percent", DATA_REAL}, NULL},
    [CUMULATIVE_PERCENT] = {{"cumulative_total_self_time_percent", "so far", "percent", DATA_REAL},
                            NULL},
    [MODEL_RATE] = {{"model_flop_rate", "model GFLOP/s", "gflops_per_s", DATA_REAL},
                    NO_MODEL_FLOPS},
    [FLOP_RATE] = {{"normalized_flop_rate", "GFLOP/s", "gflops_per_s", DATA_REAL}, NO_FLOPS},
    [BANDWIDTH] = {{"measured_memory_bw", "GiB/s", "gib_per_s", DATA_REAL}, NO_BYTES},
    OP_MEMORY_COLUMNS(MEMORIES),
    [INTENSITY] = {{"operational_intensity", "flop/byte", "flops_per_byte", DATA_REAL},
                   "no op tells both operations and bytes"},
    [BOUND] = OP_BOUND_COLUMN,
    [REMATERIALIZATION] = {{"hlo_rematerialization", "recomputed", "", DATA_TEXT}, NULL},
    [SOURCE] = OP_SOURCE_COLUMN,
    [SKEW] = {{"device_skew", "skew", "us", DATA_REAL},
              "no op ran on more than one device, or the source does not tell devices apart"},
    [STALL] = {{"dma_stall_percent", "stalled", "ratio", DATA_REAL},
               "profiles are not read for it"},
    [FLOPS] = {{"flops", "operations", "flops", DATA_REAL}, NO_FLOPS},
    [BYTES] = {{"bytes_accessed", "bytes", "bytes", DATA_REAL}, NO_BYTES},
};
const struct op_columns hlo_stats_columns = {columns, COLUMNS};

/* "bf16[8](f32[8])" as an instruction: "bf16[8] fusion(f32[8])". */
static const char *expression_of(const struct op_item *op, struct arena *arena)
{
    if (op->shapes == NULL || op->opcode == NULL)
        return op->shapes;
    int depth = 0;
    const char *at = op->shapes + (op->shapes[0] == '(');
    for (depth = op->shapes[0] == '('; *at != '\0' && (*at != '(' || depth > 0); at++)
        depth += (*at == '(') - (*at == ')');
    return arena_printf(arena, "%.*s %s%s", (int)(at - op->shapes), op->shapes, op->opcode,
                        *at == '\0' ? "()" : at);
}

static void row_fill(const struct op_table_input *input, const struct op_item *op,
                     struct data_value *row)
{
    const struct op_sums *sums = &op->sums;
    const struct op_figures figures = op_item_figures(op, &input->limits);
    row[PROGRAM_ID] = op_program_id(op, input->arena);
    row[PROGRAM] = data_text(op->program);
    row[CATEGORY] = data_text(op->category);
    row[NAME] = data_text(op->name);
    row[EXPRESSION] = data_text(expression_of(op, input->arena));
    row[PATH] = data_text(op->op_path);
    op_times_fill(sums, row + TIMES);
    row[MODEL_RATE] = data_opt_real(figures.model_flop_rate);
    row[FLOP_RATE] = data_opt_real(figures.flop_rate);
    row[BANDWIDTH] = data_opt_real(figures.bandwidth);
    op_memories_fill(&figures, row + MEMORIES);
    row[INTENSITY] = data_opt_real(figures.intensity);
    row[BOUND] = data_text(figures.bound_by);
    row[REMATERIALIZATION] = data_text(strcmp(op->phase, "recompute") == 0 ? "Yes" : "No");
    row[SOURCE] = data_text(op->source_file);
    row[FLOPS] = data_opt_real(op_own_sums(op).flops);
    row[BYTES] = data_opt_real(op_own_sums(op).bytes_accessed);
}

static const double ps_per_us = 1e6;

static int device_order(const void *left, const void *right)
{
    const struct op_share *a = left, *b = right;
    if (a->item != b->item)
        return a->item < b->item ? -1 : 1;
    return (a->device > b->device) - (a->device < b->device);
}

/* shares[count] in order, from `first` on those of one item on one device: how long a run of it
 * takes there; the place behind them. Kernels of one op run together. */
static size_t device_mean(const struct op_share *shares, size_t count, size_t first,
                          struct opt_f64 *ret_us)
{
    int64_t total_ps = 0, runs = 0;
    size_t i = first;
    for (; i < count && device_order(&shares[i], &shares[first]) == 0; i++) {
        ps_add(&total_ps, shares[i].total_ps);
        runs = shares[i].count > runs ? shares[i].count : runs;
    }
    *ret_us =
        (struct opt_f64){runs > 0, runs > 0 ? (double)total_ps / ps_per_us / (double)runs : 0};
    return i;
}

/* Of each item how much longer a run of it takes on the device that is longest in it than on the
 * one that is shortest, µs on average: what an average over devices hides; absent where one device
 * alone ran it. Clocks of hosts need not agree: only durations are compared. */
static const struct opt_f64 *op_skews(const struct op_list *ops, struct arena *arena)
{
    struct op_share *shares = arena_array(arena, struct op_share, ops->share_count + 1);
    struct opt_f64 *skews = arena_zalloc(arena, ops->count + 1, sizeof *skews);
    for (size_t i = 0; i < ops->share_count; i++)
        shares[i] = ops->shares[i];
    if (ops->share_count > 1)
        qsort(shares, ops->share_count, sizeof *shares, device_order);
    for (size_t i = 0; i < ops->share_count;) {
        const uint32_t item = shares[i].item;
        double least = 0, most = 0;
        size_t devices = 0;
        while (i < ops->share_count && shares[i].item == item) {
            struct opt_f64 mean;
            i = device_mean(shares, ops->share_count, i, &mean);
            if (!mean.set)
                continue;
            least = devices == 0 || mean.value < least ? mean.value : least;
            most = devices == 0 || mean.value > most ? mean.value : most;
            devices++;
        }
        skews[item] = (struct opt_f64){devices > 1, most - least};
    }
    return skews;
}

bool hlo_stats_table(const struct op_table_input *input, struct data_table *ret_table,
                     struct err *err)
{
    struct made_rows rows;
    size_t count;
    double so_far = 0;
    const uint32_t *ranked = ops_ranked(input, &count);
    const struct opt_f64 *skews = op_skews(input->ops, input->arena);
    op_rows_init(&rows, columns, COLUMNS, input);
    for (size_t i = 0; i < count; i++) {
        const struct op_item *op = &input->ops->items[ranked[i]];
        struct data_value *row = made_row(&rows);
        row_fill(input, op, row);
        row[SKEW] = data_opt_real(skews[ranked[i]]);
        so_far += (double)op->sums.self_ps;
        row[RANK] = data_integer((int64_t)i + 1);
        row[SELF_PERCENT] = op_time_share(input, (double)op->sums.self_ps, 100);
        row[CUMULATIVE_PERCENT] = op_time_share(input, so_far, 100);
    }
    op_properties(input, &rows);
    return made_table(&rows, "hlo_stats", input->request->limit, input->summary->source_format,
                      ret_table, err);
}
