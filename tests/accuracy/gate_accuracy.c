/* How often the gate is right: seeded simulation through the real judgement code.
 *
 * Runs of 50 steps with run-to-run sd 1 %, step sd 2 % and autocorrelation .4; H = 20 past runs and
 * R = 1, 3, 5 runs a side. Prints each rate with its standard error beside what naive rules say of
 * the same draws, then ops. Exits 1 when a rate is outside what is promised. DRAWS=n sets the
 * number of draws (default 2000).
 */
#include "compare/statistics/stats.h"
#include "tests/support/draws_asked.h"
#include "tests/support/gate_draws.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEFAULT_DRAWS = 2000 };

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
    static double a[DRAW_MOST_RUNS * DRAW_STEPS], b[DRAW_MOST_RUNS * DRAW_STEPS];
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
    static double a[DRAW_MOST_RUNS * DRAW_STEPS], b[DRAW_MOST_RUNS * DRAW_STEPS];
    size_t n = steps_of(draw->before, runs, a), m = steps_of(draw->after, runs, b);
    stats_sort(a, n);
    stats_sort(b, m);
    return stats_quantile(b, m, 0.5) > 1.02 * stats_quantile(a, n, 0.5);
}

/* ---- rates ----------------------------------------------------------------------------------- */

static double standard_error(double rate, size_t draws)
{
    return sqrt(fmax(0, rate * (1 - rate)) / (double)draws);
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
        const struct draw_plan plan = {.seed =
                                           1000003 * (i + 1) + runs * 17 + (uint64_t)(effect * 1e4),
                                       .runs = runs,
                                       .effect = effect};
        draw_start(&draw, &plan);
        struct verdict verdict = draw_judge(&draw);
        rates.rate[verdict.status]++;
        rates.welch += welch_says_changed(&draw, runs);
        rates.ratio += ratio_says_slower(&draw, runs);
        arena_done(&draw.arena);
    }
    /* A sum of as many parts would miss a goal that the rate just meets. */
    rates.welch /= (double)draws;
    rates.ratio /= (double)draws;
    for (enum verdict_status i = 0; i < VERDICT_STATUS_COUNT; i++)
        rates.rate[i] /= (double)draws;
    return rates;
}

static void rate_print(double rate, size_t draws)
{
    printf("  %.4f+-%.4f", rate, standard_error(rate, draws));
}

static bool steps_measure(size_t draws)
{
    static const enum verdict_status shown[] = {VERDICT_FAIL, VERDICT_WARN, VERDICT_PASS,
                                                VERDICT_INCONCLUSIVE};
    static const double effects[] = {0, 0.01, 0.03, 0.05};
    static const size_t runs[] = {1, 3, 5};
    bool kept = true;
    printf("step time, H = %d, %zu draws, each rate with its standard error\n", DRAW_HISTORY_RUNS,
           draws);
    printf(
        "effect R   fail           warn           pass           inconclusive   | welch on steps "
        "ratio > 2 %%\n");
    for (size_t e = 0; e < sizeof effects / sizeof effects[0]; e++) {
        for (size_t r = 0; r < sizeof runs / sizeof runs[0]; r++) {
            struct step_rates s = step_rates_of(effects[e], runs[r], draws);
            printf("%4.0f %% %zu ", 100 * effects[e], runs[r]);
            for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
                rate_print(s.rate[shown[i]], draws);
            printf("  |");
            rate_print(s.welch, draws);
            rate_print(s.ratio, draws);
            printf("\n");
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

/* Moved ops among those that were slowed (ids below DRAW_SLOWED_OPS) or among the others. */
static size_t moved_ops(const struct verdict *verdict, bool slowed)
{
    size_t count = 0;
    for (size_t i = 0; i < verdict->op_count; i++)
        count += says_moved(&verdict->ops[i]) &&
                 (atol(verdict->ops[i].signature + 2) < DRAW_SLOWED_OPS) == slowed;
    return count;
}

static bool ops_measure(size_t draws)
{
    static struct draw draw;
    static const size_t runs[] = {1, 3, 5};
    bool kept = true;
    printf("\nops, %d of sd %.0f %%, H = %d, %zu draws\n", DRAW_OPS, 100 * DRAW_OP_SD,
           DRAW_HISTORY_RUNS, draws);
    printf("R   any false op (nothing changed)   recall of %d ops +10 %%\n", DRAW_SLOWED_OPS);
    for (size_t r = 0; r < sizeof runs / sizeof runs[0]; r++) {
        double any = 0, recall = 0;
        for (size_t i = 0; i < 2 * draws; i++) {
            bool slowed = i >= draws;
            const struct draw_plan plan = {.seed = 7919 * (i + 1) + runs[r],
                                           .runs = runs[r],
                                           .effect = slowed ? 0.004 : 0,
                                           .with_ops = true};
            draw_start(&draw, &plan);
            struct verdict verdict = draw_judge(&draw);
            any += !slowed && moved_ops(&verdict, true) + moved_ops(&verdict, false) > 0;
            recall += slowed ? (double)moved_ops(&verdict, true) / DRAW_SLOWED_OPS : 0;
            arena_done(&draw.arena);
        }
        any /= (double)draws;
        recall /= (double)draws;
        printf("%zu   %.4f (+- %.4f)                 %.4f\n", runs[r], any,
               standard_error(any, draws), recall);
        /* One run a side only ever warns of an op. */
        kept &= promise("any false op at most 5 % and 2 standard errors",
                        runs[r] == 1 || any <= 0.05 + 2 * standard_error(0.05, draws));
        kept &= promise("recall at least 95 % at R = 3", runs[r] != 3 || recall >= 0.95);
    }
    return kept;
}

int main(void)
{
    size_t draws = draws_asked(DEFAULT_DRAWS, NULL).count;
    bool steps = steps_measure(draws);
    bool ops = ops_measure(draws);
    return steps && ops ? 0 : 1;
}
