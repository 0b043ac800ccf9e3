/* Main's newest runs stand on a level of their own that few show: a candidate is judged by those,
 * or by those before, as far as either is likely, and what it is against both is said. */
#include "ops/flow/judge/judge.h"
#include "ops/flow/trends/trends.h"

#include "tests/support/ledger_fixture.h"
#include "tests/support/topic_fixture.h"
#include "tests/support/year_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { CANDIDATES = 3, CAPTURED_BEFORE = 300, WORKLOADS = 3, LEVEL = 40, STEP_US = 500 };

/* So many runs of the new level: each day is p<first_id + day>. */
static const int began[WORKLOADS] = {2, 3, 5};
static const char *const workloads[WORKLOADS] = {"two", "three", "five"};
static int64_t first_id[WORKLOADS], newest_id;
static struct scene *scene;
static struct conf conf;

static struct year_plan plan_of(size_t which, const struct year_change *change)
{
    return (struct year_plan){.project = "llm",
                              .workload = workloads[which],
                              .days = LEVEL + began[which],
                              .sd = .003,
                              .changes = change,
                              .change_count = 1,
                              .captured_before = CAPTURED_BEFORE,
                              .seed = 71 + which};
}

static int set_up(void **state)
{
    static const struct year_change step = {LEVEL, "fusion.1", STEP_US};
    struct err err = {0};
    *state = scene = scene_open(0);
    assert_true(conf_load(&conf, &scene->arena, NULL, &err));
    for (size_t i = 0; i < WORKLOADS; i++) {
        const struct year_plan plan = plan_of(i, &step);
        year_append(scene->db, &scene->arena, &plan);
        first_id[i] = newest_id + 1;
        newest_id += plan.days;
    }
    return 0;
}

/* Runs of a topic behind main's; us: what fusion.1 takes more than in the old level. */
static struct verdict judged(size_t which, double us)
{
    static uint64_t seed = 300;
    const int days[CANDIDATES] = {60, 61, 62};
    const struct year_change change = {0, "fusion.1", us};
    struct year_plan plan = plan_of(which, &change);
    plan.days = CANDIDATES;
    plan.taken_in = days;
    plan.seed = seed++;
    return topic_judge(scene, &conf, &plan, 200, &newest_id).verdict;
}

static bool is_said(const struct verdict *verdict, const char *code, const char *words)
{
    for (size_t i = 0; i < verdict->reason_count; i++)
        if (strcmp(verdict->reasons[i].code, code) == 0 &&
            strstr(verdict->reasons[i].text, words) != NULL)
            return true;
    return false;
}

static bool is_near(double value, double expected)
{
    return fabs(value - expected) < .8;
}

/* Its baseline is of these days alone. */
static void is_of_days(const struct verdict *verdict, size_t which, int from, int end)
{
    const struct string_list *ids = &verdict->baseline.profile_ids;
    assert_true(ids->count > 0);
    for (size_t i = 0; i < ids->count; i++)
        assert_in_range(trends_number(ids->items[i]) - first_id[which], from, end - 1);
}

static void two_runs_leave_it_open_and_both_are_told(void **state)
{
    (void)state;
    const struct verdict same = judged(0, STEP_US), slower = judged(0, STEP_US + 400),
                         old = judged(0, 0);
    is_of_days(&same, 0, 0, LEVEL);
    assert_int_equal(same.status, VERDICT_INCONCLUSIVE);
    assert_true(is_said(&same, "baseline_newest_moved", "against them, and +"));
    assert_true(is_said(&same, "baseline_newest_moved", " runs before."));
    assert_int_equal(slower.status, VERDICT_FAIL);
    assert_int_equal(old.status, VERDICT_PASS);
    assert_false(is_said(&old, "step_median_improved", ""));
    assert_true(is_said(&old, "baseline_newest_moved", "The candidate is -"));
}

/* By the few that there are; where the level before stands is said beside it. */
static void three_runs_and_more_are_the_baseline(void **state)
{
    (void)state;
    for (size_t which = 1; which < WORKLOADS; which++) {
        int end = LEVEL + began[which];
        const struct verdict same = judged(which, STEP_US), slower = judged(which, STEP_US + 300),
                             old = judged(which, 0);
        is_of_days(&same, which, LEVEL, end);
        is_of_days(&slower, which, LEVEL, end);
        is_of_days(&old, which, LEVEL, end);
        assert_int_equal(same.status, VERDICT_PASS);
        assert_true(is_near(same.statistics.estimate_pct.value, 0));
        assert_int_equal(slower.status, VERDICT_FAIL);
        assert_true(is_near(slower.statistics.estimate_pct.value, 2.86));
        assert_true(is_near(same.statistics.level_change_pct.value, 5));
        assert_true(is_said(&same, "baseline_level_changed", "may have changed"));
        assert_true(is_said(&same, "baseline_level_changed", "against the 40 runs before."));
        assert_true(is_said(&same, "baseline_level_changed", "The candidate is +"));
        assert_true(is_near(old.statistics.estimate_pct.value, -4.76));
        assert_true(is_said(&old, "baseline_level_changed", "against the 40 runs before."));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_runs_leave_it_open_and_both_are_told),
        cmocka_unit_test(three_runs_and_more_are_the_baseline),
    };
    return cmocka_run_group_tests(tests, set_up, scene_tear_down);
}
