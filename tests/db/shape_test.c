/* What gives the rows their meaning: `verify` says when it is not what the migrations make, and its
 * list of that (history/verify/schema_shape.inc, `make golden`) is right. */
#include "history/lease/lease.h"
#include "history/verify/verify_run.h"
#include "tests/support/cluster.h"
#include "tests/support/golden_file.h"
#include "tests/support/integrity_fixture.h"
#include "tests/support/ledger_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LIST_BYTES = 1 << 20 };

static struct test_database migrated;
static struct arena arena;

static int set_up(void **state)
{
    (void)state;
    test_database_make(&migrated);
    arena_init(&arena, (size_t)64 << 20);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

static void line_add(struct text *out, const char *text)
{
    text_add(out, "      \"");
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            text_addc(out, '\\');
        text_addc(out, *text);
    }
    text_add(out, "\",\n");
}

/* After a migration: `make golden`, and a look at the difference. */
static void is_what_an_empty_database_becomes(void **state)
{
    (void)state;
    size_t count;
    scoped_text out;
    struct err err = {0};
    struct schema_thing *things;
    scoped_db *db = ledger_open(migrated.app);
    if (!schema_things_read(db, &arena, &things, &count, &err))
        fail_msg("%s", err.text);
    text_init(&out, LIST_BYTES);
    text_addf(&out,
              "/* Made by `make golden` of what the migrations make of an empty database. */\n"
              "#define SCHEMA_SHAPE_SERVER_MAJOR %d\n",
              PQserverVersion(db->conn) / 10000);
    for (size_t i = 0; i < count; i++) {
        text_addf(&out, "SHAPE(\"%s\",\n", things[i].kind);
        line_add(&out, things[i].name);
        line_add(&out, things[i].flags);
        text_addf(&out, "      %s,\n      \"%s\")\n", things[i].is_deparsed ? "true" : "false",
                  things[i].sha256);
    }
    out.length--; /* the last line's end is the golden file's */
    out.data[out.length] = '\0';
    golden_check("../../history/verify/schema_shape.inc", text_string(&out));
}

static void says(const struct verify_report *report, const char *sql, const char *said)
{
    for (int64_t i = 0; i < report->finding_count && i < VERIFY_FINDINGS_MAX; i++)
        if (strstr(report->findings[i].what, said) != NULL)
            return;
    fail_msg("%s: %lld findings, none says \"%s\", the first: %s", sql,
             (long long)report->finding_count, said,
             report->finding_count == 0 ? "" : report->findings[0].what);
}

static void one_is_found(const char *sql, const char *said)
{
    struct test_database database;
    test_database_clone(&migrated, &database);
    sql_do(database.admin, sql);
    says(integrity_verify(&database, NULL, &arena), sql, said);
}

struct change {
    const char *sql, *said;
};

static void finds_what_reads_and_guards_changed(void **state)
{
    (void)state;
    static const struct change changes[] = {
        {"CREATE OR REPLACE FUNCTION ledger_place(profile_id bigint) RETURNS bigint STABLE "
         "LANGUAGE sql RETURN profile_id + 1",
         "function ledger_place(profile_id bigint) is not what"},
        {"CREATE OR REPLACE FUNCTION recorded_for(recorded_by text, on_behalf_of text) RETURNS "
         "text IMMUTABLE LANGUAGE sql RETURN 'ann'",
         "function recorded_for(recorded_by text, on_behalf_of text) is not what"},
        {"CREATE OR REPLACE FUNCTION ledger_refuse() RETURNS trigger LANGUAGE plpgsql SET "
         "search_path = pg_catalog, pg_temp AS 'BEGIN RETURN NEW; END'",
         "function ledger_refuse() is not what"},
        {"CREATE OR REPLACE VIEW last_amendments AS SELECT a.* FROM amendments a WHERE a.id > 7",
         "view last_amendments is not what"},
        {"CREATE OR REPLACE VIEW present_names AS SELECT profile_id, kind, (name || 'x') COLLATE "
         "\"C\" AS name, since_event_id FROM (SELECT 1::bigint AS profile_id, 'branch' AS kind, "
         "'x' AS name, 1::bigint AS since_event_id) AS x",
         "view present_names is not what"},
        {"ALTER VIEW present_profiles SET (security_invoker = true)",
         "view present_profiles is not what"},
        {"DROP VIEW last_amendments CASCADE", "view last_amendments is gone"},
        {"ALTER FUNCTION entry_append(text, bigint, bytea, text) SECURITY INVOKER",
         "definer=false"},
        {"ALTER FUNCTION entry_append(text, bigint, bytea, text) RESET search_path",
         "function entry_append("},
        {"ALTER FUNCTION workload_lock(bigint, text) SET search_path = public, pg_catalog",
         "search_path=public"},
        {"ALTER FUNCTION ledger_place(bigint) VOLATILE", "volatile=v"},
        {"ALTER FUNCTION ledger_entry_check() OWNER TO stepledger",
         "the owner is not the schema's"},
        {"ALTER TABLE profiles OWNER TO stepledger", "the owner is not the schema's"},
        {"CREATE FUNCTION stepledger.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
         "function mine() is none of the ledger's"},
        {"CREATE VIEW stepledger.mine AS SELECT 1 AS x", "view mine is none of the ledger's"},
        {"DROP TRIGGER ledger_refuse_row ON verdicts; CREATE TRIGGER ledger_refuse_row BEFORE "
         "UPDATE OR DELETE ON verdicts FOR EACH ROW EXECUTE FUNCTION "
         "suppress_redundant_updates_trigger()",
         "trigger ledger_refuse_row is not what"},
        {"DROP TRIGGER ledger_refuse_row ON verdicts; CREATE TRIGGER ledger_refuse_row BEFORE "
         "UPDATE OR DELETE ON verdicts FOR EACH ROW WHEN (false) EXECUTE FUNCTION ledger_refuse()",
         "trigger ledger_refuse_row is not what"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
        one_is_found(changes[i].sql, changes[i].said);
}

#define READ_ONLY(of_whom) \
    "DO $$ BEGIN EXECUTE format('ALTER " of_whom \
    " SET default_transaction_read_only = on', current_database()); END $$"

/* A login may set it for itself, and nobody could append, or judge. */
static void writes_where_the_login_is_read_only(void **state)
{
    struct err err = {0};
    struct test_database database;
    const struct worker_heartbeat heartbeat = {"host:7", "ingest", 4, 2};
    const struct profile_identity identity = {.project = "p", .workload = "w", .run = "r"};
    (void)state;
    test_database_clone(&migrated, &database);
    sql_do(database.admin, READ_ONLY("DATABASE %I"));
    scoped_db *db = ledger_open(database.app);
    assert_true(worker_seen(db, &heartbeat, &err)); /* in no transaction that says it writes */
    assert_int_equal(ledger_append(db, &arena, &identity, 1).id, 1);
}

static void finds_tables_and_rights_changed(void **state)
{
    (void)state;
    static const struct change changes[] = {
        {"ALTER TABLE verdicts ALTER recorded_at SET DEFAULT '2020-01-01'",
         "default verdicts.recorded_at is not what"},
        {"ALTER TABLE amendments ALTER recorded_by SET DEFAULT 'ann'",
         "default amendments.recorded_by is not what"},
        {"ALTER TABLE op_rows ALTER recorded_on SET DEFAULT '2020-01-01'",
         "default op_rows.recorded_on is not what"},
        {"ALTER TABLE verdicts ALTER recorded_at DROP DEFAULT",
         "default verdicts.recorded_at is gone"},
        {"ALTER TABLE verdicts ALTER status SET DEFAULT 'pass'",
         "default verdicts.status is none of the ledger's"},
        {"ALTER TABLE entries DROP CONSTRAINT entries_position_check",
         "constraint entries.entries_position_check is gone"},
        {"ALTER TABLE entries DROP CONSTRAINT entries_position_check, "
         "ADD CONSTRAINT entries_position_check CHECK (position > -9)",
         "constraint entries.entries_position_check is not what"},
        {"ALTER TABLE entries DROP CONSTRAINT entries_position_check, "
         "ADD CONSTRAINT entries_position_check CHECK (position > 0) NOT VALID",
         "validated=false"},
        {"ALTER TABLE entries DROP CONSTRAINT entries_pkey",
         "constraint entries.entries_pkey is gone"},
        {"ALTER TABLE verdicts DROP CONSTRAINT verdicts_project_id_fkey", "is gone"},
        {"ALTER TABLE verdicts ALTER recorded_at DROP NOT NULL", "table verdicts is not what"},
        {"ALTER TABLE verdicts ADD mine text", "table verdicts is not what"},
        {"CREATE TABLE stepledger.mine (x int)", "table mine is none of the ledger's"},
        {"GRANT UPDATE ON verdicts TO stepledger", "update on verdicts to stepledger"},
        {"GRANT DELETE ON entries TO PUBLIC", "delete on entries to public"},
        {"GRANT INSERT ON verdicts TO stepledger_read", "insert on verdicts to stepledger_read"},
        {"GRANT INSERT (recorded_at) ON verdicts TO stepledger",
         "insert on verdicts.recorded_at to stepledger"},
        {"GRANT UPDATE (status) ON verdicts TO stepledger",
         "update on verdicts.status to stepledger"},
        {"DROP INDEX profile_events_of_branch; CREATE INDEX profile_events_of_branch ON "
         "profile_events (branch COLLATE \"C\", profile_id) "
         "WHERE branch IS NOT NULL AND profile_id <> 2",
         "index profile_events_of_branch is not what"},
        {"DROP INDEX verdicts_of_workload; CREATE INDEX verdicts_of_workload ON verdicts "
         "(project_id, workload, id) WHERE id <> 2",
         "partial=true"},
        {"CREATE INDEX mine ON verdicts (status) WHERE id <> 2", "index mine is none"},
        {"DROP INDEX verdicts_of_workload", "index verdicts_of_workload is gone"},
        {READ_ONLY("DATABASE %I"), "default_transaction_read_only of every role"},
        {READ_ONLY("ROLE stepledger IN DATABASE %I"),
         "default_transaction_read_only of stepledger"},
        {"DO $$ BEGIN EXECUTE format('ALTER ROLE stepledger_ingest IN DATABASE %I SET "
         "enable_indexscan = off', current_database()); END $$",
         "enable_indexscan of stepledger_ingest"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
        one_is_found(changes[i].sql, changes[i].said);
}

/* A superuser may edit the catalogue: what is no longer unique takes anything. */
static void finds_indexes_that_hold_no_longer(void **state)
{
    (void)state;
    static const char sql[] =
        "UPDATE pg_index SET indisunique = false WHERE indexrelid IN "
        "('stepledger.entries_pkey'::regclass, "
        "'stepledger.amendments_profile_id_ordinal_key'::regclass); "
        "UPDATE pg_index SET indisvalid = false "
        "WHERE indexrelid = 'stepledger.verdicts_of_workload'::regclass; "
        "UPDATE pg_index SET indisready = false "
        "WHERE indexrelid = 'stepledger.acceptances_of_change'::regclass; "
        "UPDATE pg_index SET indislive = false "
        "WHERE indexrelid = 'stepledger.amendments_of_run'::regclass; "
        "UPDATE pg_index SET indimmediate = false "
        "WHERE indexrelid = 'stepledger.verdicts_pkey'::regclass; "
        "SELECT stepledger.ledger_months_ensure(); UPDATE pg_index SET indisunique = false "
        "WHERE indisunique AND indrelid IN (SELECT inhrelid FROM pg_inherits "
        "WHERE inhparent = 'stepledger.summaries'::regclass)";
    static const char *const said[] = {
        "index entries_pkey is not what",
        "index amendments_profile_id_ordinal_key is not what",
        "index verdicts_of_workload is not what",
        "index acceptances_of_change is not what",
        "index amendments_of_run is not what",
        "index verdicts_pkey is not what",
        "an index of a month does not hold as that of its table does: summaries_",
    };
    struct test_database database;
    test_database_clone(&migrated, &database);
    sql_do(database.admin, sql);
    const struct verify_report *report = integrity_verify(&database, NULL, &arena);
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
        says(report, "pg_index", said[i]);
}

/* As pg_dump and psql make it again. */
static void a_view_made_again_from_its_own_words_is_the_same(void **state)
{
    (void)state;
    struct test_database database;
    test_database_clone(&migrated, &database);
    sql_do(database.admin,
           "SET search_path = ''; DO $$ DECLARE v record; BEGIN "
           "FOR v IN SELECT oid::regclass AS name, pg_get_viewdef(oid) AS words FROM pg_class "
           "WHERE relnamespace = 'stepledger'::regnamespace AND relkind = 'v' LOOP "
           "EXECUTE 'CREATE OR REPLACE VIEW ' || v.name || ' AS ' || v.words; END LOOP; END $$");
    integrity_assert_clean(integrity_verify(&database, NULL, &arena));
}

static void defaults_and_constraints_made_again_from_their_own_words_are_the_same(void **state)
{
    (void)state;
    struct test_database database;
    test_database_clone(&migrated, &database);
    sql_do(database.admin,
           "SET search_path = ''; DO $$ DECLARE d record; BEGIN "
           "FOR d IN SELECT conrelid::regclass AS t, conname, pg_get_constraintdef(oid) AS words "
           "FROM pg_constraint WHERE connamespace = 'stepledger'::regnamespace "
           "AND contype IN ('c', 'f') AND conparentid = 0 AND coninhcount = 0 LOOP "
           "EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I, ADD CONSTRAINT %I %s', d.t, "
           "d.conname, d.conname, d.words); END LOOP; "
           "FOR d IN SELECT a.attrelid::regclass AS t, a.attname, "
           "pg_get_expr(f.adbin, f.adrelid) AS words FROM pg_attrdef f JOIN pg_attribute a "
           "ON a.attrelid = f.adrelid AND a.attnum = f.adnum JOIN pg_class c ON c.oid = f.adrelid "
           "WHERE c.relnamespace = 'stepledger'::regnamespace AND a.attgenerated = '' LOOP "
           "EXECUTE format('ALTER TABLE %s ALTER %I SET DEFAULT %s', d.t, d.attname, d.words); "
           "END LOOP; END $$");
    integrity_assert_clean(integrity_verify(&database, NULL, &arena));
}

/* Readers of one's own, and a role of one's own that appends as the ledger's do. */
static void rights_that_change_nothing_are_no_finding(void **state)
{
    (void)state;
    struct test_database database;
    test_database_clone(&migrated, &database);
    sql_do(database.admin, "GRANT SELECT ON ALL TABLES IN SCHEMA stepledger TO PUBLIC; "
                           "GRANT INSERT (status) ON verdicts TO stepledger_read");
    integrity_assert_clean(integrity_verify(&database, NULL, &arena));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_what_an_empty_database_becomes),
        cmocka_unit_test(finds_what_reads_and_guards_changed),
        cmocka_unit_test(finds_tables_and_rights_changed),
        cmocka_unit_test(finds_indexes_that_hold_no_longer),
        cmocka_unit_test(writes_where_the_login_is_read_only),
        cmocka_unit_test(a_view_made_again_from_its_own_words_is_the_same),
        cmocka_unit_test(defaults_and_constraints_made_again_from_their_own_words_are_the_same),
        cmocka_unit_test(rights_that_change_nothing_are_no_finding),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
