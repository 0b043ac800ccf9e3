/* Implements the step rule. */
#include "compare/steps/step_rule.h"
#include "compare/runs/runs.h"
#include "compare/steps/mixed_runs.h"
#include "compare/statistics/statistics.h"

#include <math.h>
#include <string.h>

/* ---- decisions ------------------------------------------------------------------------------- */

/* P(a loss fails): each explanation has a chance of its own about the estimate that a fail needs,
 * from[i]: as much as the averaged test asks for, or the explanation alone, were it the likeliest.
 * When the candidate runs again its spread is another one, and with it what p asks for: by
 * sqrt(runs - 1) / df of it. */
static double fail_chance(const struct run_model *model, const double *from, double margin,
                          double loss)
{
    double chance = 0;
    for (size_t i = 0; i < model->count; i++) {
        const struct run_explanation *item = &model->items[i];
        double again = from[i] > margin ? from[i] * sqrt(model->candidates - 1) / item->df : 0;
        chance +=
            item->weight *
            stats_t_upper((fmax(from[i], margin) - loss) / hypot(item->error, again), item->df);
    }
    return chance;
}

double step_detectable(const struct gate_policy *policy, const struct run_model *model,
                       double margin, struct arena *arena)
{
    enum { HALVINGS = 24 };
    static const double least = 1e-4; /* a margin of 0 is never reached by doubling it */
    double low = 0, high = fmax(margin, least);
    double reach = run_model_change(model) - run_model_low(model, policy->alpha_fail);
    double alpha = run_model_uncounted(model, policy->alpha_fail);
    double *from = arena_array(arena, double, model->count);
    for (size_t i = 0; i < model->count; i++) {
        const struct run_explanation *item = &model->items[i];
        from[i] = fmax(reach, stats_t_quantile(1 - alpha, item->df) * item->error);
    }
    while (fail_chance(model, from, margin, high) < policy->power && high < 1e3)
        high *= 2;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = low + (high - low) / 2;
        if (fail_chance(model, from, margin, middle) < policy->power)
            low = middle;
        else
            high = middle;
    }
    return fmax(high, margin);
}

enum verdict_status step_decide(const struct gate_policy *policy,
                                const struct step_estimate *estimate, double margin)
{
    if (estimate->p_slower < policy->alpha_fail && estimate->change >= margin &&
        estimate->shown >= margin)
        return VERDICT_FAIL;
    if (estimate->p_slower < policy->alpha_warn && estimate->change >= margin / 2)
        return VERDICT_WARN;
    return estimate->upper < margin ? VERDICT_PASS : VERDICT_INCONCLUSIVE;
}

enum verdict_status step_action(const struct gate_policy *policy, enum measure measure,
                                enum verdict_status status)
{
    enum measure_action action = policy->measures[measure].action;
    if (action == MEASURE_FAIL || (status != VERDICT_FAIL && status != VERDICT_WARN))
        return status;
    return action == MEASURE_WARN ? VERDICT_WARN : VERDICT_PASS;
}

/* ---- what else would tell -------------------------------------------------------------------- */

/* The spread that a promise of more runs goes by is itself learned from runs: the promise is made
 * where this part of what `power` leaves over is left. */
static const double unkept_part = 0.5;

/* A change of margin is told from none: no change passes, and one of margin is suspected at least,
 * each with probability `power`. luck: the change that these runs show where nothing is slower. */
static bool model_tells(const struct gate_policy *policy, const struct run_model *model,
                        double margin, double luck)
{
    double change = run_model_change(model);
    double alpha = fmax(policy->alpha_pass, policy->alpha_warn);
    double power = 1 - unkept_part * (1 - policy->power);
    return run_model_quantile(model, 1 - alpha) + run_model_quantile(model, power) - 2 * change +
               fmax(luck, 0) <=
           margin;
}

/* Other runs than there are: more of them, or longer captures of the candidate. */
struct wish {
    size_t candidates, pasts; /* added, at the end of the series */
    double variance;          /* of the candidate's runs; 0: as it is */
};

static bool wish_tells(struct gate_state *judgement, const struct run_series *series,
                       const struct step_outcome *outcome, const struct wish *wish)
{
    struct arena_mark mark = arena_mark(judgement->arena);
    size_t count = series->count + wish->candidates + wish->pasts, runs = 0, pairs = count;
    struct run_series planned = {.points = arena_array(judgement->arena, struct run_point, count)};
    struct run_model plan;
    double candidate_variance = 0;
    for (size_t i = 0; i < series->count; i++) {
        struct run_point *point = &planned.points[planned.count++];
        *point = series->points[i];
        if (point->role != RUN_CANDIDATE)
            continue;
        point->variance = wish->variance > 0 ? wish->variance : point->variance;
        candidate_variance += point->variance;
        runs++;
    }
    for (size_t i = 0; i < wish->candidates + wish->pasts; i++) {
        bool past = i >= wish->candidates;
        size_t pair = judgement->paired ? pairs + (past ? i - wish->candidates : i) : 0;
        planned.points[planned.count++] = (struct run_point){
            past ? RUN_PAST : RUN_CANDIDATE, 0, past ? 1 : candidate_variance / (double)runs,
            series->points[past ? 0 : series->count - 1].hosts, pair};
    }
    /* Longer captures are of other runs. */
    bool tells = run_model_plan(&outcome->model, &planned, judgement->arena, &plan) &&
                 model_tells(judgement->policy, &plan, outcome->margin,
                             wish->variance > 0 ? 0 : run_model_change(&plan));
    arena_rewind(judgement->arena, mark);
    return tells;
}

/* The fewest further runs, by halving what is between too few and enough; 0: not even `most`. */
static int64_t more_runs_of(struct gate_state *judgement, const struct run_series *series,
                            const struct step_outcome *outcome, bool both)
{
    size_t low = 0, high = (size_t)judgement->policy->max_more_runs;
    struct wish wish = {high, both ? high : 0, 0};
    if (!wish_tells(judgement, series, outcome, &wish))
        return 0;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        wish = (struct wish){middle, both ? middle : 0, 0};
        if (wish_tells(judgement, series, outcome, &wish))
            high = middle;
        else
            low = middle;
    }
    return (int64_t)high;
}

static void more_find(struct gate_state *judgement, const struct run_series *series,
                      struct step_outcome *outcome)
{
    static const double lengths[] = {2, 3, 5, 10, 20, 50, 100};
    double fewest = INFINITY;
    for (size_t i = 0; i < judgement->timeline_count; i++) {
        if (judgement->timeline[i].role == RUN_CANDIDATE)
            fewest = fmin(fewest, judgement->timeline[i].step_count);
    }
    if (!judgement->paired && outcome->enough)
        outcome->more_runs = more_runs_of(judgement, series, outcome, false);
    if (outcome->more_runs == 0) {
        outcome->more_runs = more_runs_of(judgement, series, outcome, true);
        outcome->more_of_both = outcome->more_runs > 0;
    }
    if (outcome->more_runs > 0 && !outcome->enough) /* nothing passes with fewer */
        outcome->more_runs =
            (int64_t)fmax((double)outcome->more_runs,
                          judgement->policy->min_past_runs - (double)outcome->past_runs);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0] && outcome->more_steps == 0; i++) {
        struct wish wish = {.variance = timeline_variance(judgement, lengths[i])};
        if (lengths[i] > fewest && wish_tells(judgement, series, outcome, &wish))
            outcome->more_steps = (int64_t)lengths[i];
    }
}

/* The reference's rule on two medians, with the policy's limit and the absolute floor: it may fail
 * or warn where the runs could not be tested. Without a limit, or within it, nothing is said. */
static enum verdict_status fixed_decide(const struct gate_policy *policy, enum measure measure,
                                        const struct step_outcome *outcome)
{
    struct opt_f64 limit = measure_limit(policy, measure, outcome->before_us);
    double delta = outcome->after_us - outcome->before_us;
    if (!limit.set || delta <= limit.value || delta < policy->min_effect_us ||
        policy->measures[measure].action == MEASURE_INFO)
        return VERDICT_INCONCLUSIVE;
    return step_action(policy, measure, VERDICT_FAIL);
}

/* ---- the figures of the runs ----------------------------------------------------------------- */

/* What is taken off a run's step to hold its device time at the baseline's. */
struct holding {
    bool wanted, known;
    double busy_us; /* mean of the baseline */
    double weight;  /* of a microsecond that the mean device is busy longer */
};

/* What busy time has to make of longer spans, at least, for the slow device to be slow by work. */
static const double busy_blame_share = 0.5;

/* A device that is slow alone makes the step longer by all that it takes longer, the mean device by
 * a part of that. The weight is how many times more the step grew than the mean device's, at most
 * the number of devices; 1 where waiting made the spans longer, or the weight would only make the
 * noise of busy time louder. */
static double lone_weight(struct gate_state *judgement)
{
    const struct gate_runs *sides[] = {&judgement->recent, &judgement->candidate};
    struct opt_f64 steps[2], spans[2], busy[2];
    for (int i = 0; i < 2; i++) {
        steps[i] = runs_median(judgement, sides[i], MEASURE_steady_step_median);
        spans[i] = runs_mean(sides[i], RUN_SPAN_MEAN);
        busy[i] = runs_mean(sides[i], RUN_BUSY_MEAN);
        if (!steps[i].set || !spans[i].set || !busy[i].set)
            return 1;
    }
    double step = steps[1].value - steps[0].value, span = spans[1].value - spans[0].value;
    double most = (double)judgement->candidate.items[0].profiles[0]->summary->device_count;
    if (step <= 0 || span <= 0 || most <= 1 ||
        busy[1].value - busy[0].value < busy_blame_share * span)
        return 1;
    return fmin(fmax(step / span, 1), most);
}

static struct holding holding_of(struct gate_state *judgement, struct step_figure figure)
{
    if (!figure.device_held)
        return (struct holding){.known = true};
    struct opt_f64 busy = runs_mean(&judgement->recent, RUN_BUSY_MEAN);
    return (struct holding){true, busy.set, busy.value, lone_weight(judgement)};
}

/* NAN: the run does not tell it. */
static double figure_of(const struct gate_run *run, enum measure measure,
                        const struct holding *holding)
{
    struct opt_f64 step = run->measures[measure], busy = run->means[RUN_BUSY_MEAN];
    if (!step.set || (holding->wanted && !busy.set))
        return NAN;
    double value =
        step.value - (holding->wanted ? holding->weight * (busy.value - holding->busy_us) : 0);
    return value > 0 ? value : NAN;
}

/* The median over the runs of a side; *ret_whole: each of them tells the figure. NAN: none does. */
static double side_median(struct gate_state *judgement, const struct gate_runs *runs,
                          enum measure measure, const struct holding *holding, bool *ret_whole)
{
    struct arena_mark mark = arena_mark(judgement->arena);
    double *values = arena_array(judgement->arena, double, runs->count), median = NAN;
    size_t count = 0;
    for (size_t i = 0; i < runs->count; i++) {
        double value = figure_of(&runs->items[i], measure, holding);
        if (!isnan(value))
            values[count++] = value;
    }
    stats_sort(values, count);
    if (count > 0)
        median = stats_quantile(values, count, 0.5);
    *ret_whole = count == runs->count;
    arena_rewind(judgement->arena, mark);
    return median;
}

static void figures_series(struct gate_state *judgement, enum measure measure,
                           const struct holding *holding, struct run_series *ret_series)
{
    double *values = arena_array(judgement->arena, double, judgement->timeline_count);
    for (size_t i = 0; i < judgement->timeline_count; i++)
        values[i] = log(figure_of(&judgement->timeline[i].run, measure, holding));
    timeline_series(judgement, values, ret_series);
}

/* Period and mean are further chances to fail the same change: their p counts twice (Bonferroni); a
 * mean fails by nothing alone, and tells of slow steps in some runs (slow_steps.c). */
static struct step_estimate estimate_of(struct gate_state *judgement, enum measure measure,
                                        const struct run_series *series,
                                        const struct run_model *model)
{
    const struct gate_policy *policy = judgement->policy;
    bool few_tell = measure == MEASURE_steady_step_mean;
    double change = run_model_change(model), past_sd = sqrt(judgement->step_noise.past_variance);
    double chances = measure == MEASURE_steady_step_median ? 1 : 2, variance = 0;
    for (size_t i = 0; i < model->count; i++)
        variance += model->items[i].weight * model->items[i].sd * model->items[i].sd;
    return (struct step_estimate){
        .change = change,
        .shown = change + (few_tell ? 0 : mixed_runs_median(series, past_sd, judgement->arena)),
        .low = run_model_low(model, 0.025),
        .high = run_model_quantile(model, 0.975),
        .upper = run_model_quantile(model, 1 - policy->alpha_pass),
        .p_slower = fmin(chances * run_model_p(model, 0), 1),
        .df = model->items[0].df,
        .sd = sqrt(variance),
    };
}

/* What the newest past runs are asked of. */
struct newest_figure {
    enum measure measure;
    const struct holding *holding;
};

/* One run alone is asked both ways, whether the candidate is slower and whether it is faster: each
 * answer takes this part of what a fail may err by, so that a level which began with that run fails
 * no more than any other. */
static const double newest_part = 0.25;

/* The model of these rows in place of the timeline. *ret_estimate: what it says. false: nothing. */
static bool rows_ask(struct gate_state *judgement, struct placed_run *rows,
                     const struct newest_figure *figure, struct run_model *ret_model,
                     struct step_estimate *ret_estimate)
{
    struct gate_state asked = *judgement;
    struct run_series series;
    asked.timeline = rows;
    asked.timeline_count = judgement->newest_timeline_count;
    figures_series(&asked, figure->measure, figure->holding, &series);
    bool told = run_model_make(&series, judgement->arena, ret_model);
    if (told)
        *ret_estimate = estimate_of(&asked, figure->measure, &series, ret_model);
    return told;
}

static struct newest_change change_of(const struct step_estimate *estimate)
{
    return (struct newest_change){true, estimate->change, estimate->low, estimate->high};
}

/* The same test against the newest past runs alone, where these stand apart from the others.
 * *ret_open: they leave the decision open. Two more likely are a level than not. One may be an
 * accident, and what it alone says is only told; but a candidate that is slow by the past, and not
 * surely slower or faster than that run, is the second run that stands there. The smallest effect
 * becomes one that is slow by them as well. */
static enum newest_alone newest_ask(struct gate_state *judgement,
                                    const struct newest_figure *figure,
                                    struct step_outcome *outcome, bool *ret_open)
{
    struct gate_policy policy = *judgement->policy;
    struct run_model model, other;
    struct step_estimate estimate, before;
    bool fails = false, faster = false, one = judgement->newest_count == 1;
    double apart = judgement->newest_apart;
    *ret_open = false;
    if (judgement->newest_count == 0)
        return NEWEST_SAY_THE_SAME;
    policy.alpha_fail *= one ? newest_part : 1;
    bool told = rows_ask(judgement, judgement->newest_timeline, figure, &model, &estimate);
    bool is_said = figure->measure == MEASURE_steady_step_median && !figure->holding->wanted;
    if (is_said && told)
        judgement->newest_against[0] = change_of(&estimate);
    if (is_said && rows_ask(judgement, newest_before(judgement), figure, &other, &before))
        judgement->newest_against[1] = change_of(&before);
    if (judgement->newest_is_level)
        return NEWEST_SAY_THE_SAME;
    if (told) {
        const struct run_explanation *likeliest = &model.items[0];
        fails = step_decide(&policy, &estimate, outcome->margin) == VERDICT_FAIL;
        faster =
            stats_t_upper(-likeliest->change / likeliest->error, likeliest->df) < policy.alpha_fail;
        /* A loss to their level leaves it open. */
        double seen = step_detectable(&policy, &model, outcome->margin, judgement->arena);
        if (apart > 0)
            outcome->detectable = fmax(outcome->detectable, apart + seen);
    }
    if (fails == (outcome->status == VERDICT_FAIL))
        return NEWEST_SAY_THE_SAME;
    *ret_open = !one || (!fails && !faster);
    return fails ? NEWEST_WOULD_FAIL : NEWEST_WOULD_NOT_FAIL;
}

/* Runs that would not have shown a loss so many times as large as what matters pass by luck alone,
 * but where they are surely faster. */
static const double blind_margins = 5;

static bool is_blind(const struct step_outcome *outcome)
{
    return outcome->detectable > blind_margins * outcome->margin && outcome->estimate.high >= 0;
}

/* By the test, as far as it goes; few runs may fail by it, and pass by nothing. */
static void outcome_decide(struct gate_state *judgement, enum measure measure,
                           struct step_outcome *outcome)
{
    const struct gate_policy *policy = judgement->policy;
    outcome->status = outcome->tested ? step_decide(policy, &outcome->estimate, outcome->margin)
                                      : VERDICT_INCONCLUSIVE;
    if (outcome->status == VERDICT_PASS && is_blind(outcome))
        outcome->status = VERDICT_INCONCLUSIVE;
    if (outcome->enough || outcome->status == VERDICT_FAIL || outcome->status == VERDICT_WARN)
        return;
    outcome->status = fixed_decide(policy, measure, outcome);
    outcome->limited = outcome->status != VERDICT_INCONCLUSIVE;
}

struct step_outcome step_outcome_of(struct gate_state *judgement, struct step_figure figure)
{
    struct holding holding = holding_of(judgement, figure);
    struct step_outcome outcome = {0};
    struct run_series series;
    bool some, all;
    if (!holding.known)
        return outcome;
    outcome.before_us =
        side_median(judgement, &judgement->baseline, figure.measure, &holding, &some);
    outcome.after_us =
        side_median(judgement, &judgement->candidate, figure.measure, &holding, &all);
    if (isnan(outcome.before_us) || isnan(outcome.after_us) || !all)
        return outcome;
    figures_series(judgement, figure.measure, &holding, &series);
    outcome.known = true;
    size_t count = 0;
    for (size_t i = 0; i < series.count; i++)
        count += series.points[i].role != RUN_CANDIDATE;
    outcome.past_runs = count;
    /* What the policy's limit of the measure allows, or, where it has none, the smallest change
     * that matters; not below the absolute floor; as a logarithm. */
    struct opt_f64 limit = measure_limit(judgement->policy, figure.measure, outcome.before_us);
    double allowed =
        limit.set ? limit.value / outcome.before_us : judgement->policy->min_effect_pct / 100;
    outcome.margin = log1p(fmax(allowed, judgement->policy->min_effect_us / outcome.before_us));
    outcome.tested = run_model_make(&series, judgement->arena, &outcome.model);
    if (outcome.tested) {
        if (!judgement->paired)
            run_model_calibrate(&outcome.model, outcome.margin);
        outcome.enough = (double)outcome.past_runs >= judgement->policy->min_past_runs;
        outcome.estimate = estimate_of(judgement, figure.measure, &series, &outcome.model);
        outcome.detectable =
            step_detectable(judgement->policy, &outcome.model, outcome.margin, judgement->arena);
        outcome.tells = model_tells(judgement->policy, &outcome.model, outcome.margin, 0);
    }
    outcome_decide(judgement, figure.measure, &outcome);
    if (outcome.tested)
        outcome.detectable = step_claimed(judgement, &series, outcome.detectable);
    const struct newest_figure newest = {figure.measure, &holding};
    outcome.newest = newest_ask(judgement, &newest, &outcome, &outcome.newest_open);
    if (outcome.newest_open) {
        outcome.status = VERDICT_INCONCLUSIVE;
        outcome.limited = false;
    }
    bool open = outcome.status == VERDICT_INCONCLUSIVE || outcome.status == VERDICT_WARN;
    if (outcome.tested && !outcome.tells && open && !outcome.newest_open &&
        figure.measure == MEASURE_steady_step_median && !figure.device_held)
        more_find(judgement, &series, &outcome);
    return outcome;
}
