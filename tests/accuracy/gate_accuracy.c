/* How often the gate is right: seeded simulation through the real judgement code.
 *
 * Runs of 50 steps with run-to-run sd 1 %, step sd 2 % and autocorrelation .4; H = 20 past runs and
 * R = 1, 3, 5 runs a side, as spec/trackers.md 2c measures its rule. Prints each rate with its
 * standard error beside what naive rules say of the same draws, then ops. Exits 1 when a rate is
 * outside what is promised. DRAWS=n sets the number of draws (default 2000).
 */
#include "compare/gate.h"
#include "compare/stats.h"
#include "tests/support/summary_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HISTORY_RUNS = 20, MOST_RUNS = 5, STEPS = 50, OPS = 300, SLOWED_OPS = 10 };
enum { ARENA_BYTES = 256 << 20, SIGNATURE_BYTES = 32, DEFAULT_DRAWS = 2000 };
static const double run_sd = 0.01, step_sd = 0.02, step_rho = 0.4, op_sd = 0.02;

/* ---- draws ----------------------------------------------------------------------------------- */

struct draw {
    struct arena arena;
    uint64_t state;
    struct gate_profile history[HISTORY_RUNS], before[MOST_RUNS], after[MOST_RUNS];
    int next_id;
};

static char signatures[OPS][SIGNATURE_BYTES];

static struct gate_profile run_draw(struct draw *draw, double effect, size_t op_count,
                                    size_t slowed_ops)
{
    static struct planned_op ops[OPS];
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.device_count = 1;
    plan.steps = STEPS;
    plan.step_us = 100000 * exp(run_sd * fixture_normal(&draw->state) + log1p(effect));
    plan.step_sd = step_sd;
    plan.rho = step_rho;
    plan.seed = draw->state;
    for (size_t i = 0; i < op_count; i++) {
        double us = 600 * exp(op_sd * fixture_normal(&draw->state));
        ops[i] =
            (struct planned_op){signatures[i], signatures[i], NULL, i < slowed_ops ? 1.1 * us : us};
    }
    plan.ops = ops;
    plan.op_count = op_count;
    plan.trace_sha256 = arena_printf(&draw->arena, "%064d", ++draw->next_id);
    return (struct gate_profile){
        .profile_id = arena_printf(&draw->arena, "p%d", draw->next_id),
        .summary = summary_make(&draw->arena, &plan),
    };
}

static void draw_start(struct draw *draw, uint64_t seed, size_t runs, double effect, bool with_ops)
{
    *draw = (struct draw){.state = seed * 0x2545F4914F6CDD1Du};
    arena_init(&draw->arena, ARENA_BYTES);
    size_t ops = with_ops ? OPS : 0;
    for (size_t i = 0; i < HISTORY_RUNS; i++)
        draw->history[i] = run_draw(draw, 0, ops, 0);
    for (size_t i = 0; i < runs; i++)
        draw->before[i] = run_draw(draw, 0, ops, 0);
    for (size_t i = 0; i < runs; i++)
        draw->after[i] = run_draw(draw, effect, ops, with_ops && effect > 0 ? SLOWED_OPS : 0);
}

static struct verdict draw_judge(struct draw *draw, size_t runs)
{
    const struct gate_input input = {
        .project = "accuracy",
        .workload = "simulated",
        .baseline = {draw->before, runs, NULL},
        .candidate = {draw->after, runs, NULL},
        .history = {draw->history, HISTORY_RUNS, NULL},
        .created_at_utc = "2026-01-01T00:00:00.000000Z",
    };
    struct verdict verdict;
    struct err err = {0};
    if (!gate_judge(&input, &draw->arena, &verdict, &err)) {
        (void)fprintf(stderr, "gate_judge: %s\n", err.text);
        exit(1);
    }
    return verdict;
}

/* ---- naive rules on the same draws ----------------------------------------------------------- */

static size_t steps_of(const struct gate_profile *profiles, size_t runs, double *steps)
{
    size_t count = 0;
    for (size_t i = 0; i < runs; i++) {
        for (size_t j = 0; j < profiles[i].summary->steps.count; j++)
            steps[count++] = (double)profiles[i].summary->steps.rows[j].max_ps;
    }
    return count;
}

/* Two-sided Welch t test at .05 on all steps, as if they were independent. */
static bool welch_says_changed(const struct draw *draw, size_t runs)
{
    static double a[MOST_RUNS * STEPS], b[MOST_RUNS * STEPS];
    double n = (double)steps_of(draw->before, runs, a);
    double m = (double)steps_of(draw->after, runs, b);
    double va = stats_squares(a, (size_t)n) / (n - 1) / n;
    double vb = stats_squares(b, (size_t)m) / (m - 1) / m;
    double t = (stats_mean(b, (size_t)m) - stats_mean(a, (size_t)n)) / sqrt(va + vb);
    double df = (va + vb) * (va + vb) / (va * va / (n - 1) + vb * vb / (m - 1));
    return 2 * stats_t_upper(fabs(t), df) < 0.05;
}

/* The ratio of the sides' medians is above 1.02. */
static bool ratio_says_slower(const struct draw *draw, size_t runs)
{
    static double a[MOST_RUNS * STEPS], b[MOST_RUNS * STEPS];
    size_t n = steps_of(draw->before, runs, a), m = steps_of(draw->after, runs, b);
    stats_sort(a, n);
    stats_sort(b, m);
    return stats_quantile(b, m, 0.5) > 1.02 * stats_quantile(a, n, 0.5);
}

/* ---- rates ----------------------------------------------------------------------------------- */

static double standard_error(double rate, size_t draws)
{
    return sqrt(rate * (1 - rate) / (double)draws);
}

/* Prints a promise that is not kept; false then. */
static bool promise(const char *what, bool kept)
{
    if (!kept)
        printf("NOT KEPT: %s\n", what);
    return kept;
}

struct step_rates {
    double rate[VERDICT_STATUS_COUNT], welch, ratio;
};

static struct step_rates step_rates_of(double effect, size_t runs, size_t draws)
{
    static struct draw draw;
    struct step_rates rates = {0};
    for (size_t i = 0; i < draws; i++) {
        draw_start(&draw, 1000003 * (i + 1) + runs * 17 + (uint64_t)(effect * 1e4), runs, effect,
                   false);
        struct verdict verdict = draw_judge(&draw, runs);
        rates.rate[verdict.status] += 1 / (double)draws;
        rates.welch += welch_says_changed(&draw, runs) / (double)draws;
        rates.ratio += ratio_says_slower(&draw, runs) / (double)draws;
        arena_done(&draw.arena);
    }
    return rates;
}

static bool steps_measure(size_t draws)
{
    static const double effects[] = {0, 0.01, 0.03, 0.05};
    static const size_t runs[] = {1, 3, 5};
    bool kept = true;
    printf("step time, H = %d, %zu draws (standard error of .05: %.3f)\n", HISTORY_RUNS, draws,
           standard_error(0.05, draws));
    printf("effect  R   fail   warn   pass   inconclusive | welch on steps   ratio > 2 %%\n");
    for (size_t e = 0; e < sizeof effects / sizeof effects[0]; e++) {
        for (size_t r = 0; r < sizeof runs / sizeof runs[0]; r++) {
            struct step_rates s = step_rates_of(effects[e], runs[r], draws);
            printf("%4.0f %%  %zu  %.4f %.4f %.4f %.4f         | %.4f           %.4f\n",
                   100 * effects[e], runs[r], s.rate[VERDICT_FAIL], s.rate[VERDICT_WARN],
                   s.rate[VERDICT_PASS], s.rate[VERDICT_INCONCLUSIVE], s.welch, s.ratio);
            if (effects[e] <= 0)
                kept &= promise("A/A fails at most 1 %", s.rate[VERDICT_FAIL] <= 0.01);
            if (effects[e] > 0.02 && effects[e] < 0.04)
                kept &= promise("3 % passes at most 2.5 %", s.rate[VERDICT_PASS] <= 0.025);
            if (effects[e] > 0.02 && effects[e] < 0.04 && runs[r] == 3)
                kept &= promise("3 % is caught at least 75 %", s.rate[VERDICT_FAIL] >= 0.75);
        }
    }
    return kept;
}

/* ---- ops ------------------------------------------------------------------------------------- */

static bool says_moved(const struct verdict_op *op)
{
    return strcmp(op->change, "slower") == 0 || strcmp(op->change, "faster") == 0;
}

/* Moved ops among those that were slowed (ids below SLOWED_OPS) or among the others. */
static size_t moved_ops(const struct verdict *verdict, bool slowed)
{
    size_t count = 0;
    for (size_t i = 0; i < verdict->op_count; i++)
        count += says_moved(&verdict->ops[i]) &&
                 (atol(verdict->ops[i].signature + 2) < SLOWED_OPS) == slowed;
    return count;
}

static bool ops_measure(size_t draws)
{
    static struct draw draw;
    static const size_t runs[] = {1, 3, 5};
    bool kept = true;
    printf("\nops, %d of sd %.0f %%, H = %d, %zu draws\n", OPS, 100 * op_sd, HISTORY_RUNS, draws);
    printf("R   any false op (nothing changed)   recall of %d ops +10 %%\n", SLOWED_OPS);
    for (size_t r = 0; r < sizeof runs / sizeof runs[0]; r++) {
        double any = 0, recall = 0;
        for (size_t i = 0; i < 2 * draws; i++) {
            bool slowed = i >= draws;
            draw_start(&draw, 7919 * (i + 1) + runs[r], runs[r], slowed ? 0.004 : 0, true);
            struct verdict verdict = draw_judge(&draw, runs[r]);
            any += !slowed && moved_ops(&verdict, true) + moved_ops(&verdict, false) > 0;
            recall += slowed ? (double)moved_ops(&verdict, true) / SLOWED_OPS : 0;
            arena_done(&draw.arena);
        }
        any /= (double)draws;
        recall /= (double)draws;
        printf("%zu   %.4f (+- %.4f)                 %.4f\n", runs[r], any,
               standard_error(any, draws), recall);
        kept &= promise("any false op at most 5 % and 2 standard errors",
                        any <= 0.05 + 2 * standard_error(0.05, draws));
        kept &= promise("recall at least 95 % at R = 3", runs[r] != 3 || recall >= 0.95);
    }
    return kept;
}

int main(void)
{
    const char *asked = getenv("DRAWS");
    size_t draws = asked == NULL ? DEFAULT_DRAWS : (size_t)strtoul(asked, NULL, 10);
    for (size_t i = 0; i < OPS; i++)
        (void)snprintf(signatures[i], SIGNATURE_BYTES, "op%zu", i);
    bool steps = steps_measure(draws);
    bool ops = ops_measure(draws < 400 ? draws : 400);
    return steps && ops ? 0 : 1;
}
