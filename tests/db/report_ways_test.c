/* What changes of one course made of each other, and how the course is drawn: trends and reports
 * say the same. */
#include "ops/flow/trends/trends.h"

#include "tests/support/assert_number.h"
#include "tests/support/cluster.h"
#include "tests/support/ledger_fixture.h"
#include "tests/support/year_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct scene *scene;

static const struct year_plan plans[] = {
    {.project = "mixed",
     .workload = "two",
     .days = 120,
     .sd = .006,
     .changes = (const struct year_change[]){{40, "fusion.1", 500}, {80, "fusion.2", -490}},
     .change_count = 2,
     .seed = 13},
    {.project = "half",
     .workload = "half",
     .days = 100,
     .sd = .006,
     .changes = (const struct year_change[]){{40, "fusion.1", 600}, {70, "fusion.1", -300}},
     .change_count = 2,
     .seed = 27},
    {.project = "lost",
     .workload = "lost",
     .days = 100,
     .sd = .006,
     .changes = (const struct year_change[]){{40, "fusion.1", -800}, {70, "fusion.1", 500}},
     .change_count = 2,
     .seed = 29},
    {.project = "nearly",
     .workload = "nearly",
     .days = 100,
     .sd = .006,
     .changes = (const struct year_change[]){{40, "fusion.1", 900}, {70, "fusion.1", -760}},
     .change_count = 2,
     .seed = 35},
    {.project = "both",
     .workload = "both",
     .days = 200,
     .sd = .006,
     .changes = (const struct year_change[]){{120, "fusion.1", 500}},
     .change_count = 1,
     .drift_until = 200,
     .drift_us = 600,
     .seed = 37},
    {.project = "then",
     .workload = "then",
     .days = 220,
     .sd = .006,
     .changes = (const struct year_change[]){{100, "fusion.1", 600}},
     .change_count = 1,
     .drift_from = 100,
     .drift_until = 220,
     .drift_us = 700,
     .seed = 39},
    {.project = "still", .workload = "still", .days = 60, .sd = .006, .seed = 8},
};

static int set_up(void **state)
{
    *state = scene = scene_open(0);
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        year_append(scene->db, &scene->arena, &plans[i]);
    return 0;
}

static struct trend_report report_of(const char *project, int from, int until)
{
    return year_report(scene->db, &scene->arena,
                       &(struct year_window){project, from, until, until});
}

static struct trend trend_of(const char *project)
{
    struct err err = {0};
    struct trend trend;
    bool is_mixed = strcmp(project, "mixed") == 0;
    const struct trends_request request = {.project = project,
                                           .workload = is_mixed ? "two" : project,
                                           .branch = "main",
                                           .measure = "steady_step_median",
                                           .shown = TRENDS_RUNS};
    if (!trends_read(scene->db, &request, &scene->arena, &trend, &err))
        fail_msg("%s", err.text);
    return trend;
}

/* What a report tells of ways back is what the trend does. */
static void assert_ways_of_trend(const struct trend_report *report, const char *project)
{
    const struct report_change *told;
    struct trend trend = trend_of(project);
    size_t met = 0, i = 0;
    for (; (told = report_change_at(report, i)) != NULL; i++)
        for (size_t k = 0; k < trend.courses[0].change_count; k++) {
            const struct course_change *change = &trend.courses[0].changes[k];
            if (strcmp(change->at_profile, told->at_profile) != 0)
                continue;
            met++;
            assert_int_equal(told->went_away, change->went_away);
            assert_true(told->rest.set == change->rest.set &&
                        told->rest.value == change->rest.value);
            assert_true(told->undone.set == change->undone.set &&
                        told->undone.value == change->undone.value);
            if (told->takes_back == NULL)
                assert_null(change->takes_back);
            else
                assert_string_equal(told->takes_back, change->takes_back);
        }
    assert_true(met == i && met > 0);
}

/* What another op gains leaves the loss where it is, though the step is as long as it was. */
static void takes_back_only_what_the_same_op_does(void **state)
{
    (void)state;
    struct trend_report report = report_of("mixed", 0, 120);
    assert_int_equal(report.loss_count, 1);
    assert_int_equal(report.recovery_count, 0);
    assert_int_equal(report.improvement_count, 1);
    assert_false(report.losses[0].went_away);
    assert_false(report.improvements[0].went_away);
    assert_null(report.improvements[0].takes_back);
    assert_non_null(strstr(report.losses[0].command, "stepledger rebaseline s"));
    assert_ways_of_trend(&report, "mixed");
}

/* What became of it later is looked at before anybody is asked to revert or to keep it. */
static void advises_by_what_later_changes_left(void **state)
{
    (void)state;
    struct trend_report half = report_of("half", 0, 100), lost = report_of("lost", 0, 100);
    assert_int_equal(half.loss_count, 1);
    assert_false(half.losses[0].went_away);
    assert_number(half.losses[0].undone.value, .5, .1);
    assert_string_equal(half.losses[0].undone_by, half.improvements[0].at_profile);
    assert_non_null(strstr(half.losses[0].next, ", of which later changes up to p"));
    assert_non_null(
        strstr(half.losses[0].next, " % of it back: revert what is left of it, unless"));
    assert_memory_equal(half.losses[0].command, "stepledger trend ", 17);
    assert_non_null(strstr(half.headlines.items[1], "; later changes, the last of them p"));
    assert_int_equal(lost.improvement_count, 1);
    assert_number(lost.improvements[0].undone.value, .625, .1);
    assert_null(strstr(lost.improvements[0].next, "keep it"));
    assert_non_null(strstr(lost.improvements[0].next, " % of it back: see what lost it"));
    assert_ways_of_trend(&half, "half");
    assert_ways_of_trend(&lost, "lost");
}

/* Up to a quarter of the way may be left: that is told, by trends and by reports. */
static void tells_what_is_left_of_a_way_back(void **state)
{
    (void)state;
    struct trend_report report = report_of("nearly", 65, 85);
    assert_int_equal(report.recovery_count, 1);
    const struct report_change *back = &report.recoveries[0];
    assert_number(back->rest.value, 140, 40);
    assert_non_null(strstr(report.headlines.items[0], ": 1 nearly back on the level of before"));
    assert_non_null(strstr(report.headlines.items[1], " % above it."));
    assert_non_null(strstr(back->next, " % above the level of before p"));
    report = report_of("nearly", 0, 100);
    assert_true(report.losses[0].went_away);
    assert_true(report.losses[0].rest.value == report.recoveries[0].rest.value);
    assert_non_null(strstr(report.headlines.items[1], "; a later change took it back, up to "));
    assert_ways_of_trend(&report, "nearly");
}

/* ---- as it is drawn --------------------------------------------------------------------------
 */

/* Runs lie about the lines that are drawn, on both sides of every step. */
static void assert_drawn(const char *workload, size_t count, size_t drifting)
{
    struct trend trend = trend_of(workload);
    const struct course *course = &trend.courses[0];
    size_t at = 0;
    assert_int_equal(course->level_count, count);
    for (size_t i = 0; i < count; i++) {
        const struct course_level *level = &course->levels[i];
        double off = 0, runs = (double)level->run_count;
        drifting -= level->drift.set;
        assert_int_equal(level->drift.set, level->right > level->left);
        assert_string_equal(level->from_profile, trend.points[at].profile_id);
        for (int64_t k = 0; k < level->run_count; k++, at++)
            off += trend.points[at].value - level->left -
                   (level->right - level->left) * (double)k / (runs - 1);
        assert_string_equal(level->until_profile, trend.points[at - 1].profile_id);
        assert_number(off / runs, 0, 35); /* of steps of some 500 µs, and 600 µs of drift */
    }
    assert_int_equal(at, trend.point_count);
    assert_int_equal(drifting, 0);
}

static void draws_a_drift_with_the_steps_beside_it(void **state)
{
    (void)state;
    assert_drawn("then", 2, 1);
    assert_drawn("both", 2, 2); /* all levels share it */
}

static int value_order(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Not that of its newest runs. */
static void a_level_without_a_change_is_the_median_of_its_runs(void **state)
{
    (void)state;
    double values[TRENDS_RUNS];
    struct trend trend = trend_of("still");
    const struct course *course = &trend.courses[0];
    for (size_t i = 0; i < trend.point_count; i++)
        values[i] = trend.points[i].value;
    qsort(values, trend.point_count, sizeof *values, value_order);
    double middle = (values[(trend.point_count - 1) / 2] + values[trend.point_count / 2]) / 2;
    assert_int_equal(course->level_count, 1);
    assert_number(course->levels[0].left, middle, 1e-6);
    assert_number(course->levels[0].right, middle, 1e-6);
    assert_true(course->last_level != middle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_back_only_what_the_same_op_does),
        cmocka_unit_test(advises_by_what_later_changes_left),
        cmocka_unit_test(tells_what_is_left_of_a_way_back),
        cmocka_unit_test(draws_a_drift_with_the_steps_beside_it),
        cmocka_unit_test(a_level_without_a_change_is_the_median_of_its_runs),
    };
    return cmocka_run_group_tests(tests, set_up, scene_tear_down);
}
