/* The ledger's integrity: nobody may change it, and what a superuser changes all the same, with the
 * triggers switched off, is found and named. */
#include "history/alert/alert_response.h"
#include "history/alert/decision.h"
#include "history/chain/entry_kinds.h"
#include "history/reading/interchange.h"
#include "tests/support/integrity_fixture.h"
#include "tests/support/ledger_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct test_database database;
static struct arena arena;

static int set_up(void **state)
{
    (void)state;
    test_database_make(&database);
    arena_init(&arena, (size_t)64 << 20);
    integrity_fill(&database);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

/* ---- nobody may ---- */

static const char *const ledger_tables[] = {
    "projects",      "series",         "profiles",         "profile_events",   "summaries",
    "profile_files", "profile_hosts",  "profile_facts",    "profile_programs", "profile_devices",
    "profile_steps", "step_spans",     "op_signatures",    "op_rows",          "measures",
    "verdicts",      "verdict_inputs", "deliveries",       "verdict_messages", "entries",
    "checkpoints",   "policies",       "verdict_requests", "acceptances",      "rebaselines",
    "alert_events",  "track_records",  "change_points",    "archives",         "archived_sections",
    "findings",      "comparisons",    "amendments",       "origins",          "reports",
};
enum { LEDGER_TABLES = sizeof ledger_tables / sizeof ledger_tables[0], TEXT_BYTES = 1000 };

static void statement_is_refused(const char *conninfo, const char *text, const char *sqlstate)
{
    const char *said = sql_refusal(conninfo, text);
    if (strcmp(said, sqlstate) != 0)
        fail_msg("%s: SQLSTATE \"%s\", not %s", text, said, sqlstate);
}

/* The three ways to change a table, each where it would touch no row. */
static void table_refuses(const char *conninfo, const char *as, const char *table,
                          const char *sqlstate)
{
    char text[TEXT_BYTES];
    (void)snprintf(
        text, sizeof text,
        "SELECT attname FROM pg_attribute WHERE attrelid = '%s'::regclass AND attnum > 0 "
        "AND attidentity = '' ORDER BY attnum LIMIT 1",
        table);
    char *column = sql_text(database.admin, text);
    (void)snprintf(text, sizeof text, "%sUPDATE %s SET %s = %s WHERE false", as, table, column,
                   column);
    statement_is_refused(conninfo, text, sqlstate);
    (void)snprintf(text, sizeof text, "%sDELETE FROM %s WHERE false", as, table);
    statement_is_refused(conninfo, text, sqlstate);
    (void)snprintf(text, sizeof text, "%sTRUNCATE %s CASCADE", as, table);
    statement_is_refused(conninfo, text, sqlstate);
    free(column);
}

static void refuses_changes_to_the_owner_and_to_superusers(void **state)
{
    (void)state;
    for (size_t i = 0; i < LEDGER_TABLES; i++) {
        table_refuses(database.owner, "", ledger_tables[i], "23001");
        table_refuses(database.admin, "", ledger_tables[i], "23001");
    }
    statement_is_refused(database.admin, "DELETE FROM op_rows WHERE profile_id = 1", "23001");
    statement_is_refused(database.admin,
                         "INSERT INTO projects (name) VALUES ('llm') "
                         "ON CONFLICT (name) DO UPDATE SET name = 'other'",
                         "23001");
}

static void gives_no_role_the_right_to_change_the_ledger(void **state)
{
    static const char *const roles[] = {"stepledger", "stepledger_ingest", "stepledger_compare",
                                        "stepledger_alert", "stepledger_read"};
    char as[100];
    (void)state;
    for (size_t role = 0; role < sizeof roles / sizeof roles[0]; role++) {
        (void)snprintf(as, sizeof as, "SET ROLE %s; ", roles[role]);
        for (size_t i = 0; i < LEDGER_TABLES; i++)
            table_refuses(database.admin, as, ledger_tables[i], "42501");
    }
}

/* Every table is either of the ledger and protected, or known as work state. */
static void protects_every_table_that_is_not_work_state(void **state)
{
    (void)state;
    char *open =
        sql_text(database.admin,
                 "SELECT string_agg(c.relname, ' ' ORDER BY c.relname) FROM pg_class c "
                 "WHERE c.relnamespace = 'stepledger'::regnamespace AND c.relkind IN ('r', 'p') "
                 "AND (SELECT count(*) FROM pg_trigger t WHERE t.tgrelid = c.oid "
                 "     AND t.tgname IN ('ledger_refuse_row', 'ledger_refuse_statement') "
                 "     AND t.tgenabled = 'O') < 2");
    assert_string_equal(open, "alert_threads chain_starts content_sections destinations judgements "
                              "locks outbox queue queue_files schedules schema_migrations "
                              "tree_grown workers");
    free(open);
}

static void lets_roles_do_their_own_work_only(void **state)
{
    (void)state;
    static const struct {
        const char *text, *sqlstate;
    } cases[] = {
        {"SET ROLE stepledger_read; SELECT count(*) FROM profiles", ""},
        {"SET ROLE stepledger_read; INSERT INTO projects (name) VALUES ('a')", "42501"},
        {"SET ROLE stepledger_ingest; BEGIN; INSERT INTO projects (name) VALUES ('b'); "
         "ROLLBACK",
         ""},
        {"SET ROLE stepledger_ingest; INSERT INTO verdicts (id) VALUES (9)", "42501"},
        {"SET ROLE stepledger_compare; INSERT INTO summaries (profile_id, document) VALUES (9, '')",
         "42501"},
        {"SET ROLE stepledger_alert; UPDATE outbox SET last_error = NULL WHERE false", ""},
        {"SET ROLE stepledger_alert; INSERT INTO projects (name) VALUES ('c')", "42501"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        statement_is_refused(database.admin, cases[i].text, cases[i].sqlstate);
}

/* ---- what is changed all the same ---- */

struct tampering {
    const char *sql;   /* with triggers and foreign keys switched off */
    const char *chain; /* of the first finding; NULL = none */
    int64_t position;
    const char *entry; /* NULL = any */
    const char *what;  /* in its text */
};

/* p2's rows, one change per section; then other kinds of entries; then the chain itself. Chain s1:
 * p1 e1 p2 e2 p3 e3 e5 v1 d1. */
static const struct tampering tamperings[] = {
    {"UPDATE projects SET name = 'x'", "s1", 1, "p1", "changed"},
    {"UPDATE series SET workload = 'x' WHERE id = 2", "s2", 1, "p4", "changed"},
    {"UPDATE profiles SET run = 'x' WHERE id = 2", "s1", 3, "p2", "changed"},
    {"UPDATE profiles SET recorded_at = 'infinity' WHERE id = 2", "s1", 3, "p2", "changed"},
    {"UPDATE summaries SET document = document || ' ' WHERE profile_id = 2", "s1", 3, "p2",
     "changed"},
    {"UPDATE profile_files SET size_bytes = 1 WHERE profile_id = 2 AND ordinal = 0", "s1", 3, "p2",
     "changed"},
    {"UPDATE profile_hosts SET name = 'x' WHERE profile_id = 2 AND ordinal = 1", "s1", 3, "p2",
     "changed"},
    {"UPDATE profile_facts SET value = NULL WHERE profile_id = 2 AND name = 'batch'", "s1", 3, "p2",
     "changed"},
    {"UPDATE profile_devices SET idle_ps = idle_ps + 1 WHERE profile_id = 2 AND ordinal = 3", "s1",
     3, "p2", "changed"},
    {"UPDATE profile_steps SET warmup = NOT warmup WHERE profile_id = 2", "s1", 3, "p2", "changed"},
    {"UPDATE step_spans SET start_ps = start_ps - 1 WHERE profile_id = 2 AND device = 0", "s1", 3,
     "p2", "changed"},
    {"UPDATE op_rows SET self_ps = self_ps + 1 WHERE profile_id = 2 AND ordinal = 2", "s1", 3, "p2",
     "changed"},
    {"UPDATE op_signatures SET category = 'x' WHERE introduced_by = 2", "s1", 3, "p2", "changed"},
    {"UPDATE measures SET value = value * 2 WHERE profile_id = 2 AND measure = 1", "s1", 3, "p2",
     "changed"},
    {"DELETE FROM op_rows WHERE profile_id = 2 AND ordinal = 1", "s1", 3, "p2", "changed"},
    {"INSERT INTO op_rows SELECT (o).* FROM (SELECT o FROM op_rows o WHERE profile_id = 2 LIMIT 1) "
     "AS q",
     "s1", 3, "p2", "changed"},
    {"UPDATE profile_events SET branch = 'x' WHERE id = 5", "s1", 7, "e5", "changed"},
    {"UPDATE verdicts SET status = 'pass'", "s1", 8, "v1", "changed"},
    {"UPDATE verdicts SET document = '{\"status\": \"pass\"}'", "s1", 8, "v1", "changed"},
    {"DELETE FROM verdict_inputs WHERE side = 'candidate'", "s1", 8, "v1", "changed"},
    {"UPDATE verdict_messages SET destination = 'x'", "s1", 8, "v1", "changed"},
    {"UPDATE comparisons SET status = 'pass'", "s1", 8, "v1", "changed"},
    {"DELETE FROM comparisons", "s1", 8, "v1", "changed"},
    {"INSERT INTO findings VALUES (2, 0, 'x', 'info', 'nothing of interest', NULL)", "s1", 3, "p2",
     "changed"},
    {"UPDATE deliveries SET outcome = 'dead'", "s1", 9, "d1", "changed"},
    {"UPDATE checkpoints SET document = '{}'", "ledger", 1, "c1", "changed"},
    {"DELETE FROM tree_ranges", "ledger", 0, NULL, "fewer now"},
    {"DELETE FROM tree_ranges WHERE chain = 's1'", NULL, 0, NULL, "range of leaves"},
    {"UPDATE tree_ranges SET last_position = last_position - 1 WHERE chain = 's1'", NULL, 0, NULL,
     "range of leaves"},
    {"UPDATE tree_ranges SET first_position = 2, last_position = last_position + 1 "
     "WHERE chain = 's1'",
     NULL, 0, NULL, "range of leaves"},
    {"INSERT INTO tree_ranges SELECT max(first_leaf + last_position - first_position + 1), "
     "'ledger', 1, 1 FROM tree_ranges",
     "ledger", 0, NULL, "leaves behind"},
    {"DELETE FROM profiles WHERE id = 2", "s1", 3, "p2", "removed"},
    {"UPDATE op_signatures SET category = category || 'x' WHERE introduced_by = 3", "s1", 5, "p3",
     "changed"},
    /* put in */
    {"INSERT INTO profile_events (profile_id, branch) VALUES (1, 'forged')", NULL, 0, "e6",
     "put in"},
    {"INSERT INTO op_rows SELECT 77, ordinal, recorded_on, signature_id, max_device, asynchronous, "
     "program, "
     "phase, count, device_count, total_ps, self_ps, max_device_self_ps, steady_count, "
     "steady_self_ps, flops, bytes_accessed FROM op_rows WHERE profile_id = 1",
     NULL, 0, "p77", "put in"},
    {"INSERT INTO verdicts (id, project_id, workload, status, document) "
     "VALUES (2, 1, 'pretrain', 'pass', '{}')",
     NULL, 0, "v2", "put in"},
    {"UPDATE entries SET position = position + 1 WHERE chain = 's2' AND position = 2; "
     "INSERT INTO entries SELECT chain, 2, kind, 99, supersedes, content_version, content_sha256, "
     "entry_sha256, recorded_at, sha256('forged') FROM entries WHERE chain = 's2' AND position = 1",
     "s2", 2, "p99", "changed"},
    /* taken out */
    {"DELETE FROM entries WHERE kind = 'profile' AND subject_id = 2", "s1", 4, "e2", "removed"},
    {"DELETE FROM entries WHERE chain = 's1' AND position = 1", "s1", 2, "e1", "removed"},
    /* moved */
    {"UPDATE entries SET position = position + 1000 WHERE chain = 's1' AND position IN (3, 5); "
     "UPDATE entries SET position = 1008 - position WHERE chain = 's1' AND position > 1000",
     "s1", 3, "p3", "moved"},
    {"UPDATE entries a SET content_sha256 = b.content_sha256 FROM entries b "
     "WHERE a.subject_id = 5 - b.subject_id AND a.kind = 'profile' AND b.kind = 'profile' "
     "AND a.subject_id IN (2, 3)",
     "s1", 3, "p2", "changed"},
    {"UPDATE profiles a SET trace_sha256 = sha256('x') WHERE a.id = 1", "s1", 1, "p1", "changed"},
    /* of the entry's own words */
    {"UPDATE entries SET recorded_at = '2020-01-01' WHERE chain = 's1' AND position = 4", "s1", 4,
     "e2", "changed"},
    {"UPDATE entries SET kind = 'other' WHERE chain = 's1' AND position = 4", "s1", 4, NULL,
     "changed"},
    {"UPDATE entries SET supersedes = 1 WHERE chain = 's1' AND position = 4", "s1", 4, "e2",
     "changed"},
    {"UPDATE entries SET chain = 's9' WHERE chain = 's2'", "s9", 1, "p4", "changed"},
};

static void tamper(const char *sql)
{
    char text[TEXT_BYTES + 100];
    (void)snprintf(text, sizeof text, "SET session_replication_role = replica; %s", sql);
    sql_do(database.admin, text);
}

static void first_is(const struct verify_report *report, const struct tampering *expected)
{
    if (report->finding_count == 0)
        fail_msg("%s: nothing was found", expected->sql);
    const struct verify_finding *first = &report->findings[0];
    const char *chain = first->chain == NULL ? "-" : first->chain;
    const char *entry = first->entry == NULL ? "-" : first->entry;
    if (strcmp(chain, expected->chain == NULL ? "-" : expected->chain) != 0 ||
        first->position != expected->position ||
        (expected->entry != NULL && strcmp(entry, expected->entry) != 0) ||
        strstr(first->what, expected->what) == NULL)
        fail_msg("%s: found %s %d %s: %s", expected->sql, chain, (int)first->position, entry,
                 first->what);
}

static void finds_and_names_what_a_superuser_changes(void **state)
{
    (void)state;
    (void)integrity_checkpoint(&database, &arena);
    integrity_assert_clean(integrity_verify(&database, NULL, &arena));
    struct test_database whole = database;
    for (size_t i = 0; i < sizeof tamperings / sizeof tamperings[0]; i++) {
        test_database_clone(&whole, &database);
        tamper(tamperings[i].sql);
        first_is(integrity_verify(&database, NULL, &arena), &tamperings[i]);
    }
}

/* What people and their tools add to the fixture's rows. */
static void decisions_append(void)
{
    struct acceptance accepted;
    bool is_new;
    struct err err = {0};
    struct level_mark start;
    struct alert_change change;
    scoped_db *db = ledger_open(database.app);
    const struct acceptance_entry taken = {
        .verdict_id = 1, .change_key = "abc", .reason = "worth it"};
    const struct rebaseline_entry anew = {.series = "s1", .reason = "new machine"};
    const struct alert_key key = {"llm", "pretrain", "s1", ""};
    const struct alert_response response = {.action = ALERT_ACKNOWLEDGE, .reason = "seen"};
    const struct track_row row = {.project = "llm", .workload = "pretrain", .document = "{}"};
    assert_true(db_begin(db, &err));
    if (!ledger_accept(db, &taken, &arena, &accepted, &err) ||
        !alert_respond(db, &key, &response, &change, &err) || !db_commit(db, &err))
        fail_msg("%s", err.text);
    assert_true(ledger_rebaseline(db, &anew, &start, &err));
    assert_true(ledger_append_track(db, &row, &is_new, &err) && is_new);
}

/* Chain s1 goes on with r1 behind d1; j1 holds the project, both series, l1 of the verdict, then
 * a1, l2 and t1. No checkpoint is there, and none is needed. */
static void finds_what_is_changed_before_any_checkpoint(void **state)
{
    (void)state;
    static const struct tampering changes[] = {
        {"UPDATE deliveries SET attempt = 2", "s1", 9, "d1", "changed"},
        {"UPDATE rebaselines SET after_profile_id = 0", "s1", 10, "r1", "changed"},
        {"UPDATE alert_events SET good_count = 7 WHERE id = 1", "j1", 4, "l1", "changed"},
        {"UPDATE acceptances SET reason = 'x'", "j1", 5, "a1", "changed"},
        {"UPDATE alert_events SET reason = 'x' WHERE id = 2", "j1", 6, "l2", "changed"},
        {"UPDATE track_records SET workload = 'x'", "j1", 7, "t1", "changed"},
        {"DELETE FROM deliveries", "s1", 9, "d1", "removed"},
        {"INSERT INTO track_records (project_id, workload, document, document_sha256) "
         "VALUES (1, 'w', '{}', sha256('{}'))",
         NULL, 0, "t2", "put in"},
    };
    decisions_append();
    integrity_assert_clean(integrity_verify(&database, NULL, &arena));
    struct test_database whole = database;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        test_database_clone(&whole, &database);
        tamper(changes[i].sql);
        first_is(integrity_verify(&database, NULL, &arena), &changes[i]);
    }
}

/* With every right and all triggers on, a row without its entry does not get through. */
static void refuses_a_row_without_its_entry(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "INSERT INTO profile_events (profile_id, branch) VALUES (1, 'forged')",
        "INSERT INTO verdicts (id, project_id, workload, status, document) "
        "VALUES (9, 1, 'pretrain', 'pass', '{}')",
        "INSERT INTO deliveries (outbox_id, destination, dedupe_key, attempt, outcome) "
        "VALUES (1, 'ci', 'k', 1, 'done')",
        "INSERT INTO checkpoints (id, root_sha256, chain_count, document) "
        "VALUES (9, sha256(''), 0, '')",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_string_equal(sql_refusal(database.admin, rows[i]), "23000");
    char *kinds = sql_text(database.admin,
                           "SELECT string_agg(trim(trailing '\\000' FROM encode(tgargs, 'escape')),"
                           " ' ' ORDER BY tgargs) FROM pg_trigger WHERE tgname = 'ledger_entry' "
                           "AND tgdeferrable AND tginitdeferred AND tgenabled = 'O'");
    for (int kind = 0; kind < ENTRY_KIND_COUNT; kind++)
        if (strstr(kinds, entry_kinds[kind].name) == NULL)
            fail_msg("rows of kind %s need no entry; those that do: %s", entry_kinds[kind].name,
                     kinds);
    free(kinds);
}

static const char tail_cut[] =
    "DELETE FROM tree_ranges; DELETE FROM verdicts; DELETE FROM verdict_inputs; DELETE "
    "FROM verdict_messages; "
    "DELETE FROM comparisons; DELETE FROM deliveries; DELETE FROM outbox; "
    "DELETE FROM entries WHERE chain = 's1' AND position > 7";

static void finds_a_cut_tail_by_a_checkpoint_kept_elsewhere(void **state)
{
    (void)state;
    static const struct tampering cut = {tail_cut, "s1", 9, NULL, "tail was cut"};
    struct checkpoint kept = integrity_checkpoint(&database, &arena);
    integrity_assert_clean(integrity_verify(&database, &kept, &arena));
    tamper(tail_cut);
    first_is(integrity_verify(&database, NULL, &arena), &cut); /* by the ledger's own, too */
    tamper("DELETE FROM checkpoints; DELETE FROM tree_ranges; "
           "DELETE FROM entries WHERE chain = 'ledger'");
    integrity_assert_clean(integrity_verify(&database, NULL, &arena));
    first_is(integrity_verify(&database, &kept, &arena), &cut);
}

/* Who rewrites a chain with right hashes is found by a checkpoint only. */
static void finds_a_chain_that_was_made_anew(void **state)
{
    (void)state;
    static const struct tampering anew = {"a new chain", "s2", 2, NULL, "made anew"};
    struct checkpoint kept = integrity_checkpoint(&database, &arena);
    struct checkpoint_head *head = &kept.heads[kept.head_count - 1];
    assert_string_equal(head->chain, "s2");
    head->sha256 = kept.heads[0].sha256;
    first_is(integrity_verify(&database, &kept, &arena), &anew);
}

static void refuses_a_checkpoint_whose_root_is_not_that_of_its_heads(void **state)
{
    (void)state;
    struct err err = {0};
    struct checkpoint kept = integrity_checkpoint(&database, &arena);
    assert_true(checkpoint_check(&kept, &err));
    kept.heads[0].position++;
    assert_false(checkpoint_check(&kept, &err));
    assert_int_equal(err.kind, ERR_INPUT);
}

static void takes_no_second_checkpoint_of_the_same_state(void **state)
{
    (void)state;
    struct checkpoint first = integrity_checkpoint(&database, &arena);
    assert_string_equal(first.id, "c1");
    assert_string_equal(integrity_checkpoint(&database, &arena).id, "c1");
    integrity_fill(&database); /* known bytes, but a verdict more */
    assert_string_equal(integrity_checkpoint(&database, &arena).id, "c2");
    integrity_assert_clean(integrity_verify(&database, &first, &arena));
}

int main(void)
{
#define integrity_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        integrity_test(refuses_changes_to_the_owner_and_to_superusers),
        integrity_test(gives_no_role_the_right_to_change_the_ledger),
        integrity_test(protects_every_table_that_is_not_work_state),
        integrity_test(lets_roles_do_their_own_work_only),
        integrity_test(finds_and_names_what_a_superuser_changes),
        integrity_test(finds_what_is_changed_before_any_checkpoint),
        integrity_test(refuses_a_row_without_its_entry),
        integrity_test(finds_a_cut_tail_by_a_checkpoint_kept_elsewhere),
        integrity_test(finds_a_chain_that_was_made_anew),
        integrity_test(refuses_a_checkpoint_whose_root_is_not_that_of_its_heads),
        integrity_test(takes_no_second_checkpoint_of_the_same_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
