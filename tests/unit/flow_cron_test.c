/* Times of scheduled reports: the five fields of cron, and when they come. */
#include "ops/flow/reports/reports.h"

#include "ops/runtime/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static int64_t at(const char *text)
{
    int64_t us;
    if (!clock_read_iso(text, &us))
        fail_msg("%s", text);
    return us;
}

static struct cron cron_of(const char *text)
{
    struct cron cron;
    struct err err = {0};
    if (!cron_read(text, &cron, &err))
        fail_msg("%s", err.text);
    return cron;
}

static void finds_the_time_before_and_behind(void **state)
{
    (void)state;
    static const struct {
        const char *cron, *now, *last, *next;
    } cases[] = {
        /* 2026-11-23 is a Monday */
        {"0 7 * * mon", "2026-11-23T06:59:59", "2026-11-16T07:00", "2026-11-23T07:00"},
        {"0 7 * * mon", "2026-11-23T07:00:00", "2026-11-23T07:00", "2026-11-30T07:00"},
        {"0 7 * * 1-5", "2026-11-21T12:00:00", "2026-11-20T07:00", "2026-11-23T07:00"},
        {"30 6 1 * *", "2026-12-31T12:00:00", "2026-12-01T06:30", "2027-01-01T06:30"},
        {"*/20 * * * *", "2026-01-01T00:00:00", "2026-01-01T00:00", "2026-01-01T00:20"},
        {"*/20 * * * *", "2026-01-01T00:19:59", "2026-01-01T00:00", "2026-01-01T00:20"},
        {"0 8-18/5,23 * * *", "2026-03-01T14:00:00", "2026-03-01T13:00", "2026-03-01T18:00"},
        {"0 0 29 feb *", "2026-01-01T00:00:00", "2024-02-29T00:00", "2028-02-29T00:00"},
        {"0 0 * * 7", "2026-11-23T00:00:00", "2026-11-22T00:00", "2026-11-29T00:00"},
        {"0 0 * * Sun", "2026-11-23T00:00:00", "2026-11-22T00:00", "2026-11-29T00:00"},
        /* both days restricted: either */
        {"0 0 1 * fri", "2026-11-28T00:00:00", "2026-11-27T00:00", "2026-12-01T00:00"},
        {"0 0 1 JAN,jul *", "2026-11-28T00:00:00", "2026-07-01T00:00", "2027-01-01T00:00"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char now[32], last[32], next[32], buffer[CLOCK_ISO_BYTES];
        struct cron cron = cron_of(cases[i].cron);
        (void)snprintf(now, sizeof now, "%s.000000Z", cases[i].now);
        (void)snprintf(last, sizeof last, "%s:00.000000Z", cases[i].last);
        (void)snprintf(next, sizeof next, "%s:00.000000Z", cases[i].next);
        assert_string_equal(clock_iso(cron_last(&cron, at(now)), buffer), last);
        assert_string_equal(clock_iso(cron_next(&cron, at(now)), buffer), next);
    }
}

static void names_the_field_and_what_it_takes(void **state)
{
    (void)state;
    static const struct {
        const char *cron, *said;
    } cases[] = {
        {"60 7 * * *", "the minute '60' is none: it takes 0 to 59"},
        {"0 24 * * *", "the hour '24'"},
        {"0 7 0 * *", "the day of the month '0'"},
        {"0 7 * 13 *", "the month '13' is none: it takes 1 to 12 or jan to dec"},
        {"0 7 * * mond", "the day of the week 'mond'"},
        {"0 7 * * 8", "0 and 7 are Sunday"},
        {"0 7 * *", "ends before its day of the week"},
        {"", "ends before its minute"},
        {"0 7 * * * *", "more than five fields"},
        {"5-1 * * * *", "the minute '5-1'"},
        {"*/0 * * * *", "the minute '*/0'"},
        {"1,,2 * * * *", "the minute '1,,2'"},
        {"-1 * * * *", "the minute '-1'"},
        {"0 0 30 feb *", "never comes"},
        {"@weekly", "the minute '@weekly'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cron cron;
        struct err err = {0};
        assert_false(cron_read(cases[i].cron, &cron, &err));
        assert_int_equal(err.kind, ERR_USAGE);
        if (strstr(err.text, cases[i].said) == NULL)
            fail_msg("%s: %s", cases[i].cron, err.text);
    }
}

static void begins_a_period_where_the_calendar_has_it(void **state)
{
    (void)state;
    static const struct {
        const char *until, *period, *since;
    } cases[] = {
        {"2026-11-23T07:00:00.000000Z", "day", "2026-11-22T07:00:00.000000Z"},
        {"2026-11-23T07:00:00.000000Z", "week", "2026-11-16T07:00:00.000000Z"},
        {"2026-11-23T07:00:00.000001Z", "month", "2026-10-23T07:00:00.000001Z"},
        {"2026-03-31T07:00:00.000000Z", "month", "2026-02-28T07:00:00.000000Z"},
        {"2028-03-31T07:00:00.000000Z", "month", "2028-02-29T07:00:00.000000Z"},
        {"2026-01-31T07:00:00.000000Z", "month", "2025-12-31T07:00:00.000000Z"},
        {"2026-01-01T00:00:00.000000Z", "week", "2025-12-25T00:00:00.000000Z"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char buffer[CLOCK_ISO_BYTES];
        int64_t since = report_period_begin(at(cases[i].until), cases[i].period);
        assert_string_equal(clock_iso(since, buffer), cases[i].since);
    }
}

static bool sections_of(const char *text, struct arena *arena, struct report_section_list *ret_list,
                        struct err *err)
{
    struct conf conf = {0};
    arena_init(arena, 1 << 20);
    if (!conf_text_read(text, "x.conf", arena, &conf.sections, err))
        fail_msg("%s", err->text);
    return report_sections_read(&conf, arena, ret_list, err);
}

static void reads_sections(void **state)
{
    (void)state;
    scoped_arena arena;
    struct err err = {0};
    struct report_section_list list;
    assert_true(sections_of("[report weekly]\nproject = llm\nat = 0 7 * * mon\nto = a, b\n"
                            "[report d]\nproject = x\nperiod = day\nat = 5 0 * * *\n",
                            &arena, &list, &err));
    assert_int_equal(list.count, 2);
    assert_string_equal(list.items[0].period, "week");
    assert_string_equal(list.items[0].measure, "steady_step_median");
    assert_string_equal(list.items[0].to, "a, b");
    assert_null(list.items[1].to);
}

static void says_what_a_section_lacks_and_where(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"[report w]\nproject = llm\n", "x.conf:2: report 'w' has no `at`"},
        {"[report w]\nat = 0 7 * * mon\n", "report 'w' has no `project`"},
        {"[report w]\nproject = llm\nat = 0 25 * * *\n", "x.conf:3"},
        {"[report w]\nproject = llm\nperiod = year\n", "must be day, week or month"},
        {"[report w]\nprojekt = llm\n", "did you mean 'project'?"},
        {"[report w]\nmeasure = step_tim\n", "x.conf:2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scoped_arena arena;
        struct err err = {0};
        struct report_section_list list;
        assert_true(sections_of(cases[i].text, &arena, &list, &err));
        if (list.items[0].fault == NULL || strstr(list.items[0].fault, cases[i].said) == NULL)
            fail_msg("%s: %s", cases[i].text, list.items[0].fault);
    }
}

static void keeps_the_sections_beside_a_wrong_one(void **state)
{
    (void)state;
    scoped_arena arena;
    struct err err = {0};
    struct report_section_list list;
    assert_true(sections_of("[report w]\nproject = llm\nperiod = year\nat = 0 25 * * *\n"
                            "[report d]\nproject = x\nat = 5 0 * * *\n[report n]\nto = a\n",
                            &arena, &list, &err));
    assert_int_equal(list.count, 3);
    assert_non_null(strstr(list.items[0].fault, "x.conf:3"));
    assert_null(list.items[1].fault);
    assert_non_null(strstr(list.items[2].fault, "x.conf:9"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_time_before_and_behind),
        cmocka_unit_test(names_the_field_and_what_it_takes),
        cmocka_unit_test(begins_a_period_where_the_calendar_has_it),
        cmocka_unit_test(reads_sections),
        cmocka_unit_test(says_what_a_section_lacks_and_where),
        cmocka_unit_test(keeps_the_sections_beside_a_wrong_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
