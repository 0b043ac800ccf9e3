/* Tests of summaries and reports as people see them: whole documents against golden files. The
 * reference tool's report is compared with its own output in tests/e2e/golden_commands_test.py.
 */
#include "ops/present/report/report.h"
#include "ops/present/summary/slice.h"

#include "tests/support/document_fixture.h"
#include "tests/support/golden_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT_BYTES = 1 << 20, TOP_K = 10 };

static const char FULL[] = "present/slower.summary.json";

static void shows_a_summary_on_a_terminal(void **state)
{
    (void)state;
    struct err err = {0};
    struct summary summary;
    scoped_arena arena;
    scoped_text out;
    text_init(&out, TEXT_BYTES);
    document_summary(FULL, &arena, &summary);
    assert_true(report_text(&summary, TOP_K, &(struct text_style){false, 100}, &out, &err));
    golden_check("present/slower.summary.txt", text_string(&out));
}

/* Steps that end on all devices at once have no slowest one, whichever comes first. */
static void names_no_slowest_device_where_all_are_alike(void **state)
{
    (void)state;
    struct err err = {0};
    struct summary summary;
    scoped_arena arena;
    scoped_text out;
    text_init(&out, TEXT_BYTES);
    document_summary(FULL, &arena, &summary);
    for (size_t i = 0; i < summary.steps.count; i++)
        summary.steps.rows[i].mean_ps = summary.steps.rows[i].max_ps;
    assert_true(report_text(&summary, TOP_K, &(struct text_style){false, 100}, &out, &err));
    assert_non_null(strstr(text_string(&out), "+21.4 %  all alike "));
}

static void shows_a_summary_of_version_1(void **state)
{
    (void)state;
    struct err err = {0};
    struct summary summary;
    scoped_arena arena;
    scoped_text out;
    text_init(&out, TEXT_BYTES);
    document_summary(FULL, &arena, &summary);
    struct summary first = summary; /* the members of version 1 alone, as its reader leaves it */
    memset(&first.producer, 0, sizeof first.producer);
    memset(&first.environment, 0, sizeof first.environment);
    memset(&first.steps, 0, sizeof first.steps);
    memset(&first.coverage, 0, sizeof first.coverage);
    first.device_count = first.op_count = first.source_count = 0;
    first.has_ours = false;
    assert_true(report_text(&first, 3, &(struct text_style){false, 80}, &out, &err));
    golden_check("present/version_1.report.txt", text_string(&out));
}

static void makes_one_html_file(void **state)
{
    (void)state;
    struct err err = {0};
    struct summary summary;
    scoped_arena arena;
    scoped_text out;
    text_init(&out, TEXT_BYTES);
    document_summary(FULL, &arena, &summary);
    assert_true(report_html(&summary, TOP_K, &out, &err));
    golden_check("present/slower.report.html", text_string(&out));
}

static void makes_the_reference_report(void **state)
{
    (void)state;
    struct err err = {0};
    struct summary summary;
    scoped_arena arena;
    scoped_text out;
    text_init(&out, TEXT_BYTES);
    document_summary(FULL, &arena, &summary);
    assert_true(report_markdown(&summary, TOP_K, &out, &err));
    golden_check("present/slower.report.md", text_string(&out));
}

static void shows_an_empty_summary(void **state)
{
    (void)state;
    struct err err = {0};
    struct summary summary = {
        .schema_version = "profile_summary.v1",
        .has_ours = true,
        .producer = {.version = "0", .breakdown_mode = "exclusive_per_track"},
        .trace_overview = {.duration_basis = "b"},
        .time_breakdown = {.duration_basis = "b"},
    };
    scoped_text out;
    text_init(&out, TEXT_BYTES);
    assert_true(report_text(&summary, TOP_K, &(struct text_style){false, 100}, &out, &err));
    assert_non_null(strstr(text_string(&out), "unknown device: no steady steps found"));
    assert_true(report_html(&summary, TOP_K, &out, &err));
    assert_true(report_markdown(&summary, TOP_K, &out, &err));
}

/* As the reference: none is `n/a` or `unknown`, and the report ends with its text. */
static void says_none_of_what_a_document_leaves_empty(void **state)
{
    (void)state;
    struct err err = {0};
    const char *run_ids[] = {""}, *suggestions[] = {" "};
    struct hot_op op = {.name = "%", .canonical_name = "", .category = "compute"};
    struct semantic_family family = {.family = "other", .time_per_flop_proxy = some_f64(-2)};
    struct gap_region_context context = {.op_name = "", .region_path = ""};
    struct optimization_candidate candidate = {
        .title = "t", .rationale = "r", .suggestions = {suggestions, 1}};
    struct summary summary = {
        .schema_version = "profile_summary.v1",
        .trace_provenance.run_ids = {run_ids, 1},
        .time_breakdown.duration_basis = "b",
        .hot_ops = &op,
        .hot_op_count = 1,
        .semantic_families = &family,
        .semantic_family_count = 1,
        .gap_region_contexts = &context,
        .gap_region_context_count = 1,
        .optimization_candidates = &candidate,
        .optimization_candidate_count = 1,
    };
    scoped_text out;
    text_init(&out, TEXT_BYTES);
    assert_true(report_markdown(&summary, TOP_K, &out, &err));
    static const char *const lines[] = {
        "- Observed run_ids: `unknown`\n",
        "| `%` | `` | compute | 0 | 0.000 | 0.000 | `n/a` |\n",
        "| `other` | 0 | 0.000 | 0.00% | 0.000 | n/a | n/a | `n/a` |\n",
        "| `` | 0 | 0.000 | 0.000 | `n/a` |\n",
        "Suggestions:\n-\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        if (strstr(text_string(&out), lines[i]) == NULL)
            fail_msg("no line '%s' in\n%s", lines[i], text_string(&out));
    }
    assert_string_equal(text_string(&out) + out.length - 3, "\n-\n");
}

static void cuts_lists_as_python_slices(void **state)
{
    (void)state;
    static const struct {
        size_t count;
        int64_t limit;
        size_t kept;
    } cases[] = {
        {5, 3, 3},  {5, 5, 5},  {5, 9, 5}, {5, 0, 0},         {5, -1, 4},        {5, -5, 0},
        {5, -9, 0}, {0, -1, 0}, {0, 3, 0}, {5, INT64_MAX, 5}, {5, INT64_MIN, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(slice_count(cases[i].count, cases[i].limit), cases[i].kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_a_summary_on_a_terminal),
        cmocka_unit_test(names_no_slowest_device_where_all_are_alike),
        cmocka_unit_test(shows_a_summary_of_version_1),
        cmocka_unit_test(makes_one_html_file),
        cmocka_unit_test(makes_the_reference_report),
        cmocka_unit_test(shows_an_empty_summary),
        cmocka_unit_test(says_none_of_what_a_document_leaves_empty),
        cmocka_unit_test(cuts_lists_as_python_slices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
