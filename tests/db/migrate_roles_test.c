/* Roles belong to the whole server: migrations of several databases of one server make and grant
 * them at the same time. */
#include "history/migrate/migrate.h"
#include "ops/runtime/clock.h"
#include "tests/support/cluster.h"

#include <libpq-fe.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { RACERS = 4, DEADLINE_MS = 60000 };

static int rounds;

/* A server whose roles no database has made yet: those of before go by another name. */
static int set_up(void **state)
{
    static const char *const names[] = {"ingest", "compare", "alert", "read"};
    static struct test_database databases[RACERS];
    for (int i = 0; i < RACERS; i++)
        test_database_make_empty(&databases[i]);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char text[200];
        (void)snprintf(text, sizeof text, "ALTER ROLE stepledger_%s RENAME TO old_%s_%d", names[i],
                       names[i], rounds);
        sql_do(databases[0].admin, text);
    }
    /* Until 0132 it was the owner's to make roles. */
    sql_do(databases[0].admin, "ALTER ROLE stepledger_owner CREATEROLE");
    rounds++;
    *state = databases;
    return 0;
}

static pid_t migrator_start(const struct test_database *database)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid != 0)
        return pid;
    struct err err = {0};
    struct migration_report report;
    struct db *db = NULL;
    bool done = db_open_raw(database->owner, &db, &err) && migrate_run(db, &report, &err);
    if (!done)
        (void)fprintf(stderr, "%s\n", err.text);
    db_close(db);
    _exit(done ? 0 : 1);
}

static void migrator_await(pid_t pid)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void assert_has_roles(const struct test_database *database)
{
    assert_int_equal(sql_number(database->admin,
                                "SELECT count(*) FROM pg_roles WHERE rolname IN "
                                "('stepledger_ingest', 'stepledger_compare', 'stepledger_alert', "
                                "'stepledger_read') AND pg_has_role('stepledger', oid, 'MEMBER')"),
                     4);
    assert_int_equal(
        sql_number(database->admin,
                   "SELECT (has_any_column_privilege('stepledger_ingest', 'op_rows', 'INSERT') AND "
                   "has_any_column_privilege('stepledger_compare', 'verdicts', 'INSERT') AND "
                   "has_any_column_privilege('stepledger_alert', 'deliveries', 'INSERT') AND "
                   "has_table_privilege('stepledger_read', 'profiles', 'SELECT'))::int"),
        1);
    assert_int_equal(sql_number(database->admin,
                                "SELECT count(*) FROM pg_roles "
                                "WHERE rolname = 'stepledger_owner' AND rolcreaterole"),
                     0);
}

/* Until the migrator waits for who holds what it wants. */
static void migrator_await_blocked(const struct test_database *database)
{
    char query[200];
    int64_t deadline = clock_monotonic_ms() + DEADLINE_MS;
    (void)snprintf(query, sizeof query,
                   "SELECT count(*) FROM pg_stat_activity WHERE datname = '%s' AND "
                   "wait_event_type = 'Lock'",
                   database->name);
    while (sql_number(database->admin, query) == 0) {
        assert_true(clock_monotonic_ms() < deadline);
        clock_sleep_ms(10);
    }
}

/* A migration that meets another database's statement, which ends as `end` says. */
static void migrate_against(const struct test_database *database, const char *statement,
                            const char *end)
{
    PGconn *other = PQconnectdb(database[1].owner);
    PQclear(PQexec(other, "BEGIN"));
    PGresult *held = PQexec(other, statement);
    assert_int_equal(PQresultStatus(held), PGRES_COMMAND_OK);
    PQclear(held);
    pid_t migrator = migrator_start(database);
    migrator_await_blocked(database);
    PQclear(PQexec(other, end));
    PQfinish(other);
    migrator_await(migrator);
    assert_has_roles(database);
}

static void takes_the_role_that_another_database_made_meanwhile(void **state)
{
    migrate_against(*state, "CREATE ROLE stepledger_compare NOLOGIN", "COMMIT");
}

static void makes_the_role_that_another_database_did_not_make_after_all(void **state)
{
    migrate_against(*state, "CREATE ROLE stepledger_compare NOLOGIN", "ROLLBACK");
}

static void takes_the_membership_that_another_database_granted_meanwhile(void **state)
{
    const struct test_database *database = *state;
    sql_do(database->owner, "CREATE ROLE stepledger_alert NOLOGIN");
    migrate_against(database, "GRANT stepledger_alert TO stepledger", "COMMIT");
}

static void is_applied_to_many_databases_at_once(void **state)
{
    const struct test_database *databases = *state;
    pid_t migrators[RACERS];
    for (int i = 0; i < RACERS; i++)
        migrators[i] = migrator_start(&databases[i]);
    for (int i = 0; i < RACERS; i++)
        migrator_await(migrators[i]);
    for (int i = 0; i < RACERS; i++)
        assert_has_roles(&databases[i]);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup(name, set_up)
    const struct CMUnitTest tests[] = {
        CASE(takes_the_role_that_another_database_made_meanwhile),
        CASE(makes_the_role_that_another_database_did_not_make_after_all),
        CASE(takes_the_membership_that_another_database_granted_meanwhile),
        CASE(is_applied_to_many_databases_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
