/* Tests that what W&B holds of a profile and of a verdict is what people read: hardware, steps,
 * shares and names in the metadata, in the document, and on every page are the same. */
#include "alerts/channels.h"
#include "alerts/wandb/wandb_publication.h"
#include "ops/present/report/report.h"
#include "ops/present/verdict/verdict_list.h"
#include "ops/present/verdict/verdict_page.h"
#include "ops/present/words/words.h"
#include "ops/runtime/json.h"
#include "schema/documents/summary_view.h"
#include "schema/documents/verdict_words.h"
#include "tests/support/document_fixture.h"
#include "tests/support/gate_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT_BYTES = 1 << 22, MEMORY_BYTES = 64 << 20, TOP_K = 10 };

static const char *const documents[] = {"present/slower.summary.json",
                                        "present/baseline.summary.json"};

/* ---- a profile ------------------------------------------------------------------------------- */

struct pages {
    struct text text, markdown, html;
};

static void pages_make(const struct summary *summary, struct pages *pages)
{
    struct err err = {0};
    text_init(&pages->text, TEXT_BYTES);
    text_init(&pages->markdown, TEXT_BYTES);
    text_init(&pages->html, TEXT_BYTES);
    assert_true(report_text(summary, TOP_K, &(struct text_style){false, 1000}, &pages->text, &err));
    assert_true(report_markdown(summary, TOP_K, &pages->markdown, &err));
    assert_true(report_html(summary, TOP_K, &pages->html, &err));
}

static void pages_done(struct pages *pages)
{
    text_done(&pages->text);
    text_done(&pages->markdown);
    text_done(&pages->html);
}

static void shown_everywhere(const struct pages *pages, const char *what, const char *shown)
{
    const struct text *const all[] = {&pages->text, &pages->markdown, &pages->html};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strstr(all[i]->data, shown) == NULL)
            fail_msg("page %zu does not show the %s '%s'", i, what, shown);
    }
}

static double number_of(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    if (!json_is_number(value))
        fail_msg("%s is no number", name);
    return json_number_value(value);
}

static void holds_of_a_profile_what_its_pages_show(void **state)
{
    (void)state;
    static const char *const times[] = {"steady_step_median_us", "steady_step_p90_us"};
    static const char *const shares[] = {"device_busy_share", "device_compute_share",
                                         "exposed_communication_share",
                                         "overlapped_communication_share"};
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        struct summary summary;
        struct pages pages;
        scoped_arena arena;
        char shown[FORMAT_BYTES];
        document_summary(documents[i], &arena, &summary);
        pages_make(&summary, &pages);
        scoped_json *metadata = wandb_summary_metadata(&summary);
        scoped_json *metrics = wandb_summary_metrics(&summary);
        scoped_json *document = summary_to_json(&summary);
        const json_t *steps = json_object_get(document, "steps");
        shown_everywhere(&pages, "hardware",
                         json_string_value(json_object_get(metadata, "hardware_type")));
        for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
            double us = number_of(metadata, times[k]);
            shown_everywhere(&pages, times[k], format_duration(us, 4, shown));
            assert_true(number_of(metrics, times[k]) == us);
        }
        assert_true(number_of(steps, "steady_median_us") == number_of(metadata, times[0]));
        assert_true(number_of(steps, "steady_p90_us") == number_of(metadata, times[1]));
        assert_true(number_of(steps, "steady_count") == number_of(metadata, "steady_steps"));
        (void)snprintf(shown, sizeof shown, "%.0f steady steps",
                       number_of(metadata, "steady_steps"));
        shown_everywhere(&pages, "steps", shown);
        for (size_t k = 0; k < sizeof shares / sizeof *shares; k++)
            shown_everywhere(&pages, shares[k],
                             format_share(number_of(metadata, shares[k]), shown));
        pages_done(&pages);
    }
}

/* ---- a verdict ------------------------------------------------------------------------------- */

/* Without what a page's language wants escaped, in place. */
static void escapes_drop(struct text *page)
{
    static const struct {
        const char *written;
        char meant;
    } escapes[] = {{"&gt;", '>'}, {"&lt;", '<'}, {"&amp;", '&'}, {"&#39;", '\''}};
    char *to = page->data;
    for (const char *p = page->data; *p != '\0';) {
        size_t i = 0, count = sizeof escapes / sizeof *escapes;
        p += *p == '\\';
        while (i < count && strncmp(p, escapes[i].written, strlen(escapes[i].written)) != 0)
            i++;
        *to++ = i < count ? escapes[i].meant : *p;
        p += i < count ? strlen(escapes[i].written) : 1;
    }
    *to = '\0';
}

static void verdict_pages_make(struct verdict *verdict, struct pages *pages)
{
    struct err err = {0};
    const struct verdict_item item = {.name = "pretrain", .id = "v12", .verdict = verdict};
    const struct verdict_list list = {.items = &item, .count = 1};
    text_init(&pages->text, TEXT_BYTES);
    text_init(&pages->markdown, TEXT_BYTES);
    text_init(&pages->html, TEXT_BYTES);
    assert_true(verdict_text(verdict, &(struct text_style){false, 4000}, &pages->text, &err));
    assert_true(verdict_markdown(verdict, &pages->markdown, &err));
    assert_true(verdict_list_html(&list, &pages->html, &err));
    escapes_drop(&pages->markdown);
    escapes_drop(&pages->html);
}

static void holds_of_a_verdict_what_its_pages_show(void **state)
{
    (void)state;
    static const double changes[] = {0.16, 0.016, 0.002, -0.06};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct scene scene;
        struct err err = {0};
        struct message message;
        struct pages pages;
        char shown[FORMAT_BYTES];
        scene_fill_noisy(&scene, 7, changes[i], NULL);
        struct verdict verdict = scene_judge(&scene);
        verdict.project = "llm";
        verdict.workload = "pretrain";
        verdict.candidate.branch = "pull/7";
        verdict.candidate.commit = "0123456789abcdef0123456789abcdef01234567";
        const struct notice_profile profile = {"p9", scene.candidate.profiles[0].summary};
        const struct notice notice = {
            .verdict = &verdict, .verdict_id = "v12", .profiles = &profile, .profile_count = 1};
        const struct destination to = {.kind = "wandb", .repository = "acme/train"};
        scoped_arena arena;
        arena_init(&arena, MEMORY_BYTES);
        if (!message_build(&notice, &to, &arena, &message, &err))
            fail_msg("%s", err.text);
        scoped_json *body = json_parse(message.body, message.length, "wandb", &err);
        const json_t *metadata = json_object_get(body, "metadata");
        const struct {
            const char *name, *value;
        } texts[] = {{"verdict_headline", verdict_sentence(&verdict, &arena)},
                     {"verdict_status", verdict_status_names[verdict.status]},
                     {"profile", "p9"},
                     {"branch", "pull/7"},
                     {"commit", verdict.candidate.commit}};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            assert_string_equal(json_string_value(json_object_get(metadata, texts[k].name)),
                                texts[k].value);
        verdict_pages_make(&verdict, &pages);
        shown_everywhere(&pages, "sentence", texts[0].value);
        shown_everywhere(&pages, "branch", "branch pull/7");
        double before = number_of(metadata, "baseline_step_median_us");
        double after = number_of(metadata, "candidate_step_median_us");
        struct duration_scale scale = duration_scale_for(fmax(before, after), 4);
        shown_everywhere(&pages, "baseline", format_in_scale(scale, before, false, shown));
        shown_everywhere(&pages, "candidate", format_in_scale(scale, after, false, shown));
        shown_everywhere(
            &pages, "change",
            format_percent_delta(number_of(metadata, "step_median_change_pct"), shown));
        (void)snprintf(shown, sizeof shown, "%+.1f %% (95 %% interval",
                       number_of(metadata, "rule_estimate_pct"));
        shown_everywhere(&pages, "estimate", shown);
        pages_done(&pages);
        scene_done(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_of_a_profile_what_its_pages_show),
        cmocka_unit_test(holds_of_a_verdict_what_its_pages_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
