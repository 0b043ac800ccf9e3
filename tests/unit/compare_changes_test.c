/* Tests of compare/changes: cuts against every possible cut, and what is found in made series. */
#include "compare/changes/changes.h"
#include "compare/changes/segmentation.h"
#include "tests/support/assert_number.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 400, BUDGET_BYTES = 64 << 20, DRAWS = 60 };

/* A fixed sequence (splitmix64), so that a failure can be seen again. */
static uint64_t state_of_draws;

static double draw_uniform(void)
{
    uint64_t z = (state_of_draws += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return ((double)((z ^ (z >> 31)) >> 11) + .5) / 9007199254740992.0;
}

static double draw_normal(void)
{
    return sqrt(-2 * log(draw_uniform())) * cos(2 * acos(-1) * draw_uniform());
}

/* First-order autoregressive noise of variance 1. */
static void draw_noise(double *values, size_t count, double rho)
{
    for (size_t i = 0; i < count; i++)
        values[i] =
            i == 0 ? draw_normal() : rho * values[i - 1] + sqrt(1 - rho * rho) * draw_normal();
}

static struct change_report find(struct arena *arena, const double *values, size_t count)
{
    struct err err = {0};
    struct change_report report;
    if (!changes_find(values, count, arena, &report, &err))
        fail_msg("%s", err.text);
    return report;
}

static size_t count_confirmed(const struct change_report *report)
{
    size_t ret = 0;
    for (size_t i = 0; i < report->change_point_count; i++)
        ret += report->change_points[i].tier == CHANGE_CONFIRMED;
    return ret;
}

/* ---- cuts ------------------------------------------------------------------------------------ */

/* The textbook's recursion over every last cut; returns the least cost. */
static double least_cost(const struct segmentation *cuts, double penalty, size_t min_length)
{
    double best[MOST + 1];
    for (size_t end = 0; end <= cuts->count; end++) {
        best[end] = end == 0 ? -penalty : INFINITY;
        for (size_t cut = 0; end >= min_length && cut <= end - min_length; cut++)
            best[end] = fmin(best[end], best[cut] + penalty + segmentation_cost(cuts, cut, end));
    }
    return best[cuts->count];
}

static void cuts_as_cheaply_as_trying_every_cut(void **state)
{
    (void)state;
    state_of_draws = 1;
    for (int draw = 0; draw < DRAWS; draw++) {
        double values[MOST];
        size_t starts[MOST], count = 3 + (size_t)(draw_uniform() * 120), from = 0;
        size_t min_length = 1 + (size_t)(draw_uniform() * (double)(count / 3));
        double penalty = exp(6 * draw_uniform() - 3), cost = 0;
        draw_noise(values, count, .5);
        for (size_t i = count / 2; i < count; i++)
            values[i] += draw % 3;
        scoped_arena arena;
        arena_init(&arena, BUDGET_BYTES);
        struct segmentation *cuts = segmentation_new(values, count, &arena);
        size_t cut_count = segmentation_cut(cuts, penalty, min_length, starts, &arena);
        for (size_t s = 0; s <= cut_count; s++) {
            size_t to = s == cut_count ? count : starts[s];
            assert_true(to - from >= min_length);
            cost += segmentation_cost(cuts, from, to) + (s > 0 ? penalty : 0);
            from = to;
        }
        assert_close(cost, least_cost(cuts, penalty, min_length), 1e-9);
    }
}

/* ---- what is found --------------------------------------------------------------------------- */

static void finds_a_step_of_three_deviations(void **state)
{
    (void)state;
    state_of_draws = 2;
    int held = 0;
    for (int draw = 0; draw < DRAWS; draw++) {
        double values[120];
        scoped_arena arena;
        arena_init(&arena, BUDGET_BYTES);
        draw_noise(values, 120, 0);
        for (size_t i = 0; i < 120; i++)
            values[i] = 100 + values[i] + (i >= 70 ? 3 : 0);
        struct change_report report = find(&arena, values, 120);
        assert_int_equal(count_confirmed(&report), 1);
        for (size_t i = 0; i < report.change_point_count; i++) {
            const struct change_point *point = &report.change_points[i];
            if (point->tier != CHANGE_CONFIRMED)
                continue;
            assert_in_range(point->index, 64, 76);
            held += point->first <= 70 && point->last >= 70;
            assert_number(point->before, 100, .8);
            assert_number(point->after, 103, .8);
            assert_true(point->confidence > .99);
        }
    }
    assert_true(held >= DRAWS * 9 / 10); /* 95 % ranges */
}

/* Noise that wanders has no change of level: at most one false one in ten series. */
static void confirms_nothing_in_noise_however_it_wanders(void **state)
{
    (void)state;
    static const double rhos[] = {0, .3, .6};
    for (size_t r = 0; r < sizeof rhos / sizeof *rhos; r++) {
        size_t found = 0;
        state_of_draws = 3 + r;
        for (int draw = 0; draw < DRAWS; draw++) {
            double values[100];
            scoped_arena arena;
            arena_init(&arena, BUDGET_BYTES);
            draw_noise(values, 100, rhos[r]);
            struct change_report report = find(&arena, values, 100);
            found += count_confirmed(&report);
        }
        assert_true(found <= DRAWS / 10);
    }
}

/* Of runs that follow each other as runs do; measured on 2,000 draws: .8 of 100 at most. */
static void few_runs_have_no_change_unless_it_is_large(void **state)
{
    (void)state;
    enum { HISTORIES = 300, FALSE_MAX = 6, LARGE = 10, FOUND_MIN = 270 };
    static const size_t counts[] = {10, 14, 20, 30};
    struct err err = {0};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        size_t count = counts[c], wrong = 0, found = 0;
        state_of_draws = 70 + c;
        for (int draw = 0; draw < 3 * HISTORIES; draw++) {
            double values[30], rho = draw % 3 == 0 ? .6 : 0;
            bool is_moved = draw % 3 == 2 && count >= 14;
            scoped_arena arena;
            struct course_findings told;
            arena_init(&arena, BUDGET_BYTES);
            draw_noise(values, count, rho);
            for (size_t i = 0; i < count; i++)
                values[i] = 100 + values[i] + (is_moved && i >= count / 2 ? LARGE : 0);
            assert_true(course_find(values, count, &arena, &told, &err));
            size_t confirmed = 0;
            for (size_t i = 0; i < told.shift_count; i++)
                confirmed += told.shifts[i].confirmed;
            for (size_t i = 0; i < told.slope_count; i++)
                confirmed += !is_moved && told.slopes[i].is_sure;
            wrong += !is_moved && confirmed > 0;
            found += is_moved && confirmed == 1 && told.shifts[0].index == count / 2;
        }
        assert_true(wrong <= FALSE_MAX);
        assert_true(count < 14 || found >= FOUND_MIN);
    }
}

/* The newest level is asked for by the gate's model: six runs of it are enough, however long the
 * history is, and runs that follow each other seldom make one up. Measured on 1,000 draws of 14 to
 * 99 runs: 1.7 of 100 at most. */
static void six_runs_are_a_level_where_they_are_plain(void **state)
{
    (void)state;
    enum { HISTORIES = 100, FALSE_MAX = 6, BEHIND = 6, FOUND_MIN = 85 };
    static const size_t counts[] = {24, 45, 60, 99, 150};
    static const double jump = 5;
    struct err err = {0};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        size_t count = counts[c], wrong = 0, found = 0;
        state_of_draws = 90 + c;
        for (int draw = 0; draw < 2 * HISTORIES; draw++) {
            double values[150];
            bool is_moved = draw % 2 == 1;
            scoped_arena arena;
            struct course_findings told;
            arena_init(&arena, BUDGET_BYTES);
            draw_noise(values, count, is_moved ? 0 : .6);
            for (size_t i = 0; i < count; i++)
                values[i] = 100 + values[i] + (is_moved && i + BEHIND >= count ? jump : 0);
            assert_true(course_find(values, count, &arena, &told, &err));
            for (size_t i = 0; i < told.shift_count; i++) {
                const struct course_shift *shift = &told.shifts[i];
                wrong += !is_moved && shift->confirmed;
                found += is_moved && shift->confirmed && shift->index + BEHIND == count;
            }
        }
        assert_true(wrong <= FALSE_MAX);
        assert_true(found >= FOUND_MIN);
    }
}

static void names_a_drift_instead_of_steps(void **state)
{
    (void)state;
    state_of_draws = 7;
    size_t found = 0, named = 0;
    for (int draw = 0; draw < DRAWS; draw++) {
        double values[150];
        scoped_arena arena;
        arena_init(&arena, BUDGET_BYTES);
        draw_noise(values, 150, .2);
        for (size_t i = 0; i < 150; i++)
            values[i] += 10 * (double)i / 149;
        struct change_report report = find(&arena, values, 150);
        found += count_confirmed(&report);
        named += report.drift > 7 && report.drift < 13;
    }
    assert_true(found <= DRAWS / 20);
    assert_true(named >= DRAWS * 9 / 10);
}

static void keeps_values_of_one_kind_apart_from_noise(void **state)
{
    (void)state;
    double values[40];
    scoped_arena arena;
    arena_init(&arena, BUDGET_BYTES);
    for (size_t i = 0; i < 40; i++)
        values[i] = 5;
    struct change_report same = find(&arena, values, 40);
    assert_int_equal(same.change_point_count, 0);
    assert_number(same.noise_sd, 0, 0);
    for (size_t i = 17; i < 40; i++)
        values[i] = 6;
    struct change_report step = find(&arena, values, 40);
    assert_int_equal(step.change_point_count, 1);
    assert_int_equal(step.change_points[0].index, 17);
    assert_int_equal(step.change_points[0].first, 17);
    assert_int_equal(step.change_points[0].last, 17);
    assert_number(step.change_points[0].before, 5, 1e-9);
    assert_number(step.change_points[0].after, 6, 1e-9);
    assert_number(step.noise_sd, 0, 0);
}

static void a_single_outlier_is_no_level(void **state)
{
    (void)state;
    state_of_draws = 11;
    double values[80];
    scoped_arena arena;
    arena_init(&arena, BUDGET_BYTES);
    draw_noise(values, 80, 0);
    values[40] += 50;
    struct change_report report = find(&arena, values, 80);
    assert_int_equal(count_confirmed(&report), 0);
}

static void says_nothing_of_a_few_values(void **state)
{
    (void)state;
    static const double values[CHANGES_VALUES_MIN] = {1, 1, 1, 9, 9, 9};
    scoped_arena arena;
    arena_init(&arena, BUDGET_BYTES);
    for (size_t count = 1; count < CHANGES_VALUES_MIN; count++) {
        struct change_report report = find(&arena, values, count);
        assert_int_equal(report.change_point_count, 0);
    }
    assert_int_equal(find(&arena, values, CHANGES_VALUES_MIN).change_point_count, 1);
}

static void refuses_to_pass_its_budget(void **state)
{
    (void)state;
    double values[MOST];
    bool done = false;
    state_of_draws = 5;
    draw_noise(values, MOST, .4);
    for (size_t budget = 1 << 10; !done; budget *= 2) {
        struct err err = {0};
        struct change_report report;
        scoped_arena arena;
        arena_init(&arena, budget);
        done = changes_find(values, MOST, &arena, &report, &err);
        assert_true(done || err.kind == ERR_LIMIT);
        assert_true(budget < BUDGET_BYTES);
    }
}

/* ---- courses: changes against drifts --------------------------------------------------------- */

enum { YEAR = 365 };

/* A year about 100 with steps of +5, -4, +6 at the days, and a rise of so much between two. */
static struct course_findings year_find(struct arena *arena, const size_t days[3], double rise,
                                        size_t from)
{
    static double values[YEAR];
    struct course_findings found;
    struct err err = {0};
    draw_noise(values, YEAR, 0);
    for (size_t i = 0; i < YEAR; i++) {
        double level = 100;
        level += days != NULL && i >= days[0] ? 5 : 0;
        level -= days != NULL && i >= days[1] ? 4 : 0;
        level += days != NULL && i >= days[2] ? 6 : 0;
        level += i > from ? rise * (double)(i - from) / (double)(YEAR - from) : 0;
        values[i] = level + values[i];
    }
    if (!course_find(values, YEAR, arena, &found, &err))
        fail_msg("%s", err.text);
    return found;
}

static size_t shifts_confirmed(const struct course_findings *found)
{
    size_t count = 0;
    for (size_t i = 0; i < found->shift_count; i++)
        count += found->shifts[i].confirmed;
    return count;
}

static void a_drift_is_no_staircase(void **state)
{
    (void)state;
    static const size_t none = YEAR, early[] = {80, 170, 260}, begins[] = {0, 180, 240};
    state_of_draws = 20;
    for (size_t draw = 0; draw < 5; draw++) {
        for (size_t i = 0; i < 3; i++) {
            struct arena arena;
            arena_init(&arena, BUDGET_BYTES);
            struct course_findings found = year_find(&arena, NULL, 7, begins[i]);
            assert_int_equal(shifts_confirmed(&found), 0);
            assert_int_equal(found.slope_count, 1);
            assert_int_equal(found.slopes[0].end, YEAR);
            assert_number(found.slopes[0].after - found.slopes[0].before, 7, 3);
            arena_done(&arena);
        }
        struct arena arena;
        arena_init(&arena, BUDGET_BYTES);
        struct course_findings found = year_find(&arena, early, 6, 260);
        assert_int_equal(shifts_confirmed(&found), 3);
        assert_int_equal(found.slope_count, 1);
        found = year_find(&arena, early, 0, none);
        assert_int_equal(shifts_confirmed(&found), 3);
        assert_int_equal(found.slope_count, 0);
        assert_true(found.shifts[0].went_away);
        assert_false(found.shifts[found.shift_count - 1].went_away);
        found = year_find(&arena, NULL, 0, none);
        assert_int_equal(shifts_confirmed(&found), 0);
        assert_int_equal(found.slope_count, 0);
        assert_number(found.noise_ratio, .05, .02);
        arena_done(&arena);
    }
}

/* The interval of a change's size holds the true one in nineteen of twenty, in noise of either
 * kind, and is hardly wider than it must be. */
static void says_how_sure_a_size_is(void **state)
{
    (void)state;
    static const struct {
        size_t count;
        double rho;
    } kinds[] = {{40, 0}, {120, 0}, {120, .5}};
    static const double jump = 4, held_least = .88, width_most = 1.2;
    for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++) {
        size_t held = 0, told = 0, count = kinds[kind].count;
        double margins = 0, rho = kinds[kind].rho;
        state_of_draws = 77 + kind;
        for (size_t draw = 0; draw < DRAWS; draw++) {
            double values[MOST];
            struct err err = {0};
            struct course_findings found;
            scoped_arena arena;
            arena_init(&arena, BUDGET_BYTES);
            draw_noise(values, count, rho);
            for (size_t i = 0; i < count; i++)
                values[i] += 100 + (i >= count / 2 ? jump : 0);
            assert_true(course_find(values, count, &arena, &found, &err));
            for (size_t i = 0; i < found.shift_count && shifts_confirmed(&found) == 1; i++) {
                const struct course_shift *shift = &found.shifts[i];
                held +=
                    shift->confirmed && fabs(shift->after - shift->before - jump) <= shift->margin;
                margins += shift->confirmed ? shift->margin : 0;
                told += shift->confirmed;
            }
        }
        double wanted = 1.96 * sqrt(4 / (double)count * (1 + rho) / (1 - rho));
        assert_true(told >= DRAWS - 5);
        assert_true((double)held >= held_least * (double)told);
        assert_true(margins / (double)told <= width_most * wanted);
    }
}

static void a_course_of_few_or_equal_values_has_nothing(void **state)
{
    (void)state;
    static double values[100];
    struct arena arena;
    struct err err = {0};
    struct course_findings found;
    arena_init(&arena, BUDGET_BYTES);
    for (size_t i = 0; i < 100; i++)
        values[i] = 7;
    for (size_t count = 1; count <= 100; count += 11) {
        assert_true(course_find(values, count, &arena, &found, &err));
        assert_int_equal(found.shift_count + found.slope_count, 0);
    }
    arena_done(&arena);
}

enum { STEP_COUNT = 60, STEP_SERIES = 8 };

/* Noise of .3 % about 100, and 5 more from a place on. */
static void draw_step(double values[STEP_COUNT], int place)
{
    for (int i = 0; i < STEP_COUNT; i++)
        values[i] = 100 + .3 * draw_normal() + (i >= place ? 5 : 0);
}

/* One value near the step is off by 5 to the other level; beside the step it would look like it. */
static void a_stray_run_does_not_move_the_change_past_others(void **state)
{
    (void)state;
    enum { STEP = 39 };
    static const int offs[] = {-5, -4, -3, -2, 1, 2, 3, 4, 5};
    struct arena arena;
    arena_init(&arena, BUDGET_BYTES);
    state_of_draws = 11;
    for (size_t draw = 0; draw < STEP_SERIES * sizeof offs / sizeof offs[0]; draw++) {
        int off = offs[draw / STEP_SERIES];
        double values[STEP_COUNT];
        bool told = false;
        draw_step(values, STEP);
        values[STEP + off] += off < 0 ? 5 : -5;
        struct change_report report = find(&arena, values, STEP_COUNT);
        for (size_t i = 0; i < report.change_point_count; i++)
            told |= report.change_points[i].first <= STEP && report.change_points[i].last >= STEP;
        if (!told)
            fail_msg("a stray at %+d: no range holds %d", off, STEP);
    }
    arena_done(&arena);
}

/* No line, and no other change, stands for a step some values ago. */
static void a_fresh_step_is_no_drift(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, BUDGET_BYTES);
    state_of_draws = 12;
    for (int draw = 0; draw < 8 * STEP_SERIES; draw++) {
        int age = 5 + draw / STEP_SERIES;
        double values[STEP_COUNT];
        draw_step(values, STEP_COUNT - age);
        struct change_report report = find(&arena, values, STEP_COUNT);
        assert_int_equal(report.change_point_count, 1);
        const struct change_point *point = &report.change_points[0];
        assert_in_range(STEP_COUNT - age, point->first, point->last);
        if (report.drift != 0 || fabs(point->after - point->before - 5) > .7)
            fail_msg("%d values ago: %g told, drift %g", age, point->after - point->before,
                     report.drift);
    }
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_as_cheaply_as_trying_every_cut),
        cmocka_unit_test(finds_a_step_of_three_deviations),
        cmocka_unit_test(confirms_nothing_in_noise_however_it_wanders),
        cmocka_unit_test(few_runs_have_no_change_unless_it_is_large),
        cmocka_unit_test(six_runs_are_a_level_where_they_are_plain),
        cmocka_unit_test(names_a_drift_instead_of_steps),
        cmocka_unit_test(keeps_values_of_one_kind_apart_from_noise),
        cmocka_unit_test(a_single_outlier_is_no_level),
        cmocka_unit_test(says_nothing_of_a_few_values),
        cmocka_unit_test(refuses_to_pass_its_budget),
        cmocka_unit_test(a_drift_is_no_staircase),
        cmocka_unit_test(a_stray_run_does_not_move_the_change_past_others),
        cmocka_unit_test(a_fresh_step_is_no_drift),
        cmocka_unit_test(says_how_sure_a_size_is),
        cmocka_unit_test(a_course_of_few_or_equal_values_has_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
