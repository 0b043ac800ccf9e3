/* Tests of compare/changes/placing: changes lie where they were put in, and are as large. */
#include "compare/changes/changes.h"
#include "tests/support/assert_number.h"
#include "tests/support/gate_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { COUNT = 80, BUDGET_BYTES = 64 << 20 };

/* Noise of deviation 1 about 100, and a level higher by `jump` from begin to end. */
static void bump_draw(double values[COUNT], size_t begin, size_t end, double jump, uint64_t *noise)
{
    for (size_t i = 0; i < COUNT; i++)
        values[i] = 100 + fixture_normal(noise) + (i >= begin && i < end ? jump : 0);
}

/* What is told of a change, against what was put in. */
struct placed {
    size_t told, exact, early, held;
    double size;
};

static void placed_count(struct placed *placed, const struct course_shift *shift, size_t truth)
{
    placed->told++;
    placed->exact += shift->index == truth;
    placed->early += shift->index < truth;
    placed->held += shift->first <= truth && truth <= shift->last;
    placed->size += shift->after - shift->before;
}

/* The last change of both readings; of a plain series in the form of the other. */
static void series_tell(const double *values, size_t truth, struct placed tiers[2],
                        struct placed courses[2])
{
    scoped_arena arena;
    struct change_report report;
    struct course_findings found;
    struct err err = {0};
    arena_init(&arena, BUDGET_BYTES);
    assert_true(changes_find(values, COUNT, &arena, &report, &err));
    assert_true(course_find(values, COUNT, &arena, &found, &err));
    if (report.change_point_count > 0) {
        const struct change_point *last = &report.change_points[report.change_point_count - 1];
        const struct course_shift same = {.index = (size_t)last->index,
                                          .first = (size_t)last->first,
                                          .last = (size_t)last->last,
                                          .before = last->before,
                                          .after = last->after};
        placed_count(&tiers[last->tier == CHANGE_CONFIRMED], &same, truth);
    }
    if (found.shift_count > 0) {
        const struct course_shift *last = &found.shifts[found.shift_count - 1];
        placed_count(&courses[last->confirmed], last, truth);
    }
}

/* A level that is younger than those that are looked for is not stretched back to their length.
 * What was measured on more draws stands in compare/README.md. */
static void a_young_level_begins_where_it_began(void **state)
{
    (void)state;
    enum { YOUNGEST = 2, OLDEST = 12, HISTORIES = 50 };
    static const double jump = 7;
    struct placed told[4] = {0};
    uint64_t noise = 101;
    for (size_t draw = 0; draw < HISTORIES * (OLDEST - YOUNGEST + 1); draw++) {
        double values[COUNT];
        size_t truth = COUNT - YOUNGEST - draw % (OLDEST - YOUNGEST + 1);
        bump_draw(values, truth, COUNT, jump, &noise);
        series_tell(values, truth, told, told + 2);
    }
    for (size_t i = 0; i < 4; i++) {
        double all = (double)told[i].told;
        assert_true(told[i].told > HISTORIES * 2);
        assert_true((double)told[i].exact >= .95 * all && (double)told[i].early <= .03 * all);
        assert_true((double)told[i].held >= .95 * all);
        assert_number(told[i].size / all / jump, 1, .03);
    }
}

/* Among four neighbours of three newest runs that moved most are of the level before: they are told
 * all the same, not for sure, and hardly ever where nothing moved. */
static void three_runs_tell_that_a_level_began(void **state)
{
    (void)state;
    enum { BEGAN = 3, HISTORIES = 60, FEWEST = 57, MOST_FALSE = 5 };
    static const size_t before[] = {8, 8, 30, 30};
    static const double jumps[] = {12, 0, 6, 0};
    struct err err = {0};
    uint64_t noise = 17;
    for (size_t c = 0; c < sizeof before / sizeof before[0]; c++) {
        size_t told = 0, count = before[c] + BEGAN;
        for (size_t draw = 0; draw < HISTORIES; draw++) {
            double values[COUNT];
            scoped_arena arena;
            struct course_findings found;
            arena_init(&arena, BUDGET_BYTES);
            bump_draw(values, before[c], COUNT, jumps[c], &noise);
            assert_true(course_find(values, count, &arena, &found, &err));
            for (size_t i = 0; i < found.shift_count; i++)
                told += found.shifts[i].index + 1 >= before[c] &&
                        found.shifts[i].index <= before[c] + 1;
        }
        if (jumps[c] > 0 ? told < FEWEST : told > MOST_FALSE)
            fail_msg("of %zu levels of %zu runs that moved by %g %zu are told", (size_t)HISTORIES,
                     count, jumps[c], told);
    }
}

/* Whatever is told of a level is told of one height: that of a bump is what the change up led to
 * and what the change down came from. */
static void a_bump_has_one_height(void **state)
{
    (void)state;
    enum { BEGIN = 65, END = 74, HISTORIES = 40 };
    static const double jump = 6;
    size_t sure = 0;
    struct err err = {0};
    uint64_t noise = 303;
    for (size_t draw = 0; draw < HISTORIES; draw++) {
        double values[COUNT];
        scoped_arena arena;
        struct course_findings found;
        arena_init(&arena, BUDGET_BYTES);
        bump_draw(values, BEGIN, END, jump, &noise);
        assert_true(course_find(values, COUNT, &arena, &found, &err));
        for (size_t i = 0; i + 1 < found.shift_count; i++) {
            const struct course_shift *up = &found.shifts[i], *down = up + 1;
            if (up->index != BEGIN || down->index != END)
                continue;
            sure += up->confirmed || down->confirmed;
            assert_close(up->after, down->before, 1e-9);
            assert_number(up->after - up->before, jump, 1.5);
        }
    }
    assert_true(sure >= HISTORIES / 4);
}

/* What the gate names because it is likelier than not, a trend tells as well, as not sure: 75 of
 * 100, and 1 of 100 histories that do not drift, by the gate. */
static void a_drift_of_few_runs_is_told_as_likely(void **state)
{
    (void)state;
    enum { RUNS = 14, HISTORIES = 100, FALSE_MAX = 3, FOUND_MIN = 65 };
    static const double a_run = .4;
    size_t found = 0, wrong = 0;
    struct err err = {0};
    uint64_t noise = 11;
    for (size_t draw = 0; draw < 2 * HISTORIES; draw++) {
        double values[COUNT];
        bool drifts = draw % 2 == 0;
        scoped_arena arena;
        struct course_findings told;
        arena_init(&arena, BUDGET_BYTES);
        bump_draw(values, COUNT, COUNT, 0, &noise);
        for (size_t i = 0; i < RUNS; i++)
            values[i] += drifts ? a_run * (double)i : 0;
        assert_true(course_find(values, RUNS, &arena, &told, &err));
        found += drifts && told.slope_count > 0;
        wrong += !drifts && told.slope_count > 0;
        if (drifts && told.slope_count > 0) {
            const struct course_slope *slope = &told.slopes[0];
            assert_number((slope->after - slope->before) / a_run / (RUNS - 1), 1, 1);
        }
    }
    assert_true(found >= FOUND_MIN);
    assert_true(wrong <= FALSE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_young_level_begins_where_it_began),
        cmocka_unit_test(three_runs_tell_that_a_level_began),
        cmocka_unit_test(a_bump_has_one_height),
        cmocka_unit_test(a_drift_of_few_runs_is_told_as_likely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
