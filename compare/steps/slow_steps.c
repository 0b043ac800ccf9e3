/* Implements the look at all steps of a run, slow ones and all. */
#include "compare/steps/slow_steps.h"
#include "compare/runs/runs.h"
#include "compare/statistics/statistics.h"
#include "compare/steps/estimate_words.h"
#include "compare/steps/excesses.h"
#include "compare/steps/step_growth.h"
#include "compare/steps/step_rule.h"
#include "compare/steps/waited_steps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How much longer than that a slow step is. */
static const double slow_factor = 1.1;

/* Slow steps in one run may be an accident of that run; so may that the host compiles once. */
enum { RUNS_TO_FAIL = 2, COMPILED_TO_FAIL = 2 };

/* Few runs have few ranks: where the smallest p that they can show is above what a fail needs, the
 * highest ranks of all are taken for it, up to here. A warning takes them always. */
static const double few_ranks_p = 0.025;

static const char of_period[] = "step_period_";
static const char by_runs[] = "run_statistics", by_limit[] = "fixed_limits";

/* ---- all runs -------------------------------------------------------------------------------- */

/* The same judgement of every run whose steps were seen; messages and sentences of it are dropped.
 * false: a side has none. */
static bool seen_judgement(struct gate_state *judgement, const struct seen_profiles *seen,
                           struct gate_state *ret)
{
    *ret = *judgement;
    if (seen->are_judged_already)
        return true;
    if (seen->sets.baseline.count == 0 || seen->sets.candidate.count == 0)
        return false;
    ret->verdict = arena_new(judgement->arena, struct verdict);
    ret->timeline_count = ret->message_capacity = 0;
    runs_build(ret, &seen->sets);
    if (judgement->input->paired)
        pairs_align(ret);
    timeline_build(ret);
    return true;
}

/* ---- slow steps one by one ------------------------------------------------------------------- */

struct slow_count {
    size_t steps, slow, compiled;
    size_t warmup; /* of the slow ones those that the step time leaves out as warm-up */
    double slow_us, between_us; /* that slow steps take too long, and the part behind their end */
    double unmarked_us;         /* of that, where steps follow that lack their mark */
};

static void profile_count(struct gate_state *judgement, const struct summary *summary,
                          struct slow_count *count)
{
    struct arena_mark mark = arena_mark(judgement->arena);
    const struct step_table *steps = &summary->steps;
    struct waits waits = waits_read(judgement, summary);
    double fast = waits.count > 0 ? stats_quantile(waits.us, waits.count, waited_faster_half) : 0;
    for (size_t i = 0; i < waits.count; i++)
        count->slow += waits.us[i] > slow_factor * fast;
    count->steps += waits.count;
    size_t first = waits.count > 0 ? waited_first(judgement, steps) : steps->count;
    for (size_t i = first; i < steps->count; i++) {
        const struct step_row *row = &steps->rows[i];
        double own = (double)row->max_ps / 1e6;
        double us = row->has_period ? (double)row->period_ps / 1e6 : own;
        if (us <= slow_factor * fast)
            continue;
        count->warmup += i < steps_first_warmup(steps);
        count->compiled += row->host_compiled || (i + 1 < steps->count && row[1].host_compiled);
        count->slow_us += us - fast;
        const double between_us = fmin(fmax(us - fmax(own, fast), 0), us - fast);
        const bool unmarked = i + 1 < steps->count && row[1].number - row->number > 1;
        count->between_us += between_us;
        count->unmarked_us += unmarked ? between_us : 0;
    }
    arena_rewind(judgement->arena, mark);
}

static struct slow_count side_count(struct gate_state *judgement, const struct gate_runs *runs)
{
    struct slow_count count = {0};
    for (size_t i = 0; i < runs->count; i++) {
        for (size_t j = 0; j < runs->items[i].profile_count; j++)
            profile_count(judgement, runs->items[i].profiles[j]->summary, &count);
    }
    return count;
}

/* What most slow steps, or most of the time that they take too long, go with is their cause. */
static const double cause_part = 0.5;

static bool is_compiling(const struct slow_count *now)
{
    return now->compiled > 0 && (double)now->compiled >= cause_part * (double)now->slow;
}

/* How often the host compiled behind the beginning of captures; steps in a row are once. */
static size_t compiled_times(const struct gate_state *all, bool by_candidate)
{
    size_t times = 0;
    for (size_t i = 0; i < all->timeline_count; i++) {
        const struct gate_run *run = &all->timeline[i].run;
        if ((all->timeline[i].role == RUN_CANDIDATE) != by_candidate)
            continue;
        for (size_t j = 0; j < run->profile_count; j++) {
            const struct step_table *steps = &run->profiles[j]->summary->steps;
            for (size_t k = steps_first_warmup(steps); k < steps->count; k++)
                times +=
                    steps->rows[k].host_compiled && (k == 0 || !steps->rows[k - 1].host_compiled);
        }
    }
    return times;
}

/* ---- the decision ---------------------------------------------------------------------------- */

/* few: the largest p that the highest ranks of all may have and still say it. */
static bool ranks_say(struct gate_state *judgement, const struct excesses *excesses, double alpha,
                      double few)
{
    struct rank_test test;
    rank_test_make(excesses->past, excesses->past_count, excesses->now_count, judgement->arena,
                   &test);
    return test.p <= alpha || (test.p <= test.smallest && test.smallest <= few);
}

/* How often chance deals slow steps to so many of the candidate's runs and to no past one. */
static double events_p(const struct excesses *excesses)
{
    return rank_events_p(excesses->past_count + excesses->now_count, excesses->now_count,
                         excesses->lopsided_count);
}

/* What slow steps make of the verdict; PASS: there are none that matter. Where runs were left out
 * because their steps differ, a mean that is too uncertain to tell is no reason to pass. That the
 * host compiles is an event and no chance: what recurs does so in one run too. */
static enum verdict_status slow_decide(struct gate_state *judgement,
                                       const struct step_outcome *outcome,
                                       const struct excesses *excesses, bool are_uneven)
{
    static const double chances = 2; /* with the step rule itself */
    const struct gate_policy *policy = judgement->policy;
    double alpha_fail = policy->alpha_fail / chances;
    bool suspected = outcome->status == VERDICT_FAIL || outcome->status == VERDICT_WARN ||
                     (are_uneven && outcome->status == VERDICT_INCONCLUSIVE);
    /* So many of the candidate's runs show slow steps, and no past run does, that chance hardly
     * dealt them so; the mean is longer by what matters, however much its runs differ because some
     * steps are slow and some are not. Where steps only vary more, the mean is a matter of luck. */
    if (!outcome->newest_open && excesses->lopsided_count >= RUNS_TO_FAIL &&
        excesses->past_grown_count == 0 &&
        log(outcome->after_us / outcome->before_us) >= outcome->margin &&
        events_p(excesses) <= alpha_fail)
        return VERDICT_FAIL;
    if (!suspected || excesses->grown_count == 0)
        return VERDICT_PASS;
    if (outcome->limited)
        return outcome->status;
    if (outcome->status == VERDICT_FAIL &&
        (excesses->compiled >= COMPILED_TO_FAIL ||
         (excesses->grown_count >= RUNS_TO_FAIL &&
          ranks_say(judgement, excesses, alpha_fail, few_ranks_p))))
        return VERDICT_FAIL;
    return ranks_say(judgement, excesses, policy->alpha_warn, 1) ? VERDICT_WARN : VERDICT_PASS;
}

/* Whether what fails is warm-up that half of the candidate's runs have and past captures do not:
 * it may end later in the job, and what comes behind it tells what a step takes. A slow step that
 * some run begins with by chance is not in half of them. */
static bool fails_by_warmup(struct gate_state *all, struct step_figure figure, bool are_uneven)
{
    struct gate_state steady = *all;
    struct excesses excesses;
    if (!warmup_is_longer(all))
        return false;
    steady.warmup_is_own = true;
    waited_means_take(&steady);
    struct step_outcome outcome = step_outcome_of(&steady, figure);
    bool fails = outcome.known && excesses_find(&steady, outcome.margin, &excesses) &&
                 slow_decide(&steady, &outcome, &excesses, are_uneven) == VERDICT_FAIL;
    waited_means_take(all);
    return !fails;
}

/* ---- the sentence ---------------------------------------------------------------------------- */

/* Mean over the runs that tell the mean of their steps. */
static double side_mean(const struct gate_runs *runs)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < runs->count; i++) {
        struct opt_f64 mean = runs->items[i].measures[MEASURE_steady_step_mean];
        sum += mean.set ? mean.value : 0;
        count += mean.set;
    }
    return count > 0 ? sum / count : 0;
}

enum { PART_BYTES = 400 };

/* " in 3 of 3 runs (c1, c2, c3)" */
static const char *runs_phrase(const struct excesses *excesses, char *buffer)
{
    enum { NAMED = 3 };
    size_t named = excesses->grown_count < NAMED ? excesses->grown_count : NAMED;
    char runs[FORMAT_COUNTED_BYTES];
    int length = snprintf(buffer, PART_BYTES, " in %zu of %s (", excesses->grown_count,
                          format_counted((int64_t)excesses->now_count, "run", runs));
    for (size_t i = 0; i < named; i++) {
        char name[NAME_TEXT_BYTES];
        length += snprintf(buffer + length, PART_BYTES - (size_t)length, "%s%.60s",
                           i == 0 ? "" : ", ", name_text(excesses->grown[i], name));
    }
    (void)snprintf(buffer + length, PART_BYTES - (size_t)length, "%s)",
                   excesses->grown_count > NAMED ? " and others" : "");
    return buffer;
}

/* What most of the time that slow steps take too long is spent with; "" where nothing tells. */
static const char *cause_phrase(const struct gate_state *judgement, const struct slow_count *now,
                                char *buffer)
{
    struct opt_f64 idle[] = {runs_mean(&judgement->op_sides.before, RUN_IDLE_MEAN),
                             runs_mean(&judgement->op_sides.after, RUN_IDLE_MEAN)};
    struct opt_f64 span[] = {runs_mean(&judgement->op_sides.before, RUN_SPAN_MEAN),
                             runs_mean(&judgement->op_sides.after, RUN_SPAN_MEAN)};
    bool known = idle[0].set && idle[1].set && span[0].set && span[1].set;
    double longer = known ? span[1].value - span[0].value : 0;
    buffer[0] = '\0';
    if (is_compiling(now))
        (void)snprintf(buffer, PART_BYTES, "; the host compiles in %zu of them", now->compiled);
    else if (now->compiled > 0)
        (void)snprintf(buffer, PART_BYTES, "; the host compiles in %zu of them, not in the others",
                       now->compiled);
    else if (now->slow_us > 0 && now->unmarked_us >= cause_part * now->slow_us)
        (void)snprintf(buffer, PART_BYTES,
                       "; it lies where steps lack their mark, of which nothing else is known");
    else if (now->slow_us > 0 && now->between_us >= cause_part * now->slow_us)
        (void)snprintf(buffer, PART_BYTES,
                       "; between steps the devices wait for input, host or dispatch");
    else if (longer > 0)
        (void)snprintf(buffer, PART_BYTES, "; the devices are %s in them",
                       idle[1].value - idle[0].value >= cause_part * longer ? "idle"
                                                                            : "busy longer");
    return buffer;
}

/* What decided: "; its own estimate is +14.9 %, 95 % interval +13.0..+17.1 %", or where it was not
 * the rule on means the limit, or the runs that show slow steps. */
static const char *test_phrase(const struct gate_state *judgement,
                               const struct step_outcome *outcome, char *buffer)
{
    char interval[INTERVAL_WORDS_BYTES];
    buffer[0] = '\0';
    if (outcome->limited)
        (void)snprintf(buffer, PART_BYTES,
                       "; beyond the fixed limit, by which few runs are judged");
    else if (outcome->tested)
        (void)snprintf(buffer, PART_BYTES, "; %sits own estimate is %s",
                       judgement->same_program ? "with device time held equal " : "",
                       interval_words(outcome, interval));
    return buffer;
}

static const char *events_phrase(const struct excesses *excesses, char *buffer)
{
    char past[FORMAT_COUNTED_BYTES];
    (void)snprintf(
        buffer, PART_BYTES, "; none of %s has such steps: chance deals that once in %.0f times",
        format_counted((int64_t)excesses->past_count, "past run", past), 1 / events_p(excesses));
    return buffer;
}

/* What the sides take as the table of measures has it, where the run in the middle shows what
 * matters; else the mean of all runs. */
static const char *mean_phrase(struct gate_state *all, double margin, char *buffer)
{
    struct opt_f64 before = runs_median(all, &all->baseline, MEASURE_steady_step_mean);
    struct opt_f64 after = runs_median(all, &all->candidate, MEASURE_steady_step_mean);
    char pair[FORMAT_CHANGE_BYTES];
    bool middle = before.set && after.set && log(after.value / before.value) >= margin;
    (void)snprintf(buffer, PART_BYTES, "%s%s",
                   middle
                       ? format_change(before.value, after.value, pair)
                       : format_change(side_mean(&all->baseline), side_mean(&all->candidate), pair),
                   middle ? "" : " in the mean of all runs");
    return buffer;
}

/* Why the steps that are counted are not those that the sides' step time is of; "" where they are.
 */
static const char *counted_phrase(const struct gate_state *judgement, const struct slow_count *past,
                                  const struct slow_count *now)
{
    const struct verdict *verdict = judgement->verdict;
    bool more = (int64_t)past->steps > verdict->baseline.step_count ||
                (int64_t)now->steps > verdict->candidate.step_count;
    bool fewer = (int64_t)past->steps < verdict->baseline.step_count ||
                 (int64_t)now->steps < verdict->candidate.step_count;
    return more    ? " (with those that the step time leaves out)"
           : fewer ? " (of captures that tell their steps one by one)"
                   : "";
}

/* Returns whether steps grow as captures go on. */
static bool slow_reason(struct gate_state *judgement, struct gate_state *all,
                        const struct step_outcome *outcome, const struct excesses *excesses,
                        enum verdict_status status)
{
    struct slow_count past = side_count(all, &all->baseline);
    struct slow_count now = side_count(all, &all->candidate);
    char pair[PART_BYTES], runs[PART_BYTES], test[PART_BYTES], cause[PART_BYTES];
    char steps[PART_BYTES];
    bool grows = step_growth_text(all, outcome->margin, steps, sizeof steps);
    if (now.slow > 0 && !grows)
        (void)snprintf(steps, sizeof steps,
                       "%zu of %zu steps %s slow%s, %zu of %zu of the baseline%s", now.slow,
                       now.steps, now.slow == 1 ? "is" : "are",
                       now.warmup < now.slow ? "" : ", at the beginning of captures", past.slow,
                       past.steps, counted_phrase(judgement, &past, &now));
    else if (!grows)
        (void)snprintf(steps, sizeof steps, "steps differ more than the baseline's");
    /* Half of what matters, by the median step or the median time from step to step. */
    static const enum measure medians[] = {MEASURE_steady_step_median, MEASURE_steady_step_period};
    bool show = all->step_status == VERDICT_FAIL || all->step_status == VERDICT_WARN;
    for (size_t i = 0; i < sizeof medians / sizeof medians[0]; i++) {
        struct opt_f64 before = runs_median(all, &all->baseline, medians[i]);
        struct opt_f64 after = runs_median(all, &all->candidate, medians[i]);
        show |= before.set && after.set && before.value > 0 &&
                after.value / before.value >= exp(outcome->margin / 2);
    }
    reason_add(
        judgement, "steps_slow", "Mean time from step to step %s: %s, which medians %s,%s%s%s%s.",
        mean_phrase(all, outcome->margin, pair), steps, show ? "show in part" : "do not show",
        runs_phrase(excesses, runs),
        status == VERDICT_FAIL && outcome->status != VERDICT_FAIL
            ? events_phrase(excesses, test)
            : test_phrase(judgement, outcome, test),
        cause_phrase(all, &now, cause),
        status == VERDICT_FAIL && excesses->grown_count < RUNS_TO_FAIL
            ? ": an event that recurs, in no past run, which one run is enough to show"
        : status != VERDICT_WARN    ? ""
        : excesses->warmup_alone    ? "; warm-up that is longer than past captures' fails nothing"
        : all->candidate.count == 1 ? "; one run does not fail by this, a second would tell"
                                    : "; too little or too uncertain to fail");
    return grows;
}

/* ---- where runs are too few for a test ------------------------------------------------------- */

/* The means differ by what matters, and by as much more than the faster steps do. */
static bool is_told(const struct gate_state *all, const struct step_outcome *outcome,
                    const struct excesses *excesses)
{
    double before = side_mean(&all->baseline), after = side_mean(&all->candidate);
    return !outcome->tested && before > 0 && log(after / before) >= outcome->margin &&
           stats_mean(excesses->now, excesses->now_count) - excesses->usual >= outcome->margin;
}

/* A mean that is longer by what matters, not because all steps are, and too uncertain to say so, is
 * no pass. */
static void mean_bar_pass(struct gate_state *judgement, const struct step_outcome *outcome,
                          const struct excesses *excesses)
{
    char pair[FORMAT_CHANGE_BYTES], test[PART_BYTES];
    double grown = stats_mean(excesses->now, excesses->now_count) - excesses->usual;
    if (judgement->verdict->status != VERDICT_PASS || grown < outcome->margin / 2 ||
        judgement->policy->measures[MEASURE_steady_step_mean].action == MEASURE_INFO ||
        log(outcome->after_us / outcome->before_us) < outcome->margin)
        return;
    judgement->mean_status = VERDICT_WARN;
    reason_add(judgement, "steps_mean_uncertain",
               "Mean time from step to step %s%s: more than the %.1f %% that matter, which the "
               "median step does not show and %s.",
               format_change(outcome->before_us, outcome->after_us, pair),
               test_phrase(judgement, outcome, test), 100 * expm1(outcome->margin),
               outcome->tested && outcome->estimate.low > outcome->margin
                   ? "by which alone nothing fails: slow steps come by chance, too"
                   : "these runs do not rule out");
    status_decide(judgement, VERDICT_INCONCLUSIVE, by_runs);
}

static void mean_judge(struct gate_state *judgement, struct gate_state *all, bool are_uneven)
{
    const struct step_figure figure = {MEASURE_steady_step_mean, judgement->same_program};
    struct step_outcome outcome = step_outcome_of(all, figure);
    struct excesses excesses;
    if (!outcome.known || !excesses_find(all, outcome.margin, &excesses))
        return;
    bool followed = outcome.status == VERDICT_FAIL || outcome.status == VERDICT_WARN;
    struct slow_count now = side_count(all, &all->candidate);
    if (is_compiling(&now) && compiled_times(all, false) == 0)
        excesses.compiled = compiled_times(all, true);
    enum verdict_status status = slow_decide(all, &outcome, &excesses, are_uneven);
    excesses.warmup_alone = status == VERDICT_FAIL && fails_by_warmup(all, figure, are_uneven);
    if (excesses.warmup_alone)
        status = VERDICT_WARN;
    /* A mean that is longer because all steps are does what the rule on them made of it. */
    judgement->mean_status = !followed ? outcome.status
                             : judgement->period_status != VERDICT_INCONCLUSIVE
                                 ? judgement->period_status
                                 : judgement->step_status;
    bool grows = false;
    if (status != VERDICT_PASS || is_told(all, &outcome, &excesses))
        grows = slow_reason(judgement, all, &outcome, &excesses, status);
    if (status == VERDICT_PASS) {
        waited_warmup_judge(judgement, all, outcome.margin);
        mean_bar_pass(judgement, &outcome, &excesses);
        return;
    }
    judgement->mean_status = step_action(judgement->policy, MEASURE_steady_step_mean, status);
    status_raise(judgement, judgement->mean_status, outcome.limited ? by_limit : by_runs);
    /* That steps grow says more than that they follow each other later. */
    waited_warmup_judge(judgement, all, outcome.margin);
    if (grows && judgement->verdict->status == judgement->mean_status &&
        strncmp(judgement->verdict->reasons[0].code, of_period, sizeof of_period - 1) == 0)
        status_decide(judgement, judgement->mean_status, judgement->verdict->rule_id);
    /* What has happened is said before what could not be shown. */
    if (excesses.compiled > 0 && judgement->mean_status == VERDICT_WARN &&
        judgement->verdict->status == VERDICT_INCONCLUSIVE)
        status_decide(judgement, VERDICT_INCONCLUSIVE, judgement->verdict->rule_id);
}

/* ---- uneven captures ------------------------------------------------------------------------- */

/* What is unfit is not compared by its median, and hides no loss: where the faster half of its
 * steps would fail, the rest does not matter. */
static void uneven_judge(struct gate_state *judgement, struct gate_state *all,
                         const struct profile_set *uneven)
{
    uneven_quicken(all, uneven);
    const struct step_figure figure = {MEASURE_steady_step_median, judgement->same_program};
    struct step_outcome outcome = step_outcome_of(all, figure);
    char pair[FORMAT_CHANGE_BYTES], test[PART_BYTES];
    if (!outcome.known || outcome.status != VERDICT_FAIL)
        return;
    char grown[PART_BYTES];
    (void)format_change(outcome.before_us, outcome.after_us, pair);
    if (step_growth_text(all, outcome.margin, grown, sizeof grown))
        reason_add(judgement, "steps_regressed_throughout",
                   "Step time %s even by the faster half of the steps: %s%s: surely slower.", pair,
                   grown, test_phrase(judgement, &outcome, test));
    else
        reason_add(judgement, "steps_regressed_throughout",
                   "Step time %s even by the faster half of the steps of captures whose steps "
                   "differ too much for a median%s: surely slower.",
                   pair, test_phrase(judgement, &outcome, test));
    status_raise(judgement, step_action(judgement->policy, figure.measure, VERDICT_FAIL),
                 outcome.limited ? by_limit : by_runs);
}

void slow_steps_judge(struct gate_state *judgement, const struct seen_profiles *seen)
{
    struct gate_state all;
    judgement->mean_status = VERDICT_INCONCLUSIVE;
    if (!seen_judgement(judgement, seen, &all))
        return;
    waited_means_take(judgement);
    waited_means_take(&all);
    mean_judge(judgement, &all, seen->uneven.count > 0);
    if (seen->uneven.count > 0 && judgement->steps_are_ours)
        uneven_judge(judgement, &all, &seen->uneven);
}
