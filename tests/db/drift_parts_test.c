/* What a change is made of where the level drifts: its ops' own steps, of which the drift is none.
 */
#include "ops/flow/trends/trends.h"

#include "tests/support/ledger_fixture.h"
#include "tests/support/year_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { DAYS = 140 };

static struct scene *scene;

/* The op copy.3 grows, fusion.1 makes the step. */
static const struct year_plan plans[] = {
    {.workload = "through",
     .changes = (const struct year_change[]){{110, "fusion.1", 600}},
     .drift_until = DAYS,
     .drift_us = 1400},
    {.workload = "fresh",
     .changes = (const struct year_change[]){{132, "fusion.1", 600}},
     .drift_until = DAYS,
     .drift_us = 1400},
    {.workload = "from it on",
     .changes = (const struct year_change[]){{70, "fusion.1", 600}},
     .drift_from = 70,
     .drift_until = DAYS,
     .drift_us = 1400},
    {.workload = "up to it",
     .changes = (const struct year_change[]){{70, "fusion.1", -600}},
     .drift_until = 70,
     .drift_us = 1400},
    {.workload = "still", .changes = (const struct year_change[]){{110, "fusion.1", 600}}},
};

static int set_up(void **state)
{
    *state = scene = scene_open(0);
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        struct year_plan plan = plans[i];
        plan.project = "llm";
        plan.days = DAYS;
        plan.sd = .004;
        plan.change_count = 1;
        plan.seed = 31 + i;
        year_append(scene->db, &scene->arena, &plan);
    }
    return 0;
}

/* The trend of the workload tells both. */
static struct report_change newest_of(const char *workload)
{
    struct err err = {0};
    struct trend trend;
    const struct trends_request request = {.project = "llm",
                                           .workload = workload,
                                           .branch = "main",
                                           .measure = "steady_step_median",
                                           .shown = TRENDS_RUNS};
    if (!trends_read(scene->db, &request, &scene->arena, &trend, &err))
        fail_msg("%s", err.text);
    assert_true(trend.has_newest);
    assert_int_equal(trend.courses[0].drift_count, strcmp(workload, "still") != 0);
    return trend.newest;
}

static void sums_up(const struct report_change *change, const struct report_part *parts,
                    size_t count)
{
    double before = 0, after = 0;
    for (size_t i = 0; i < count; i++) {
        before += parts[i].before_us;
        after += parts[i].after_us;
    }
    assert_true(fabs(before - change->before) < 1e-6 && fabs(after - change->after) < 1e-6);
}

static void names_the_op_that_stepped_and_not_the_one_that_drifts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        const struct report_change change = newest_of(plans[i].workload);
        const struct report_part *rest = &change.parts[change.part_count - 1];
        double step = plans[i].changes[0].us, left = rest->after_us - rest->before_us;
        assert_true(fabs(change.after - change.before - step) < 60);
        assert_int_equal(change.op_count, 1);
        assert_string_equal(change.ops[0].name, "fusion.1");
        assert_true(fabs(change.ops[0].delta_us - step) < 60);
        assert_true(fabs(left) < 60);
        sums_up(&change, change.parts, change.part_count);
        sums_up(&change, change.categories, change.category_count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_the_op_that_stepped_and_not_the_one_that_drifts),
    };
    return cmocka_run_group_tests(tests, set_up, scene_tear_down);
}
