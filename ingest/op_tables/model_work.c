/* See model_work.h. Recomputation is work of the devices, and none that the model asks for. */
#include "ingest/op_tables/model_work.h"

#include "ingest/intervals/intervals.h"

#include <string.h>

void model_work_measure(const struct op_list *ops, struct measured *measured)
{
    static const char large[] =
        "its programs, which tell the operations of its ops, are larger than is read for it: "
        "`table roofline` reads them, or state --model-flops-per-step";
    double flops = 0;
    measured->own_ps = measured->told_ps = 0;
    for (size_t i = 0; i < ops->count; i++) {
        const struct op_item *op = &ops->items[i];
        const struct op_sums sums = op_own_sums(op);
        if (op->asynchronous)
            continue;
        ps_add(&measured->own_ps, op->steady_self_ps);
        if (!op_hides_work(op))
            ps_add(&measured->told_ps, op->steady_self_ps);
        if (sums.model_flops.set && sums.count > 0 && strcmp(op->phase, "recompute") != 0)
            flops += sums.model_flops.value * (double)op->steady_count / (double)sums.count;
    }
    measured->model_flops = flops > 0 ? some_f64(flops) : (struct opt_f64){0};
    measured->model_flops_absent = ops->program_bytes_over ? large : NULL;
}
