/* Tests of verdicts as people see them: whole documents against golden files, and the sentence case
 * by case. */
#include "ops/present/verdict/verdict_list.h"
#include "ops/present/verdict/verdict_page.h"
#include "schema/documents/verdict_view.h"
#include "schema/documents/verdict_words.h"

#include "tests/support/document_fixture.h"
#include "tests/support/golden_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT_BYTES = 1 << 20, ARENA_BYTES = 1 << 20 };

static void check_text(const char *document, int columns, const char *golden)
{
    struct err err = {0};
    struct verdict verdict;
    scoped_arena arena;
    scoped_text out;
    text_init(&out, TEXT_BYTES);
    document_verdict(document, &arena, &verdict);
    assert_true(verdict_text(&verdict, &(struct text_style){false, columns}, &out, &err));
    golden_check(golden, text_string(&out));
}

static void shows_a_fail_on_a_terminal(void **state)
{
    (void)state;
    check_text("present/fail.verdict.json", 100, "present/fail.verdict.txt");
}

static void shows_why_profiles_cannot_be_compared(void **state)
{
    (void)state;
    check_text("present/incomparable.verdict.json", 80, "present/incomparable.verdict.txt");
}

static void shows_a_fail_in_markdown(void **state)
{
    (void)state;
    struct err err = {0};
    struct verdict verdict;
    scoped_arena arena;
    scoped_text out;
    text_init(&out, TEXT_BYTES);
    document_verdict("present/fail.verdict.json", &arena, &verdict);
    assert_true(verdict_markdown(&verdict, &out, &err));
    golden_check("present/fail.verdict.md", text_string(&out));
}

static void shows_a_fail_in_a_browser(void **state)
{
    (void)state;
    struct err err = {0};
    struct verdict verdict;
    scoped_arena arena;
    scoped_text out;
    text_init(&out, TEXT_BYTES);
    document_verdict("present/fail.verdict.json", &arena, &verdict);
    const struct verdict_item item = {.name = "llama", .id = "v7", .verdict = &verdict};
    assert_true(verdict_list_html(&(struct verdict_list){&item, 1, NULL}, &out, &err));
    golden_check("present/fail.verdict.html", text_string(&out));
}

static void shows_in_a_browser_why_nothing_was_judged(void **state)
{
    (void)state;
    struct err err = {0};
    scoped_text out;
    text_init(&out, TEXT_BYTES);
    const struct verdict_item item = {.name = "llama", .failure = "no <baseline>"};
    assert_true(verdict_list_html(&(struct verdict_list){&item, 1, NULL}, &out, &err));
    const char *html = text_string(&out);
    assert_non_null(strstr(html, "<h1><b class=\"bad\">ERROR</b>no &lt;baseline&gt;</h1>"));
    assert_null(strstr(html, "in the ledger"));
}

static void shows_a_verdict_that_knows_nothing(void **state)
{
    (void)state;
    struct err err = {0};
    struct verdict verdict = {.status = VERDICT_INCONCLUSIVE};
    scoped_text out;
    text_init(&out, TEXT_BYTES);
    assert_true(verdict_text(&verdict, &(struct text_style){false, 80}, &out, &err));
    assert_int_equal(strncmp(text_string(&out), "INCONCLUSIVE  no reason was recorded\n", 36), 0);
}

static void fails_when_the_text_is_too_small(void **state)
{
    (void)state;
    struct err err = {0};
    struct verdict verdict;
    scoped_arena arena;
    scoped_text out;
    text_init(&out, 100);
    document_verdict("present/fail.verdict.json", &arena, &verdict);
    assert_false(verdict_text(&verdict, &(struct text_style){false, 80}, &out, &err));
    assert_int_equal(err.kind, ERR_LIMIT);
}

/* Hosts stand beside each other, moved or not; of the rest a page shows what moved. */
static void shows_groups_that_moved(void **state)
{
    (void)state;
    struct verdict_group groups[] = {
        {"phase", "backward", 50000, 50200, 200, {{0}, {0}}, {{0}, {0}}},
        {"phase", "forward", 1000, 1100, 100, verdict_part_of(1, 2), {{0}, {0}}},
        {"gap", "tiny", 1, 2, 1, {{0}, {0}}, {{0}, {0}}},
        {"host", "h0", 90000, 90001, 1, {{0}, {0}}, {{0}, {0}}},
        {"host", "h1", 90000, 99000, 9000, {{0}, {0}}, {{0}, {0}}},
    };
    struct verdict verdict = {.status = VERDICT_FAIL,
                              .baseline = {.step_median_us = some_f64(90000)},
                              .groups = groups,
                              .group_count = sizeof groups / sizeof *groups};
    struct err err = {0};
    scoped_text out;
    text_init(&out, TEXT_BYTES);
    assert_true(verdict_text(&verdict, &(struct text_style){false, 80}, &out, &err));
    static const char *const shown[] = {"forward", "h0", "h1", "1.000 ms (1 of 2)",
                                        "(n of m): so many runs of a side have it"};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        assert_non_null(strstr(text_string(&out), shown[i]));
    assert_null(strstr(text_string(&out), "backward"));
    assert_null(strstr(text_string(&out), "tiny"));
    verdict.group_count = 1;
    text_done(&out);
    text_init(&out, TEXT_BYTES);
    assert_true(verdict_text(&verdict, &(struct text_style){false, 80}, &out, &err));
    assert_null(strstr(text_string(&out), "Where the time went"));
}

/* ---- the sentence ---- */

static struct verdict_op ops[] = {
    {.name = "a", .change = "slower", .delta_us = 900},
    {.name = "b", .op_path = "jit(f)/x/while/y/z/w:", .change = "added", .delta_us = 1000},
    {.name = "c", .change = "faster", .delta_us = -5000},
};
static struct verdict_reason reasons[] = {{"step_median_regressed", "Slower."},
                                          {"devices_differ", "1 of 4 devices is slower."}};
static struct verdict_reason idle_reasons[] = {{"device_idle_share_increased", "Idle rose."}};
static struct verdict_mismatch mismatches[] = {
    {"jax_version", "1", "2", "warn"},
    {"batch", NULL, "64", "strict"},
    {"topology", "2x2", "2x4", "strict"},
};

static struct verdict verdict_of(enum verdict_status status, double before_us, double after_us)
{
    return (struct verdict){
        .status = status,
        .baseline = {.step_median_us = some_f64(before_us)},
        .candidate = {.step_median_us = some_f64(after_us)},
        .ops = ops,
        .op_count = sizeof ops / sizeof *ops,
        .reasons = reasons,
        .reason_count = 1,
    };
}

static void check_sentence(const struct verdict *verdict, const char *sentence)
{
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    assert_string_equal(verdict_sentence(verdict, &arena), sentence);
}

static void names_the_op_that_grew_most(void **state)
{
    (void)state;
    struct verdict verdict = verdict_of(VERDICT_FAIL, 10000, 11000);
    check_sentence(&verdict,
                   "step time 10.00 ms -> 11.00 ms (+10.0 %): new op b (y/z/w) +1.00 ms/step");
}

static void names_idle_time_when_that_grew_more(void **state)
{
    (void)state;
    struct verdict verdict = verdict_of(VERDICT_WARN, 10000, 11000);
    verdict.balance = (struct verdict_balance){.known = true, .idle_delta_us = 1500};
    check_sentence(&verdict, "step time 10.00 ms -> 11.00 ms (+10.0 %): idle time +1.50 ms/step");
}

static struct verdict idle_verdict(enum verdict_status status, double after_us)
{
    struct verdict verdict = verdict_of(status, 10000, after_us);
    verdict.reasons = idle_reasons;
    return verdict;
}

static void gives_the_reason_when_the_step_did_not_grow(void **state)
{
    (void)state;
    struct verdict verdict = idle_verdict(VERDICT_FAIL, 10010);
    check_sentence(&verdict, "step time 10.00 ms -> 10.01 ms (+0.1 %): Idle rose.");
}

static void gives_the_reason_when_something_else_decided(void **state)
{
    (void)state;
    struct verdict verdict = idle_verdict(VERDICT_FAIL, 10150);
    check_sentence(&verdict, "step time 10.00 ms -> 10.15 ms (+1.5 %): Idle rose.");
}

static void gives_the_reason_when_there_is_no_step_time(void **state)
{
    (void)state;
    struct verdict verdict = idle_verdict(VERDICT_FAIL, 11000);
    verdict.candidate.step_median_us.set = false;
    check_sentence(&verdict, "Idle rose.");
}

static void names_the_device_that_is_slow_alone(void **state)
{
    (void)state;
    struct verdict verdict = verdict_of(VERDICT_FAIL, 10000, 11000);
    verdict.reason_count = 2;
    check_sentence(&verdict, "step time 10.00 ms -> 11.00 ms (+10.0 %): 1 of 4 devices is slower.");
    verdict.rule_id = "same_program";
    check_sentence(&verdict,
                   "step time 10.00 ms -> 11.00 ms (+10.0 %): 1 of 4 devices is slower; both sides "
                   "ran one compiled program (A/A), so it is not the change");
}

static void says_what_a_pass_would_have_seen(void **state)
{
    (void)state;
    static struct verdict_reason few[] = {{"step_median_within_limit", "Within."},
                                          {"few_runs", "Few."}};
    struct verdict verdict = verdict_of(VERDICT_PASS, 10000, 10050);
    verdict.reason_count = 0;
    check_sentence(&verdict, "step time 10.00 ms -> 10.05 ms (+0.5 %): no regression");
    verdict.reasons = few;
    verdict.reason_count = 2;
    check_sentence(&verdict, "step time 10.00 ms -> 10.05 ms (+0.5 %): within the fixed limit; too "
                             "few past runs to see a smaller loss");
    verdict.statistics.mde_pct = some_f64(1.94);
    check_sentence(&verdict, "step time 10.00 ms -> 10.05 ms (+0.5 %): no regression; a loss of "
                             "1.9 % would have been seen");
}

/* What runs decide has no limit of its own, and what they did not show is no value that is missing;
 * the median of an even number of runs may be half an op. */
static void says_what_became_of_measures(void **state)
{
    (void)state;
    static struct verdict_measure measures[] = {
        {"steady_step_period", "us", {true, 10000}, {true, 11000}, {true, 1000}, {0}, "unknown"},
        {"steady_step_mean", "us", {true, 10000}, {true, 11000}, {true, 1000}, {0}, "ok"},
        {"op_count", "count", {true, 33}, {true, 33.5}, {true, 0.5}, {0}, "ok"}};
    static struct verdict_reason same[] = {{"same_program", "A/A."}};
    struct verdict verdict = verdict_of(VERDICT_WARN, 10000, 11000);
    scoped_arena arena;
    struct verdict_view view;
    arena_init(&arena, ARENA_BYTES);
    verdict.measures = measures;
    verdict.measure_count = sizeof measures / sizeof *measures;
    verdict.statistics.estimate_pct = some_f64(10);
    verdict_view_make(&verdict, &arena, &view);
    assert_string_equal(view.measures.items[0].allowed, "by the runs");
    assert_string_equal(view.measures.items[0].status, "not shown");
    assert_string_equal(view.measures.items[1].allowed, "by the runs");
    assert_string_equal(view.measures.items[2].after, "33.5");
    assert_string_equal(view.measures.items[2].delta, "+0.5");
    verdict.reasons = same;
    verdict_view_make(&verdict, &arena, &view);
    assert_string_equal(view.measures.items[1].allowed, "device time aside");
}

/* What a person may do with a warning, and with pairs that are too few. */
static void says_how_to_become_sure(void **state)
{
    (void)state;
    static struct verdict_reason unsure[] = {{"step_median_suspected", "Probably."},
                                             {"few_runs", "2 pairs."}};
    struct verdict verdict = verdict_of(VERDICT_WARN, 10000, 11000);
    struct verdict_next next;
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    verdict.reasons = unsure;
    verdict.reason_count = 2;
    verdict.baseline.run_count = 12;
    verdict_next_find(&verdict, &arena, &next);
    assert_non_null(strstr(next.why, "runs of both sides in turns on one machine tell soonest"));
    static const char *profiles[] = {"p7", "p8"};
    static struct verdict_reason waits[] = {{"step_period_regressed", "Input, host or dispatch."}};
    struct verdict waiting = verdict_of(VERDICT_FAIL, 10000, 10000);
    waiting.reasons = waits;
    waiting.candidate.profile_ids = (struct string_list){profiles, 2};
    verdict_next_find(&waiting, &arena, &next);
    assert_string_equal(next.command, "stepledger query p8 'what do the devices wait for'");
    verdict.baseline.run_count = verdict.candidate.run_count;
    verdict.baseline.why = "all 3 comparable runs of branch main"; /* which took no turns */
    verdict_next_find(&verdict, &arena, &next);
    assert_non_null(next.why);
    verdict.paired = true;
    verdict.candidate.commit = "0123abcd";
    verdict_next_find(&verdict, &arena, &next);
    assert_non_null(strstr(next.why, "More pairs"));
    assert_non_null(strstr(next.command, "--commit 0123abcd"));
}

static void names_the_first_strict_mismatch(void **state)
{
    (void)state;
    static struct verdict_reason cut[] = {{"profile_truncated", "Cut."}};
    struct verdict verdict = idle_verdict(VERDICT_INCOMPARABLE, 11000);
    check_sentence(&verdict, "Idle rose.");
    verdict.mismatches = mismatches;
    verdict.mismatch_count = 2;
    check_sentence(&verdict, "batch differs: unknown in the baseline, 64 in the candidate");
    verdict.mismatch_count = 3;
    check_sentence(&verdict,
                   "batch differs: unknown in the baseline, 64 in the candidate (and 1 more)");
    verdict.reasons = cut;
    check_sentence(&verdict, "batch differs: unknown in the baseline, 64 in the candidate (and 1 "
                             "more); a profile is truncated: take it again");
}

static void says_that_hosts_are_missing(void **state)
{
    (void)state;
    static struct verdict_reason missing[] = {{"hosts_missing", "Candidate p1 lacks hosts."}};
    static struct verdict_mismatch rows[] = {{"device_count", "16", "12", "strict"},
                                             {"host_count", "4", "3", "strict"}};
    struct verdict verdict = idle_verdict(VERDICT_INCOMPARABLE, 11000);
    verdict.mismatches = rows;
    verdict.mismatch_count = 2;
    check_sentence(&verdict,
                   "device_count differs: 16 in the baseline, 12 in the candidate (and 1 more); if "
                   "it ran on as many hosts, files of some are missing: ingest them too");
    verdict.reasons = missing;
    check_sentence(&verdict,
                   "device_count differs: 16 in the baseline, 12 in the candidate (and 1 more); "
                   "files of hosts are missing: ingest them too (`show` of the profile names "
                   "them)");
    rows[1].candidate = "5";
    verdict.reason_count = 0;
    check_sentence(&verdict,
                   "device_count differs: 16 in the baseline, 12 in the candidate (and 1 more)");
}

static void counts_the_ops_that_moved(void **state)
{
    (void)state;
    static struct verdict_op rows[] = {
        {.change = "slower"}, {.change = "removed"}, {.change = "unchanged"}};
    struct verdict verdict = {.ops = rows, .op_count = 3};
    assert_int_equal(verdict_moved_count(&verdict), 2);
    verdict.op_count = 0;
    assert_int_equal(verdict_moved_count(&verdict), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_a_fail_on_a_terminal),
        cmocka_unit_test(shows_why_profiles_cannot_be_compared),
        cmocka_unit_test(shows_a_fail_in_markdown),
        cmocka_unit_test(shows_a_fail_in_a_browser),
        cmocka_unit_test(shows_in_a_browser_why_nothing_was_judged),
        cmocka_unit_test(shows_a_verdict_that_knows_nothing),
        cmocka_unit_test(fails_when_the_text_is_too_small),
        cmocka_unit_test(shows_groups_that_moved),
        cmocka_unit_test(names_the_op_that_grew_most),
        cmocka_unit_test(names_idle_time_when_that_grew_more),
        cmocka_unit_test(gives_the_reason_when_the_step_did_not_grow),
        cmocka_unit_test(gives_the_reason_when_something_else_decided),
        cmocka_unit_test(names_the_device_that_is_slow_alone),
        cmocka_unit_test(counts_the_ops_that_moved),
        cmocka_unit_test(gives_the_reason_when_there_is_no_step_time),
        cmocka_unit_test(says_what_a_pass_would_have_seen),
        cmocka_unit_test(says_what_became_of_measures),
        cmocka_unit_test(says_how_to_become_sure),
        cmocka_unit_test(names_the_first_strict_mismatch),
        cmocka_unit_test(says_that_hosts_are_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
