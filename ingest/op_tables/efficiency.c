/* See efficiency.h. What the user states of a step comes first, then what the run's own facts say,
 * then the operations of the profile. */
#include "ingest/op_tables/efficiency.h"

#include "ingest/op_tables/op_rows.h"

#include <stdlib.h>
#include <string.h>

static const double us_per_s = 1e6, ps_per_s = 1e12;
static const double told_share_least = 0.5; /* of the time, below which sums would mislead */

/* A number of the whole job and one step: as stated, else as a fact of the profile. */
static struct opt_f64 of_step(const struct op_table_input *input, struct opt_f64 stated,
                              const char *name)
{
    const struct fact *fact = environment_fact(&input->summary->environment, name);
    double value;
    if (stated.set || fact == NULL || !text_parse_double(fact->value, &value) || !(value > 0))
        return stated;
    return some_f64(value);
}

static double devices_of(const struct summary *summary)
{
    const struct opt_i64 count = summary->environment.device_count;
    return count.set ? (double)count.value : (double)summary->device_count;
}

/* The operations that the model asks for, recomputation left out; and which part of the time is of
 * ops that tell them. */
static double model_flops(const struct op_list *ops, double *ret_told)
{
    double flops = 0, told = 0, all = 0;
    for (size_t i = 0; i < ops->count; i++) {
        const struct op_item *op = &ops->items[i];
        const struct op_sums sums = op_own_sums(op);
        if (op->asynchronous)
            continue;
        all += (double)sums.self_ps;
        told += sums.model_flops.set || op->container || opcode_is_half(op->opcode)
                    ? (double)sums.self_ps
                    : 0;
        if (sums.model_flops.set && strcmp(op->phase, "recompute") != 0)
            flops += sums.model_flops.value;
    }
    *ret_told = all > 0 ? told / all : 0;
    return flops;
}

static void mfu_find(const struct op_table_input *input, struct efficiency *efficiency)
{
    const struct summary *summary = input->summary;
    const struct opt_f64 step = summary->steps.steady_median_us;
    const struct opt_f64 stated =
        of_step(input, input->request->model_flops_per_step, "model_flops_per_step");
    const double peak = input->limits.flops_per_s.value;
    double window_s = 0, told;
    for (size_t i = 0; i < summary->device_count; i++)
        window_s += (double)summary->devices[i].window_ps / ps_per_s;
    if (!input->limits.flops_per_s.set) {
        efficiency->mfu_absent = "nothing is known of what the devices can do at most";
    } else if (stated.set && step.set && step.value > 0 && devices_of(summary) > 0) {
        efficiency->mfu =
            some_f64(stated.value / (step.value / us_per_s) / devices_of(summary) / peak);
        efficiency->mfu_of = "model flops per step as stated, median time of steady steps, devices "
                             "and their peak";
    } else if (stated.set) {
        efficiency->mfu_absent = "no steady step was found, whose time it is of";
    } else if (!(window_s > 0)) {
        efficiency->mfu_absent = "how long the devices took from first to last op is not known";
    } else {
        const double flops = model_flops(input->ops, &told);
        if (flops > 0 && told >= told_share_least) {
            efficiency->mfu = some_f64(flops / window_s / peak);
            efficiency->mfu_of = "operations of the profile's ops without recomputation, the time "
                                 "of the devices from first to last op, and their peak";
        } else {
            efficiency->mfu_absent =
                "ops of more than half of the time do not tell their operations: state "
                "--model-flops-per-step";
        }
    }
}

struct efficiency efficiency_of(const struct op_table_input *input)
{
    struct efficiency efficiency = {0};
    const struct opt_f64 step = input->summary->steps.steady_median_us;
    const struct opt_f64 tokens =
        of_step(input, input->request->tokens_per_step, "tokens_per_step");
    const double devices = devices_of(input->summary);
    mfu_find(input, &efficiency);
    if (!tokens.set)
        efficiency.tokens_absent = "a profile does not know tokens: state --tokens-per-step";
    else if (!step.set || !(step.value > 0) || !(devices > 0))
        efficiency.tokens_absent = "no steady step was found, whose time it is of";
    else
        efficiency.tokens_per_second_per_device =
            some_f64(tokens.value / (step.value / us_per_s) / devices);
    return efficiency;
}
