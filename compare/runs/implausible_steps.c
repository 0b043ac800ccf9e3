/* Implements the doubts about step times. */
#include "compare/runs/implausible_steps.h"

#include <math.h>
#include <string.h>

/* ---- factors --------------------------------------------------------------------------------- */

/* From unit to unit of time; a change beside it makes it so many times more or less. */
static const double unit_factor = 1000, unit_slack = 1.5;

/* Nothing becomes so many times as fast and does the same. */
static const double faster_most = 100;

/* Whether times are in another unit, by their quotient. */
static bool is_unit_apart(double quotient)
{
    const double apart = fmax(quotient, 1 / quotient);
    for (double factor = unit_factor; factor <= pow(unit_factor, 3); factor *= unit_factor) {
        if (apart >= factor / unit_slack && apart <= factor * unit_slack)
            return true;
    }
    return false;
}

/* Reason `times_implausible`; false: the times may be what they are. */
static bool factor_judge(struct gate_state *judgement)
{
    static const struct {
        enum measure measure;
        const char *words;
    } asked[] = {{MEASURE_steady_step_median, "Step time"},
                 {MEASURE_op_time, "Time of ops per step"}};
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        struct opt_f64 before = runs_median(judgement, &judgement->baseline, asked[i].measure);
        struct opt_f64 after = runs_median(judgement, &judgement->candidate, asked[i].measure);
        char pair[FORMAT_CHANGE_BYTES];
        if (!before.set || !after.set || before.value <= 0 || after.value <= 0)
            continue;
        const double quotient = after.value / before.value;
        if (!is_unit_apart(quotient) && quotient > 1 / faster_most)
            continue;
        reason_add(judgement, "times_implausible",
                   "%s %s, %.3g times as long: that is other work, or another unit of time in the "
                   "profiles of one side (ms for µs), and hardly a change of the code. Nothing is "
                   "judged by it; what wrote the profiles of both sides would tell.",
                   asked[i].words, format_change(before.value, after.value, pair), quotient);
        return true;
    }
    return false;
}

/* ---- captures of one step -------------------------------------------------------------------- */

/* How many ops a step runs on a device; 0 where that is not known. */
static double ops_of_step(const struct summary *summary)
{
    double count = 0, spans = (double)summary->steps.steady_spans;
    for (size_t i = 0; i < summary->op_count; i++)
        count += summary->ops[i].asynchronous ? 0 : (double)summary->ops[i].steady_count;
    return spans > 0 ? count / spans : 0;
}

/* The mean over all profiles of the runs that tell it; 0 where none does. *ret_steps: the most that
 * one of them has. */
static double runs_ops(const struct gate_runs *runs, size_t *ret_steps)
{
    double sum = 0, known = 0;
    *ret_steps = 0;
    for (size_t i = 0; i < runs->count; i++) {
        for (size_t j = 0; j < runs->items[i].profile_count; j++) {
            const struct summary *summary = runs->items[i].profiles[j]->summary;
            const double count = ops_of_step(summary);
            sum += count;
            known += count > 0;
            *ret_steps = summary->steps.count > *ret_steps ? summary->steps.count : *ret_steps;
        }
    }
    return known > 0 ? sum / known : 0;
}

/* Reason `step_may_be_cut`; false: there is more than one step, or all ops are there. */
static bool cut_judge(struct gate_state *judgement)
{
    static const double whole_part = 0.9;
    char pair[FORMAT_CHANGE_BYTES];
    struct opt_f64 was = runs_median(judgement, &judgement->baseline, MEASURE_steady_step_median);
    struct opt_f64 is = runs_median(judgement, &judgement->candidate, MEASURE_steady_step_median);
    size_t steps_before, steps;
    const double before = runs_ops(&judgement->recent, &steps_before);
    const double after = runs_ops(&judgement->candidate, &steps);
    if (steps != 1 || before <= 0 || after <= 0 || after > whole_part * before || !was.set ||
        !is.set)
        return false;
    reason_add(judgement, "step_may_be_cut",
               "Each capture of the candidate holds one step, which ran %.4g ops of a device; "
               "steps of the baseline run %.4g. The end of the capture may have cut it off, or the "
               "change runs fewer ops: captures of two steps or more tell these apart. Step time "
               "%s says nothing yet.",
               after, before, format_change(was.value, is.value, pair));
    return true;
}

/* What the rule made of these times is no reason any more. */
static void step_reasons_drop(struct verdict *verdict)
{
    static const char prefix[] = "step_median_";
    size_t kept = 0;
    for (size_t i = 0; i < verdict->reason_count; i++) {
        if (strncmp(verdict->reasons[i].code, prefix, sizeof prefix - 1) != 0)
            verdict->reasons[kept++] = verdict->reasons[i];
    }
    verdict->reason_count = kept;
}

void implausible_steps_judge(struct gate_state *judgement)
{
    const bool passes = judgement->verdict->status == VERDICT_PASS;
    if (judgement->verdict->status == VERDICT_INCOMPARABLE ||
        (!factor_judge(judgement) && !(passes && cut_judge(judgement))))
        return;
    step_reasons_drop(judgement->verdict);
    judgement->step_status = judgement->period_status = judgement->mean_status =
        VERDICT_INCONCLUSIVE;
    status_decide(judgement, VERDICT_INCONCLUSIVE, "data");
}
