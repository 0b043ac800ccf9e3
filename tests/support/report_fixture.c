#include "tests/support/report_fixture.h"

#include "ops/flow/reports/reports.h"
#include "ops/present/trend_report/trend_report.h"
#include "ops/runtime/json.h"
#include "ops/runtime/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT_BYTES = 8 << 20 };

void report_keep(struct scene *scene, struct trend_report *report)
{
    struct err err = {0};
    bool is_new = false;
    scoped_transaction *open = NULL;
    if (!transaction_open(scene->db, &open, &err) ||
        !report_record_within(scene->db, report, &scene->arena, &is_new, &err) ||
        !transaction_close(&open, &err))
        fail_msg("%s", err.text);
    assert_true(is_new);
}

const char *report_bytes(struct scene *scene, const struct trend_report *report)
{
    scoped_text text;
    text_init(&text, TEXT_BYTES);
    scoped_json *root = trend_report_to_json(report);
    json_print(root, JSON_STYLE_LINE, &text);
    return arena_strdup(&scene->arena, text_string(&text));
}

void report_assert_says(const struct trend_report *report, const char *words)
{
    struct err err = {0};
    scoped_text text, markdown, html;
    struct text *const outs[] = {&text, &markdown, &html};
    for (size_t i = 0; i < 3; i++)
        text_init(outs[i], TEXT_BYTES);
    if (!trend_report_text(report, &(struct text_style){false, 4000}, &text, &err) ||
        !trend_report_markdown(report, &markdown, &err) || !trend_report_html(report, &html, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < 3; i++)
        if (strstr(text_string(outs[i]), words) == NULL)
            fail_msg("no '%s' in\n%s", words, text_string(outs[i]));
}

void report_assert_same_again(struct scene *scene, const struct trend_report *report)
{
    struct err err = {0};
    struct trend_report kept, again;
    scoped_json *root = trend_report_to_json(report);
    if (!trend_report_from_json(root, "it", &scene->arena, &kept, &err) ||
        !report_make_again(scene->db, &kept, &scene->arena, &again, &err))
        fail_msg("%s", err.text);
    again.canary_count = 0;
    again.report = report->report;
    assert_string_equal(report_bytes(scene, &again), report_bytes(scene, report));
}
