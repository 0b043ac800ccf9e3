/* What a report says beside changes of level: what reported, where comparisons end, code that is
 * the same on both sides, names that were mistyped. */
#include "ops/flow/reports/reports.h"

#include "history/alert/alert.h"

#include "ops/flow/trends/trends.h"
#include "tests/support/assert_number.h"
#include "tests/support/cluster.h"
#include "tests/support/ledger_fixture.h"
#include "tests/support/year_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct scene *scene;

static const int newest_first[] = {19, 18, 17, 16, 15, 14, 13, 12, 11, 10,
                                   9,  8,  7,  6,  5,  4,  3,  2,  1,  0};

static const struct year_plan plans[] = {
    {.project = "llm", .workload = "still", .days = 80, .sd = .006, .seed = 8},
    {.project = "llm",
     .workload = "batch",
     .days = 60,
     .sd = .006,
     .changes = (const struct year_change[]){{30, "fusion.1", 3000}},
     .change_count = 1,
     .batch_from = 30,
     .seed = 9},
    {.project = "other",
     .workload = "machine",
     .days = 60,
     .sd = .006,
     .changes = (const struct year_change[]){{30, "fusion.1", 500}},
     .change_count = 1,
     .one_commit = true,
     .seed = 13},
    {.project = "bump",
     .workload = "bump",
     .days = 150,
     .sd = .006,
     .changes = (const struct year_change[]){{100, "fusion.1", 500}, {109, "fusion.1", -500}},
     .change_count = 2,
     .seed = 14},
    {.project = "hill",
     .workload = "hill",
     .days = 100,
     .sd = .006,
     .changes = (const struct year_change[]){{40, "fusion.1", 500}, {70, "fusion.1", -500}},
     .change_count = 2,
     .one_commit = true,
     .seed = 16},
    {.project = "creeping",
     .workload = "creeps",
     .days = 200,
     .sd = .006,
     .drift_until = 200,
     .drift_us = 700,
     .seed = 17},
    {.project = "mixed",
     .workload = "two",
     .days = 120,
     .sd = .006,
     .changes = (const struct year_change[]){{40, "fusion.1", 500}, {80, "fusion.2", -490}},
     .change_count = 2,
     .seed = 13},
    {.project = "late",
     .workload = "late",
     .days = 20,
     .sd = .006,
     .captured_before = 90,
     .seed = 21},
    {.project = "backwards",
     .workload = "backwards",
     .days = 20,
     .sd = .006,
     .captured_before = 20,
     .taken_in = newest_first,
     .seed = 23},
    {.project = "used",
     .workload = "used",
     .days = 60,
     .sd = .006,
     .changes = (const struct year_change[]){{40, "fusion.1", 2500}},
     .change_count = 1,
     .mfu = .4,
     .seed = 25},
    {.project = "grown",
     .workload = "grown",
     .days = 60,
     .sd = .006,
     .devices_from = 30,
     .seed = 19},
    {.project = "beside",
     .workload = "beside",
     .days = 60,
     .sd = .006,
     .changes = (const struct year_change[]){{30, "fusion.1", 500},
                                             {30, "fusion.2", 200},
                                             {30, "copy.3", 100}},
     .change_count = 3,
     .beside_us = 530,
     .seed = 15},
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

/* A workload and a series without a run of the period are none that reported. */
static void counts_the_workloads_that_reported(void **state)
{
    (void)state;
    struct trend_report report = report_of("llm", 70, 77);
    assert_int_equal(report.run_count, 7);
    assert_int_equal(report.workload_count, 2);
    assert_int_equal(report.series_count, 2);
    assert_int_equal(report.reporting_workload_count.value, 1);
    assert_int_equal(report.reporting_series_count.value, 1);
    assert_non_null(
        strstr(report.headlines.items[0], "; 7 runs of 1 workload, and none of 1 more."));
}

/* The batch that grew on day 30, in the one week in which it did. */
static void tells_once_where_comparisons_end(void **state)
{
    (void)state;
    size_t told = 0;
    for (int week = 1; week < 11; week++) {
        struct arena_mark mark = arena_mark(&scene->arena);
        struct trend_report report = report_of("llm", 7 * week, 7 * (week + 1));
        told += report.restart_count;
        assert_int_equal(report.restart_count, week == 30 / 7);
        if (report.restart_count > 0) {
            const struct report_restart *restart = &report.restarts[0];
            assert_false(report.nothing_new);
            assert_string_equal(restart->workload, "batch");
            assert_string_equal(restart->what, "batch");
            assert_string_equal(restart->why, "batch was 16, newer runs have 32");
            assert_int_equal(trends_number(restart->at_profile),
                             trends_number(restart->after_profile) + 1);
            assert_int_equal(restart->run_count, 7 * (week + 1) - 30);
            assert_number(restart->before, 10000, 100);
            assert_number(restart->change_pct.value, 30, 2);
            assert_non_null(strstr(restart->command, "stepledger compare p"));
            assert_non_null(strstr(report.headlines.items[0], "1 not compared with what was "
                                                              "before"));
            assert_non_null(strstr(report.headlines.items[1], restart->why));
        }
        arena_rewind(&scene->arena, mark);
    }
    assert_int_equal(told, 1);
}

/* No commit brought it, so none is to be reverted. */
static void asks_for_the_machine_where_the_code_is_the_same(void **state)
{
    (void)state;
    struct trend_report report = report_of("other", 0, 60);
    assert_int_equal(report.loss_count, 1);
    const struct report_change *loss = &report.losses[0];
    assert_string_equal(loss->after_commit, loss->until_commit);
    assert_null(strstr(loss->next, "revert"));
    assert_non_null(strstr(loss->next, "the same code ran on both sides: look at machine, flags "
                                       "and data"));
    assert_non_null(strstr(loss->command, "stepledger compare p"));
    assert_non_null(strstr(report.headlines.items[1], "the same code on both sides"));
}

/* Nine slow days: a loss, its end, and nothing that was gained. */
static void tells_the_end_of_a_loss_as_its_end(void **state)
{
    (void)state;
    struct trend_report whole = report_of("bump", 0, 150);
    assert_int_equal(whole.loss_count, 1);
    assert_int_equal(whole.improvement_count, 0);
    assert_int_equal(whole.recovery_count, 1);
    assert_true(whole.losses[0].went_away);
    assert_string_equal(whole.recoveries[0].takes_back, whole.losses[0].at_profile);
    assert_int_equal(whole.headlines.count, 2); /* once */
    assert_non_null(
        strstr(whole.headlines.items[0], ": 1 that came and went, 1 new series; 150 runs of "));
    assert_non_null(strstr(whole.headlines.items[1], "; a later change took it back."));
}

/* A loss of a month, told when it came and when it was over. */
static void tells_later_that_a_loss_is_over(void **state)
{
    (void)state;
    size_t losses = 0, recoveries = 0;
    for (int day = 35; day < 98; day += 7) {
        struct arena_mark mark = arena_mark(&scene->arena);
        struct trend_report report = report_of("hill", day, day + 7);
        assert_int_equal(report.improvement_count, 0);
        losses += report.loss_count;
        recoveries += report.recovery_count;
        if (report.recovery_count > 0) {
            const struct report_change *end = &report.recoveries[0];
            assert_false(report.nothing_new);
            assert_non_null(strstr(report.headlines.items[0], ": 1 back on the level of before;"));
            assert_non_null(strstr(report.headlines.items[1], "; back to the level of before p"));
            assert_memory_equal(end->next, "nothing: what came with p", 25);
            assert_null(end->command);
        }
        arena_rewind(&scene->arena, mark);
    }
    assert_int_equal(losses, 1);
    assert_int_equal(recoveries, 1);
}

/* By hand nobody was told: in the week in which it became sure; in every other one a line says that
 * it goes on. */
static void tells_a_drift_in_the_week_in_which_it_became_sure(void **state)
{
    (void)state;
    size_t told = 0, goes_on = 0;
    for (int day = 7; day < 200; day += 7) {
        struct arena_mark mark = arena_mark(&scene->arena);
        struct trend_report report = report_of("creeping", day, day + 7);
        told += report.drift_count;
        goes_on += report.drifting_count;
        assert_true(report.drift_count + report.drifting_count <= 1);
        for (size_t i = 0; i < report.drift_count; i++)
            assert_false(report.drifts[i].has_told);
        if (report.drifting_count > 0) {
            assert_true(report.nothing_new);
            assert_int_equal(report.headlines.count, 1);
            assert_false(report.drifting[0].course.set);
        }
        arena_rewind(&scene->arena, mark);
    }
    assert_int_equal(told, 1);
    assert_true(goes_on >= 12);
}

/* Eleven days without a run of a workload that has one a day. */
static void tells_what_reports_again(void **state)
{
    (void)state;
    sql_do(scene->database.admin,
           "SET session_replication_role = replica; UPDATE stepledger.origins o SET recorded_at = "
           "o.recorded_at + interval '11 days' FROM stepledger.profiles p JOIN stepledger.series s "
           "ON s.id = p.series_id WHERE o.kind = 'profile' AND o.subject_id = p.id AND "
           "s.workload = 'hill' AND o.recorded_at >= '2025-03-02'");
    struct trend_report back = report_of("hill", 67, 74), after = report_of("hill", 74, 81);
    assert_int_equal(back.return_count, 1);
    assert_false(back.nothing_new);
    assert_non_null(strstr(back.headlines.items[0], "1 reporting again"));
    assert_number(back.returns[0].silent_hours, 12 * 24, 1);
    assert_int_equal(after.return_count, 0);
}

static void says_that_a_series_is_new(void **state)
{
    (void)state;
    struct trend_report first = report_of("hill", 0, 7);
    assert_false(first.nothing_new);
    assert_non_null(strstr(first.headlines.items[0], ": 1 new series; 7 runs of 1 workload."));
}

/* The week in which a job moved to two devices, and the one in which the old series is silent: no
 * job died, and none is new. */
static void says_that_a_workload_runs_on_more_devices(void **state)
{
    (void)state;
    struct trend_report began = report_of("grown", 28, 35);
    assert_int_equal(began.newcomer_count, 1);
    assert_non_null(strstr(began.newcomers[0].other_size, " on 2 devices in place of 1"));
    assert_null(strstr(began.headlines.items[0], "new series"));
    assert_non_null(strstr(began.headlines.items[0], "1 on another number of devices"));
    struct trend_report later = report_of("grown", 35, 42);
    size_t stopped = began.quiet_count + later.quiet_count;
    const struct trend_report *teller = later.quiet_count > 0 ? &later : &began;
    assert_int_equal(stopped, 1);
    assert_non_null(strstr(teller->quiet[0].other_size, "the workload goes on as series s"));
    assert_null(strstr(teller->headlines.items[0], "stopped reporting"));
    assert_null(teller->quiet[0].command);
}

/* Captured in December, recorded in January with the newest one first: the last run is the one that
 * ran last, and one came a day. */
static void what_stopped_ran_last_when_it_was_captured(void **state)
{
    (void)state;
    struct trend_report report = report_of("backwards", 0, 30);
    assert_int_equal(report.quiet_count, 1);
    assert_memory_equal(report.quiet[0].last_utc, "2024-12-31", 10);
    assert_number(report.quiet[0].usual_hours, 24, .1);
    assert_number(report.quiet[0].silent_hours, 31 * 24, .1);
}

/* .4 of the devices in steps of 10 ms, which then take 12.5. */
static void says_how_well_devices_were_used(void **state)
{
    (void)state;
    struct trend_report report = report_of("used", 42, 49);
    assert_int_equal(report.mfu_count, 1);
    assert_string_equal(report.mfu[0].workload, "used");
    assert_number(report.mfu[0].now, .32, .01);
    assert_number(report.mfu[0].before.value, .4, .01);
    assert_int_equal(report_of("mixed", 42, 49).mfu_count, 0);
}

/* Runs of a whole spring that are taken in at once are no runs of one day. */
static void says_from_when_late_runs_are(void **state)
{
    (void)state;
    struct err err = {0};
    struct trend_report report;
    const struct report_request request = {.name = "nightly",
                                           .project = "late",
                                           .branch = "main",
                                           .measure = "steady_step_median",
                                           .since_us = YEAR_FIRST_US - YEAR_DAY_US,
                                           .until_us = YEAR_FIRST_US + 20 * YEAR_DAY_US,
                                           .made_us = YEAR_FIRST_US + 20 * YEAR_DAY_US};
    if (!report_make(scene->db, &request, &scene->arena, &report, &err))
        fail_msg("%s", err.text);
    assert_non_null(strstr(report.headlines.items[0],
                           "20 runs of 1 workload, the oldest captured on 2024-10-03 and taken "
                           "in since."));
}

/* Ops that overlap are more than the step: nothing else is left, and no time is below nothing. */
static void takes_off_what_ops_are_beyond_the_step(void **state)
{
    (void)state;
    struct trend_report report = report_of("beside", 0, 60);
    assert_int_equal(report.loss_count, 1);
    const struct report_change *loss = &report.losses[0];
    double before = 0, after = 0;
    assert_int_equal(loss->op_count, 3);
    assert_int_equal(loss->part_count, 5);
    for (size_t i = 0; i < loss->part_count; i++) {
        const struct report_part *part = &loss->parts[i];
        bool is_last = i + 1 == loss->part_count;
        assert_int_equal(strcmp(part->name, REPORT_PART_BEYOND) == 0, is_last);
        assert_true(is_last ? part->before_us <= 0 && part->after_us <= 0
                            : part->before_us >= 0 && part->after_us >= 0);
        before += part->before_us;
        after += part->after_us;
    }
    assert_number(loss->parts[4].before_us, -30, 30);
    assert_number(before, loss->before, 1e-6);
    assert_number(after, loss->after, 1e-6);
}

static void says_that_there_is_no_such_project(void **state)
{
    (void)state;
    struct err err = {0};
    struct trend_report report;
    const struct report_request request = {.project = "lmm",
                                           .measure = "steady_step_median",
                                           .since_us = YEAR_FIRST_US,
                                           .until_us = YEAR_FIRST_US + YEAR_DAY_US};
    assert_false(report_make(scene->db, &request, &scene->arena, &report, &err));
    assert_int_equal(err.kind, ERR_MISSING);
    assert_non_null(strstr(err.text, "no project 'lmm'"));
}

/* A pattern that no workload fits was mistyped; of a scheduled report it may be one to come. */
static void says_that_there_is_no_such_workload(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"batc", "project 'llm' has no workload that is 'batc'; did you mean 'batch'?"},
        {"still, ,batsh", "no workload that is 'batsh'; did you mean 'batch'?"},
        {"x*", "no workload that is 'x*' (`stepledger list workloads --project llm`)"},
    };
    struct report_request request = {.project = "llm",
                                     .measure = "steady_step_median",
                                     .since_us = YEAR_FIRST_US,
                                     .until_us = YEAR_FIRST_US + 7 * YEAR_DAY_US,
                                     .made_us = YEAR_FIRST_US + 7 * YEAR_DAY_US};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct err err = {0};
        struct trend_report report;
        request.workloads = cases[i][0];
        assert_false(report_make(scene->db, &request, &scene->arena, &report, &err));
        assert_int_equal(err.kind, ERR_MISSING);
        if (strstr(err.text, cases[i][1]) == NULL)
            fail_msg("%s", err.text);
    }
    struct err err = {0};
    struct trend_report report;
    request.name = "weekly";
    request.workloads = "still, eval-*";
    assert_true(report_make(scene->db, &request, &scene->arena, &report, &err));
    assert_int_equal(report.workload_count, 1);
    request.workloads = "eval-*";
    assert_false(report_make(scene->db, &request, &scene->arena, &report, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_the_workloads_that_reported),
        cmocka_unit_test(tells_once_where_comparisons_end),
        cmocka_unit_test(asks_for_the_machine_where_the_code_is_the_same),
        cmocka_unit_test(tells_the_end_of_a_loss_as_its_end),
        cmocka_unit_test(tells_later_that_a_loss_is_over),
        cmocka_unit_test(tells_a_drift_in_the_week_in_which_it_became_sure),
        cmocka_unit_test(says_that_a_series_is_new),
        cmocka_unit_test(says_that_a_workload_runs_on_more_devices),
        cmocka_unit_test(says_how_well_devices_were_used),
        cmocka_unit_test(says_from_when_late_runs_are),
        cmocka_unit_test(what_stopped_ran_last_when_it_was_captured),
        cmocka_unit_test(tells_what_reports_again),
        cmocka_unit_test(takes_off_what_ops_are_beyond_the_step),
        cmocka_unit_test(says_that_there_is_no_such_project),
        cmocka_unit_test(says_that_there_is_no_such_workload),
    };
    return cmocka_run_group_tests(tests, set_up, scene_tear_down);
}
