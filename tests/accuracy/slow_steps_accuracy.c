/* How often slow steps that a median does not show fail: unchanged candidates in worlds where some
 * steps are slow by themselves, and candidates with stalls and compilations planted.
 *
 * Runs of run-to-run sd 1 % and step sd 2 %, waits of 2 % of a step between them; P past runs and R
 * of the candidate. Prints per world how often unchanged candidates fail at all and by slow steps,
 * how often `steps_slow` is said of them, and how often what was planted fails. Exits 1 when a rate
 * is outside what is promised by more than 2 standard errors. DRAWS=n sets the number of draws
 * (default 300), WORLD=text chooses worlds, SEED=n other draws.
 */
#include "tests/support/draws_asked.h"
#include "tests/support/gate_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_DRAWS = 300, MOST_RUNS = 40, MOST_STEPS = 64, ARENA_BYTES = 64 << 20 };
static const double run_sd = 0.01, step_sd = 0.02, wait_share = 0.02;

/* Of steps: how they differ, and which are slow by themselves. */
struct world {
    const char *name;
    double rho;
    bool tails;            /* steps of Student's t with 3 degrees of freedom */
    double rare, longer;   /* part of the steps that are slow by themselves, by how much */
    double spells, within; /* part of the runs in which so many steps are slow, by `longer` */
    double most_false;
};

static const struct world worlds[] = {
    {"plain", 0, false, 0, 0, 0, 0, .01},
    {"AR(.6)", .6, false, 0, 0, 0, 0, .01},
    {"heavy tails (t3)", 0, true, 0, 0, 0, 0, .01},
    {"1 in 30 is +100 %", 0, false, 1. / 30, 1, 0, 0, .01},
    {"1 in 100 is +500 %", 0, false, .01, 5, 0, 0, .01},
    {"1 in 5 runs: 30 % are +40 %", 0, false, 0, .4, .2, .3, .01},
    {"1 in 5 runs: 60 % are +40 %", 0, false, 0, .4, .2, .6, .01},
};

/* What is done to the candidate's steps. */
enum planted { NOTHING, STALLS, FOURTH, HALF, COMPILES, GROWS, PLANTED_COUNT };
static const char *const planted_names[PLANTED_COUNT] = {
    "nothing",           "3 of 10 are +50 %", "every 4th +40 %",
    "6 of 10 are +40 %", "2 of 20 compile",   "grows by 30 %",
};

static const struct setting {
    size_t past, runs, steps;
} settings[] = {{20, 1, 10}, {20, 3, 2}, {20, 3, 5},  {20, 3, 10}, {20, 3, 30},
                {20, 5, 2},  {20, 5, 5}, {20, 5, 10}, {20, 5, 30}, {20, 1, 30},
                {8, 2, 10},  {8, 3, 10}, {8, 3, 30},  {3, 3, 10}};

static const double least_caught = 0.9;
static uint64_t first_seed;

/* ---- draws ----------------------------------------------------------------------------------- */

struct draws {
    struct arena arena;
    uint64_t state;
    struct gate_profile profiles[MOST_RUNS];
};

static double chance(uint64_t *state)
{
    return 0.5 * erfc(-fixture_normal(state) / sqrt(2));
}

static double tailed(uint64_t *state)
{
    double squares = 0;
    for (int i = 0; i < 3; i++) {
        double one = fixture_normal(state);
        squares += one * one;
    }
    return fixture_normal(state) / sqrt(squares / 3) / sqrt(3);
}

/* How many times longer what is planted makes a step. */
static double planted_factor(enum planted planted, size_t step, size_t steps)
{
    switch (planted) {
    case STALLS:
        return step % 10 == 2 || step % 10 == 5 || step % 10 == 6 ? 1.5 : 1;
    case FOURTH:
        return step % 4 == 3 ? 1.4 : 1;
    case HALF:
        return step % 5 > 1 ? 1.4 : 1;
    case COMPILES:
        return step % 10 == 6 ? 4 : 1;
    case GROWS:
        return 1 + 0.3 * (double)step / (double)(steps - 1);
    default:
        return 1;
    }
}

static int order(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The figures of the summary after its rows changed. */
static void rows_refigure(struct summary *summary, double wait_us)
{
    double us[MOST_STEPS];
    struct step_table *steps = &summary->steps;
    steps->steady_count = 0;
    for (size_t i = 0; i < steps->count; i++) {
        struct step_row *row = &steps->rows[i];
        row->spans[0].duration_ps = row->mean_ps = row->max_ps;
        if (row->has_period)
            row->period_ps = row->max_ps + llround(wait_us * 1e6);
        if (!row->warmup)
            us[steps->steady_count++] = (double)row->max_ps / 1e6;
    }
    size_t count = (size_t)steps->steady_count;
    steps->steady_spans = steps->steady_count;
    qsort(us, count, sizeof *us, order);
    steps->steady_median_us = some_f64((us[(count - 1) / 2] + us[count / 2]) / 2);
    steps->steady_p90_us = some_f64(us[count * 9 / 10]);
}

static void run_draw(struct draws *draws, const struct world *world, const struct setting *setting,
                     size_t place, enum planted planted)
{
    struct summary_plan plan;
    double noise = 0;
    summary_plan_default(&plan);
    plan.device_count = 1;
    plan.steps = (int64_t)setting->steps;
    plan.step_us = 100000;
    plan.wait_us = wait_share * plan.step_us;
    plan.trace_sha256 = arena_printf(&draws->arena, "%064zu", place + 1);
    struct summary *summary = (struct summary *)summary_make(&draws->arena, &plan);
    double level = exp(run_sd * fixture_normal(&draws->state));
    bool has_spell = chance(&draws->state) < world->spells;
    for (size_t i = 0; i < setting->steps; i++) {
        struct step_row *row = &summary->steps.rows[i];
        double own = world->tails ? tailed(&draws->state) : fixture_normal(&draws->state);
        noise = world->rho * noise + sqrt(1 - world->rho * world->rho) * own;
        double part = has_spell ? world->within : world->rare;
        double natural = chance(&draws->state) < part ? 1 + world->longer : 1;
        double factor = planted_factor(planted, i, setting->steps);
        row->max_ps = llround(plan.step_us * level * exp(step_sd * noise) * natural * factor * 1e6);
        row->host_compiled = row->warmup = planted == COMPILES && factor > 1;
    }
    rows_refigure(summary, plan.wait_us);
    draws->profiles[place] = (struct gate_profile){
        .profile_id = arena_printf(&draws->arena, "p%zu", place + 1), .summary = summary};
}

static struct verdict drawn_judge(struct draws *draws, const struct world *world,
                                  const struct setting *setting, enum planted planted,
                                  uint64_t seed)
{
    arena_init(&draws->arena, ARENA_BYTES);
    draws->state = (first_seed + seed) * 0x2545F4914F6CDD1Du;
    for (size_t i = 0; i < setting->past + setting->runs; i++)
        run_draw(draws, world, setting, i, i < setting->past ? NOTHING : planted);
    const struct gate_input input = {
        .project = "accuracy",
        .workload = "slow steps",
        .baseline = {draws->profiles, setting->past, NULL},
        .candidate = {draws->profiles + setting->past, setting->runs, NULL},
        .created_at_utc = "2026-01-01T00:00:00.000000Z",
    };
    return input_judge(&input, &draws->arena);
}

/* ---- rates ----------------------------------------------------------------------------------- */

struct rates {
    double fail, by_slow, told, warn, inconclusive;
};

static bool has_reason(const struct verdict *verdict, const char *code)
{
    for (size_t i = 0; i < verdict->reason_count; i++) {
        if (strcmp(verdict->reasons[i].code, code) == 0)
            return true;
    }
    return false;
}

static struct rates rates_of(const struct world *world, const struct setting *setting,
                             enum planted planted, size_t count)
{
    static struct draws draws;
    struct rates rates = {0};
    for (size_t i = 0; i < count; i++) {
        struct verdict verdict = drawn_judge(&draws, world, setting, planted,
                                             7919 * (i + 1) + setting->past + 31 * setting->runs);
        bool fails = verdict.status == VERDICT_FAIL;
        rates.fail += fails;
        rates.by_slow += fails && strncmp(verdict.reasons[0].code, "steps_", 6) == 0;
        rates.told += has_reason(&verdict, "steps_slow");
        rates.warn += verdict.status == VERDICT_WARN;
        rates.inconclusive += verdict.status == VERDICT_INCONCLUSIVE;
        arena_done(&draws.arena);
    }
    double *all[] = {&rates.fail, &rates.by_slow, &rates.told, &rates.warn, &rates.inconclusive};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        *all[i] /= (double)count;
    return rates;
}

static bool promise(const char *what, double rate, double goal, bool most, size_t count)
{
    double error = 2 * sqrt(goal * (1 - goal) / (double)count);
    bool kept = most ? rate <= goal + error : rate >= goal - error;
    if (!kept)
        printf("    NOT KEPT: %s: goal %s %.1f %%, got %.2f %%\n", what,
               most ? "<=" : ">=", 100 * goal, 100 * rate);
    return kept;
}

/* Every 4th of 2 steps is none, and one run never fails by a mean. */
static bool is_promised(const struct world *world, const struct setting *setting,
                        enum planted planted)
{
    return world->rare <= 0 && world->spells <= 0 && setting->past >= 20 && setting->runs >= 3 &&
           setting->steps >= 10 && planted != NOTHING;
}

static bool world_measure(const struct world *world, size_t count)
{
    bool kept = true;
    printf("%s\n", world->name);
    for (size_t s = 0; s < sizeof settings / sizeof settings[0]; s++) {
        const struct setting *setting = &settings[s];
        printf("  P %2zu R %zu steps %2zu:", setting->past, setting->runs, setting->steps);
        struct rates same = rates_of(world, setting, NOTHING, count);
        printf(" fail %5.2f by slow %5.2f told %5.2f warn %5.2f inc %5.1f |", 100 * same.fail,
               100 * same.by_slow, 100 * same.told, 100 * same.warn, 100 * same.inconclusive);
        for (enum planted p = NOTHING + 1; p < PLANTED_COUNT; p++) {
            struct rates rates = rates_of(world, setting, p, (count + 9) / 10);
            printf(" %3.0f/%3.0f", 100 * rates.fail, 100 * rates.warn);
            if (is_promised(world, setting, p))
                kept &=
                    promise(planted_names[p], rates.fail, least_caught, false, (count + 9) / 10);
        }
        printf("\n");
        kept &= promise("unchanged fails by slow steps", same.by_slow, world->most_false / 2, true,
                        count);
    }
    return kept;
}

int main(void)
{
    const struct draws_asked asked = draws_asked(DEFAULT_DRAWS, "WORLD");
    const size_t count = asked.count;
    bool kept = true;
    first_seed = asked.first_seed;
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    printf(
        "slow steps, %zu draws; %%. Unchanged: fails, by slow steps, steps_slow is said, warns,\n"
        "inconclusive | fails / warns with",
        count);
    for (enum planted p = NOTHING + 1; p < PLANTED_COUNT; p++)
        printf("%s %s", p == NOTHING + 1 ? "" : ",", planted_names[p]);
    printf("\n");
    for (size_t i = 0; i < sizeof worlds / sizeof worlds[0]; i++) {
        if (draws_are_of(&asked, worlds[i].name))
            kept &= world_measure(&worlds[i], count);
    }
    return kept ? 0 : 1;
}
