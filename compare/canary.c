/* Implements the canary. */
#include "compare/canary.h"

#include "compare/provenance.h"

#include <math.h>
#include <string.h>

static const double effects_pct[] = {0, 1, 2, 3, 5, 10};
enum { EFFECT_COUNT = sizeof effects_pct / sizeof effects_pct[0] };

/* A run is a stretch of the profiles. */
struct stretch {
    size_t first, count;
};

struct canary {
    const struct canary_input *input;
    struct arena *arena;
    struct stretch *runs;
    size_t run_count;
    struct gate_profile *baseline, *candidate, *history; /* room for all profiles each */
    struct summary *changed;                             /* of the candidate's profiles */
};

static bool canary_open(struct canary *canary)
{
    const struct canary_input *input = canary->input;
    size_t count = input->profile_count;
    canary->runs = arena_array(canary->arena, struct stretch, count);
    canary->baseline = arena_array(canary->arena, struct gate_profile, 3 * count);
    canary->changed = arena_array(canary->arena, struct summary, count);
    if (canary->runs == NULL || canary->baseline == NULL || canary->changed == NULL)
        return false;
    canary->candidate = canary->baseline + count;
    canary->history = canary->candidate + count;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 ||
            strcmp(gate_run_id(&input->profiles[i]), gate_run_id(&input->profiles[i - 1])) != 0)
            canary->runs[canary->run_count++] = (struct stretch){i, 0};
        canary->runs[canary->run_count - 1].count++;
    }
    return true;
}

/* The profiles of runs [first, end) behind what `to` holds. */
static size_t runs_copy(const struct canary *canary, size_t first, size_t end,
                        struct gate_profile *to, size_t held)
{
    for (size_t i = first; i < end; i++) {
        const struct stretch *run = &canary->runs[i];
        for (size_t j = 0; j < run->count; j++)
            to[held++] = canary->input->profiles[run->first + j];
    }
    return held;
}

static void scale(struct opt_f64 *us, double factor)
{
    us->value *= factor;
}

/* Candidates whose steps are longer; what the step rule reads is changed, the rest stays. */
static void candidates_slow(struct canary *canary, size_t count, double effect_pct)
{
    double factor = 1 + effect_pct / 100;
    for (size_t i = 0; i < count; i++) {
        struct summary *summary = &canary->changed[i];
        *summary = *canary->candidate[i].summary;
        scale(&summary->steps.steady_median_us, factor);
        scale(&summary->steps.steady_p90_us, factor);
        scale(&summary->step_time.steady_state_steps.median, factor);
        scale(&summary->step_time.steady_state_steps.p90, factor);
        canary->candidate[i].summary = summary;
    }
}

static bool window_judge(struct canary *canary, size_t first, double effect_pct,
                         struct verdict *ret_verdict, struct err *err)
{
    size_t side = (size_t)canary->input->runs_a_side;
    size_t before = runs_copy(canary, first, first + side, canary->baseline, 0);
    size_t after = runs_copy(canary, first + side, first + 2 * side, canary->candidate, 0);
    size_t past = runs_copy(canary, 0, first, canary->history, 0);
    past = runs_copy(canary, first + 2 * side, canary->run_count, canary->history, past);
    candidates_slow(canary, after, effect_pct);
    const struct gate_input input = {
        .project = canary->input->project,
        .workload = canary->input->workload,
        .series = canary->input->series,
        .baseline = {canary->baseline, before, NULL},
        .candidate = {canary->candidate, after, NULL},
        .history = {canary->history, past, NULL},
        .policy = canary->input->policy,
        .created_at_utc = "",
    };
    return gate_judge(&input, canary->arena, ret_verdict, err);
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
    for (int64_t i = 0; i < report->window_count; i++) {
        struct arena_mark mark = arena_mark(canary->arena);
        struct verdict verdict;
        if (!window_judge(canary, (size_t)i, row->effect_pct, &verdict, err))
            return false;
        *shares[verdict.status] += 1;
        if (*ret_policy != NULL)
            arena_rewind(canary->arena, mark);
        else
            *ret_policy = verdict.policy_sha256;
    }
    for (size_t i = 0; i < VERDICT_STATUS_COUNT; i++)
        *shares[i] /= (double)report->window_count;
    row->fail_error = sqrt(row->fail * (1 - row->fail) / (double)report->disjoint_count);
    return true;
}

bool canary_run(const struct canary_input *input, struct arena *arena,
                struct canary_report *ret_report, struct err *err)
{
    struct canary canary = {.input = input, .arena = arena};
    struct canary_row *rows = arena_array(arena, struct canary_row, EFFECT_COUNT);
    if (rows == NULL || !canary_open(&canary))
        return arena_failed(arena, "the canary", err);
    int64_t runs = (int64_t)canary.run_count, pair = 2 * input->runs_a_side;
    if (runs < 2 * pair)
        return err_set(err, ERR_MISSING,
                       "the series has %lld comparable runs; %lld runs a side need at least %lld",
                       (long long)runs, (long long)input->runs_a_side, (long long)(2 * pair));
    struct canary_report report = {
        .schema_version = "canary.v1",
        .project = input->project,
        .workload = input->workload,
        .series = input->series,
        .branch = input->branch,
        .run_count = runs,
        .runs_a_side = input->runs_a_side,
        .window_count = runs - pair + 1,
        .disjoint_count = runs / pair,
        .rows = rows,
        .row_count = EFFECT_COUNT,
    };
    for (size_t i = 0; i < EFFECT_COUNT; i++) {
        rows[i].effect_pct = effects_pct[i];
        if (!row_fill(&canary, &report, &rows[i], &report.policy_sha256, err))
            return false;
    }
    *ret_report = report;
    return true;
}
