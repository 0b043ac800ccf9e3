/* Questions that the ledger's verdict answers: which they are, and what it says. */
#include "ops/present/query/query_verdict.h"
#include "ops/runtime/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { TOP_K = 10 };

/* A question about the verdict is one where the ledger has one. */
static void knows_who_asks_for_the_verdict(void **state)
{
    (void)state;
    assert_true(query_asks_for_verdict("Why is it slower?"));
    assert_true(query_asks_for_verdict("why did it fail"));
    assert_true(query_asks_for_verdict("is it slower than main"));
    assert_true(query_asks_for_verdict("how much slower"));
    assert_true(query_asks_for_verdict("by how much is it faster"));
    assert_false(query_asks_for_verdict("how much time is compute"));
    assert_true(query_asks_for_verdict("what is the reason for the red check"));
    assert_false(query_asks_for_verdict("which host is slow?"));
    assert_false(query_asks_for_verdict("why are there gaps"));
}

static void knows_who_asks_for_changes(void **state)
{
    (void)state;
    static const char *const of_change[] = {"Which op got slower?", "what changed",
                                            "which kernel is faster", "what regressed",
                                            "how did the step time get longer"};
    static const char *const others[] = {"gap before fusion.1",
                                         "top ops",
                                         "which steps are slower",
                                         "what should I optimize to make it faster",
                                         "are the collectives overlapped",
                                         "which host is slow"};
    for (size_t i = 0; i < sizeof of_change / sizeof of_change[0]; i++)
        assert_true(query_asks_for_change(of_change[i]));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(query_asks_for_change(others[i]));
}

static const char *text_at(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

/* The names of a list of rows, one behind the other. */
static void check_names(const json_t *list, const char *names)
{
    char found[64] = "";
    for (size_t i = 0; i < json_array_size(list); i++)
        (void)strncat(found, text_at(json_array_get(list, i), "name"),
                      sizeof found - strlen(found) - 1);
    assert_string_equal(found, names);
}

static void part_check(const json_t *row, const char *runs, const char *of, const char *wanted)
{
    char text[32];
    const json_t *count = json_object_get(row, runs), *all = json_object_get(row, of);
    if (wanted == NULL) {
        assert_null(count);
        assert_null(all);
        return;
    }
    (void)snprintf(text, sizeof text, "%lld of %lld", (long long)json_integer_value(count),
                   (long long)json_integer_value(all));
    assert_string_equal(text, wanted);
}

/* In how many runs of a side it is; NULL: nothing is said. */
static void check_parts(const json_t *row, const char *before, const char *after)
{
    part_check(row, "before_runs", "before_runs_of", before);
    part_check(row, "after_runs", "after_runs_of", after);
}

/* A verdict has its own baseline: what it compared answers what changed, in the direction asked. */
static void answers_changes_by_the_verdict(void **state)
{
    (void)state;
    struct verdict_op ops[] = {
        {.name = "a",
         .change = "slower",
         .before_us = 10,
         .after_us = 15,
         .delta_us = 5,
         .before_runs = verdict_part_of(3, 6)},
        {.name = "b", .change = "added", .after_us = 2, .delta_us = 2},
        {.name = "c", .change = "faster", .before_us = 9, .after_us = 6, .delta_us = -3},
        {.name = "d", .change = "unchanged", .before_us = 9, .after_us = 9},
    };
    struct verdict_group groups[] = {
        {"host", "h0", 100, 110, 10, verdict_part_of(6, 6), verdict_part_of(2, 3)},
        {.kind = "phase", .name = "forward", .before_us = 5, .after_us = 6, .delta_us = 1}};
    struct verdict verdict = {.status = VERDICT_FAIL,
                              .baseline = {.why = "all 7 runs", .step_median_us = some_f64(100)},
                              .candidate = {.step_median_us = some_f64(104)},
                              .ops = ops,
                              .op_count = 4,
                              .groups = groups,
                              .group_count = 2};
    static const struct {
        const char *question, *ops, *groups;
    } cases[] = {{"Which op got slower?", "ab", ""},
                 {"which op got faster", "c", ""},
                 {"what changed", "abc", ""},
                 {"which host got slower", "ab", "h0"},
                 {"which phase got faster", "c", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        scoped_arena arena;
        arena_init(&arena, 1 << 20);
        scoped_json *answer =
            query_verdict_changes(&verdict, "v4", cases[i].question, TOP_K, &arena);
        assert_string_equal(text_at(answer, "verdict"), "v4");
        assert_string_equal(text_at(answer, "baseline"), "all 7 runs");
        check_names(json_object_get(answer, "ops"), cases[i].ops);
        check_names(json_object_get(answer, "groups"), cases[i].groups);
        check_parts(json_array_get(json_object_get(answer, "ops"), 0),
                    cases[i].ops[0] == 'a' ? "3 of 6" : NULL, NULL);
        if (cases[i].groups[0] != '\0')
            check_parts(json_array_get(json_object_get(answer, "groups"), 0), NULL, "2 of 3");
    }
}

static void check_answer(const json_t *answer, const struct verdict *verdict, const char *words)
{
    const char *accepted = text_at(answer, "accepted"), *beyond = text_at(answer, "beyond");
    assert_string_equal(text_at(answer, "status"), verdict_status_names[verdict->status]);
    assert_string_equal(accepted == NULL ? "" : accepted,
                        verdict->accepted == NULL ? "" : verdict->accepted);
    assert_string_equal(beyond == NULL ? "" : beyond,
                        verdict->beyond == NULL ? "" : verdict->beyond);
    assert_string_equal(text_at(answer, "answer"), words);
}

/* What people said stands first, before a sentence that goes on and before one of its own. */
static void says_what_people_said_of_the_verdict(void **state)
{
    (void)state;
    struct verdict_reason differs = {"device_count_differs", "The devices differ."};
    static const struct {
        const char *accepted, *beyond;
        enum verdict_status status;
        const char *words;
    } cases[] = {
        {NULL, NULL, VERDICT_FAIL, "step time 100.0 µs -> 104.0 µs (+4.0 %): The devices differ."},
        {"agreed (by ada, of v3)", NULL, VERDICT_FAIL,
         "Accepted, and no longer in the way: agreed (by ada, of v3); "
         "step time 100.0 µs -> 104.0 µs (+4.0 %): The devices differ."},
        {NULL, "v3 was accepted", VERDICT_INCOMPARABLE,
         "More than was accepted: v3 was accepted. The devices differ."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        scoped_arena arena;
        arena_init(&arena, 1 << 20);
        const struct verdict verdict = {.status = cases[i].status,
                                        .accepted = cases[i].accepted,
                                        .beyond = cases[i].beyond,
                                        .reasons = &differs,
                                        .reason_count = 1,
                                        .baseline = {.step_median_us = some_f64(100)},
                                        .candidate = {.step_median_us = some_f64(104)}};
        scoped_json *why = query_verdict(&verdict, "v4", &arena);
        scoped_json *changes = query_verdict_changes(&verdict, "v4", "what changed", TOP_K, &arena);
        check_answer(why, &verdict, cases[i].words);
        check_answer(changes, &verdict, cases[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_who_asks_for_the_verdict),
        cmocka_unit_test(knows_who_asks_for_changes),
        cmocka_unit_test(answers_changes_by_the_verdict),
        cmocka_unit_test(says_what_people_said_of_the_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
