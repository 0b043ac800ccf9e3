/* Nothing in the ledger can be changed unseen: for each column of each table one changed value, for
 * each table one row that is taken out and one that is put in, and `verify` finds it. What it does
 * not look at is work state, and stands below with the reason. The catalogue says which tables and
 * columns there are; a table that the fixture leaves empty fails the test.
 *
 * Whoever can do this is a superuser: triggers, foreign keys and checks are out of the way. */
#include "history/chain/entries.h"
#include "tests/support/integrity_fixture.h"
#include "tests/support/ledger_fixture.h"

#include <libpq-fe.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT_BYTES = 4000 };

static struct test_database database;
static struct db *reader;
static PGconn *superuser;
static int64_t schema_findings; /* of what set_up takes away, so that rows can be changed at will */

/* What may change without being seen, and why. */
static const struct work_state {
    const char *table, *reason;
} work_state[] = {
    {"alert_threads", "how a receiver knows an alert; what it was sent is in deliveries"},
    {"chain_starts", "empty but for the transactions of one migration"},
    {"content_sections", "a cache, compared with the entry before it is used"},
    {"destinations", "pace and breaker of receivers"},
    {"judgements", "who waits to be judged; what came of it is a verdict"},
    {"locks", "rows to lock: what is in them says nothing"},
    {"outbox", "messages on their way; what a verdict caused is in verdict_messages"},
    {"queue", "profiles on their way; what came of them is a profile"},
    {"queue_files", "with the queue"},
    {"schedules", "when a regular task was last done"},
    {"schema_migrations", "compared with the program's own at each start"},
    {"tree_grown", "a cache; verify makes the tree anew"},
    {"workers", "who is alive"},
};

static bool is_work_state(const char *table)
{
    size_t i = 0;
    while (i < sizeof work_state / sizeof work_state[0] && strcmp(work_state[i].table, table) != 0)
        i++;
    return i < sizeof work_state / sizeof work_state[0];
}

static PGresult *ask(const char *text)
{
    PGresult *result = PQexec(superuser, text);
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        fail_msg("%s: %s", text, PQresultErrorMessage(result));
    return result;
}

static void must(const char *text)
{
    PQclear(ask(text));
}

/* ---- a ledger with something in every table -------------------------------------------------- */

/* Subjects 100: copies of what the fixture made, with rows in the tables that it leaves empty. */
static const char rows_of_100[] =
    "INSERT INTO profiles (id, project_id, series_id, run, trace_sha256, schema_version) "
    "OVERRIDING SYSTEM VALUE SELECT 100, 1, 1, 'p100', sha256('100'), schema_version "
    "FROM profiles WHERE id = 1;"
    "INSERT INTO profile_events (id, profile_id, branch) OVERRIDING SYSTEM VALUE "
    "VALUES (100, 100, 'main');"
    "INSERT INTO profile_programs VALUES (100, 0, 'jit_step', 'abc', 3);"
    "INSERT INTO findings VALUES (100, 0, 'x', 'info', 'of interest', NULL);"
    "INSERT INTO capture_hosts (profile_id, ordinal, sha256, host) VALUES (100, 0, sha256('h'), "
    "'h0');"
    "INSERT INTO origins VALUES ('profile', 100, '2026-01-01', 'ann');"
    "INSERT INTO policies (sha256, document) VALUES (sha256('{}'), '{}');"
    "INSERT INTO verdicts (id, project_id, workload, series_id, status, document) "
    "VALUES (100, 1, 'pretrain', 1, 'pass', '{}');"
    "INSERT INTO verdict_inputs VALUES (100, 'candidate', 0, 100);"
    "INSERT INTO verdict_messages VALUES (100, 0, 'ci', 'o', 'd', 'text/plain', sha256('m'));"
    "INSERT INTO verdict_requests VALUES (100, sha256('{}'), '{}');"
    "INSERT INTO comparisons (verdict_id, ordinal, measure, status, method) "
    "VALUES (100, 0, 'step', 'pass', 'm');"
    "INSERT INTO acceptances (id, verdict_id, project_id, workload, change_key, reason) "
    "OVERRIDING SYSTEM VALUE VALUES (100, 100, 1, 'pretrain', 'k', 'why');"
    "INSERT INTO rebaselines (id, series_id, after_profile_id, reason) OVERRIDING SYSTEM VALUE "
    "VALUES (100, 1, 100, 'why');"
    "INSERT INTO track_records (id, project_id, workload, document, document_sha256) "
    "OVERRIDING SYSTEM VALUE VALUES (100, 1, 'pretrain', '{}', sha256('{}'));"
    "INSERT INTO change_points (id, series_id, measure, at_profile_id, status, before_value, "
    "after_value, method) OVERRIDING SYSTEM VALUE VALUES (100, 1, 1, 100, 'candidate', 1, 2, 'm');"
    "INSERT INTO amendments (id, profile_id, ordinal, action, reason, series_id, run, "
    "branch_after, commit_after, label_after, retracted) OVERRIDING SYSTEM VALUE "
    "VALUES (100, 100, 1, 'amend', 'why', 1, 'other', 0, 0, 0, false);"
    "INSERT INTO archives (id, month, action, file_name, file_sha256, file_bytes, profile_count, "
    "row_count) OVERRIDING SYSTEM VALUE VALUES (100, '2020-01-01', 'detached', 'f', sha256('f'), "
    "1, 1, 1);"
    "INSERT INTO archived_sections VALUES (100, 'ops', 100, 1, sha256('s'));"
    "INSERT INTO reports (id, project_id, name, since_at, until_at, document) OVERRIDING SYSTEM "
    "VALUE VALUES (100, 1, 'weekly', '2026-01-01', '2026-01-08', "
    "'{\"schema_version\": \"trend_report.v1\", \"name\": \"weekly\"}');"
    "INSERT INTO silences (id, project, until, reason) OVERRIDING SYSTEM VALUE "
    "VALUES (100, 'llm', now(), 'why');"
    "SELECT setval('stepledger.' || t || '_id_seq', 100) FROM unnest(ARRAY['profiles', "
    "'profile_events', 'verdicts', 'acceptances', 'rebaselines', 'track_records', "
    "'change_points', 'amendments', 'archives', 'silences', 'reports']) AS t";

static void subjects_append(void)
{
    static const enum entry_kind kinds[] = {ENTRY_POLICY,  ENTRY_PROFILE,      ENTRY_EVENT,
                                            ENTRY_VERDICT, ENTRY_ACCEPTANCE,   ENTRY_REBASELINE,
                                            ENTRY_TRACK,   ENTRY_CHANGE_POINT, ENTRY_AMENDMENT,
                                            ENTRY_ARCHIVE, ENTRY_SILENCE,      ENTRY_REPORT};
    struct err err = {0};
    scoped_db *db = ledger_open(database.admin);
    assert_true(db_begin(db, &err));
    PGresult *made = PQexec(db->conn, rows_of_100);
    if (PQresultStatus(made) != PGRES_TUPLES_OK)
        fail_msg("%s", PQresultErrorMessage(made));
    PQclear(made);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (!chain_append_stored(db, kinds[i], kinds[i] == ENTRY_POLICY ? 1 : 100, &err))
            fail_msg("%s", err.text);
    if (!db_commit(db, &err))
        fail_msg("%s", err.text);
}

static int64_t findings(const char *after)
{
    struct err err = {0};
    struct verify_report *report;
    scoped_arena arena;
    arena_init(&arena, (size_t)64 << 20);
    if (!ledger_verify(reader, NULL, &arena, &report, &err))
        fail_msg("%s: %s", after, err.text);
    return report->finding_count;
}

static int set_up(void **state)
{
    scoped_arena arena;
    arena_init(&arena, (size_t)64 << 20);
    (void)state;
    test_database_make(&database);
    integrity_fill(&database);
    subjects_append();
    (void)integrity_checkpoint(&database, &arena);
    integrity_assert_clean(integrity_verify(&database, NULL, &arena));
    reader = ledger_open(database.app);
    superuser = PQconnectdb(database.admin);
    must("SET search_path = stepledger; SET session_replication_role = replica; "
         "SET client_min_messages = error; CREATE SCHEMA kept");
    /* Checks and foreign keys are no hindrance to a superuser. */
    must("DO $$ DECLARE c record; BEGIN FOR c IN SELECT conrelid::regclass AS t, conname AS n "
         "FROM pg_constraint WHERE connamespace = 'stepledger'::regnamespace "
         "AND contype IN ('c', 'f') AND conparentid = 0 AND coninhcount = 0 LOOP "
         "EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', c.t, c.n); END LOOP; END $$");
    must("ALTER TABLE profiles ALTER COLUMN recorded_on DROP EXPRESSION");
    must("DO $$ DECLARE c record; BEGIN FOR c IN SELECT attrelid::regclass AS t, attname AS n "
         "FROM pg_attribute JOIN pg_class k ON k.oid = attrelid "
         "WHERE k.relnamespace = 'stepledger'::regnamespace AND attidentity <> '' LOOP "
         "EXECUTE format('ALTER TABLE %s ALTER COLUMN %I DROP IDENTITY', c.t, c.n); "
         "END LOOP; END $$");
    schema_findings = findings("set_up");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    db_close(reader);
    PQfinish(superuser);
    return 0;
}

/* ---- one change at a time -------------------------------------------------------------------- */

struct table {
    char name[64], columns[TEXT_BYTES];
};

static void table_keep(const struct table *table)
{
    char text[TEXT_BYTES + 200];
    (void)snprintf(text, sizeof text, "CREATE TABLE kept.%s AS TABLE %s", table->name, table->name);
    must(text);
}

static void table_restore(const struct table *table)
{
    char text[3 * TEXT_BYTES];
    (void)snprintf(text, sizeof text,
                   "BEGIN; DELETE FROM %s; INSERT INTO %s (%s) "
                   "SELECT %s FROM kept.%s; COMMIT",
                   table->name, table->name, table->columns, table->columns, table->name);
    must(text);
}

/* Whether verify finds what the statement does; then it is undone. */
static bool is_seen(const struct table *table, const char *statement)
{
    PGresult *done = ask(statement);
    if (strcmp(PQcmdTuples(done), "1") != 0)
        fail_msg("%s: %s rows", statement, PQcmdTuples(done));
    PQclear(done);
    bool seen = findings(statement) > schema_findings;
    table_restore(table);
    if (!seen)
        print_error("unseen: %s\n", statement);
    return seen;
}

/* Another value of a column's type, never one that is there. */
static const char *other_value(const char *type)
{
    static const struct {
        const char *type, *value;
    } values[] = {
        {"text", "coalesce(@, '') || 'x'"},
        {"bigint", "coalesce(@, 0) + 1000"},
        {"integer", "coalesce(@, 0) + 1000"},
        {"double precision", "coalesce(@, 0) + 1"},
        {"boolean", "NOT coalesce(@, false)"},
        {"bytea", "sha256(coalesce(@, ''))"},
        {"uuid", "gen_random_uuid()"},
        {"date", "@ + 1"},
        {"timestamp with time zone", "coalesce(@, now()) + interval '1 day'"},
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (strcmp(values[i].type, type) == 0)
            return values[i].value;
    fail_msg("columns of type %s have no other value yet", type);
    return "";
}

static void value_write(char *out, size_t size, const char *column, const char *type)
{
    const char *value = other_value(type), *mark = strstr(value, "@");
    if (mark == NULL)
        (void)snprintf(out, size, "%s", value);
    else
        (void)snprintf(out, size, "%.*s%s%s", (int)(mark - value), value, column, mark + 1);
}

static int columns_change(const struct table *table, const PGresult *columns)
{
    int unseen = 0;
    for (int i = 0; i < PQntuples(columns); i++) {
        char value[200], text[TEXT_BYTES];
        const char *column = PQgetvalue(columns, i, 0);
        value_write(value, sizeof value, column, PQgetvalue(columns, i, 1));
        (void)snprintf(text, sizeof text,
                       "UPDATE %s SET %s = %s WHERE (tableoid, ctid) = "
                       "(SELECT tableoid, ctid FROM %s LIMIT 1)",
                       table->name, column, value, table->name);
        unseen += !is_seen(table, text);
    }
    return unseen;
}

static int row_delete(const struct table *table)
{
    char text[TEXT_BYTES];
    (void)snprintf(
        text, sizeof text,
        "DELETE FROM %s WHERE (tableoid, ctid) = (SELECT tableoid, ctid FROM %s LIMIT 1)",
        table->name, table->name);
    return !is_seen(table, text);
}

/* A copy of a row under other keys: all of each key, or its last column, so that the row stands
 * beside others of its subject. Where there is no key it is a plain copy. */
static int row_forge(const struct table *table, const PGresult *columns, int mark)
{
    char text[3 * TEXT_BYTES];
    size_t length = (size_t)snprintf(text, sizeof text, "INSERT INTO %s (%s) SELECT ", table->name,
                                     table->columns);
    for (int i = 0; i < PQntuples(columns); i++) {
        char value[200];
        const char *column = PQgetvalue(columns, i, 0);
        bool is_key = PQgetvalue(columns, i, mark)[0] == 't';
        value_write(value, sizeof value, column, PQgetvalue(columns, i, 1));
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", i == 0 ? "" : ", ",
                                   is_key ? value : column);
    }
    (void)snprintf(text + length, sizeof text - length, " FROM %s LIMIT 1", table->name);
    return !is_seen(table, text);
}

/* name, type, whether it is part of a key, whether it is the last column of one. */
static PGresult *columns_of(const char *table)
{
    char text[TEXT_BYTES];
    (void)snprintf(
        text, sizeof text,
        "SELECT a.attname, format_type(a.atttypid, NULL), "
        "bool_or(i.indrelid IS NOT NULL), bool_or(i.last = a.attnum) "
        "FROM pg_attribute a LEFT JOIN (SELECT indrelid, indkey, indkey[indnkeyatts - 1] AS last "
        "FROM pg_index WHERE indisunique) AS i "
        "ON i.indrelid = a.attrelid AND a.attnum = ANY (i.indkey) "
        "WHERE a.attrelid = '%s'::regclass AND a.attnum > 0 AND NOT a.attisdropped "
        "GROUP BY a.attnum, a.attname, a.atttypid ORDER BY a.attnum",
        table);
    return ask(text);
}

static int table_walk(const char *name)
{
    enum { ALL_OF_KEY = 2, LAST_OF_KEY = 3 };
    struct table table = {.columns = ""};
    (void)snprintf(table.name, sizeof table.name, "%s", name);
    PGresult *columns = columns_of(name);
    for (int i = 0, length = 0; i < PQntuples(columns); i++)
        length += snprintf(table.columns + length, sizeof table.columns - (size_t)length, "%s%s",
                           i == 0 ? "" : ", ", PQgetvalue(columns, i, 0));
    table_keep(&table);
    int changed = columns_change(&table, columns), deleted = row_delete(&table);
    int forged = row_forge(&table, columns, ALL_OF_KEY) + row_forge(&table, columns, LAST_OF_KEY);
    print_message("# %-18s %2d columns: %d unseen; deleted row: %s; forged rows: %s\n", name,
                  PQntuples(columns), changed, deleted > 0 ? "unseen" : "seen",
                  forged > 0 ? "unseen" : "seen");
    PQclear(columns);
    assert_int_equal(findings(name), schema_findings); /* all of it was undone */
    return changed + deleted + forged;
}

static void finds_every_change_of_every_table(void **state)
{
    int unseen = 0;
    (void)state;
    PGresult *tables = ask("SELECT c.relname FROM pg_class c "
                           "WHERE c.relnamespace = 'stepledger'::regnamespace "
                           "AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1");
    for (int i = 0; i < PQntuples(tables); i++) {
        char text[200];
        const char *table = PQgetvalue(tables, i, 0);
        if (is_work_state(table))
            continue;
        (void)snprintf(text, sizeof text, "SELECT 1 FROM %s LIMIT 1", table);
        PGresult *row = ask(text);
        if (PQntuples(row) == 0)
            fail_msg("%s is empty: the fixture needs a row of it", table);
        PQclear(row);
        unseen += table_walk(table);
    }
    PQclear(tables);
    assert_int_equal(unseen, 0);
}

static void names_no_table_as_work_state_that_is_not_there(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof work_state / sizeof work_state[0]; i++) {
        char text[200];
        assert_true(strlen(work_state[i].reason) > 0);
        (void)snprintf(text, sizeof text, "SELECT '%s'::regclass", work_state[i].table);
        must(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_every_change_of_every_table),
        cmocka_unit_test(names_no_table_as_work_state_that_is_not_there),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
