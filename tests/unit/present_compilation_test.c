/* Tests of the answer to "did it recompile": which steps, and whether they count. */
#include "ops/present/query.h"

#include "ops/runtime/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { ARENA_BYTES = 1 << 20, TOP_K = 5 };

/* A program compiled again is told of steps that count, too. */
static void tells_steps_that_compile_again(void **state)
{
    (void)state;
    static const struct {
        unsigned compiled, warmup;
        const char *says;
    } cases[] = {
        {0, 0,
         "No step of this capture has the host compiling in it, as far as the host was "
         "traced (host_tracer_level 1 or more)."},
        {1, 1, "The host compiled during 1 step, 1 of them left out of the figures."},
        {2 + 16, 0,
         "The host compiled during 2 steps: 2 of 10 steps have the host compiling in "
         "them (recompilation)."},
        {1 + 16, 1,
         "The host compiled during 2 steps, 1 of them left out of the figures: 1 of 10 steps has "
         "the host compiling in them (recompilation)."},
        {1023, 0,
         "The host compiled during 10 steps: 10 of 10 steps have the host compiling in "
         "them (recompilation)."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err err = {0};
        scoped_arena arena;
        struct step_row rows[10];
        const struct summary summary = {.has_ours = true, .steps = {.rows = rows, .count = 10}};
        arena_init(&arena, ARENA_BYTES);
        for (unsigned k = 0; k < 10; k++)
            rows[k] = (struct step_row){.number = k,
                                        .host_compiled = cases[i].compiled >> k & 1,
                                        .warmup = cases[i].warmup >> k & 1};
        scoped_json *answer =
            query_answer(&summary, NULL, "did it recompile?", TOP_K, &arena, &err);
        assert_string_equal(json_string_value(json_object_get(answer, "answer")), cases[i].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_steps_that_compile_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
