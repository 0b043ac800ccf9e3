/* How often the gate is right in worlds where runs are not alike: a past with an accident, a fall
 * or a drift, runs that resemble each other, hosts, a noisier candidate, few runs, short captures.
 *
 * Runs of 30 steps with autocorrelation .6 and sd 2 %, and run-to-run sd 1 % unless the world says
 * otherwise; 12 or 30 past runs in order, the candidate's behind them. Prints per world the share
 * of unchanged candidates that fail with 1, 3 and 5 runs, of those slower by 3 % that fail with 3,
 * how often the 95 % interval holds the truth with 3, how often a loss of the size that the verdict
 * calls the smallest is caught with 3, how often a change of level or a drift of the past is named
 * with 3, and what becomes of a single run for which the verdict asks for n more: how often the n
 * more pass it unchanged, and suspect it slower by what matters. Who is asked for n of each side
 * runs both in turns.
 *
 * Each share has its goal. What does not meet it is printed with its standard error and its 99.9 %
 * interval, or one of 170 shares at their goals would be missed by chance: an interval that holds
 * the goal is "at the goal"; a miss that is known is "open", any other is "NOT KEPT" and exits 1.
 * DRAWS=n sets the number of draws (default 200; a cell near its goal needs 10,000), WORLD=text
 * chooses worlds, SEED=n other draws.
 */
#include "tests/support/draws_asked.h"
#include "tests/support/gate_draws.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEFAULT_DRAWS = 200, MOST_RUNS = 131, ARENA_BYTES = 64 << 20, JOB_RUNS = 3 };
enum { MOST_PAST = 30 };
static const double step_sd = 0.02, step_rho = 0.6, loss = 0.03;

struct world {
    const char *name;
    size_t past, steps; /* runs; steps of the candidate's captures */
    double sd;
    bool tails;           /* of Student's t with 3 degrees of freedom */
    double outlier;       /* of one past run */
    double fall;          /* of the level, from the sixth past run on */
    double drift;         /* a run */
    double newest;        /* of the newest past run */
    bool follows;         /* the candidate stands where the newest past run does */
    double correlation;   /* of a run with the one before */
    bool jobs;            /* three runs in a row share hosts and half of the variance */
    double hosts_apart;   /* two clusters of hosts; the candidate's runs are on one */
    double noisier;       /* the candidate's sd in past runs' */
    double most_false[3]; /* goal: of 1, 3 and 5 runs */
    double least_caught;  /* goal: of 3 runs, slower by 3 %; 0: none */
    unsigned open;        /* bits 1 << enum share: known to miss their goal */
};

enum share {
    FALSE_1,
    FALSE_3,
    FALSE_5,
    CAUGHT,
    COVERED,
    CLAIM_KEPT,
    NAMED,
    MORE_PASS,
    MORE_TOLD,
    SHARE_COUNT
};
static const char *const share_names[SHARE_COUNT] = {
    "unchanged fails, R = 1",
    "unchanged fails, R = 3",
    "unchanged fails, R = 5",
    "+3 % is caught, R = 3",
    "95 % interval holds the truth, R = 3",
    "the smallest effect is caught, R = 3",
    "a change of level or drift is named where there is none, R = 3",
    "n more runs pass the unchanged, R = 1",
    "n more runs tell a loss, R = 1",
};
static const double least_covered = 0.93, least_kept = 0.80, least_more = 0.80, most_named = 0.01;
#define BIT(share) (1u << (share))

/* Nothing can tell a world whose candidate has a spread of its own by one run of it. */
static const double none = 1;

static const struct world worlds[] = {
    {"plain", 30, 30, .01, .noisier = 1, .most_false = {.01, .01, .01}, .least_caught = .84},
    {"run sd 2 %", 30, 30, .02, .noisier = 1, .most_false = {.01, .01, .01}, .least_caught = .38},
    {"heavy tails (t3)", 30, 30, .01, true, .noisier = 1, .most_false = {.015, .01, .01},
     .least_caught = .6, .open = BIT(CLAIM_KEPT)},
    {"one of 12 is +15 %", 12, 30, .01, .outlier = .15, .noisier = 1, .most_false = {.01, .01, .01},
     .least_caught = .75},
    {"fell 3 % at 6 of 12", 12, 30, .01, .fall = -.03, .noisier = 1, .most_false = {.02, .02, .02},
     .least_caught = .7},
    {"newest of 20 is +8 %", 20, 30, .01, .newest = .08, .noisier = 1,
     .most_false = {.01, .01, .01}, .least_caught = .4},
    {"newest of 20 and it, +8 %", 20, 30, .01, .newest = .08, .follows = true, .noisier = 1,
     .most_false = {.01, .01, .01}, .open = BIT(FALSE_3) | BIT(FALSE_5)},
    {"drift .2 %, 12 runs", 12, 30, .01, .drift = .002, .noisier = 1, .most_false = {.06, .06, .06},
     .open = BIT(FALSE_3) | BIT(FALSE_5) | BIT(MORE_PASS) | BIT(MORE_TOLD)},
    {"drift .2 %, 30 runs", 30, 30, .01, .drift = .002, .noisier = 1,
     .most_false = {.02, .02, .02}},
    {"AR(.6)", 30, 30, .01, .correlation = .6, .noisier = 1, .most_false = {.012, .012, .012},
     .open = BIT(COVERED) | BIT(CLAIM_KEPT)},
    {"3 in a row, hosts known", 30, 30, .01, .jobs = true, .noisier = 1,
     .most_false = {.01, .01, .01}},
    {"clusters 3 % apart, known", 30, 30, .01, .hosts_apart = .03, .noisier = 1,
     .most_false = {.01, .01, .01}},
    {"candidate sd x 2", 30, 30, .01, .noisier = 2, .most_false = {none, .04, .02}},
    {"candidate sd x 3", 30, 30, .01, .noisier = 3, .most_false = {none, .08, .02}},
    {"3 past runs", 3, 30, .01, .noisier = 1, .most_false = {.01, .01, .01}},
    {"5 past runs", 5, 30, .01, .noisier = 1, .most_false = {.01, .01, .01}},
    {"captures of 5 steps", 30, 5, .01, .noisier = 1, .most_false = {.01, .01, .01}},
    {"captures of 2 steps", 30, 2, .01, .noisier = 1, .most_false = {.01, .01, .01},
     .open = BIT(FALSE_3)},
    {"captures of 1 step", 30, 1, .01, .noisier = 1, .most_false = {.01, .01, .01},
     .open = BIT(FALSE_3) | BIT(FALSE_5)},
};

static uint64_t first_seed;

/* ---- draws ----------------------------------------------------------------------------------- */

struct draws {
    struct arena arena;
    uint64_t state;
    struct gate_profile past[MOST_RUNS], candidates[MOST_RUNS];
    size_t past_count, candidate_count;
};

/* What is drawn of a world: runs of the candidate behind its past, then so many of each side in
 * turns. */
struct wanted {
    size_t runs, turns;
    double effect;
};

static double tailed(uint64_t *state)
{
    double squares = 0;
    for (int i = 0; i < 3; i++) {
        double one = fixture_normal(state);
        squares += one * one;
    }
    return fixture_normal(state) / sqrt(squares / 3);
}

/* What runs have in common with the ones before them. */
struct weather {
    double before, job;
    size_t job_number;
};

static double run_noise(const struct world *world, bool candidate, size_t place,
                        struct weather *weather, uint64_t *state)
{
    double rho = world->correlation, sd = world->sd * (candidate ? world->noisier : 1);
    if (world->tails)
        return sd * tailed(state);
    weather->before = rho * weather->before + sqrt(1 - rho * rho) * fixture_normal(state);
    if (!world->jobs)
        return sd * weather->before;
    if (place % JOB_RUNS == 0) {
        weather->job = fixture_normal(state);
        weather->job_number++;
    }
    return sd * sqrt(0.5) * (weather->job + fixture_normal(state));
}

/* The place's run. */
struct placed {
    size_t place;
    bool candidate;
    double value;
    size_t hosts; /* 0: not known */
};

static void run_draw(struct draws *draws, const struct world *world, const struct placed *placed)
{
    bool candidate = placed->candidate;
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.device_count = 1;
    plan.steps = (int64_t)world->steps;
    plan.step_us = 100000 * exp(placed->value);
    plan.step_sd = step_sd * (candidate ? world->noisier : 1);
    plan.rho = step_rho;
    /* Far from the states of the runs' own draws, or runs would share the noise of their steps. */
    plan.seed = draws->state * 0xD1342543DE82EF95u + 1;
    plan.trace_sha256 = arena_printf(&draws->arena, "%064zu", placed->place + 1);
    struct summary *summary = (struct summary *)summary_make(&draws->arena, &plan);
    if (placed->hosts > 0) {
        const char **name = arena_array(&draws->arena, const char *, 1);
        *name = arena_printf(&draws->arena, "host-%zu", placed->hosts);
        summary->environment.hosts = (struct string_list){name, 1};
    }
    *(candidate ? &draws->candidates[draws->candidate_count++]
                : &draws->past[draws->past_count++]) = (struct gate_profile){
        .profile_id = arena_printf(&draws->arena, "p%zu", placed->place + 1), .summary = summary};
}

/* The candidate's runs come from a seed of their own, so that the same past meets several. */
static void draws_make(struct draws *draws, const struct world *world, const struct wanted *wanted,
                       const uint64_t seeds[2])
{
    struct weather weather = {0};
    arena_init(&draws->arena, ARENA_BYTES);
    draws->past_count = draws->candidate_count = 0;
    draws->state = seeds[0] * 0x2545F4914F6CDD1Du;
    weather.before = fixture_normal(&draws->state);
    size_t accident = (size_t)(seeds[0] % world->past);
    size_t in_turns = world->past + wanted->runs;
    for (size_t place = 0; place < in_turns + 2 * wanted->turns; place++) {
        bool candidate = place >= world->past && (place < in_turns || (place - in_turns) % 2 == 0);
        if (place == world->past)
            draws->state ^= seeds[1] * 0x9E3779B97F4A7C15u;
        size_t in_job = candidate ? draws->candidate_count : draws->past_count;
        double value = run_noise(world, candidate, in_job, &weather, &draws->state);
        size_t cluster = candidate ? seeds[0] / 7 % 2 : fixture_normal(&draws->state) > 0;
        size_t hosts = world->jobs ? weather.job_number : world->hosts_apart > 0 ? cluster + 1 : 0;
        value += cluster == 1 ? world->hosts_apart : 0;
        value += place == accident ? log1p(world->outlier) : 0;
        value += place >= 5 ? log1p(world->fall) : 0;
        bool newest = candidate ? world->follows : place + 1 == world->past;
        value += newest ? log1p(world->newest) : 0;
        value += world->drift * (double)place + (candidate ? log1p(wanted->effect) : 0);
        run_draw(draws, world, &(struct placed){place, candidate, value, hosts});
    }
}

static struct verdict draws_judge(struct draws *draws)
{
    const struct gate_input input = {
        .project = "accuracy",
        .workload = "worlds",
        .baseline = {draws->past, draws->past_count, NULL},
        .candidate = {draws->candidates, draws->candidate_count, NULL},
        .created_at_utc = "2026-01-01T00:00:00.000000Z",
    };
    return input_judge(&input, &draws->arena);
}

/* ---- rates ----------------------------------------------------------------------------------- */

struct rates {
    double fail, pass, covered, claim_kept, smallest, named;
    double asked, more_pass, more_told; /* of those that name how many more runs would tell */
};

static struct verdict drawn_judge(struct draws *draws, const struct world *world,
                                  const struct wanted *wanted, const uint64_t seeds[2])
{
    draws_make(draws, world, wanted, seeds);
    return draws_judge(draws);
}

/* How many more runs it asks for, which wanted then holds too; 0: none, or too many to draw. */
static size_t more_asked(const struct verdict *verdict, struct wanted *wanted)
{
    const struct opt_i64 needed = verdict->statistics.more_runs_needed;
    size_t more = needed.set ? (size_t)needed.value : 0;
    bool of_both = false;
    for (size_t i = 0; i < verdict->reason_count; i++)
        of_both |= strstr(verdict->reasons[i].text, " of each side would show") != NULL;
    if (MOST_PAST + wanted->runs + (of_both ? 2 : 1) * more > MOST_RUNS)
        return 0;
    *(of_both ? &wanted->turns : &wanted->runs) += more;
    return more;
}

/* The verdict asked for more runs: the same ones again with those behind them. */
static void more_measure(struct draws *draws, const struct world *world, struct wanted wanted,
                         const uint64_t seeds[2], struct rates *rates)
{
    static const double matters = 0.02;
    enum verdict_status status = drawn_judge(draws, world, &wanted, seeds).status;
    rates->asked++;
    rates->more_pass += status == VERDICT_PASS;
    arena_done(&draws->arena);
    wanted.effect = matters;
    status = drawn_judge(draws, world, &wanted, seeds).status;
    rates->more_told += status == VERDICT_FAIL || status == VERDICT_WARN;
    arena_done(&draws->arena);
}

static struct rates rates_of(const struct world *world, size_t runs, double effect, size_t count)
{
    static struct draws draws;
    struct rates rates = {0};
    for (size_t i = 0; i < count; i++) {
        uint64_t seeds[2] = {first_seed + 7919 * (i + 1) + world->past, 31 * runs + 1};
        struct wanted wanted = {runs, 0, effect};
        struct verdict verdict = drawn_judge(&draws, world, &wanted, seeds);
        const struct verdict_statistics *s = &verdict.statistics;
        double smallest = s->mde_pct.value / 100;
        size_t more = more_asked(&verdict, &wanted);
        rates.fail += verdict.status == VERDICT_FAIL;
        rates.pass += verdict.status == VERDICT_PASS;
        rates.covered +=
            s->ci_low_pct.value <= 100 * effect && 100 * effect <= s->ci_high_pct.value;
        rates.smallest += smallest;
        rates.named += s->level_change_pct.set || s->drift_pct_per_run.set;
        arena_done(&draws.arena);
        if (effect > 0)
            continue;
        if (runs == 1 && world->past >= 6 && more > 0)
            more_measure(&draws, world, wanted, seeds, &rates);
        seeds[1] += 1000; /* other runs of the same candidate, slower by what was claimed */
        rates.claim_kept +=
            drawn_judge(&draws, world, &(struct wanted){runs, 0, smallest}, seeds).status ==
            VERDICT_FAIL;
        arena_done(&draws.arena);
    }
    rates.more_pass /= fmax(rates.asked, 1);
    rates.more_told /= fmax(rates.asked, 1);
    double *all[] = {&rates.fail,       &rates.pass,     &rates.covered,
                     &rates.claim_kept, &rates.smallest, &rates.named};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        *all[i] /= (double)count;
    return rates;
}

/* A goal and what was got. */
struct score {
    enum share share;
    double goal, got, draws;
};

/* Wilson's interval of a rate, 99.9 %. */
static void rate_interval(double rate, double draws, double *ret_low, double *ret_high)
{
    static const double z = 3.29;
    double n = fmax(draws, 1), centre = (rate + z * z / (2 * n)) / (1 + z * z / n);
    double half = z * sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    *ret_low = centre - half;
    *ret_high = centre + half;
}

/* Prints what does not meet its goal, with its interval: one that holds the goal is at it. false: a
 * miss that is not one of the open ones. */
static bool score_tell(const struct world *world, const struct score *score)
{
    bool most = score->share <= FALSE_5 || score->share == NAMED,
         open = (world->open & BIT(score->share)) != 0;
    double low, high;
    rate_interval(score->got, score->draws, &low, &high);
    if (most ? score->got <= score->goal : score->got >= score->goal)
        return true;
    bool at = low <= score->goal && score->goal <= high;
    double error = sqrt(score->got * (1 - score->got) / fmax(score->draws, 1));
    printf("    %s: %s: goal %s %.1f %%, got %.2f %%, standard error %.2f (%.2f..%.2f)\n",
           at     ? "at the goal"
           : open ? "open"
                  : "NOT KEPT",
           share_names[score->share], most ? "<=" : ">=", 100 * score->goal, 100 * score->got,
           100 * error, 100 * low, 100 * high);
    return at || open;
}

/* The past of others has a course, or looks like one. */
static bool runs_are_alike(const struct world *world)
{
    return !world->jobs && !world->follows &&
           fabs(world->fall) + fabs(world->drift) + world->correlation <= 0;
}

static bool world_measure(const struct world *world, size_t count)
{
    static const size_t runs[] = {1, 3, 5};
    struct rates same[3], slower = rates_of(world, 3, loss, count);
    double draws = (double)count;
    bool kept = true;
    printf("%-26s", world->name);
    for (size_t i = 0; i < 3; i++) {
        same[i] = rates_of(world, runs[i], 0, count);
        printf(" %5.2f", 100 * same[i].fail);
    }
    printf(
        " | %3.0f | %3.0f %3.0f %3.0f | %3.0f | %3.0f of +%4.1f %% | %5.2f | %3.0f %3.0f of %.0f\n",
        100 * slower.fail, 100 * same[0].pass, 100 * same[1].pass, 100 * same[2].pass,
        100 * same[1].covered, 100 * same[1].claim_kept, 100 * same[1].smallest,
        100 * same[1].named, 100 * same[0].more_pass, 100 * same[0].more_told, same[0].asked);
    /* One run does not tell its spread: the sentence is said of one that varies as past runs do. */
    double more_goal = same[0].asked > 0 && world->noisier <= 1 && !world->follows ? least_more : 0;
    const struct score scores[] = {
        {FALSE_1, world->most_false[0], same[0].fail, draws},
        {FALSE_3, world->most_false[1], same[1].fail, draws},
        {FALSE_5, world->most_false[2], same[2].fail, draws},
        {CAUGHT, world->least_caught, slower.fail, draws},
        {COVERED,
         world->drift > 0 && world->past < 30   ? 0
         : world->noisier > 1 || world->follows ? 0
                                                : least_covered,
         same[1].covered, draws},
        {CLAIM_KEPT, world->follows ? 0 : least_kept, same[1].claim_kept, draws},
        {NAMED, runs_are_alike(world) ? most_named : none, same[1].named, draws},
        {MORE_PASS, more_goal, same[0].more_pass, same[0].asked},
        {MORE_TOLD, more_goal, same[0].more_told, same[0].asked},
    };
    for (size_t i = 0; i < sizeof scores / sizeof scores[0]; i++)
        kept &= score_tell(world, &scores[i]);
    if (world->past < 6 && same[1].pass > 0) {
        printf("    NOT KEPT: few past runs pass\n");
        kept = false;
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
        "step time, %zu draws; %%\n%-26s fail of the same  | +3 %% | pass of same | 95 %% "
        "interval | smallest caught | named | n more\n%-26s   R=1   R=3   R=5 | R=3 |   1   3   5 "
        "| R=3 | R=3           | R=3   | pass, told; R=1\n",
        count, "world", "");
    for (size_t i = 0; i < sizeof worlds / sizeof worlds[0]; i++) {
        if (draws_are_of(&asked, worlds[i].name))
            kept &= world_measure(&worlds[i], count);
    }
    return kept ? 0 : 1;
}
