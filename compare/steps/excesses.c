/* Implements how far means stand above the faster steps: of one run, then of all. */
#include "compare/steps/excesses.h"
#include "compare/statistics/statistics.h"
#include "compare/steps/waited_steps.h"

#include <math.h>

struct waits waits_read(struct gate_state *judgement, const struct summary *summary)
{
    struct waits waits = {arena_array(judgement->arena, double, summary->steps.count), 0};
    if (judgement->steps_are_ours && summary->steps.count > 0)
        waits.count =
            steps_waited(&summary->steps, waited_first(judgement, &summary->steps), waits.us);
    stats_sort(waits.us, waits.count);
    return waits;
}

/* Logarithms, by how much... */
struct excess {
    double mean; /* ...the mean of a run's steps is above its faster ones; NAN: not known */
    double fast; /* ...these are above its fastest; 0: it has too few */
};

/* Fewer steps do not tell how far the fastest is from the faster ones. */
enum { FASTEST_MIN_STEPS = 5 };

/* Mean over the run's profiles; of documents without our steps, by their mean and median. */
static struct excess run_excess(struct gate_state *judgement, const struct gate_run *run)
{
    struct opt_f64 mean = run->measures[MEASURE_steady_step_mean];
    struct opt_f64 median = run->measures[MEASURE_steady_step_median];
    struct excess sum = {0, 0};
    double count = 0;
    for (size_t i = 0; judgement->steps_are_ours && i < run->profile_count; i++) {
        struct arena_mark mark = arena_mark(judgement->arena);
        struct waits waits = waits_read(judgement, run->profiles[i]->summary);
        struct excess excess = {NAN, 0};
        if (waits.count > 0) {
            double faster = stats_quantile(waits.us, waits.count, waited_faster_half);
            excess.mean = log(stats_mean(waits.us, waits.count) / faster);
            excess.fast = waits.count >= FASTEST_MIN_STEPS ? log(faster / waits.us[0]) : 0;
        }
        arena_rewind(judgement->arena, mark);
        if (isnan(excess.mean))
            continue;
        sum.mean += excess.mean;
        sum.fast += excess.fast;
        count++;
    }
    if (!judgement->steps_are_ours && mean.set && median.set && median.value > 0)
        return (struct excess){log(mean.value / median.value), 0};
    return count > 0 ? (struct excess){sum.mean / count, sum.fast / count}
                     : (struct excess){NAN, 0};
}

/* Steps that only vary more grow apart on both sides: the mean of normal ones from the faster ones
 * by half as much as these from the fastest (30 of them), by .8 (10), by as much where they drift.
 */
static const double lopsided = 1.3;

bool excesses_find(struct gate_state *judgement, double margin, struct excesses *ret)
{
    size_t most = judgement->timeline_count, baseline = 0;
    double *sorted = arena_array(judgement->arena, double, most), usual_fast;
    *ret = (struct excesses){.past = arena_array(judgement->arena, double, most),
                             .grown = arena_array(judgement->arena, const char *, most)};
    struct excess *all = arena_array(judgement->arena, struct excess, most);
    double *fast = arena_array(judgement->arena, double, most);
    for (size_t i = 0; i < most; i++) {
        const struct placed_run *placed = &judgement->timeline[i];
        all[i] = run_excess(judgement, &placed->run);
        if (isnan(all[i].mean) || placed->role == RUN_CANDIDATE)
            continue;
        ret->past[ret->past_count++] = all[i].mean;
        if (placed->role != RUN_PAST)
            continue;
        fast[baseline] = all[i].fast;
        sorted[baseline++] = all[i].mean;
    }
    ret->now = ret->past + ret->past_count;
    stats_sort(sorted, baseline);
    stats_sort(fast, baseline);
    ret->usual = baseline > 0 ? stats_quantile(sorted, baseline, 0.5) : NAN;
    usual_fast = baseline > 0 ? stats_quantile(fast, baseline, 0.5) : NAN;
    for (size_t i = 0; i < most; i++) {
        const struct gate_run *run = &judgement->timeline[i].run;
        double more = all[i].mean - ret->usual;
        bool grown = !isnan(more) && more >= margin;
        ret->past_grown_count += grown && judgement->timeline[i].role != RUN_CANDIDATE;
        if (isnan(more) || judgement->timeline[i].role != RUN_CANDIDATE)
            continue;
        ret->now[ret->now_count++] = all[i].mean;
        ret->lopsided_count += grown && more > lopsided * (all[i].fast - usual_fast);
        if (grown)
            ret->grown[ret->grown_count++] = run->id;
    }
    return baseline > 0 && ret->now_count > 0;
}
