/* A ledger that version 0.1 filled migrates forward: nothing is lost, everything is on a chain, and
 * verify finds it clean. fixtures/0.1.sql.gz is a dump (pg_dump --inserts) of a database that 0.1
 * made: 4 profiles, 5 events, 1 verdict. */
#include "history/ledger.h"
#include "history/migrate.h"
#include "ops/runtime/text.h"
#include "tests/support/integrity_fixture.h"
#include "tests/support/ledger_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DUMP_BYTES_MAX = 16 << 20 };

static struct test_database database;

static int set_up(void **state)
{
    char part[65536];
    size_t length;
    (void)state;
    struct text dump;
    text_init(&dump, DUMP_BYTES_MAX);
    FILE *unpacked = popen("gzip -dc tests/db/fixtures/0.1.sql.gz", "r");
    assert_non_null(unpacked);
    while ((length = fread(part, 1, sizeof part, unpacked)) > 0)
        text_addn(&dump, part, length);
    assert_int_equal(pclose(unpacked), 0);
    assert_false(dump.failed);
    test_database_make_empty(&database);
    sql_do(database.admin, text_string(&dump));
    text_done(&dump);
    return 0;
}

static void migrate(struct migration_report *ret_report)
{
    struct err err = {0};
    scoped_db *db = NULL;
    if (!db_open_raw(database.owner, &db, &err) || !migrate_run(db, ret_report, &err))
        fail_msg("%s", err.text);
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
    struct migration_report report;
    scoped_arena arena;
    arena_init(&arena, (size_t)64 << 20);
    char *before = sql_text(database.admin, contents);
    migrate(&report);
    assert_int_equal(report.version_before, 3);
    assert_int_equal(report.chained_count, 4 + 5 + 1);
    rows_are(contents, before);
    free(before);
    rows_are("SELECT count(*) FROM entries", "10");
    rows_are("SELECT count(*) > 0 FROM measures WHERE profile_id = 4", "t");
    integrity_assert_clean(integrity_verify(&database, NULL, &arena));
    migrate(&report);
    assert_int_equal(report.chained_count, 0);
}

static void finishes_a_filling_that_was_interrupted(void **state)
{
    (void)state;
    struct migration_report report;
    scoped_arena arena;
    arena_init(&arena, (size_t)64 << 20);
    sql_do(database.admin, "SET session_replication_role = replica; "
                           "DELETE FROM entries WHERE kind <> 'profile'; "
                           "DELETE FROM entries WHERE subject_id > 2; "
                           "DELETE FROM measures WHERE profile_id > 2");
    assert_true(integrity_verify(&database, NULL, &arena)->finding_count > 0);
    migrate(&report);
    assert_int_equal(report.chained_count, 2 + 5 + 1);
    integrity_assert_clean(integrity_verify(&database, NULL, &arena));
}

/* Only what the migration found is filled in: later rows without an entry stay a finding. */
static void does_not_give_an_entry_to_what_was_put_in_later(void **state)
{
    (void)state;
    struct migration_report report;
    scoped_arena arena;
    arena_init(&arena, (size_t)64 << 20);
    sql_do(database.admin, "INSERT INTO profile_events (profile_id, branch) VALUES (1, 'forged')");
    migrate(&report);
    assert_int_equal(report.chained_count, 0);
    assert_int_equal(integrity_verify(&database, NULL, &arena)->finding_count, 1);
}

static void goes_on_appending(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, (size_t)64 << 20);
    const struct profile_identity identity = {.project = "demo", .workload = "w"};
    scoped_db *db = ledger_open(database.app);
    assert_false(ledger_append(db, &arena, &identity, 1).duplicate);
    assert_int_equal(integrity_verify(&database, NULL, &arena)->finding_count, 1); /* as before */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loses_nothing_and_chains_everything),
        cmocka_unit_test(finishes_a_filling_that_was_interrupted),
        cmocka_unit_test(does_not_give_an_entry_to_what_was_put_in_later),
        cmocka_unit_test(goes_on_appending),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
