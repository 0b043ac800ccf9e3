/* Implements which steps were waited for, and the word on those that only the candidate leaves
 * out. */
#include "compare/steps/waited_steps.h"

#include "compare/statistics/statistics.h"
#include "compare/steps/step_rule.h"

#include <math.h>
#include <string.h>

const double waited_faster_half = 0.25;

/* Warm-up of fewer past captures is an accident of these. */
static const double usual_part = 0.25;

/* Of fewer past captures that begin at the same step number the earlier ones are asked too. */
enum { ALIKE_LEAST = 3 };

/* ---- which steps ----------------------------------------------------------------------------- */

struct warmups {
    size_t alike, alike_more, all, all_more; /* more: of those that leave out more steps */
};

/* false also where no past capture tells. */
static bool is_usual(const struct gate_state *judgement, const struct step_table *steps,
                     size_t count)
{
    struct warmups found = {0};
    for (size_t i = 0; i < judgement->timeline_count; i++) {
        const struct gate_run *run = &judgement->timeline[i].run;
        if (judgement->timeline[i].role == RUN_CANDIDATE)
            continue;
        for (size_t j = 0; j < run->profile_count; j++) {
            const struct step_table *past = &run->profiles[j]->summary->steps;
            if (past->count == 0 || past->rows[0].number > steps->rows[0].number)
                continue;
            bool alike = past->rows[0].number == steps->rows[0].number;
            bool more = steps_first_warmup(past) > count;
            found.all++;
            found.all_more += more;
            found.alike += alike;
            found.alike_more += alike && more;
        }
    }
    if (found.alike >= ALIKE_LEAST)
        return (double)found.alike_more <= usual_part * (double)found.alike;
    return found.all > 0 && (double)found.all_more <= usual_part * (double)found.all;
}

static bool is_warmup_anyhow(const struct step_row *row)
{
    return row->host_compiled ||
           (row->warmup_reason != NULL && (strcmp(row->warmup_reason, WARMUP_NUMBER) == 0 ||
                                           strcmp(row->warmup_reason, WARMUP_COMPILATION) == 0));
}

size_t waited_first(const struct gate_state *judgement, const struct step_table *steps)
{
    size_t own = steps_first_warmup(steps), first = 0;
    if (judgement->warmup_is_own)
        return own;
    while (first < own && !is_usual(judgement, steps, first))
        first++;
    for (size_t i = first; i < own; i++) {
        if (is_warmup_anyhow(&steps->rows[i]))
            first = i + 1;
    }
    return first;
}

/* ---- means ----------------------------------------------------------------------------------- */

static void run_mean_take(struct gate_state *judgement, struct gate_run *run)
{
    struct arena_mark mark = arena_mark(judgement->arena);
    double *means = arena_array(judgement->arena, double, run->profile_count);
    size_t known = 0;
    for (size_t i = 0; i < run->profile_count; i++) {
        const struct step_table *steps = &run->profiles[i]->summary->steps;
        double *us = arena_array(judgement->arena, double, steps->count);
        size_t count =
            steps->count == 0 ? 0 : steps_waited(steps, waited_first(judgement, steps), us);
        if (count > 0)
            means[known++] = stats_mean(us, count);
    }
    stats_sort(means, known);
    if (known > 0)
        run->measures[MEASURE_steady_step_mean] = some_f64(stats_quantile(means, known, 0.5));
    arena_rewind(judgement->arena, mark);
}

void waited_means_take(struct gate_state *judgement)
{
    struct gate_runs *sides[] = {&judgement->baseline, &judgement->candidate};
    if (!judgement->steps_are_ours)
        return;
    for (size_t i = 0; i < judgement->timeline_count; i++)
        run_mean_take(judgement, &judgement->timeline[i].run);
    for (size_t i = 0; i < judgement->newest_timeline_count; i++)
        run_mean_take(judgement, &judgement->newest_timeline[i].run);
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
        for (size_t j = 0; j < sides[i]->count; j++)
            run_mean_take(judgement, &sides[i]->items[j]);
    }
}

/* ---- warm-up of the candidate alone ---------------------------------------------------------- */

struct left_out {
    size_t runs, steps, left; /* runs with such steps; of all runs: steps, and those left out */
    double longer;            /* sum over those: us by the median step of their capture */
};

static struct left_out left_out_count(const struct gate_state *all, const struct gate_runs *runs,
                                      bool by_past)
{
    struct left_out found = {0};
    for (size_t i = 0; i < runs->count; i++) {
        size_t before = found.left;
        for (size_t j = 0; j < runs->items[i].profile_count; j++) {
            const struct step_table *steps = &runs->items[i].profiles[j]->summary->steps;
            size_t own = steps_first_warmup(steps);
            size_t first = by_past && steps->count > 0 ? waited_first(all, steps) : 0;
            for (size_t k = first; k < own && steps->steady_median_us.value > 0; k++)
                found.longer += (double)steps->rows[k].max_ps / 1e6 / steps->steady_median_us.value;
            found.left += own - first;
            found.steps += steps->count;
        }
        found.runs += found.left > before;
    }
    return found;
}

bool warmup_is_longer(const struct gate_state *all)
{
    struct left_out now = left_out_count(all, &all->candidate, true);
    return all->steps_are_ours && now.left > 0 && 2 * now.runs >= all->candidate.count;
}

void waited_warmup_judge(struct gate_state *judgement, const struct gate_state *all, double margin)
{
    struct left_out now = left_out_count(all, &all->candidate, true);
    if (!warmup_is_longer(all))
        return;
    struct opt_f64 before = runs_median(judgement, &all->baseline, MEASURE_steady_step_mean);
    struct opt_f64 after = runs_median(judgement, &all->candidate, MEASURE_steady_step_mean);
    struct left_out past = left_out_count(all, &all->baseline, false);
    char pair[FORMAT_CHANGE_BYTES];
    if (!before.set || !after.set || before.value <= 0)
        return;
    reason_add(
        judgement, "warmup_unlike_past",
        "%zu of the candidate's %zu steps, at the beginning of captures, are left out of "
        "the step time as warm-up and take %.2f times the steps behind them; the baseline "
        "leaves out %zu of %zu. Mean time from step to step with them: %s. What is slow only "
        "where captures begin may be longer warm-up, or the profiler that starts, and fails "
        "nothing; a capture that begins some steps later holds it if it comes back.",
        now.left, now.steps, now.longer / (double)now.left, past.left, past.steps,
        format_change(before.value, after.value, pair));
    enum verdict_status warns =
        step_action(judgement->policy, MEASURE_steady_step_mean, VERDICT_WARN);
    if (log(after.value / before.value) >= margin / 2)
        status_raise(judgement, warns, "run_statistics");
}

/* ---- uneven captures ------------------------------------------------------------------------- */

static bool is_among(const struct profile_set *set, const struct gate_profile *profile)
{
    for (size_t i = 0; i < set->count; i++) {
        if (set->items[i] == profile)
            return true;
    }
    return false;
}

/* The step time of a run with uneven profiles becomes that of the fastest of these at its best. */
static void run_quicken(struct gate_state *judgement, const struct profile_set *uneven,
                        struct gate_run *run)
{
    struct opt_f64 *value = &run->measures[MEASURE_steady_step_median];
    for (size_t i = 0; i < run->profile_count; i++) {
        const struct step_table *steps = &run->profiles[i]->summary->steps;
        struct arena_mark mark = arena_mark(judgement->arena);
        double *us = arena_array(judgement->arena, double, steps->count);
        size_t count = 0;
        for (size_t j = steps_first_warmup(steps); j < steps->count; j++) {
            if (steps->rows[j].max_ps > 0)
                us[count++] = (double)steps->rows[j].max_ps / 1e6;
        }
        stats_sort(us, count);
        if (count > 0 && is_among(uneven, run->profiles[i])) {
            double fast = stats_quantile(us, count, waited_faster_half);
            *value = some_f64(value->set ? fmin(value->value, fast) : fast);
        }
        arena_rewind(judgement->arena, mark);
    }
}

void uneven_quicken(struct gate_state *judgement, const struct profile_set *uneven)
{
    for (size_t i = 0; i < judgement->candidate.count; i++)
        run_quicken(judgement, uneven, &judgement->candidate.items[i]);
    for (size_t i = 0; i < judgement->timeline_count; i++) {
        if (judgement->timeline[i].role == RUN_CANDIDATE)
            run_quicken(judgement, uneven, &judgement->timeline[i].run);
    }
}

/* ---- captures of one step -------------------------------------------------------------------- */

void waits_unseen_reason(struct gate_state *judgement)
{
    size_t most = 0;
    for (size_t i = 0; i < judgement->candidate.count; i++) {
        const struct gate_run *run = &judgement->candidate.items[i];
        for (size_t j = 0; j < run->profile_count; j++) {
            size_t count = run->profiles[j]->summary->steps.count;
            most = count > most ? count : most;
        }
    }
    if (most == 1)
        reason_add(judgement, "waits_unseen",
                   "Each capture of the candidate holds one step: what devices wait for between "
                   "steps (input, host, dispatch) is not in it and was not judged; captures of "
                   "two steps or more show it.");
}
