/* Tests of which host is named as the slow one: where hosts wait for each other in collectives the
 * longest step may be that of one that waits.
 */
#include "ops/present/query/query.h"
#include "ops/present/summary/host_times.h"

#include "ops/runtime/json.h"
#include "tests/support/summary_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { ARENA_BYTES = 4 << 20, TOP_K = 10, HOSTS = 2, DEVICES = 4 };

static const int64_t PS_PER_US = 1000000;

/* What a step is on each of two hosts, in µs; of the step op by op: work and collectives. */
struct host_plan {
    int64_t work, collectives, idle_between;
};

static struct summary *summary_of(const struct host_plan *hosts, struct arena *arena)
{
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.host_count = HOSTS;
    struct summary *summary = (struct summary *)summary_make(arena, &plan);
    const int64_t steps = (int64_t)summary->steps.count;
    assert_int_equal(summary->device_count, DEVICES);
    for (size_t d = 0; d < DEVICES; d++) {
        const struct host_plan *host = &hosts[d * HOSTS / DEVICES];
        const int64_t step = host->work + host->collectives, period = step + host->idle_between;
        struct device_row *device = &summary->devices[d];
        device->host = d * HOSTS / DEVICES == 0 ? "alpha" : "beta";
        device->window_ps = (steps * period - host->idle_between) * PS_PER_US;
        device->busy_ps = steps * step * PS_PER_US;
        device->exposed_comm_ps = steps * host->collectives * PS_PER_US;
        device->steady_step_median_ps = step * PS_PER_US;
        for (size_t i = 0; i < summary->steps.count; i++) {
            struct step_span *span = &summary->steps.rows[i].spans[d];
            span->start_ps = (int64_t)i * period * PS_PER_US;
            span->duration_ps = step * PS_PER_US;
        }
    }
    return summary;
}

static json_t *answer_of(const struct host_plan *hosts, const char *question)
{
    struct err err = {0};
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    return query_answer(summary_of(hosts, &arena), NULL, question, TOP_K, &arena, &err);
}

static void check_host(const struct host_plan *hosts, const char *by, double skew_pct)
{
    scoped_json *answer = answer_of(hosts, "which host is slow?");
    const json_t *rows = json_object_get(answer, "results");
    assert_string_equal(json_string_value(json_object_get(answer, "by")), by);
    assert_string_equal(json_string_value(json_object_get(answer, "slowest")), "beta");
    assert_float_equal(json_number_value(json_object_get(answer, "skew_pct")), skew_pct, 0.01);
    assert_int_equal(json_array_size(rows), HOSTS);
    for (size_t i = 0; i < HOSTS; i++) { /* beta, then alpha */
        const json_t *row = json_array_get(rows, i);
        const struct host_plan *host = &hosts[HOSTS - 1 - i];
        assert_float_equal(json_number_value(json_object_get(row, "work_us")), host->work, 0.01);
        assert_float_equal(json_number_value(json_object_get(row, "collectives_us")),
                           host->collectives, 0.01);
        assert_float_equal(json_number_value(json_object_get(row, "idle_us")), host->idle_between,
                           0.01);
    }
}

/* Its steps are the shortest: it comes late to the collectives in which the other waits. */
static void names_the_host_that_is_held_up_and_not_the_one_that_waits(void **state)
{
    (void)state;
    static const struct host_plan hosts[] = {{9500, 2300, 20}, {9500, 300, 2020}};
    check_host(hosts, "stall", 100.0 * 2000 / 9520);
    scoped_json *devices = answer_of(hosts, "which device is slowest?");
    assert_true(json_is_null(json_object_get(devices, "slowest")));
    assert_non_null(strstr(json_string_value(json_object_get(devices, "answer")), "beta holds up"));
}

/* Idle time between steps is no lack of work in them. */
static void says_that_nobody_waits_for_a_host_of_its_own_pace(void **state)
{
    (void)state;
    static const struct host_plan hosts[] = {{9500, 300, 20}, {9500, 300, 2000}};
    check_host(hosts, "period", 100.0 * 1980 / 9820);
}

static void names_the_host_that_works_longest(void **state)
{
    (void)state;
    static const struct host_plan hosts[] = {{9500, 2300, 20}, {11400, 400, 20}};
    check_host(hosts, "work", 100.0 * 1900 / 9500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_the_host_that_is_held_up_and_not_the_one_that_waits),
        cmocka_unit_test(says_that_nobody_waits_for_a_host_of_its_own_pace),
        cmocka_unit_test(names_the_host_that_works_longest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
