/* Tests of what is other work, and what is the same work done otherwise. */
#include "compare/provenance/op_work.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MOST_OPS = 6, SPANS = 10 };

struct planned {
    const char *path, *shape;
    double us, runs, gflops; /* per step */
};

/* A profile of these ops, up to the first without a path. */
static struct op_work work_of(struct arena *arena, const struct planned *planned)
{
    struct op_row rows[MOST_OPS] = {{0}};
    struct summary summary = {.ops = arena_array(arena, struct op_row, MOST_OPS)};
    struct op_work work;
    summary.steps.steady_spans = SPANS;
    for (; planned[summary.op_count].path != NULL; summary.op_count++) {
        const struct planned *plan = &planned[summary.op_count];
        int64_t count = (int64_t)(plan->runs * SPANS);
        rows[summary.op_count] = (struct op_row){
            .signature = plan->path,
            .opcode = "fusion",
            .category = "fusion",
            .phase = "forward",
            .op_path = plan->path,
            .shape_signature = plan->shape,
            .count = count,
            .steady_count = count,
            .steady_self_ps = (int64_t)(plan->us * 1e6) * SPANS,
            .flops = {plan->gflops > 0, plan->gflops * 1e9 * SPANS},
        };
    }
    for (size_t i = 0; i < MOST_OPS; i++)
        summary.ops[i] = rows[i];
    op_work_read(&summary, arena, &work);
    return work;
}

static bool differs(const struct planned *before, const struct planned *after)
{
    scoped_arena arena;
    arena_init(&arena, 1 << 20);
    struct op_work a = work_of(&arena, before), b = work_of(&arena, after);
    bool there = op_work_compare(&a, &b).differs, back = op_work_compare(&b, &a).differs;
    assert_int_equal(there, back);
    return there;
}

static const struct planned batch_8[] = {{"mlp", "bf16[8,1024,512](bf16[8,1024,512])", 500, 1, 50},
                                         {"attn", "bf16[8192,512]", 300, 2, 30},
                                         {"adam", "f32[512,512]", 200, 1, 1},
                                         {0}};

static void half_the_batch_is_other_work(void **state)
{
    (void)state;
    const struct planned half[] = {{"mlp", "bf16[4,1024,512](bf16[4,1024,512])", 250, 1, 25},
                                   {"attn", "bf16[4096,512]", 150, 2, 15},
                                   {"adam", "f32[512,512]", 200, 1, 1},
                                   {0}};
    const struct planned unknown[] = {{"mlp", "bf16[4,1024,512](bf16[4,1024,512])", 250, 1, 0},
                                      {"attn", "bf16[4096,512]", 150, 2, 0},
                                      {"adam", "f32[512,512]", 200, 1, 0},
                                      {0}};
    assert_true(differs(batch_8, half));
    assert_true(differs(batch_8, unknown));
}

static void a_batch_of_nearly_the_same_size_is_other_work(void **state)
{
    (void)state;
    const struct planned batch_9[] = {{"mlp", "bf16[9,1024,512](bf16[9,1024,512])", 550, 1, 56.2},
                                      {"attn", "bf16[9216,512]", 330, 2, 33.8},
                                      {"adam", "f32[512,512]", 200, 1, 1},
                                      {0}};
    const struct planned longer[] = {{"mlp", "bf16[8,1032,512](bf16[8,1032,512])", 505, 1, 0},
                                     {"attn", "bf16[8256,512]", 303, 2, 0},
                                     {"adam", "f32[512,512]", 200, 1, 0},
                                     {0}};
    assert_true(differs(batch_8, batch_9));
    assert_true(differs(batch_8, longer));
}

/* What a change of the code does to shapes: it is judged. */
static void nearly_the_same_shapes_of_a_changed_program_are_compared(void **state)
{
    (void)state;
    static const struct planned changed[][MOST_OPS] = {
        /* The width of the model, its weights in one dimension. */
        {{"mlp", "bf16[8,1024,520](bf16[8,1024,520])", 510, 1, 51},
         {"attn", "bf16[8192,520]", 305, 2, 30.5},
         {"adam", "f32[520,512]", 200, 1, 1}},
        /* One op pads its rows inside. */
        {{"mlp", "bf16[8,1088,512](bf16[8,1088,512])", 530, 1, 53},
         {"attn", "bf16[8192,512]", 300, 2, 30},
         {"adam", "f32[512,512]", 200, 1, 1}},
        /* In more and smaller pieces. */
        {{"mlp", "bf16[7,1024,512](bf16[7,1024,512])", 500, 1.143, 50},
         {"attn", "bf16[7168,512]", 300, 2.286, 30},
         {"adam", "f32[512,512]", 200, 1, 1}},
        /* Rows and columns apart, as another sharding has it. */
        {{"mlp", "bf16[9,1024,455](bf16[9,1024,455])", 500, 1, 50},
         {"attn", "bf16[9216,455]", 300, 2, 30},
         {"adam", "f32[512,512]", 200, 1, 1}},
    };
    for (size_t i = 0; i < sizeof changed / sizeof changed[0]; i++) {
        if (differs(batch_8, changed[i]))
            fail_msg("case %zu", i);
    }
}

/* Most of the step has other rows, and an op has as many as before. */
static void ops_that_count_as_before_speak_against_it(void **state)
{
    (void)state;
    const struct planned padded[] = {{"flash", "bf16[8,1088,512]", 550, 1, 53.1},
                                     {"mlp", "bf16[8,1024,512]", 300, 1, 30},
                                     {"adam", "f32[512,512]", 100, 1, 0},
                                     {0}};
    const struct planned plain[] = {{"flash", "bf16[8,1024,512]", 550, 1, 50},
                                    {"mlp", "bf16[8,1024,512]", 300, 1, 30},
                                    {"adam", "f32[512,512]", 100, 1, 0},
                                    {0}};
    assert_false(differs(plain, padded));
}

static void fewer_rounds_of_accumulation_are_other_work(void **state)
{
    (void)state;
    const struct planned rounds[] = {
        {"mlp", "bf16[8,1024,512]", 500, 8, 50}, {"adam", "f32[512,512]", 100, 1, 1}, {0}};
    const struct planned fewer[] = {
        {"mlp", "bf16[8,1024,512]", 250, 4, 25}, {"adam", "f32[512,512]", 100, 1, 1}, {0}};
    assert_true(differs(rounds, fewer));
}

static void the_same_work_otherwise_is_no_other_work(void **state)
{
    (void)state;
    /* Sharded over the model instead of the batch. */
    const struct planned sharded[] = {{"mlp", "bf16[16,1024,256](bf16[16,1024,256])", 500, 1, 50},
                                      {"attn", "bf16[16384,256]", 300, 2, 30},
                                      {"adam", "f32[256,512]", 100, 1, 1},
                                      {0}};
    /* In halves, twice: a chunked loss. */
    const struct planned chunked[] = {{"mlp", "bf16[4,1024,512](bf16[4,1024,512])", 500, 2, 50},
                                      {"attn", "bf16[4096,512]", 300, 4, 30},
                                      {"adam", "f32[512,512]", 200, 1, 1},
                                      {0}};
    const struct planned without[] = {{"mlp", "bf16[8,1024,512](bf16[8,1024,512])", 500, 1, 50},
                                      {"adam", "f32[512,512]", 200, 1, 1},
                                      {0}};
    const struct planned padded[] = {{"mlp", "bf16[8,1024,520](bf16[8,1024,520])", 500, 1, 51},
                                     {"attn", "bf16[8192,520]", 300, 2, 30.5},
                                     {"adam", "f32[520,520]", 200, 1, 1},
                                     {0}};
    assert_false(differs(batch_8, batch_8));
    assert_false(differs(batch_8, sharded));
    assert_false(differs(batch_8, chunked));
    assert_false(differs(batch_8, without));
    assert_false(differs(batch_8, padded));
}

static void profiles_without_shapes_tell_nothing(void **state)
{
    (void)state;
    const struct planned kernels[] = {{"gemm", NULL, 500, 1, 0}, {0}};
    const struct planned fewer[] = {{"gemm", NULL, 250, 0.5, 0}, {0}};
    const struct planned none[] = {{0}};
    assert_false(differs(kernels, fewer));
    assert_false(differs(kernels, none));
    assert_false(differs(batch_8, none));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_the_batch_is_other_work),
        cmocka_unit_test(a_batch_of_nearly_the_same_size_is_other_work),
        cmocka_unit_test(nearly_the_same_shapes_of_a_changed_program_are_compared),
        cmocka_unit_test(ops_that_count_as_before_speak_against_it),
        cmocka_unit_test(fewer_rounds_of_accumulation_are_other_work),
        cmocka_unit_test(the_same_work_otherwise_is_no_other_work),
        cmocka_unit_test(profiles_without_shapes_tell_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
