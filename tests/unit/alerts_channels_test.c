/* Tests of the bodies of every kind of destination: golden payloads, and that no name makes one too
 * long or of another form. `make golden` rewrites tests/golden/alerts. */
#include "alerts/channels.h"
#include "alerts/escape.h"
#include "ops/runtime/json.h"
#include "schema/documents/verdict_words.h"
#include "tests/support/gate_fixture.h"
#include "tests/support/golden_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MEMORY_BYTES = 8 << 20, HOSTILE_BYTES = 4000 };

#define COMMIT "0123456789abcdef0123456789abcdef01234567"

static const char *const kinds[] = {
#define KIND(name) #name,
    CHANNELS(KIND)
#undef KIND
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

static struct verdict_op ops[] = {
    {.name = "fusion.12", .change = "slower", .delta_us = 18900},
    {.name = "all-reduce.3", .change = "faster", .delta_us = -1500},
};
static struct verdict_reason reasons[] = {
    {"step_median_regressed", "the median step grew by 4.8 %, more than 2 %"},
};

static struct verdict sample(enum verdict_status status)
{
    struct verdict verdict = {
        .project = "llm",
        .workload = "pretrain",
        .series = "s1",
        .status = status,
        .reasons = reasons,
        .reason_count = 1,
        .ops = ops,
        .op_count = 2,
        .evidence_sha256 = "e0",
        .created_at_utc = "2026-11-21T09:16:29Z",
        .baseline = {.run_count = 3, .branch = "main", .commit = "fedcba9876543210"},
        .candidate = {.run_count = 1, .branch = "pull/7", .commit = COMMIT},
    };
    verdict.baseline.step_median_us = some_f64(412300);
    verdict.candidate.step_median_us = some_f64(status == VERDICT_FAIL ? 431900 : 411900);
    return verdict;
}

static struct destination destination_of(const char *kind)
{
    return (struct destination){.name = "to",
                                .kind = kind,
                                .channel = "C0123456789",
                                .repository = "acme/train",
                                .context = "stepledger"};
}

static json_t *body_of(const struct notice *notice, const char *kind, struct arena *arena)
{
    const struct destination to = destination_of(kind);
    struct message message;
    struct err err = {0};
    if (!message_build(notice, &to, arena, &message, &err))
        fail_msg("%s: %s", kind, err.text);
    assert_string_equal(message.content_type, "application/json");
    json_t *root = json_parse(message.body, message.length, kind, &err);
    if (root == NULL)
        fail_msg("%s: %s", kind, err.text);
    return root;
}

static void golden_of(const struct notice *notice, const char *what)
{
    for (size_t i = 0; i < KIND_COUNT; i++) {
        scoped_arena arena;
        arena_init(&arena, MEMORY_BYTES);
        char name[100];
        (void)snprintf(name, sizeof name, "alerts/%s.%s.json", kinds[i], what);
        scoped_json *root = body_of(notice, kinds[i], &arena);
        if (notice->verdict->measure_count > 0) /* the verdict's document has tests of its own */
            (void)json_object_del(root, "documents");
        scoped_text text;
        text_init(&text, MEMORY_BYTES);
        json_print(root, JSON_STYLE_INDENTED, &text);
        golden_check(name, text_string(&text));
    }
}

static void says_a_regression_as_each_receiver_wants_it(void **state)
{
    (void)state;
    struct verdict verdict = sample(VERDICT_FAIL);
    const struct notice notice = {.phase = PHASE_FIRING,
                                  .verdict = &verdict,
                                  .verdict_id = "v12",
                                  .link = "https://ledger.example/v12"};
    golden_of(&notice, "firing");
}

static void says_its_end_as_each_receiver_wants_it(void **state)
{
    (void)state;
    struct verdict_reason equal = {"step_median_equivalent", "No longer by what matters."};
    struct verdict verdict = sample(VERDICT_PASS);
    verdict.reasons = &equal;
    verdict.reason_count = 1;
    const struct notice notice = {
        .phase = PHASE_RESOLVED, .verdict = &verdict, .verdict_id = "v13"};
    golden_of(&notice, "resolved");
}

/* All texts of the payload in one, without what receivers want escaped. */
static void texts_add(const json_t *value, struct text *out)
{
    static const struct {
        const char *written, *meant;
    } escapes[] = {{"&gt;", ">"}, {"&lt;", "<"}, {"&amp;", "&"}, {"\\", ""}};
    const char *key;
    json_t *child;
    size_t index;
    json_object_foreach ((json_t *)value, key, child)
        texts_add(child, out);
    json_array_foreach (value, index, child)
        texts_add(child, out);
    for (const char *p = json_string_value(value); p != NULL && *p != '\0';) {
        size_t i = 0, count = sizeof escapes / sizeof escapes[0];
        while (i < count && strncmp(p, escapes[i].written, strlen(escapes[i].written)) != 0)
            i++;
        text_addn(out, i < count ? escapes[i].meant : p, i < count ? strlen(escapes[i].meant) : 1);
        p += i < count ? strlen(escapes[i].written) : 1;
    }
}

/* Every receiver reads the sentence of the terminal, as far as its form has room; one that keeps
 * records has the document. */
static void sentence_check(const struct notice *notice)
{
    enum { ROOM = 120 };
    for (size_t i = 0; i < KIND_COUNT; i++) {
        scoped_arena arena;
        arena_init(&arena, MEMORY_BYTES);
        scoped_text text;
        text_init(&text, MEMORY_BYTES);
        scoped_json *root = body_of(notice, kinds[i], &arena);
        const char *sentence = verdict_sentence(notice->verdict, &arena);
        bool is_short = strstr(kinds[i], "_status") != NULL;
        size_t length = is_short ? strnlen(sentence, ROOM) : strlen(sentence);
        texts_add(root, &text);
        if (strcmp(kinds[i], "wandb") != 0 &&
            strstr(text_string(&text), arena_strndup(&arena, sentence, length)) == NULL)
            fail_msg("%s does not say: %.*s\n%s", kinds[i], (int)length, sentence,
                     text_string(&text));
    }
}

/* What the gate says of runs whose op changed: the payloads are read by people, word by word. */
static void real_golden(double change, enum verdict_status status, enum alert_phase phase,
                        const char *what)
{
    struct scene scene;
    scene_fill_noisy(&scene, 7, change, NULL);
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.status, status);
    verdict.project = "llm";
    verdict.workload = "pretrain";
    verdict.series = "s1";
    verdict.baseline.branch = "main";
    verdict.baseline.commit = "fedcba9876543210fedcba9876543210fedcba98";
    verdict.candidate.branch = "pull/7";
    verdict.candidate.commit = COMMIT;
    const struct notice notice = {.phase = phase,
                                  .verdict = &verdict,
                                  .verdict_id = "v12",
                                  .link = "https://ledger.example/v12"};
    golden_of(&notice, what);
    sentence_check(&notice);
    scene_done(&scene);
}

static void says_a_real_warning_as_each_receiver_wants_it(void **state)
{
    (void)state;
    real_golden(0.016, VERDICT_WARN, PHASE_FIRING, "warning");
}

static void says_a_real_gain_as_each_receiver_wants_it(void **state)
{
    (void)state;
    real_golden(-0.06, VERDICT_PASS, PHASE_NONE, "gain");
}

static void says_that_a_judgement_is_under_way(void **state)
{
    (void)state;
    struct verdict planned = {.project = "llm",
                              .workload = "pretrain",
                              .candidate = {.branch = "pull/7", .commit = COMMIT}};
    const struct notice notice = {.phase = PHASE_STARTED,
                                  .verdict = &planned,
                                  .verdict_id = "start-1",
                                  .headline = "the judgement is under way"};
    scoped_arena arena;
    arena_init(&arena, MEMORY_BYTES);
    scoped_json *check = body_of(&notice, "github_check", &arena);
    scoped_json *status = body_of(&notice, "github_status", &arena);
    const json_t *run = json_object_get(check, "run");
    assert_string_equal(json_string_value(json_object_get(run, "status")), "in_progress");
    assert_null(json_object_get(run, "conclusion"));
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(status, "status"), "state")), "pending");
}

/* What was not shown never looks like a pass, on no forge. */
static void keeps_a_commit_open_when_nothing_was_shown(void **state)
{
    (void)state;
    static const struct {
        enum verdict_status status;
        const char *code, *github, *conclusion, *gitlab;
    } cases[] = {
        {VERDICT_INCONCLUSIVE, "step_median_uncertain", "pending", "neutral", "pending"},
        {VERDICT_FAIL, "inconclusive_by_policy", "failure", "action_required", "failed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        scoped_arena arena;
        arena_init(&arena, MEMORY_BYTES);
        struct verdict verdict = sample(cases[i].status);
        struct verdict_reason reason = {cases[i].code, "too few runs"};
        verdict.reasons = &reason;
        verdict.reason_count = 1;
        const struct notice notice = {.verdict = &verdict, .verdict_id = "v14"};
        scoped_json *github = body_of(&notice, "github_status", &arena);
        scoped_json *check = body_of(&notice, "github_check", &arena);
        scoped_json *gitlab = body_of(&notice, "gitlab_status", &arena);
        const char *state_name, *says, *conclusion, *title, *lab_state, *lab_says;
        assert_int_equal(json_unpack(github, "{s:{s:s, s:s}}", "status", "state", &state_name,
                                     "description", &says),
                         0);
        assert_int_equal(json_unpack(check, "{s:{s:s, s:{s:s}}}", "run", "conclusion", &conclusion,
                                     "output", "title", &title),
                         0);
        assert_int_equal(json_unpack(gitlab, "{s:{s:s, s:s}}", "status", "state", &lab_state,
                                     "description", &lab_says),
                         0);
        assert_string_equal(state_name, cases[i].github);
        assert_string_equal(conclusion, cases[i].conclusion);
        assert_string_equal(lab_state, cases[i].gitlab);
        const char *const texts[] = {says, title, lab_says};
        for (size_t j = 0; j < 3; j++) {
            assert_memory_equal(texts[j], "not shown: ", 11);
            assert_null(strstr(texts[j], "llm/pretrain")); /* its context says it */
        }
    }
}

/* Sides that cannot be compared take no red from a change that has failed. */
static void keeps_a_commit_red_that_failed_before(void **state)
{
    (void)state;
    const char *failed[] = {"v3"};
    for (size_t count = 0; count < 2; count++) {
        scoped_arena arena;
        arena_init(&arena, MEMORY_BYTES);
        struct verdict verdict = sample(VERDICT_INCOMPARABLE);
        verdict.candidate.attempts = some_i64(2);
        verdict.candidate.earlier_failed = (struct string_list){failed, count};
        const struct notice notice = {.verdict = &verdict, .verdict_id = "v14"};
        scoped_json *github = body_of(&notice, "github_status", &arena);
        scoped_json *check = body_of(&notice, "github_check", &arena);
        const char *state_name, *conclusion;
        assert_int_equal(json_unpack(github, "{s:{s:s}}", "status", "state", &state_name), 0);
        assert_int_equal(json_unpack(check, "{s:{s:s}}", "run", "conclusion", &conclusion), 0);
        assert_string_equal(state_name, count > 0 ? "failure" : "error");
        assert_string_equal(conclusion, count > 0 ? "failure" : "neutral");
    }
}

/* ---- limits ---- */

/* The longest string of a document, in code points, and the sum of all that are called `text`. */
static void measure(const json_t *value, const char *name, size_t *longest, size_t *texts)
{
    if (json_is_string(value)) {
        size_t count = 0;
        const char *string = json_string_value(value);
        for (const char *p = string; *p != '\0'; p++)
            count += ((unsigned char)*p & 0xC0) != 0x80;
        *longest = count > *longest ? count : *longest;
        *texts += name != NULL && strcmp(name, "text") == 0 ? count : 0;
    }
    const char *key;
    json_t *member;
    json_object_foreach ((json_t *)(uintptr_t)value, key, member)
        measure(member, key, longest, texts);
    for (size_t i = 0; i < json_array_size(value); i++)
        measure(json_array_get(value, i), NULL, longest, texts);
}

/* Of the service: characters of the longest text, bytes of the whole. */
static const struct {
    const char *kind;
    size_t longest, bytes;
} limits[] = {
    {"slack", 3000, 40000},          {"slack_api", 3000, 60000},
    {"discord", 4096, 60000},        {"teams", 28000, 18000},
    {"google_chat", 32000, 32000},   {"mattermost", 16383, 200000},
    {"mail", 65536, 300000},         {"github_status", 255, 10000},
    {"github_check", 65535, 200000}, {"github_comment", 65536, 200000},
    {"gitlab_status", 255, 10000},   {"gitlab_note", 65536, 200000},
    {"webhook", 20000, 20000},       {"wandb", 4 << 20, 4 << 20},
};

static void knows_the_bounds_of_every_kind(void **state)
{
    (void)state;
    enum { LIMIT_COUNT = sizeof limits / sizeof limits[0] };
    for (size_t i = 0; i < KIND_COUNT; i++) {
        size_t row = 0;
        while (row < LIMIT_COUNT && strcmp(limits[row].kind, kinds[i]) != 0)
            row++;
        if (row == LIMIT_COUNT)
            fail_msg("%s has no row in `limits`: what is the most that it takes?", kinds[i]);
    }
}

static void hostile_check(const struct notice *notice)
{
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        scoped_arena arena;
        arena_init(&arena, MEMORY_BYTES);
        scoped_json *root = body_of(notice, limits[i].kind, &arena);
        size_t longest = 0, texts = 0;
        char *printed = json_dumps(root, 0);
        measure(root, NULL, &longest, &texts);
        if (longest > limits[i].longest || strlen(printed) > limits[i].bytes)
            fail_msg("%s: %zu characters, %zu bytes", limits[i].kind, longest, strlen(printed));
        if (strncmp(limits[i].kind, "slack", 5) == 0 && texts > 13200)
            fail_msg("%s: %zu characters in all texts", limits[i].kind, texts);
        free(printed);
    }
}

/* The texts of a card's blocks, joined by '|'. */
static const char *teams_texts(const struct notice *notice, struct arena *arena)
{
    scoped_text out;
    text_init(&out, 1 << 16);
    scoped_json *root = body_of(notice, "teams", arena);
    const json_t *card =
        json_object_get(json_array_get(json_object_get(root, "attachments"), 0), "content");
    size_t i;
    json_t *block;
    json_array_foreach (json_object_get(card, "body"), i, block) {
        const char *text = json_string_value(json_object_get(block, "text"));
        assert_null(strchr(text, '\n'));
        text_addf(&out, "%s%s", i > 0 ? "|" : "", text);
    }
    return arena_strdup(arena, text_string(&out));
}

static void gives_each_line_of_a_teams_card_its_block_and_cuts_at_items(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, MEMORY_BYTES);
    char details[4000] = "";
    for (int i = 0; i < 60; i++) /* each @ is sent as seven bytes */
        (void)snprintf(details + strlen(details), 60, "line %d: @@@@@@@@@@@@@@@@ 1234567890.5 ms\n",
                       i);
    const struct notice many = {.headline = "h", .details = details};
    const char *texts = teams_texts(&many, &arena);
    assert_non_null(strstr(texts, " 1234567890.5 ms|line 1: @"));
    const char *more = strstr(texts, "|… and ");
    assert_non_null(more);
    assert_memory_equal(more - 3, " ms", 3); /* a whole line stands before it */
    for (char *p = details; *p != '\0'; p++)
        *p = *p == '\n' ? ' ' : *p;
    const char *cut = strrchr(teams_texts(&many, &arena), '|') + 1;
    size_t shown = strlen(cut) - strlen("…");
    assert_string_equal(cut + shown, "…");
    assert_int_equal(cut[shown - 1], ' '); /* a whole word is the last */
    assert_null(strstr(cut, ".…"));
}

static void fits_every_receiver_whatever_the_names_hold(void **state)
{
    (void)state;
    static const char *const units[] = {"a", "&", "<", "`", "\xf0\x9f\x98\x80", "@", "\\", "\n"};
    static char hostile[HOSTILE_BYTES];
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t fill = 0, length = strlen(units[i]);
        for (; fill + length < sizeof hostile; fill += length)
            memcpy(hostile + fill, units[i], length);
        hostile[fill] = '\0';
        struct verdict_op many_ops[20];
        struct verdict_reason many_reasons[20];
        for (size_t j = 0; j < 20; j++) {
            many_ops[j] = (struct verdict_op){.name = hostile, .change = hostile, .delta_us = 1e9};
            many_reasons[j] = (struct verdict_reason){hostile, hostile};
        }
        struct verdict verdict = sample(VERDICT_FAIL);
        verdict.project = verdict.workload = hostile;
        verdict.ops = many_ops;
        verdict.reasons = many_reasons;
        verdict.op_count = verdict.reason_count = 20;
        verdict.baseline.branch = verdict.baseline.commit = hostile;
        hostile_check(
            &(struct notice){.phase = PHASE_FIRING, .verdict = &verdict, .verdict_id = "v12"});
    }
}

/* ---- escaping ---- */

static void escapes(const char *from, enum escape_style style, size_t max, const char *expected)
{
    const struct escape_rule rule = {style, ESCAPE_CHARACTERS, max};
    scoped_text out;
    text_init(&out, 4096);
    escape_add(&out, from, &rule);
    assert_string_equal(text_string(&out), expected);
}

static void escapes_for_each_receiver_and_cuts_between_pieces(void **state)
{
    (void)state;
    escapes("a<!channel>&b", ESCAPE_SLACK, 100, "a&lt;!channel&gt;&amp;b");
    escapes("[x](@y) #1", ESCAPE_MARKDOWN, 100,
            "\\[x\\](@\xe2\x80\x8by) #\xe2\x80\x8b"
            "1");
    escapes("a`b", ESCAPE_CODE, 100, "a'b");
    escapes("<users/all>", ESCAPE_GOOGLE, 100, "<\xe2\x80\x8busers/all>");
    escapes("\"<&>", ESCAPE_HTML, 100, "&quot;&lt;&amp;&gt;");
    escapes("&&&", ESCAPE_SLACK, 15, "&amp;&amp;&amp;");
    escapes("&&&", ESCAPE_SLACK, 14, "&amp;&amp;\xe2\x80\xa6");
    escapes("&&&", ESCAPE_SLACK, 5, "\xe2\x80\xa6");
    escapes("äöü", ESCAPE_NONE, 3, "äöü");
    escapes("äöüß", ESCAPE_NONE, 3, "äö\xe2\x80\xa6");
    const struct escape_rule bytes = {ESCAPE_NONE, ESCAPE_BYTES, 7};
    scoped_text out;
    text_init(&out, 4096);
    escape_add(&out, "äöüß", &bytes);
    assert_string_equal(text_string(&out), "äö\xe2\x80\xa6");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_a_regression_as_each_receiver_wants_it),
        cmocka_unit_test(says_its_end_as_each_receiver_wants_it),
        cmocka_unit_test(says_a_real_warning_as_each_receiver_wants_it),
        cmocka_unit_test(says_a_real_gain_as_each_receiver_wants_it),
        cmocka_unit_test(says_that_a_judgement_is_under_way),
        cmocka_unit_test(keeps_a_commit_open_when_nothing_was_shown),
        cmocka_unit_test(keeps_a_commit_red_that_failed_before),
        cmocka_unit_test(gives_each_line_of_a_teams_card_its_block_and_cuts_at_items),
        cmocka_unit_test(knows_the_bounds_of_every_kind),
        cmocka_unit_test(fits_every_receiver_whatever_the_names_hold),
        cmocka_unit_test(escapes_for_each_receiver_and_cuts_between_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
