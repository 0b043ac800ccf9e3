/* The balance of a verdict: what the step gained is what ops gained, what idle time gained, and a
 * residual that is printed instead of hidden (ops of parallel streams count once each here, though
 * their times overlap; work that began before the step is not in it). */
#include "compare/ops/op_rows.h"
#include "compare/runs/runs.h"

static struct opt_f64 mean_delta(const struct gate_state *judgement, enum run_mean which)
{
    struct opt_f64 before = runs_mean(&judgement->op_sides.before, which);
    struct opt_f64 after = runs_mean(&judgement->op_sides.after, which);
    return before.set && after.set ? some_f64(after.value - before.value) : (struct opt_f64){0};
}

void balance_fill(struct gate_state *judgement, const struct op_table *table)
{
    struct verdict_balance *balance = &judgement->verdict->balance;
    struct opt_f64 step = mean_delta(judgement, RUN_SPAN_MEAN);
    struct opt_f64 idle = mean_delta(judgement, RUN_IDLE_MEAN);
    if (!step.set || !idle.set || table->count == 0)
        return;
    double ops = 0;
    /* Of all runs, as the step is: an op takes nothing where it does not run. */
    for (size_t i = 0; i < table->count; i++) {
        const struct op_series *series = &table->items[i];
        const double before = (double)series->before_runs / (double)table->baseline_runs;
        const double after = (double)series->after_runs / (double)table->candidate_runs;
        ops += after * series->after_us - before * series->before_us;
    }
    *balance =
        (struct verdict_balance){true, step.value, ops, idle.value, step.value - ops - idle.value};
}
