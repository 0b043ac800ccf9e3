/* Monthly partitions: there when they are needed, closed to everybody, and one is enough to find a
 * profile. */
#include "history/profiles/ledger.h"
#include "tests/support/integrity_fixture.h"
#include "tests/support/ledger_fixture.h"
#include "tests/support/month_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { RACERS = 6, TEXT_BYTES = 1000 };

static const struct profile_identity identity = {.project = "llm", .workload = "pretrain"};
static const char *const monthly[] = {"summaries", "profile_devices", "profile_steps", "op_rows",
                                      "step_spans"};
enum { MONTHLY = sizeof monthly / sizeof monthly[0] };

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

/* The conninfo of a session with the rights of one role only. */
static const char *as_role(const char *role)
{
    return arena_printf(&arena, "%s options='-c role=%s'", database.admin, role);
}

static int64_t number(const char *query)
{
    return sql_number(database.admin, query);
}

static const char partitions[] = "SELECT count(*) FROM pg_class WHERE relispartition AND "
                                 "relkind = 'r' AND relnamespace = 'stepledger'::regnamespace";

static void makes_its_month_when_nobody_else_did(void **state)
{
    (void)state;
    months_lose(&database);
    assert_int_equal(number(partitions), 0);
    scoped_db *db = ledger_open(as_role("stepledger_ingest"));
    assert_false(ledger_append(db, &arena, &identity, 1).duplicate);
    assert_false(ledger_append(db, &arena, &identity, 2).duplicate);
    assert_int_equal(number(partitions), 2 * MONTHLY);
    assert_int_equal(number("SELECT count(*) FROM op_rows"), 6);
    integrity_assert_clean(integrity_verify(&database, NULL, &arena));
}

static void forgets_a_month_that_went_with_its_transaction(void **state)
{
    (void)state;
    struct err err = {0};
    struct profile_receipt receipt;
    months_lose(&database);
    scoped_db *db = ledger_open(database.app);
    for (int round = 0; round < 2; round++) {
        assert_true(db_begin(db, &err));
        assert_true(ledger_append_profile_within(db, &identity, ledger_summary(&arena, 1, 3),
                                                 &arena, &receipt, &err));
        db_rollback(db);
    }
    assert_int_equal(number(partitions), 0);
    assert_false(ledger_append(db, &arena, &identity, 1).duplicate);
}

static pid_t racer_start(int racer)
{
    pid_t pid = fork();
    if (pid == 0) {
        struct err err = {0};
        struct profile_receipt receipt;
        const struct profile_identity own = {.project = "llm",
                                             .workload = arena_printf(&arena, "w%d", racer)};
        struct db *db = ledger_open(database.app);
        bool done = ledger_append_profile(db, &own, ledger_summary(&arena, racer, 3), &arena,
                                          &receipt, &err);
        if (!done)
            (void)fprintf(stderr, "racer %d: %s\n", racer, err.text);
        _exit(!done);
    }
    return pid;
}

static void makes_a_month_once_for_many_that_need_it(void **state)
{
    (void)state;
    pid_t racers[RACERS];
    months_lose(&database);
    for (int i = 0; i < RACERS; i++)
        racers[i] = racer_start(i);
    for (int i = 0; i < RACERS; i++) {
        int status;
        assert_int_equal(waitpid(racers[i], &status, 0), racers[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_int_equal(number(partitions), 2 * MONTHLY);
    assert_int_equal(number("SELECT count(*) FROM profiles"), RACERS);
    integrity_assert_clean(integrity_verify(&database, NULL, &arena));
}

/* A reader in the middle of a long look, and an appender in the middle of its rows. */
static void makes_a_month_while_others_read_and_append(void **state)
{
    (void)state;
    bool is_new;
    struct err err = {0};
    struct profile_receipt receipt;
    struct ledger_profile profile;
    scoped_db *appender = ledger_open(database.app);
    scoped_db *reader = ledger_open(database.app);
    scoped_db *maker = ledger_open(database.app);
    scoped_transaction *open = NULL;
    ledger_append(appender, &arena, &identity, 0); /* has its month from now on */
    sql_do(database.admin, "DO $$ DECLARE t text; BEGIN FOREACH t IN ARRAY ledger_monthly() LOOP "
                           "EXECUTE format('DROP TABLE %I', ledger_month_table(t, "
                           "(CURRENT_DATE + interval '1 month')::date)); END LOOP; END $$");
    assert_true(snapshot_open(reader, &open, &err));
    assert_true(ledger_load_profile(reader, 1, &arena, &profile, &err));
    assert_true(db_begin(appender, &err));
    assert_true(ledger_append_profile_within(appender, &identity, ledger_summary(&arena, 1, 3),
                                             &arena, &receipt, &err));
    if (!months_prepare(maker, &is_new, &err))
        fail_msg("%s", err.text);
    assert_true(is_new);
    assert_true(db_commit(appender, &err));
    assert_true(months_prepare(maker, &is_new, &err));
    assert_false(is_new);
}

static void puts_a_profile_and_its_rows_into_the_same_month(void **state)
{
    (void)state;
    char text[TEXT_BYTES];
    static const char *const days[] = {"2025-12-31", "2026-01-01", "2026-01-31", "2026-02-01"};
    scoped_db *db = ledger_open(database.app);
    for (int i = 0; i < 4; i++) {
        month_pretend(&database, days[i]);
        ledger_append(db, &arena, &identity, i);
    }
    month_pretend(&database, NULL);
    ledger_append(db, &arena, &identity, 9);
    for (size_t i = 0; i < MONTHLY; i++) {
        (void)snprintf(text, sizeof text,
                       "SELECT count(*) FROM %s r LEFT JOIN profiles p ON p.id = r.profile_id "
                       "WHERE p.recorded_on IS DISTINCT FROM r.recorded_on",
                       monthly[i]);
        assert_int_equal(number(text), 0);
        (void)snprintf(text, sizeof text, "SELECT count(DISTINCT profile_id) FROM %s_2026_01",
                       monthly[i]);
        assert_int_equal(number(text), 2);
    }
    integrity_assert_clean(integrity_verify(&database, NULL, &arena));
}

static void refuses(const char *conninfo, const char *text, const char *sqlstate)
{
    const char *said = sql_refusal(conninfo, text);
    if (strcmp(said, sqlstate) != 0)
        fail_msg("%s: SQLSTATE \"%s\", not %s", text, said, sqlstate);
}

/* A statement around the name of a partition. */
struct statement {
    const char *before, *after;
};

static void is_refused_on_partitions(const char *conninfo, const struct statement *statement,
                                     const char *sqlstate)
{
    char text[TEXT_BYTES];
    for (size_t i = 0; i < MONTHLY; i++) {
        (void)snprintf(text, sizeof text, "%s stepledger.%s_2026_01%s", statement->before,
                       monthly[i], statement->after);
        refuses(conninfo, text, sqlstate);
    }
}

static const struct statement changes[] = {
    {"UPDATE", " SET profile_id = profile_id WHERE profile_id = 1"},
    {"DELETE FROM", " WHERE profile_id = 1"},
    {"TRUNCATE", ""},
    /* for roles only: */
    {"SELECT profile_id FROM", ""},
    {"INSERT INTO", " (profile_id) VALUES (1)"},
};
enum { CHANGES = 3, STATEMENTS = sizeof changes / sizeof changes[0] };

static void lets_nobody_change_a_partition(void **state)
{
    (void)state;
    static const char *const roles[] = {"stepledger", "stepledger_ingest", "stepledger_compare",
                                        "stepledger_alert", "stepledger_read"};
    month_pretend(&database, "2026-01-15");
    scoped_db *db = ledger_open(database.app);
    ledger_append(db, &arena, &identity, 1);
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
        for (size_t k = 0; k < STATEMENTS; k++)
            is_refused_on_partitions(as_role(roles[i]), &changes[k], "42501");
    for (size_t k = 0; k < CHANGES; k++) {
        is_refused_on_partitions(database.owner, &changes[k], "23001");
        is_refused_on_partitions(database.admin, &changes[k], "23001");
    }
    assert_int_equal(number("SELECT count(*) FROM op_rows_2026_01"), 3);
}

static void lets_the_owner_alone_choose_the_month(void **state)
{
    (void)state;
    refuses(as_role("stepledger_ingest"), "CALL ledger_month_add('2031-01-01')", "42501");
    refuses(as_role("stepledger"), "CALL ledger_month_add('2031-01-01')", "42501");
    refuses(as_role("stepledger_read"), "SELECT ledger_months_ensure()", "42501");
    refuses(as_role("stepledger_ingest"), "SELECT ledger_months_ensure()", "");
    refuses(database.owner, "CALL ledger_month_add('2031-01-01')", "");
}

static void finds_a_profile_in_its_month_alone(void **state)
{
    (void)state;
    static const char *const days[] = {"2025-11-01", "2025-12-01", "2026-01-01", "2026-02-01"};
    scoped_db *db = ledger_open(database.app);
    for (int i = 0; i < 4; i++) {
        month_pretend(&database, days[i]);
        ledger_append(db, &arena, &identity, i);
    }
    sql_do(database.admin,
           "CREATE FUNCTION public.reads(query text, OUT touched bigint) LANGUAGE plpgsql AS $$ "
           "DECLARE line text; BEGIN touched := 0; "
           "FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS off, TIMING off) ' || query LOOP "
           "touched := touched + (line ~ 'Scan.* on \\S+_20\\d\\d_\\d\\d.*actual')::int; "
           "END LOOP; END $$");
    assert_int_equal(number("SELECT public.reads('SELECT d.document FROM profiles p "
                            "JOIN summaries d ON d.profile_id = p.id "
                            "AND d.recorded_on = p.recorded_on WHERE p.id = 3')"),
                     1);
    assert_int_equal(number("SELECT public.reads('SELECT r.* FROM op_rows r "
                            "WHERE r.profile_id = 3 AND r.recorded_on = "
                            "(SELECT recorded_on FROM profiles WHERE id = 3)')"),
                     1);
    struct err err = {0};
    struct ledger_profile profile;
    assert_true(ledger_load_profile(db, 3, &arena, &profile, &err));
    assert_int_equal(profile.id, 3);
}

int main(void)
{
#define months_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        months_test(makes_its_month_when_nobody_else_did),
        months_test(forgets_a_month_that_went_with_its_transaction),
        months_test(makes_a_month_once_for_many_that_need_it),
        months_test(makes_a_month_while_others_read_and_append),
        months_test(puts_a_profile_and_its_rows_into_the_same_month),
        months_test(lets_nobody_change_a_partition),
        months_test(lets_the_owner_alone_choose_the_month),
        months_test(finds_a_profile_in_its_month_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
