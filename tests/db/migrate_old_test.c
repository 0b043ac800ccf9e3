/* Ledgers that earlier versions filled migrate forward: nothing is lost, everything is on a chain,
 * and verify finds them clean. fixtures/0.1.sql.gz is of version 0.1: 4 profiles, 5 events, 1
 * verdict. fixtures/0040.sql.gz is of schema 40, with something in every table of the ledger;
 * its 7 profiles were recorded in three months. */
#include "history/profiles/amend.h"
#include "history/profiles/ledger.h"
#include "tests/support/integrity_fixture.h"
#include "tests/support/ledger_fixture.h"
#include "tests/support/old_ledger.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct test_database database;

static int set_up_01(void **state)
{
    (void)state;
    old_ledger_load("0.1", &database);
    return 0;
}

static void rows_are(const char *what, const char *expected)
{
    char *found = sql_text(database.admin, what);
    assert_string_equal(found, expected);
    free(found);
}

static const char contents[] =
    "SELECT concat_ws(' ', (SELECT count(*) FROM profiles), (SELECT count(*) FROM profile_events), "
    "(SELECT count(*) FROM verdicts), (SELECT count(*) FROM verdict_inputs), "
    "(SELECT md5(string_agg(document, '' ORDER BY profile_id)) FROM summaries), "
    "(SELECT sum(self_ps) FROM op_rows), (SELECT sum(duration_ps) FROM step_spans))";

static void loses_nothing_and_chains_everything(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, (size_t)64 << 20);
    char *before = sql_text(database.admin, contents);
    struct migration_report report = old_ledger_migrate(&database);
    assert_int_equal(report.version_before, 3);
    assert_int_equal(report.chained_count, 4 + 5 + 1 + 1 + 1); /* the last: project, series */
    rows_are(contents, before);
    free(before);
    rows_are("SELECT count(*) FROM entries", "12");
    rows_are("SELECT count(*) > 0 FROM measures WHERE profile_id = 4", "t");
    integrity_assert_clean(integrity_verify(&database, NULL, &arena));
    assert_int_equal(old_ledger_migrate(&database).chained_count, 0);
}

/* Whatever is told of what migrations found: that is over. */
static void gives_no_entry_to_what_lost_its_own(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, (size_t)64 << 20);
    struct test_database robbed;
    test_database_clone(&database, &robbed);
    sql_do(robbed.admin, "SET session_replication_role = replica; "
                         "DELETE FROM entries WHERE kind = 'event'; "
                         "INSERT INTO chain_starts VALUES ('event', 1000)");
    assert_int_equal(old_ledger_migrate(&robbed).chained_count, 0);
    assert_true(integrity_verify(&robbed, NULL, &arena)->finding_count > 0);
}

/* Later rows without an entry stay a finding. */
static void does_not_give_an_entry_to_what_was_put_in_later(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, (size_t)64 << 20);
    sql_do(database.admin, "SET session_replication_role = replica; "
                           "INSERT INTO chain_starts VALUES ('event', 1000); "
                           "INSERT INTO profile_events (profile_id, branch) VALUES (1, 'forged')");
    assert_int_equal(old_ledger_migrate(&database).chained_count, 0);
    assert_int_equal(integrity_verify(&database, NULL, &arena)->finding_count, 1);
}

static void append_to(const char *project)
{
    scoped_arena arena;
    arena_init(&arena, (size_t)64 << 20);
    const struct profile_identity identity = {.project = project, .workload = "w"};
    scoped_db *db = ledger_open(database.app);
    assert_false(ledger_append(db, &arena, &identity, 1).duplicate);
}

static void goes_on_appending(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, (size_t)64 << 20);
    append_to("demo");
    assert_int_equal(integrity_verify(&database, NULL, &arena)->finding_count, 1); /* as before */
}

/* What was recorded by an old program is corrected as anything else, and superseded when its bytes
 * are read again in another way. */
static void corrects_what_was_recorded_before(void **state)
{
    (void)state;
    int64_t id;
    struct err err = {0};
    scoped_arena arena;
    arena_init(&arena, (size_t)64 << 20);
    struct test_database migrated;
    old_ledger_load("0.1", &migrated);
    (void)old_ledger_migrate(&migrated);
    scoped_db *db = ledger_open(migrated.app);
    const struct amendment moved = {
        .profile_id = 1, .workload = "other", .branch = "feature", .reason = "a slip"};
    const struct amendment retracted = {
        .profile_id = 2, .action = AMEND_retract, .reason = "a noisy host"};
    assert_true(ledger_amend(db, &moved, &arena, &id, &err));
    assert_true(ledger_amend(db, &retracted, &arena, &id, &err));
    struct ledger_profile profile;
    assert_true(ledger_load_profile(db, 1, &arena, &profile, &err));
    assert_string_equal(profile.workload, "other");
    assert_string_equal(profile.branch, "feature");
    struct profile_receipt receipt;
    assert_true(ledger_load_profile(db, 4, &arena, &profile, &err));
    const struct profile_identity again = {.project = profile.project,
                                           .workload = profile.workload};
    profile.summary.producer.warmup_steps += 1;
    assert_true(ledger_append_profile(db, &again, &profile.summary, &arena, &receipt, &err));
    assert_int_equal(receipt.superseded, 4);
    integrity_assert_clean(integrity_verify(&migrated, NULL, &arena));
}

/* ---- schema 40 ------------------------------------------------------------------------------ */

static int set_up_40(void **state)
{
    (void)state;
    old_ledger_load("0040", &database);
    return 0;
}

/* Every table by its number of rows, and the sums of those that move. */
static char *contents_of_40(void)
{
    return sql_text(
        database.admin,
        "SELECT string_agg(line, E'\\n' ORDER BY line) FROM ("
        "SELECT c.relname || (xpath('/row/n/text()', query_to_xml("
        "format('SELECT count(*) AS n FROM stepledger.%I', c.relname), true, true, '')))[1]::text "
        "AS line FROM pg_class c WHERE c.relname IN ('projects', 'series', 'profiles', "
        "'profile_events', 'summaries', 'profile_files', 'profile_hosts', 'profile_facts', "
        "'profile_programs', 'profile_devices', 'profile_steps', 'step_spans', 'op_rows', "
        "'op_signatures', 'measures', 'verdicts', 'verdict_inputs', 'verdict_messages', "
        "'deliveries', 'checkpoints', 'policies', 'verdict_requests', 'acceptances', "
        "'rebaselines', 'alert_events', 'track_records', 'queue', 'outbox') "
        "AND c.relnamespace = 'stepledger'::regnamespace "
        "UNION ALL SELECT md5(string_agg(document, '' ORDER BY profile_id)) FROM summaries "
        "UNION ALL SELECT md5(string_agg(concat_ws(' ', profile_id, ordinal, signature_id, "
        "max_device, asynchronous, program, phase, count, device_count, total_ps, self_ps, "
        "max_device_self_ps, steady_count, steady_self_ps, flops, bytes_accessed), '' "
        "ORDER BY profile_id, ordinal)) FROM op_rows) AS l");
}

static void moves_rows_into_the_months_of_their_profiles(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, (size_t)64 << 20);
    char *before = contents_of_40();
    struct migration_report report = old_ledger_migrate(&database);
    assert_int_equal(report.version_before, 40);
    assert_int_equal(report.chained_count, 4); /* a project, two series, a policy */
    char *after = contents_of_40();
    assert_string_equal(after, before);
    free(before);
    free(after);
    rows_are("SELECT count(DISTINCT profile_id) FROM op_rows_2026_08", "1");
    rows_are("SELECT count(DISTINCT profile_id) FROM summaries_2026_09", "1");
    rows_are("SELECT count(*) FROM step_spans r JOIN profiles p ON p.id = r.profile_id "
             "WHERE p.recorded_on <> r.recorded_on",
             "0");
    integrity_assert_clean(integrity_verify(&database, NULL, &arena));
    append_to("p");
    integrity_assert_clean(integrity_verify(&database, NULL, &arena));
}

/* Rows that somebody put in beside all profiles do not get lost on the way: they stay a finding. */
static void keeps_rows_that_belong_to_nobody(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, (size_t)64 << 20);
    sql_do(database.admin, "INSERT INTO step_spans VALUES (77, 1, 0, 5, 6)");
    (void)old_ledger_migrate(&database);
    const struct verify_report *report = integrity_verify(&database, NULL, &arena);
    assert_int_equal(report->finding_count, 1);
    assert_string_equal(report->findings[0].entry, "p77");
}

/* Until 0060 these got their entries from the next checkpoint. */
static void gives_entries_to_what_waited_for_a_checkpoint(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, (size_t)64 << 20);
    sql_do(database.admin,
           "INSERT INTO deliveries (outbox_id, destination, dedupe_key, verdict_id, attempt, "
           "outcome) SELECT 1, 'ci', 'k', v.id, 1, 'done' FROM (SELECT min(id) AS id FROM verdicts "
           "UNION ALL SELECT NULL) AS v; "
           "INSERT INTO acceptances (verdict_id, project_id, workload, change_key, reason) "
           "SELECT min(id), min(project_id), 'w', 'k', 'why' FROM verdicts; "
           "INSERT INTO rebaselines (series_id, after_profile_id, reason) "
           "SELECT min(id), 0, 'why' FROM series; "
           "INSERT INTO track_records (project_id, workload, document, document_sha256) "
           "SELECT min(id), 'w', '{}', sha256('{}') FROM projects");
    assert_int_equal(old_ledger_migrate(&database).chained_count, 2 + 1 + 1 + 1 + 4);
    integrity_assert_clean(integrity_verify(&database, NULL, &arena));
    rows_are(
        "SELECT string_agg(kind || ' ' || left(chain, 1), ', ' ORDER BY recorded_at, position) "
        "FROM (SELECT * FROM entries ORDER BY recorded_at DESC LIMIT 5) AS e",
        "delivery s, delivery l, acceptance j, rebaseline s, track j");
    assert_int_equal(old_ledger_migrate(&database).chained_count, 0);
}

enum { KILLS = 8, KILL_STEP_MS = 30 };

static void says_before_how_much_is_moved(void **state)
{
    (void)state;
    struct err err = {0};
    struct migration_plan plan;
    scoped_db *db = NULL;
    sql_do(database.admin, "ANALYZE");
    assert_true(db_open_raw(database.owner, &db, &err));
    assert_true(migrate_look(db, &plan, &err));
    assert_int_equal(plan.version_before, 40);
    assert_true(plan.missing_count > 0 && plan.moved_bytes > 0);
    assert_int_equal(plan.moved_rows,
                     sql_number(database.admin,
                                "SELECT (SELECT count(*) FROM summaries) + (SELECT count(*) FROM "
                                "profile_devices) + (SELECT count(*) FROM profile_steps) + "
                                "(SELECT count(*) FROM step_spans) + (SELECT count(*) FROM "
                                "op_rows)"));
    (void)old_ledger_migrate(&database);
    assert_true(migrate_look(db, &plan, &err));
    assert_int_equal(plan.missing_count, 0);
    assert_int_equal(plan.moved_rows, 0);
}

static void goes_on_where_it_was_killed(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, (size_t)64 << 20);
    int killed = 0;
    for (int i = 0; i < KILLS; i++) {
        int status;
        pid_t migrator = fork();
        if (migrator == 0) {
            (void)old_ledger_migrate(&database);
            _exit(0);
        }
        (void)usleep((useconds_t)(i * KILL_STEP_MS) * 1000);
        (void)kill(migrator, SIGKILL);
        assert_int_equal(waitpid(migrator, &status, 0), migrator);
        killed += WIFSIGNALED(status);
    }
    print_message("# %d of %d migrators were killed\n", killed, KILLS);
    (void)old_ledger_migrate(&database);
    integrity_assert_clean(integrity_verify(&database, NULL, &arena));
    rows_are("SELECT count(*) FROM pg_class WHERE relname LIKE 'old\\_%'", "0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loses_nothing_and_chains_everything),
        cmocka_unit_test(gives_no_entry_to_what_lost_its_own),
        cmocka_unit_test(does_not_give_an_entry_to_what_was_put_in_later),
        cmocka_unit_test(goes_on_appending),
        cmocka_unit_test(corrects_what_was_recorded_before),
    };
    const struct CMUnitTest of_40[] = {
        cmocka_unit_test_setup(moves_rows_into_the_months_of_their_profiles, set_up_40),
        cmocka_unit_test_setup(keeps_rows_that_belong_to_nobody, set_up_40),
        cmocka_unit_test_setup(gives_entries_to_what_waited_for_a_checkpoint, set_up_40),
        cmocka_unit_test_setup(says_before_how_much_is_moved, set_up_40),
        cmocka_unit_test_setup(goes_on_where_it_was_killed, set_up_40),
    };
    return cmocka_run_group_tests(tests, set_up_01, NULL) +
           cmocka_run_group_tests(of_40, NULL, NULL);
}
