/* Tests of the pages of trends: a row for each course says what its document says, in every
 * format. */
#include "ops/present/trend/trend_page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT_BYTES = 1 << 20 };

static struct course course_of(const char *op, double first, double last)
{
    return (struct course){.workload = "w",
                           .measure = "op_time",
                           .unit = "us",
                           .op = op,
                           .op_name = op,
                           .series = "s1",
                           .run_count = 60,
                           .first_utc = "2026-06-15T00:00:00.000000Z",
                           .last_utc = "2026-08-14T00:00:00.000000Z",
                           .first_profile = "p1",
                           .last_profile = "p60",
                           .first_level = first,
                           .last_level = last,
                           .change_pct = {true, 100 * (last - first) / first},
                           .matters_from = 200,
                           .noise = "unknown"};
}

static struct course_change change_of(double before, double after, bool matters)
{
    return (struct course_change){.tier = "confirmed",
                                  .at_profile = "p30",
                                  .at_utc = "2026-07-15T00:00:00.000000Z",
                                  .after_profile = "p29",
                                  .until_profile = "p30",
                                  .before = before,
                                  .after = after,
                                  .change_pct = {true, 100 * (after - before) / before},
                                  .confidence = 1,
                                  .loss = true,
                                  .matters = matters,
                                  .runs_since = 30};
}

struct printed {
    struct text text, md, html, csv;
};

static void print_all(const struct trend *trend, struct printed *out)
{
    struct err err = {0};
    text_init(&out->text, TEXT_BYTES);
    text_init(&out->md, TEXT_BYTES);
    text_init(&out->html, TEXT_BYTES);
    text_init(&out->csv, TEXT_BYTES);
    if (!trend_text(trend, &(struct text_style){false, 400}, &out->text, &err) ||
        !trend_markdown(trend, &out->md, &err) || !trend_html(trend, &out->html, &err) ||
        !trend_csv(trend, &out->csv, &err))
        fail_msg("%s", err.text);
}

static void printed_done(struct printed *out)
{
    text_done(&out->text);
    text_done(&out->md);
    text_done(&out->html);
    text_done(&out->csv);
}

/* In those that people read. */
static void assert_pages_say(struct printed *out, const char *words)
{
    struct text *const pages[] = {&out->text, &out->md, &out->html};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (strstr(text_string(pages[i]), words) == NULL)
            fail_msg("no '%s' in\n%s", words, text_string(pages[i]));
}

static void tells_what_is_too_small_and_from_where_on_it_matters(void **state)
{
    (void)state;
    struct course_change small = change_of(1000, 1160, false), large = change_of(6000, 6600, true);
    struct course_drift drift = {.tier = "confirmed",
                                 .from_profile = "p1",
                                 .from_utc = "2026-06-15T00:00:00.000000Z",
                                 .until_profile = "p60",
                                 .until_utc = "2026-08-14T00:00:00.000000Z",
                                 .before = 1500,
                                 .after = 1545,
                                 .change_pct = {true, 3},
                                 .loss = true};
    struct course courses[] = {course_of("large", 6000, 6600), course_of("small", 1000, 1160),
                               course_of("slow", 1500, 1545), course_of("still", 9000, 9123)};
    courses[0].changes = &large;
    courses[1].changes = &small;
    courses[0].change_count = courses[1].change_count = 1;
    courses[2].drifts = &drift;
    courses[2].drift_count = 1;
    struct trend trend = {.schema_version = "trend.v1",
                          .project = "p",
                          .workload = "w",
                          .measure = "op_time",
                          .unit = "us",
                          .grouped_by = "op",
                          .courses = courses,
                          .course_count = 4};
    struct printed out;
    print_all(&trend, &out);
    assert_pages_say(&out, "1 of 4 courses of p/w by op moved enough to matter");
    assert_pages_say(&out, "+16.0 %");
    assert_pages_say(&out, "+3.0 %");
    assert_pages_say(&out, "moved by: what it is more than that of the first 7");
    assert_pages_say(&out, "1 small");
    assert_pages_say(&out,
                     "1 more change and 1 drift too small to matter: less than 1 % of the op or "
                     "0.2 % of the time of all ops (small in the table; the JSON and CSV forms");
    assert_null(strstr(text_string(&out.text), "+1.4 %")); /* of the one that did not move */
    assert_non_null(
        strstr(text_string(&out.csv), "confirmed,p29,p30,,,1000.0,1160.0,16.0,yes,no,"));
    assert_non_null(strstr(text_string(&out.csv), ",200.0,,,\r\n")); /* the floor, in its unit */
    printed_done(&out);

    trend.courses = courses + 1; /* the large one is gone */
    trend.course_count = 3;
    print_all(&trend, &out);
    assert_pages_say(&out, "0 of 3 courses of p/w by op moved enough to matter");
    assert_pages_say(&out, "1 change and 1 drift too small to matter");
    assert_pages_say(&out, "+16.0 %");
    printed_done(&out);
}

static void tells_a_share_in_points(void **state)
{
    (void)state;
    struct course_change small = change_of(.060, .056, false);
    struct course course = course_of(NULL, .060, .056);
    course.measure = "exposed_communication_share";
    course.unit = "share";
    course.changes = &small;
    course.change_count = 1;
    const struct trend trend = {.schema_version = "trend.v1",
                                .project = "p",
                                .workload = "w",
                                .grouped_by = "measure",
                                .courses = &course,
                                .course_count = 1};
    struct printed out;
    print_all(&trend, &out);
    assert_pages_say(&out, "-0.4 pp");
    assert_pages_say(&out, "1 change too small to matter: less than 1 %, of a share 1 percentage "
                           "point (small in the table");
    printed_done(&out);
}

/* A way back may leave a quarter of it: what is left beyond the level's doubt is told. */
static void tells_how_far_from_the_level_of_before(void **state)
{
    (void)state;
    struct course_change changes[] = {change_of(1000, 1100, true), change_of(1100, 1012, true)};
    struct course course = course_of(NULL, 1000, 1012);
    changes[0].went_away = true;
    changes[1].at_profile = changes[1].until_profile = "p58";
    changes[1].after_profile = "p57";
    changes[1].takes_back = changes[0].at_profile;
    changes[0].rest = changes[1].rest = some_f64(12);
    course.changes = changes;
    course.change_count = 2;
    const struct trend trend = {.schema_version = "trend.v1",
                                .project = "p",
                                .workload = "w",
                                .grouped_by = "measure",
                                .courses = &course,
                                .course_count = 1};
    struct printed out;
    print_all(&trend, &out);
    assert_pages_say(&out, "back to the level of before p30, 1.2 % above it");
    assert_pages_say(&out, "a later change took it back, up to 1.2 % above the level of before");
    printed_done(&out);
    changes[1].rest.set = false; /* within its doubt */
    changes[1].takes_back = NULL;
    changes[1].undone = some_f64(.5);
    changes[1].undone_by = "p59";
    print_all(&trend, &out);
    assert_pages_say(&out, "; later changes, the last of them p59, took 50 % of it back");
    assert_non_null(strstr(text_string(&out.csv), ",matters_from,rest,undone,undone_by\r\n"));
    assert_non_null(strstr(text_string(&out.csv), ",12.0,,\r\n"));
    assert_non_null(strstr(text_string(&out.csv), ",,0.5,p59"));
    printed_done(&out);
    print_all(&trend, &out);
    assert_null(strstr(text_string(&out.text), "above it"));
    printed_done(&out);
}

/* Beside what moved for sure what is suspected is told with place and size; in CSV the run with
 * which either begins has it. */
static void tells_each_change_where_it_is(void **state)
{
    (void)state;
    struct course_change changes[] = {change_of(1000, 1100, true), change_of(1100, 1210, true)};
    changes[1].tier = "suspected";
    changes[1].at_profile = "p58";
    changes[1].after_profile = "p57";
    changes[1].until_profile = "p59";
    struct course_drift drift = {.tier = "confirmed",
                                 .from_profile = "p1",
                                 .from_utc = "2026-06-15T00:00:00.000000Z",
                                 .until_profile = "p29",
                                 .until_utc = "2026-07-14T00:00:00.000000Z",
                                 .before = 900,
                                 .after = 990,
                                 .change_pct = {true, 10},
                                 .matters = true,
                                 .loss = true};
    struct course course = course_of(NULL, 1000, 1210);
    course.changes = changes;
    course.change_count = 2;
    course.drifts = &drift;
    course.drift_count = 1;
    static const char *const runs[] = {"p1", "p30", "p58", "p60"};
    struct trend_point points[4];
    for (size_t i = 0; i < 4; i++)
        points[i] = (struct trend_point){.profile_id = runs[i],
                                         .run = "r",
                                         .series = "s1",
                                         .branch = "main",
                                         .value = 1000,
                                         .recorded_at_utc = "2026-07-14T00:00:00.000000Z",
                                         .ran_at_utc = "2026-07-14T00:00:00.000000Z"};
    const struct trend trend = {.schema_version = "trend.v1",
                                .project = "p",
                                .workload = "w",
                                .measure = "steady_step_median",
                                .unit = "us",
                                .points = points,
                                .point_count = 4,
                                .courses = &course,
                                .course_count = 1};
    struct printed out;
    print_all(&trend, &out);
    assert_pages_say(&out, "behind p57, at the latest with p59");
    struct trend grouped = trend; /* as in a table of many */
    grouped.grouped_by = "workload", grouped.point_count = 0;
    struct printed table;
    print_all(&grouped, &table);
    assert_pages_say(&table, "suspected: +10.0 %: 1.1");
    assert_pages_say(&table, "behind p57, at the latest with p59");
    printed_done(&table);
    assert_non_null(strstr(text_string(&out.csv), ",change,change_before,change_after,change_pct,"
                                                  "drift,drift_pct,drift_until\r\n"));
    assert_non_null(strstr(text_string(&out.csv), ",,,,,confirmed,10.0,p29\r\n"));
    assert_non_null(strstr(text_string(&out.csv), ",confirmed,1000.0,1100.0,10.0,,,\r\n"));
    assert_non_null(strstr(text_string(&out.csv), ",suspected,1100.0,1210.0,10.0,,,\r\n"));
    printed_done(&out);
}

/* What rounds to nothing has no sign. */
static void tells_no_share_below_zero_that_is_none(void **state)
{
    (void)state;
    struct report_op op = {.name = "fusion.1",
                           .before_us = 100,
                           .after_us = 99.8,
                           .delta_us = -.2,
                           .share_pct = {true, -.2}};
    struct report_part part = {"fusion.1", 100, 99.8};
    struct course course = course_of(NULL, 1000, 1100);
    struct trend_point point = {.profile_id = "p1",
                                .run = "r",
                                .series = "s1",
                                .value = 1000,
                                .recorded_at_utc = "2026-07-14T00:00:00.000000Z",
                                .ran_at_utc = "2026-07-14T00:00:00.000000Z"};
    const struct trend trend = {.schema_version = "trend.v1",
                                .project = "p",
                                .workload = "w",
                                .measure = "steady_step_median",
                                .unit = "us",
                                .points = &point,
                                .point_count = 1,
                                .courses = &course,
                                .course_count = 1,
                                .has_newest = true,
                                .newest = {.workload = "w",
                                           .series = "s1",
                                           .measure = "steady_step_median",
                                           .unit = "us",
                                           .tier = "confirmed",
                                           .at_profile = "p1",
                                           .at_utc = "2026-07-14T00:00:00.000000Z",
                                           .after_profile = "p1",
                                           .until_profile = "p1",
                                           .before = 1000,
                                           .after = 1100,
                                           .ops = &op,
                                           .op_count = 1,
                                           .parts = &part,
                                           .part_count = 1}};
    struct printed out;
    print_all(&trend, &out);
    assert_pages_say(&out, "fusion.1");
    assert_null(strstr(text_string(&out.text), "-0 %"));
    printed_done(&out);
}

/* Where words of a level stand that is drawn. */
struct words_box {
    double left, right, top, bottom;
};

/* On a telephone, too: the number of a level stands beside its runs. */
static void hides_no_run_behind_the_number_of_a_level(void **state)
{
    (void)state;
    enum { RUNS = 24, HIGH = 9, WIDE = 6 /* of a letter, on the small side */ };
    static const double widths[] = {CANVAS_NARROW, 400, CANVAS_WIDE};
    static const char mark[] = "<text class=\"ink strong halo\" x=\"", dot[] = " d=\"M";
    struct trend_point points[RUNS];
    struct course_level level = {.from_profile = "p0",
                                 .until_profile = "p23",
                                 .run_count = RUNS,
                                 .left = 1000,
                                 .right = 1000};
    struct course course = course_of(NULL, 1000, 1000);
    static char names[RUNS][8];
    for (size_t i = 0; i < RUNS; i++) {
        (void)snprintf(names[i], sizeof names[i], "p%zu", i);
        points[i] = (struct trend_point){.profile_id = names[i],
                                         .run = "r",
                                         .series = "s1",
                                         .value = 1000 + (i % 3 == 0   ? .07
                                                          : i % 3 == 1 ? -.05
                                                                       : 1),
                                         .recorded_at_utc = "2026-07-14T00:00:00.000000Z",
                                         .ran_at_utc = "2026-07-14T00:00:00.000000Z"};
    }
    course.levels = &level;
    course.level_count = 1;
    const struct trend trend = {.project = "p",
                                .workload = "w",
                                .measure = "steady_step_median",
                                .unit = "us",
                                .points = points,
                                .point_count = RUNS,
                                .courses = &course,
                                .course_count = 1};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        scoped_arena arena;
        scoped_text svg;
        size_t dots = 0;
        arena_init(&arena, TEXT_BYTES);
        text_init(&svg, TEXT_BYTES);
        const struct drawing drawing = trend_drawing(&trend, &arena);
        picture_svg(&drawing, widths[i], true, &arena, &svg);
        const char *at = strstr(text_string(&svg), mark);
        assert_non_null(at);
        double x = strtod(at + sizeof mark - 1, NULL), y = strtod(strstr(at, " y=\"") + 4, NULL);
        const char *words = strchr(at, '>') + 1;
        double length = (double)(strchr(words, '<') - words);
        const struct words_box box = {x - WIDE * length, x, y - HIGH, y};
        for (const char *one = text_string(&svg); (one = strstr(one, dot)) != NULL; one++, dots++) {
            char *end;
            double left = strtod(one + sizeof dot - 1, &end), middle = strtod(end, NULL);
            if (left + 2 > box.left && left < box.right && middle > box.top && middle < box.bottom)
                fail_msg("a run at %.1f, %.1f lies behind '%.*s' at %.1f, %.1f", left, middle,
                         (int)length, words, x, y);
        }
        assert_true(dots >= RUNS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_what_is_too_small_and_from_where_on_it_matters),
        cmocka_unit_test(tells_a_share_in_points),
        cmocka_unit_test(tells_how_far_from_the_level_of_before),
        cmocka_unit_test(tells_each_change_where_it_is),
        cmocka_unit_test(tells_no_share_below_zero_that_is_none),
        cmocka_unit_test(hides_no_run_behind_the_number_of_a_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
