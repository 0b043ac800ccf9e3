/* Tests of the answers to "did it recompile": which steps, and whether they count; and to "how many
 * tokens a second": from which facts. */
#include "ops/present/query/query.h"

#include "ops/runtime/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

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
         "The host compiled during 2 steps, 1 of them left out of the figures: 1 of 9 steady steps "
         "has the host compiling in it (recompilation)."},
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

/* Traces of PyTorch do not say it by themselves: that no step has it is then no zero. */
static void says_why_compiling_is_not_known(void **state)
{
    (void)state;
    struct err err = {0};
    scoped_arena arena;
    struct step_row row = {.number = 3};
    const struct summary summary = {.has_ours = true,
                                    .steps = {.rows = &row, .count = 1},
                                    .has_measured = true,
                                    .measured.compile_absent = "no event tells it"};
    arena_init(&arena, ARENA_BYTES);
    for (int compiled = 0; compiled <= 1; compiled++) {
        row.host_compiled = compiled;
        scoped_json *answer =
            query_answer(&summary, NULL, "did it recompile?", TOP_K, &arena, &err);
        const char *details = json_string_value(json_object_get(answer, "details"));
        assert_int_equal(json_is_null(json_object_get(answer, "steps")), !compiled);
        assert_int_equal(json_object_get(answer, "answer") != NULL, compiled);
        if (!compiled)
            assert_string_equal(details, "No step tells that the host compiled in it, and whether "
                                         "it did is not known: no event tells it.");
    }
}

/* What a person told is multiplied, with its source; what nobody told is asked for. */
static void multiplies_what_is_known(void **state)
{
    (void)state;
    static const struct {
        const char *batch, *sequence;
        double samples, tokens; /* 0: not said */
        const char *says;
    } cases[] = {
        {"16", "2048", 400, 819200,
         "819,200 tokens a second, 204,800 on each of 4 devices: global batch size 16 (--meta) x "
         "sequence length 2048 (--meta) by the median step of 40.00 ms; padding counts, and time "
         "between steps does not."},
        {"16", NULL, 400, 0,
         "400 samples a second: global batch size 16 (--meta) by the median step of 40.00 ms. The "
         "sequence length was not given (--meta sequence=N, or --config-file): times it these are "
         "tokens a second."},
        {"a lot", "2048", 0, 0, NULL},
        {"0", "2048", 0, 0, NULL},
        {NULL, NULL, 0, 0, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err err = {0};
        scoped_arena arena;
        struct fact facts[2];
        struct summary summary = {.has_ours = true,
                                  .steps.steady_median_us = {true, 40000},
                                  .environment = {.facts = facts, .device_count = {true, 4}}};
        arena_init(&arena, ARENA_BYTES);
        if (cases[i].batch != NULL)
            facts[summary.environment.fact_count++] =
                (struct fact){"batch", cases[i].batch, "--meta"};
        if (cases[i].sequence != NULL)
            facts[summary.environment.fact_count++] =
                (struct fact){"sequence", cases[i].sequence, "--meta"};
        scoped_json *answer =
            query_answer(&summary, NULL, "how many tokens per second?", TOP_K, &arena, &err);
        const char *says = json_string_value(json_object_get(answer, "answer"));
        assert_float_equal(json_number_value(json_object_get(answer, "steps_per_second")), 25,
                           1e-9);
        assert_float_equal(json_number_value(json_object_get(answer, "samples_per_second")),
                           cases[i].samples, 1e-6);
        assert_float_equal(json_number_value(json_object_get(answer, "tokens_per_second")),
                           cases[i].tokens, 1e-6);
        if (cases[i].says == NULL)
            assert_non_null(json_object_get(answer, "details"));
        else
            assert_string_equal(says, cases[i].says);
    }
}

/* What a step costs is the time to the next one, in steps as in tokens a second. */
static void counts_time_between_steps(void **state)
{
    (void)state;
    struct err err = {0};
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    struct step_row rows[3] = {0};
    for (int i = 0; i < 3; i++)
        rows[i] = (struct step_row){.number = i,
                                    .max_ps = 40000000000,
                                    .has_period = i < 2,
                                    .period_ps = i < 2 ? 50000000000 : 0};
    struct fact facts[] = {{"batch", "16", "--meta"}, {"sequence", "2048", "--meta"}};
    struct summary summary = {
        .has_ours = true,
        .steps = {.rows = rows, .count = 3, .steady_count = 3, .steady_median_us = {true, 40000}},
        .environment = {.facts = facts, .fact_count = 2, .device_count = {true, 4}}};
    scoped_json *answer =
        query_answer(&summary, NULL, "how many tokens per second?", TOP_K, &arena, &err);
    assert_float_equal(json_number_value(json_object_get(answer, "steps_per_second")), 20, 1e-9);
    assert_float_equal(json_number_value(json_object_get(answer, "tokens_per_second")),
                       20 * 16 * 2048, 1e-6);
    assert_non_null(strstr(json_string_value(json_object_get(answer, "answer")),
                           "by the median time from step to step of 50.00 ms; padding counts."));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_steps_that_compile_again),
        cmocka_unit_test(says_why_compiling_is_not_known),
        cmocka_unit_test(multiplies_what_is_known),
        cmocka_unit_test(counts_time_between_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
