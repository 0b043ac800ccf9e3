/* What the logins of workers can do with SQL of their own: their work, and nothing else. Each
 * statement here is one that somebody who got hold of a worker's password would try. */
#include "history/chain/chain.h"
#include "history/client/client.h"
#include "tests/support/integrity_fixture.h"
#include "tests/support/ledger_fixture.h"
#include "tests/support/worker_logins.h"

#include <libpq-fe.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct test_database database;

static char logins[LOGINS][CONNINFO_BYTES];

static int set_up(void **state)
{
    (void)state;
    worker_ledger_make(&database, logins);
    return 0;
}

static void refuses_everybody_what_is_the_servers_or_the_owners(void **state)
{
    static const char *const statements[] = {
        /* entries by hand: a position that ends a chain, one for an id to come */
        "INSERT INTO entries (chain, position, kind, subject_id, content_version, content_sha256, "
        "previous_sha256, recorded_at, entry_sha256) VALUES ('s1', 9223372036854775807, 'profile', "
        "999, 2, sha256(''), sha256(''), now(), sha256(''))",
        "INSERT INTO entries (chain, position) VALUES ('s1', 10)",
        /* ids, times and authors */
        "INSERT INTO profile_events (id, profile_id, branch) OVERRIDING SYSTEM VALUE "
        "VALUES (9223372036854775807, 1, 'b')",
        "INSERT INTO profile_events (profile_id, branch, recorded_by) VALUES (1, 'b', 'ann')",
        "INSERT INTO profile_events (profile_id, branch, recorded_at) VALUES (1, 'b', '2020-1-1')",
        "INSERT INTO profiles (id, project_id, series_id, trace_sha256, schema_version) OVERRIDING "
        "SYSTEM VALUE VALUES (9223372036854775807, 1, 1, sha256(''), 'v')",
        "INSERT INTO projects (name, recorded_at) VALUES ('x', '2020-01-01')",
        "INSERT INTO summaries (profile_id, document, recorded_on) VALUES (1, '', '2020-01-01')",
        "INSERT INTO verdicts (id, project_id, workload, status, document) VALUES (99, 1, 'w', "
        "'pass', '')",
        "INSERT INTO checkpoints (id, root_sha256, chain_count, document) VALUES (99, sha256(''), "
        "1, '')",
        "INSERT INTO checkpoints (root_sha256, chain_count, document) VALUES (sha256(''), 1, '')",
        "INSERT INTO tree_ranges VALUES (0, 's1', 1, 1)", "SELECT checkpoint_begin()",
        "SELECT checkpoint_add(sha256(''), '{}')", "SELECT nextval('checkpoints_id_seq')",
        "INSERT INTO acceptances (verdict_id, project_id, workload, change_key, reason, "
        "recorded_by) VALUES (1, 1, 'w', 'k', 'r', 'ann')",
        "INSERT INTO deliveries (outbox_id, destination, dedupe_key, attempt, outcome, "
        "recorded_at) "
        "VALUES (1, 'd', 'k', 1, 'done', '2020-01-01')",
        "INSERT INTO silences (project, until, reason, recorded_by) VALUES ('p', now(), 'r', 'a')",
        "INSERT INTO reports (project_id, since_at, until_at, document, recorded_by) "
        "VALUES (1, '2026-01-01', '2026-01-08', '{\"schema_version\": \"trend_report.v1\"}', 'a')",
        "SELECT setval('verdicts_id_seq', 9223372036854775807)",
        "SELECT nextval('profiles_id_seq')",
        /* what is there */
        "UPDATE entries SET position = 1", "DELETE FROM entries", "TRUNCATE entries",
        "TRUNCATE profiles CASCADE", "DELETE FROM locks", "UPDATE profiles SET run = 'x'",
        "INSERT INTO chain_starts VALUES ('verdict', 1000)",
        "UPDATE schema_migrations SET version = 1",
        /* the locks behind it */
        "ALTER TABLE entries DISABLE TRIGGER ALL",
        "ALTER TABLE profiles DISABLE TRIGGER ledger_entry",
        "SET session_replication_role = replica", "DROP TRIGGER ledger_entry ON profiles",
        "CREATE OR REPLACE FUNCTION ledger_refuse() RETURNS trigger LANGUAGE plpgsql AS "
        "'BEGIN RETURN NEW; END'",
        "ALTER FUNCTION entry_append(text, bigint, bytea, text) SECURITY INVOKER",
        "CREATE FUNCTION stepledger.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "SELECT ledger_lock('chain s1')", "SELECT FROM locks FOR UPDATE",
        "SELECT FROM entries FOR UPDATE", "BEGIN; LOCK TABLE entries IN ACCESS EXCLUSIVE MODE",
        "BEGIN; LOCK TABLE profiles IN SHARE MODE", "CALL ledger_month_add('2020-01-01')",
        "SELECT ledger_month_detach('2020-01-01', '_x')", "SET ROLE stepledger_owner",
        "SET SESSION AUTHORIZATION stepledger_owner", "GRANT INSERT ON entries TO PUBLIC",
        "CREATE ROLE mine SUPERUSER"};
    (void)state;
    for (size_t role = 0; role < LOGINS; role++)
        for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++)
            is_refused(logins[role], statements[i],
                       strncmp(statements[i], "GRANT", 5) == 0 ? "" : "42501");
    integrity_assert_ledger(&database);
}

/* GRANT of what one has not is a warning. */
static void gives_nobody_a_right_on_entries(void **state)
{
    (void)state;
    assert_int_equal(sql_number(database.admin,
                                "SELECT count(*) FROM pg_roles WHERE NOT rolsuper "
                                "AND rolname <> 'stepledger_owner' AND rolname !~ '^pg_' AND "
                                "(has_any_column_privilege(oid, 'stepledger.entries', 'INSERT') OR "
                                "has_any_column_privilege(oid, 'stepledger.entries', 'UPDATE'))"),
                     0);
}

/* The function that appends takes what it is given by the right role only, for what is there. */
static void appends_entries_of_what_is_there_only(void **state)
{
    (void)state;
    is_refused(logins[3], "SELECT entry_append('profile', 1, sha256(''), NULL)", "42501");
    is_refused(logins[3], "SELECT chain_head('s1')", "42501");
    for (size_t role = 1; role < LOGINS; role++)
        is_refused(logins[role], "SELECT profile_entries_append(1, sha256(''), 1, sha256(''))",
                   "42501");
    for (size_t role = 0; role < LOGINS; role++)
        is_refused(logins[role],
                   "SELECT entry_write('s1', 9, sha256(''), now(), 'profile', 1, NULL, sha256(''), "
                   "NULL)",
                   "42501");
    is_refused(logins[0], "SELECT profile_entries_append(999, sha256(''), 1, sha256(''))", "23503");
    is_refused(logins[0], "SELECT profile_entries_append(1, sha256(''), 2, sha256(''))", "23503");
    is_refused(logins[0], "SELECT profile_entries_append(1, sha256(''), 1, sha256(''))", "23505");
    is_refused(logins[0], "SELECT profile_entries_append(1, '', 1, '')", "23514");
    is_refused(logins[3], "SELECT workload_lock(1, 'pretrain')", "42501");
    is_refused(logins[0], "SELECT entry_append('profile', 999, sha256(''), NULL)", "23503");
    is_refused(logins[0], "SELECT entry_append('verdict', 999, sha256(''), NULL)", "23503");
    is_refused(logins[0], "SELECT entry_append('profile', 1, sha256(''), NULL)", "23505");
    is_refused(logins[0], "SELECT entry_append('nothing', 1, sha256(''), NULL)", "20000");
    is_refused(logins[0], "SELECT entry_append('profile', 1, '', NULL)", "23514");
    is_refused(logins[0], "SELECT chain_head('s1''; DROP TABLE entries')", "22023");
    integrity_assert_ledger(&database);
}

/* Other peaks, as many, and the root that they make. */
static const char peaks_made_up[] =
    "CREATE FUNCTION public.peaks_made_up(said jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$ "
    "DECLARE peak bytea; top bytea; peaks jsonb := '[]'; "
    "BEGIN FOR i IN 1 .. jsonb_array_length(said -> 'tree_peaks') LOOP "
    "peak := sha256(int4send(i)); "
    "top := CASE i WHEN 1 THEN peak ELSE sha256('\\x01'::bytea || peak || top) END; "
    "peaks := jsonb_build_array(encode(peak, 'hex')) || peaks; END LOOP; "
    "RETURN said || jsonb_build_object('tree_peaks', peaks, 'tree_root_sha256', "
    "encode(top, 'hex')); END $$";

/* Which the scheduler and the command line make; each member of one is what the ledger holds. */
static void stores_no_checkpoint_that_is_none(void **state)
{
    static const char begin[] = "BEGIN; SELECT checkpoint_begin(); "
                                "SELECT nextval('checkpoints_id_seq'); ";
    static const struct {
        const char *statement, *sqlstate;
    } cases[] = {
        {"SELECT checkpoint_add(sha256(''), 'broken')", "22P02"},
        {"SELECT checkpoint_add(sha256(''), '{}')", "22023"},
        {"SELECT checkpoint_add(sha256(''), '[]')", "22023"},
        {"SELECT checkpoint_add(sha256(''), '{\"heads\":[]}')", "22023"},
        {"SELECT checkpoint_add(root, said) FROM mine", ""},
        {"SELECT checkpoint_add(sha256(root), said) FROM mine", "22023"},
        {"SELECT checkpoint_add(root, replace(said, 'checkpoint.v1', 'x')) FROM mine", "22023"},
        {"SELECT checkpoint_add(root, replace(said, '\"position\"', '\"place\"')) FROM mine",
         "22023"},
        {"SELECT checkpoint_add(root, jsonb_set(said::jsonb, '{heads}', (said::jsonb -> 'heads') - "
         "0)::text) FROM mine",
         "22023"},
        {"SELECT checkpoint_add(root, jsonb_set(said::jsonb, '{heads}', (said::jsonb -> 'heads') "
         "|| (said::jsonb #> '{heads,0}'))::text) FROM mine",
         "22023"},
        {"SELECT checkpoint_add(root, jsonb_set(said::jsonb, '{tree_size}', '1')::text) FROM mine",
         "22023"},
        {"SELECT checkpoint_add(root, jsonb_set(said::jsonb, '{tree_peaks,0}', '\"00\"')::text) "
         "FROM mine",
         "22023"},
        {"SELECT checkpoint_add(root, jsonb_set(said::jsonb, '{tree_peaks}', '[]')::text) "
         "FROM mine",
         "22023"},
        {"SELECT checkpoint_add(root, peaks_made_up(said::jsonb)::text) FROM mine", "22023"},
        {"SELECT checkpoint_add(root, jsonb_set(said::jsonb, '{id}', '\"c9\"')::text) FROM mine",
         "22023"},
    };
    struct test_database copy;
    scoped_arena arena;
    arena_init(&arena, (size_t)64 << 20);
    (void)state;
    test_database_clone(&database, &copy);
    struct checkpoint made = integrity_checkpoint(&copy, &arena);
    /* The same one once more, as if it were being made. */
    sql_do(copy.admin, "SET session_replication_role = replica; CREATE TABLE public.mine AS SELECT "
                       "root_sha256 AS root, document AS said FROM checkpoints; DELETE FROM "
                       "checkpoints; GRANT SELECT ON public.mine TO PUBLIC; "
                       "ALTER SEQUENCE checkpoints_id_seq RESTART");
    sql_do(copy.admin, peaks_made_up);
    assert_string_equal(made.id, "c1");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1000];
        bool same = strstr(cases[i].statement, "mine") != NULL;
        (void)snprintf(text, sizeof text,
                       "%sSET search_path = stepledger, public; %s; "
                       "ALTER SEQUENCE checkpoints_id_seq RESTART; ROLLBACK",
                       same ? "BEGIN; SELECT setval('checkpoints_id_seq', 1); " : begin,
                       cases[i].statement);
        is_refused(same ? copy.admin : copy.app, text, cases[i].sqlstate);
    }
}

/* One that was stored all the same, before there were functions or by the owner. */
static void passes_a_checkpoint_over_that_is_none(void **state)
{
    struct test_database copy;
    scoped_arena arena;
    arena_init(&arena, (size_t)64 << 20);
    (void)state;
    test_database_clone(&database, &copy);
    (void)integrity_checkpoint(&copy, &arena);
    sql_do(copy.admin,
           "BEGIN; SELECT nextval('checkpoints_id_seq'); INSERT INTO checkpoints (root_sha256, "
           "chain_count, document) VALUES (sha256(''), 1, '{\"heads\":'); "
           "INSERT INTO tree_ranges SELECT sum(last_position - first_position + 1), 'ledger', 1, 1 "
           "FROM tree_ranges; "
           "SELECT entry_append('checkpoint', 2, sha256(''), NULL); COMMIT");
    struct checkpoint next = integrity_checkpoint(&copy, &arena);
    assert_string_equal(next.id, "c3");
    struct verify_report *report = integrity_verify(&copy, &next, &arena);
    for (int64_t i = 0; i < report->finding_count; i++)
        assert_string_equal(report->findings[i].entry, "c2");
    assert_int_equal(report->finding_count, 2); /* it is none; its entry has a wrong hash */
    assert_non_null(strstr(report->findings[0].what, "gave it a wrong hash"));
    assert_non_null(strstr(report->findings[1].what, "stored a checkpoint that is none"));
}

/* With a hash of its own making, every gate that meets the profile would refuse it. */
static void takes_no_other_hash_of_a_word(void **state)
{
    (void)state;
    is_refused(logins[0],
               "INSERT INTO profile_events (profile_id, branch) VALUES (1, 'b'); "
               "SELECT entry_append('event', max(id), sha256(''), NULL) FROM profile_events",
               "23514");
}

/* Whoever appends says for whom, never who: that is the login. */
static void writes_down_who_is_logged_in(void **state)
{
    struct test_database copy;
    (void)state;
    test_database_clone(&database, &copy);
    char login[CONNINFO_BYTES];
    const char *name = strstr(logins[0], database.name);
    assert_non_null(name);
    (void)snprintf(login, sizeof login, "%.*s%s%s", (int)(name - logins[0]), logins[0], copy.name,
                   name + strlen(database.name));
    sql_do(login, "BEGIN; INSERT INTO track_records (project_id, workload, document, "
                  "document_sha256) "
                  "VALUES (1, 'w', '{}', sha256('{}')); "
                  "SELECT entry_append('track', max(id), sha256(''), 'ann') FROM track_records; "
                  "COMMIT");
    char *said =
        sql_text(copy.admin, "SELECT concat_ws(' ', e.recorded_by, e.on_behalf_of, t.recorded_by, "
                             "e.recorded_at - now() < '1 min') FROM entries e JOIN track_records t "
                             "ON t.id = e.subject_id WHERE e.kind = 'track'");
    assert_string_equal(said, "only_ingest ann only_ingest t");
    free(said);
}

/* A profile that is being made, and what is said of the one that comes after all that are there. */
#define NEW_PROFILE \
    "INSERT INTO profiles (project_id, series_id, run, trace_sha256, schema_version) " \
    "VALUES (1, 1, 'r', sha256('new'), 'v1'); "
#define LAST "(SELECT max(id) FROM profiles)"
#define NEXT "(SELECT max(id) + 1 FROM profiles)"

/* A session in another time zone, with functions of its own in the way. */
static void is_not_led_astray_by_a_session(void **state)
{
    (void)state;
    is_refused(logins[0],
               "SET TimeZone = 'Etc/GMT-14'; BEGIN; " NEW_PROFILE
               "INSERT INTO summaries (profile_id, "
               "document) SELECT " LAST ", 'x'; SELECT 1 / (recorded_on = (now() AT TIME ZONE "
               "'UTC')::date)::int FROM summaries WHERE profile_id = " LAST "; ROLLBACK",
               "");
    is_refused(logins[0],
               "CREATE TEMP TABLE entries (kind text, subject_id bigint); "
               "INSERT INTO pg_temp.entries VALUES "
               "('event', 1000000); SET search_path = pg_temp, stepledger; "
               "INSERT INTO stepledger.profile_events (profile_id, branch) VALUES (1, 'forged')",
               "23000");
    integrity_assert_ledger(&database);
}

/* Locks that a reader can take stop nobody. */
static void lets_no_reader_hold_up_an_append(void **state)
{
    struct err err = {0};
    scoped_arena arena;
    struct profile_receipt receipt;
    arena_init(&arena, (size_t)64 << 20);
    (void)state;
    PGconn *reader = PQconnectdb(logins[3]);
    PQclear(PQexec(reader, "BEGIN; SET search_path = stepledger; SELECT count(*) FROM entries, "
                           "profiles, locks; SELECT pg_advisory_xact_lock(hashtextextended("
                           "'stepledger.chain s1', 0)), pg_advisory_xact_lock(hashtextextended("
                           "'stepledger.workload 1 pretrain', 0)), pg_advisory_xact_lock("
                           "hashtextextended('stepledger.months', 0))"));
    assert_int_equal(PQtransactionStatus(reader), PQTRANS_INTRANS);
    scoped_db *db = ledger_open(database.app);
    struct summary *summary = ledger_summary(&arena, 77, 3);
    const struct profile_identity identity = {
        .project = "llm", .workload = "pretrain", .branch = "main"};
    if (!ledger_append_profile(db, &identity, summary, &arena, &receipt, &err))
        fail_msg("%s", err.text);
    PQfinish(reader);
    integrity_assert_ledger(&database);
}

/* What the server told while a statement ran. */
struct told {
    char sqlstate[8], text[200];
};

static void told_take(void *context, const PGresult *notice)
{
    struct told *told = context;
    (void)snprintf(told->sqlstate, sizeof told->sqlstate, "%s",
                   PQresultErrorField(notice, PG_DIAG_SQLSTATE));
    (void)snprintf(told->text, sizeof told->text, "%s",
                   PQresultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY));
}

/* Whoever may append may keep a chain: then it is told who does. */
static void tells_who_holds_a_lock(void **state)
{
    char said[100];
    (void)state;
    PGconn *holder = PQconnectdb(logins[0]), *other = PQconnectdb(database.app);
    PQclear(PQexec(holder, "BEGIN; SELECT stepledger.chain_head('s1')"));
    assert_int_equal(PQtransactionStatus(holder), PQTRANS_INTRANS);
    struct told told = {0};
    (void)PQsetNoticeReceiver(other, told_take, &told);
    PQclear(PQexec(other, "SET lock_timeout = '100ms'"));
    PGresult *refused = PQexec(other, "SELECT stepledger.chain_head('s1')");
    assert_string_equal(PQresultErrorField(refused, PG_DIAG_SQLSTATE), "55P03");
    assert_string_equal(told.sqlstate, "SL001"); /* before it gave up */
    assert_non_null(strstr(told.text, "waiting for the lock \"chain s1\""));
    (void)snprintf(said, sizeof said, "held by session %d of role only_ingest",
                   PQbackendPID(holder));
    assert_non_null(strstr(PQresultErrorMessage(refused), said));
    assert_non_null(strstr(told.text, said));
    PQclear(refused);
    PQclear(PQexec(holder, "ROLLBACK"));
    PGresult *taken = PQexec(other, "SELECT stepledger.chain_head('s1')");
    assert_int_equal(PQresultStatus(taken), PGRES_TUPLES_OK);
    PQclear(taken);
    PQfinish(holder);
    PQfinish(other);
}

/* What is the scheduler's and the judges' is not of those who store. */
static void keeps_workers_from_the_work_of_others(void **state)
{
    static const char *const statements[] = {
        "UPDATE schedules SET failure = NULL",
        "INSERT INTO schedules (name, last_run_at) VALUES ('verify_all', now())",
        "DELETE FROM schedules",
        "DELETE FROM judgements",
        "INSERT INTO judgements (project, workload, candidate, state, finished_at) "
        "VALUES ('llm', 'pretrain', 'mine', 'done', now())",
        "INSERT INTO judgements (project, workload, candidate, state, worker, lease_until) "
        "VALUES ('llm', 'pretrain', 'mine', 'running', 'me', now() + interval '1 day')",
        "INSERT INTO judgements (project, workload, candidate, not_before) "
        "VALUES ('llm', 'pretrain', 'mine', now() + interval '1 day')",
        "UPDATE judgements SET state = 'done', finished_at = now()",
        "UPDATE judgements SET state = 'aside', failure = 'x', finished_at = now()",
        "UPDATE judgements SET asked = asked + 1, not_before = now() + interval '1 day'",
        "UPDATE judgements SET asked = asked + 1, candidate = 'another'",
        "UPDATE judgements SET asked = asked + 1, verdict_id = 1",
        "BEGIN; LOCK TABLE judgements IN SHARE MODE",
        "BEGIN; LOCK TABLE schedules IN SHARE MODE",
        "BEGIN; LOCK TABLE content_sections IN SHARE MODE",
        "BEGIN; LOCK TABLE outbox IN SHARE MODE",
        "BEGIN; LOCK TABLE locks IN ROW SHARE MODE"};
    (void)state;
    sql_do(database.admin, "INSERT INTO judgements (project, workload, candidate) "
                           "VALUES ('llm', 'pretrain', 'abc')");
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++)
        is_refused(logins[0], statements[i], "42501");
    is_refused(logins[0], "UPDATE judgements SET asked = asked + 1, not_before = now()", "");
    is_refused(logins[1], "UPDATE judgements SET asked = asked + 1, not_before = now()", "");
    sql_do(database.admin, "DELETE FROM judgements");
}

/* To whom and what a message says stays as long as it waits, for its deliverer too. */
static void keeps_messages_as_they_are(void **state)
{
    static const char *const changes[] = {
        "body = 'x'",       "content_type = 'x'", "destination_id = 2", "order_key = 'x'",
        "dedupe_key = 'x'", "verdict_id = NULL",  "phase = 'resolved'", "headline = 'x'"};
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        char text[200];
        (void)snprintf(text, sizeof text, "UPDATE outbox SET %s", changes[i]);
        is_refused(logins[2], text, "42501");
        is_refused(database.app, text, "42501");
        is_refused(database.owner, text, "23001");
    }
    is_refused(logins[2], "BEGIN; UPDATE outbox SET last_error = 'x'; ROLLBACK", "");
}

/* A default that was changed, used and set back. */
static void finds_a_row_of_another_time_than_its_entry(void **state)
{
    static const char *const times[] = {"'2026-02-03'", "clock_timestamp() + interval '6 minutes'",
                                        "clock_timestamp() - interval '2 hours'"};
    (void)state;
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        char text[200];
        struct test_database copy;
        scoped_arena arena;
        arena_init(&arena, (size_t)64 << 20);
        test_database_clone(&database, &copy);
        sql_do(copy.admin, "UPDATE schema_migrations SET applied_at = '2026-02-01'");
        integrity_assert_clean(integrity_verify(&copy, NULL, &arena));
        (void)snprintf(text, sizeof text,
                       "ALTER TABLE profile_events ALTER COLUMN recorded_at SET DEFAULT %s",
                       times[i]);
        sql_do(copy.admin, text);
        scoped_db *db = ledger_open(copy.app);
        struct err err = {0};
        assert_true(db_begin(db, &err));
        PGresult *added = PQexec(db->conn, "INSERT INTO profile_events (profile_id, branch) "
                                           "VALUES (1, 'b') RETURNING id");
        assert_int_equal(PQntuples(added), 1);
        if (!chain_append_stored(db, ENTRY_EVENT, atoll(PQgetvalue(added, 0, 0)), &err) ||
            !db_commit(db, &err))
            fail_msg("%s", err.text);
        PQclear(added);
        sql_do(copy.admin, "ALTER TABLE profile_events ALTER COLUMN recorded_at SET DEFAULT "
                           "clock_timestamp()");
        struct verify_report *report = integrity_verify(&copy, NULL, &arena);
        assert_int_equal(report->finding_count, 1);
        assert_non_null(strstr(report->findings[0].what, "the time or the author of event"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_everybody_what_is_the_servers_or_the_owners),
        cmocka_unit_test(gives_nobody_a_right_on_entries),
        cmocka_unit_test(appends_entries_of_what_is_there_only),
        cmocka_unit_test(stores_no_checkpoint_that_is_none),
        cmocka_unit_test(passes_a_checkpoint_over_that_is_none),
        cmocka_unit_test(is_not_led_astray_by_a_session),
        cmocka_unit_test(lets_no_reader_hold_up_an_append),
        cmocka_unit_test(tells_who_holds_a_lock),
        cmocka_unit_test(keeps_workers_from_the_work_of_others),
        cmocka_unit_test(keeps_messages_as_they_are),
        cmocka_unit_test(finds_a_row_of_another_time_than_its_entry),
        cmocka_unit_test(takes_no_other_hash_of_a_word),
        cmocka_unit_test(writes_down_who_is_logged_in),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
