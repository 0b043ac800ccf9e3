/* What trying again does to verdicts: seeded simulation through the real judgement code.
 *
 * A change is judged up to 5 times, R more runs each time, and every attempt pools all runs so far.
 * 30 past runs; run-to-run sd 1 and 2 %, 30 steps a run of sd 2 % and autocorrelation .6. Beside it
 * what would happen if each attempt were judged by its own runs alone, with the policy's error
 * rates. Then the same of R pairs each time, whose common noise of 3 % both sides share, beside the
 * same past. Exits 1 when a rate is outside what is promised for sd 1 %. DRAWS=n sets the number of
 * draws (default 1000).
 */
#include "tests/support/draws_asked.h"
#include "tests/support/gate_fixture.h"

#include <math.h>
#include <stdio.h>

enum { DEFAULT_DRAWS = 1000, PAST = 30, ATTEMPTS = 5, MOST_RUNS = 6, STEPS = 30 };
enum { ARENA_BYTES = 256 << 20 };

struct change {
    struct arena arena;
    uint64_t state;
    int next_id;
    double run_sd;
    bool paired;
    struct gate_profile past[PAST], runs[ATTEMPTS * MOST_RUNS], partners[ATTEMPTS * MOST_RUNS];
};

static struct gate_profile run_draw(struct change *change, double effect)
{
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.device_count = 1;
    plan.steps = STEPS;
    plan.step_us = 100000 * exp(change->run_sd * fixture_normal(&change->state) + log1p(effect));
    plan.step_sd = 0.02;
    plan.rho = 0.6;
    /* Far from the states of the runs' own draws, or runs would share the noise of their steps. */
    plan.seed = change->state * 0xD1342543DE82EF95u + 1;
    plan.trace_sha256 = arena_printf(&change->arena, "%064d", ++change->next_id);
    return (struct gate_profile){
        .profile_id = arena_printf(&change->arena, "p%d", change->next_id),
        .summary = summary_make(&change->arena, &plan),
    };
}

/* `failed` earlier attempts did. */
static enum verdict_status judge(struct change *change, const struct gate_profile *runs,
                                 size_t count, int64_t attempt, bool failed)
{
    const char *const earlier[] = {"v1 (fail)"};
    const struct gate_input input = {
        .project = "accuracy",
        .workload = "attempts",
        .baseline = {change->paired ? change->partners + (runs - change->runs) : change->past,
                     change->paired ? count : PAST, NULL},
        .candidate = {runs, count, NULL},
        .history = {change->past, change->paired ? PAST : 0, NULL},
        .paired = change->paired,
        .attempts = attempt,
        .earlier_verdicts = {.items = (const char **)(uintptr_t)earlier, .count = failed ? 1 : 0},
        .created_at_utc = "2026-01-01T00:00:00.000000Z",
    };
    return input_judge(&input, &change->arena).status;
}

struct rates {
    double first_fail, any_fail, any_pass, last_fail; /* pooled */
    double alone_fail, alone_pass;                    /* each attempt by itself, any of them */
};

/* The i-th run of the change; of pairs with its partner, and what hits both. */
static void run_add(struct change *change, size_t i, double effect)
{
    static const double common_sd = 0.03;
    double common = change->paired ? common_sd * fixture_normal(&change->state) : 0;
    if (change->paired)
        change->partners[i] = run_draw(change, expm1(common));
    change->runs[i] = run_draw(change, expm1(log1p(effect) + common));
}

static struct rates rates_of(double effect, double run_sd, size_t runs, bool paired, size_t draws)
{
    static struct change change;
    struct rates rates = {0};
    for (size_t i = 0; i < draws; i++) {
        change = (struct change){.run_sd = run_sd,
                                 .paired = paired,
                                 .state = (1000003 * (i + 1) + runs * 17 +
                                           (uint64_t)(effect * 1e4) + (uint64_t)(run_sd * 1e6)) *
                                          0x2545F4914F6CDD1Du};
        arena_init(&change.arena, ARENA_BYTES);
        for (size_t j = 0; j < PAST; j++)
            change.past[j] = run_draw(&change, 0);
        for (size_t j = 0; j < ATTEMPTS * runs; j++)
            run_add(&change, j, effect);
        bool fails = false, passes = false, fails_alone = false, passes_alone = false;
        for (size_t k = 1; k <= ATTEMPTS; k++) {
            enum verdict_status pooled = judge(&change, change.runs, k * runs, (int64_t)k, fails);
            enum verdict_status alone =
                judge(&change, change.runs + (k - 1) * runs, runs, 0, false);
            fails |= pooled == VERDICT_FAIL;
            passes |= pooled == VERDICT_PASS;
            fails_alone |= alone == VERDICT_FAIL;
            passes_alone |= alone == VERDICT_PASS;
            rates.first_fail += (k == 1 && pooled == VERDICT_FAIL) / (double)draws;
            rates.last_fail += (k == ATTEMPTS && pooled == VERDICT_FAIL) / (double)draws;
        }
        rates.any_fail += fails / (double)draws;
        rates.any_pass += passes / (double)draws;
        rates.alone_fail += fails_alone / (double)draws;
        rates.alone_pass += passes_alone / (double)draws;
        arena_done(&change.arena);
    }
    return rates;
}

static double error_of(double rate, size_t draws)
{
    return sqrt(fmax(0, rate * (1 - rate)) / (double)draws);
}

static void rate_print(double rate, size_t draws)
{
    printf("  %.4f+-%.4f", rate, error_of(rate, draws));
}

static bool promise(const char *what, bool kept)
{
    if (!kept)
        printf("NOT KEPT: %s\n", what);
    return kept;
}

static bool row_measure(double effect, double run_sd, size_t runs, bool paired, size_t draws)
{
    struct rates all = rates_of(effect, run_sd, runs, paired, draws);
    printf("%s%.0f %% %4.0f %% %zu ", paired ? "pairs " : "", 100 * run_sd, 100 * effect, runs);
    rate_print(all.first_fail, draws);
    rate_print(all.any_fail, draws);
    rate_print(all.any_pass, draws);
    rate_print(all.last_fail, draws);
    printf("  |");
    rate_print(all.alone_fail, draws);
    rate_print(all.alone_pass, draws);
    printf("\n");
    if (run_sd > 0.01)
        return true;
    double most = runs == 1 ? 0.02 : 0.01;
    if (effect <= 0)
        return promise("any of 5 attempts fails without a change at most 1 % (one run each: 2 %)",
                       all.any_fail <= most + 2 * error_of(most, draws));
    const double least = 0.94;
    bool no_pass =
        promise("3 % never passes in 95 of 100", all.any_pass <= 0.05 + 2 * error_of(0.05, draws));
    return promise("3 % fails in 94 of 100 after 5 attempts",
                   all.last_fail >= least - 2 * error_of(least, draws)) &&
           no_pass;
}

int main(void)
{
    size_t draws = draws_asked(DEFAULT_DRAWS, NULL).count;
    static const double effects[] = {0, 0.03}, sds[] = {0.01, 0.02};
    static const size_t runs[] = {1, 3, 5}, pairs[] = {2, 4, 6};
    bool kept = true;
    printf("a change judged %d times, %d past runs, %zu draws\n", ATTEMPTS, PAST, draws);
    printf("sd   effect R   first fails    any fails      any passes     last fails     | each "
           "alone: any fails, any passes\n");
    for (size_t i = 0; i < 12; i++)
        kept &= row_measure(effects[i / 3 % 2], sds[i / 6], runs[i % 3], false, draws);
    for (size_t i = 0; i < 12; i++)
        kept &= row_measure(effects[i / 3 % 2], sds[i / 6], pairs[i % 3], true, draws);
    return kept ? 0 : 1;
}
