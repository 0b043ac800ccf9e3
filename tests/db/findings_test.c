/* Findings and comparisons: rows of what documents say, in the same transaction and under the same
 * hash. */
#include "history/verdicts/verdicts.h"
#include "tests/support/integrity_fixture.h"
#include "tests/support/ledger_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct profile_identity identity = {.project = "llm", .workload = "pretrain"};
static struct test_database database;
static struct arena arena;

static int set_up(void **state)
{
    (void)state;
    test_database_make(&database);
    arena_init(&arena, 64 << 20);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

static void rows_are(const char *query, const char *wanted)
{
    char *rows = sql_text(database.admin, query);
    assert_string_equal(rows, wanted);
    free(rows);
}

static void append(struct summary *summary)
{
    struct err err = {0};
    struct profile_receipt receipt;
    scoped_db *db = ledger_open(database.app);
    if (!ledger_append_profile(db, &identity, summary, &arena, &receipt, &err))
        fail_msg("%s", err.text);
}

static const char all_findings[] =
    "SELECT string_agg(concat_ws('|', ordinal, code, severity, message, evidence), E'\n' "
    "ORDER BY profile_id, ordinal) FROM findings";

static void keeps_what_a_summary_warns_of(void **state)
{
    (void)state;
    static const char *coverage[] = {"no steps were found", "2 planes were not read"};
    static const char *quality[] = {"the trace is short"};
    struct summary *summary = ledger_summary(&arena, 1, 3);
    summary->coverage.warnings = (struct string_list){coverage, 2};
    summary->trace_overview.quality_warnings = (struct string_list){quality, 1};
    append(summary);
    rows_are(all_findings, "0|coverage|warning|no steps were found\n"
                           "1|coverage|warning|2 planes were not read\n"
                           "2|quality|warning|the trace is short");
    integrity_assert_clean(integrity_verify(&database, NULL, &arena));
}

static void says_what_a_warning_is_about_and_from_which_numbers(void **state)
{
    (void)state;
    static const char *coverage[] = {
        "'a' ends early: 7 bytes hold nothing whole and were not read.",
        "All 8 steps are warm-up (numbers below 9): no steady step",
        "The gzip checksum of 'a' is wrong or missing: bytes may have been changed",
        "'a' is followed by 5 bytes that are no part of the profile and were not read.",
        "The device type is unknown; give it with --meta"};
    struct summary *summary = ledger_summary(&arena, 1, 3);
    summary->coverage.warnings = (struct string_list){coverage, 5};
    summary->coverage.bytes_read = 90;
    summary->coverage.bytes_unread = 7;
    summary->coverage.bytes_behind = some_i64(5);
    summary->coverage.files_unproven = some_i64(1);
    append(summary);
    rows_are("SELECT string_agg(concat_ws('|', code, severity, evidence), E'\n' ORDER BY ordinal) "
             "FROM findings",
             "input_truncated|error|{\"bytes_read\": 90, \"bytes_unread\": 7}\n"
             "only_warmup|warning|{\"steps\": 8, \"steady_steps\": 8}\n"
             "input_unproven|error|{\"files_unproven\": 1}\n"
             "input_followed|warning|{\"bytes_behind\": 5}\n"
             "device_type_unknown|info");
    rows_are("SELECT (evidence::json ->> 'bytes_unread') FROM findings WHERE code = "
             "'input_truncated'",
             "7");
    integrity_assert_clean(integrity_verify(&database, NULL, &arena));
}

static void keeps_the_warnings_of_a_document_without_our_members(void **state)
{
    (void)state;
    static const char *quality[] = {"the trace is short"};
    struct summary *summary = ledger_summary(&arena, 1, 3);
    summary->has_ours = false;
    summary->trace_overview.quality_warnings = (struct string_list){quality, 1};
    append(summary);
    rows_are(all_findings, "0|quality|warning|the trace is short");
    integrity_assert_clean(integrity_verify(&database, NULL, &arena));
}

static void finds_a_finding_that_was_changed_taken_out_or_put_in(void **state)
{
    (void)state;
    static const char *quality[] = {"the trace is short"};
    static const char *const changes[] = {
        "UPDATE findings SET message = 'all is well'", "DELETE FROM findings",
        "INSERT INTO findings VALUES (1, 7, 'quality', 'info', 'x', NULL)"};
    struct summary *summary = ledger_summary(&arena, 1, 3);
    summary->trace_overview.quality_warnings = (struct string_list){quality, 1};
    append(summary);
    struct test_database whole = database;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        test_database_clone(&whole, &database);
        sql_do(database.admin,
               arena_printf(&arena, "SET session_replication_role = replica; %s", changes[i]));
        const struct verify_report *report = integrity_verify(&database, NULL, &arena);
        assert_int_equal(report->finding_count, 1);
        assert_string_equal(report->findings[0].entry, "p1");
    }
}

static void verdict_append(const struct verdict *verdict)
{
    struct err err = {0};
    scoped_db *db = ledger_open(database.app);
    struct verdict_entry entry = {.verdict = verdict, .document = "{}"};
    if (!ledger_reserve_verdict(db, &entry.id, &err) || !ledger_append_verdict(db, &entry, &err))
        fail_msg("%s", err.text);
}

static void keeps_what_a_verdict_compared(void **state)
{
    (void)state;
    static const char *baseline[] = {"p1"}, *candidate[] = {"p2"};
    struct verdict_measure measures[] = {
        {.name = "step_p90",
         .unit = "us",
         .before = some_f64(10),
         .after = some_f64(12.5),
         .delta = some_f64(2.5),
         .limit = some_f64(2),
         .status = "fail"},
        {.name = "device_skew", .unit = "ratio", .status = "unknown"},
    };
    const struct verdict verdict = {
        .project = "llm",
        .workload = "pretrain",
        .status = VERDICT_FAIL,
        .rule_id = "step_median",
        .rule_version = 3,
        .baseline = {.profile_ids = {baseline, 1}, .step_median_us = some_f64(100)},
        .candidate = {.profile_ids = {candidate, 1}, .step_median_us = some_f64(110)},
        .statistics = {.estimate_pct = some_f64(10),
                       .ci_low_pct = some_f64(8),
                       .ci_high_pct = some_f64(12),
                       .p = some_f64(0.001),
                       .run_sd_pct = some_f64(1),
                       .mde_pct = some_f64(2)},
        .measures = measures,
        .measure_count = 2,
    };
    append(ledger_summary(&arena, 1, 3));
    append(ledger_summary(&arena, 2, 3));
    verdict_append(&verdict);
    rows_are("SELECT string_agg(c::text, E'\n' ORDER BY ordinal) FROM comparisons c",
             "(1,0,step_time,us,100,110,10,,fail,step_median.v3,10,8,12,0.001,1,2)\n"
             "(1,1,step_p90,us,10,12.5,2.5,2,fail,limit,,,,,,)\n"
             "(1,2,device_skew,ratio,,,,,unknown,limit,,,,,,)");
    integrity_assert_clean(integrity_verify(&database, NULL, &arena));
}

int main(void)
{
#define findings_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        findings_test(keeps_what_a_summary_warns_of),
        findings_test(says_what_a_warning_is_about_and_from_which_numbers),
        findings_test(keeps_the_warnings_of_a_document_without_our_members),
        findings_test(finds_a_finding_that_was_changed_taken_out_or_put_in),
        findings_test(keeps_what_a_verdict_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
