/* What gives the rows their meaning: `verify` says when it is not what the migrations make, and its
 * list of that (history/schema_shape.inc, `make golden`) is right. */
#include "history/verify_run.h"
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
    golden_check("../../history/schema_shape.inc", text_string(&out));
}

static void one_is_found(const char *sql, const char *said)
{
    struct test_database database;
    test_database_clone(&migrated, &database);
    sql_do(database.admin, sql);
    const struct verify_report *report = integrity_verify(&database, NULL, &arena);
    for (int64_t i = 0; i < report->finding_count && i < VERIFY_FINDINGS_MAX; i++)
        if (strstr(report->findings[i].what, said) != NULL)
            return;
    fail_msg("%s: %lld findings, none says \"%s\", the first: %s", sql,
             (long long)report->finding_count, said,
             report->finding_count == 0 ? "" : report->findings[0].what);
}

static void finds_whatever_is_changed(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *said;
    } changes[] = {
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_what_an_empty_database_becomes),
        cmocka_unit_test(finds_whatever_is_changed),
        cmocka_unit_test(a_view_made_again_from_its_own_words_is_the_same),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
