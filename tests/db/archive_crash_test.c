/* Months on their way out of the ledger when something goes wrong: the exporter is killed, the disk
 * is full, rows are put into a partition by hand. The month is in the ledger or in a file that was
 * verified, and a second run finishes what the first one did not. */
#include "history/archive/archive.h"
#include "ops/runtime/clock.h"
#include "tests/support/folder.h"
#include "tests/support/integrity_fixture.h"
#include "tests/support/ledger_fixture.h"
#include "tests/support/month_fixture.h"

#include <errno.h>
#include <libpq-fe.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { DEADLINE_MS = 60000 };

static const struct profile_identity identity = {
    .project = "llm", .workload = "pretrain", .branch = "main"};
static struct test_database database;
static struct arena arena;
static char *folder;
static const char *path;

/* p1 and p2 of 2026-01, p3 of today. */
static int set_up(void **state)
{
    (void)state;
    test_database_make(&database);
    arena_init(&arena, 64 << 20);
    folder = test_folder_make();
    path = arena_printf(&arena, "%s/jan.archive", folder);
    scoped_db *db = ledger_open(database.app);
    month_pretend(&database, "2026-01-10");
    (void)ledger_append(db, &arena, &identity, 100);
    (void)ledger_append(db, &arena, &identity, 101);
    month_pretend(&database, NULL);
    (void)ledger_append(db, &arena, &identity, 102);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    test_folder_remove(folder);
    free(folder);
    arena_done(&arena);
    return 0;
}

static int64_t number(const char *query)
{
    return sql_number(database.admin, query);
}

/* What `export --month 2026-01 --detach` does. */
static bool month_export(struct err *err)
{
    int64_t id;
    struct archive_file file;
    scoped_db *db = ledger_open(database.owner);
    return archive_write(db, "2026-01", path, &file, err) &&
           archive_detach(db, path, &file, &id, err);
}

static pid_t exporter_start(void)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct err err = {0};
        _exit(month_export(&err) ? 0 : 1);
    }
    return pid;
}

/* Keeps a table until the session ends. */
static PGconn *table_hold(const char *table, const char *mode)
{
    PGconn *holder = PQconnectdb(database.admin);
    char text[200];
    (void)snprintf(text, sizeof text, "BEGIN; LOCK TABLE stepledger.%s IN %s MODE", table, mode);
    PGresult *held = PQexec(holder, text);
    assert_int_equal(PQresultStatus(held), PGRES_COMMAND_OK);
    PQclear(held);
    return holder;
}

/* Until a statement waits for a lock; its text begins so. */
static void await_blocked(const char *statement)
{
    char text[300];
    int64_t deadline = clock_monotonic_ms() + DEADLINE_MS;
    (void)snprintf(text, sizeof text,
                   "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                   "AND datname = current_database() AND query LIKE '%%%s%%'",
                   statement);
    while (number(text) == 0) {
        assert_true(clock_monotonic_ms() < deadline);
        clock_sleep_ms(5);
    }
}

/* The server notices the loss of its client when it next talks to it. */
static void exporter_kill(pid_t pid, PGconn *holder)
{
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    PQfinish(holder);
    int64_t deadline = clock_monotonic_ms() + DEADLINE_MS;
    while (number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                  "AND usename = 'stepledger_owner'") > 0) {
        assert_true(clock_monotonic_ms() < deadline);
        clock_sleep_ms(5);
    }
}

static void assert_in_the_ledger(void)
{
    assert_int_equal(number("SELECT count(*) FROM archives"), 0);
    assert_int_equal(number("SELECT count(*) FROM summaries"), 3);
    integrity_assert_clean(integrity_verify(&database, NULL, &arena));
}

static void assert_in_the_file(void)
{
    struct err err = {0};
    struct archive_file file;
    struct verify_report *report = integrity_verify(&database, NULL, &arena);
    scoped_db *db = ledger_open(database.app);
    if (!archive_verify(db, path, &arena, report, &file, &err))
        fail_msg("%s", err.text);
    integrity_assert_clean(report);
    assert_int_equal(file.profile_count, 2);
    assert_int_equal(number("SELECT count(*) FROM archives"), 1);
    assert_int_equal(number("SELECT count(*) FROM summaries"), 1);
}

static void finishes(void)
{
    struct err err = {0};
    if (!month_export(&err))
        fail_msg("%s", err.text);
    assert_in_the_file();
}

/* ---- */

static void keeps_the_month_when_the_writer_is_killed(void **state)
{
    (void)state;
    PGconn *holder = table_hold("step_spans", "ACCESS EXCLUSIVE");
    pid_t pid = exporter_start();
    await_blocked("step_spans");
    exporter_kill(pid, holder);
    assert_int_equal(access(path, F_OK), -1);
    assert_in_the_ledger();
    finishes();
}

static void keeps_the_month_when_killed_between_file_and_detaching(void **state)
{
    (void)state;
    struct err err = {0};
    struct archive_file file;
    PGconn *holder = table_hold("archives", "EXCLUSIVE");
    pid_t pid = exporter_start();
    await_blocked("archives");
    exporter_kill(pid, holder);
    assert_int_equal(access(path, F_OK), 0); /* whole, and of no ledger yet */
    assert_in_the_ledger();
    scoped_db *db = ledger_open(database.app);
    if (!archive_write(db, "2026-01", path, &file, &err))
        fail_msg("%s", err.text);
    finishes();
}

static void keeps_the_month_when_killed_while_it_waits_for_readers(void **state)
{
    (void)state;
    PGconn *holder = table_hold("op_rows", "ACCESS SHARE");
    pid_t pid = exporter_start();
    await_blocked("ledger_month_detach");
    exporter_kill(pid, holder);
    assert_in_the_ledger();
    finishes();
}

static void says_where_the_month_is_when_killed_after_detaching(void **state)
{
    (void)state;
    struct err err = {0};
    pid_t pid = exporter_start();
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0); /* nobody heard of it */
    assert_false(month_export(&err));
    assert_int_equal(err.kind, ERR_MISSING);
    assert_non_null(strstr(err.text, path));
    assert_in_the_file();
}

static void keeps_the_month_when_the_disk_is_full(void **state)
{
    (void)state;
    struct err err = {0};
    if (mount("none", folder, "tmpfs", 0, "size=8k,mode=0755") != 0) {
        print_message("a small file system cannot be mounted: %s\n", strerror(errno));
        skip();
    }
    bool done = month_export(&err);
    bool left = access(path, F_OK) == 0 || access(arena_printf(&arena, "%s.part", path), F_OK) == 0;
    assert_int_equal(umount2(folder, MNT_DETACH), 0);
    assert_false(done);
    assert_int_equal(err.kind, ERR_FULL);
    assert_false(left);
    assert_in_the_ledger();
    finishes();
}

/* Rows that the owner puts into a partition itself, where no trigger of the table looks. */
static const char *const forged[] = {
    "INSERT INTO op_rows_2026_01 SELECT * FROM op_rows WHERE profile_id = 1 LIMIT 1",
    "INSERT INTO step_spans_2026_01 SELECT * FROM step_spans WHERE profile_id = 1 LIMIT 1",
    "INSERT INTO profile_steps_2026_01 SELECT * FROM profile_steps WHERE profile_id = 1 LIMIT 1",
    "INSERT INTO profile_devices_2026_01 SELECT * FROM profile_devices WHERE profile_id = 1 LIMIT "
    "1",
    "INSERT INTO summaries_2026_01 VALUES (3, '2026-01-10', '{}')",
    "INSERT INTO summaries_2026_01 VALUES (99, '2026-01-10', '{}')",
    "INSERT INTO op_rows_2026_01 SELECT 3, ordinal, '2026-01-10', signature_id, max_device, "
    "asynchronous, program, phase, count, device_count, total_ps, self_ps, max_device_self_ps, "
    "steady_count, steady_self_ps, flops, bytes_accessed FROM op_rows WHERE profile_id = 1 LIMIT 1",
    "INSERT INTO op_rows_2026_01 SELECT 99, ordinal, '2026-01-10', signature_id, max_device, "
    "asynchronous, program, phase, count, device_count, total_ps, self_ps, max_device_self_ps, "
    "steady_count, steady_self_ps, flops, bytes_accessed FROM op_rows WHERE profile_id = 1 LIMIT 1",
};

static void finds_rows_that_were_put_into_a_partition(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof forged / sizeof forged[0]; i++) {
        struct err err = {0};
        struct test_database original = database;
        test_database_clone(&original, &database);
        assert_string_equal(sql_refusal(database.app, forged[i]), "42501");
        sql_do(database.owner, forged[i]);
        const struct verify_report *report = integrity_verify(&database, NULL, &arena);
        if (report->finding_count == 0)
            fail_msg("not found: %s", forged[i]);
        assert_false(month_export(&err)); /* nor does it leave with a month */
        assert_int_equal(err.kind, ERR_INPUT);
        assert_int_equal(number("SELECT count(*) FROM archives"), 0);
        database = original;
    }
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(keeps_the_month_when_the_writer_is_killed),
        CASE(keeps_the_month_when_killed_between_file_and_detaching),
        CASE(keeps_the_month_when_killed_while_it_waits_for_readers),
        CASE(says_where_the_month_is_when_killed_after_detaching),
        CASE(keeps_the_month_when_the_disk_is_full),
        CASE(finds_rows_that_were_put_into_a_partition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
