/* Tests of what receivers are told of a report of trends: golden payloads of every kind that takes
 * one, bounds, names. `make golden` rewrites tests/golden/alerts. */
#include "alerts/channels.h"
#include "alerts/destination.h"
#include "ops/runtime/json.h"
#include "schema/documents/trend_report.h"
#include "tests/support/golden_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const size_t MEMORY_BYTES = 16 << 20;
enum { CHANGES = 200, WEBHOOK_BYTES = 20000, FORGES = 5 };

static const struct channel *const channels[] = {
#define CHANNEL_ROW(name) &channel_##name,
    CHANNELS(CHANNEL_ROW)
#undef CHANNEL_ROW
};
enum { CHANNEL_COUNT = sizeof channels / sizeof *channels };

static struct report_op ops[] = {
    {"fusion.12", "sig-12", 6000, 6520, 520, {true, 96.2}},
    {"copy.3", "sig-3", 1000, 1025, 25, {true, 4.6}},
};
static struct report_commit commits[] = {{"5d6e7f8a9b0c1d2e", "attention: new kernel"},
                                         {"4c5d6e7f8a9b0c1d", NULL}};

static struct report_change loss(void)
{
    return (struct report_change){.workload = "pretrain",
                                  .branch = "main",
                                  .series = "s3",
                                  .measure = "steady_step_median",
                                  .unit = "us",
                                  .tier = "confirmed",
                                  .at_profile = "p81",
                                  .at_utc = "2026-11-18T03:00:00.000000Z",
                                  .after_profile = "p80",
                                  .after_commit = "1a2b3c4d5e6f7a8b",
                                  .after_utc = "2026-11-17T03:00:00.000000Z",
                                  .until_profile = "p82",
                                  .until_commit = "5d6e7f8a9b0c1d2e",
                                  .until_utc = "2026-11-19T03:00:00.000000Z",
                                  .before = 10000,
                                  .after = 10540,
                                  .change_pct = {true, 5.4},
                                  .confidence = .99,
                                  .loss = true,
                                  .commits = commits,
                                  .commit_count = 2,
                                  .commits_in_range = 2,
                                  .ops = ops,
                                  .op_count = 2,
                                  .next = "look at 1a2b3c4d5e6f..5d6e7f8a9b0c, and revert it",
                                  .command = "stepledger rebaseline s3 --at p81 --reason WHY",
                                  .course = {true, 0}};
}

static const char *lines[] = {
    "llm, 2026-11-16 to 2026-11-23: 1 new loss, 1 stopped reporting; 35 runs of 5 workloads.",
    "pretrain: step time +5.4 % (10.00 ms -> 10.54 ms) since 1a2b3c4d5e6f..5d6e7f8a9b0c, 96 % of "
    "it by fusion.12."};
static struct report_quiet quiet = {.workload = "eval",
                                    .branch = "main",
                                    .series = "s4",
                                    .last_profile = "p70",
                                    .last_utc = "2026-11-17T09:00:00.000000Z",
                                    .run_count = 40,
                                    .usual_hours = 24,
                                    .silent_hours = 142,
                                    .next = "see whether the job still runs"};
static struct report_mfu used[] = {{"pretrain", "main", .412, {true, .43}},
                                   {"tune", "main", .38, {false, 0}}};
static struct report_point point = {
    .profile_id = "p80", .run = "r80", .ran_at_utc = "2026-11-17T03:00:00.000000Z", .value = 1};
static struct report_course course = {.workload = "pretrain",
                                      .series = "s3",
                                      .measure = "steady_step_median",
                                      .unit = "us",
                                      .points = &point,
                                      .point_count = 1};

static struct trend_report sample(struct report_change *losses, size_t count)
{
    return (struct trend_report){.schema_version = TREND_REPORT_VERSION,
                                 .report = "rp7",
                                 .name = "weekly",
                                 .project = "llm",
                                 .branch = "main",
                                 .measure = "steady_step_median",
                                 .unit = "us",
                                 .since_utc = "2026-11-16T07:00:00.000000Z",
                                 .until_utc = "2026-11-23T07:00:00.000000Z",
                                 .made_at_utc = "2026-11-23T07:00:05.000000Z",
                                 .workload_count = 5,
                                 .series_count = 5,
                                 .run_count = 35,
                                 .headlines = {lines, 2},
                                 .losses = losses,
                                 .loss_count = count,
                                 .noise_graded = "by neighbours",
                                 .quiet = &quiet,
                                 .quiet_count = 1,
                                 .mfu = used,
                                 .mfu_count = 2,
                                 .courses = &course,
                                 .course_count = 1};
}

/* false: the kind takes no report, which is of no commit and no request. */
static bool message_of(const struct trend_report *report, const struct channel *channel,
                       struct arena *arena, struct message *ret_message)
{
    struct err err = {0};
    const struct destination to = {
        .name = channel->kind, .kind = channel->kind, .channel = "C0123456789"};
    static const struct notice_page page = {"report.md", "text/markdown", "# weekly\n"};
    const struct notice notice = {.report = report, .pages = &page, .page_count = 1};
    if (channel->takes != NULL && !channel->takes(&notice, &to))
        return false;
    if (!message_build(&notice, &to, arena, ret_message, &err))
        fail_msg("%s: %s", channel->kind, err.text);
    return true;
}

static void says_a_report_as_each_receiver_wants_it(void **state)
{
    (void)state;
    size_t told = 0;
    for (size_t i = 0; i < CHANNEL_COUNT; i++) {
        scoped_arena arena;
        arena_init(&arena, MEMORY_BYTES);
        char name[100];
        struct err err = {0};
        struct message message;
        struct report_change one = loss(), gain = loss();
        struct trend_report report = sample(&one, 1);
        const char *kind = channels[i]->kind;
        gain.loss = false;
        gain.workload = "tune";
        gain.next = "keep it: begin the baseline anew there, and a gate fails when it is lost";
        report.improvements = &gain;
        report.improvement_count = 1;
        if (!message_of(&report, channels[i], &arena, &message))
            continue;
        scoped_json *root = json_parse(message.body, message.length, kind, &err);
        assert_non_null(root);
        scoped_text text;
        text_init(&text, MEMORY_BYTES);
        json_print(root, JSON_STYLE_INDENTED, &text);
        (void)snprintf(name, sizeof name, "alerts/%s.report.json", kind);
        golden_check(name, text_string(&text));
        assert_non_null(strstr(text_string(&text), "keep it: begin the baseline anew there"));
        told++;
    }
    assert_int_equal(told, CHANNEL_COUNT - FORGES);
}

/* Two hundred losses, of names that break what is not escaped. */
static void stays_within_bounds_whatever_there_is(void **state)
{
    (void)state;
    struct report_change losses[CHANGES];
    for (size_t i = 0; i < CHANGES; i++) {
        losses[i] = loss();
        losses[i].workload = "<script>&\"' \xe2\x80\xae* _x_ `y`";
    }
    for (size_t i = 0; i < CHANNEL_COUNT; i++) {
        scoped_arena arena;
        arena_init(&arena, MEMORY_BYTES);
        struct message message;
        struct trend_report report = sample(losses, CHANGES);
        if (!message_of(&report, channels[i], &arena, &message))
            continue;
        assert_true(message.length < 64 << 10);
        if (channels[i] == &channel_webhook)
            assert_true(message.length <= WEBHOOK_BYTES);
        assert_null(strstr(message.body, "\xe2\x80\xae"));
    }
}

/* The webhook's body of a report, parsed; a new reference. */
static json_t *webhook_body(const struct trend_report *report, size_t *ret_length)
{
    scoped_arena arena;
    struct err err = {0};
    struct message message;
    arena_init(&arena, MEMORY_BYTES);
    assert_true(message_of(report, &channel_webhook, &arena, &message));
    *ret_length = message.length;
    json_t *body = json_parse(message.body, message.length, "a body", &err);
    assert_non_null(body);
    return body;
}

static size_t listed(const json_t *body, const char *list)
{
    return json_array_size(json_object_get(json_object_get(body, "report"), list));
}

static json_int_t counted(const json_t *body, const char *list)
{
    return json_integer_value(json_object_get(json_object_get(body, "counts"), list));
}

/* Losses are the last to go, and whoever reads it knows what it lacks. */
static void cuts_what_matters_least_and_says_that_it_did(void **state)
{
    (void)state;
    enum { LOSSES = 4, USED = 300, ITEM = 2000 };
    struct report_change losses[CHANGES];
    struct report_mfu many[USED];
    size_t length;
    for (size_t i = 0; i < CHANGES; i++)
        losses[i] = loss();
    for (size_t i = 0; i < USED; i++)
        many[i] = used[0];
    struct trend_report report = sample(losses, LOSSES);
    scoped_json *whole = webhook_body(&report, &length);
    assert_true(json_is_false(json_object_get(whole, "cut")));
    assert_int_equal(listed(whole, "mfu"), 2);
    report.mfu = many;
    report.mfu_count = USED;
    scoped_json *cut = webhook_body(&report, &length);
    assert_in_range(length, WEBHOOK_BYTES - ITEM, WEBHOOK_BYTES);
    assert_true(json_is_true(json_object_get(cut, "cut")));
    assert_string_equal(json_string_value(json_object_get(cut, "whole")),
                        "stepledger report rp7 --format json");
    assert_int_equal(listed(cut, "losses"), LOSSES);
    assert_int_equal(listed(cut, "headlines"), 2);
    assert_in_range(listed(cut, "mfu"), 1, USED - 1);
    assert_int_equal(counted(cut, "mfu"), USED);
    report.loss_count = CHANGES;
    scoped_json *few = webhook_body(&report, &length);
    assert_in_range(length, WEBHOOK_BYTES - ITEM, WEBHOOK_BYTES);
    assert_int_equal(listed(few, "mfu"), 0);
    assert_int_equal(listed(few, "headlines"), 1);
    assert_in_range(listed(few, "losses"), LOSSES, CHANGES - 1);
    assert_int_equal(counted(few, "losses"), CHANGES);
}

/* What is only suspected is said as the page of the report says it, and how many more there are. */
static void says_what_is_suspected_as_the_report_does(void **state)
{
    (void)state;
    enum { SUSPECTED = 5 };
    static const struct {
        const char *measure, *unit;
        double before, after;
        struct opt_f64 change_pct;
    } what[] = {{"steady_step_median", "us", 10000, 10540, {true, 5.4}},
                {"step_busy_share", "share", .5, .525, {true, 5}}};
    struct report_change changes[SUSPECTED];
    size_t told = 0;
    for (size_t i = 0; i < SUSPECTED; i++) {
        changes[i] = loss();
        changes[i].tier = "suspected";
        changes[i].measure = what[i % 2].measure;
        changes[i].unit = what[i % 2].unit;
        changes[i].before = what[i % 2].before;
        changes[i].after = what[i % 2].after;
        changes[i].change_pct = what[i % 2].change_pct;
    }
    for (size_t i = 0; i < CHANNEL_COUNT; i++) {
        scoped_arena arena;
        arena_init(&arena, MEMORY_BYTES);
        struct message message;
        struct report_change none = loss();
        struct trend_report report = sample(&none, 0);
        report.suspected = changes;
        report.suspected_count = SUSPECTED;
        if (channels[i] == &channel_webhook || !message_of(&report, channels[i], &arena, &message))
            continue;
        if (strstr(message.body, "suspected: ") == NULL) /* a place of files */
            continue;
        told++;
        assert_non_null(strstr(message.body, "step time +5.4 %, 2026-11-17 to 2026-11-19"));
        assert_non_null(
            strstr(message.body, " +2.5 pp (+5.0 % relative), 2026-11-17 to 2026-11-19"));
        assert_non_null(strstr(message.body, "and 2 more"));
    }
    assert_true(told >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_a_report_as_each_receiver_wants_it),
        cmocka_unit_test(stays_within_bounds_whatever_there_is),
        cmocka_unit_test(cuts_what_matters_least_and_says_that_it_did),
        cmocka_unit_test(says_what_is_suspected_as_the_report_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
