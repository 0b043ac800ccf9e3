/* Drift between three tellers of the same thing: the header of each file of history/sql, what the
 * server makes of the statement, and the tables of states in C. */
#include "history/alert/change_points.h"
#include "history/client/pg_types.h"
#include "history/lease/destinations.h"
#include "history/lease/states.h"
#include "history/profiles/findings.h"
#include "schema/documents/alert_phase.h"
#include "schema/documents/verdict.h"
#include "tests/support/cluster.h"

#include "queries.h"

#include <libpq-fe.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct test_database database;
static PGconn *conn;

static int set_up(void **state)
{
    (void)state;
    test_database_make(&database);
    conn = PQconnectdb(database.app);
    PQclear(PQexec(conn, "SET search_path = stepledger, pg_temp"));
    return PQstatus(conn) == CONNECTION_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    PQfinish(conn);
    return 0;
}

static const char copy_out_head[] = "COPY (\n", copy_out_tail[] = ") TO STDOUT (FORMAT binary);\n";

static bool is_copy(const struct query *query)
{
    return strncmp(query->text, "COPY ", 5) == 0;
}

static bool is_copy_out(const struct query *query)
{
    size_t length = strlen(query->text), tail = strlen(copy_out_tail);
    return strncmp(query->text, copy_out_head, strlen(copy_out_head)) == 0 && length > tail &&
           strcmp(query->text + length - tail, copy_out_tail) == 0;
}

static int types_count(const char *list)
{
    int count = 0;
    while (pg_type_next(&list) != 0)
        count++;
    return count;
}

static void statement_describe(const struct query *query)
{
    PGresult *prepared = PQprepare(conn, query->name, query->text, 0, NULL);
    if (PQresultStatus(prepared) != PGRES_COMMAND_OK)
        fail_msg("%s: %s", query->name, PQresultErrorMessage(prepared));
    PQclear(prepared);
    PGresult *said = PQdescribePrepared(conn, query->name);
    const char *parameters = query->parameters, *columns = query->columns;
    if (PQnparams(said) != types_count(parameters))
        fail_msg("%s: %d parameters, %d in its header", query->name, PQnparams(said),
                 types_count(parameters));
    for (int i = 0; i < PQnparams(said); i++)
        if (pg_type_next(&parameters) != PQparamtype(said, i))
            fail_msg("%s: parameter $%d has type %u", query->name, i + 1, PQparamtype(said, i));
    if (!is_copy(query) && PQnfields(said) != types_count(columns))
        fail_msg("%s: %d columns, %d in its header", query->name, PQnfields(said),
                 types_count(columns));
    for (int i = 0; i < PQnfields(said); i++)
        if (pg_type_next(&columns) != PQftype(said, i))
            fail_msg("%s: column %s has type %u", query->name, PQfname(said, i), PQftype(said, i));
    PQclear(said);
}

static void says_the_types_that_each_statement_has(void **state)
{
    (void)state;
    for (int i = 0; i < Q_COUNT; i++)
        statement_describe(&queries[i]);
}

/* "COPY table (a, b)" -> the types of a and b in the catalog, as a list of object ids. */
static char *copied_types(const struct query *query)
{
    char table[64], columns[1000], text[2000];
    assert_int_equal(sscanf(query->text, "COPY %63[a-z_] (%999[a-z0-9_, \n])", table, columns), 2);
    (void)snprintf(
        text, sizeof text,
        "SELECT string_agg(a.atttypid::text, ' ' ORDER BY c.position) "
        "FROM regexp_split_to_table('%s', ',\\s*') WITH ORDINALITY AS c (name, position) "
        "JOIN pg_attribute a ON a.attname = c.name AND a.attrelid = '%s'::regclass",
        columns, table);
    return sql_text(database.admin, text);
}

static void copies_the_types_that_the_tables_have(void **state)
{
    (void)state;
    int seen = 0;
    for (int i = 0; i < Q_COUNT; i++) {
        if (!is_copy(&queries[i]) || is_copy_out(&queries[i]))
            continue;
        char *said = copied_types(&queries[i]), *end = said;
        const char *columns = queries[i].columns;
        for (uint32_t wanted; (wanted = pg_type_next(&columns)) != 0;)
            if (strtoul(end, &end, 10) != wanted)
                fail_msg("%s: another type than its header says: %s", queries[i].name, said);
        assert_string_equal(end, "");
        free(said);
        seen++;
    }
    assert_true(seen > 0);
}

/* What a COPY (SELECT ...) gives is not described: its SELECT is, under the same header. */
static void copies_out_the_types_that_the_headers_say(void **state)
{
    (void)state;
    int seen = 0;
    for (int i = 0; i < Q_COUNT; i++) {
        char name[100], text[4000];
        if (!is_copy_out(&queries[i]))
            continue;
        size_t length = strlen(queries[i].text) - strlen(copy_out_head) - strlen(copy_out_tail);
        (void)snprintf(name, sizeof name, "%s_select", queries[i].name);
        (void)snprintf(text, sizeof text, "%.*s", (int)length,
                       queries[i].text + strlen(copy_out_head));
        const struct query select = {name, text, queries[i].parameters, queries[i].columns, false};
        statement_describe(&select);
        seen++;
    }
    assert_true(seen > 0);
}

/* The words of a column's CHECK (x IN (...)), sorted, joined by a space. */
static char *check_words(const char *table, const char *column)
{
    char text[600];
    (void)snprintf(
        text, sizeof text,
        "SELECT string_agg(w[1], ' ' ORDER BY w[1]) FROM pg_constraint c, "
        "LATERAL regexp_matches(pg_get_constraintdef(c.oid), '''([a-z_]+)''', 'g') AS w "
        "WHERE c.conrelid = '%s'::regclass AND c.contype = 'c' AND cardinality(c.conkey) = 1 "
        "AND c.conkey[1] = (SELECT attnum FROM pg_attribute "
        "WHERE attrelid = c.conrelid AND attname = '%s')",
        table, column);
    return sql_text(database.admin, text);
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void names_check(const char *const *names, size_t count, const char *table,
                        const char *column)
{
    const char *sorted[16];
    char joined[300] = "";
    assert_true(count <= 16);
    memcpy(sorted, names, count * sizeof *names);
    qsort(sorted, count, sizeof *sorted, by_name);
    for (size_t i = 0, used = 0; i < count; i++)
        used += (size_t)snprintf(joined + used, sizeof joined - used, "%s%s", i > 0 ? " " : "",
                                 sorted[i]);
    char *words = check_words(table, column);
    assert_string_equal(joined, words);
    free(words);
}

static void has_the_states_of_the_database_in_c(void **state)
{
    (void)state;
    names_check(outbox_state_names, OUTBOX_STATE_COUNT, "outbox", "state");
    names_check(queue_state_names, QUEUE_STATE_COUNT, "queue", "state");
    names_check(judgement_state_names, JUDGEMENT_STATE_COUNT, "judgements", "state");
    names_check(verdict_status_names, VERDICT_STATUS_COUNT, "verdicts", "status");
    names_check(finding_severity_names, FINDING_SEVERITY_COUNT, "findings", "severity");
    names_check(change_point_status_names, CHANGE_POINT_STATUS_COUNT, "change_points", "status");
    names_check(receipt_outcome_names, RECEIPT_OUTCOME_COUNT, "deliveries", "outcome");
    names_check(alert_phase_names, PHASE_COUNT, "outbox", "phase");
    names_check(alert_phase_names, PHASE_COUNT, "alert_threads", "phase");
}

static void action_check(const char *action)
{
    for (int q = 0; q < Q_COUNT; q++)
        if (strcmp(queries[q].name, action) == 0)
            return;
    fail_msg("no statement %s", action);
}

static void names_a_statement_for_every_transition(void **state)
{
    (void)state;
    for (size_t i = 0; i < outbox_move_count; i++)
        action_check(outbox_moves[i].action);
    for (size_t i = 0; i < queue_move_count; i++)
        action_check(queue_moves[i].action);
    for (size_t i = 0; i < judgement_move_count; i++)
        action_check(judgement_moves[i].action);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_the_types_that_each_statement_has),
        cmocka_unit_test(copies_the_types_that_the_tables_have),
        cmocka_unit_test(copies_out_the_types_that_the_headers_say),
        cmocka_unit_test(has_the_states_of_the_database_in_c),
        cmocka_unit_test(names_a_statement_for_every_transition),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
