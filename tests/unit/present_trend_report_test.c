/* Tests of reports of trends as people get them: whole documents against golden files, and the
 * pictures that are sent along. */
#include "ops/present/trend/trend.h"
#include "ops/present/trend_report/trend_report.h"

#include "tests/support/document_fixture.h"
#include "tests/support/golden_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT_BYTES = 4 << 20, WIDTH_AT = 16, FEW_BYTES = 128 };

struct reading {
    struct arena arena;
    struct trend_report report;
};

static int read_report(void **state)
{
    static struct reading reading;
    document_report("present/week.trend_report.json", &reading.arena, &reading.report);
    *state = &reading;
    return 0;
}

static int end_report(void **state)
{
    struct reading *reading = *state;
    arena_done(&reading->arena);
    return 0;
}

static void says_first_what_needs_somebody(void **state)
{
    const struct reading *reading = *state;
    struct err err = {0};
    scoped_text text, markdown, html, csv;
    struct text *const outs[] = {&text, &markdown, &html, &csv};
    for (size_t i = 0; i < 4; i++)
        text_init(outs[i], TEXT_BYTES);
    assert_true(trend_report_text(&reading->report, &(struct text_style){false, 100}, &text, &err));
    golden_check("present/week.trend_report.txt", text_string(&text));
    assert_true(trend_report_markdown(&reading->report, &markdown, &err));
    golden_check("present/week.trend_report.md", text_string(&markdown));
    assert_true(trend_report_html(&reading->report, &html, &err));
    golden_check("present/week.trend_report.html", text_string(&html));
    assert_true(trend_report_csv(&reading->report, &csv, &err));
    golden_check("present/week.trend_report.csv", text_string(&csv));
}

static void says_that_nothing_is_new_in_its_first_line(void **state)
{
    const struct reading *reading = *state;
    struct err err = {0};
    struct trend_report still = reading->report;
    const char *const headline[] = {"llm, 2026-11-16 to 2026-11-23: nothing new; 35 runs."};
    scoped_text out, open;
    text_init(&out, TEXT_BYTES);
    text_init(&open, TEXT_BYTES);
    still.loss_count = still.improvement_count = still.drift_count = 0;
    still.suspected_count = still.quiet_count = still.restart_count = still.newcomer_count = 0;
    still.headlines = (struct string_list){(const char **)(uintptr_t)headline, 1};
    assert_true(trend_report_text(&still, &(struct text_style){false, 100}, &open, &err));
    assert_int_equal(strncmp(text_string(&open), "ALERTS OPEN  llm", 16), 0);
    still.alert_count = 0;
    assert_true(trend_report_text(&still, &(struct text_style){false, 100}, &out, &err));
    static const char first[] =
        "NOTHING NEW  llm, 2026-11-16 to 2026-11-23: nothing new; 35 runs.\n\nGates\n";
    assert_int_equal(strncmp(text_string(&out), first, sizeof first - 1), 0);
    scoped_text empty;
    text_init(&empty, TEXT_BYTES);
    still.run_count = 0;
    assert_true(trend_report_text(&still, &(struct text_style){false, 100}, &empty, &err));
    assert_int_equal(strncmp(text_string(&empty), "NO RUNS  llm", 12), 0);
}

static void draws_each_course_once_for_mail(void **state)
{
    struct reading *reading = *state;
    struct err err = {0};
    struct report_picture *pictures, *again;
    size_t count, again_count;
    if (!trend_report_pictures(&reading->report, 4, &reading->arena, &pictures, &count, &err))
        fail_msg("%s", err.text);
    assert_int_equal(count, 2); /* the drift stands in the course of the loss */
    assert_string_equal(pictures[0].name, "1-year-course.png");
    assert_string_equal(pictures[1].name, "2-year-parts.png");
    assert_true(
        trend_report_pictures(&reading->report, 1, &reading->arena, &again, &again_count, &err));
    assert_int_equal(again_count, 1);
    assert_int_equal(again[0].byte_count, pictures[0].byte_count);
    assert_memory_equal(again[0].bytes, pictures[0].bytes, pictures[0].byte_count);
    static const unsigned char start[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    for (size_t i = 0; i < count; i++) {
        assert_true(pictures[i].byte_count > 1000);
        assert_memory_equal(pictures[i].bytes, start, sizeof start - 1);
        const unsigned char *width = pictures[i].bytes + WIDTH_AT;
        assert_int_equal(width[0] << 24 | width[1] << 16 | width[2] << 8 | width[3],
                         2 * CANVAS_WIDE);
    }
}

static void names_pictures_so_that_nobody_takes_them_for_more(void **state)
{
    struct reading *reading = *state;
    static const char *const cases[][2] = {
        {"../../etc/passwd", "1-etc-passwd-course.png"},
        {"\"; rm -rf /\r\nX: y", "1-rm-rf-x-y-course.png"},
        {"日本", "1-course.png"},
        {"Llama 3.1 (8B)", "1-llama-3-1-8b-course.png"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct err err = {0};
        struct trend_report named = reading->report;
        struct report_change loss = named.losses[0];
        struct report_picture *pictures;
        size_t count;
        loss.workload = cases[i][0];
        named.losses = &loss;
        assert_true(trend_report_pictures(&named, 1, &reading->arena, &pictures, &count, &err));
        assert_string_equal(pictures[0].name, cases[i][1]);
    }
}

static void refuses_to_pass_its_budget(void **state)
{
    const struct reading *reading = *state;
    for (size_t budget = 1 << 12; budget < 1 << 17; budget *= 2) {
        struct err err = {0};
        struct report_picture *pictures;
        size_t count;
        scoped_arena small;
        arena_init(&small, budget);
        if (!trend_report_pictures(&reading->report, 2, &small, &pictures, &count, &err))
            assert_int_equal(err.kind, ERR_LIMIT);
        else
            assert_int_equal(count, 2); /* none goes missing */
    }
}

static void assert_holds(const char *text, const char *words)
{
    if (strstr(text, words) == NULL)
        fail_msg("no '%.200s' in\n%s", words, text);
}

/* The first picture of that title in a page. */
static const char *picture_of(const char *html, const char *title, size_t *ret_length)
{
    const char *at = strstr(html, title), *begin = at;
    if (at == NULL)
        fail_msg("no picture '%s' in\n%s", title, html);
    while (begin > html && strncmp(begin, "<svg", 4) != 0)
        begin--;
    *ret_length = (size_t)(strstr(at, "</svg>") - begin);
    return begin;
}

static void a_trend_shows_of_its_newest_change_what_a_report_shows(void **state)
{
    const struct reading *reading = *state;
    struct err err = {0};
    struct trend_point point = {.profile_id = "p79",
                                .run = "run-79",
                                .series = "s1",
                                .ran_at_utc = "2026-11-18T09:00:00.000000Z",
                                .value = 10610};
    const struct trend trend = {.schema_version = "trend.v1",
                                .project = "llm",
                                .workload = "pretrain",
                                .measure = "steady_step_median",
                                .unit = "us",
                                .points = &point,
                                .point_count = 1,
                                .has_mfu = true,
                                .mfu = {"pretrain", NULL, .412, some_f64(.43)},
                                .has_newest = true,
                                .newest = reading->report.losses[0]};
    static const char *const pictures[] = {"What the step of", "by category of op",
                                           "Steady steps of"};
    scoped_text text, markdown, html, report;
    struct text *const outs[] = {&text, &markdown, &html, &report};
    for (size_t i = 0; i < 4; i++)
        text_init(outs[i], TEXT_BYTES);
    assert_true(trend_text(&trend, &(struct text_style){false, 100}, &text, &err));
    assert_true(trend_markdown(&trend, &markdown, &err));
    assert_true(trend_html(&trend, &html, &err));
    assert_true(trend_report_html(&reading->report, &report, &err));
    for (size_t i = 0; i < 3; i++) {
        assert_holds(text_string(outs[i]), "MFU: 41.2 % (43.0 % before the newest change)");
        assert_holds(text_string(outs[i]), "The newest change, behind ");
        assert_holds(text_string(outs[i]), "of the change");
        size_t length, as_long;
        const char *ours = picture_of(text_string(&html), pictures[i], &length),
                   *theirs = picture_of(text_string(&report), pictures[i], &as_long);
        assert_int_equal(length, as_long);
        assert_memory_equal(ours, theirs, length);
    }
    assert_true(strstr(text_string(&html), "MFU: ") < strstr(text_string(&html), "<svg"));
}

/* On a telephone, too: a title that is cut in its middle names nothing. */
static void names_what_a_picture_is_of_at_every_width(void **state)
{
    const struct reading *reading = *state;
    struct err err = {0};
    struct trend_report named = reading->report;
    struct report_change loss = named.losses[0];
    static const char title[] = "<text class=\"ink strong\"", cut[] = "\xe2\x80\xa6";
    size_t titles = 0;
    scoped_text html;
    text_init(&html, TEXT_BYTES);
    loss.workload = "pretrain-llama-70b";
    named.losses = &loss;
    named.loss_count = 1;
    assert_true(trend_report_html(&named, &html, &err));
    for (const char *at = text_string(&html); (at = strstr(at, title)) != NULL; at++) {
        const char *end = strstr(at, "</text>"), *mark = strstr(at, cut);
        titles++;
        if (mark != NULL && mark < end)
            fail_msg("%.*s", (int)(end - at), at);
    }
    assert_in_range(titles, 4, 1000);
}

/* Who misses a workload in the section is told why it is not there. */
static void says_of_which_series_no_gate_was_asked(void **state)
{
    const struct reading *reading = *state;
    struct err err = {0};
    struct trend_report report = reading->report;
    struct report_canary canaries[REPORT_CANARIES + 1];
    struct report_named named = {0};
    size_t count = 0;
    for (size_t i = 0; (named = report_named_at(&report, i)).workload != NULL; i++) {
        bool is_known = false;
        for (size_t k = 0; k < count; k++)
            is_known |= strcmp(canaries[k].workload, named.workload) == 0 &&
                        strcmp(canaries[k].series, named.series) == 0;
        if (!is_known && count <= REPORT_CANARIES)
            canaries[count++] =
                (struct report_canary){named.workload, named.series, 40, 9, 0, 0, .3, 3, 1};
    }
    assert_int_equal(count, REPORT_CANARIES + 1);
    for (size_t told = 0; told <= REPORT_CANARIES; told++) {
        char few[FEW_BYTES];
        scoped_text out;
        text_init(&out, TEXT_BYTES);
        report.canaries = canaries;
        report.canary_count = told;
        assert_true(trend_report_text(&report, &(struct text_style){false, 200}, &out, &err));
        assert_holds(text_string(&out), "How often a gate would be wrong on its own past");
        (void)snprintf(few, sizeof few, "not of  %s %s", canaries[told].workload,
                       canaries[told].series);
        if (told < REPORT_CANARIES)
            assert_holds(text_string(&out), few);
        else
            assert_holds(text_string(&out), "not asked  of 1 more series");
        assert_int_equal(strstr(text_string(&out), "not of") != NULL, told < REPORT_CANARIES);
    }
    scoped_text empty;
    text_init(&empty, TEXT_BYTES);
    report = reading->report;
    report.loss_count = report.improvement_count = report.recovery_count = 0;
    report.drift_count = report.noisiest_count = report.canary_count = 0;
    assert_true(trend_report_text(&report, &(struct text_style){false, 200}, &empty, &err));
    assert_null(strstr(text_string(&empty), "How often a gate would be wrong"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_first_what_needs_somebody),
        cmocka_unit_test(says_that_nothing_is_new_in_its_first_line),
        cmocka_unit_test(a_trend_shows_of_its_newest_change_what_a_report_shows),
        cmocka_unit_test(draws_each_course_once_for_mail),
        cmocka_unit_test(names_pictures_so_that_nobody_takes_them_for_more),
        cmocka_unit_test(names_what_a_picture_is_of_at_every_width),
        cmocka_unit_test(says_of_which_series_no_gate_was_asked),
        cmocka_unit_test(refuses_to_pass_its_budget),
    };
    return cmocka_run_group_tests(tests, read_report, end_report);
}
