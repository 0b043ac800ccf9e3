/* Implements the order of runs in time and what their steps say of their noise.
 *
 * The step time of a run is a median of few or many steps, so it is less certain by v = s^2 c / n:
 * s the spread of steps, n their effective number (stats_effective_count), c = pi / 2 for a median
 * (1 for one or two steps, whose median is their mean). Past runs differ by b + v, b from run to
 * run: the variance of another number of steps is b + v of that number, relative to the past's.
 */
#include "compare/runs/timeline.h"
#include "compare/provenance/provenance.h"
#include "compare/runs/runs.h"
#include "compare/statistics/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More runs than this, the candidate's among them, say nothing new, and cost time with their cube.
 */
enum { TIMELINE_MAX_RUNS = 100 };

/* Fewer steps in a run say little about how steps follow each other. */
enum { CORRELATION_MIN_STEPS = 10 };
static const double most_correlation = 0.9;

/* ---- the order of time ----------------------------------------------------------------------- */

static int placed_order(const void *left, const void *right)
{
    const struct placed_run *a = left, *b = right;
    int order = profile_time_order(a->run.profiles[0], b->run.profiles[0]);
    return order != 0 ? order : (a->role > b->role) - (a->role < b->role);
}

static void side_place(struct gate_state *judgement, const struct gate_runs *runs,
                       enum run_role role)
{
    for (size_t i = 0; i < runs->count; i++) {
        struct placed_run placed = {.run = runs->items[i], .role = role};
        if (judgement->paired && role != RUN_OTHER)
            placed.pair = i + 1;
        judgement->timeline[judgement->timeline_count++] = placed;
    }
}

/* The run is on its side no more. */
static void side_drop(struct gate_state *judgement, const struct placed_run *placed)
{
    struct gate_runs *runs = placed->role == RUN_PAST ? &judgement->baseline : &judgement->history;
    size_t kept = 0;
    for (size_t i = 0; i < runs->count; i++) {
        if (strcmp(runs->items[i].id, placed->run.id) != 0)
            runs->items[kept++] = runs->items[i];
    }
    runs->count = kept;
}

/* Leaves the runs next to the candidate's newest one, as many on either side where both have them:
 * of which level others are is not asked, and they are no baseline. One that somebody named stays.
 */
static void timeline_shorten(struct gate_state *judgement)
{
    size_t count = judgement->timeline_count, kept = 0, nth = 0, before = 0, behind = 0;
    size_t over = count > TIMELINE_MAX_RUNS ? count - TIMELINE_MAX_RUNS : 0;
    bool is_named = (judgement->paired || judgement->history.count > 0) &&
                    judgement->baseline.count < TIMELINE_MAX_RUNS;
    enum run_role stays = is_named ? RUN_PAST : RUN_CANDIDATE;
    for (size_t i = 0; i < count; i++) {
        enum run_role role = judgement->timeline[i].role;
        behind += role != RUN_CANDIDATE && role != stays;
        if (role == RUN_CANDIDATE) {
            before += behind;
            behind = 0;
        }
    }
    size_t others = before + behind, left = others > over ? others - over : 0;
    size_t least = left > behind + left / 2 ? left - behind : left / 2;
    size_t from = before > least ? before - least : 0;
    for (size_t i = 0; i < count; i++) {
        const struct placed_run placed = judgement->timeline[i];
        bool may_go = placed.role != RUN_CANDIDATE && placed.role != stays;
        if (!may_go || (nth >= from && nth < from + left))
            judgement->timeline[kept++] = placed;
        else
            side_drop(judgement, &placed);
        nth += may_go;
    }
    judgement->timeline_count = kept;
    judgement->near_count = over > 0 && !is_named ? left : 0;
}

size_t timeline_candidate(const struct gate_state *judgement)
{
    size_t number = SIZE_MAX;
    for (size_t i = 0; i < judgement->timeline_count; i++) {
        if (judgement->timeline[i].role == RUN_CANDIDATE)
            number = judgement->timeline[i].number;
    }
    return number;
}

double placed_run_value(const struct placed_run *placed)
{
    struct opt_f64 median = placed->run.measures[MEASURE_steady_step_median];
    return median.set && median.value > 0 ? log(median.value) : NAN;
}

/* ---- the noise of steps ---------------------------------------------------------------------- */

/* Logarithms of the steady steps of a run, profile after profile; returns how many. */
static size_t run_steps(const struct gate_run *run, double *ret_steps)
{
    size_t count = 0;
    for (size_t i = 0; i < run->profile_count; i++) {
        const struct step_table *steps = &run->profiles[i]->summary->steps;
        for (size_t j = 0; j < steps->count; j++) {
            if (!steps->rows[j].warmup && steps->rows[j].max_ps > 0)
                ret_steps[count++] = log((double)steps->rows[j].max_ps);
        }
    }
    return count;
}

static size_t most_steps(const struct gate_state *judgement)
{
    size_t most = 0;
    for (size_t i = 0; i < judgement->timeline_count; i++) {
        size_t count = 0;
        const struct gate_run *run = &judgement->timeline[i].run;
        for (size_t j = 0; j < run->profile_count; j++)
            count += run->profiles[j]->summary->steps.count;
        most = count > most ? count : most;
    }
    return most;
}

/* Spread and correlation of steps, of all runs together: one run's few would only guess. The
 * spread is that of the middle half, so that a step that hung does not count; the one step that is
 * its run's median does not either. */
static void steps_learn(struct gate_state *judgement)
{
    size_t most = most_steps(judgement), deviations = 0, tellers = 0;
    struct step_noise *noise = &judgement->step_noise;
    double correlation = 0;
    double *steps = arena_array(judgement->arena, double, 2 * most);
    double *all = arena_array(judgement->arena, double, judgement->timeline_count *most);
    for (size_t i = 0; i < judgement->timeline_count; i++) {
        struct placed_run *placed = &judgement->timeline[i];
        size_t count = run_steps(&placed->run, steps);
        placed->step_count = (double)count;
        if (count < 2)
            continue;
        if (count >= CORRELATION_MIN_STEPS) {
            correlation += stats_autocorrelation(steps, count) + 1 / (double)count;
            tellers++;
        }
        memcpy(steps + most, steps, count * sizeof *steps);
        stats_sort(steps + most, count);
        double median = stats_quantile(steps + most, count, 0.5);
        double widen = sqrt((double)count / ((double)count - 1));
        for (size_t j = 0; j < count; j++) {
            if (count % 2 == 0 || j != count / 2)
                all[deviations++] = widen * fabs(steps[most + j] - median);
        }
    }
    stats_sort(all, deviations);
    noise->sd = deviations > 0 ? STATS_MAD_TO_SD * stats_quantile(all, deviations, 0.5) : 0;
    noise->correlation =
        tellers > 0 ? fmin(fmax(correlation / (double)tellers, 0), most_correlation) : 0;
}

/* What steps of one side differ by from those before them, the middle of it: a step that hung does
 * not count, and steps that grow longer and longer differ no more. */
static double side_stride(struct gate_state *judgement, bool of_candidate, size_t *ret_count)
{
    struct arena_mark mark = arena_mark(judgement->arena);
    size_t most = most_steps(judgement), count = 0;
    double *steps = arena_array(judgement->arena, double, most);
    double *all = arena_array(judgement->arena, double, judgement->timeline_count *most);
    for (size_t i = 0; i < judgement->timeline_count; i++) {
        const struct placed_run *placed = &judgement->timeline[i];
        if ((placed->role == RUN_CANDIDATE) != of_candidate)
            continue;
        size_t steady = run_steps(&placed->run, steps);
        for (size_t j = 1; j < steady; j++)
            all[count++] = fabs(steps[j] - steps[j - 1]);
    }
    stats_sort(all, count);
    double stride = count > 0 ? stats_quantile(all, count, 0.5) : 0;
    arena_rewind(judgement->arena, mark);
    *ret_count = count;
    return stride;
}

/* Fewer steps of a side do not tell that they differ more. */
enum { WIDER_MIN_STEPS = 10 };

/* How many times as much the candidate's steps differ as past ones do, 95 % sure; 1: not surely
 * more. Of n differences of normal values, of which neighbours share one, the logarithm of the
 * median has a standard error of at most 1.43 / sqrt(n). */
static double wider_learn(struct gate_state *judgement)
{
    static const double error_of_one = 1.43, z95 = 1.645;
    size_t candidates, pasts;
    double now = side_stride(judgement, true, &candidates);
    double before = side_stride(judgement, false, &pasts);
    if (candidates < WIDER_MIN_STEPS || pasts < WIDER_MIN_STEPS || before <= 0)
        return 1;
    double error = error_of_one * sqrt(1 / (double)candidates + 1 / (double)pasts);
    return fmax(now / before * exp(-z95 * error), 1);
}

static double within_variance(const struct step_noise *noise, double step_count)
{
    static const double median_over_mean = M_PI / 2;
    if (step_count < 1)
        return 0;
    double effective = stats_effective_count((size_t)step_count, noise->correlation);
    double factor = step_count > 2 ? fmin(median_over_mean, effective) : 1;
    return noise->sd * noise->sd * factor / effective;
}

double timeline_past_variance(const struct gate_state *judgement)
{
    double before = NAN, sum = 0, pairs = 0;
    for (size_t i = 0; i < judgement->timeline_count; i++) {
        double value = placed_run_value(&judgement->timeline[i]);
        if (judgement->timeline[i].role == RUN_CANDIDATE || isnan(value))
            continue;
        sum += isnan(before) ? 0 : (value - before) * (value - before) / 2;
        pairs += !isnan(before);
        before = value;
    }
    return pairs > 0 ? sum / pairs : 0;
}

double timeline_variance(const struct gate_state *judgement, double step_count)
{
    const struct step_noise *noise = &judgement->step_noise;
    if (noise->past_within <= 0 || step_count < 1)
        return 1;
    double between = fmax(noise->past_variance - noise->past_within, 0);
    return (between + within_variance(noise, step_count)) / (between + noise->past_within);
}

static void noise_learn(struct gate_state *judgement)
{
    struct step_noise *noise = &judgement->step_noise;
    double within = 0, past = 0;
    steps_learn(judgement);
    for (size_t i = 0; i < judgement->timeline_count; i++) {
        const struct placed_run *placed = &judgement->timeline[i];
        if (placed->role == RUN_CANDIDATE || placed->step_count < 1)
            continue;
        within += within_variance(noise, placed->step_count);
        past++;
    }
    noise->past_within = past > 0 ? within / past : 0;
    noise->past_variance = timeline_past_variance(judgement);
    noise->candidate_wider = wider_learn(judgement);
    for (size_t i = 0; i < judgement->timeline_count; i++)
        judgement->timeline[i].variance =
            timeline_variance(judgement, judgement->timeline[i].step_count);
}

void timeline_build(struct gate_state *judgement)
{
    size_t count =
        judgement->baseline.count + judgement->candidate.count + judgement->history.count;
    judgement->timeline = arena_array(judgement->arena, struct placed_run, count);
    side_place(judgement, &judgement->history, RUN_OTHER);
    side_place(judgement, &judgement->baseline, RUN_PAST);
    side_place(judgement, &judgement->candidate, RUN_CANDIDATE);
    qsort(judgement->timeline, count, sizeof *judgement->timeline, placed_order);
    judgement->timeline_count = count;
    timeline_shorten(judgement);
    for (size_t i = 0; i < judgement->timeline_count; i++)
        judgement->timeline[i].number = i;
    /* Each run gets the number of the first one that ran on the same hosts. */
    for (size_t i = 0; i < judgement->timeline_count; i++) {
        struct placed_run *placed = &judgement->timeline[i];
        size_t first = 0;
        /* Of runs whose hosts are not known none can be said to share them. */
        while (first < i &&
               !(judgement->timeline[first].run.profiles[0]->summary->environment.hosts.count > 0 &&
                 run_hosts_equal(&judgement->timeline[first].run, &placed->run)))
            first++;
        placed->hosts = first;
    }
    noise_learn(judgement);
}

void timeline_series(struct gate_state *judgement, const double *values,
                     struct run_series *ret_series)
{
    struct run_series series = {
        .points = arena_array(judgement->arena, struct run_point, judgement->timeline_count),
        .wider = judgement->step_noise.candidate_wider};
    for (size_t i = 0; i < judgement->timeline_count; i++) {
        const struct placed_run *placed = &judgement->timeline[i];
        if (!isnan(values[i]))
            series.points[series.count++] = (struct run_point){
                placed->role, values[i], placed->variance, placed->hosts, placed->pair};
    }
    *ret_series = series;
}

/* ---- what leaves it -------------------------------------------------------------------------- */

void timeline_set_aside(struct gate_state *judgement, const struct placed_run *placed,
                        const char *reason, const char *text)
{
    const struct gate_run *run = &placed->run;
    const struct verdict_reason why = {reason, text};
    set_aside_add(judgement, run->id, run->profiles, run->profile_count, &why);
    side_drop(judgement, placed);
}

void timeline_drop(struct gate_state *judgement, const bool *gone)
{
    size_t kept = 0;
    for (size_t i = 0; i < judgement->timeline_count; i++) {
        if (!gone[i])
            judgement->timeline[kept++] = judgement->timeline[i];
    }
    judgement->timeline_count = kept;
}
