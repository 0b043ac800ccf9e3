/* An answer is whole, or it is said that it is more than the budget: with budgets from next to
 * nothing to enough, for each form of a question.
 */
#include "ops/present/query/query.h"

#include "ops/runtime/json.h"
#include "tests/support/document_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ENOUGH_BYTES = 1 << 20 };

static struct summary summary, baseline;

static json_t *answer_within(const char *question, size_t budget, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, budget);
    json_t *answer = query_answer(&summary, &baseline, question, 2, &arena, err);
    assert_true(arena.peak_bytes <= ENOUGH_BYTES);
    return answer;
}

static void answers_wholly_or_says_that_it_is_too_much(void **state)
{
    (void)state;
    static const char *const questions[] = {
        "top ops",      "comm vs compute", "collective", "gap before fusion", "gap context",
        "regions",      "memory-bound",    "compare",    "what next",         "slowest steps",
        "step 7",       "steps",           "devices",    "warnings",          "hardware",
        "what changed", "attention",       "xyzzy",
    };
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        struct err err = {0};
        bool refused = false;
        scoped_json *whole = answer_within(questions[i], ENOUGH_BYTES, &err);
        assert_non_null(whole);
        for (size_t budget = 1; budget <= ENOUGH_BYTES; budget *= 2) {
            scoped_json *answer = answer_within(questions[i], budget, &err);
            refused |= answer == NULL;
            if (answer == NULL)
                assert_int_equal(err.kind, ERR_LIMIT);
            else
                assert_true(json_equal(answer, whole));
        }
        assert_true(refused);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_wholly_or_says_that_it_is_too_much),
    };
    struct arena arenas[2];
    document_summary("present/slower.summary.json", &arenas[0], &summary);
    document_summary("present/baseline.summary.json", &arenas[1], &baseline);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t i = 0; i < 2; i++)
        arena_done(&arenas[i]);
    return failed;
}
