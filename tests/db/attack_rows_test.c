/* Rows of a subject are added while it is being made, by who makes it; what people decide is said
 * by who has their role. Each statement here is one that somebody who got hold of a worker's
 * password would try. */
#include "tests/support/integrity_fixture.h"
#include "tests/support/worker_logins.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
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

/* The id that an op has by its hash. */
#define ID_OF_X "SELECT substring(encode(sha256('x'), 'hex') FOR 32)::uuid"

/* What has its entry is closed, for each role that could append to it. */
static void adds_nothing_to_what_has_its_entry(void **state)
{
    static const struct {
        size_t role;
        const char *statement;
    } cases[] = {
        {0, "INSERT INTO profile_facts VALUES (1, 'forged', 'x', NULL)"},
        {0, "INSERT INTO measures VALUES (2, 1, 1, 5)"},
        {0, "INSERT INTO profile_hosts VALUES (1, 77, 'h')"},
        {0, "INSERT INTO findings VALUES (1, 77, 'x', 'info', 'forged', NULL)"},
        {0, "INSERT INTO step_spans (profile_id, number, device, start_ps, duration_ps) "
            "VALUES (1, 1, 0, 1, 1)"},
        {0, "INSERT INTO op_signatures (id, signature, introduced_by) " ID_OF_X ", 'x', 1"},
        {1, "INSERT INTO verdict_inputs VALUES (1, 'baseline', 77, 3)"},
        {1, "INSERT INTO comparisons (verdict_id, ordinal, measure, status, method) "
            "VALUES (1, 77, 'm', 'pass', 'm')"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        is_refused(logins[cases[i].role], cases[i].statement, "23001");
    integrity_assert_ledger(&database);
}

/* A profile that is being made, and what is said of the one that comes after all that are there. */
#define NEW_PROFILE \
    "INSERT INTO profiles (project_id, series_id, run, trace_sha256, schema_version) " \
    "VALUES (1, 1, 'r', sha256('new'), 'v1'); "
#define LAST "(SELECT max(id) FROM profiles)"
#define NEXT "(SELECT max(id) + 1 FROM profiles)"

/* Each table whose rows are of a profile: its columns and their values behind the profile's id. */
static const struct {
    const char *columns, *values;
} rows_of_profiles[] = {
    {"summaries (profile_id, document)", "'x'"},
    {"profile_files (profile_id, ordinal, path, size_bytes)", "0, 'x', 1"},
    {"profile_hosts (profile_id, ordinal, name)", "0, 'x'"},
    {"profile_facts (profile_id, name)", "'x'"},
    {"profile_programs (profile_id, ordinal, run_count)", "0, 1"},
    {"profile_devices (profile_id, ordinal, name, window_ps, busy_ps, idle_ps, compute_ps, "
     "exposed_comm_ps, overlapped_comm_ps, exposed_copy_ps, op_count)",
     "0, 'x', 1, 1, 1, 1, 1, 1, 1, 1"},
    {"profile_steps (profile_id, number, warmup, max_ps, mean_ps)", "1, false, 1, 1"},
    {"step_spans (profile_id, number, start_ps, duration_ps)", "1, 1, 1"},
    {"op_rows (profile_id, ordinal, signature_id, asynchronous, count, device_count, total_ps, "
     "self_ps, max_device_self_ps, steady_count, steady_self_ps)",
     "0, gen_random_uuid(), false, 1, 1, 1, 1, 1, 1, 1"},
    {"op_signatures (introduced_by, id, signature)",
     "substring(encode(sha256('x'), 'hex') FOR 32)::uuid, 'x'"},
    {"measures (profile_id, series_id, measure, value)", "1, 1, 1"},
    {"findings (profile_id, ordinal, code, severity, message)", "0, 'x', 'info', 'x'"},
    {"capture_hosts (profile_id, ordinal, sha256)", "0, sha256('x')"},
};

/* A profile's rows come behind it in its transaction: none is put in the way of one to come, nor of
 * none at all, nor is one of several hidden among its own. */
static void adds_rows_to_what_is_being_made_only(void **state)
{
    (void)state;
    assert_int_equal(
        (int64_t)(sizeof rows_of_profiles / sizeof rows_of_profiles[0]),
        sql_number(database.admin,
                   "SELECT count(DISTINCT tgrelid) FROM pg_trigger t JOIN pg_class c "
                   "ON c.oid = tgrelid AND NOT c.relispartition "
                   "WHERE tgname = 'ledger_open' AND tgfoid IN "
                   "('profile_open_check'::regproc, 'signature_open_check'::regproc)"));
    for (size_t i = 0; i < sizeof rows_of_profiles / sizeof rows_of_profiles[0]; i++) {
        char own[1000], next[1000], both[2000];
        const char *columns = rows_of_profiles[i].columns, *values = rows_of_profiles[i].values;
        (void)snprintf(own, sizeof own,
                       "BEGIN; " NEW_PROFILE "INSERT INTO %s SELECT " LAST ", %s; ROLLBACK",
                       columns, values);
        is_refused(logins[LOGIN_INGEST], own, "");
        (void)snprintf(next, sizeof next, "INSERT INTO %s SELECT " NEXT ", %s", columns, values);
        const char *said = sql_refusal(logins[LOGIN_INGEST], next);
        if (strcmp(said, "23001") != 0 && strcmp(said, "23503") != 0) /* by trigger, by reference */
            fail_msg("%s: SQLSTATE \"%s\"", next, said);
        if (strstr(columns, "op_signatures") != NULL)
            continue; /* the same op cannot come twice */
        (void)snprintf(both, sizeof both,
                       "BEGIN; " NEW_PROFILE "INSERT INTO %s SELECT id, %s FROM profiles "
                       "WHERE id IN (2, " LAST "); ROLLBACK",
                       columns, values);
        said = sql_refusal(logins[LOGIN_INGEST], both);
        if (strcmp(said, "23001") != 0 && strcmp(said, "23505") != 0) /* by trigger, by its key */
            fail_msg("%s: SQLSTATE \"%s\"", both, said);
    }
    is_refused(logins[LOGIN_INGEST], "INSERT INTO op_signatures (id, signature) " ID_OF_X ", 'x'",
               "23001");
    is_refused(logins[LOGIN_INGEST],
               "BEGIN; " NEW_PROFILE "INSERT INTO op_signatures (id, signature, introduced_by) "
               "SELECT gen_random_uuid(), 'x', " LAST,
               "23514");
    integrity_assert_ledger(&database);
}

/* Who imports says when and by whom another ledger recorded what it appends, and of nothing else.
 */
static void tells_origins_of_what_it_appends_only(void **state)
{
    static const char *const of_others[] = {
        "('profile', 1, '2020-01-01', 'ann')",    "('profile', 999, '2020-01-01', 'ann')",
        "('verdict', 1, '2020-01-01', 'ann')",    "('verdict', 2, '2020-01-01', 'ann')",
        "('acceptance', 1, '2020-01-01', 'ann')", "('delivery', 1, '2020-01-01', 'ann')",
        "('event', 999, '2020-01-01', 'ann')",    "('anything', 1, '2020-01-01', 'ann')"};
    (void)state;
    for (size_t i = 0; i < sizeof of_others / sizeof of_others[0]; i++) {
        char text[200];
        (void)snprintf(text, sizeof text, "INSERT INTO origins VALUES %s", of_others[i]);
        is_refused(database.app, text, "23001");
        for (size_t role = 0; role < LOGINS; role++)
            is_refused(logins[role], text, "42501");
    }
    is_refused(database.app,
               "BEGIN; " NEW_PROFILE "INSERT INTO origins SELECT 'profile', " LAST ", "
               "'2020-01-01', 'ann'; ROLLBACK",
               "");
    integrity_assert_ledger(&database);
}

/* People decide; who judges does not. */
static void leaves_decisions_to_people(void **state)
{
    static const char *const statements[] = {
        "INSERT INTO acceptances (verdict_id, project_id, workload, change_key, reason) "
        "VALUES (1, 1, 'pretrain', 'k', 'why')",
        "INSERT INTO rebaselines (series_id, after_profile_id, reason) VALUES (1, 1, 'why')",
        "INSERT INTO change_points (series_id, measure, at_profile_id, status, before_value, "
        "after_value, method) VALUES (1, 1, 1, 'confirmed', 1, 2, 'm')"};
    (void)state;
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        for (size_t role = 0; role < LOGINS; role++)
            is_refused(logins[role], statements[i], "42501");
        is_refused(database.app, statements[i], "23000"); /* its entry is missing */
    }
    is_refused(logins[LOGIN_COMPARE],
               "INSERT INTO silences (project, until, reason) VALUES ('p', now(), 'r')", "42501");
    is_refused(logins[LOGIN_ALERT],
               "INSERT INTO silences (project, until, reason) VALUES ('p', now(), 'r')", "42501");
}

#define ALERT_EVENT(verdict, from, action, to) \
    "INSERT INTO alert_events (project_id, workload, branch, from_state, action, to_state, " \
    "good_count, verdict_id, reason) VALUES (1, 'pretrain', 'b', " from ", '" action "', '" to \
    "', 0, " verdict ", 'why')"

/* A judge's login moves alerts by the verdict that it makes, and says nothing in people's place. */
static void moves_alerts_by_new_verdicts_only(void **state)
{
    static const char begin[] =
        "BEGIN; SELECT nextval('verdicts_id_seq'); INSERT INTO verdicts (project_id, workload, "
        "series_id, status, document) VALUES (1, 'pretrain', 1, 'fail', '{}'); ";
    static const struct {
        const char *statement, *sqlstate;
    } cases[] = {
        {ALERT_EVENT("currval('verdicts_id_seq')", "NULL", "regress", "open"), ""},
        {ALERT_EVENT("currval('verdicts_id_seq')", "'open'", "resolve", "resolved"), ""},
        {ALERT_EVENT("1", "NULL", "regress", "open"), "42501"},
        {ALERT_EVENT("NULL", "'open'", "resolve", "resolved"), "42501"},
        {ALERT_EVENT("currval('verdicts_id_seq')", "'open'", "dismiss", "dismissed"), "42501"},
        {ALERT_EVENT("currval('verdicts_id_seq')", "'open'", "silence", "silenced"), "42501"},
        {ALERT_EVENT("currval('verdicts_id_seq')", "'open'", "accept", "dismissed"), "42501"},
        {ALERT_EVENT("currval('verdicts_id_seq')", "'open'", "acknowledge", "acknowledged"),
         "42501"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1000];
        (void)snprintf(text, sizeof text, "%s%s; ROLLBACK", begin, cases[i].statement);
        is_refused(logins[LOGIN_COMPARE], text, cases[i].sqlstate);
        is_refused(database.app, text, "");
    }
}

/* What a gate looks into with the server's functions is JSON that they read: a verdict is for good.
 */
static void stores_documents_that_can_be_read_only(void **state)
{
    static const char verdict[] =
        "BEGIN; SELECT nextval('verdicts_id_seq'); INSERT INTO verdicts (project_id, workload, "
        "status, document) VALUES (1, 'pretrain', 'fail', %s); ROLLBACK";
    static const char request[] =
        "BEGIN; SELECT nextval('verdicts_id_seq'); INSERT INTO policies (sha256, document) VALUES "
        "(sha256('p'), 'p'); INSERT INTO verdicts (project_id, workload, status, document) VALUES "
        "(1, 'pretrain', 'fail', '{}'); INSERT INTO verdict_requests VALUES "
        "(currval('verdicts_id_seq'), sha256('p'), %s); ROLLBACK";
    static const char track[] =
        "BEGIN; INSERT INTO track_records (project_id, workload, document, document_sha256) "
        "VALUES (1, 'pretrain', %s, sha256('')); ROLLBACK";
    static const struct {
        const char *document, *of_verdict, *of_request, *of_track; /* SQLSTATE; "": it is taken */
    } cases[] = {
        {"'{\"a\": \"}[\\\"[\", \"\": \"\"}'", "", "", ""},
        {"'no JSON'", "22P02", "22P02", "22P02"},
        {"'[]'", "23514", "23514", "23514"},
        {"'{\"a\": \"\\u0000\"}'", "22P05", "22P05", "22P05"},
        {"'{\"a\": \"\\ud800\"}'", "22P02", "22P02", "22P02"},
        {"'{\"a\": ' || repeat('[', 90) || repeat(']', 90) || '}'", "", "", ""},
        {"'{\"a\": ' || repeat('[', 200) || repeat(']', 200) || '}'", "23514", "23514", "23514"},
        {"'{\"a\": ' || repeat('[', 9) || '}'", "22P02", "22P02", "22P02"},
        {"'{\"candidate\": {\"step_median_us\": \"x\"}}'", "22P02", "", ""},
        {"'{\"baseline\": {\"step_median_us\": 1e999}}'", "22003", "", ""},
        {"'{' || chr(10) || '}'", "", "", "23514"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1000];
        (void)snprintf(text, sizeof text, verdict, cases[i].document);
        is_refused(logins[LOGIN_COMPARE], text, cases[i].of_verdict);
        (void)snprintf(text, sizeof text, request, cases[i].document);
        is_refused(logins[LOGIN_COMPARE], text, cases[i].of_request);
        (void)snprintf(text, sizeof text, track, cases[i].document);
        is_refused(logins[LOGIN_INGEST], text, cases[i].of_track);
    }
}

static void stores_measures_that_are_numbers_only(void **state)
{
    static const char *const values[] = {"'NaN'", "'Infinity'", "'-Infinity'",
                                         "1e308", "-1e151",     "5e-324"};
    static const char *const fine[] = {"0", "-1", "255000", "1e-149"};
    char text[600];
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        (void)snprintf(text, sizeof text,
                       "BEGIN; " NEW_PROFILE "INSERT INTO measures SELECT 1, 1, " LAST ", %s",
                       values[i]);
        is_refused(logins[LOGIN_INGEST], text, "23514");
    }
    for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++) {
        (void)snprintf(text, sizeof text,
                       "BEGIN; " NEW_PROFILE "INSERT INTO measures SELECT 1, 1, " LAST
                       ", %s; ROLLBACK",
                       fine[i]);
        is_refused(logins[LOGIN_INGEST], text, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores_measures_that_are_numbers_only),
        cmocka_unit_test(stores_documents_that_can_be_read_only),
        cmocka_unit_test(adds_nothing_to_what_has_its_entry),
        cmocka_unit_test(adds_rows_to_what_is_being_made_only),
        cmocka_unit_test(tells_origins_of_what_it_appends_only),
        cmocka_unit_test(leaves_decisions_to_people),
        cmocka_unit_test(moves_alerts_by_new_verdicts_only),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
