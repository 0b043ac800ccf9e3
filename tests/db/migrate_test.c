/* Migrations: applied once, in order, by whoever comes first; a schema that is not ours is named,
 * never touched. */
#include "history/client/connection.h"
#include "history/migrate/migrate.h"
#include "ops/runtime/digest.h"
#include "tests/support/cluster.h"

#include "migrations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { RACERS = 6 };

static struct migration_report migrate(const char *conninfo)
{
    struct err err = {0};
    struct migration_report report = {0};
    scoped_db *db = NULL;
    if (!db_open_raw(conninfo, &db, &err) || !migrate_run(db, &report, &err))
        fail_msg("%s", err.text);
    return report;
}

static void open_is_refused(const char *conninfo, const char *because)
{
    struct err err = {0};
    struct db *db;
    assert_false(db_open(conninfo, &db, &err));
    assert_int_equal(err.kind, ERR_UNAVAILABLE);
    if (strstr(err.text, because) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", err.text, because);
}

static void makes_the_schema_once(void **state)
{
    (void)state;
    struct test_database database;
    test_database_make_empty(&database);
    struct migration_report first = migrate(database.owner);
    assert_int_equal(first.version_before, 0);
    assert_int_equal(first.version_after, migrate_version_wanted());
    assert_int_equal(first.applied_count, MIGRATION_COUNT);
    struct migration_report again = migrate(database.owner);
    assert_int_equal(again.version_before, migrate_version_wanted());
    assert_int_equal(again.applied_count, 0);
    assert_int_equal(sql_number(database.admin, "SELECT count(*) FROM schema_migrations"),
                     MIGRATION_COUNT);
}

static void is_applied_once_by_many_at_once(void **state)
{
    (void)state;
    struct test_database database;
    pid_t racers[RACERS];
    test_database_make_empty(&database);
    for (int i = 0; i < RACERS; i++) {
        racers[i] = fork();
        if (racers[i] == 0) {
            struct err err = {0};
            struct migration_report report;
            struct db *db = NULL;
            bool done = db_open_raw(database.owner, &db, &err) && migrate_run(db, &report, &err);
            if (!done)
                (void)fprintf(stderr, "%s\n", err.text);
            db_close(db);
            _exit(done ? report.applied_count : 100);
        }
    }
    int applied = 0;
    for (int i = 0; i < RACERS; i++) {
        int status;
        assert_int_equal(waitpid(racers[i], &status, 0), racers[i]);
        assert_true(WIFEXITED(status));
        applied += WEXITSTATUS(status);
    }
    assert_int_equal(applied, MIGRATION_COUNT);
}

static void migration_apply(const char *owner, const struct migration *migration)
{
    char sha256[SHA256_HEX_BYTES], record[300];
    sha256_hex(migration->text, strlen(migration->text), sha256);
    (void)snprintf(record, sizeof record,
                   "INSERT INTO schema_migrations (version, name, sha256, program_version) "
                   "VALUES (%d, '%s', '%s', 'test')",
                   migration->version, migration->name, sha256);
    sql_do(owner, migration->text);
    sql_do(owner, record);
}

/* As an earlier version left it, or a migrator that was killed after so many. */
static void continues_from_every_version(void **state)
{
    (void)state;
    struct test_database older;
    test_database_make_empty(&older);
    sql_do(older.owner, queries[Q_migration_schema_create].text);
    sql_do(older.owner, queries[Q_migration_table_create].text);
    for (int applied = 1; applied < MIGRATION_COUNT; applied++) {
        char version[40];
        struct test_database database;
        migration_apply(older.owner, &migrations[applied - 1]);
        test_database_clone(&older, &database);
        (void)snprintf(version, sizeof version, "version %d", migrations[applied - 1].version);
        open_is_refused(database.owner, version);
        struct migration_report report = migrate(database.owner);
        assert_int_equal(report.version_before, migrations[applied - 1].version);
        assert_int_equal(report.applied_count, MIGRATION_COUNT - applied);
    }
}

static void names_a_database_without_a_ledger(void **state)
{
    (void)state;
    struct test_database database;
    test_database_make_empty(&database);
    open_is_refused(database.app, "stepledger migrate");
}

static void names_a_schema_that_is_too_new(void **state)
{
    (void)state;
    struct test_database database;
    struct err err = {0};
    struct migration_report report;
    scoped_db *db = NULL;
    test_database_make(&database);
    sql_do(database.admin,
           "INSERT INTO schema_migrations (version, name, sha256, program_version) "
           "SELECT max(version) + 1, 'later', repeat('0', 64), '9' FROM schema_migrations");
    open_is_refused(database.app, "newer");
    assert_true(db_open_raw(database.owner, &db, &err));
    assert_false(migrate_run(db, &report, &err));
    assert_int_equal(err.kind, ERR_UNAVAILABLE);
}

static void names_a_migration_that_was_changed_after_it_was_applied(void **state)
{
    (void)state;
    struct test_database database;
    test_database_make(&database);
    sql_do(database.admin,
           "UPDATE schema_migrations SET sha256 = repeat('0', 64) WHERE version = 2");
    open_is_refused(database.app, "0002_outbox");
}

static void lets_the_application_append_and_never_change_the_ledger(void **state)
{
    (void)state;
    struct test_database database;
    test_database_make(&database);
    assert_string_equal(sql_refusal(database.app, "UPDATE projects SET name = 'x'"), "42501");
    assert_string_equal(sql_refusal(database.app, "DELETE FROM op_rows"), "42501");
    assert_string_equal(sql_refusal(database.app, "TRUNCATE verdicts"), "42501");
    assert_string_equal(sql_refusal(database.app, "DELETE FROM deliveries"), "42501");
    assert_string_equal(sql_refusal(database.app, "CREATE TABLE mine ()"), "42501");
    assert_string_equal(
        sql_refusal(database.app, "INSERT INTO schema_migrations VALUES (99, '', '', '')"),
        "42501");
    assert_string_equal(
        sql_refusal(database.app, "BEGIN; INSERT INTO projects (name) VALUES ('x'); ROLLBACK"), "");
    assert_string_equal(sql_refusal(database.app, "INSERT INTO projects (name) VALUES ('x')"),
                        "23000"); /* without its entry */
}

static void works_for_a_single_user_who_owns_all(void **state)
{
    (void)state;
    struct test_database database;
    struct err err = {0};
    scoped_db *db = NULL;
    test_database_make_empty(&database);
    migrate(database.admin);
    assert_true(db_open(database.admin, &db, &err));
}

static void tells_what_is_wrong_with_a_connection(void **state)
{
    (void)state;
    struct test_database database;
    struct db *db;
    struct err err = {0};
    char conninfo[CONNINFO_BYTES + 100];
    test_database_make(&database);
    assert_false(db_open("host=/nonexistent dbname=x", &db, &err));
    assert_int_equal(err.kind, ERR_UNAVAILABLE);
    assert_false(db_open("postgresql://u:sec%ret@h/x", &db, &err));
    assert_int_equal(err.kind, ERR_USAGE);
    assert_null(strstr(err.text, "ret"));
    assert_false(db_open("secret", &db, &err));
    assert_int_equal(err.kind, ERR_USAGE);
    assert_null(strstr(err.text, "secret"));
    (void)snprintf(conninfo, sizeof conninfo, "%s dbname=not_there", database.app);
    assert_false(db_open(conninfo, &db, &err));
    assert_int_equal(err.kind, ERR_UNAVAILABLE);
    assert_null(strchr(err.text, '\n'));
}

static void does_not_take_a_failed_transaction_for_a_committed_one(void **state)
{
    (void)state;
    struct test_database database;
    struct err err = {0};
    scoped_db *db = NULL;
    test_database_make(&database);
    assert_true(db_open(database.app, &db, &err));
    assert_true(db_begin(db, &err));
    assert_false(db_begin(db, &err));
    assert_int_equal(err.kind, ERR_BUG);
    assert_false(query_script(db, "division", "SELECT 1 / 0", &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_string_equal(err.sqlstate, "22012");
    assert_false(db_commit(db, &err));
    db_rollback(db); /* harmless: none is open */
    assert_true(db_begin(db, &err));
    assert_true(db_commit(db, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_the_schema_once),
        cmocka_unit_test(is_applied_once_by_many_at_once),
        cmocka_unit_test(continues_from_every_version),
        cmocka_unit_test(names_a_database_without_a_ledger),
        cmocka_unit_test(names_a_schema_that_is_too_new),
        cmocka_unit_test(names_a_migration_that_was_changed_after_it_was_applied),
        cmocka_unit_test(lets_the_application_append_and_never_change_the_ledger),
        cmocka_unit_test(works_for_a_single_user_who_owns_all),
        cmocka_unit_test(tells_what_is_wrong_with_a_connection),
        cmocka_unit_test(does_not_take_a_failed_transaction_for_a_committed_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
