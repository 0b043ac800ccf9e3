/* Tests of routes: what their keys mean, whom they cover, and how long a message waits. The clock
 * is an argument, so every hour of the day is tried. */
#include "alerts/route.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MEMORY_BYTES = 1 << 20 };

static struct arena arena;

static int prepare(void **state)
{
    (void)state;
    arena_init(&arena, MEMORY_BYTES);
    return 0;
}

static int clear(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

static bool routes_of(const char *text, struct route_list *ret_routes, struct err *err)
{
    struct conf conf = {.arena = &arena};
    conf.values[CONF_notify].text = "";
    return conf_text_read(text, "a.conf", &arena, &conf.sections, err) &&
           route_read(&conf, &arena, ret_routes, err);
}

static struct route route_of(const char *keys)
{
    struct err err = {0};
    struct route_list routes;
    const char *text = arena_printf(&arena, "[route r]\nto = a\n%s", keys);
    if (!routes_of(text, &routes, &err))
        fail_msg("%s", err.text);
    assert_int_equal(routes.count, 1);
    return routes.items[0];
}

/* Microseconds of a day and a time of it, UTC. */
static int64_t at(int day, int hour, int minute, int second)
{
    return (((int64_t)day * 24 + hour) * 3600 + minute * 60 + second) * 1000000;
}

static void wait_is(const struct route *route, int64_t now_us, int64_t recent, int64_t ms,
                    bool in_digest)
{
    struct route_wait wait = route_wait_of(route, now_us, recent);
    assert_int_equal(wait.ms, ms);
    assert_int_equal(wait.in_digest, in_digest);
}

enum { MINUTE = 60000, HOUR = 60 * MINUTE };

/* A pass is no news but for who wants improvements, and of those alone. */
static void tells_improvements_to_whom_wants_them(void **state)
{
    (void)state;
    static struct verdict_reason faster[] = {{"step_median_improved", "Faster."},
                                             {"same_program", "A/A."}};
    struct verdict verdict = {.status = VERDICT_PASS, .reasons = faster, .reason_count = 1};
    const struct notice notice = {.phase = PHASE_NONE, .verdict = &verdict};
    const struct route gains = route_of("improved = yes\nchange = firing\n");
    const struct route losses = route_of("improved = no\n");
    assert_true(route_tells(&gains, &notice, false));
    assert_false(route_tells(&losses, &notice, false));
    verdict.reason_count = 2; /* the environment became faster, not the change */
    assert_false(route_tells(&gains, &notice, false));
    verdict.reason_count = 0;
    assert_false(route_tells(&gains, &notice, false));
    verdict.status = VERDICT_FAIL;
    assert_false(route_tells(&gains, &notice, false));
    struct err err = {0};
    struct route_list routes;
    assert_false(routes_of("[route r]\nto = a\nimproved = maybe\n", &routes, &err));
}

static void waits_for_the_end_of_quiet_hours(void **state)
{
    (void)state;
    const struct route night = route_of("quiet_hours = 22:00-07:00 UTC\n");
    wait_is(&night, at(20000, 21, 59, 59), 0, 0, false);
    wait_is(&night, at(20000, 22, 0, 0), 0, 9 * HOUR, true);
    wait_is(&night, at(20000, 23, 30, 0), 0, 7 * HOUR + 30 * MINUTE, true);
    wait_is(&night, at(20001, 0, 0, 0), 0, 7 * HOUR, true);
    wait_is(&night, at(20001, 6, 59, 0), 0, MINUTE, true);
    wait_is(&night, at(20001, 7, 0, 0), 0, 0, false);
    const struct route noon = route_of("quiet_hours = 12:00-13:30\n");
    wait_is(&noon, at(1, 11, 59, 0), 0, 0, false);
    wait_is(&noon, at(1, 13, 0, 0), 0, 30 * MINUTE, true);
    const struct route never = route_of("quiet_hours = 08:00-08:00\n");
    wait_is(&never, at(1, 8, 0, 0), 0, 0, false);
}

static void quiet_hours_do_not_end_in_the_middle_of_a_minute(void **state)
{
    (void)state;
    const struct route night = route_of("quiet_hours = 22:00-07:00\n");
    /* Half a minute before seven it is still quiet, and what waits until then is not early. */
    struct route_wait wait = route_wait_of(&night, at(3, 6, 59, 30), 0);
    assert_true(wait.ms >= 30000 && wait.ms <= MINUTE);
}

static void joins_what_comes_within_a_while(void **state)
{
    (void)state;
    const struct route grouped = route_of("group_s = 30\n");
    wait_is(&grouped, at(1, 9, 0, 0), 5, 30000, true);
}

static void makes_one_message_a_period_where_a_digest_is_wanted(void **state)
{
    (void)state;
    const struct route hourly = route_of("digest_s = 3600\n");
    wait_is(&hourly, at(1, 9, 10, 0), 0, 50 * MINUTE, true);
    wait_is(&hourly, at(1, 9, 59, 59), 0, 1000, true);
    const struct route both = route_of("digest_s = 3600\nquiet_hours = 22:00-07:00\n");
    wait_is(&both, at(1, 21, 50, 0), 0, 10 * MINUTE, true);
    wait_is(&both, at(1, 22, 50, 0), 0, 8 * HOUR + 10 * MINUTE, true);
}

static void holds_back_what_is_over_the_rate(void **state)
{
    (void)state;
    const struct route limited = route_of("rate_limit = 2/600\n");
    wait_is(&limited, at(1, 9, 1, 0), 1, 0, false);
    wait_is(&limited, at(1, 9, 1, 0), 2, 9 * MINUTE, true);
    assert_int_equal(limited.rate_window_ms, 10 * MINUTE);
}

static void reminds_where_that_is_wanted_alone(void **state)
{
    (void)state;
    assert_int_equal(route_of("").remind_ms, 0);
    assert_int_equal(route_of("remind_s = 86400\n").remind_ms, 24 * HOUR);
}

static void tells_each_change_to_those_who_want_it(void **state)
{
    (void)state;
    const struct verdict failed = {.status = VERDICT_FAIL}, passed = {.status = VERDICT_PASS};
    const struct notice firing = {.phase = PHASE_FIRING, .verdict = &failed},
                        flapping = {.phase = PHASE_FLAPPING, .verdict = &passed},
                        resolved = {.phase = PHASE_RESOLVED, .verdict = &passed},
                        pass = {.phase = PHASE_NONE, .verdict = &passed};
    const struct route all = route_of(""), ends = route_of("change = resolved\n"),
                       warns = route_of("status = warn\n");
    assert_true(route_tells(&all, &firing, false));
    assert_true(route_tells(&all, &flapping, false));
    assert_false(route_tells(&all, &pass, false));
    assert_false(route_tells(&ends, &firing, false));
    assert_true(route_tells(&ends, &resolved, false));
    assert_false(route_tells(&warns, &firing, false));
    assert_true(route_tells(&warns, &resolved, false));
    assert_true(route_tells(&ends, &firing, true)); /* what shows a state takes everything */
}

static void covers_what_its_patterns_say(void **state)
{
    (void)state;
    const struct route route = route_of("project = llm, vision-*\nbranch = main, release/?\n");
    static const struct {
        const char *project, *branch;
        bool covered;
    } cases[] = {
        {"llm", "main", true},        {"vision-2", "release/1", true}, {"llm", "release/10", false},
        {"llm2", "main", false},      {"vision", "main", false},       {"llm", NULL, false},
        {"vision-a/b", "main", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct verdict verdict = {
            .project = cases[i].project, .workload = "w", .candidate.branch = cases[i].branch};
        assert_int_equal(route_covers(&route, &verdict), cases[i].covered);
    }
}

static void names_line_and_key_of_what_is_wrong(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"status = failed\n", "a.conf:3: route 'r': status"},
        {"quiet_hours = 24:00-01:00\n", "22:00-07:00"},
        {"quiet_hours = 22-7\n", "22:00-07:00"},
        {"rate_limit = 0/600\n", "MESSAGES/SECONDS"},
        {"group_s = 0\n", "from 1 to 86400"},
        {"remind_s = 1d\n", "from 1 to 31622400"},
        {"change = worse\n", "worsened"},
        {"remind = 5\n", "did you mean 'remind_s'?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct err err = {0};
        struct route_list routes;
        const char *text = arena_printf(&arena, "[route r]\nto = a\n%s", cases[i][0]);
        assert_false(routes_of(text, &routes, &err));
        assert_int_equal(err.kind, ERR_USAGE);
        if (strstr(err.text, cases[i][1]) == NULL)
            fail_msg("%s lacks: %s", err.text, cases[i][1]);
    }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, prepare, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(tells_improvements_to_whom_wants_them),
        CASE(waits_for_the_end_of_quiet_hours),
        CASE(quiet_hours_do_not_end_in_the_middle_of_a_minute),
        CASE(joins_what_comes_within_a_while),
        CASE(makes_one_message_a_period_where_a_digest_is_wanted),
        CASE(holds_back_what_is_over_the_rate),
        CASE(reminds_where_that_is_wanted_alone),
        CASE(tells_each_change_to_those_who_want_it),
        CASE(covers_what_its_patterns_say),
        CASE(names_line_and_key_of_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
