/* Implements the grouping of profiles into runs.
 *
 * A run's step time is the median over its profiles; so is every measure that is shown. What the
 * balance needs is means, because only means add up.
 */
#include "compare/runs/runs.h"
#include "compare/runs/measures.h"
#include "compare/statistics/statistics.h"

#include <string.h>

/* ---- one profile ----------------------------------------------------------------------------- */

/* ---- one run --------------------------------------------------------------------------------- */

/* Of documents without our steps the step time is that of profile_summary.v1, on all sides. */
static void profile_measures(const struct gate_profile *profile, bool ours, struct opt_f64 *values)
{
    if (profile->measures != NULL)
        memcpy(values, profile->measures, MEASURE_END * sizeof *values);
    else
        measures_take(profile->summary, values);
    if (ours)
        return;
    values[MEASURE_steady_step_median] = values[MEASURE_step_median];
    values[MEASURE_steady_step_p90] = values[MEASURE_step_p90];
    values[MEASURE_steady_step_mean] = values[MEASURE_step_mean];
}

static struct opt_f64 profile_mean(const struct summary *summary, enum run_mean which)
{
    /* Mean duration of steady device spans. */
    double sum = 0;
    int64_t count = 0;
    for (size_t i = 0; i < summary->steps.count; i++) {
        const struct step_row *row = &summary->steps.rows[i];
        for (size_t j = 0; !row->warmup && j < row->span_count; j++) {
            sum += (double)row->spans[j].duration_ps;
            count++;
        }
    }
    struct opt_f64 span = count == 0 ? (struct opt_f64){0} : some_f64(sum / (double)count / 1e6);
    struct opt_f64 idle = summary->steps.steady_spans > 0
                              ? some_f64(summary->coverage.steady_idle_us_per_step)
                              : (struct opt_f64){0};
    switch (which) {
    case RUN_SPAN_MEAN:
        return span;
    case RUN_IDLE_MEAN:
        return idle;
    default:
        return span.set && idle.set ? some_f64(span.value - idle.value) : (struct opt_f64){0};
    }
}

/* Mean over the run's profiles; absent when one of them lacks the figure. */
static struct opt_f64 run_mean_of(const struct gate_run *run, enum run_mean which)
{
    double sum = 0;
    for (size_t i = 0; i < run->profile_count; i++) {
        struct opt_f64 value = profile_mean(run->profiles[i]->summary, which);
        if (!value.set)
            return value;
        sum += value.value;
    }
    return some_f64(sum / (double)run->profile_count);
}

static void run_figures(struct gate_state *judgement, struct gate_run *run)
{
    bool ours = judgement->steps_are_ours;
    for (size_t i = 0; i < run->profile_count; i++)
        run->step_count += ours ? run->profiles[i]->summary->steps.steady_count
                                : run->profiles[i]->summary->step_time.steady_state_steps.count;
    for (enum run_mean i = 0; ours && i < RUN_MEAN_COUNT; i++)
        run->means[i] = run_mean_of(run, i);
    /* Median over the run's profiles that tell the measure. */
    double *values = arena_array(judgement->arena, double, MEASURE_END * run->profile_count);
    size_t counts[MEASURE_END] = {0};
    for (size_t i = 0; i < run->profile_count; i++) {
        struct opt_f64 told[MEASURE_END];
        profile_measures(run->profiles[i], judgement->steps_are_ours, told);
        for (enum measure m = MEASURE_FIRST; m < MEASURE_END; m++) {
            if (told[m].set)
                values[m * run->profile_count + counts[m]++] = told[m].value;
        }
    }
    for (enum measure m = MEASURE_FIRST; m < MEASURE_END; m++) {
        double *mine = values + m * run->profile_count;
        stats_sort(mine, counts[m]);
        if (counts[m] > 0)
            run->measures[m] = some_f64(stats_quantile(mine, counts[m], 0.5));
    }
}

/* The profiles of a run stand together in the set. */
static void set_group(struct gate_state *judgement, const struct profile_set *set,
                      struct gate_runs *ret)
{
    ret->items = arena_array(judgement->arena, struct gate_run, set->count);
    ret->count = 0;
    struct gate_run *run = NULL;
    for (size_t i = 0; i < set->count; i++) {
        const char *id = gate_run_id(set->items[i]);
        if (run == NULL || strcmp(run->id, id) != 0) {
            run = &ret->items[ret->count++];
            *run = (struct gate_run){.id = id, .profiles = &set->items[i]};
        }
        run->profile_count++;
    }
    for (size_t i = 0; i < ret->count; i++) {
        run_figures(judgement, &ret->items[i]);
    }
}

/* Older documents have no `steps`: then all sides use profile_summary.v1, or the two step times
 * would not mean the same. */
static bool set_has_ours(const struct profile_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        if (!set->items[i]->summary->has_ours)
            return false;
    }
    return true;
}

static bool is_whole(const struct gate_run *run)
{
    for (size_t i = 0; i < run->profile_count; i++) {
        if (run->profiles[i]->measures != NULL)
            return false;
    }
    return true;
}

static bool run_has_spans(const struct gate_run *run)
{
    int64_t spans = 0;
    for (size_t i = 0; i < run->profile_count; i++)
        spans += run->profiles[i]->summary->steps.steady_spans;
    return spans > 0;
}

void runs_recent(struct gate_state *judgement)
{
    const struct gate_runs *all = &judgement->baseline;
    struct gate_runs recent = {arena_array(judgement->arena, struct gate_run, all->count), 0};
    bool some = false;
    for (size_t i = 0; i < all->count; i++)
        some |= is_whole(&all->items[i]) && run_has_spans(&all->items[i]);
    for (size_t i = 0; i < all->count; i++) {
        if (is_whole(&all->items[i]) && (!some || run_has_spans(&all->items[i])))
            recent.items[recent.count++] = all->items[i];
    }
    judgement->recent = recent;
}

void runs_build(struct gate_state *judgement, const struct profile_sets *sets)
{
    judgement->steps_are_ours = set_has_ours(&sets->baseline) && set_has_ours(&sets->candidate) &&
                                set_has_ours(&sets->history);
    set_group(judgement, &sets->baseline, &judgement->baseline);
    set_group(judgement, &sets->candidate, &judgement->candidate);
    set_group(judgement, &sets->history, &judgement->history);
    runs_recent(judgement);
}

struct opt_f64 runs_mean(const struct gate_runs *runs, enum run_mean which)
{
    double sum = 0;
    for (size_t i = 0; i < runs->count; i++) {
        struct opt_f64 value = runs->items[i].means[which];
        if (!value.set)
            return value;
        sum += value.value;
    }
    return runs->count == 0 ? (struct opt_f64){0} : some_f64(sum / (double)runs->count);
}

/* ---- what is compared op by op --------------------------------------------------------------- */

static bool side_has_spans(const struct gate_runs *runs)
{
    bool some = false;
    for (size_t i = 0; i < runs->count && !some; i++)
        some = run_has_spans(&runs->items[i]);
    return some;
}

static bool tells_ops(const struct summary *summary, bool per_call)
{
    return per_call ? summary->op_count > 0 : summary->steps.steady_spans > 0;
}

static void side_with_ops(struct gate_state *judgement, const struct gate_runs *all,
                          struct gate_runs *ret)
{
    *ret = (struct gate_runs){arena_array(judgement->arena, struct gate_run, all->count), 0};
    for (size_t i = 0; i < all->count; i++) {
        struct gate_run run = all->items[i];
        const struct gate_profile **profiles =
            arena_array(judgement->arena, const struct gate_profile *, run.profile_count);
        run.profiles = profiles;
        run.profile_count = 0;
        for (size_t j = 0; j < all->items[i].profile_count; j++) {
            const struct gate_profile *profile = all->items[i].profiles[j];
            if (tells_ops(profile->summary, judgement->op_sides.per_call))
                profiles[run.profile_count++] = profile;
        }
        for (enum run_mean m = 0; judgement->steps_are_ours && m < RUN_MEAN_COUNT; m++)
            run.means[m] = run_mean_of(&run, m);
        if (run.profile_count > 0)
            ret->items[ret->count++] = run;
    }
}

bool runs_hold(const struct gate_runs *runs, const struct gate_profile *profile)
{
    for (size_t i = 0; i < runs->count; i++) {
        for (size_t j = 0; j < runs->items[i].profile_count; j++) {
            if (runs->items[i].profiles[j] == profile)
                return true;
        }
    }
    return false;
}

void runs_with_ops(struct gate_state *judgement)
{
    struct op_sides *sides = &judgement->op_sides;
    sides->per_call = !side_has_spans(&judgement->recent) || !side_has_spans(&judgement->candidate);
    side_with_ops(judgement, &judgement->recent, &sides->before);
    side_with_ops(judgement, &judgement->candidate, &sides->after);
    side_with_ops(judgement, &judgement->history, &sides->past);
}

/* ---- the side in the verdict ----------------------------------------------------------------- */

static void list_add(struct string_list *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i], text) == 0)
            return;
    }
    list->items[list->count++] = text;
}

/* The text that all profiles share, NULL when they do not. */
static const char *shared_text(const struct gate_runs *runs, size_t offset)
{
    const char *shared = NULL;
    for (size_t i = 0; i < runs->count; i++) {
        for (size_t j = 0; j < runs->items[i].profile_count; j++) {
            const char *text;
            memcpy(&text, (const char *)runs->items[i].profiles[j] + offset, sizeof text);
            if (text == NULL || (shared != NULL && strcmp(shared, text) != 0))
                return NULL;
            shared = text;
        }
    }
    return shared;
}

void side_describe(struct gate_state *judgement, const struct gate_side *side,
                   const struct gate_runs *runs, struct verdict_side *ret_side)
{
    ret_side->why = side->why;
    bool is_near = ret_side == &judgement->verdict->baseline && judgement->near_count > 0;
    if (side->why != NULL && is_near)
        ret_side->why =
            arena_printf(judgement->arena, "%s, of which the %zu next to the candidate count",
                         side->why, judgement->near_count);
    if (ret_side->why != NULL && ret_side->set_aside_count > 0)
        ret_side->why = arena_printf(judgement->arena, "%s; set aside: %zu", ret_side->why,
                                     ret_side->set_aside_count);
    ret_side->run_count = (int64_t)runs->count;
    size_t profiles = 0;
    for (size_t i = 0; i < runs->count; i++)
        profiles += runs->items[i].profile_count;
    ret_side->profile_ids.items = arena_array(judgement->arena, const char *, profiles);
    ret_side->labels.items = arena_array(judgement->arena, const char *, profiles);
    ret_side->run_ids.items = arena_array(judgement->arena, const char *, runs->count);
    for (size_t i = 0; i < runs->count; i++) {
        const struct gate_run *run = &runs->items[i];
        list_add(&ret_side->run_ids, run->id);
        ret_side->step_count += run->step_count;
        for (size_t j = 0; j < run->profile_count; j++) {
            list_add(&ret_side->profile_ids, run->profiles[j]->profile_id);
            if (run->profiles[j]->label != NULL)
                list_add(&ret_side->labels, run->profiles[j]->label);
        }
    }
    ret_side->branch = shared_text(runs, offsetof(struct gate_profile, branch));
    ret_side->commit = shared_text(runs, offsetof(struct gate_profile, commit));
    ret_side->step_median_us = runs_median(judgement, runs, MEASURE_steady_step_median);
    ret_side->step_p90_us = runs_median(judgement, runs, MEASURE_steady_step_p90);
}

bool run_hosts_equal(const struct gate_run *a, const struct gate_run *b)
{
    const struct string_list *left = &a->profiles[0]->summary->environment.hosts;
    const struct string_list *right = &b->profiles[0]->summary->environment.hosts;
    if (left->count != right->count)
        return false;
    for (size_t i = 0; i < left->count; i++) {
        if (strcmp(left->items[i], right->items[i]) != 0)
            return false;
    }
    return true;
}
