/* Work state is moved by whose work it is: a message by the verdict that it tells, a job by who
 * stores its profile, a lease by who holds it. Each statement here is one that somebody who got
 * hold of a worker's password would try; what workers do themselves goes on with each login. */
#include "history/lease/judgement.h"
#include "history/lease/outbox.h"
#include "history/lease/service.h"
#include "history/verdicts/verdicts.h"
#include "tests/support/ledger_fixture.h"
#include "tests/support/queue_fixture.h"
#include "tests/support/worker_logins.h"

#include <libpq-fe.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LEASE_MS = 60000, TEXT_BYTES = 2000 };

static struct test_database database;
static char logins[LOGINS][CONNINFO_BYTES];

static const struct verdict verdict = {
    .schema_version = "verdict.v1",
    .project = "llm",
    .workload = "pretrain",
    .status = VERDICT_FAIL,
    .rule_id = "step_median",
    .rule_version = 1,
};

/* A verdict with one message, as the login has it; its id. */
static int64_t tell(const char *login, const struct outbox_message *message)
{
    struct err err = {0};
    scoped_db *db = ledger_open(login);
    struct verdict_entry entry = {
        .verdict = &verdict, .document = "{}", .messages = message, .message_count = 1};
    if (!ledger_reserve_verdict(db, &entry.id, &err) || !ledger_append_verdict(db, &entry, &err))
        fail_msg("%s", err.text);
    return entry.id;
}

static struct outbox_message message_of(const char *order_key, const char *dedupe_key)
{
    return (struct outbox_message){.destination = "ci",
                                   .order_key = order_key,
                                   .dedupe_key = dedupe_key,
                                   .content_type = "text/plain",
                                   .body = "x",
                                   .body_length = 1,
                                   .phase = PHASE_FIRING,
                                   .generation = 1};
}

static int set_up(void **state)
{
    (void)state;
    worker_ledger_make(&database, logins);
    return 0;
}

struct attack {
    const char *statement, *sqlstate;
};

static void are_refused(const char *login, const char *prefix, const struct attack *attacks,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[TEXT_BYTES];
        (void)snprintf(text, sizeof text, "%s%s", prefix, attacks[i].statement);
        is_refused(login, text, attacks[i].sqlstate);
    }
}
#define ARE_REFUSED(login, prefix, attacks) \
    are_refused(login, prefix, attacks, sizeof(attacks) / sizeof(attacks)[0])

/* ---- messages -------------------------------------------------------------------------------- */

#define MESSAGE "INSERT INTO outbox (destination_id, order_key, dedupe_key, content_type, body, "
#define NEW_VERDICT \
    "BEGIN; SELECT nextval('verdicts_id_seq'); INSERT INTO verdicts (project_id, workload, " \
    "series_id, status, document) VALUES (1, 'pretrain', 1, 'fail', '{}'); "
#define ITS "currval('verdicts_id_seq')"

static void tells_what_a_verdict_of_its_own_says_only(void **state)
{
    static const struct attack attacks[] = {
        {MESSAGE "verdict_id) VALUES (1, 'o', 'd', 't', 'x', 1)", "42501"},
        {MESSAGE "phase) VALUES (1, 'o', 'd', 't', 'x', 'resolved')", "42501"},
        {MESSAGE "phase, not_before) VALUES (1, 'o', 'd', 't', 'x', 'started', "
                 "now() + interval '2 hours')",
         "42501"},
        {MESSAGE "phase) VALUES (1, 'o', 'd', 't', repeat('x', 1048577)::bytea, 'started')",
         "42501"},
        {MESSAGE "phase) VALUES (1, 'o', 'd', 't', 'x', 'none')", "42501"},
        {MESSAGE "phase) VALUES (1, 'digest', 'd', 't', 'x', 'none')", "42501"},
        {MESSAGE "state) VALUES (1, 'o', 'd', 't', 'x', 'pending')", "42501"},
        {MESSAGE "created_at) VALUES (1, 'o', 'd', 't', 'x', now())", "42501"},
        {"INSERT INTO outbox (id, destination_id, order_key, dedupe_key, content_type, body) "
         "OVERRIDING SYSTEM VALUE VALUES (0, 1, 'o', 'd', 't', 'x')",
         "42501"},
        {NEW_VERDICT MESSAGE "verdict_id) VALUES (1, 'o', 'd', 't', 'x', " ITS
                             "); SET CONSTRAINTS outbox_kept IMMEDIATE; ROLLBACK",
         "42501"},
        {NEW_VERDICT MESSAGE "verdict_id) VALUES (1, 'o', 'd', 't', 'x', " ITS
                             "); INSERT INTO verdict_messages VALUES (" ITS
                             ", 0, 'ci', 'o', 'd', 't', sha256('y')); "
                             "SET CONSTRAINTS outbox_kept IMMEDIATE; ROLLBACK",
         "42501"},
        {NEW_VERDICT MESSAGE "verdict_id) VALUES (1, 'o', 'd', 't', 'x', " ITS
                             "); INSERT INTO verdict_messages VALUES (" ITS
                             ", 0, 'ci', 'o', 'd', 't', sha256('x')); "
                             "SET CONSTRAINTS outbox_kept IMMEDIATE; ROLLBACK",
         ""},
        {"INSERT INTO destinations (name, disabled_why, disabled_until) VALUES ('x', 'y', now())",
         "42501"},
        {"BEGIN; LOCK TABLE outbox IN SHARE MODE", "42501"},
        {"BEGIN; LOCK TABLE alert_threads IN SHARE MODE", "42501"},
    };
    (void)state;
    ARE_REFUSED(logins[LOGIN_COMPARE], "", attacks);
}

/* A message that is not told under its own name does not keep the verdict's from being told. */
static void is_not_forestalled_by_what_rests_on_no_verdict(void **state)
{
    struct err err = {0};
    struct outbox_item item;
    bool found;
    scoped_arena arena;
    arena_init(&arena, (size_t)1 << 20);
    (void)state;
    is_refused(logins[LOGIN_COMPARE],
               MESSAGE "phase, not_before) VALUES (1, 'forestalled', 'same', 't', 'x', 'started', "
                       "now() + interval '59 minutes')",
               "");
    const struct outbox_message message = message_of("forestalled", "same");
    int64_t id = tell(logins[LOGIN_COMPARE], &message);
    scoped_db *db = ledger_open(logins[LOGIN_ALERT]);
    if (!outbox_claim(db, LEASE_MS, &arena, &item, &found, &err))
        fail_msg("%s", err.text);
    assert_true(found);
    assert_string_equal(item.dedupe_key, "same");
    const struct outbox_success success = {.http_status = 200};
    if (!outbox_delivered(db, &item, &success, &err))
        fail_msg("%s", err.text);
    char text[200];
    (void)snprintf(text, sizeof text,
                   "SELECT count(*) FROM outbox WHERE verdict_id = %lld AND state = 'done'",
                   (long long)id);
    assert_int_equal(sql_number(database.admin, text), 1);
}

static void ends_no_message_that_its_own_does_not_replace(void **state)
{
    static const struct attack attacks[] = {
        {"UPDATE outbox SET state = 'superseded', finished_at = now() WHERE state = 'pending'",
         "42501"},
        {"UPDATE outbox SET state = 'done', finished_at = now() WHERE state = 'pending'", "42501"},
        {"UPDATE outbox SET finished_at = finished_at - interval '1 day' WHERE state = 'done'",
         "42501"},
        {"BEGIN; " MESSAGE "standalone, phase) VALUES (1, 'alarm', 'd', 't', 'x', true, "
         "'started'); UPDATE outbox SET state = 'superseded', finished_at = now() "
         "WHERE order_key = 'alarm' AND NOT standalone; ROLLBACK",
         "42501"},
        {"BEGIN; " MESSAGE "standalone, phase) VALUES (1, 'another', 'd', 't', 'x', true, "
         "'started'); UPDATE outbox SET state = 'superseded', finished_at = now() "
         "WHERE order_key = 'commit' AND standalone; ROLLBACK",
         "42501"},
        {"UPDATE alert_threads SET phase = 'resolved'", "42501"},
        {"UPDATE alert_threads SET changed_at = now() + interval '1 year'", "42501"},
        {"INSERT INTO alert_threads (destination_id, order_key, phase, generation) "
         "VALUES (1, 'to come', 'firing', 1)",
         "42501"},
        {"DELETE FROM outbox", "42501"},
    };
    (void)state;
    struct outbox_message alarm = message_of("alarm", "alarm"),
                          status = message_of("commit", "red");
    status.standalone = true;
    (void)tell(logins[LOGIN_COMPARE], &alarm);
    alarm.order_key = "commit"; /* shows no state, whatever its key */
    alarm.dedupe_key = "alarm of a commit";
    (void)tell(logins[LOGIN_COMPARE], &alarm);
    (void)tell(logins[LOGIN_COMPARE], &status);
    ARE_REFUSED(logins[LOGIN_COMPARE], "", attacks);
    status.dedupe_key = "green";
    status.replaces = true;
    (void)tell(logins[LOGIN_COMPARE], &status);
    assert_int_equal(sql_number(database.admin, "SELECT count(*) FROM outbox WHERE dedupe_key = "
                                                "'red' AND state = 'superseded'"),
                     1);
    assert_int_equal(sql_number(database.admin, "SELECT count(*) FROM outbox WHERE dedupe_key LIKE "
                                                "'alarm%' AND state = 'pending'"),
                     2);
}

/* Who delivers may end messages, not make them unseen. */
static void takes_out_no_message_that_waits(void **state)
{
    static const struct attack attacks[] = {
        {"DELETE FROM outbox", "42501"},
        {"DELETE FROM outbox WHERE state = 'pending'", "42501"},
        {"UPDATE outbox SET state = 'dead', finished_at = now() - interval '1 year' "
         "WHERE state = 'pending'",
         "42501"},
        {"UPDATE alert_threads SET phase = 'resolved'", "42501"},
        {"INSERT INTO alert_threads (destination_id, order_key, phase) VALUES (1, 'x', 'firing')",
         "42501"},
        {MESSAGE "verdict_id) VALUES (1, 'o', 'd', 't', 'x', 1)", "42501"},
        {MESSAGE "phase) VALUES (1, 'o', 'd', 't', 'x', 'none')", "42501"},
        {MESSAGE "phase) VALUES (1, 'digest', 'd', 't', 'x', 'started')", "42501"},
        {MESSAGE "phase) VALUES (1, 'digest', 'a digest', 't', 'x', 'none')", ""},
        {MESSAGE "phase, standalone) VALUES (1, 'digest', 'd', 't', 'x', 'none', true)", "42501"},
        {"BEGIN; LOCK TABLE outbox IN SHARE MODE", "42501"},
    };
    (void)state;
    const struct outbox_message alarm = message_of("waits", "waits");
    (void)tell(logins[LOGIN_COMPARE], &alarm);
    ARE_REFUSED(logins[LOGIN_ALERT], "", attacks);
    is_refused(database.app, "DELETE FROM outbox WHERE state = 'pending'", "23001");
    is_refused(database.owner, "DELETE FROM outbox WHERE state = 'pending'", "23001");
    is_refused(database.app, "BEGIN; DELETE FROM outbox WHERE state = 'done'; ROLLBACK", "");
}

/* ---- the queue ------------------------------------------------------------------------------- */

/* Its scene with another login; the queue is empty then. */
static struct queue_scene scene_of(const char *login)
{
    struct queue_scene scene = {.database = database, .db = ledger_open(login)};
    arena_init(&scene.arena, (size_t)64 << 20);
    sql_do(database.admin, "DELETE FROM queue");
    return scene;
}

static void scene_end(struct queue_scene *scene)
{
    db_close(scene->db);
    arena_done(&scene->arena);
}

#define DONE(profile, duplicate) \
    "UPDATE queue SET state = 'done', profile_id = " profile ", duplicate = " duplicate \
    ", finished_at = now(), lease_until = NULL"
#define OTHER_PROFILE \
    "INSERT INTO profiles (project_id, series_id, run, trace_sha256, schema_version) " \
    "VALUES (1, 1, 'r', sha256('new'), 'v1'); "

static void ends_no_job_of_another_login(void **state)
{
    static const struct attack attacks[] = {
        {DONE("1", "true"), "42501"},
        {DONE("1", "false"), "42501"},
        {"UPDATE queue SET state = 'aside', failure = 'x', finished_at = now(), "
         "lease_until = NULL",
         "42501"},
        {"UPDATE queue SET state = 'ready', lease_until = NULL", "42501"},
        {"UPDATE queue SET lease_until = now() + interval '1 hour'", "42501"},
        {"UPDATE queue SET fence = fence + 1", "42501"},
        {"UPDATE queue SET lease_login = session_user", "42501"},
        {"UPDATE queue SET path = '/elsewhere'", "42501"},
        {"DELETE FROM queue", "42501"},
        {"DELETE FROM queue_files", "42501"},
        {"UPDATE queue_files SET body = NULL", "42501"},
        {"UPDATE queue_files SET body = 'x'", "42501"},
        {"INSERT INTO queue_files SELECT id, 7, '/x', 'x' FROM queue", "42501"},
        {"BEGIN; LOCK TABLE queue IN SHARE MODE", "42501"},
        {"BEGIN; LOCK TABLE queue_files IN SHARE MODE", "42501"},
    };
    bool found;
    struct queue_scene scene = scene_of(database.app);
    (void)state;
    (void)queue_scene_add_one(&scene);
    (void)queue_scene_claim(&scene, &found);
    assert_true(found);
    ARE_REFUSED(logins[LOGIN_INGEST], "", attacks);
    sql_do(database.admin, "UPDATE queue SET lease_until = now() - interval '1 s'");
    is_refused(logins[LOGIN_INGEST], DONE("1", "true"), "42501");
    is_refused(logins[LOGIN_INGEST],
               "BEGIN; UPDATE queue SET state = 'ready', lease_until = NULL; ROLLBACK", "");
    scene_end(&scene);
}

/* Its own: with the profile that is stored with it, or with one that is known and of its workload.
 */
static void ends_its_job_by_storing_its_profile(void **state)
{
    static const struct attack attacks[] = {
        {DONE("1", "false"), "42501"}, /* stored long ago, and said to be new */
        {DONE("4", "true"), "42501"},  /* of another workload */
        {"BEGIN; " DONE("1", "true") "; ROLLBACK", ""},
        {"BEGIN; " OTHER_PROFILE DONE("(SELECT max(id) FROM profiles)", "false") "; ROLLBACK", ""},
        {"UPDATE queue SET lease_until = now() + interval '1 year'", "42501"},
        {"UPDATE queue SET fence = fence + 1", "42501"},
        {"UPDATE queue_files SET body = NULL", "42501"},
    };
    bool found;
    struct err err;
    struct profile_receipt receipt;
    struct queue_scene scene = scene_of(logins[LOGIN_INGEST]);
    (void)state;
    struct queue_entry entry = queue_entry_make(NULL);
    entry.judge = true;
    (void)queue_scene_add(&scene, &entry);
    struct queue_job job = queue_scene_claim(&scene, &found);
    assert_true(found);
    ARE_REFUSED(logins[LOGIN_INGEST], "", attacks);
    if (!queue_scene_store(&scene, &job, 50, &receipt, &err))
        fail_msg("%s", err.text);
    is_refused(logins[LOGIN_INGEST],
               "UPDATE queue SET state = 'ready', profile_id = NULL, "
               "finished_at = NULL",
               "42501");
    (void)queue_scene_add_one(&scene);
    job = queue_scene_claim(&scene, &found);
    if (!queue_scene_store(&scene, &job, 50, &receipt, &err))
        fail_msg("%s", err.text);
    assert_true(receipt.duplicate);
    scene_end(&scene);
}

static void says_of_no_other_that_it_lives(void **state)
{
    static const struct attack attacks[] = {
        {"INSERT INTO workers (name, kind, slots, busy) VALUES ('x', 'compare', 1, 0)", "42501"},
        {"UPDATE workers SET seen_at = now()", "42501"},
        {"DELETE FROM workers", "42501"},
        {"BEGIN; LOCK TABLE workers IN SHARE MODE", "42501"},
    };
    struct err err = {0};
    const struct worker_heartbeat heartbeat = {"host:7", "compare", 1, 0};
    (void)state;
    for (size_t role = LOGIN_INGEST; role <= LOGIN_ALERT; role++) {
        scoped_db *db = ledger_open(logins[role]);
        ARE_REFUSED(logins[role], "", attacks);
        if (!worker_seen(db, &heartbeat, &err) || !worker_seen(db, &heartbeat, &err))
            fail_msg("%s", err.text);
    }
    scoped_db *db = ledger_open(logins[LOGIN_INGEST]);
    assert_true(worker_gone(db, "host:7", &err));
    char *left = sql_text(database.admin, "SELECT string_agg(login, ' ' ORDER BY login) "
                                          "FROM workers WHERE name = 'host:7'");
    assert_string_equal(left, "only_alert only_compare");
    free(left);
}

/* ---- judgements ------------------------------------------------------------------------------ */

static void ends_no_judgement_of_another_login(void **state)
{
    static const struct attack of_another[] = {
        {"UPDATE judgements SET state = 'done', finished_at = now(), lease_until = NULL", "42501"},
        {"UPDATE judgements SET state = 'ready', lease_until = NULL", "42501"},
        {"UPDATE judgements SET state = 'aside', failure = 'x', finished_at = now(), "
         "lease_until = NULL",
         "42501"},
        {"UPDATE judgements SET fence = fence + 1", "42501"},
        {"UPDATE judgements SET lease_until = now() + interval '1 year'", "42501"},
        {"DELETE FROM judgements", "42501"},
        {"BEGIN; LOCK TABLE judgements IN SHARE MODE", "42501"},
    };
    static const struct attack of_nobody[] = {
        {"UPDATE judgements SET state = 'done', finished_at = now()", "42501"},
        {"UPDATE judgements SET state = 'done', finished_at = now(), verdict_id = 1", "42501"},
        {"UPDATE judgements SET not_before = now() + interval '1 year'", "42501"},
        {"DELETE FROM judgements", "42501"},
    };
    static const struct attack of_its_own[] = {
        {"UPDATE judgements SET state = 'done', finished_at = now(), lease_until = NULL, "
         "verdict_id = 1",
         "42501"},
        {"UPDATE judgements SET lease_until = now() + interval '1 year'", "42501"},
        {"BEGIN; UPDATE judgements SET state = 'ready', lease_until = NULL; ROLLBACK", ""},
    };
    struct err err = {0};
    struct judgement judgement;
    const struct judgement_lease lease = {
        .worker = "host:1", .lease_ms = LEASE_MS, .max_attempts = 3};
    bool found;
    scoped_arena arena;
    arena_init(&arena, (size_t)1 << 20);
    (void)state;
    sql_do(database.admin,
           "DELETE FROM queue; DELETE FROM judgements; INSERT INTO judgements (project, workload, "
           "candidate, state, worker, lease_until, lease_login, fence) VALUES ('llm', 'pretrain', "
           "'abc', 'running', 'host:9', now() + interval '1 hour', 'another', 1)");
    ARE_REFUSED(logins[LOGIN_COMPARE], "", of_another);
    sql_do(database.admin, "UPDATE judgements SET state = 'ready', lease_until = NULL");
    ARE_REFUSED(logins[LOGIN_COMPARE], "", of_nobody);
    scoped_db *db = ledger_open(logins[LOGIN_COMPARE]);
    if (!judgement_claim(db, &lease, &arena, &judgement, &found, &err))
        fail_msg("%s", err.text);
    assert_true(found);
    ARE_REFUSED(logins[LOGIN_COMPARE], "", of_its_own);
    struct verdict_entry entry = {.verdict = &verdict, .document = "{}", .judgement = &judgement};
    if (!ledger_reserve_verdict(db, &entry.id, &err) || !ledger_append_verdict(db, &entry, &err))
        fail_msg("%s", err.text);
    assert_int_equal(sql_number(database.admin, "SELECT count(*) FROM judgements "
                                                "WHERE state = 'done' AND verdict_id IS NOT NULL"),
                     1);
    sql_do(database.admin, "DELETE FROM judgements");
}

/* ---- locks ----------------------------------------------------------------------------------- */

/* A transaction that holds a chain and does nothing ends before others have waited in vain. */
static void lets_go_of_a_lock_that_is_held_idly(void **state)
{
    static const struct {
        const char *before, *after;
    } cases[] = {{"0", "30s"}, {"10min", "30s"}, {"200ms", "200ms"}, {"30s", "30s"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[200];
        (void)snprintf(text, sizeof text, "SET idle_in_transaction_session_timeout = '%s'",
                       cases[i].before);
        PGconn *holder = PQconnectdb(logins[LOGIN_INGEST]);
        PQclear(PQexec(holder, text));
        PQclear(PQexec(holder, "BEGIN; SELECT stepledger.chain_head('s1')"));
        PGresult *now = PQexec(holder, "SHOW idle_in_transaction_session_timeout");
        assert_string_equal(PQgetvalue(now, 0, 0), cases[i].after);
        PQclear(now);
        PQclear(PQexec(holder, "ROLLBACK"));
        now = PQexec(holder, "SHOW idle_in_transaction_session_timeout");
        assert_string_equal(PQgetvalue(now, 0, 0), cases[i].before);
        PQclear(now);
        PQfinish(holder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_what_a_verdict_of_its_own_says_only),
        cmocka_unit_test(is_not_forestalled_by_what_rests_on_no_verdict),
        cmocka_unit_test(ends_no_message_that_its_own_does_not_replace),
        cmocka_unit_test(takes_out_no_message_that_waits),
        cmocka_unit_test(ends_no_job_of_another_login),
        cmocka_unit_test(ends_its_job_by_storing_its_profile),
        cmocka_unit_test(says_of_no_other_that_it_lives),
        cmocka_unit_test(ends_no_judgement_of_another_login),
        cmocka_unit_test(lets_go_of_a_lock_that_is_held_idly),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
