/* Implements the look at runs of two kinds: the widest gap between neighbours in size parts them,
 * where it is wider than runs differ by. */
#include "compare/steps/mixed_runs.h"
#include "compare/runs/runs.h"
#include "compare/statistics/statistics.h"
#include "ops/runtime/text.h"

#include <math.h>
#include <stdio.h>

/* Of fewer runs none has others to be told from. */
enum { MIXED_MIN_RUNS = 3 };

/* In standard deviations, of past runs and of those on either side: the gap between the kinds, and
 * their means. */
static const double least_gap = 2, least_apart = 6;

/* ---- the median ------------------------------------------------------------------------------ */

static double partner_value(const struct run_series *series, const struct run_point *point)
{
    for (size_t i = 0; point->pair != 0 && i < series->count; i++) {
        const struct run_point *other = &series->points[i];
        if (other->pair == point->pair && other->role == RUN_PAST)
            return other->value;
    }
    return 0;
}

double mixed_runs_median(const struct run_series *series, double past_sd, struct arena *arena)
{
    /* Of n values of a normal distribution median and mean differ by sqrt((pi / 2 - 1) / n). */
    const double strays = 2 * sqrt(M_PI / 2 - 1);
    struct arena_mark mark = arena_mark(arena);
    double *values = arena_array(arena, double, series->count);
    double sum = 0, weights = 0, variance = 0, above = 0;
    size_t count = 0;
    for (size_t i = 0; i < series->count; i++) {
        const struct run_point *point = &series->points[i];
        if (point->role != RUN_CANDIDATE)
            continue;
        values[count] = point->value - partner_value(series, point);
        sum += values[count++] / point->variance;
        weights += 1 / point->variance;
        variance += point->variance * (point->pair != 0 ? 2 : 1);
    }
    if (count > 2) {
        stats_sort(values, count);
        above = stats_quantile(values, count, 0.5) - sum / weights +
                strays * past_sd * sqrt(variance) / (double)count;
    }
    arena_rewind(arena, mark);
    return above;
}

/* ---- two kinds ------------------------------------------------------------------------------- */

/* Two kinds in ascending values: so many are of the faster one, and the means of both. */
struct kinds {
    size_t fast;
    double fast_mean, slow_mean;
};

static bool kinds_part(const double *values, size_t count, double past_sd, struct kinds *ret)
{
    size_t fast = 1;
    for (size_t i = 1; i < count; i++) {
        if (values[i] - values[i - 1] > values[fast] - values[fast - 1])
            fast = i;
    }
    double squares = stats_squares(values, fast) + stats_squares(values + fast, count - fast);
    double sd = fmax(sqrt(squares / ((double)count - 2)), past_sd);
    *ret = (struct kinds){fast, stats_mean(values, fast), stats_mean(values + fast, count - fast)};
    return values[fast] - values[fast - 1] > least_gap * sd &&
           ret->slow_mean - ret->fast_mean > least_apart * sd;
}

static double run_value(const struct gate_run *run)
{
    return log(run->measures[MEASURE_steady_step_median].value);
}

/* Adds " on host a" or " on hosts a, b and others", all that slow runs have in common and no other
 * run of the candidate has, with what past runs there show; nothing where past runs there are no
 * slower than elsewhere. half: between the kinds, a logarithm. */
static void hosts_name(const struct gate_state *judgement, double half, struct text *out)
{
    enum { NAMED = 2 };
    const struct gate_runs *runs = &judgement->candidate;
    const struct gate_run *slow = NULL;
    size_t past = 0;
    for (size_t i = 0; i < runs->count; i++)
        slow = slow == NULL && run_value(&runs->items[i]) > half ? &runs->items[i] : slow;
    if (slow == NULL)
        return;
    const struct string_list *hosts = &slow->profiles[0]->summary->environment.hosts;
    for (size_t i = 0; i < runs->count; i++) {
        bool is_slow = run_value(&runs->items[i]) > half;
        if (is_slow != run_hosts_equal(slow, &runs->items[i]))
            return;
    }
    for (size_t i = 0; i < judgement->input->baseline.profile_count; i++) {
        const struct gate_profile *profile = &judgement->input->baseline.profiles[i];
        const struct gate_run alone = {.profiles = &profile, .profile_count = 1};
        struct opt_f64 median = profile->summary->steps.steady_median_us;
        if (!median.set || !run_hosts_equal(slow, &alone))
            continue;
        if (log(median.value) < half)
            return;
        past++;
    }
    for (size_t i = 0; i < hosts->count && i < NAMED; i++) {
        char name[NAME_TEXT_BYTES];
        text_addf(out, "%s%s",
                  i > 0               ? ", "
                  : hosts->count == 1 ? " on host "
                                      : " on hosts ",
                  name_text(hosts->items[i], name));
    }
    if (hosts->count > NAMED)
        text_add(out, " and others");
    if (hosts->count > 0)
        text_add(out, past > 0 ? ", where past runs are slow too" : ", where no other run was");
}

/* What runs, or pairs, differ by: of pairs the past tells the part of their steps alone, since what
 * else past runs differ by may hit both. */
static double usual_sd(const struct gate_state *judgement)
{
    const struct step_noise *noise = &judgement->step_noise;
    return sqrt(judgement->paired ? 2 * noise->past_within : timeline_past_variance(judgement));
}

void mixed_runs_reason(struct gate_state *judgement, double change)
{
    enum { LIST_BYTES = 600, PART_BYTES = 40 };
    const struct gate_runs *runs = &judgement->candidate;
    size_t count = runs->count;
    struct kinds kinds;
    double *values = arena_array(judgement->arena, double, count);
    double *sorted = arena_array(judgement->arena, double, count);
    if (count < MIXED_MIN_RUNS)
        return;
    for (size_t i = 0; i < count; i++) {
        values[i] = run_value(&runs->items[i]);
        values[i] -= judgement->paired ? run_value(&judgement->baseline.items[i]) : 0;
        sorted[i] = values[i];
    }
    stats_sort(sorted, count);
    double margin = log1p(judgement->policy->min_effect_pct / 100);
    if (!kinds_part(sorted, count, usual_sd(judgement), &kinds) ||
        kinds.slow_mean - kinds.fast_mean < margin)
        return;
    size_t slow = count - kinds.fast;
    scoped_text names;
    text_init(&names, LIST_BYTES);
    /* "a, b, c and others": runs whose value is `least` or more. */
    enum { NAMED = 3 };
    size_t named = 0;
    for (size_t i = 0; i < runs->count; i++) {
        char name[NAME_TEXT_BYTES];
        if (values[i] < sorted[kinds.fast])
            continue;
        if (named++ < NAMED)
            text_addf(&names, "%s%s", named == 1 ? "" : ", ", name_text(runs->items[i].id, name));
    }
    if (named > NAMED)
        text_add(&names, " and others");
    double apart = stats_percent(kinds.slow_mean - kinds.fast_mean);
    double others = stats_percent(change + kinds.fast_mean - stats_mean(values, count));
    scoped_text hosts;
    text_init(&hosts, LIST_BYTES);
    if (!judgement->paired)
        hosts_name(judgement, (sorted[kinds.fast] + sorted[kinds.fast - 1]) / 2, &hosts);
    char rest[PART_BYTES] = ", which stands";
    if (kinds.fast > 1)
        (void)snprintf(rest, sizeof rest, " %zu, which stand", kinds.fast);
    if (judgement->paired)
        reason_add(judgement, "candidate_mixed",
                   "In %zu of %zu pairs the candidate (%s) takes %+.1f %% against the other%s at "
                   "%+.1f %% against %s: pairs of two kinds, which no one change describes.",
                   slow, count, text_shown(&names), format_zero(apart, 1), rest,
                   format_zero(others, 1), kinds.fast == 1 ? "its partner" : "their partners");
    else
        reason_add(judgement, "candidate_mixed",
                   "%zu of %zu runs of the candidate (%s%s%s) %s %+.1f %% against the other%s at "
                   "%+.1f %% against the baseline: runs of two kinds, which no one change "
                   "describes.",
                   slow, count, text_shown(&names), text_shown(&hosts)[0] == '\0' ? "" : ";",
                   text_shown(&hosts), slow == 1 ? "takes" : "take", format_zero(apart, 1), rest,
                   format_zero(others, 1));
}
