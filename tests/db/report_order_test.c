/* Runs that were recorded in another order than captured: levels follow the ledger, and a report
 * that tells of them says so. */
#include "ops/flow/reports/reports.h"

#include "ops/present/trend_report/trend_report.h"
#include "tests/support/ledger_fixture.h"
#include "tests/support/year_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { DAYS = 40, TEXT_BYTES = 1 << 20 };

static struct scene *scene;

static int set_up(void **state)
{
    static const struct year_change change = {20, "fusion.1", 600};
    *state = scene = scene_open(0);
    for (int backwards = 0; backwards < 2; backwards++) {
        const struct year_plan plan = {.project = backwards ? "backwards" : "forwards",
                                       .workload = "w",
                                       .days = DAYS,
                                       .sd = .006,
                                       .changes = &change,
                                       .change_count = 1,
                                       .captured_before = DAYS,
                                       .taken_in_backwards = backwards,
                                       .seed = 31};
        year_append(scene->db, &scene->arena, &plan);
    }
    return 0;
}

static struct trend_report report_of(const char *project, int from, int until)
{
    return year_report(scene->db, &scene->arena,
                       &(struct year_window){project, from, until, DAYS + 1});
}

static void says_that_what_it_tells_may_be_false(void **state)
{
    (void)state;
    struct err err = {0};
    struct trend_report report = report_of("backwards", -DAYS, 1);
    assert_true(report.loss_count + report.improvement_count > 0);
    assert_int_equal(report.disorder_count, 1);
    assert_string_equal(report.disorders[0].workload, "w");
    assert_int_equal(report.disorders[0].run_count, DAYS - 1);
    assert_int_equal(report.disorders[0].of_count, DAYS);
    assert_true(report.disorders[0].told);
    assert_non_null(strstr(report.headlines.items[0], "those of 1 series were recorded in another "
                                                      "order than captured"));
    scoped_text text, csv;
    text_init(&text, TEXT_BYTES);
    text_init(&csv, TEXT_BYTES);
    assert_true(trend_report_text(&report, &(struct text_style){false, 400}, &text, &err));
    assert_true(trend_report_csv(&report, &csv, &err));
    assert_non_null(strstr(text_string(&text), "39 runs of the 40 of series s"));
    assert_non_null(strstr(text_string(&csv), "\ndisorder,told,w,"));
}

static void says_nothing_of_runs_in_their_order(void **state)
{
    (void)state;
    struct trend_report report = report_of("forwards", -DAYS, 1);
    assert_int_equal(report.loss_count, 1);
    assert_int_equal(report.disorder_count, 0);
    assert_null(strstr(report.headlines.items[0], "another order"));
}

/* Nothing is told of the old runs then. */
static void leaves_a_past_alone_of_which_nothing_is_told(void **state)
{
    (void)state;
    assert_int_equal(report_of("backwards", 0, 1).disorder_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_that_what_it_tells_may_be_false),
        cmocka_unit_test(says_nothing_of_runs_in_their_order),
        cmocka_unit_test(leaves_a_past_alone_of_which_nothing_is_told),
    };
    return cmocka_run_group_tests(tests, set_up, scene_tear_down);
}
