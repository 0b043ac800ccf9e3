/* A candidate is judged by the stretch of main that it stands in, as the trend has it: behind a
 * drift that ended by the level since, within the drift by its line, before it by the level of
 * then. */
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

enum { CANDIDATES = 3, CAPTURED_BEFORE = 300, WORKLOADS = 3 };

/* The op copy.3 grows. Each day is p<first_id + day>. */
static struct year_plan plans[WORKLOADS] = {
    {.workload = "until", .days = 48, .drift_until = 24, .drift_us = 500},
    {.workload = "between", .days = 96, .drift_from = 32, .drift_until = 64, .drift_us = 800},
    {.workload = "goes on", .days = 60, .drift_from = 30, .drift_until = 60, .drift_us = 500},
};
static int64_t first_id[WORKLOADS], newest_id;
static struct scene *scene;
static struct conf conf;

static int set_up(void **state)
{
    struct err err = {0};
    *state = scene = scene_open(0);
    assert_true(conf_load(&conf, &scene->arena, NULL, &err));
    for (size_t i = 0; i < WORKLOADS; i++) {
        plans[i].project = "llm";
        plans[i].sd = .002;
        plans[i].captured_before = CAPTURED_BEFORE;
        plans[i].seed = 63 + i;
        year_append(scene->db, &scene->arena, &plans[i]);
        first_id[i] = newest_id + 1;
        newest_id += plans[i].days;
    }
    return 0;
}

/* Runs of a topic, captured on these days behind main's; us: what fusion.1 takes more. */
static struct gate_outcome judged(size_t which, const int *days, double us)
{
    static uint64_t seed = 200;
    const struct year_change change = {0, "fusion.1", us};
    struct year_plan plan = plans[which];
    plan.days = CANDIDATES;
    plan.taken_in = days;
    plan.sd = .002;
    plan.changes = &change;
    plan.change_count = 1;
    plan.seed = seed++;
    return topic_judge(scene, &conf, &plan, 200, &newest_id);
}

/* The drift that the trend of main tells, days first to last. */
static void drift_told(size_t which, int *ret_first, int *ret_last)
{
    struct err err = {0};
    struct trend trend;
    const struct trends_request request = {.project = "llm",
                                           .workload = plans[which].workload,
                                           .branch = "main",
                                           .measure = "steady_step_median",
                                           .shown = TRENDS_RUNS};
    if (!trends_read(scene->db, &request, &scene->arena, &trend, &err))
        fail_msg("%s", err.text);
    const struct course *course = &trend.courses[0];
    assert_int_equal(course->drift_count, 1);
    assert_string_equal(course->drifts[0].tier, "confirmed");
    *ret_first = (int)(trends_number(course->drifts[0].from_profile) - first_id[which]);
    *ret_last = (int)(trends_number(course->drifts[0].until_profile) - first_id[which]);
}

/* Its baseline is of the days from..last, and of most of them; each other one is set aside, by a
 * drift. */
static void is_of_days(const struct gate_outcome *outcome, size_t which, int from, int last)
{
    const struct verdict_side *side = &outcome->verdict.baseline;
    const struct string_list *ids = &side->profile_ids;
    assert_true((int)ids->count > (last - from) / 2);
    assert_int_equal((int)(ids->count + side->set_aside_count), plans[which].days);
    for (size_t i = 0; i < ids->count; i++)
        assert_in_range(trends_number(ids->items[i]) - first_id[which], from, last);
    for (size_t i = 0; i < side->set_aside_count; i++) {
        int64_t day = trends_number(side->set_aside[i].profile_ids.items[0]) - first_id[which];
        if (day < from || day > last)
            assert_string_equal(side->set_aside[i].reason, "drift");
    }
}

static const char *reason_of(const struct gate_outcome *outcome, const char *code)
{
    for (size_t i = 0; i < outcome->verdict.reason_count; i++)
        if (strcmp(outcome->verdict.reasons[i].code, code) == 0)
            return outcome->verdict.reasons[i].text;
    return "";
}

/* Unchanged code is about as fast as its stretch, and passes; what takes 2.5 % longer fails. */
static void is_told_by(size_t which, const int *days, const int stretch[2], const char *said)
{
    enum { LOSS_US = 270 };
    const struct gate_outcome same = judged(which, days, 0), slower = judged(which, days, LOSS_US);
    const char *reason = reason_of(&same, "baseline_drift_apart");
    is_of_days(&same, which, stretch[0], stretch[1]);
    is_of_days(&slower, which, stretch[0], stretch[1]);
    if (strstr(reason, said) == NULL)
        fail_msg("'%s' is not in '%s'", said, reason);
    assert_int_equal(same.verdict.status, VERDICT_PASS);
    assert_true(fabs(same.verdict.statistics.estimate_pct.value) < .6);
    assert_int_equal(slower.verdict.status, VERDICT_FAIL);
    if (fabs(slower.verdict.statistics.estimate_pct.value - 2.6) > .6)
        fail_msg("%s", slower.verdict.reasons[0].text);
    assert_true(topic_is_same_again(scene, &conf, same.id) &&
                topic_is_same_again(scene, &conf, slower.id));
}

static void is_judged_by_the_level_behind_a_drift_that_ended(void **state)
{
    static const int days[] = {48, 49, 50};
    (void)state;
    int first, last;
    drift_told(0, &first, &last);
    assert_int_equal(first, 0);
    is_told_by(0, days, (int[]){last + 1, plans[0].days - 1},
               "ended before the candidate, which is compared with runs since then alone");
    const struct gate_outcome outcome = judged(0, days, 0);
    assert_string_equal(reason_of(&outcome, "baseline_drifts"), "");
}

static void is_judged_by_the_line_of_the_drift_that_it_stands_in(void **state)
{
    static const int early[] = {11, 12, 13}, middle[] = {46, 47, 48};
    (void)state;
    int first, last;
    drift_told(0, &first, &last);
    is_told_by(0, early, (int[]){first, last}, "ended behind the candidate");
    drift_told(1, &first, &last);
    is_told_by(1, middle, (int[]){first, last}, "began before the candidate");
    const struct gate_outcome outcome = judged(1, middle, 0);
    assert_non_null(strstr(reason_of(&outcome, "baseline_drifts"), "The past drifts by +0.2"));
}

static void is_judged_by_the_level_before_a_drift(void **state)
{
    static const int days[] = {14, 15, 16};
    (void)state;
    int first, last;
    drift_told(1, &first, &last);
    is_told_by(1, days, (int[]){0, first - 1}, "began behind the candidate");
}

/* A line through level and drift would lead below the drift's own. */
static void goes_on_with_a_drift_that_goes_on_from_where_it_began(void **state)
{
    static const int days[] = {60, 61, 62};
    (void)state;
    int first, last;
    plans[2].drift_until += CANDIDATES;
    plans[2].drift_us *= 33. / 30;
    drift_told(2, &first, &last);
    assert_int_equal(last, plans[2].days - 1);
    is_told_by(2, days, (int[]){first, last}, "began before the candidate");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_judged_by_the_level_behind_a_drift_that_ended),
        cmocka_unit_test(is_judged_by_the_line_of_the_drift_that_it_stands_in),
        cmocka_unit_test(is_judged_by_the_level_before_a_drift),
        cmocka_unit_test(goes_on_with_a_drift_that_goes_on_from_where_it_began),
    };
    return cmocka_run_group_tests(tests, set_up, scene_tear_down);
}
