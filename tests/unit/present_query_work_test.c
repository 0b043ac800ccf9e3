/* What is answered of the operations and bytes that ops tell, and of what bounds them. */
#include "ops/present/query/query.h"
#include "ops/runtime/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT_BYTES = 1 << 20, TOP_K = 10 };

/* A hyphen asks for nothing else, where the file tells FLOPs and bytes. */
static void takes_memory_bound_with_a_hyphen(void **state)
{
    (void)state;
    struct err err = {0};
    scoped_arena arena;
    arena_init(&arena, TEXT_BYTES);
    struct op_row op = {
        .name = "copy", .self_ps = 100, .flops = {true, 1}, .bytes_accessed = {true, 100}};
    const struct summary summary = {
        .has_ours = true, .ops = &op, .op_count = 1, .environment.device_type = "TPU v5e"};
    scoped_json *plain = query_answer(&summary, NULL, "is it memory bound?", TOP_K, &arena, &err);
    scoped_json *hyphen = query_answer(&summary, NULL, "is it memory-bound?", TOP_K, &arena, &err);
    assert_float_equal(json_number_value(json_object_get(plain, "memory_bound_share")), 1, 1e-9);
    assert_true(json_equal(plain, hyphen));
}

/* A loop tells the work of what it holds, and a copy's begin that of its end. */
static void counts_no_work_twice(void **state)
{
    (void)state;
    struct err err = {0};
    scoped_arena arena;
    arena_init(&arena, TEXT_BYTES);
    struct device_row device = {.name = "d", .window_ps = 1000000000000};
    struct device_peak peak = {"d", {true, 2}, {true, 1}, "plane_stat"};
    struct op_row ops[] = {
        {.name = "while", .category = "while", .self_ps = 1, .flops = {true, 1e12}},
        {.name = "f.call", .opcode = "call", .category = "container", .flops = {true, 1e12}},
        {.name = "reduce", .opcode = "all-reduce-start", .self_ps = 1, .flops = {true, 1e12}},
        {.name = "done", .opcode = "all-reduce-done", .self_ps = 1, .flops = {true, 2e11}},
        {.name = "dot", .category = "convolution", .self_ps = 9, .flops = {true, 8e11}}};
    const struct summary summary = {.has_ours = true,
                                    .ops = ops,
                                    .op_count = sizeof ops / sizeof ops[0],
                                    .devices = &device,
                                    .device_count = 1,
                                    .environment.peaks = &peak,
                                    .environment.peak_count = 1};
    scoped_json *answer = query_answer(&summary, NULL, "what is the MFU?", TOP_K, &arena, &err);
    assert_float_equal(json_number_value(json_object_get(answer, "utilization")), .5, 1e-9);
}

/* What the end of a copy moves is moved in other time than its own, and exchanging data is bound by
 * no memory, whatever it adds up. */
static void bounds_by_memory_what_moves_bytes_in_its_own_time(void **state)
{
    (void)state;
    struct err err = {0};
    scoped_arena arena;
    arena_init(&arena, TEXT_BYTES);
    struct op_row ops[] = {{.name = "copy-done", .opcode = "copy-done", .self_ps = 960},
                           {.name = "add", .opcode = "fusion", .self_ps = 30},
                           {.name = "all-reduce", .opcode = "all-reduce", .self_ps = 10}};
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        ops[i].flops = (struct opt_f64){true, 1};
        ops[i].bytes_accessed = (struct opt_f64){true, 1e6};
    }
    const struct summary summary = {.has_ours = true,
                                    .ops = ops,
                                    .op_count = sizeof ops / sizeof ops[0],
                                    .environment.device_type = "TPU v5e"};
    scoped_json *answer = query_answer(&summary, NULL, "is it memory bound?", TOP_K, &arena, &err);
    assert_float_equal(json_number_value(json_object_get(answer, "counted_share")), .04, 1e-9);
    assert_float_equal(json_number_value(json_object_get(answer, "memory_bound_share")), .75, 1e-9);
}

/* Profiles of TPUs say 0 of kernels of one's own (Pallas): what bounds these nobody knows. */
static void counts_no_custom_call_that_tells_no_operations(void **state)
{
    (void)state;
    struct err err = {0};
    scoped_arena arena;
    arena_init(&arena, TEXT_BYTES);
    const struct opt_f64 none = {true, 0}, some = {true, 1e6};
    const struct op_row ops[] = {
        {.name = "a", .category = "custom-call", .self_ps = 500, .flops = none},
        {.name = "b", .opcode = "custom-call", .self_ps = 200, .flops = none},
        {.name = "c", .opcode = "custom-call", .self_ps = 100, .flops = {true, 1e12}},
        {.name = "d", .opcode = "fusion", .self_ps = 200, .flops = none}};
    struct op_row rows[sizeof ops / sizeof ops[0]];
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        rows[i] = ops[i];
        rows[i].bytes_accessed = i == 0 ? none : some;
    }
    const struct summary summary = {.has_ours = true,
                                    .ops = rows,
                                    .op_count = sizeof ops / sizeof ops[0],
                                    .environment.device_type = "TPU v5e"};
    scoped_json *answer = query_answer(&summary, NULL, "is it memory bound?", TOP_K, &arena, &err);
    assert_float_equal(json_number_value(json_object_get(answer, "counted_share")), .3, 1e-9);
    assert_float_equal(json_number_value(json_object_get(answer, "memory_bound_share")), 2. / 3,
                       1e-9);
}

/* As MFU has it: "at least" where some ops do not tell theirs, nothing where most do not. */
static void tells_of_the_peak_no_more_than_ops_tell(void **state)
{
    (void)state;
    struct err err = {0};
    scoped_arena arena;
    arena_init(&arena, TEXT_BYTES);
    struct device_row device = {.name = "d", .window_ps = 1000000000000};
    struct device_peak peak = {"d", {true, 2}, {true, 1}, "plane_stat"};
    struct op_row op = {.name = "dot", .self_ps = 9, .flops = {true, 8e11}};
    struct summary summary = {.has_ours = true,
                              .ops = &op,
                              .op_count = 1,
                              .devices = &device,
                              .device_count = 1,
                              .environment.peaks = &peak,
                              .environment.peak_count = 1,
                              .has_measured = true,
                              .measured.own_ps = 100};
    static const struct {
        int64_t told_ps;
        const char *words;
    } cases[] = {{100, "are 40 % of the peak"}, {70, "are at least 40 % of the peak"}, {40, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        summary.measured.told_ps = cases[i].told_ps;
        scoped_json *answer = query_answer(&summary, NULL, "what is the MFU?", TOP_K, &arena, &err);
        const char *sentence = json_string_value(json_object_get(answer, "answer"));
        assert_int_equal(json_object_get(answer, "utilization") != NULL, cases[i].words != NULL);
        if (cases[i].words != NULL)
            assert_non_null(strstr(sentence, cases[i].words));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_memory_bound_with_a_hyphen),
        cmocka_unit_test(counts_no_work_twice),
        cmocka_unit_test(bounds_by_memory_what_moves_bytes_in_its_own_time),
        cmocka_unit_test(counts_no_custom_call_that_tells_no_operations),
        cmocka_unit_test(tells_of_the_peak_no_more_than_ops_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
