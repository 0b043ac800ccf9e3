/* The ops that take most time, and the bits in which devices compute: what xprof's overview page
 * has beside the steps, in its columns. */
#include "ingest/op_tables/framework_ops.h"
#include "ingest/op_tables/op_rows.h"

#include "ingest/hlo/hlo.h"
#include "ingest/intervals/intervals.h"

enum { SHARE, CUMULATIVE, CATEGORY, OPERATION, FLOP_RATE, COLUMNS };

static const struct op_column columns[COLUMNS] = {
    [SHARE] = {{"selfTimePercent", "of device", "ratio", DATA_REAL}, NULL},
    [CUMULATIVE] = {{"cumulativeTimePercent", "so far", "ratio", DATA_REAL}, NULL},
    [CATEGORY] = {{"category", "type", "", DATA_TEXT}, NULL},
    [OPERATION] = {{"operation", "operation", "", DATA_TEXT}, NULL},
    [FLOP_RATE] = {{"flopRate", "GFLOP/s", "gflops_per_s", DATA_REAL}, NO_FLOPS},
};
const struct op_columns top_ops_columns = {columns, COLUMNS};

/* A kernel's name tells it where nothing tells the arrays of its op. */
static enum precision precision_of_op(const struct op_item *op)
{
    const enum precision told = precision_of_shapes(op->shapes);
    return told == PRECISION_UNTOLD && op->is_kernel && op->instruction == NULL
               ? precision_of_kernel(op->name)
               : told;
}

struct top_ops top_ops_find(const struct op_list *list, struct arena *arena)
{
    struct top_ops top = {0};
    top.ops = framework_ops_join(list, arena, &top.count);
    for (size_t i = 0; i < top.count; i++)
        ps_add(&top.own_ps, top.ops[i].sums.self_ps);
    for (size_t i = 0; i < list->count; i++) {
        const struct op_item *op = &list->items[i];
        const enum precision precision = precision_of_op(op);
        if (op->asynchronous || device_class_told(op->device_class, op->opcode, op->category,
                                                  op->name) != DEVICE_COMPUTE)
            continue;
        ps_add(&top.compute_ps, op->sums.self_ps);
        ps_add(&top.narrow_ps, precision == PRECISION_16BIT ? op->sums.self_ps : 0);
        ps_add(&top.wide_ps, precision == PRECISION_32BIT ? op->sums.self_ps : 0);
    }
    return top;
}

struct opt_f64 top_ops_narrow_share(const struct top_ops *top)
{
    const double told = (double)top->narrow_ps + (double)top->wide_ps;
    return told > 0 ? some_f64((double)top->narrow_ps / told) : (struct opt_f64){0};
}

/* xprof has no kernels of which nothing tells the op; we have them where no other is there. */
bool top_ops_table(const struct op_table_input *input, struct data_table *ret_table,
                   struct err *err)
{
    static const double percent = 100;
    const struct top_ops top = top_ops_find(input->ops, input->arena);
    struct made_rows rows;
    double so_far = 0;
    int64_t named_ps = 0;
    op_rows_init(&rows, columns, COLUMNS, input);
    for (size_t i = 0; i < top.count; i++)
        ps_add(&named_ps, top.ops[i].unnamed ? 0 : top.ops[i].sums.self_ps);
    const double all_ps = (double)(named_ps > 0 ? named_ps : top.own_ps);
    for (size_t i = 0; i < top.count && rows.count < TOP_OPS_MOST; i++) {
        const struct framework_op *op = &top.ops[i];
        if ((named_ps > 0 && op->unnamed) || op->sums.self_ps <= 0)
            continue;
        struct data_value *row = made_row(&rows);
        const double share = (double)op->sums.self_ps / all_ps;
        row[SHARE] = data_real(share);
        row[CUMULATIVE] = data_real(so_far += share);
        row[CATEGORY] = data_text(op->type);
        row[OPERATION] = data_text(op->operation);
        row[FLOP_RATE] = data_opt_real(
            op_figures_of(&op->sums, op->sums.total_ps, op->opcode, &input->limits).flop_rate);
    }
    const struct opt_f64 narrow = top_ops_narrow_share(&top);
    if (narrow.set) {
        made_property(&rows, "device_compute_16bit_percent", "percent",
                      data_real(percent * narrow.value));
        made_property(&rows, "device_compute_32bit_percent", "percent",
                      data_real(percent * (1 - narrow.value)));
    }
    return made_table(&rows, "top_ops", input->request->limit, input->summary->source_format,
                      ret_table, err);
}
