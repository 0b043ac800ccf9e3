/* Tests of compare/changes/course: ways back to a level of before. */
#include "compare/changes/course.h"
#include "tests/support/summary_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 400, BUDGET_BYTES = 64 << 20 };

static uint64_t state_of_draws = 22;

/* Levels above 100 from run to run: ends at the first length of 0. */
struct stretch_plan {
    size_t length;
    double level;
};

static struct course_findings stretches_find(struct arena *arena, const struct stretch_plan *plan)
{
    static double values[MOST];
    struct course_findings found;
    struct err err = {0};
    size_t count = 0;
    for (; plan->length > 0; plan++)
        for (size_t i = 0; i < plan->length; i++)
            values[count++] = 100 + plan->level + .5 * fixture_normal(&state_of_draws);
    if (!course_find(values, count, arena, &found, &err))
        fail_msg("%s", err.text);
    return found;
}

/* A bump, in steps or at once, is over when its level is left for the one before it; who goes
 * farther, or elsewhere, gained or lost something. */
static void a_way_back_names_what_it_takes_back(void **state)
{
    (void)state;
    enum { SHIFTS = 4, NONE = 9 };
    static const struct {
        struct stretch_plan plan[6];
        size_t taken[SHIFTS]; /* by each change; NONE: none */
        bool gone[SHIFTS];
    } cases[] = {
        {{{120, 0}, {9, 3}, {30, 0}}, {NONE, 0}, {true, false}},
        {{{40, 0}, {12, 5}, {12, 10}, {20, 0}}, {NONE, NONE, 0}, {true, true, false}},
        {{{40, 0}, {12, 10}, {12, 5}, {20, 0}}, {NONE, 0, 0}, {true, false, false}},
        {{{40, 0}, {12, 5}, {20, -5}}, {NONE, NONE}, {true, false}},
        {{{40, 0}, {12, 10}, {20, 5}}, {NONE, NONE}, {false, false}},
        {{{40, 0}, {12, -8}, {12, 0}, {20, 8}}, {NONE, 0, NONE}, {true, false, false}},
        {{{40, 0}, {12, 8}, {12, 0}, {12, 8}, {12, 0}}, {NONE, 0, 1, 2}, {true, true, true}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct arena arena;
        arena_init(&arena, BUDGET_BYTES);
        struct course_findings found = stretches_find(&arena, cases[c].plan);
        size_t sure = 0, numbers[SHIFTS] = {0};
        for (size_t i = 0; i < found.shift_count; i++) {
            const struct course_shift *shift = &found.shifts[i];
            if (!shift->confirmed)
                continue;
            assert_true(sure < SHIFTS && cases[c].plan[sure + 1].length > 0);
            numbers[sure] = i;
            size_t taken = cases[c].taken[sure];
            assert_int_equal(shift->takes_back, taken == NONE ? i : numbers[taken]);
            assert_int_equal(shift->went_away, cases[c].gone[sure]);
            sure++;
        }
        assert_int_equal(cases[c].plan[sure + 1].length, 0);
        arena_done(&arena);
    }
}

/* Runs that follow each other closely wander from level to level by themselves: hardly any change
 * of theirs is told for sure, but a step among them is. */
static void runs_that_wander_changed_no_level(void **state)
{
    (void)state;
    enum { DRAWS = 30, MOST_FALSE = 4, FEWEST_TOLD = 48 };
    static const double rho = .9, step = 5;
    size_t invented = 0, told = 0;
    for (size_t draw = 0; draw < 4 * DRAWS; draw++) {
        static double values[MOST];
        size_t count = draw % 2 == 0 ? 120 : MOST, at = draw < 2 * DRAWS ? count : count / 2;
        struct arena arena;
        struct course_findings found;
        struct err err = {0};
        double wander = fixture_normal(&state_of_draws);
        for (size_t i = 0; i < count; i++) {
            wander = rho * wander + sqrt(1 - rho * rho) * fixture_normal(&state_of_draws);
            values[i] = 100 + wander + (i >= at ? step : 0);
        }
        arena_init(&arena, BUDGET_BYTES);
        if (!course_find(values, count, &arena, &found, &err))
            fail_msg("%s", err.text);
        for (size_t i = 0; i < found.shift_count; i++) {
            bool is_there =
                at < count && found.shifts[i].index + 2 >= at && found.shifts[i].index <= at + 2;
            told += found.shifts[i].confirmed && is_there;
            invented += found.shifts[i].confirmed && at == count;
        }
        arena_done(&arena);
    }
    assert_in_range(invented, 0, MOST_FALSE);
    assert_in_range(told, FEWEST_TOLD, 2 * DRAWS);
}

/* A bump of eight runs is confirmed while it is the newest level. It stays so when it is over,
 * however few runs lie behind it, and its end is told with it. */
static void a_short_bump_stays_told_when_it_is_over(void **state)
{
    (void)state;
    enum { DRAWS = 30, BEFORE = 70, BUMP = 8, FEWEST = 24 };
    static const size_t behind[] = {0, 6, 7, 9, 11, 14};
    for (size_t b = 0; b < sizeof behind / sizeof behind[0]; b++) {
        size_t begins = 0, ends = 0;
        for (size_t draw = 0; draw < DRAWS; draw++) {
            struct arena arena;
            arena_init(&arena, BUDGET_BYTES);
            struct course_findings found = stretches_find(
                &arena, (struct stretch_plan[]){{BEFORE, 0}, {BUMP, 2.5}, {behind[b], 0}, {0, 0}});
            for (size_t i = 0; i < found.shift_count; i++) {
                const struct course_shift *shift = &found.shifts[i];
                begins += shift->confirmed && shift->index + 1 >= BEFORE &&
                          shift->index <= BEFORE + 1 && shift->after > shift->before;
                ends += shift->confirmed && shift->index + 1 >= BEFORE + BUMP &&
                        shift->index <= BEFORE + BUMP + 1 && shift->after < shift->before;
            }
            arena_done(&arena);
        }
        assert_in_range(begins, FEWEST, DRAWS);
        assert_in_range(ends, behind[b] == 0 ? 0 : FEWEST, behind[b] == 0 ? 0 : DRAWS);
    }
}

/* One jump explains a short bump badly, at its begin or at its end: each end is told, where it is,
 * and hardly ever only one of them for sure. */
static void both_ends_of_a_short_bump_are_told_alike(void **state)
{
    (void)state;
    enum { DRAWS = 20, BEFORE = 70 };
    static const size_t lasts[] = {8, 9}, newest[] = {6, 8, 10, 12};
    static const double sizes[] = {5, 10}; /* in standard deviations 10, 20 */
    size_t sure_of[2] = {0}, alone = 0, all = 0;
    for (size_t c = 0; c < DRAWS * 2 * 4; c++) {
        size_t end = BEFORE + lasts[c % 2];
        for (size_t size = 0; size < 2; size++) {
            const struct stretch_plan plan[] = {
                {BEFORE, 0}, {lasts[c % 2], sizes[size]}, {newest[c / 2 % 4], 0}, {0, 0}};
            struct arena arena;
            size_t sure = 0;
            arena_init(&arena, BUDGET_BYTES);
            struct course_findings found = stretches_find(&arena, plan);
            const struct course_shift *begins = NULL, *ends = NULL;
            for (size_t i = 0; i < found.shift_count; i++) {
                begins = found.shifts[i].index == BEFORE ? &found.shifts[i] : begins;
                ends = found.shifts[i].index == end ? &found.shifts[i] : ends;
                sure += found.shifts[i].confirmed;
            }
            assert_true(begins != NULL && ends != NULL);
            alone += begins->confirmed != ends->confirmed;
            assert_int_equal(sure, begins->confirmed + ends->confirmed);
            sure_of[size] += begins->confirmed && ends->confirmed;
            arena_done(&arena);
        }
        all++;
    }
    assert_true(alone <= all / 50);
    assert_true(sure_of[0] > all / 2);
    assert_int_equal(sure_of[1], all);
}

/* A year of daily runs: three changes, and a drift from the last one on. */
static void a_year_has_what_was_planted_and_nothing_else(void **state)
{
    (void)state;
    enum { DAYS = 365, CHANGES = 3, DRAWS = 20, BESIDE = 3 };
    static const size_t planted[CHANGES] = {80, 170, 240};
    static const double jumps[CHANGES] = {5, -4.5, 6}, drift = 6, sd = .6;
    for (size_t draw = 0; draw < DRAWS; draw++) {
        double values[DAYS], level = 100;
        struct course_findings found;
        struct arena arena;
        struct err err = {0};
        size_t sure = 0;
        for (size_t i = 0, at = 0; i < DAYS; i++) {
            level += at < CHANGES && planted[at] == i ? jumps[at++] : 0;
            level += at == CHANGES ? drift / (DAYS - 1 - 240) : 0;
            values[i] = level + sd * fixture_normal(&state_of_draws);
        }
        arena_init(&arena, BUDGET_BYTES);
        assert_true(course_find(values, DAYS, &arena, &found, &err));
        for (size_t i = 0; i < found.shift_count; i++) {
            const struct course_shift *shift = &found.shifts[i];
            if (!shift->confirmed)
                continue;
            assert_true(sure < CHANGES);
            assert_in_range(shift->index + BESIDE, planted[sure], planted[sure] + 2 * BESIDE);
            assert_true(fabs(shift->after - shift->before - jumps[sure]) < 1);
            sure++;
        }
        assert_int_equal(sure, CHANGES);
        assert_int_equal(found.slope_count, 1);
        assert_true(found.slopes[0].is_sure);
        assert_in_range(found.slopes[0].first + BESIDE, planted[2], planted[2] + 2 * BESIDE);
        assert_true(fabs(found.slopes[0].after - found.slopes[0].before - drift) < 1);
        arena_done(&arena);
    }
}

/* A step is told where it is, beside the drift that goes on: when it is fresh, when a line through
 * both would do without it, when it takes back what the drift added, and when that began with it or
 * somewhere before. */
static void a_step_beside_a_drift_is_told_with_it(void **state)
{
    (void)state;
    enum { DRAWS = 10, FEWEST = 9, CASES = 12 };
    static const struct {
        size_t count, age;
        double rise, sd, step; /* of 100: by the drift a run, of a run, of the level */
        size_t level;          /* runs before the drift */
    } cases[CASES] = {
        {120, 6, .1, 1, 6, 0},    {120, 8, .1, .5, 6, 0},   {120, 40, .1, 1, 6, 0},
        {120, 7, .05, .7, -6, 0}, {60, 6, .2, .5, 5, 0},    {60, 12, .15, .3, 5, 0},
        {60, 9, .2, 1, 5, 0},     {60, 7, .1, .5, -3, 0},   {140, 70, .2, .4, 6, 70},
        {140, 30, .2, .4, 6, 60}, {140, 50, .2, .4, 6, 60}, {300, 80, .1, .5, 6, 120},
    };
    for (size_t c = 0; c < CASES; c++) {
        size_t told = 0, drifts = 0, invented = 0;
        for (size_t draw = 0; draw < DRAWS; draw++) {
            static double values[MOST];
            struct arena arena;
            struct course_findings found;
            struct err err = {0};
            size_t begin = cases[c].count - cases[c].age;
            for (size_t i = 0; i < cases[c].count; i++)
                values[i] = 100 + (i >= begin ? cases[c].step : 0) +
                            cases[c].rise * fmax((double)i - (double)cases[c].level, 0) +
                            cases[c].sd * fixture_normal(&state_of_draws);
            arena_init(&arena, BUDGET_BYTES);
            if (!course_find(values, cases[c].count, &arena, &found, &err))
                fail_msg("%s", err.text);
            for (size_t i = 0; i < found.shift_count; i++) {
                const struct course_shift *shift = &found.shifts[i];
                double jump = shift->after - shift->before;
                bool is_there = shift->index + 1 >= begin && shift->index <= begin + 1 &&
                                fabs(jump - cases[c].step) < fabs(cases[c].step) / 3;
                told += shift->confirmed && is_there;
                invented += shift->confirmed && !is_there;
            }
            drifts += found.slope_count > 0 && found.slopes[0].is_sure;
            arena_done(&arena);
        }
        assert_in_range(told, FEWEST, DRAWS);
        assert_in_range(drifts, FEWEST, DRAWS);
        assert_in_range(invented, 0, 1);
    }
}

/* However little runs vary: what a line through drift and level leaves is no noise. */
static void a_drift_that_ended_is_told_until_there(void **state)
{
    (void)state;
    enum { DRAWS = 20, FEWEST = 17, BESIDE = 3 };
    static const double sds[] = {.1, .2, .3};
    static const struct {
        size_t begin, end, count;
    } cases[] = {{0, 24, 48}, {0, 30, 60}, {14, 44, 62}};
    for (size_t c = 0; c < 3 * sizeof cases / sizeof cases[0]; c++) {
        size_t told = 0, invented = 0, begin = cases[c / 3].begin, end = cases[c / 3].end;
        for (size_t draw = 0; draw < DRAWS; draw++) {
            double values[MOST];
            struct arena arena;
            struct course_findings found;
            struct err err = {0};
            for (size_t i = 0; i < cases[c / 3].count; i++) {
                double passed = fmin(fmax((double)i - (double)begin, 0), (double)(end - begin));
                values[i] = 100 + 6 * passed / (double)(end - begin) +
                            sds[c % 3] * fixture_normal(&state_of_draws);
            }
            arena_init(&arena, BUDGET_BYTES);
            if (!course_find(values, cases[c / 3].count, &arena, &found, &err))
                fail_msg("%s", err.text);
            told += found.slope_count == 1 && found.slopes[0].is_sure &&
                    found.slopes[0].first <= begin + BESIDE &&
                    found.slopes[0].end + BESIDE >= end && found.slopes[0].end <= end + BESIDE;
            for (size_t i = 0; i < found.shift_count; i++)
                invented += found.shifts[i].confirmed;
            arena_done(&arena);
        }
        if (told < FEWEST || invented > 1)
            fail_msg("case %zu: %zu told, %zu invented", c, told, invented);
    }
}

/* Level, a drift of `rise`, and level again, from `end` on. */
struct bend_plan {
    size_t begin, end, from, count; /* asked in the first `from` values, and more */
    double rise, sd;
};

struct bend_rates {
    size_t days, told, invented;
};

static void bend_values(const struct bend_plan *plan, double *values)
{
    double length = (double)(plan->end - plan->begin);
    for (size_t i = 0; i < plan->count; i++) {
        double passed = fmin(fmax((double)i - (double)plan->begin, 0), length);
        values[i] = 100 + plan->rise * passed / length + plan->sd * fixture_normal(&state_of_draws);
    }
}

static void bend_ask(const struct bend_plan *plan, const double *values, size_t day,
                     struct bend_rates *rates)
{
    enum { BESIDE = 5 };
    static const double near = 1.5;
    struct arena arena;
    struct course_findings found;
    struct err err = {0};
    arena_init(&arena, BUDGET_BYTES);
    if (!course_find(values, day, &arena, &found, &err))
        fail_msg("%s", err.text);
    size_t end = day < plan->end ? day : plan->end;
    double rise = plan->rise * (double)(end - plan->begin) / (double)(plan->end - plan->begin);
    const struct course_slope *slope = found.slopes;
    rates->days++;
    rates->told += found.slope_count == 1 && slope->is_sure && slope->first > 0 &&
                   fabs(slope->after - slope->before - rise) < near && slope->end + BESIDE >= end &&
                   slope->end <= end + BESIDE;
    for (size_t i = 0; i < found.shift_count; i++)
        rates->invented += found.shifts[i].confirmed;
    arena_done(&arena);
}

/* On each day from the end of a drift on, and of one that goes on: a line through all runs with a
 * step against it is none of what happened. */
static void a_drift_that_began_and_ended_stays_so_day_by_day(void **state)
{
    (void)state;
    enum { DRAWS = 10, DAYS_APART = 4 };
    static const double fewest = .75, most_false = .1;
    static const struct bend_plan plans[] = {{15, 36, 46, 62, 5, .3},  {15, 36, 46, 62, 5, .45},
                                             {20, 60, 40, 60, 6, .4},  {10, 40, 50, 70, 6, .5},
                                             {40, 80, 90, 120, 5, .6}, {60, 120, 130, 180, 6, .6}};
    for (size_t c = 0; c < sizeof plans / sizeof plans[0]; c++) {
        struct bend_rates rates = {0};
        for (size_t draw = 0; draw < DRAWS; draw++) {
            double values[MOST];
            bend_values(&plans[c], values);
            for (size_t day = plans[c].from; day <= plans[c].count; day += DAYS_APART)
                bend_ask(&plans[c], values, day, &rates);
        }
        double days = (double)rates.days;
        if ((double)rates.told < fewest * days || (double)rates.invented > most_false * days)
            fail_msg("case %zu: %zu of %zu told, %zu invented", c, rates.told, rates.days,
                     rates.invented);
    }
}

/* A drift that all runs share is none of the noise between neighbours. */
static void noise_is_what_a_drift_leaves(void **state)
{
    (void)state;
    enum { RUNS = 60 };
    double noise[2];
    for (size_t drifts = 0; drifts < 2; drifts++) {
        double values[RUNS];
        struct arena arena;
        struct course_findings found;
        struct err err = {0};
        state_of_draws = 4;
        for (size_t i = 0; i < RUNS; i++) {
            double level = 100 + (drifts ? 2.0 : 0) * (double)i;
            values[i] = level * (1 + .002 * fixture_normal(&state_of_draws));
        }
        arena_init(&arena, BUDGET_BYTES);
        if (!course_find(values, RUNS, &arena, &found, &err))
            fail_msg("%s", err.text);
        assert_int_equal(found.slope_count, drifts);
        noise[drifts] = found.noise_ratio;
        arena_done(&arena);
    }
    assert_true(noise[1] < 1.2 * noise[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_way_back_names_what_it_takes_back),
        cmocka_unit_test(runs_that_wander_changed_no_level),
        cmocka_unit_test(a_short_bump_stays_told_when_it_is_over),
        cmocka_unit_test(both_ends_of_a_short_bump_are_told_alike),
        cmocka_unit_test(a_step_beside_a_drift_is_told_with_it),
        cmocka_unit_test(a_drift_that_ended_is_told_until_there),
        cmocka_unit_test(a_drift_that_began_and_ended_stays_so_day_by_day),
        cmocka_unit_test(noise_is_what_a_drift_leaves),
        cmocka_unit_test(a_year_has_what_was_planted_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
