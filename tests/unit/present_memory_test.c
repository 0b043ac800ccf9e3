/* Torture: every allocation of jansson fails once, one after the other, until none is left to fail.
 * What makes documents says so and leaks nothing (the sanitizers see to that).
 */
#include "ops/present/report/history_report.h"
#include "ops/present/query/query.h"

#include "ops/runtime/json.h"
#include "tests/support/document_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROUNDS_MAX = 100000, ARENA_BYTES = 1 << 20 };

static long allocations_left; /* below 0: all succeed */

static void *failing_malloc(size_t size)
{
    if (allocations_left == 0)
        return NULL;
    allocations_left -= allocations_left > 0;
    return malloc(size);
}

/* What is tried: makes a document, NULL and *err when it could not. */
typedef json_t *(*maker)(struct err *err);

static struct summary summary, baseline;
static struct verdict verdict;
static const char *question;

static void check_every_failure(maker make)
{
    for (long round = 0; round < ROUNDS_MAX; round++) {
        struct err err = {0};
        allocations_left = round;
        scoped_json *document = make(&err);
        bool had_all = allocations_left > 0;
        allocations_left = -1;
        if (document == NULL)
            assert_int_equal(err.kind, ERR_FULL);
        if (document != NULL && had_all)
            return;
    }
    fail_msg("%s", "it never ends");
}

static json_t *make_summary(struct err *err)
{
    return summary_to_json(&summary, err);
}

static json_t *make_verdict(struct err *err)
{
    return verdict_to_json(&verdict, err);
}

static json_t *make_answer(struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    return query_answer(&summary, &baseline, question, 2, &arena, err);
}

static json_t *make_history(struct err *err)
{
    static const char text[] =
        "{\"assessment\": {\"status\": \"fail\", \"failures\": [\"a\", \"b\"]}}\n"
        "{\"assessment\": {\"status\": \"pass\", \"warnings\": [\"c\"]}}\n";
    json_t *answer = history_summary(text, sizeof text - 1, "h.jsonl", 5, err);
    if (answer == NULL && err->kind == ERR_INPUT)
        err->kind = ERR_FULL; /* the parser cannot tell why it stopped */
    return answer;
}

static void says_when_a_summary_cannot_be_written(void **state)
{
    (void)state;
    check_every_failure(make_summary);
}

static void says_when_a_verdict_cannot_be_written(void **state)
{
    (void)state;
    check_every_failure(make_verdict);
}

static void says_when_a_question_cannot_be_answered(void **state)
{
    (void)state;
    static const char *const questions[] = {
        "top ops",      "comm vs compute", "collective", "gap before fusion", "gap context",
        "regions",      "memory-bound",    "compare",    "what next",         "slowest steps",
        "step 7",       "steps",           "devices",    "warnings",          "hardware",
        "what changed", "attention",       "xyzzy",
    };
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        question = questions[i];
        check_every_failure(make_answer);
    }
}

static void says_when_a_history_cannot_be_counted(void **state)
{
    (void)state;
    check_every_failure(make_history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_when_a_summary_cannot_be_written),
        cmocka_unit_test(says_when_a_verdict_cannot_be_written),
        cmocka_unit_test(says_when_a_question_cannot_be_answered),
        cmocka_unit_test(says_when_a_history_cannot_be_counted),
    };
    allocations_left = -1;
    json_set_alloc_funcs(failing_malloc, free);
    struct arena arenas[3];
    document_summary("present/slower.summary.json", &arenas[0], &summary);
    document_summary("present/baseline.summary.json", &arenas[1], &baseline);
    document_verdict("present/fail.verdict.json", &arenas[2], &verdict);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t i = 0; i < 3; i++)
        arena_done(&arenas[i]);
    return failed;
}
