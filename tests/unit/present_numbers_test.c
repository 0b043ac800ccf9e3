/* Random verdicts in every format: all pairs of numbers agree with each other, with their
 * percentages and with the verdict; and the checker sees a contradiction when there is one. */
#include "alerts/channels.h"
#include "ops/present/verdict/verdict_list.h"
#include "ops/present/verdict/verdict_page.h"
#include "ops/runtime/json.h"
#include "ops/runtime/text.h"
#include "schema/documents/verdict_words.h"

#include "tests/support/gate_fixture.h"
#include "tests/support/shown_numbers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { VERDICTS = 400, OPS_MAX = 9, MEMORY_BYTES = 64 << 20, OPS_ON_PAGE = 12 };

static const char *const kinds[] = {
#define KIND(name) #name,
    CHANNELS(KIND)
#undef KIND
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

/* ---- random scenes --------------------------------------------------------------------------- */

static uint64_t state_of_draws;

static double draw(double low, double high)
{
    state_of_draws = state_of_draws * 6364136223846793005U + 1442695040888963407U;
    return low + (high - low) * (double)(state_of_draws >> 11) / 9007199254740992.0;
}

static bool chance(double probability)
{
    return draw(0, 1) < probability;
}

/* What a scene plants. */
struct planted {
    double unit_us; /* from steps of microseconds to steps of minutes */
    double all, one, added, idle_us, lone, run_sd, step_sd;
    size_t ops, baseline, candidate;
    bool same_program, waits;
};

static struct planted planted_draw(void)
{
    struct planted planted = {
        .unit_us = pow(10, draw(-1, 5)),
        .all = chance(0.5) ? 1 + draw(-0.15, 0.15) : 1,
        .one = chance(0.4) ? draw(0.5, 2) : 1,
        .added = chance(0.2) ? draw(0, 2) : 0,
        .idle_us = chance(0.3) ? draw(-0.5, 1) : 0,
        .lone = chance(0.2) ? 1 + draw(0, 0.3) : 1,
        .run_sd = chance(0.2) ? 0 : draw(0, 0.03),
        .step_sd = draw(0, 0.03),
        .ops = (size_t)draw(0, OPS_MAX),
        .baseline = (size_t)draw(1, 12),
        .candidate = (size_t)draw(1, 4),
        .same_program = chance(0.15),
        .waits = chance(0.3),
    };
    return planted;
}

static void run_add(struct scene *scene, const struct planted *planted, bool after)
{
    static const char *const names[OPS_MAX] = {
        "dot.1", "fusion.2", "copy", "all-reduce", "reduce.5", "add", "fusion.7", "convert", "x"};
    static const double parts[OPS_MAX] = {5, 3, 2, 1.5, 1, 0.7, 0.4, 0.1, 0.01};
    struct planned_op ops[OPS_MAX + 1];
    struct summary_plan plan;
    double factor = (1 + planted->run_sd * draw(-1.7, 1.7)) * (after ? planted->all : 1);
    summary_plan_default(&plan);
    plan.step_us = planted->unit_us * (1 + (after ? planted->idle_us : 0));
    for (size_t i = 0; i < planted->ops; i++) {
        double us = planted->unit_us * parts[i] * factor * (1 + 0.01 * draw(-1, 1));
        us *= after && i == 1 ? planted->one : 1;
        ops[i] = (struct planned_op){names[i], names[i], "jit(f)/net/layer/attention", us};
        plan.step_us += us;
    }
    plan.ops = ops;
    plan.op_count = planted->ops;
    if (after && planted->added > 0) {
        double us = planted->added * planted->unit_us;
        ops[plan.op_count++] = (struct planned_op){"new.1", "new.1", "jit(f)/net/new", us};
        plan.step_us += us;
    }
    plan.step_sd = planted->step_sd;
    plan.slow_factor = after ? planted->lone : 1;
    plan.fingerprint = planted->same_program ? "same" : NULL;
    plan.wait_us = planted->waits ? planted->unit_us * (after ? 1.5 : 1) : 0;
    plan.seed = (uint64_t)draw(0, 1e9);
    scene_add(scene, after ? &scene->candidate : &scene->baseline, &plan, NULL);
}

/* Where the time of the windows went, so that shares move and limits are crossed. */
static void shares_draw(struct scene_side *side)
{
    for (size_t i = 0; i < side->count; i++) {
        const struct summary *summary = side->profiles[i].summary;
        for (size_t d = 0; d < summary->device_count; d++) {
            struct device_row *device = &summary->devices[d];
            double window = (double)device->window_ps;
            device->idle_ps = (int64_t)(window * draw(0, 0.3));
            device->overlapped_comm_ps = (int64_t)(window * draw(0, 0.2));
            device->exposed_copy_ps = (int64_t)(window * draw(0, 0.1));
        }
    }
}

static struct verdict random_verdict(struct scene *scene)
{
    struct planted planted = planted_draw();
    scene_init(scene);
    for (size_t i = 0; i < planted.baseline; i++)
        run_add(scene, &planted, false);
    for (size_t i = 0; i < planted.candidate; i++)
        run_add(scene, &planted, true);
    if (chance(0.5)) {
        shares_draw(&scene->baseline);
        shares_draw(&scene->candidate);
    }
    for (enum measure m = MEASURE_FIRST; m < MEASURE_END; m++) {
        if (chance(0.1))
            scene->policy.measures[m].action = (enum measure_action)draw(0, 3);
    }
    scene->paired = planted.baseline == planted.candidate && chance(0.5);
    struct verdict verdict = scene_judge(scene);
    verdict.candidate.branch = "pull/7";
    verdict.candidate.commit = "0123456789abcdef0123456789abcdef01234567";
    return verdict;
}

/* ---- every format ---------------------------------------------------------------------------- */

struct checking {
    const struct verdict *verdict;
    struct shown_count count;
    char why[SHOWN_WHY_BYTES];
    const char *format; /* of the first contradiction; NULL = none */
    size_t one_sided;   /* documents with a pass and an interval beyond what matters */
};

/* "1 runs": a number and a word that does not agree with it. Words that end in s by themselves, and
 * units, are none. */
static bool has_wrong_plural(const char *document, char why[SHOWN_WHY_BYTES])
{
    static const char *const singular[] = {"ms", "us", "s", "is", "was", "has", "does"};
    for (const char *p = strstr(document, "1 "); p != NULL; p = strstr(p + 1, "1 ")) {
        const char *word = p + 2;
        size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyz");
        bool starts = p == document || strchr(" (\n>|", p[-1]) != NULL, excepted = false;
        for (size_t i = 0; i < sizeof singular / sizeof singular[0]; i++)
            excepted |= strlen(singular[i]) == length && strncmp(word, singular[i], length) == 0;
        if (!starts || excepted || length < 2 || word[length - 1] != 's')
            continue;
        (void)snprintf(why, SHOWN_WHY_BYTES, "'1 %.*s'", (int)length, word);
        return true;
    }
    return false;
}

/* Beside a pass an interval that reaches beyond what matters, and no word on the bound that the
 * pass rests on. */
static bool has_bare_interval(struct checking *checking, const char *document)
{
    static const char matters[] = "not slower by the ";
    const struct verdict_statistics *statistics = &checking->verdict->statistics;
    const char *text = verdict_reason_text(checking->verdict, "step_median_equivalent");
    const char *found = text == NULL ? NULL : strstr(text, matters);
    if (checking->verdict->status != VERDICT_PASS || found == NULL ||
        strstr(document, "95 % interval") == NULL)
        return false;
    double margin = strtod(found + sizeof matters - 1, NULL);
    if (statistics->ci_high_pct.value < margin + 0.05)
        return false;
    checking->one_sided++;
    if (strstr(document, "one-sided: at most ") != NULL &&
        statistics->pass_upper_pct.value < margin + 0.05)
        return false;
    (void)snprintf(checking->why, SHOWN_WHY_BYTES, "an interval beyond %.1f %% beside a pass",
                   margin);
    return true;
}

/* Sentences that cannot both be true of one verdict. */
static bool has_contradiction(const char *document, char why[SHOWN_WHY_BYTES])
{
    static const char *const pairs[][2] = {
        {"No op moved.", "all ops alike"},
        {"which medians do not show", "surely slower, and the estimate is beyond"},
        {"or other work (batch", "one compiled program (A/A)"},
        {"No device slowed down", "slower: "},
        {"more runs like these would not show it", "more runs of"},
        {"1 run of it together", "1 run of it"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (strstr(document, pairs[i][0]) == NULL || strstr(document, pairs[i][1]) == NULL)
            continue;
        (void)snprintf(why, SHOWN_WHY_BYTES, "'%s' and '%s'", pairs[i][0], pairs[i][1]);
        return true;
    }
    return false;
}

static void document_check(struct checking *checking, const char *format, const char *document)
{
    if (checking->format == NULL &&
        (!shown_numbers_agree(checking->verdict, document, &checking->count, checking->why) ||
         has_wrong_plural(document, checking->why) || has_bare_interval(checking, document) ||
         has_contradiction(document, checking->why)))
        checking->format = format;
}

static void html_check(struct checking *checking)
{
    scoped_arena arena;
    scoped_text out, words;
    struct page page;
    arena_init(&arena, MEMORY_BYTES);
    text_init(&out, MEMORY_BYTES);
    text_init(&words, MEMORY_BYTES);
    page_init(&page, &arena, "verdict");
    verdict_page_fill(checking->verdict, OPS_ON_PAGE, &page);
    page_print_html(&page, &out);
    shown_without_pictures(&out, &words);
    document_check(checking, "html", text_string(&words));
}

static void lists_check(struct checking *checking)
{
    const struct verdict_item item = {.name = "w", .id = "v7", .verdict = checking->verdict};
    const struct verdict_list list = {.items = &item, .count = 1};
    struct err err = {0};
    scoped_text terminal, markdown, junit, annotations;
    struct text *const outs[] = {&terminal, &markdown, &junit, &annotations};
    for (size_t i = 0; i < 4; i++)
        text_init(outs[i], MEMORY_BYTES);
    assert_true(verdict_list_text(&list, &(struct text_style){false, 0}, &terminal, &err));
    assert_true(verdict_list_markdown(&list, true, &markdown, &err));
    assert_true(verdict_list_junit(&list, &junit, &err));
    assert_true(verdict_list_annotations(&list, &annotations, &err));
    document_check(checking, "text", text_string(&terminal));
    document_check(checking, "markdown", text_string(&markdown));
    document_check(checking, "junit", text_string(&junit));
    document_check(checking, "github", text_string(&annotations));
}

/* Each text of a message by itself: members of JSON follow in no order that means anything. */
static void texts_check(struct checking *checking, const char *kind, const json_t *value)
{
    const char *name;
    json_t *item;
    size_t i;
    if (json_is_string(value))
        document_check(checking, kind, json_string_value(value));
    json_array_foreach (value, i, item)
        texts_check(checking, kind, item);
    json_object_foreach ((json_t *)(uintptr_t)value, name, item)
        texts_check(checking, kind, item);
}

static void messages_check(struct checking *checking)
{
    const struct notice notice = {
        .phase = PHASE_FIRING, .verdict = checking->verdict, .verdict_id = "v7"};
    for (size_t i = 0; i < KIND_COUNT; i++) {
        const struct destination to = {.name = "to",
                                       .kind = kinds[i],
                                       .channel = "C0123456789",
                                       .repository = "acme/train",
                                       .context = "stepledger"};
        scoped_arena arena;
        struct message message;
        struct err err = {0};
        arena_init(&arena, MEMORY_BYTES);
        if (!message_build(&notice, &to, &arena, &message, &err))
            fail_msg("%s: %s", kinds[i], err.text);
        scoped_json *root = json_parse(message.body, message.length, kinds[i], &err);
        if (root != NULL)
            texts_check(checking, kinds[i], root);
        else
            document_check(checking, kinds[i], message.body);
    }
}

/* A cause goes the way the step went, and its share is what it says. */
static const char *cause_contradiction(const struct verdict *verdict)
{
    const struct verdict_cause *cause = &verdict->cause;
    if (cause->kind == NULL)
        return NULL;
    double gain = verdict->candidate.step_median_us.value - verdict->baseline.step_median_us.value;
    double share = cause->share_of_delta.value;
    bool unexplained = strcmp(cause->kind, "unexplained") == 0;
    if (!cause->share_of_delta.set || cause->delta_us * gain <= 0)
        return "the cause goes the other way than the step";
    if (fabs(share - cause->delta_us / gain) > 1e-9 * share)
        return "the share is not that of the cause";
    if (unexplained ? share > 1 : share < 0.5)
        return "the cause explains too little";
    if (cause->change_pct.set && cause->change_pct.value * gain <= 0)
        return "the cause changed the other way than the step";
    if (strcmp(cause->kind, "all_ops") != 0)
        return NULL;
    for (size_t i = 0, moved = verdict_moved_count(verdict); i < moved; i++) {
        if (verdict->ops[i].delta_us / cause->delta_us > 1)
            return "one op explains more than all of them";
    }
    struct opt_f64 estimate = verdict->statistics.estimate_pct;
    double told = estimate.set ? estimate.value / 100 * verdict->baseline.step_median_us.value : 0;
    return share > 1.5 * fmax(1, told / gain) ? "all ops gained more than the step" : NULL;
}

/* An interval that ends before what matters leaves nothing open but how few runs there are. */
static const char *interval_contradiction(const struct verdict *verdict)
{
    static const char matters[] = "neither surely slower by the ";
    const char *text = verdict_reason_text(verdict, "step_median_uncertain");
    const char *found = text == NULL ? NULL : strstr(text, matters);
    if (found == NULL)
        return NULL;
    double margin = strtod(found + sizeof matters - 1, NULL);
    return verdict->statistics.ci_high_pct.value < margin - 0.1 ? text : NULL;
}

static void verdict_check(struct checking *checking)
{
    scoped_json *root = verdict_to_json(checking->verdict);
    texts_check(checking, "json", root);
    html_check(checking);
    lists_check(checking);
    messages_check(checking);
}

static void says_the_same_numbers_in_every_format(void **state)
{
    (void)state;
    struct checking checking = {0};
    size_t of_status[VERDICT_STATUS_COUNT] = {0}, causes = 0;
    for (uint64_t drawn = 0; drawn <= VERDICTS; drawn++) {
        struct scene scene;
        const uint64_t seed = drawn > 0 ? drawn : 7000698; /* a mean surely longer */
        state_of_draws = seed;
        (void)draw(0, 1);
        struct verdict verdict = random_verdict(&scene);
        checking.verdict = &verdict;
        of_status[verdict.status]++;
        verdict_check(&checking);
        const char *contradiction = cause_contradiction(&verdict);
        contradiction = contradiction == NULL ? interval_contradiction(&verdict) : contradiction;
        if (contradiction != NULL)
            fail_msg("seed %d: %s: %s", (int)seed, contradiction,
                     verdict_sentence(&verdict, &scene.arena));
        causes += verdict.cause.kind != NULL;
        if (checking.format != NULL)
            fail_msg("seed %d, %s: %s\n%s", (int)seed, checking.format, checking.why,
                     verdict_sentence(&verdict, &scene.arena));
        scene_done(&scene);
    }
    /* the draws reach what they are for */
    assert_true(of_status[VERDICT_PASS] > 20 && of_status[VERDICT_FAIL] > 20 &&
                of_status[VERDICT_WARN] + of_status[VERDICT_INCONCLUSIVE] > 20);
    assert_true(checking.count.pairs > 10 * VERDICTS && checking.count.rows > 10 * VERDICTS);
    assert_true(causes > VERDICTS / 2);
    assert_true(checking.one_sided > 0);
    assert_true(checking.count.shares > VERDICTS && checking.count.estimates > VERDICTS);
}

/* ---- the checker ----------------------------------------------------------------------------- */

static void sees_what_is_planted(void **state)
{
    (void)state;
    static struct verdict_measure idle = {
        "device_idle_share", "share",      {true, 0.031}, {true, 0.04},
        {true, 0.009},       {true, 0.05}, "ok"};
    const struct verdict verdict = {
        .status = VERDICT_PASS,
        .baseline = {.step_median_us = some_f64(62213), .step_p90_us = some_f64(70000)},
        .candidate = {.step_median_us = some_f64(64617), .step_p90_us = some_f64(70020)},
        .measures = &idle,
        .measure_count = 1,
        .statistics = {.estimate_pct = some_f64(3.42)},
        .cause = {.kind = "op", .share_of_delta = some_f64(0.61)},
    };
    static const struct {
        const char *document;
        bool agrees;
    } cases[] = {
        {"step time 62.21 ms -> 64.62 ms (+3.9 %): a +1 ms/step, 61 % of the loss", true},
        {"step time 62.21 ms -&gt; 64.62 ms (+3.9 %)", true},
        {"the rule estimates +3.4 %, 95 % interval +1.0..+5.8 %", true},
        {"step time 62.21 ms -> 64.62 ms (+3.4 %)", false},
        {"step time 62.21 ms -> 62.02 ms (+0.1 %)", false},
        {"step time 62.21 ms -> 66.62 ms (+7.1 %)", false}, /* its own, but not the verdict's */
        {"| median | 62.21 ms | 64.62 ms | +2.40 ms | +3.9 % |", true},
        {"| median | 62.21 ms | 64.62 ms | +2.40 ms | +3.4 % |", false},
        {"| median | 62.21 ms | 64.62 ms | -2.40 ms | +3.9 % |", false},
        {"<td>62.21 ms</td><td>65.62 ms</td><td>+3.41 ms</td>", false},
        {"device idle share  3.1 %  4.0 %  +0.9 pp  +5.0 pp  ok", true},
        {"device idle share  3.1 %  4.0 %  +0.9 pp  +0.5 pp  ok", false},
        {"device idle share  3.1 %  4.0 %  +0.9 pp  +5.0 pp  fail", false},
        {"device idle share  3.1 %  5.0 %  +1.9 pp  +5.0 pp  ok", false},
        {"a +1 ms/step, 80 % of the loss", false},
        {"a +1 ms/step, all of the loss", false},
        {"the rule estimates +3.9 %", false},
        {"**the rule's estimate**: +3.9 % (95 % interval", false},
        {"more runs needed  4", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct shown_count count = {0};
        char why[SHOWN_WHY_BYTES] = "";
        if (shown_numbers_agree(&verdict, cases[i].document, &count, why) != cases[i].agrees)
            fail_msg("'%s': %s", cases[i].document, cases[i].agrees ? why : "not seen");
    }
}

static void sees_a_wrong_plural(void **state)
{
    (void)state;
    char why[SHOWN_WHY_BYTES];
    assert_true(has_wrong_plural("after 1 runs", why));
    assert_string_equal(why, "'1 runs'");
    assert_false(has_wrong_plural("1 run, 21 runs, 1 ms, of 1 is, 0.1 steps", why));
}

static void sees_sentences_that_contradict(void **state)
{
    (void)state;
    char why[SHOWN_WHY_BYTES];
    assert_true(has_contradiction("all ops alike +1.3 %\nNo op moved.", why));
    assert_string_equal(why, "'No op moved.' and 'all ops alike'");
    assert_false(has_contradiction("all ops alike +1.3 %\nNo op moved by what matters.", why));
}

/* A contradiction in one sentence of a verdict shows in every format that prints it. */
static void sees_a_verdict_that_contradicts_itself(void **state)
{
    (void)state;
    struct scene scene;
    scene_fill_noisy(&scene, 7, 0.1, NULL);
    struct verdict verdict = scene_judge(&scene);
    verdict.candidate.branch = "pull/7";
    verdict.candidate.commit = "0123456789abcdef0123456789abcdef01234567";
    struct checking checking = {.verdict = &verdict};
    verdict_check(&checking);
    assert_null(checking.format);
    verdict.reasons[0].text = "Step time 9.99 ms -> 11.00 ms (+3.4 %), beyond the limit.";
    verdict_check(&checking);
    assert_string_equal(checking.format, "json");
    scene_done(&scene);
}

/* A pass beside an interval that reaches beyond what matters says what it rests on. */
static void sees_a_bare_interval_beside_a_pass(void **state)
{
    (void)state;
    struct verdict_reason reason = {
        "step_median_equivalent",
        "Step time 100.0 ms -> 100.1 ms (+0.1 %); the rule estimates +0.1 %, 95 % interval "
        "-2.2..+2.3 %, p = 0.4: not slower by the 2.0 % that matter."};
    const struct verdict verdict = {
        .status = VERDICT_PASS,
        .reasons = &reason,
        .reason_count = 1,
        .statistics = {.ci_high_pct = some_f64(2.3), .pass_upper_pct = some_f64(1.9)},
    };
    struct checking checking = {.verdict = &verdict};
    assert_true(has_bare_interval(&checking, reason.text));
    assert_false(has_bare_interval(&checking, "+0.1 % (95 % interval -2.2..+2.3 %; a pass is "
                                              "one-sided: at most +1.9 %)"));
    assert_false(has_bare_interval(&checking, "no interval"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_the_same_numbers_in_every_format),
        cmocka_unit_test(sees_what_is_planted),
        cmocka_unit_test(sees_a_wrong_plural),
        cmocka_unit_test(sees_sentences_that_contradict),
        cmocka_unit_test(sees_a_verdict_that_contradicts_itself),
        cmocka_unit_test(sees_a_bare_interval_beside_a_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
