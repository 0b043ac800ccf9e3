/* Tests of lists of verdicts for forges and of trends as CSV and SVG: escapes, bounds, order. */
#include "ops/present/words/csv.h"
#include "ops/present/trend/trend_page.h"
#include "ops/present/verdict/verdict_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
enum { TEXT_BYTES = 4 << 20, MANY = 12 };

static struct verdict_reason reason = {"step_median_regressed", "Slower, <much> & \"long\"."};
static struct verdict_op ops[] = {
    {.name = "a:1,x%",
     .signature = "s1",
     .change = "slower",
     .delta_us = 900,
     .share_of_step = 0.1},
    {.name = "b", .signature = "s2", .change = "slower", .delta_us = 500, .share_of_step = 0.05},
    {.name = "c", .signature = "s3", .change = "faster", .delta_us = -500, .share_of_step = -0.05},
    {.name = "d", .signature = "s4", .change = "added", .delta_us = 300, .share_of_step = 0.03},
    {.name = "e", .signature = "s5", .change = "slower", .delta_us = 200, .share_of_step = 0.02},
};

static struct verdict verdict_of(enum verdict_status status)
{
    return (struct verdict){
        .schema_version = "verdict.v1",
        .status = status,
        .reasons = &reason,
        .reason_count = 1,
        .baseline = {.step_median_us = some_f64(9000)},
        .candidate = {.step_median_us = some_f64(9900)},
        .ops = ops,
        .op_count = COUNT(ops),
    };
}

static size_t occurrences(const char *text, const char *word)
{
    size_t count = 0;
    for (const char *p = strstr(text, word); p != NULL; p = strstr(p + 1, word))
        count++;
    return count;
}

static void escapes_annotations_and_names_three_ops(void **state)
{
    (void)state;
    struct verdict verdict = verdict_of(VERDICT_FAIL);
    const struct verdict_item item = {.name = "w,1:a", .verdict = &verdict};
    struct err err = {0};
    scoped_text out;
    text_init(&out, TEXT_BYTES);
    assert_true(
        verdict_list_annotations(&(struct verdict_list){.items = &item, .count = 1}, &out, &err));
    const char *text = text_string(&out);
    assert_int_equal(strncmp(text, "::error title=FAIL%3A w%2C1%3Aa::step time ", 43), 0);
    assert_non_null(strstr(text, "::error title=w%2C1%3Aa%3A a%3A1%2Cx%25::a:1,x%25 (slower)"));
    assert_int_equal(occurrences(text, "::error "), 4);
    assert_null(strstr(text, "::c ("));
    assert_null(strstr(text, "::e ("));
}

static void annotates_ten_times_at_most_and_every_workload_first(void **state)
{
    (void)state;
    struct verdict verdict = verdict_of(VERDICT_FAIL);
    struct verdict_item items[MANY];
    struct err err = {0};
    scoped_text out;
    text_init(&out, TEXT_BYTES);
    for (size_t i = 0; i < COUNT(items); i++)
        items[i] = (struct verdict_item){.name = "w", .verdict = &verdict};
    assert_true(verdict_list_annotations(&(struct verdict_list){.items = items, .count = MANY},
                                         &out, &err));
    assert_int_equal(occurrences(text_string(&out), "::error "), 10);
    assert_int_equal(occurrences(text_string(&out), "title=FAIL"), 10);
}

static void is_quiet_about_an_accepted_fail(void **state)
{
    (void)state;
    struct verdict verdict = verdict_of(VERDICT_FAIL);
    const struct verdict_item item = {.name = "w", .verdict = &verdict, .accepted = "agreed"};
    const struct verdict_list list = {.items = &item, .count = 1};
    struct err err = {0};
    scoped_text out, xml;
    text_init(&out, TEXT_BYTES);
    text_init(&xml, TEXT_BYTES);
    assert_true(verdict_list_annotations(&list, &out, &err));
    assert_int_equal(occurrences(text_string(&out), "::error "), 0);
    assert_non_null(strstr(text_string(&out), "::notice title=FAIL (accepted)"));
    assert_true(verdict_list_junit(&list, &xml, &err));
    assert_non_null(strstr(text_string(&xml), "failures=\"0\""));
    assert_non_null(strstr(text_string(&xml), "Accepted: agreed"));
}

static void warns_of_a_limit_that_was_held_against_nothing(void **state)
{
    (void)state;
    struct verdict_reason untold = {"measure_not_judged", "hbm_peak is not judged."};
    const struct verdict verdict = {.status = VERDICT_PASS, .reasons = &untold, .reason_count = 1};
    const struct verdict_item item = {.name = "w", .verdict = &verdict};
    struct err err = {0};
    scoped_text out;
    text_init(&out, TEXT_BYTES);
    assert_true(verdict_list_annotations(&(struct verdict_list){&item, 1, NULL}, &out, &err));
    assert_non_null(
        strstr(text_string(&out), "::warning title=PASS%3A w::hbm_peak is not judged."));
}

static void says_first_that_a_change_was_accepted(void **state)
{
    (void)state;
    static const char line[] = "Accepted, and no longer in the way: agreed";
    for (enum verdict_status status = 0; status < VERDICT_STATUS_COUNT; status++) {
        struct verdict verdict = verdict_of(status);
        const struct verdict_item item = {.name = "w", .verdict = &verdict, .accepted = "agreed"};
        const struct verdict_list list = {.items = &item, .count = 1};
        struct err err = {0};
        scoped_text out, markdown;
        text_init(&out, TEXT_BYTES);
        text_init(&markdown, TEXT_BYTES);
        assert_true(verdict_list_text(&list, &(struct text_style){false, 80}, &out, &err));
        assert_true(verdict_list_markdown(&list, true, &markdown, &err));
        bool first = strncmp(text_string(&out), line, sizeof line - 1) == 0;
        assert_int_equal(first, status != VERDICT_PASS); /* a pass needs nobody */
        assert_int_equal(strstr(text_string(&markdown), line) != NULL, first);
    }
}

static void counts_and_escapes_in_junit(void **state)
{
    (void)state;
    struct verdict fail = verdict_of(VERDICT_FAIL), pass = verdict_of(VERDICT_PASS);
    struct verdict unsure = verdict_of(VERDICT_INCONCLUSIVE);
    const struct verdict_item items[] = {{.name = "a<b\x01&", .verdict = &fail},
                                         {.name = "p", .verdict = &pass},
                                         {.name = "u", .verdict = &unsure},
                                         {.name = "e", .failure = "no \"baseline\""}};
    struct err err = {0};
    scoped_text out;
    text_init(&out, TEXT_BYTES);
    assert_true(verdict_list_junit(&(struct verdict_list){.items = items, .count = COUNT(items)},
                                   &out, &err));
    const char *text = text_string(&out);
    assert_non_null(strstr(text, "tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\""));
    assert_non_null(strstr(text, "name=\"a&lt;b\xef\xbf\xbd&amp;\""));
    assert_non_null(strstr(text, "message=\"no &quot;baseline&quot;\">ERROR: no &quot;baseline"));
    assert_null(strstr(text, "<much>"));
}

/* ---- trends ---------------------------------------------------------------------------------- */

static struct trend_point points[] = {
    {.profile_id = "p1",
     .run = "r1",
     .series = "s1",
     .ran_at_utc = "2026-01-01T00:00:00Z",
     .captured = true,
     .order.ran_us = INT64_C(1767225600000000) + 0 * INT64_C(86400000000),
     .recorded_at_utc = "2026-01-01T00:00:00Z",
     .value = 1000},
    {.profile_id = "p2",
     .run = "=cmd()",
     .series = "s1",
     .commit = "a,\"b\"",
     .ran_at_utc = "2026-01-02T00:00:00Z",
     .captured = true,
     .order.ran_us = INT64_C(1767225600000000) + 1 * INT64_C(86400000000),
     .recorded_at_utc = "2026-01-02T00:00:00Z",
     .value = 1010,
     .verdict = "fail",
     .verdict_id = "v1"},
    {.profile_id = "p3",
     .run = "r3",
     .series = "s1",
     .ran_at_utc = "2026-01-03T00:00:00Z",
     .captured = true,
     .order.ran_us = INT64_C(1767225600000000) + 2 * INT64_C(86400000000),
     .recorded_at_utc = "2026-01-03T00:00:00Z",
     .value = 1500,
     .rebaseline = "r1",
     .verdict = "fail",
     .verdict_id = "v2",
     .accepted = true},
    {.profile_id = "p4",
     .run = "<r4>",
     .series = "s2",
     .ran_at_utc = "2026-01-04T00:00:00Z",
     .captured = true,
     .order.ran_us = INT64_C(1767225600000000) + 3 * INT64_C(86400000000),
     .recorded_at_utc = "2026-01-04T00:00:00Z",
     .value = 1400},
};
static const struct trend trend = {.schema_version = "trend.v1",
                                   .project = "p",
                                   .workload = "w",
                                   .measure = "step_median",
                                   .unit = "us",
                                   .points = points,
                                   .point_count = COUNT(points)};

static void begins_levels_at_rebaselines_change_points_and_other_series(void **state)
{
    (void)state;
    static const char *const starts[] = {NULL, "k7", "r1", "s2"};
    struct trend_point changed[COUNT(points)];
    struct trend shown = trend;
    memcpy(changed, points, sizeof changed);
    changed[1].change_point = changed[2].change_point = "k7";
    shown.points = changed;
    assert_null(trend_level_start(&trend, 1));
    for (size_t i = 0; i < COUNT(starts); i++) {
        const char *start = trend_level_start(&shown, i);
        assert_int_equal(start == NULL, starts[i] == NULL);
        if (start != NULL)
            assert_string_equal(start, starts[i]);
    }
}

static void writes_csv_that_no_spreadsheet_runs(void **state)
{
    (void)state;
    struct err err = {0};
    scoped_text out;
    text_init(&out, TEXT_BYTES);
    assert_true(trend_csv(&trend, &out, &err));
    assert_non_null(strstr(text_string(&out), "\r\n2026-01-02T00:00:00Z,p2,\"'=cmd()\",s1,,"
                                              "\"a,\"\"b\"\"\",step_median,us,1010.0,fail,v1,no,"));
    assert_int_equal(occurrences(text_string(&out), "\r\n"), COUNT(points));
}

static void lets_no_name_be_a_formula(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"main", "main"},
        {"=1+1", "\"'=1+1\""},
        {"@SUM(A1)", "\"'@SUM(A1)\""},
        {"-2+3", "\"'-2+3\""},
        {"+cmd|' /C calc'!A0", "\"'+cmd|' /C calc'!A0\""},
        {"\t=1", "\"' =1\""},
        {"\r\n@x", "\"'  @x\""},
        {"\"=1", "\"'\"\"=1\""},
        {"＝1", "\"'＝1\""},
        {"a;=1", "\"a;'=1\""},
        {"a; \"-x", "\"a;' \"\"-x\""},
        {"a=b;c", "\"a=b;c\""},
        {"-12.5e3", "-12.5e3"},
        {"+7", "+7"},
        {"-inf", "\"'-inf\""},
        {"a\nb\033[2J", "a b\xef\xbf\xbd[2J"},
        {"::error::x", "\\::error::x"},
        {NULL, ""}, /* a field that is not known */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        scoped_text out;
        text_init(&out, TEXT_BYTES);
        csv_field_add(cases[i][0], &out);
        assert_string_equal(text_string(&out), cases[i][1]);
    }
}

static void draws_a_mark_per_run_and_a_line_where_nothing_is_compared_across(void **state)
{
    (void)state;
    struct err err = {0};
    scoped_text out;
    text_init(&out, TEXT_BYTES);
    assert_true(trend_svg(&trend, &out, &err));
    const char *text = text_string(&out);
    assert_int_equal(occurrences(text, "<path class=\"bar\""), 2 + 1); /* and its legend */
    assert_int_equal(occurrences(text, "<path class=\"bad\""), 1 + 1);
    assert_int_equal(occurrences(text, "<path class=\"good\""), 1 + 1);
    assert_int_equal(occurrences(text, "<line class=\"good dash\""), 1 + 1);
    assert_int_equal(occurrences(text, "<line class=\"other dash\""), 1 + 1);
    assert_non_null(strstr(text, "<title>=cmd(): 1.010 ms, fail; 2026-01-02, commit a,&quot;b"));
    assert_non_null(strstr(text, "&lt;r4&gt;"));
    assert_null(strstr(text, "<r4>"));
    assert_null(strstr(text, "nan"));
}

static struct course_change moves[] = {
    {.tier = "confirmed",
     .at_profile = "p3",
     .at_utc = "2026-01-03T00:00:00Z",
     .after_profile = "p1",
     .after_commit = "aaaaaaaaaaaaaaaa",
     .until_profile = "p3",
     .before = 1000,
     .after = 1450.5,
     .change_pct = {true, 45.05},
     .loss = true,
     .matters = true,
     .entry = "k5",
     .status = "candidate"},
    {.tier = "suspected",
     .at_profile = "p2",
     .at_utc = "2026-01-02T00:00:00Z",
     .after_profile = "p1",
     .until_profile = "p2",
     .matters = true},
    {.tier = "confirmed",
     .at_profile = "p2",
     .at_utc = "2026-01-02T00:00:00Z",
     .after_profile = "p1",
     .until_profile = "p2",
     .change_pct = {true, .2}},
};
static struct course_drift slow = {.tier = "confirmed",
                                   .from_profile = "p1",
                                   .from_utc = "2026-01-01T00:00:00Z",
                                   .until_profile = "p4",
                                   .until_utc = "2026-04-01T00:00:00Z",
                                   .before = 1000,
                                   .after = 1060,
                                   .change_pct = {true, 6},
                                   .month_pct = {true, 2},
                                   .loss = true,
                                   .matters = true};
static struct course_level line = {.from_profile = "p1",
                                   .until_profile = "p4",
                                   .run_count = 4,
                                   .left = 1000,
                                   .right = 1060,
                                   .drift = {true, 0}};
static struct course_value shape[] = {{1000}, {1450}};
static struct course course = {.workload = "w",
                               .measure = "step_median",
                               .unit = "us",
                               .op = "sig",
                               .op_name = "<op|1>",
                               .series = "s1",
                               .run_count = 4,
                               .first_utc = "2026-01-01T00:00:00Z",
                               .last_utc = "2026-04-01T00:00:00Z",
                               .first_profile = "p1",
                               .last_profile = "p4",
                               .first_level = 1000,
                               .last_level = 1450.5,
                               .change_pct = {true, 45.05},
                               .noise = "noisy",
                               .noise_pct = {true, 7.25},
                               .changes = moves,
                               .change_count = COUNT(moves),
                               .drifts = &slow,
                               .drift_count = 1,
                               .levels = &line,
                               .level_count = 1,
                               .shape = shape,
                               .shape_count = COUNT(shape)};

static struct trend trend_of_courses(bool is_grouped)
{
    struct trend shown = trend;
    shown.courses = &course;
    shown.course_count = 1;
    shown.grouped_by = is_grouped ? "op" : NULL;
    shown.point_count = is_grouped ? 0 : COUNT(points);
    return shown;
}

static void tells_what_moved_alike_in_every_form(void **state)
{
    (void)state;
    static const char change[] = "+45.0 %: 1.000 ms -> 1.450 ms, behind aaaaaaaaaaaa (p1), at the "
                                 "latest with p3, 2026-01-03; k5, candidate";
    static const char drift[] = "+6.0 %: 1.000 ms -> 1.060 ms, slowly from 2026-01-01 to "
                                "2026-04-01 (p1..p4), +2.0 % a month";
    static const struct text_style plain = {false, 0};
    struct err err = {0};
    for (int grouped = 0; grouped < 2; grouped++) {
        struct trend shown = trend_of_courses(grouped);
        for (int form = 0; form < 3; form++) {
            scoped_text out;
            text_init(&out, TEXT_BYTES);
            assert_true(form == 0   ? trend_text(&shown, &plain, &out, &err)
                        : form == 1 ? trend_markdown(&shown, &out, &err)
                                    : trend_html(&shown, &out, &err));
            const char *text = text_string(&out);
            if (form == 0) {
                assert_non_null(strstr(text, change));
                assert_non_null(strstr(text, drift));
            }
            assert_non_null(strstr(text, "1.060 ms, slowly from 2026-01-01"));
            assert_non_null(strstr(text, "2026-01-03; k5, candidate"));
            assert_null(strstr(text, "+0.2 %"));
            assert_null(strstr(text, "<op|1>") != NULL && form == 2 ? text : NULL);
            if (!grouped)
                assert_non_null(strstr(text, "1 more change suspected only"));
            assert_int_equal(strstr(text, "each op is judged by its own noise") != NULL, grouped);
        }
    }
}

static void tells_what_is_suspected_before_that_nothing_is_sure(void **state)
{
    (void)state;
    static const struct text_style plain = {false, 0};
    struct err err = {0};
    struct trend shown = trend_of_courses(false);
    struct course_change change = moves[0];
    struct course still = course;
    scoped_text out;
    text_init(&out, TEXT_BYTES);
    change.tier = "suspected";
    still.changes = &change;
    still.change_count = 1;
    still.drift_count = 0;
    shown.courses = &still;
    assert_true(trend_text(&shown, &plain, &out, &err));
    assert_non_null(strstr(text_string(&out), "1 change suspected, none for sure, in 4 runs"));
    assert_non_null(strstr(text_string(&out), ", behind "));
    assert_non_null(strstr(text_string(&out), "1 change suspected only"));
    change.matters = false;
    out.length = 0;
    assert_true(trend_text(&shown, &plain, &out, &err));
    assert_non_null(strstr(text_string(&out), "nothing that matters moved for sure in 4 runs"));
}

static void draws_what_moved_as_bands_and_lines(void **state)
{
    (void)state;
    struct err err = {0};
    struct trend shown = trend_of_courses(false);
    scoped_text out, none;
    text_init(&out, TEXT_BYTES);
    text_init(&none, TEXT_BYTES);
    assert_true(trend_svg(&shown, &out, &err));
    const char *text = text_string(&out);
    assert_int_equal(occurrences(text, "<rect class=\"bad faint\""), 1 + 1);
    assert_int_equal(occurrences(text, "<rect class=\"soft half faint\""), 1);
    assert_int_equal(occurrences(text, "<line class=\"bad thick dash\""), 1);
    assert_non_null(strstr(text, ">+45.0 %</text>"));
    assert_non_null(strstr(text, ", slow drift +6.0 %</text>"));
    shown = trend_of_courses(true);
    assert_false(trend_svg(&shown, &none, &err));
    assert_int_equal(err.kind, ERR_USAGE);
}

static void writes_courses_changes_and_drifts_as_csv(void **state)
{
    (void)state;
    struct err err = {0};
    struct trend shown = trend_of_courses(true);
    scoped_text out;
    text_init(&out, TEXT_BYTES);
    assert_true(trend_csv(&shown, &out, &err));
    const char *text = text_string(&out);
    assert_int_equal(occurrences(text, "\r\n"), 2 + COUNT(moves));
    assert_non_null(strstr(text, "\r\nchange,w,,step_median,us,sig,<op|1>,s1,,4,confirmed,p1,p3,"
                                 "aaaaaaaaaaaaaaaa,,1000.0,1450.5,45.05,yes,yes,k5,noisy,7.25"));
    assert_non_null(strstr(text,
                           "\r\ndrift,w,,step_median,us,sig,<op|1>,s1,,4,confirmed,p1,p4,,,1000.0,"
                           "1060.0,6.0,yes,yes,,noisy,7.25"));
}

static void draws_a_single_point_and_equal_values(void **state)
{
    (void)state;
    struct trend one = trend;
    struct err err = {0};
    for (one.point_count = 1; one.point_count < 3; one.point_count++) {
        scoped_text out;
        text_init(&out, TEXT_BYTES);
        points[1].value = points[0].value;
        assert_true(trend_svg(&one, &out, &err));
        assert_null(strstr(text_string(&out), "nan"));
        assert_null(strstr(text_string(&out), "inf"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes_annotations_and_names_three_ops),
        cmocka_unit_test(annotates_ten_times_at_most_and_every_workload_first),
        cmocka_unit_test(is_quiet_about_an_accepted_fail),
        cmocka_unit_test(warns_of_a_limit_that_was_held_against_nothing),
        cmocka_unit_test(says_first_that_a_change_was_accepted),
        cmocka_unit_test(counts_and_escapes_in_junit),
        cmocka_unit_test(begins_levels_at_rebaselines_change_points_and_other_series),
        cmocka_unit_test(writes_csv_that_no_spreadsheet_runs),
        cmocka_unit_test(lets_no_name_be_a_formula),
        cmocka_unit_test(draws_a_mark_per_run_and_a_line_where_nothing_is_compared_across),
        cmocka_unit_test(draws_a_single_point_and_equal_values),
        cmocka_unit_test(tells_what_moved_alike_in_every_form),
        cmocka_unit_test(tells_what_is_suspected_before_that_nothing_is_sure),
        cmocka_unit_test(draws_what_moved_as_bands_and_lines),
        cmocka_unit_test(writes_courses_changes_and_drifts_as_csv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
