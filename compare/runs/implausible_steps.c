/* Implements the doubts about step times. */
#include "compare/runs/implausible_steps.h"

#include <math.h>
#include <stdio.h>
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

/* ---- steps that are parts, or several -------------------------------------------------------- */

enum { PHRASE_BYTES = 96 };

/* What the steps of a side are made of. */
struct step_make {
    double ops;      /* of a device, the mean over profiles that tell it; 0 where none does */
    size_t most;     /* steps that a capture has */
    int64_t apart;   /* the numbers of steps, all by multiples of it; 0: not known */
    size_t profiles; /* and those in which a device did something */
    size_t of_devices;
    double us; /* the step time of the side */
};

/* How many ops a step runs on a device; 0 where that is not known. */
static double ops_of_step(const struct summary *summary)
{
    double count = 0, spans = (double)summary->steps.steady_spans;
    for (size_t i = 0; i < summary->op_count; i++)
        count += summary->ops[i].asynchronous ? 0 : (double)summary->ops[i].steady_count;
    return spans > 0 ? count / spans : 0;
}

/* The greatest divisor of `apart` and of all distances between the numbers of steps. */
static int64_t numbers_apart(const struct step_table *steps, int64_t apart)
{
    if (!step_method_has_numbers(steps->method))
        return apart;
    for (size_t i = 0; i + 1 < steps->count; i++) {
        int64_t distance;
        if (__builtin_sub_overflow(steps->rows[i + 1].number, steps->rows[i].number, &distance))
            continue;
        while (distance != 0) {
            const int64_t rest = apart % distance;
            apart = distance;
            distance = rest;
        }
    }
    return apart;
}

static struct step_make steps_make(const struct gate_runs *runs)
{
    struct step_make make = {0};
    double sum = 0, known = 0;
    for (size_t i = 0; i < runs->count; i++) {
        for (size_t j = 0; j < runs->items[i].profile_count; j++) {
            const struct summary *summary = runs->items[i].profiles[j]->summary;
            const double count = ops_of_step(summary);
            sum += count;
            known += count > 0;
            make.most = summary->steps.count > make.most ? summary->steps.count : make.most;
            make.apart = numbers_apart(&summary->steps, make.apart);
            make.profiles++;
            make.of_devices += summary->device_count > 0;
        }
    }
    make.ops = known > 0 ? sum / known : 0;
    return make;
}

/* Reason `step_may_be_cut`; false: there is a step that begins and ends inside a capture, or all
 * ops are there. */
static bool cut_judge(struct gate_state *judgement, const struct step_make *was,
                      const struct step_make *is, const char *pair)
{
    enum { AT_EDGES = 2 };
    static const double whole_part = 0.9;
    const bool known = was->ops > 0 && is->ops > 0;
    const bool silent = was->of_devices == was->profiles && is->of_devices < is->profiles;
    const bool fewer = known && is->ops <= whole_part * was->ops;
    const bool shorter = !known && is->us <= whole_part * was->us;
    if (is->most > AT_EDGES || (!silent && !fewer && !shorter))
        return false;
    const char *holds = is->most == 1 ? "Each capture of the candidate holds one step"
                                      : "No capture of the candidate holds more than two steps";
    if (fewer)
        reason_add(judgement, "step_may_be_cut",
                   "%s; ops of a device per step: %.4g, in the baseline %.4g. The ends of a "
                   "capture may have cut its steps off, or the change runs fewer ops: captures of "
                   "three steps or more tell these apart. Step time %s says nothing yet.",
                   holds, is->ops, was->ops, pair);
    else
        reason_add(judgement, "step_may_be_cut",
                   "%s, and which ops a step runs is not known of both sides. The ends of a "
                   "capture may have cut its steps off: captures of three steps or more would "
                   "tell. Step time %s says nothing yet.",
                   holds, pair);
    return true;
}

/* Reason `steps_may_be_several`: a side's numbers are so many times as far apart as the other's,
 * and its steps run more ops, or take far longer where those are not known; false: they do not. */
static bool several_judge(struct gate_state *judgement, const struct step_make *was,
                          const struct step_make *is, const char *pair)
{
    static const double more_ops = 1.1, longer = 1.5;
    const bool after = is->apart > was->apart;
    const struct step_make *far = after ? is : was, *near = after ? was : is;
    const bool known = far->ops > 0 && near->ops > 0;
    if (near->apart <= 0 || far->apart < 2 * near->apart ||
        (known ? far->ops < more_ops * near->ops : far->us < longer * near->us))
        return false;
    char ops[PHRASE_BYTES] = "";
    if (known)
        (void)snprintf(ops, sizeof ops, ", and run %.4g ops of a device in place of %.4g", far->ops,
                       near->ops);
    reason_add(judgement, "steps_may_be_several",
               "Steps of the %s are numbered %lld apart, those of the %s %lld%s: one of the former "
               "may be several, of which one has an annotation. Step time %s says nothing until "
               "all steps are annotated.",
               after ? "candidate" : "baseline", (long long)far->apart,
               after ? "baseline" : "candidate", (long long)near->apart, ops, pair);
    return true;
}

/* Whether steps of both sides may not be of the same kind. */
static bool make_judge(struct gate_state *judgement)
{
    const bool passes = judgement->verdict->status == VERDICT_PASS;
    struct step_make was = steps_make(&judgement->recent);
    struct step_make is = steps_make(&judgement->candidate);
    struct opt_f64 before =
        runs_median(judgement, &judgement->baseline, MEASURE_steady_step_median);
    struct opt_f64 after =
        runs_median(judgement, &judgement->candidate, MEASURE_steady_step_median);
    char pair[FORMAT_CHANGE_BYTES];
    if (!before.set || !after.set)
        return false;
    was.us = before.value;
    is.us = after.value;
    (void)format_change(before.value, after.value, pair);
    return several_judge(judgement, &was, &is, pair) ||
           (passes && cut_judge(judgement, &was, &is, pair));
}

void implausible_steps_judge(struct gate_state *judgement)
{
    if (judgement->verdict->status == VERDICT_INCOMPARABLE ||
        (!factor_judge(judgement) && !make_judge(judgement)))
        return;
    /* What the rule made of these times is no reason any more. */
    struct verdict *verdict = judgement->verdict;
    static const char prefix[] = "step_median_";
    size_t kept = 0;
    for (size_t i = 0; i < verdict->reason_count; i++) {
        if (strncmp(verdict->reasons[i].code, prefix, sizeof prefix - 1) != 0)
            verdict->reasons[kept++] = verdict->reasons[i];
    }
    verdict->reason_count = kept;
    judgement->step_status = judgement->period_status = judgement->mean_status =
        VERDICT_INCONCLUSIVE;
    status_decide(judgement, VERDICT_INCONCLUSIVE, "data");
}
