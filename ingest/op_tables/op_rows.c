#include "ingest/op_tables/op_rows.h"

#include "ingest/intervals/intervals.h"
#include "schema/documents/figures.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Where nothing is known of what devices can do, that is why shares of it are not. */
void op_rows_init(struct made_rows *rows, const struct op_column *columns, size_t count,
                  const struct op_table_input *input)
{
    static const char unknown[] =
        "nothing is known of what the devices can do at most: the profile does not tell it, and no "
        "published figures of their kind are known (--peaks FILE states them)";
    struct data_column *plain = arena_array(input->arena, struct data_column, count);
    const char **reasons = arena_array(input->arena, const char *, count);
    const bool is_known = input->limits.flops_per_s.set || input->limits.bytes_per_s.set;
    for (size_t i = 0; i < count; i++) {
        const char *reason = columns[i].reason;
        plain[i] = columns[i].column;
        reasons[i] =
            !is_known && reason != NULL && strcmp(reason, NO_PEAKS) == 0 ? unknown : reason;
    }
    made_rows_init(rows, plain, count, input->arena);
    rows->reasons = reasons;
}

const struct data_column *op_table_column(const char *table, const char *id)
{
    static const struct {
        const char *name;
        const struct op_columns *columns;
    } tables[] = {{"hlo_stats", &hlo_stats_columns},
                  {"framework_op_stats", &framework_op_stats_columns},
                  {"roofline", &roofline_columns},
                  {"top_ops", &top_ops_columns}};
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
        for (size_t i = 0; strcmp(tables[t].name, table) == 0 && i < tables[t].columns->count; i++)
            if (strcmp(tables[t].columns->items[i].column.id, id) == 0)
                return &tables[t].columns->items[i].column;
    return NULL;
}

static int rank_order(const void *a, const void *b, void *context)
{
    const struct op_list *list = context;
    const struct op_item *left = &list->items[*(const uint32_t *)a];
    const struct op_item *right = &list->items[*(const uint32_t *)b];
    if (left->sums.self_ps != right->sums.self_ps)
        return left->sums.self_ps > right->sums.self_ps ? -1 : 1;
    int order = strcmp(left->name, right->name);
    if (order != 0)
        return order;
    if (left->program != NULL && right->program != NULL &&
        (order = strcmp(left->program, right->program)) != 0)
        return order;
    return left < right ? -1 : left > right;
}

uint32_t *ops_ranked(const struct op_table_input *input, size_t *ret_count)
{
    struct op_list list = *input->ops;
    uint32_t *ranked = arena_array(input->arena, uint32_t, list.count);
    *ret_count = 0;
    for (size_t i = 0; i < list.count; i++) {
        if (!list.items[i].asynchronous)
            ranked[(*ret_count)++] = (uint32_t)i;
    }
    if (*ret_count > 0)
        qsort_r(ranked, *ret_count, sizeof *ranked, rank_order, &list);
    return ranked;
}

void op_times_fill(const struct op_sums *sums, struct data_value times[OP_TIMES])
{
    times[OP_OCCURRENCES] = data_integer(sums->count);
    times[OP_TOTAL] = data_real(us_of_ps(sums->total_ps));
    times[OP_AVERAGE] = data_real(average(us_of_ps(sums->total_ps), sums->count));
    times[OP_SELF] = data_real(us_of_ps(sums->self_ps));
    times[OP_AVERAGE_SELF] = data_real(average(us_of_ps(sums->self_ps), sums->count));
}

void op_rates_fill(const struct op_figures *figures, struct data_value rates[OP_RATES])
{
    rates[OP_FLOP_RATE] = data_opt_real(figures->flop_rate);
    rates[OP_MODEL_RATE] = data_opt_real(figures->model_flop_rate);
    rates[OP_BANDWIDTH] = data_opt_real(figures->bandwidth);
    rates[OP_INTENSITY] = data_opt_real(figures->intensity);
}

void op_memories_fill(const struct op_figures *figures, struct data_value memories[MEMORY_KINDS])
{
    for (int i = 0; i < MEMORY_KINDS; i++)
        memories[i] = data_opt_real(figures->memory_bandwidth[i]);
}

struct data_value op_program_id(const struct op_item *op, struct arena *arena)
{
    return data_text(op->program_id.set
                         ? arena_printf(arena, "%" PRIu64, (uint64_t)op->program_id.value)
                         : NULL);
}

static void text_property(struct made_rows *rows, const char *name, const char *text)
{
    if (text != NULL)
        made_property(rows, name, "", data_text(text));
}

void op_figure_properties(const struct op_table_input *input, struct made_rows *rows)
{
    static const struct measured of_no_ops = {
        .model_flops_absent = "this table sums no operations of ops: `table hlo_stats` does, or "
                              "state --model-flops-per-step"};
    struct summary summary = *input->summary;
    struct summary_figure figures[FIGURE_COUNT];
    const struct figure_basis basis = {
        .peaks = input->limits,
        .model_flops_per_step = input->request->model_flops_per_step,
        .tokens_per_step = input->request->tokens_per_step,
    };
    if (!summary.has_measured && input->ops == NULL)
        summary.measured = of_no_ops;
    else if (!summary.has_measured)
        model_work_measure(input->ops, &summary.measured);
    summary.has_measured = true;
    figures_compute(&summary, &basis, figures);
    const struct summary_figure *mfu = &figures[FIGURE_mfu];
    const struct summary_figure *tokens = &figures[FIGURE_tokens_per_second_per_device];
    if (mfu->value.set)
        made_property(rows, "mfu", "ratio", data_real(mfu->value.value));
    text_property(rows, "mfu_of", mfu->of);
    text_property(rows, "mfu_absent", mfu->absent);
    if (tokens->value.set)
        made_property(rows, "tokens_per_second_per_device", "", data_real(tokens->value.value));
    text_property(rows, "tokens_per_second_per_device_of", tokens->of);
    text_property(rows, "tokens_per_second_per_device_absent", tokens->absent);
}

/* A rate above its peak is none: what is told of it is the peak's or the work's fault. */
static void impossible_rates(const struct op_table_input *input, struct made_rows *rows)
{
    int64_t flops = 0, bytes = 0;
    bool halves = false;
    for (size_t i = 0; i < input->ops->count; i++) {
        const struct op_item *op = &input->ops->items[i];
        const struct op_figures figures = op_item_figures(op, &input->limits);
        flops += !op->asynchronous && figures.compute_share.value > 1;
        bytes += !op->asynchronous && figures.memory_share.value > 1;
        halves = halves || (op->opcode != NULL && opcode_is_half(op->opcode));
    }
    if (halves)
        text_property(rows, "bandwidth_absent",
                      "of starts and ends of what goes on beside others (copy-start, copy-done): "
                      "the bytes move in other time than their own, and count in that of no group");
    if (flops > 0) {
        made_property(rows, "ops_above_peak_flop_rate", "count", data_integer(flops));
        text_property(rows, "ops_above_peak_flop_rate_why",
                      "more than 100 % cannot be: the peak is not that of these devices "
                      "(peak_flop_rate_source; --peaks FILE states another) or not of the ops' "
                      "type (it is of bf16; fp8 and int8 do more), or what is counted of an op is "
                      "more than its kernel does");
    }
    if (bytes > 0) {
        made_property(rows, "ops_above_peak_hbm_bw", "count", data_integer(bytes));
        text_property(rows, "ops_above_peak_hbm_bw_why",
                      "more than 100 % cannot be: the peak is not that of these devices "
                      "(peak_hbm_bw_source; --peaks FILE states another), or a part of the bytes "
                      "that are counted of an op comes from caches and not from memory");
    }
}

/* Rates and efficiency of what such ops are part of are no less than what the others tell. */
static void untold_tell(const struct op_sums *total, struct made_rows *rows)
{
    const double self_ps = (double)total->self_ps;
    const bool tells_work = total->flops_untold_ps > 0 && total->flops.set;
    const bool tells_bytes = total->bytes_untold_ps > 0 && total->bytes_accessed.set;
    if (tells_work)
        made_property(rows, "work_untold_share", "ratio",
                      data_real((double)total->flops_untold_ps / self_ps));
    if (tells_bytes)
        made_property(rows, "bytes_untold_share", "ratio",
                      data_real((double)total->bytes_untold_ps / self_ps));
    if (tells_work || tells_bytes)
        text_property(rows, "untold_of",
                      "own time of ops that may do operations, or move bytes, which nobody tells "
                      "(custom calls whose 0 is none told, kernels without a program): their rates "
                      "are absent; those of what they are part of are at least what is told, and "
                      "absent where they take more than half of its time");
}

void op_properties(const struct op_table_input *input, struct made_rows *rows)
{
    const struct summary *summary = input->summary;
    const struct device_limits *limits = &input->limits;
    int64_t busy = 0, idle = 0;
    for (size_t i = 0; i < summary->device_count; i++) {
        ps_add(&busy, summary->devices[i].busy_ps);
        ps_add(&idle, summary->devices[i].idle_ps);
    }
    const bool timed = summary->device_count > 0; /* else nothing is known of them but the ops */
    if (timed || summary->environment.device_count.set)
        made_property(rows, "device_count", "count",
                      data_integer(timed ? (int64_t)summary->device_count
                                         : summary->environment.device_count.value));
    if (summary->environment.host_count.set)
        made_property(rows, "host_count", "count",
                      data_integer(summary->environment.host_count.value));
    text_property(rows, "device_type", summary->environment.device_type);
    if (timed) {
        made_property(rows, "busy_time_us", "us", data_real(us_of_ps(busy)));
        made_property(rows, "idle_time_us", "us", data_real(us_of_ps(idle)));
    }
    made_property(rows, "self_time_us", "us", data_real(us_of_ps(input->total.self_ps)));
    int64_t joined = 0;
    for (size_t i = 0; i < input->ops->count; i++) {
        const struct op_item *op = &input->ops->items[i];
        ps_add(&joined, op->joined && !op->asynchronous ? op->sums.self_ps : 0);
    }
    if (joined > 0)
        made_property(rows, "joined_time_share", "ratio",
                      data_real((double)joined / (double)input->total.self_ps));
    untold_tell(&input->total, rows);
    if (input->ops->beside_programs > 0)
        made_property(rows, "programs_beside", "count",
                      data_integer((int64_t)input->ops->beside_programs));
    if (input->ops->broken_programs > 0)
        made_property(rows, "broken_programs", "count",
                      data_integer((int64_t)input->ops->broken_programs));
    if (input->total.self_ps > busy && busy > 0)
        made_property(rows, "overlapping_time_us", "us",
                      data_real(us_of_ps(input->total.self_ps - busy)));
    if (limits->flops_per_s.set)
        made_property(rows, "peak_flop_rate", "gflops_per_s",
                      data_real(limits->flops_per_s.value / 1e9));
    text_property(rows, "peak_flop_rate_source", limits->flops_source);
    if (limits->bytes_per_s.set)
        made_property(rows, "peak_hbm_bw", "gib_per_s",
                      data_real(limits->bytes_per_s.value / (1024.0 * 1024.0 * 1024.0)));
    text_property(rows, "peak_hbm_bw_source", limits->bytes_source);
    if (limits->flops_per_s.set && limits->bytes_per_s.set)
        made_property(rows, "hbm_ridge_point", "flops_per_byte",
                      data_real(limits->flops_per_s.value / limits->bytes_per_s.value));
    impossible_rates(input, rows);
    op_figure_properties(input, rows);
}
