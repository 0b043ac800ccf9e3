/* What is asked of a profile about waiting: idle time, input, and what of it is known. */
#include "ops/present/query/query.h"

#include "ops/runtime/json.h"
#include "tests/support/summary_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT_BYTES = 1 << 20, TOP_K = 5 };

/* 30 of 100 idle: said with its share, not as advice; without devices it is not known. */
static void tells_how_much_of_the_time_devices_wait(void **state)
{
    (void)state;
    static const char question[] = "is the input pipeline the bottleneck";
    static const struct {
        const char *question, *query_type;
    } forms[] = {
        {question, "waits"},
        {"how much of the time are devices idle", "waits"},
        {"are the devices waiting for input?", "waits"},
        {"which device is idle", "devices"},
        {"what is the bottleneck", "optimization_candidates"},
    };
    struct err err = {0};
    scoped_arena arena;
    arena_init(&arena, TEXT_BYTES);
    struct device_row devices[] = {{.name = "d", .window_ps = 100, .idle_ps = 20},
                                   {.name = "e", .window_ps = 100, .idle_ps = 40}};
    struct op_row op = {.name = "infeed.3", .self_ps = 10};
    const struct summary waiting = {
        .has_ours = true, .devices = devices, .device_count = 2, .ops = &op, .op_count = 1};
    const struct summary empty = {.has_ours = true};
    scoped_json *told = query_answer(&waiting, NULL, question, TOP_K, &arena, &err);
    scoped_json *unknown = query_answer(&empty, NULL, question, TOP_K, &arena, &err);
    assert_float_equal(json_number_value(json_object_get(told, "idle_share")), .3, 1e-9);
    assert_float_equal(json_number_value(json_object_get(told, "infeed_share")), .05, 1e-9);
    const char *said = json_string_value(json_object_get(told, "answer"));
    assert_non_null(strstr(said, "30.0 % of their windows"));
    assert_non_null(strstr(said, "20.0 % to 40.0 %"));
    assert_string_equal(json_string_value(json_object_get(unknown, "result")),
                        "unknown_from_this_file");
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        scoped_json *answer = query_answer(&waiting, NULL, forms[i].question, TOP_K, &arena, &err);
        assert_string_equal(json_string_value(json_object_get(answer, "query_type")),
                            forms[i].query_type);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_how_much_of_the_time_devices_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
