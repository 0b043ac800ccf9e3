/* How often the gate is right where the warm-up of the candidate is another one than the past's.
 *
 * Captures of 5, 10, 20 and 50 steps that begin with the job (run sd 1 %, steps of sd 1 % that are
 * independent), of which the first 0 to 4 are warm-up: each kind of warm-up below. Which steps are
 * left out is read from the steps, as `ingest` does (warmup_find). 12 past runs; one and three of
 * the candidate. Prints per kind, steps and runs, over all pairs of lengths, how many unchanged
 * candidates fail, warn and pass, how many that are slower by 5 % fail, and by how many steps what
 * is left out is off; then the pairs that break a promise by more than 3 standard errors: unchanged
 * fails in 2 of 100 at most, +5 % in 80 with three runs. Where a side has one step behind its
 * warm-up nothing is promised: it cannot be told from one that the end of the capture cut. DRAWS=n
 * sets the number of draws (default 40 a pair), KIND=text chooses kinds, SEED=n other draws. Exits
 * 1 when a promise is broken.
 */
#include "tests/support/draws_asked.h"
#include "tests/support/gate_fixture.h"
#include "tests/support/read_warmup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEFAULT_DRAWS = 40, PAST_RUNS = 12, MOST_RUNS = 3, ARENA_BYTES = 64 << 20 };
enum { LENGTHS = 5 };
static const double run_sd = 0.01, step_sd = 0.01, loss = 0.05;
static const double most_false = 0.02, least_caught = 0.8;

/* How many times as long the first steps take, the last of them last. */
static const struct warmup_kind {
    const char *name;
    double factors[LENGTHS - 1];
} kinds[] = {
    {"equal, 1.8 times", {1.8, 1.8, 1.8, 1.8}},
    {"settling, to 1.3 times", {9, 3, 1.7, 1.3}},
    {"settling, to 1.12 times", {5, 2, 1.3, 1.12}},
    {"settling, to 1.06 times", {4, 1.6, 1.2, 1.06}},
};
static const size_t lengths_of_captures[] = {5, 10, 20, 50};

static uint64_t first_seed;

/* ---- draws ----------------------------------------------------------------------------------- */

struct cell {
    const struct warmup_kind *kind;
    size_t steps, runs, before, after; /* steps of warm-up on each side */
};

struct draws {
    struct arena arena;
    uint64_t state;
    struct gate_profile profiles[PAST_RUNS + MOST_RUNS];
};

static void run_draw(struct draws *draws, const struct cell *cell, size_t place, double effect)
{
    struct summary_plan plan;
    bool candidate = place >= PAST_RUNS;
    size_t warm = candidate ? cell->after : cell->before;
    summary_plan_default(&plan);
    plan.device_count = 1;
    plan.steps = (int64_t)cell->steps;
    plan.first_step = 0;
    plan.trace_sha256 = arena_printf(&draws->arena, "%064zu", place + 1);
    struct summary *summary = (struct summary *)summary_make(&draws->arena, &plan);
    double level = plan.step_us * exp(run_sd * fixture_normal(&draws->state));
    level *= candidate ? 1 + effect : 1;
    for (size_t i = 0; i < cell->steps; i++) {
        double factor = i < warm ? cell->kind->factors[LENGTHS - 1 - warm + i] : 1;
        double us = level * factor * exp(step_sd * fixture_normal(&draws->state));
        summary->steps.rows[i].max_ps = llround(us * 1e6);
    }
    warmup_read(&draws->arena, &summary->steps);
    draws->profiles[place] = (struct gate_profile){
        .profile_id = arena_printf(&draws->arena, "p%zu", place + 1), .summary = summary};
}

/* Of the candidate: steps left out beyond its warm-up, or short of it. */
static double steps_off(const struct draws *draws, const struct cell *cell)
{
    double off = 0;
    for (size_t i = 0; i < cell->runs; i++)
        off += fabs((double)steps_first_warmup(&draws->profiles[PAST_RUNS + i].summary->steps) -
                    (double)cell->after) /
               (double)cell->runs;
    return off;
}

static struct verdict cell_judge(struct draws *draws, const struct cell *cell, double effect,
                                 uint64_t seed)
{
    arena_init(&draws->arena, ARENA_BYTES);
    draws->state = (first_seed + seed) * 0x2545F4914F6CDD1Du;
    for (size_t i = 0; i < PAST_RUNS + cell->runs; i++)
        run_draw(draws, cell, i, effect);
    const struct gate_input input = {
        .project = "accuracy",
        .workload = "warm-up",
        .baseline = {draws->profiles, PAST_RUNS, NULL},
        .candidate = {draws->profiles + PAST_RUNS, cell->runs, NULL},
        .created_at_utc = "2026-01-01T00:00:00.000000Z",
    };
    return input_judge(&input, &draws->arena);
}

/* ---- rates ----------------------------------------------------------------------------------- */

struct rates {
    double cells, fail, warn, pass, caught, off;
};

static struct rates rates_of(const struct cell *cell, size_t count)
{
    static struct draws draws;
    struct rates rates = {.cells = 1};
    for (size_t i = 0; i < count; i++) {
        uint64_t seed =
            7919 * (i + 1) + 31 * cell->runs + 101 * cell->steps + 5 * cell->before + cell->after;
        enum verdict_status status = cell_judge(&draws, cell, 0, seed).status;
        rates.fail += status == VERDICT_FAIL;
        rates.warn += status == VERDICT_WARN;
        rates.pass += status == VERDICT_PASS;
        rates.off += steps_off(&draws, cell);
        arena_done(&draws.arena);
        rates.caught += cell_judge(&draws, cell, loss, seed).status == VERDICT_FAIL;
        arena_done(&draws.arena);
    }
    double *all[] = {&rates.fail, &rates.warn, &rates.pass, &rates.caught, &rates.off};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        *all[i] /= (double)count;
    return rates;
}

static bool is_kept(const struct cell *cell, const struct rates *rates, size_t count)
{
    static const double errors = 3;
    double draws = (double)count;
    double false_error = sqrt(most_false * (1 - most_false) / draws);
    double caught_error = sqrt(least_caught * (1 - least_caught) / draws);
    bool settled = cell->before + 2 <= cell->steps && cell->after + 2 <= cell->steps;
    bool few = !settled || rates->fail <= most_false + errors * false_error;
    bool caught =
        !settled || cell->runs < MOST_RUNS || rates->caught >= least_caught - errors * caught_error;
    if (!few || !caught)
        printf("    NOT KEPT: %zu of the past, %zu of the candidate: unchanged fails %.1f %%, "
               "+5 %% is caught %.0f %%\n",
               cell->before, cell->after, 100 * rates->fail, 100 * rates->caught);
    return few && caught;
}

static bool kind_measure(const struct warmup_kind *kind, size_t steps, size_t runs, size_t count)
{
    struct rates all = {0};
    bool kept = true;
    for (size_t before = 0; before < LENGTHS; before++) {
        for (size_t after = 0; after < LENGTHS; after++) {
            const struct cell cell = {kind, steps, runs, before, after};
            struct rates rates = rates_of(&cell, count);
            all.cells++;
            all.fail += rates.fail;
            all.warn += rates.warn;
            all.pass += rates.pass;
            all.caught += rates.caught;
            all.off += rates.off;
            kept &= is_kept(&cell, &rates, count);
        }
    }
    printf(
        "  %-24s %2zu steps, R %zu: unchanged fails %5.2f warns %5.2f passes %5.1f; +5 %% caught "
        "%5.1f; left out off by %.2f\n",
        kind->name, steps, runs, 100 * all.fail / all.cells, 100 * all.warn / all.cells,
        100 * all.pass / all.cells, 100 * all.caught / all.cells, all.off / all.cells);
    return kept;
}

int main(void)
{
    const struct draws_asked asked = draws_asked(DEFAULT_DRAWS, "KIND");
    const size_t count = asked.count;
    bool kept = true;
    first_seed = asked.first_seed;
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    printf("warm-up, %zu draws a pair of lengths; %%\n", count);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        for (size_t s = 0; s < sizeof lengths_of_captures / sizeof lengths_of_captures[0]; s++) {
            if (!draws_are_of(&asked, kinds[k].name))
                continue;
            kept &= kind_measure(&kinds[k], lengths_of_captures[s], 1, count);
            kept &= kind_measure(&kinds[k], lengths_of_captures[s], MOST_RUNS, count);
        }
    }
    return kept ? 0 : 1;
}
