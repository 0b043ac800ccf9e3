/* Corrections come in turn, and a profile's place is taken by one of the same capture that is being
 * stored. Each statement here is one that somebody who got hold of a worker's password would try;
 * p1 to p3 of "pretrain" are of other bytes each. */
#include "history/profiles/amend.h"
#include "history/profiles/ledger.h"
#include "tests/support/integrity_fixture.h"
#include "tests/support/ledger_fixture.h"
#include "tests/support/worker_logins.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TEXT_BYTES = 2000 };

static struct test_database database;
static char logins[LOGINS][CONNINFO_BYTES];

static int set_up(void **state)
{
    (void)state;
    worker_ledger_make(&database, logins);
    return 0;
}

/* A profile with its entry that was stored in this transaction, of the bytes of p1. */
#define STORED(series, bytes) \
    "INSERT INTO profiles (project_id, series_id, run, trace_sha256, schema_version) " \
    "SELECT 1, " series ", 'r', " bytes ", 'v1' FROM profiles WHERE id = 1; " \
    "SELECT entry_append('profile', max(id), sha256('x'), NULL) FROM profiles; "
#define LAST "(SELECT max(id) FROM profiles)"
#define SUPERSEDE(ordinal, columns, values, by) \
    "INSERT INTO amendments (profile_id, ordinal, action, reason, series_id, run, branch_after, " \
    "commit_after, label_after, retracted, superseded_by" columns ") SELECT id, " ordinal \
    ", 'supersede', 'x', series_id, run, 0, 0, 0, false, " by values \
    " FROM profiles WHERE id = 1; "

static void takes_places_by_the_same_capture_only(void **state)
{
    static const struct {
        const char *statements, *sqlstate;
    } cases[] = {
        {SUPERSEDE("1", "", "", "2"), "42501"},
        {STORED("1", "sha256('other')") SUPERSEDE("1", "", "", LAST), "42501"},
        {STORED("2", "trace_sha256") SUPERSEDE("1", "", "", LAST), "42501"},
        {STORED("1", "trace_sha256") SUPERSEDE("1", "", "", LAST), ""},
        {STORED("1", "trace_sha256") SUPERSEDE("2", "", "", LAST), "22023"},
        {STORED("1", "trace_sha256") SUPERSEDE("2147483647", "", "", LAST), "22023"},
        {STORED("1", "trace_sha256") SUPERSEDE("1", "", "", LAST) SUPERSEDE("2", "", "", LAST),
         "22023"},
        {STORED("1", "trace_sha256") SUPERSEDE("1", ", branch", ", 'main'", LAST), "22023"},
        {STORED("1", "trace_sha256") SUPERSEDE("1", ", commit_sha", ", 'c'", LAST), "22023"},
        {STORED("1", "trace_sha256") SUPERSEDE("1", ", label", ", 'l'", LAST), "22023"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[TEXT_BYTES];
        (void)snprintf(text, sizeof text, "BEGIN; %s ROLLBACK", cases[i].statements);
        is_refused(logins[LOGIN_INGEST], text, cases[i].sqlstate);
    }
}

#define HOSTS(count) \
    "INSERT INTO profiles (project_id, series_id, run, trace_sha256, schema_version) " \
    "VALUES (1, 1, 'r', sha256('of " count "'), 'v1'); " \
    "INSERT INTO capture_hosts (profile_id, ordinal, sha256) SELECT max(p.id), n, " \
    "sha256(n::text::bytea) FROM profiles p, generate_series(1, " count ") n GROUP BY n; "
#define WITH_ENTRY "SELECT entry_append('profile', max(id), sha256('x'), NULL) FROM profiles; "
#define LAST_BUT_ONE \
    "INSERT INTO amendments (profile_id, ordinal, action, reason, series_id, run, branch_after, " \
    "commit_after, label_after, retracted, superseded_by) SELECT id, 1, 'supersede', 'x', " \
    "series_id, run, 0, 0, 0, false, " LAST " FROM profiles WHERE id < " LAST \
    " ORDER BY id DESC LIMIT 1; "

static void takes_the_place_of_fewer_hosts(void **state)
{
    (void)state;
    is_refused(logins[LOGIN_INGEST],
               "BEGIN; " HOSTS("2") WITH_ENTRY HOSTS("3") WITH_ENTRY LAST_BUT_ONE "ROLLBACK", "");
    is_refused(logins[LOGIN_INGEST],
               "BEGIN; " HOSTS("3") WITH_ENTRY HOSTS("2") WITH_ENTRY LAST_BUT_ONE "ROLLBACK",
               "42501");
}

/* Who corrects is in turn as well. */
static void numbers_corrections_one_after_the_other(void **state)
{
    (void)state;
    is_refused(database.app, "BEGIN; " SUPERSEDE("7", "", "", "2") "ROLLBACK", "22023");
    is_refused(database.app, "BEGIN; " SUPERSEDE("1", "", "", "2") "ROLLBACK", "");
}

/* A row of before that has the last number there is: everything is read as always. */
static void reads_past_a_number_that_is_the_last(void **state)
{
    struct test_database old;
    struct err err = {0};
    struct ledger_profile profile;
    scoped_arena arena;
    (void)state;
    arena_init(&arena, (size_t)1 << 20);
    test_database_clone(&database, &old);
    sql_do(old.admin,
           "SET session_replication_role = replica; " SUPERSEDE("2147483647", "", "", "2"));
    scoped_db *db = ledger_open(old.app);
    if (!ledger_load_header(db, 1, &arena, &profile, &err))
        fail_msg("%s", err.text);
    assert_int_equal(profile.superseded_by, 2);
}

/* And people say anew what holds. */
static void corrects_past_a_number_that_is_the_last(void **state)
{
    struct test_database old;
    struct err err = {0};
    struct ledger_profile profile;
    int64_t id;
    scoped_arena arena;
    const struct amendment restore = {
        .profile_id = 1, .action = AMEND_restore, .reason = "nobody meant it"};
    const struct amendment retract = {
        .profile_id = 1, .action = AMEND_retract, .reason = "a noisy host"};
    (void)state;
    arena_init(&arena, (size_t)1 << 20);
    test_database_clone(&database, &old);
    sql_do(old.admin,
           "SET session_replication_role = replica; INSERT INTO amendments (profile_id, ordinal, "
           "action, reason, series_id, run, branch_after, commit_after, label_after, retracted) "
           "SELECT id, 2147483647, 'retract', 'x', series_id, run, 0, 0, 0, true FROM profiles "
           "WHERE id = 1");
    scoped_db *db = ledger_open(old.app);
    if (!ledger_amend(db, &restore, &arena, &id, &err) ||
        !ledger_load_header(db, 1, &arena, &profile, &err))
        fail_msg("%s", err.text);
    assert_null(profile.retracted_at_utc);
    if (!ledger_amend(db, &retract, &arena, &id, &err) ||
        !ledger_load_header(db, 1, &arena, &profile, &err))
        fail_msg("%s", err.text);
    assert_non_null(profile.retracted_at_utc);
    char *numbers = sql_text(old.admin, "SELECT string_agg(ordinal::text, ' ' ORDER BY id) "
                                        "FROM amendments WHERE profile_id = 1");
    assert_string_equal(numbers, "2147483647 1 2");
    free(numbers);
    is_refused(old.app, "BEGIN; " SUPERSEDE("2147483646", "", "", "2") "ROLLBACK", "22023");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_places_by_the_same_capture_only),
        cmocka_unit_test(takes_the_place_of_fewer_hosts),
        cmocka_unit_test(numbers_corrections_one_after_the_other),
        cmocka_unit_test(corrects_past_a_number_that_is_the_last),
        cmocka_unit_test(reads_past_a_number_that_is_the_last),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
