/* Tests of alerts/message, clean and the webhook's body: what is said, what hostile names can do to
 * it, and the keys. */
#include "alerts/destination.h"
#include "alerts/message.h"
#include "ops/runtime/json.h"
#include "ops/runtime/text_harmless.h"

#include <math.h>
#include <stdlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MEMORY_BYTES = 8 << 20, BODY_MAX_BYTES = 20000 };

static void cleans(const char *from, size_t max_chars, const char *expected)
{
    scoped_text out;
    text_init(&out, 4096);
    clean_add(&out, from, max_chars, "absent");
    assert_string_equal(text_string(&out), expected);
}

static void makes_text_visible_and_one_line(void **state)
{
    (void)state;
    cleans("plain name_1.2", 100, "plain name_1.2");
    cleans(NULL, 100, "absent");
    cleans("", 100, "");
    cleans("a\nb\tc\r\nd\x0b\x0c", 100, "a b c  d  ");
    cleans("a\x01\x1b[31mred\x1b[0m\x7f", 100, "a[31mred[0m");
    cleans("NEL\xc2\x85 C1\xc2\x9b", 100, "NEL  C1");
    cleans("line\xe2\x80\xa8separator", 100, "line separator");
    cleans("abc\xe2\x80\xae"
           "dcb\xe2\x81\xa9",
           100, "abcdcb");
    cleans("zero\xe2\x80\x8bwidth\xef\xbb\xbf\xc2\xad", 100, "zerowidth");
    cleans("tag\xf3\xa0\x81\xa1", 100, "tag");
    cleans("\xff\xfe|\xc0\xaf|\xed\xa0\x80|\xf4\x90\x80\x80|\xe2\x82", 100,
           "\xef\xbf\xbd\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd|"
           "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd|\xef\xbf\xbd");
    cleans("\xf0\x9f\x98\x80", 100, "\xf0\x9f\x98\x80");
}

static void cuts_at_code_points_and_says_so(void **state)
{
    (void)state;
    cleans("abcd", 4, "abcd");
    cleans("abcde", 4, "abc…");
    cleans("äöüß!", 4, "äöü…");
    cleans("abcd\n\x01\x02", 5, "abcd ");
    cleans("abcd\x01\x02", 4, "abcd"); /* what is left out does not count */
    cleans("ab", 1, "…");
    cleans("ab", 0, "…");
    /* never within a number, nor between numbers that belong together */
    static const char line[] = "step time 412.3 ms -> 431.9 ms (+4.8 %): fusion.7 +18.9 ms/step";
    static const struct {
        size_t chars;
        const char *cut;
    } cuts[] = {{13, "step time …"},
                {17, "step time …"},
                {18, "step time …"},
                {19, "step time 412.3 ms…"},
                {24, "step time 412.3 ms …"},
                {29, "step time 412.3 ms …"},
                {34, "step time 412.3 ms -> 431.9 ms …"},
                {29, "step time 412.3 ms …"},
                {38, "step time 412.3 ms -> 431.9 ms …"},
                {58, "step time 412.3 ms -> 431.9 ms (+4.8 %): fusion.7 …"}};
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++)
        cleans(line, cuts[i].chars, cuts[i].cut);
    cleans("", 0, "");
}

static struct verdict_op ops[] = {
    {.signature = "s",
     .name = "fusion.12",
     .category = "convolution",
     .change = "slower",
     .before_us = 100,
     .after_us = 119,
     .delta_us = 19,
     .delta_pct = {true, 19},
     .share_of_step = 0.0475},
    {.signature = "t",
     .name = "all-reduce",
     .category = "communication",
     .change = "faster",
     .before_us = 10,
     .after_us = 8.5,
     .delta_us = -1.5,
     .delta_pct = {true, -15},
     .share_of_step = -0.00375},
    {.signature = "u", .name = "copy.3", .change = "unchanged", .delta_us = 0.2},
};
static struct verdict_reason reasons[] = {
    {"step_median_regressed", "the median step grew by 4.8 %, more than 2 %"},
};

static struct verdict sample(void)
{
    static const char *baseline_ids[] = {"p1", "p2"}, *candidate_ids[] = {"p3"};
    struct verdict verdict = {
        .schema_version = "verdict.v1",
        .project = "llm",
        .workload = "pretrain",
        .series = "s1",
        .status = VERDICT_FAIL,
        .reasons = reasons,
        .reason_count = 1,
        .ops = ops,
        .op_count = 3,
        .evidence_sha256 = "e0",
        .created_at_utc = "2026-11-21T09:16:29Z",
    };
    verdict.baseline.profile_ids = (struct string_list){baseline_ids, 2};
    verdict.baseline.run_count = 2;
    verdict.baseline.branch = "main";
    verdict.baseline.step_median_us = some_f64(400.0);
    verdict.candidate.profile_ids = (struct string_list){candidate_ids, 1};
    verdict.candidate.run_count = 1;
    verdict.candidate.branch = "feature";
    verdict.candidate.commit = "abc123";
    verdict.candidate.step_median_us = some_f64(419.0);
    return verdict;
}

static const struct message_bounds bounds = {10, 10, 10, 300};

static void expect_headline(const struct verdict *verdict, const char *expected)
{
    scoped_text out;
    text_init(&out, 4096);
    message_headline_add(verdict, &bounds, &out);
    assert_string_equal(text_string(&out), expected);
}

static void says_it_all_in_one_sentence(void **state)
{
    (void)state;
    struct verdict verdict = sample();
    expect_headline(&verdict, "FAIL: llm/pretrain: step time 400.0 µs -> 419.0 µs (+4.8 %): "
                              "fusion.12 +19.0 µs/step");
    verdict.status = VERDICT_PASS;
    verdict.reason_count = 0;
    expect_headline(&verdict, "PASS: llm/pretrain: step time 400.0 µs -> 419.0 µs (+4.8 %): no "
                              "regression");
    verdict.status = VERDICT_WARN;
    verdict.reason_count = 1;
    verdict.ops[0].delta_us = -19;
    expect_headline(&verdict, "WARN: llm/pretrain: step time 400.0 µs -> 419.0 µs (+4.8 %): no op "
                              "or device was found that explains it");
    verdict.ops[0].delta_us = 19;
    verdict.baseline.step_median_us = some_f64(412345.6);
    verdict.candidate.step_median_us = some_f64(1431900.0);
    verdict.op_count = 0;
    expect_headline(&verdict, "WARN: llm/pretrain: step time 0.412 s -> 1.432 s (+247.3 %): no op "
                              "or device was found that explains it");
    verdict.baseline.step_median_us = some_f64(0);
    expect_headline(&verdict, "WARN: llm/pretrain: step time 0.000 s -> 1.432 s: the median step "
                              "grew by 4.8 %, more than 2 %");
}

static void says_why_where_nothing_could_be_judged(void **state)
{
    (void)state;
    struct verdict verdict = sample();
    verdict.status = VERDICT_INCOMPARABLE;
    expect_headline(&verdict,
                    "INCOMPARABLE: llm/pretrain: the median step grew by 4.8 %, more than 2 %");
    verdict.status = VERDICT_FAIL;
    verdict.candidate.step_median_us.set = false;
    expect_headline(&verdict, "FAIL: llm/pretrain: the median step grew by 4.8 %, more than 2 %");
    verdict.reason_count = 0;
    verdict.project = NULL;
    expect_headline(&verdict, "FAIL: -/pretrain: no reason was recorded");
}

static void says_the_details_line_by_line(void **state)
{
    (void)state;
    struct verdict verdict = sample();
    verdict.candidate.branch = NULL;
    scoped_text out;
    text_init(&out, 4096);
    message_text_add(&verdict, &(struct message_bounds){1, 1, 1, 300}, &out);
    assert_string_equal(text_string(&out),
                        "FAIL: llm/pretrain: step time 400.0 µs -> 419.0 µs (+4.8 %): "
                        "fusion.12 +19.0 µs/step\n"
                        "- the median step grew by 4.8 %, more than 2 %\n"
                        "  +19.0 µs per step: fusion.12 (slower)\n"
                        "  … and 1 more\n"
                        "candidate: 1 run, branch unknown, commit abc123\n"
                        "baseline: 2 runs, branch main\n");
}

/* Runs of many commits have none together; the one commit of a run may be unknown. What a bound
 * leaves out is counted. */
static void leaves_nothing_out_in_silence(void **state)
{
    (void)state;
    scoped_text out;
    struct verdict verdict = sample();
    /* The first is the sentence on top, and is not said twice. */
    struct verdict_reason four[] = {
        {"a", "The first."}, {"b", "second"}, {"c", "third"}, {"d", "fourth"}};
    verdict.reasons = four;
    verdict.reason_count = 4;
    verdict.op_count = 0;
    verdict.baseline.run_count = 1;
    verdict.candidate.run_count = 4;
    verdict.candidate.commit = NULL;
    text_init(&out, 4096);
    message_text_add(&verdict, &(struct message_bounds){1, 2, 1, 300}, &out);
    assert_non_null(strstr(text_string(&out), ": The first.\n- second\n- third\n… and 1 more\n"
                                              "candidate: 4 runs, branch feature\n"
                                              "baseline: 1 run, branch main, commit unknown\n"));
    verdict.status = VERDICT_INCOMPARABLE;
    message_sides_add(&verdict, &bounds, &out);
    assert_non_null(strstr(text_string(&out), "baseline, not compared with: 1 run, branch main"));
}

static void names_the_ops_that_moved_alone(void **state)
{
    (void)state;
    struct verdict verdict = sample();
    scoped_text out;
    text_init(&out, 4096);
    message_ops_add(&verdict, &bounds, &out);
    assert_string_equal(text_string(&out), "  +19.0 µs per step: fusion.12 (slower)\n"
                                           "  -1.5 µs per step: all-reduce (faster)\n");
    verdict.ops = &ops[2];
    verdict.op_count = 1;
    size_t before = out.length;
    message_ops_add(&verdict, &bounds, &out);
    assert_int_equal(out.length, before);
}

static bool webhook_build(const struct verdict *verdict, const char *verdict_id,
                          struct arena *arena, struct message *ret_message, struct err *err)
{
    const struct destination to = {.name = "hook", .kind = "webhook"};
    const struct notice notice = {
        .phase = PHASE_FIRING, .verdict = verdict, .verdict_id = verdict_id};
    return message_build(&notice, &to, arena, ret_message, err);
}

static json_t *body_of(const struct verdict *verdict, struct arena *arena, size_t *ret_length)
{
    struct message message;
    struct err err = {0};
    if (!webhook_build(verdict, "v12", arena, &message, &err))
        fail_msg("%s", err.text);
    assert_string_equal(message.content_type, "application/json");
    assert_int_equal(message.length, strlen(message.body));
    *ret_length = message.length;
    json_t *root = json_parse(message.body, message.length, "body", &err);
    if (root == NULL)
        fail_msg("%s", err.text);
    return root;
}

static void builds_the_body_of_the_generic_webhook(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, MEMORY_BYTES);
    struct verdict verdict = sample();
    struct message message;
    assert_true(webhook_build(&verdict, "v12", &arena, &message, NULL));
    assert_string_equal(
        message.body,
        "{\"baseline\": {\"branch\": \"main\", \"commit\": null, \"profiles\": [\"p1\", \"p2\"], "
        "\"run_count\": 2}, \"candidate\": {\"branch\": \"feature\", \"commit\": \"abc123\", "
        "\"profiles\": [\"p3\"], \"run_count\": 1}, \"change\": \"firing\", "
        "\"commit\": \"abc123\", \"created_at_utc\": "
        "\"2026-11-21T09:16:29Z\", \"evidence_sha256\": \"e0\", \"headline\": \"FAIL: "
        "llm/pretrain: step time 400.0 \\u00b5s -> 419.0 \\u00b5s (+4.8 %): fusion.12 +19.0 "
        "\\u00b5s/step\", \"link\": null, \"op_count\": 2, "
        "\"ops\": [{\"after_us\": 119.0, \"before_us\": "
        "100.0, \"category\": \"convolution\", \"change\": \"slower\", \"delta_pct\": 19.0, "
        "\"delta_us\": 19.0, \"name\": \"fusion.12\", \"share_of_step\": 0.0475}, {\"after_us\": "
        "8.5, \"before_us\": 10.0, \"category\": \"communication\", \"change\": \"faster\", "
        "\"delta_pct\": -15.0, \"delta_us\": -1.5, \"name\": \"all-reduce\", \"share_of_step\": "
        "-0.00375}], \"project\": \"llm\", \"reason_count\": 1, \"reasons\": [{\"code\": "
        "\"step_median_regressed\", \"text\": \"the median step grew by 4.8 %, more than 2 %\"}], "
        "\"series\": \"s1\", \"status\": \"fail\", \"step\": {\"after_us\": 419.0, \"before_us\": "
        "400.0, \"delta_pct\": 4.75, \"delta_us\": 19.0}, \"text\": \"FAIL: llm/pretrain: step "
        "time 400.0 \\u00b5s -> 419.0 \\u00b5s (+4.8 %): fusion.12 +19.0 \\u00b5s/"
        "step\\n- the median step grew by 4.8 %, more than 2 %\\n  +19.0 \\u00b5s per step: "
        "fusion.12 (slower)\\n  -1.5 \\u00b5s per step: all-reduce (faster)\\ncandidate: 1 run, "
        "branch feature, commit abc123\\nbaseline: 2 runs, branch main\\n\", "
        "\"type\": \"stepledger.verdict\", \"verdict\": \"v12\", \"version\": 1, \"workload\": "
        "\"pretrain\"}");
}

static void writes_null_for_what_is_unknown(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, MEMORY_BYTES);
    struct verdict verdict = {.status = VERDICT_INCONCLUSIVE};
    struct message message;
    assert_true(webhook_build(&verdict, NULL, &arena, &message, NULL));
    scoped_json *root = json_parse(message.body, message.length, "body", NULL);
    assert_true(json_is_null(json_object_get(root, "verdict")));
    assert_true(json_is_null(json_object_get(root, "commit")));
    assert_true(json_is_null(json_object_get(json_object_get(root, "step"), "delta_us")));
    assert_int_equal(json_array_size(json_object_get(root, "ops")), 0);
}

static char hostile[4000];

static struct verdict hostile_verdict(const char *unit)
{
    static struct verdict_op many_ops[200];
    static struct verdict_reason many_reasons[200];
    static const char *ids[200];
    size_t length = strlen(unit), fill = 0;
    for (; fill + length < sizeof hostile; fill += length)
        memcpy(hostile + fill, unit, length);
    hostile[fill] = '\0';
    for (size_t i = 0; i < 200; i++) {
        many_ops[i] = (struct verdict_op){.name = hostile,
                                          .category = hostile,
                                          .change = hostile,
                                          .delta_us = 1e300,
                                          .delta_pct = {true, -1e-300}};
        many_reasons[i] = (struct verdict_reason){hostile, hostile};
        ids[i] = hostile;
    }
    struct verdict verdict = sample();
    verdict.project = verdict.workload = verdict.series = hostile;
    verdict.evidence_sha256 = verdict.created_at_utc = hostile;
    verdict.ops = many_ops;
    verdict.reasons = many_reasons;
    verdict.op_count = verdict.reason_count = 200;
    verdict.baseline.profile_ids = (struct string_list){ids, 200};
    verdict.candidate.profile_ids = (struct string_list){ids, 200};
    verdict.baseline.branch = verdict.baseline.commit = hostile;
    verdict.candidate.branch = verdict.candidate.commit = hostile;
    verdict.baseline.step_median_us = some_f64(1e-300);
    verdict.candidate.step_median_us = some_f64(1e300);
    return verdict;
}

static void fits_the_receiver_whatever_the_names_hold(void **state)
{
    (void)state;
    static const char *const units[] = {"a", "\"\\", "\xf0\x9f\x98\x80", "\xff", "\n", "<&>`@"};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        scoped_arena arena;
        arena_init(&arena, MEMORY_BYTES);
        for (int status = 0; status < VERDICT_STATUS_COUNT; status++) {
            struct verdict verdict = hostile_verdict(units[i]);
            verdict.status = (enum verdict_status)status;
            size_t length = 0;
            scoped_json *root = body_of(&verdict, &arena, &length);
            if (length > BODY_MAX_BYTES)
                fail_msg("unit %zu, status %d: %zu bytes", i, status, length);
            assert_int_equal(json_integer_value(json_object_get(root, "op_count")), 200);
        }
    }
}

static void keeps_numbers_that_json_cannot_hold_out(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, MEMORY_BYTES);
    struct verdict verdict = sample();
    verdict.candidate.step_median_us = some_f64(NAN);
    size_t length;
    scoped_json *root = body_of(&verdict, &arena, &length);
    assert_true(json_is_null(json_object_get(json_object_get(root, "step"), "after_us")));
}

static void dedupe_key(const struct verdict *verdict, enum alert_phase phase, int generation,
                       const char *kind, char out[SHA256_HEX_BYTES])
{
    char order[SHA256_HEX_BYTES];
    const struct notice notice = {.phase = phase, .verdict = verdict, .verdict_id = "v1"};
    message_order_key(verdict, order);
    const struct message_identity identity = {&notice, order, kind, generation};
    message_dedupe_key(&identity, out);
}

static void gives_the_same_keys_for_the_same_finding_and_others_for_another(void **state)
{
    (void)state;
    struct verdict verdict = sample();
    char order[SHA256_HEX_BYTES], dedupe[SHA256_HEX_BYTES], other[SHA256_HEX_BYTES];
    message_order_key(&verdict, order);
    dedupe_key(&verdict, PHASE_FIRING, 1, "webhook", dedupe);
    verdict.created_at_utc = "another time";
    verdict.reason_count = 0;
    message_order_key(&verdict, other);
    assert_string_equal(other, order);
    dedupe_key(&verdict, PHASE_REPEATED, 1, "webhook", other);
    assert_string_equal(other, dedupe); /* judged again while it is open */
    dedupe_key(&verdict, PHASE_REOPENED, 2, "webhook", other);
    assert_string_not_equal(other, dedupe);
    dedupe_key(&verdict, PHASE_FIRING, 1, "slack", other);
    assert_string_not_equal(other, dedupe);

    verdict.status = VERDICT_PASS;
    message_order_key(&verdict, other);
    assert_string_equal(other, order); /* a later state of the same alert */
    dedupe_key(&verdict, PHASE_RESOLVED, 1, "webhook", other);
    assert_string_not_equal(other, dedupe);
    verdict = sample();
    verdict.evidence_sha256 = "e1";
    dedupe_key(&verdict, PHASE_FIRING, 1, "webhook", other);
    assert_string_not_equal(other, dedupe);
    verdict = sample();
    verdict.candidate.commit = "another";
    char one[SHA256_HEX_BYTES], two[SHA256_HEX_BYTES];
    message_commit_key(&verdict, one);
    verdict.candidate.commit = "one more";
    message_commit_key(&verdict, two);
    assert_string_not_equal(one, two);
}

static void does_not_let_parts_of_a_key_run_into_each_other(void **state)
{
    (void)state;
    struct verdict verdict = sample();
    char one[SHA256_HEX_BYTES], two[SHA256_HEX_BYTES];
    static const char *const pairs[][2] = {{"ab", "c"}, {"a", "bc"},   {"", "abc"},
                                           {"abc", ""}, {"abc", NULL}, {NULL, "abc"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        for (size_t j = 0; j < i; j++) {
            verdict.project = pairs[i][0], verdict.workload = pairs[i][1];
            message_order_key(&verdict, one);
            verdict.project = pairs[j][0], verdict.workload = pairs[j][1];
            message_order_key(&verdict, two);
            assert_string_not_equal(one, two);
        }
    }
}

static void refuses_a_kind_that_it_does_not_know(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, MEMORY_BYTES);
    struct verdict verdict = sample();
    struct message message;
    struct err err = {0};
    const struct destination to = {.name = "hook", .kind = "webhok"};
    const struct notice notice = {.verdict = &verdict};
    assert_false(message_build(&notice, &to, &arena, &message, &err));
    assert_int_equal(err.kind, ERR_USAGE);
    assert_non_null(strstr(err.text, "did you mean 'webhook'?"));
}

static void reports_a_message_beyond_its_budget(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, 256);
    struct verdict verdict = sample();
    struct message message;
    struct err err = {0};
    assert_false(webhook_build(&verdict, "v1", &arena, &message, &err));
    assert_int_equal(err.kind, ERR_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_text_visible_and_one_line),
        cmocka_unit_test(cuts_at_code_points_and_says_so),
        cmocka_unit_test(says_it_all_in_one_sentence),
        cmocka_unit_test(says_why_where_nothing_could_be_judged),
        cmocka_unit_test(says_the_details_line_by_line),
        cmocka_unit_test(leaves_nothing_out_in_silence),
        cmocka_unit_test(names_the_ops_that_moved_alone),
        cmocka_unit_test(builds_the_body_of_the_generic_webhook),
        cmocka_unit_test(writes_null_for_what_is_unknown),
        cmocka_unit_test(fits_the_receiver_whatever_the_names_hold),
        cmocka_unit_test(keeps_numbers_that_json_cannot_hold_out),
        cmocka_unit_test(gives_the_same_keys_for_the_same_finding_and_others_for_another),
        cmocka_unit_test(does_not_let_parts_of_a_key_run_into_each_other),
        cmocka_unit_test(refuses_a_kind_that_it_does_not_know),
        cmocka_unit_test(reports_a_message_beyond_its_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
