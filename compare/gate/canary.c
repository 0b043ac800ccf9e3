/* Implements the canary. */
#include "compare/gate/canary.h"

#include "compare/changes/changes.h"
#include "compare/gate/gate.h"
#include "compare/provenance/provenance.h"
#include "compare/statistics/statistics.h"

#include <math.h>
#include <string.h>

static const double usual_effects_pct[] = {0, 1, 2, 3, 5, 10};
enum { EFFECT_COUNT = sizeof usual_effects_pct / sizeof usual_effects_pct[0] };

/* A run is a stretch of the profiles. */
struct stretch {
    size_t first, count;
};

struct canary {
    const struct canary_input *input;
    struct arena *arena;
    struct gate_profile *profiles; /* those of the input that a gate compares with the newest */
    size_t profile_count;
    size_t given_count; /* runs of the input */
    struct stretch *runs;
    size_t run_count;
    struct gate_profile *baseline, *candidate; /* room for all profiles each */
    struct summary *changed;                   /* of the candidate's profiles */
    struct opt_f64 (*measures)[MEASURE_END];   /* the same */
    bool *begins_level;                        /* of the runs: a change of level is sure there */
    size_t *windows, window_count;             /* the first run of each candidate */
};

/* A gate looks past runs of other facts, or of other work as the operations of their steps tell it:
 * ops are not known of all. */
static void profiles_take(struct canary *canary)
{
    const struct canary_input *input = canary->input;
    const struct gate_rules rules = {input->policy, false};
    bool work_counts = input->policy->provenance[FIELD_work] == PROVENANCE_STRICT;
    const char *field = NULL;
    canary->profiles = arena_array(canary->arena, struct gate_profile, input->profile_count);
    for (size_t i = 0; i < input->profile_count; i++) {
        const struct gate_profile *profile = &input->profiles[i];
        const struct summary *newest = input->profiles[input->profile_count - 1].summary;
        struct arena_mark mark = arena_mark(canary->arena);
        bool fits = gate_can_compare(profile->summary, newest, &rules, canary->arena, &field);
        arena_rewind(canary->arena, mark);
        if (fits && !(work_counts && gate_flops_differ(gate_step_flops(profile->summary),
                                                       gate_step_flops(newest))))
            canary->profiles[canary->profile_count++] = *profile;
    }
}

/* Profiles of a run lie together. */
static size_t runs_find(const struct gate_profile *profiles, size_t count, struct stretch *ret_runs)
{
    size_t runs = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(gate_run_id(&profiles[i]), gate_run_id(&profiles[i - 1])) != 0)
            ret_runs[runs++] = (struct stretch){i, 0};
        ret_runs[runs - 1].count++;
    }
    return runs;
}

static void canary_open(struct canary *canary)
{
    profiles_take(canary);
    const struct canary_input *input = canary->input;
    size_t count = canary->profile_count;
    canary->runs = arena_array(canary->arena, struct stretch, input->profile_count);
    canary->baseline = arena_array(canary->arena, struct gate_profile, 2 * count);
    canary->changed = arena_array(canary->arena, struct summary, count);
    canary->measures = arena_zalloc(canary->arena, count, sizeof *canary->measures);
    canary->begins_level = arena_array(canary->arena, bool, count);
    canary->windows = arena_array(canary->arena, size_t, count);
    canary->candidate = canary->baseline + count;
    canary->given_count = runs_find(input->profiles, input->profile_count, canary->runs);
    canary->run_count = runs_find(canary->profiles, count, canary->runs);
}

/* The profiles of runs [first, end) behind what `to` holds. */
static size_t runs_copy(const struct canary *canary, size_t first, size_t end,
                        struct gate_profile *to, size_t held)
{
    for (size_t i = first; i < end; i++) {
        const struct stretch *run = &canary->runs[i];
        for (size_t j = 0; j < run->count; j++)
            to[held++] = canary->profiles[run->first + j];
    }
    return held;
}

static void scale(struct opt_f64 *us, double factor)
{
    us->value *= factor;
}

/* The candidate begins with run `first`. */
static bool window_judge(struct canary *canary, size_t first, double effect_pct,
                         struct verdict *ret_verdict, struct err *err)
{
    size_t most = (size_t)canary->input->baseline_limit, oldest = first > most ? first - most : 0;
    size_t end = first + (size_t)canary->input->runs_a_side;
    size_t before = runs_copy(canary, oldest, first, canary->baseline, 0);
    size_t after = runs_copy(canary, first, end, canary->candidate, 0);
    /* Candidates whose steps are longer; what the step rule reads is changed, the rest stays. */
    double factor = 1 + effect_pct / 100;
    for (size_t i = 0; i < after; i++) {
        struct summary *summary = &canary->changed[i];
        *summary = *canary->candidate[i].summary;
        scale(&summary->steps.steady_median_us, factor);
        scale(&summary->steps.steady_p90_us, factor);
        scale(&summary->step_time.steady_state_steps.median, factor);
        scale(&summary->step_time.steady_state_steps.p90, factor);
        canary->candidate[i].summary = summary;
        if (canary->candidate[i].measures == NULL)
            continue;
        struct opt_f64 *measures = canary->measures[i];
        memcpy(measures, canary->candidate[i].measures, sizeof canary->measures[i]);
        scale(&measures[MEASURE_steady_step_median], factor);
        scale(&measures[MEASURE_steady_step_p90], factor);
        scale(&measures[MEASURE_step_median], factor);
        scale(&measures[MEASURE_step_p90], factor);
        canary->candidate[i].measures = measures;
    }
    const struct gate_input input = {
        .project = canary->input->project,
        .workload = canary->input->workload,
        .series = canary->input->series,
        .baseline = {canary->baseline, before, NULL},
        .candidate = {canary->candidate, after, NULL},
        .policy = canary->input->policy,
        .created_at_utc = "",
    };
    return gate_judge(&input, canary->arena, ret_verdict, err);
}

/* ---- how the past went ----------------------------------------------------------------------- */

/* Step times of runs that have one, and which runs those are. */
struct run_times {
    double *us;
    size_t *runs, count;
};

static struct run_times times_take(const struct canary *canary)
{
    struct run_times times = {arena_array(canary->arena, double, canary->run_count),
                              arena_array(canary->arena, size_t, canary->run_count), 0};
    for (size_t i = 0; i < canary->run_count; i++) {
        const struct gate_profile *profile = &canary->profiles[canary->runs[i].first];
        struct opt_f64 us = profile->summary->steps.steady_median_us;
        if (!us.set || us.value <= 0)
            continue;
        times.us[times.count] = us.value;
        times.runs[times.count++] = i;
    }
    return times;
}

/* Levels are those that the gate takes from a trend of its past, where they matter. */
static bool levels_find(struct canary *canary, const struct run_times *times,
                        struct canary_report *report, struct err *err)
{
    struct course_findings found;
    double matters = log1p(canary->input->policy->min_effect_pct / 100);
    if (!course_find(times->us, times->count, canary->arena, &found, err))
        return false;
    for (size_t i = 0; i < found.shift_count; i++) {
        const struct course_shift *shift = &found.shifts[i];
        if (!shift->confirmed || fabs(log(shift->after / shift->before)) <= matters)
            continue;
        canary->begins_level[times->runs[shift->index]] = true;
        report->level_count++;
    }
    return true;
}

/* The candidates that ran on the level of the run before them; of others something did change. */
static void windows_find(struct canary *canary, struct canary_report *report)
{
    size_t side = (size_t)report->runs_a_side, apart_from = 0;
    size_t first = (size_t)canary->input->policy->min_past_runs;
    for (size_t i = first; i + side <= canary->run_count; i++) {
        bool crosses = false;
        for (size_t j = i; j < i + side; j++)
            crosses |= canary->begins_level[j];
        if (crosses) {
            report->crossing_count++;
            continue;
        }
        bool shares = i < apart_from;
        if (!shares || !canary->input->disjoint)
            canary->windows[canary->window_count++] = i;
        if (shares)
            continue;
        apart_from = i + side;
        report->disjoint_count++;
    }
    report->window_count = (int64_t)canary->window_count;
}

static bool row_fill(struct canary *canary, const struct canary_report *report,
                     struct canary_row *row, const char **ret_policy, struct err *err)
{
    double *const shares[VERDICT_STATUS_COUNT] = {
        [VERDICT_PASS] = &row->pass,
        [VERDICT_WARN] = &row->warn,
        [VERDICT_FAIL] = &row->fail,
        [VERDICT_INCONCLUSIVE] = &row->inconclusive,
        [VERDICT_INCOMPARABLE] = &row->incomparable,
    };
    for (size_t i = 0; i < canary->window_count; i++) {
        struct arena_mark mark = arena_mark(canary->arena);
        struct verdict verdict;
        if (!window_judge(canary, canary->windows[i], row->effect_pct, &verdict, err))
            return false;
        *shares[verdict.status] += 1;
        if (*ret_policy != NULL)
            arena_rewind(canary->arena, mark);
        else
            *ret_policy = verdict.policy_sha256;
    }
    for (size_t i = 0; i < VERDICT_STATUS_COUNT; i++)
        *shares[i] /= (double)report->window_count;
    /* Wilson's interval (1927) for a share of n independent trials: never empty, also where none or
     * all of them came out so. */
    double n = (double)report->disjoint_count;
    static const double z = 1.959963984540054; /* of 95 % */
    double p = row->fail, z2 = z * z;
    double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
    double half = z / (1 + z2 / n) * sqrt(p * (1 - p) / n + z2 / (4 * n * n));
    row->fail_low = fmin(fmax(middle - half, 0), p); /* of 0 and 1 rounding would leave them out */
    row->fail_high = fmax(fmin(middle + half, 1), p);
    return true;
}

bool canary_run(const struct canary_input *input, struct arena *arena,
                struct canary_report *ret_report, struct err *err)
{
    struct canary canary = {.input = input, .arena = arena};
    const double *effects_pct = input->effects_pct != NULL ? input->effects_pct : usual_effects_pct;
    size_t effect_count = input->effects_pct != NULL ? input->effect_count : EFFECT_COUNT;
    struct canary_row *rows = arena_array(arena, struct canary_row, effect_count);
    canary_open(&canary);
    int64_t runs = (int64_t)canary.run_count, side = input->runs_a_side;
    int64_t first = (int64_t)input->policy->min_past_runs; /* before it nothing is statistics */
    if (runs < first + 2 * side)
        return err_set(err, ERR_MISSING,
                       "the series has %lld comparable run%s; %lld a window need at least %lld",
                       (long long)runs, runs == 1 ? "" : "s", (long long)side,
                       (long long)(first + 2 * side));
    struct canary_report report = {
        .schema_version = "canary.v1",
        .project = input->project,
        .workload = input->workload,
        .series = input->series,
        .branch = input->branch,
        .run_count = runs,
        .apart_count = (int64_t)canary.given_count - runs,
        .runs_a_side = input->runs_a_side,
        .rows = rows,
        .row_count = effect_count,
    };
    const struct run_times times = times_take(&canary);
    if (!levels_find(&canary, &times, &report, err))
        return false;
    /* A line through the step times of the runs, as far as it stands out. */
    static const double least_t = 3;
    double *logs = arena_array(canary.arena, double, times.count);
    for (size_t i = 0; i < times.count; i++)
        logs[i] = log(times.us[i]);
    struct stats_trend trend = stats_trend(logs, times.count);
    double enough = log1p(canary.input->policy->min_effect_pct / 100) / 2;
    bool is_level = report.level_count > 0; /* a change of level is no drift */
    if (!is_level && fabs(trend.t) >= least_t && fabs(trend.total_change) >= enough)
        report.drift_pct = some_f64(100 * expm1(trend.total_change));
    windows_find(&canary, &report);
    if (report.window_count == 0)
        return err_set(err, ERR_MISSING,
                       "all %lld windows of %lld run%s lie across one of %lld changes of level; "
                       "`stepledger trend` names them, fewer runs a window or more runs behind "
                       "them can be asked",
                       (long long)report.crossing_count, (long long)side, side == 1 ? "" : "s",
                       (long long)report.level_count);
    for (size_t i = 0; i < effect_count; i++) {
        rows[i].effect_pct = effects_pct[i];
        if (!row_fill(&canary, &report, &rows[i], &report.policy_sha256, err))
            return false;
    }
    *ret_report = report;
    return arena_ok(arena, "the canary", err);
}
