/* Tests of questions: their text rules, which form they have, and the answers of ours. The
 * reference tool's answers are compared with its own output in tests/e2e/golden_commands_test.py.
 */
#include "ops/present/query/query.h"
#include "ops/present/query/question.h"

#include "ops/runtime/json.h"
#include "tests/support/document_fixture.h"
#include "tests/support/summary_fixture.h"
#include "tests/support/golden_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT_BYTES = 1 << 20, TOP_K = 10 };

static const char FULL[] = "present/slower.summary.json";

static void check_phrase(struct phrase phrase, const char *wanted)
{
    if (phrase.length != strlen(wanted) || memcmp(phrase.start, wanted, phrase.length) != 0)
        fail_msg("'%.*s' is not '%s'", (int)phrase.length, phrase.start, wanted);
}

/* As the reference: quotes, blanks, a leading `op` and what ends a question go. */
static void cleans_targets(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {" fusion.1? ", "fusion.1"},
        {"`'\"x\"'`", "x"},
        {"op x", "x"},
        {"operation  x", "x"},
        {"op op x", "op x"},
        {"'op 'x'", "'x"},
        {"op", "op"},
        {"?! ,.", ""},
        {"OP x", "x"},
        {"\xe2\x80\xaf . x . \xc2\xa0", "x"},
        {"opx", "opx"},
        {"? . \t ' x", "x"},
        {"op\tx", "x"},
        {"operation\xc2\xa0\n x", "x"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_phrase(phrase_clean(phrase_of(cases[i][0])), cases[i][1]);
}

static void finds_what_follows_a_whole_word(void **state)
{
    (void)state;
    static const struct {
        const char *question, *rest; /* rest NULL: nothing */
    } cases[] = {
        {"gap before x", "x"},
        {"gap beforehand x", NULL},
        {"BEFORE x", "x"},
        {"a_before x", NULL},
        {"beforehand before y", "y"},
        {"before before.2", "before.2"},
        {"before?!", NULL},
        {"before", NULL},
        {"\xc3\xa9"
         "before x",
         NULL},
        {"\xe2\x86\x92"
         "before x",
         "x"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct phrase rest;
        bool found = question_after(cases[i].question, "before", &rest);
        assert_int_equal(found, cases[i].rest != NULL);
        if (found)
            check_phrase(rest, cases[i].rest);
    }
}

static void finds_names_with_a_number(void **state)
{
    (void)state;
    static const struct {
        const char *question, *token;
    } cases[] = {
        {"gap context fusion.1", "fusion.1"},
        {"xfusion.1y", NULL},
        {"1fusion.1 a_b.22", "a_b.22"},
        {"a.1.2", "a.1"},
        {"copy.12x copy.3", "copy.3"},
        {"_.7", "_.7"},
        {"fusion.", NULL},
        {".1", NULL},
        {"\xc3\xa9"
         "fusion.1 b.2",
         "b.2"},
        {"a.\xd9\xa3", "a.\xd9\xa3"}, /* a digit of another script */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct phrase token;
        bool found = question_op_token(cases[i].question, &token);
        assert_int_equal(found, cases[i].token != NULL);
        if (found)
            check_phrase(token, cases[i].token);
    }
}

static void compares_without_regard_to_case(void **state)
{
    (void)state;
    assert_true(phrase_equals(phrase_of("FUSION.1"), "fusion.1"));
    assert_false(phrase_equals(phrase_of("fusion"), "fusion.1"));
    assert_true(phrase_within(phrase_of("SION"), "fusion.1"));
    assert_true(phrase_within(phrase_of(""), "x"));
    assert_true(phrase_equals(phrase_of("\xe2\x84\xaa"), "k")); /* the Kelvin sign */
    assert_true(phrase_is_word_of(phrase_of("mlp"), "jit(f)/MLP/dot"));
    assert_false(phrase_is_word_of(phrase_of("ml"), "jit(f)/mlp/dot"));
}

static json_t *ask(const char *question, const char *baseline, int64_t top_k)
{
    struct err err = {0};
    struct summary summary, before;
    scoped_arena arena;
    scoped_arena before_arena = {0};
    document_summary(FULL, &arena, &summary);
    if (baseline != NULL)
        document_summary(baseline, &before_arena, &before);
    json_t *answer =
        query_answer(&summary, baseline == NULL ? NULL : &before, question, top_k, &arena, &err);
    if (answer == NULL)
        fail_msg("%s: %s", question, err.text);
    return answer;
}

static const struct {
    const char *question, *query_type;
    bool unrecognized;
} forms_of[] = {
    {"What are the top ops?", "top_ops", false},
    {"what stopped", "top_ops", false},
    {"communication vs compute", "compute_vs_communication", false},
    {"collectives", "collective_breakdown", false},
    {"gap before x", "pre_op_gap", false},
    {"gap context", "gap_region_context", false},
    {"regions", "hierarchical_regions", false},
    {"memory-bound?", "bound_analysis", false},
    {"did it regress", "comparison_hint", false},
    {"What should we try next?", "optimization_candidates", false},
    {"", "optimization_candidates", false},
    {"  ", "optimization_candidates", false},
    {"xyzzy", "optimization_candidates", true},
    {"?", "optimization_candidates", true},
    {"context for fusion.7", "optimization_candidates", true},
    {"steps 3 to 5", "step", false},
    {"MFU of step 3", "step", false},
    {"how much is exposed", "communication_overlap", false},
    {"which device has exposed time", "devices", false},
    {"how much time is data_load", "by_name", false},
    {"memory of device 1", "device_memory", false},
    {"which steps are slowest", "slowest_steps", false},
    {"slow steps", "slowest_steps", false},
    {"step 7", "step", false},
    {"show me step #7", "step", false},
    {"Show steps 7!", "step", false},
    {"how long is a step", "steps", false},
    {"which device is slowest", "devices", false},
    {"is a host slow?", "hosts", false},
    {"which host is slow", "hosts", false},
    {"memory bound", "roofline", false},
    {"is it bandwidth limited?", "roofline", false},
    {"backward pass", "phases", false},
    {"MFU", "mfu", false},
    {"how much is recomputed", "recomputation", false},
    {"what is the peak memory", "peak_memory", false},
    {"how much HBM do we use", "peak_memory", false},
    {"is it input bound", "waits", false},
    {"is it memory bound?", "roofline", false},
    {"are the collectives overlapped", "communication_overlap", false},
    {"host to device transfers", "transfers", false},
    {"idle", "waits", false},
    {"what changed?", "what_changed", false},
    {"what is different", "what_changed", false},
    {"tokens per second", "throughput", false},
    {"is it slower than main", "what_changed", false},
    {"why is it slower", "what_changed", false},
    {"which op got slower", "what_changed", false},
    {"which device is slower", "devices", false},
    {"did it recompile", "compilation", false},
    {"any warnings", "coverage", false},
    {"jax version", "environment", false},
    {"how long does attention take", "by_name", false},
    {"fusion.12", "by_name", false},
    {"time in MLP", "by_name", false},
    {"what is slow", "time_spent", false},
    {"why is my job slow", "time_spent", false},
    {"where does the time go?", "time_spent", false},
    {"what takes the most time", "time_spent", false},
    {"slowest op", "time_spent", false},
    {"what dominates", "time_spent", false},
    {"how fast is it", "steps", false},
    {"how much memory", "peak_memory", false},
    {"what can I do to make it faster", "optimization_candidates", false},
    {"how do I speed it up", "optimization_candidates", false},
};

enum { FORM_COUNT = sizeof forms_of / sizeof *forms_of };

static void knows_the_form_of_a_question(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORM_COUNT; i++) {
        scoped_json *answer = ask(forms_of[i].question, NULL, TOP_K);
        const char *type = json_string_value(json_object_get(answer, "query_type"));
        if (strcmp(type, forms_of[i].query_type) != 0)
            fail_msg("'%s' is %s, not %s", forms_of[i].question, type, forms_of[i].query_type);
        bool unrecognized = json_is_false(json_object_get(answer, "recognized"));
        if (unrecognized != forms_of[i].unrecognized)
            fail_msg("'%s': recognized is wrong", forms_of[i].question);
    }
}

static void check_answer(const char *question, const char *baseline, int64_t top_k,
                         const char *golden)
{
    scoped_json *answer = ask(question, baseline, top_k);
    scoped_text out;
    text_init(&out, TEXT_BYTES);
    json_print(answer, JSON_STYLE_INDENTED, &out);
    golden_check(golden, text_string(&out));
}

static void answers_about_steps(void **state)
{
    (void)state;
    check_answer("slowest steps", NULL, 2, "present/query_slowest_steps.json");
    check_answer("step 7", NULL, TOP_K, "present/query_step.json");
    check_answer("step 99", NULL, TOP_K, "present/query_step_missing.json");
}

/* The details of an answer about a summary without rows; NULL when it has none. */
static void check_details(bool has_ours, const char *question, const char *wanted)
{
    struct err err;
    scoped_arena arena;
    const struct summary summary = {.has_ours = has_ours};
    arena_init(&arena, TEXT_BYTES);
    scoped_json *answer = query_answer(&summary, NULL, question, TOP_K, &arena, &err);
    assert_non_null(answer);
    const char *details = json_string_value(json_object_get(answer, "details"));
    if (wanted == NULL)
        assert_null(details);
    else
        assert_non_null(strstr(details, wanted));
}

static void says_why_there_is_nothing_to_show(void **state)
{
    (void)state;
    static const char *const questions[] = {"slowest steps",      "step 3",
                                            "how long is a step", "which device is slowest",
                                            "any warnings",       "jax version"};
    enum { ABOUT_ROWS = 4 };
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        check_details(false, questions[i], "another tool");
        check_details(true, questions[i], i < ABOUT_ROWS ? "none that was recognised" : NULL);
    }
}

static void answers_about_devices(void **state)
{
    (void)state;
    check_answer("which device is slowest?", NULL, 2, "present/query_devices.json");
}

static void answers_where_the_time_goes(void **state)
{
    (void)state;
    check_answer("where does the time go?", NULL, 3, "present/query_time_spent.json");
}

static void answers_about_a_name(void **state)
{
    (void)state;
    check_answer("how long does attention take?", NULL, TOP_K, "present/query_by_name.json");
}

static void answers_what_changed(void **state)
{
    (void)state;
    check_answer("what changed?", "present/baseline.summary.json", 3, "present/query_changed.json");
}

/* What a document says in one place it does not deny in another. */
static void names_no_balance_beside_what_dominates(void **state)
{
    (void)state;
    struct err err = {0};
    struct optimization_candidate balanced = {
        .candidate_id = "no-dominant-bottleneck", .title = "t", .rationale = "r"};
    struct device_row device = {.name = "d", .window_ps = 100, .busy_ps = 90, .compute_ps = 86};
    struct summary summary = {.has_ours = true,
                              .optimization_candidates = &balanced,
                              .optimization_candidate_count = 1,
                              .devices = &device,
                              .device_count = 1};
    for (int i = 0; i <= 1; i++) {
        scoped_arena arena;
        arena_init(&arena, TEXT_BYTES);
        device.compute_ps = i == 0 ? 86 : 40;
        scoped_json *answer =
            query_answer(&summary, NULL, "what is the bottleneck?", TOP_K, &arena, &err);
        const json_t *results = json_object_get(answer, "results");
        const char *dominant = json_string_value(json_object_get(answer, "dominant"));
        assert_int_equal(json_array_size(results), i);
        if (i == 0)
            assert_string_equal(dominant, "compute takes 86.0 % of the devices' windows");
        else
            assert_null(dominant);
    }
}

/* All wait for the slowest host in collectives: steps are equal, work is not. */
static void names_the_host_that_works_longest(void **state)
{
    (void)state;
    static const int64_t free_ps[] = {0, 0, 900, 900};
    for (int waits = 0; waits <= 1; waits++) {
        scoped_arena arena;
        struct summary_plan plan;
        struct err err = {0};
        arena_init(&arena, TEXT_BYTES);
        summary_plan_default(&plan);
        plan.host_count = 2;
        struct summary *summary = (struct summary *)summary_make(&arena, &plan);
        for (size_t i = 0; i < summary->device_count; i++) {
            struct device_row *device = &summary->devices[i];
            device->host = i < 2 ? "alpha" : "beta";
            device->window_ps = 10000;
            device->busy_ps = 9900;
            device->exposed_comm_ps = waits == 1 ? 1000 - free_ps[i] : 100;
            device->steady_step_median_ps += waits == 0 && i == 2;
        }
        scoped_json *hosts = query_answer(summary, NULL, "which host is slow", TOP_K, &arena, &err);
        scoped_json *row = query_answer(summary, NULL, "slowest device", TOP_K, &arena, &err);
        const char *host = json_string_value(json_object_get(hosts, "slowest"));
        if (host == NULL) { /* +0.00 % makes nobody the slowest */
            assert_int_equal(waits, 0);
            assert_non_null(strstr(json_string_value(json_object_get(hosts, "answer")), "No host"));
            assert_null(json_string_value(json_object_get(row, "slowest")));
            continue;
        }
        assert_string_equal(host, "beta");
        assert_string_equal(json_string_value(json_object_get(hosts, "by")), "work");
        assert_float_equal(json_number_value(json_object_get(hosts, "skew_pct")),
                           100.0 * 900 / 8900, 0.01);
        assert_string_equal(json_string_value(json_object_get(row, "slowest")),
                            summary->devices[2].name);
    }
}

static void calls_nothing_dominant_of_which_nothing_is_known(void **state)
{
    (void)state;
    struct err err = {0};
    scoped_arena arena;
    arena_init(&arena, TEXT_BYTES);
    const struct summary summary = {.has_ours = true};
    scoped_json *answer = query_answer(&summary, NULL, "is communication or compute dominating?",
                                       TOP_K, &arena, &err);
    assert_string_equal(json_string_value(json_object_get(answer, "dominant")),
                        "unknown_from_this_file");
    struct device_row device = {
        .name = "d", .window_ps = 100, .busy_ps = 95, .compute_ps = 10, .exposed_copy_ps = 80};
    const struct summary copying = {.has_ours = true, .devices = &device, .device_count = 1};
    scoped_json *copies = query_answer(&copying, NULL, "is communication or compute dominating?",
                                       TOP_K, &arena, &err);
    assert_string_equal(json_string_value(json_object_get(copies, "dominant")), "copies");
}

/* Known, or why not: never an answer to another question. */
static void answers_what_people_ask_or_says_why_not(void **state)
{
    (void)state;
    static const char *const questions[] = {
        "is it memory bound?",      "how long is the backward pass?",
        "what is the MFU?",         "are the collectives overlapped?",
        "host to device transfers", "which host is slow?",
    };
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        scoped_json *answer = ask(questions[i], NULL, TOP_K);
        const char *known = json_string_value(json_object_get(answer, "answer"));
        const char *result = json_string_value(json_object_get(answer, "result"));
        const char *why = json_string_value(json_object_get(answer, "details"));
        assert_null(json_object_get(answer, "recognized"));
        assert_true((known != NULL) != (result != NULL));
        if (known == NULL) {
            assert_string_equal(result, "unknown_from_this_file");
            assert_non_null(why);
        }
    }
}

static void says_what_a_comparison_needs(void **state)
{
    (void)state;
    scoped_json *answer = ask("what changed?", NULL, TOP_K);
    assert_non_null(strstr(json_string_value(json_object_get(answer, "details")),
                           "Give the summary to compare with: --baseline SUMMARY."));
}

/* A list without rows has a sentence beside it, whoever's form it is. */
static void says_that_nothing_was_found(void **state)
{
    (void)state;
    static const char *const questions[] = {"show context for op nothing.9", "gap before nothing.9",
                                            "context for copy nothing.9"};
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        scoped_json *answer = ask(questions[i], NULL, TOP_K);
        assert_non_null(strstr(json_string_value(json_object_get(answer, "details")),
                               "None of that is in the profile"));
    }
    scoped_json *found = ask("What are the top ops?", NULL, TOP_K);
    assert_null(json_object_get(found, "details"));
}

static void lists_the_forms_with_questions_that_have_them(void **state)
{
    (void)state;
    scoped_json *forms = query_forms();
    for (size_t i = 0; i < json_array_size(forms); i++) {
        json_t *form = json_array_get(forms, i);
        const char *question = json_string_value(json_object_get(form, "question"));
        const char *type = json_string_value(json_object_get(form, "query_type"));
        size_t asked = 0;
        while (asked < FORM_COUNT && strcmp(forms_of[asked].query_type, type) != 0)
            asked++;
        if (asked == FORM_COUNT)
            fail_msg("no question of forms_of is of %s: how else do people ask it?", type);
        /* The example names an op that this profile does not have. */
        bool names = strcmp(type, "by_name") == 0;
        scoped_json *answer = ask(names ? "fusion.7" : question, NULL, 1);
        assert_true(
            json_equal(json_object_get(answer, "query_type"), json_object_get(form, "query_type")));
        assert_null(json_object_get(answer, "recognized"));
    }
}

static void takes_any_bytes_for_a_question(void **state)
{
    (void)state;
    static const char *const questions[] = {"gap before \xff\xfe", "\xf0\x9f", "step \xc3",
                                            "before"};
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        scoped_json *answer = ask(questions[i], NULL, TOP_K);
        assert_true(json_is_object(answer));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cleans_targets),
        cmocka_unit_test(finds_what_follows_a_whole_word),
        cmocka_unit_test(finds_names_with_a_number),
        cmocka_unit_test(compares_without_regard_to_case),
        cmocka_unit_test(knows_the_form_of_a_question),
        cmocka_unit_test(answers_about_steps),
        cmocka_unit_test(answers_about_devices),
        cmocka_unit_test(names_the_host_that_works_longest),
        cmocka_unit_test(calls_nothing_dominant_of_which_nothing_is_known),
        cmocka_unit_test(answers_where_the_time_goes),
        cmocka_unit_test(answers_about_a_name),
        cmocka_unit_test(says_why_there_is_nothing_to_show),
        cmocka_unit_test(answers_what_changed),
        cmocka_unit_test(says_what_a_comparison_needs),
        cmocka_unit_test(names_no_balance_beside_what_dominates),
        cmocka_unit_test(answers_what_people_ask_or_says_why_not),
        cmocka_unit_test(says_that_nothing_was_found),
        cmocka_unit_test(lists_the_forms_with_questions_that_have_them),
        cmocka_unit_test(takes_any_bytes_for_a_question),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
