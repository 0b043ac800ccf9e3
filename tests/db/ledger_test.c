/* The ledger on a real PostgreSQL: what is appended is what is read, once, whatever is repeated. */
#include "tests/support/cluster.h"
#include "tests/support/ledger_fixture.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct profile_identity on_main = {
    .project = "llm", .workload = "pretrain", .branch = "main", .commit = "aaaaaaa1"};

static int64_t rows(const struct scene *scene, const char *table)
{
    char text[100];
    (void)snprintf(text, sizeof text, "SELECT count(*) FROM %s", table);
    return sql_number(scene->database.admin, text);
}

static void gives_back_exactly_what_was_appended(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct profile_receipt receipt;
    struct ledger_profile loaded;
    const struct profile_identity identity = {.project = "llm",
                                              .workload = "pretrain",
                                              .branch = "feature/\303\244",
                                              .commit = "abcdef0123",
                                              .run = "run-7",
                                              .label = "before"};
    struct summary *summary = ledger_summary(&scene->arena, 7, 500);
    assert_true(
        ledger_append_profile(scene->db, &identity, summary, &scene->arena, &receipt, &err));
    assert_false(receipt.duplicate);
    assert_string_equal(receipt.series, "s1");
    assert_string_equal(receipt.run, "run-7");
    assert_true(ledger_load_profile(scene->db, receipt.id, &scene->arena, &loaded, &err));
    assert_string_equal(loaded.project, "llm");
    assert_string_equal(loaded.workload, "pretrain");
    assert_string_equal(loaded.branch, identity.branch);
    assert_string_equal(loaded.commit, identity.commit);
    assert_string_equal(loaded.run, identity.run);
    assert_string_equal(loaded.label, identity.label);
    assert_string_equal(loaded.series, receipt.series);
    assert_int_equal(strlen(loaded.recorded_at_utc), strlen("2026-11-21T09:16:29.000123Z"));
    assert_string_equal(ledger_document(&scene->arena, &loaded.summary),
                        ledger_document(&scene->arena, summary));
}

static void fills_every_table_of_a_profile(void **state)
{
    struct scene *scene = *state;
    ledger_append(scene->db, &scene->arena, &on_main, 1);
    const char *admin = scene->database.admin;
    assert_int_equal(rows(scene, "profile_files"), 2);
    assert_int_equal(rows(scene, "profile_hosts"), 2);
    assert_int_equal(rows(scene, "profile_facts"), 3);
    assert_int_equal(sql_number(admin, "SELECT count(*) FROM profile_facts WHERE name = "
                                       "'step_method' AND value = 'steps_line'"),
                     1);
    assert_int_equal(rows(scene, "profile_programs"), 1);
    assert_int_equal(rows(scene, "profile_devices"), 4);
    assert_int_equal(rows(scene, "profile_steps"), 8);
    assert_int_equal(rows(scene, "step_spans"), 32);
    assert_int_equal(rows(scene, "op_rows"), 3);
    assert_int_equal(rows(scene, "op_signatures"), 3);
    assert_int_equal(
        sql_number(admin,
                   "SELECT count(*) FROM op_rows r JOIN op_signatures s ON s.id = r.signature_id "
                   "WHERE s.id = substr(sha256(s.signature::bytea)::text, 3, 32)::uuid"),
        3);
    assert_int_equal(sql_number(admin, "SELECT period_ps FROM profile_steps WHERE period_ps > 0"),
                     20000000001);
    assert_int_equal(sql_number(admin, "SELECT (flops / 1e9)::bigint FROM op_rows WHERE flops > 0"),
                     1250);
    assert_int_equal(sql_number(admin, "SELECT count(*) FROM op_rows WHERE flops IS NULL"), 2);
}

static void row_equals(const struct scene *scene, const char *query, const char *wanted)
{
    char *row = sql_text(scene->database.admin, query);
    assert_string_equal(row, wanted);
    free(row);
}

/* A summary whose rows hold a value of their own in every column, so that two of them cannot be
 * taken for each other. */
static struct summary *telling_summary(struct arena *arena)
{
    static struct step_span span = {UINT32_MAX, INT64_MIN, INT64_MAX};
    struct summary *summary = ledger_summary(arena, 1, 1);
    summary->ops[0] = (struct op_row){.signature = "sig",
                                      .name = "name",
                                      .category = "category",
                                      .opcode = "opcode",
                                      .program = "program",
                                      .phase = "phase",
                                      .shape_signature = "shape",
                                      .op_path = "path",
                                      .asynchronous = true,
                                      .count = 1,
                                      .device_count = 2,
                                      .total_ps = 3,
                                      .self_ps = 4,
                                      .max_device_self_ps = 5,
                                      .max_device = 6,
                                      .steady_count = 7,
                                      .steady_self_ps = 8,
                                      .flops = some_f64(9.5),
                                      .bytes_accessed = some_f64(1e300)};
    summary->devices[0] = (struct device_row){"device", "host", 1, 2, 3, 4, 5, 6, 7, 8, 9};
    summary->devices[1] = (struct device_row){.name = "idle", .steady_step_median_ps = -1};
    summary->steps.rows[0] = (struct step_row){.number = -1,
                                               .warmup = true,
                                               .max_ps = 2,
                                               .mean_ps = 3,
                                               .slowest = 4,
                                               .has_period = true,
                                               .period_ps = 5,
                                               .has_gap = true,
                                               .gap_before_ps = 6,
                                               .spans = &span,
                                               .span_count = 1};
    summary->sources[0] = (struct source_file){"path", NULL, NULL, 5};
    summary->environment.programs[0] = (struct hlo_program){"jit_f", "print", 7};
    return summary;
}

/* The id of the op is the start of `printf sig | sha256sum`. */
static void writes_each_value_into_its_own_column(void **state)
{
    static const char *const rows_wanted[][2] = {
        {"SELECT replace((r.*, s.signature, s.example_name, s.category, s.opcode, "
         "s.shape_signature, s.op_path)::text, p.recorded_on::text, 'day') FROM op_rows r "
         "JOIN op_signatures s ON s.id = r.signature_id JOIN profiles p ON p.id = r.profile_id",
         "(1,0,day,a543997d-84f1-2798-350c-09bdef2cdb17,6,t,program,phase,1,2,3,4,5,7,8,9.5,1e+300,"
         "sig,name,category,opcode,shape,path)"},
        {"SELECT replace(d::text, recorded_on::text, 'day') FROM profile_devices d "
         "WHERE ordinal = 0",
         "(1,0,day,device,host,1,2,3,4,5,6,7,8,9)"},
        {"SELECT replace(d::text, recorded_on::text, 'day') FROM profile_devices d "
         "WHERE ordinal = 1",
         "(1,1,day,idle,,0,0,0,0,0,0,0,,0)"},
        {"SELECT replace(s::text, recorded_on::text, 'day') FROM profile_steps s "
         "WHERE number = -1",
         "(1,-1,day,t,2,3,4,5,6)"},
        {"SELECT replace(s::text, recorded_on::text, 'day') FROM step_spans s "
         "WHERE number = -1",
         "(1,-1,day,,-9223372036854775808,9223372036854775807)"},
        {"SELECT f::text FROM profile_files f WHERE ordinal = 0", "(1,0,path,,,5)"},
        {"SELECT f::text FROM profile_facts f WHERE name = 'batch'", "(1,batch,512,option)"},
        {"SELECT p::text FROM profile_programs p", "(1,0,jit_f,print,7)"},
        {"SELECT h::text FROM profile_hosts h WHERE ordinal = 1", "(1,1,host1)"},
        {"SELECT concat_ws(' ', workload, device_type, device_count, host_count, topology, "
         "definition_version) FROM series",
         "pretrain TPU v5e 4 2 2x2 1"},
    };
    struct scene *scene = *state;
    struct err err = {0};
    struct profile_receipt receipt;
    assert_true(ledger_append_profile(scene->db, &on_main, telling_summary(&scene->arena),
                                      &scene->arena, &receipt, &err));
    for (size_t i = 0; i < sizeof rows_wanted / sizeof rows_wanted[0]; i++)
        row_equals(scene, rows_wanted[i][0], rows_wanted[i][1]);
}

static void knows_the_same_bytes_again(void **state)
{
    struct scene *scene = *state;
    struct profile_receipt first = ledger_append(scene->db, &scene->arena, &on_main, 1);
    struct profile_receipt again = ledger_append(scene->db, &scene->arena, &on_main, 1);
    assert_true(again.duplicate);
    assert_int_equal(again.id, first.id);
    assert_string_equal(again.series, first.series);
    assert_string_equal(again.run, first.run);
    assert_int_equal(rows(scene, "profiles"), 1);
    assert_int_equal(rows(scene, "profile_events"), 1);
    assert_int_equal(rows(scene, "op_rows"), 3);
}

static void appends_an_event_for_what_is_new_about_known_bytes(void **state)
{
    struct scene *scene = *state;
    struct err err;
    struct ledger_profile loaded;
    struct profile_identity identity = on_main;
    struct profile_receipt first = ledger_append(scene->db, &scene->arena, &on_main, 1);
    identity.label = "golden";
    ledger_append(scene->db, &scene->arena, &identity, 1);
    ledger_append(scene->db, &scene->arena, &identity, 1);
    identity.branch = "release";
    ledger_append(scene->db, &scene->arena, &identity, 1);
    assert_int_equal(rows(scene, "profile_events"), 3);
    assert_true(ledger_load_profile(scene->db, first.id, &scene->arena, &loaded, &err));
    assert_string_equal(loaded.branch, "main");
    assert_string_equal(loaded.label, "golden");
}

static void keeps_one_bytes_per_project_not_per_ledger(void **state)
{
    struct scene *scene = *state;
    struct profile_identity elsewhere = on_main;
    elsewhere.project = "vision";
    struct profile_receipt first = ledger_append(scene->db, &scene->arena, &on_main, 1);
    struct profile_receipt other = ledger_append(scene->db, &scene->arena, &elsewhere, 1);
    assert_false(other.duplicate);
    assert_int_not_equal(other.id, first.id);
}

static void takes_known_bytes_under_another_workload(void **state)
{
    struct scene *scene = *state;
    struct profile_identity other = on_main;
    other.workload = "finetune";
    struct profile_receipt first = ledger_append(scene->db, &scene->arena, &on_main, 1);
    struct profile_receipt second = ledger_append(scene->db, &scene->arena, &other, 1);
    assert_false(second.duplicate);
    assert_int_equal(second.superseded, 0);
    assert_string_not_equal(second.series, first.series);
    assert_int_equal(ledger_append(scene->db, &scene->arena, &other, 1).id, second.id);
    assert_int_equal(ledger_append(scene->db, &scene->arena, &on_main, 1).id, first.id);
    assert_int_equal(rows(scene, "profiles"), 2);
    assert_int_equal(rows(scene, "amendments"), 0);
}

static void refuses_names_that_are_none(void **state)
{
    struct scene *scene = *state;
    static char long_name[300];
    memset(long_name, 'x', sizeof long_name - 1);
    const struct profile_identity wrong[] = {
        {.workload = "w"},
        {.project = "p"},
        {.project = "", .workload = "w"},
        {.project = long_name, .workload = "w"},
        {.project = "a\nb", .workload = "w"},
        {.project = "\377", .workload = "w"},
        {.project = "p", .workload = "w", .run = "p12"},
        {.project = "p", .workload = "w", .label = "v3"},
        {.project = "p", .workload = "w", .branch = ""},
        {.project = "p", .workload = " "},
        {.project = "p\u200b", .workload = "w"},
        {.project = "p", .workload = "w\u202e"},
        {.project = "p", .workload = "w", .run = "r\xc2\x9b"},
        {.project = "p", .workload = "w", .label = "l\U000e0041"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct err err = {0};
        struct profile_receipt receipt;
        assert_false(ledger_append_profile(scene->db, &wrong[i],
                                           ledger_summary(&scene->arena, 1, 3), &scene->arena,
                                           &receipt, &err));
        assert_int_equal(err.kind, ERR_INPUT);
    }
    assert_int_equal(rows(scene, "projects"), 0);
}

static void takes_names_that_do_not_show_from_git_and_older_ledgers(void **state)
{
    struct scene *scene = *state;
    const struct origin origin = {.recorded_at_utc = "2026-01-02T03:04:05Z"};
    const struct profile_identity fine[] = {
        {.project = "p", .workload = "w", .branch = "b\u200d"},
        {.project = "p\u200b", .workload = "w", .origin = &origin},
        {.project = "p", .workload = "w2", .run = "r\u200b", .run_is_known = true},
    };
    for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++)
        ledger_append(scene->db, &scene->arena, &fine[i], 1);
    assert_int_equal(rows(scene, "profiles"), 3);
}

static void refuses_a_summary_without_a_trace_hash(void **state)
{
    struct scene *scene = *state;
    const char *const wrong[] = {
        NULL, "", "abc", "ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789"};
    for (size_t i = 0; i < 4; i++) {
        struct err err = {0};
        struct profile_receipt receipt;
        struct summary *summary = ledger_summary(&scene->arena, 1, 3);
        summary->trace_provenance.trace_sha256 = wrong[i];
        assert_false(
            ledger_append_profile(scene->db, &on_main, summary, &scene->arena, &receipt, &err));
        assert_int_equal(err.kind, ERR_INPUT);
    }
}

static void stores_a_summary_without_our_members(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct profile_receipt receipt;
    struct ledger_profile loaded;
    struct summary *summary = ledger_summary(&scene->arena, 1, 3);
    summary->has_ours = false;
    assert_true(ledger_append_profile(scene->db, &on_main, summary, &scene->arena, &receipt, &err));
    assert_int_equal(rows(scene, "op_rows"), 0);
    assert_true(ledger_load_profile(scene->db, receipt.id, &scene->arena, &loaded, &err));
    assert_false(loaded.summary.has_ours);
}

static void puts_profiles_that_cannot_be_compared_in_series_of_their_own(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct profile_receipt receipt[4];
    for (int i = 0; i < 4; i++) {
        struct summary *summary = ledger_summary(&scene->arena, i, 3);
        if (i == 1)
            summary->environment.device_count = (struct opt_i64){0};
        if (i == 2)
            summary->environment.topology = "";
        if (i == 3)
            summary->environment.topology = NULL;
        assert_true(
            ledger_append_profile(scene->db, &on_main, summary, &scene->arena, &receipt[i], &err));
    }
    assert_string_not_equal(receipt[0].series, receipt[1].series);
    assert_string_not_equal(receipt[0].series, receipt[2].series);
    assert_string_equal(receipt[2].series, receipt[3].series);
}

static void names_a_profile_that_is_not_there(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct ledger_profile loaded;
    assert_false(ledger_load_profile(scene->db, 99, &scene->arena, &loaded, &err));
    assert_int_equal(err.kind, ERR_MISSING);
    assert_non_null(strstr(err.text, "p99"));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, scene_set_up, scene_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(gives_back_exactly_what_was_appended),
        CASE(fills_every_table_of_a_profile),
        CASE(writes_each_value_into_its_own_column),
        CASE(knows_the_same_bytes_again),
        CASE(appends_an_event_for_what_is_new_about_known_bytes),
        CASE(keeps_one_bytes_per_project_not_per_ledger),
        CASE(takes_known_bytes_under_another_workload),
        CASE(refuses_names_that_are_none),
        CASE(takes_names_that_do_not_show_from_git_and_older_ledgers),
        CASE(refuses_a_summary_without_a_trace_hash),
        CASE(stores_a_summary_without_our_members),
        CASE(puts_profiles_that_cannot_be_compared_in_series_of_their_own),
        CASE(names_a_profile_that_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
