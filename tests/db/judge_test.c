/* The moves of alerts in C and the CHECK of the database are one list: every pair of states with
 * every action is tried. */
#include "history/alert/alert_state.h"
#include "tests/support/cluster.h"

#include <libpq-fe.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct test_database database;
static PGconn *conn;

static void must(const char *sql)
{
    PGresult *result = PQexec(conn, sql);
    if (PQresultStatus(result) != PGRES_COMMAND_OK)
        fail_msg("%s: %s", sql, PQresultErrorMessage(result));
    PQclear(result);
}

static int set_up(void **state)
{
    (void)state;
    test_database_make(&database);
    conn = PQconnectdb(database.app);
    if (PQstatus(conn) != CONNECTION_OK)
        return -1;
    must("SET search_path = stepledger, pg_temp");
    must("INSERT INTO projects (name) VALUES ('p'); "
         "SELECT entry_append('project', id, sha256(''), NULL) FROM projects; "
         "SET search_path = stepledger, pg_temp");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    PQfinish(conn);
    return 0;
}

static bool database_takes(enum alert_state from, enum alert_action action, enum alert_state to)
{
    char sql[600];
    (void)snprintf(sql, sizeof sql,
                   "INSERT INTO alert_events (project_id, workload, branch, from_state, to_state, "
                   "action, good_count, reason) SELECT id, 'w', 'b', nullif('%s', 'none'), '%s', "
                   "'%s', 0, 'why' FROM projects",
                   alert_state_names[from], alert_state_names[to], alert_action_names[action]);
    PQclear(PQexec(conn, "BEGIN")); /* its entry is not asked for before the end */
    PGresult *result = PQexec(conn, sql);
    bool taken = PQresultStatus(result) == PGRES_COMMAND_OK;
    PQclear(result);
    PQclear(PQexec(conn, "ROLLBACK"));
    return taken;
}

static void takes_exactly_the_moves_of_the_table(void **state)
{
    (void)state;
    for (enum alert_state from = 0; from < ALERT_STATE_COUNT; from++) {
        for (enum alert_action action = 0; action < ALERT_ACTION_COUNT; action++) {
            enum alert_state there;
            bool moves = alert_move(from, action, &there);
            for (enum alert_state to = 0; to < ALERT_STATE_COUNT; to++)
                assert_int_equal(database_takes(from, action, to), moves && there == to);
        }
    }
}

static void refuses_to_change_or_forget_what_people_decided(void **state)
{
    (void)state;
    static const char *const tables[] = {"policies", "verdict_requests", "acceptances",
                                         "rebaselines", "alert_events"};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        for (int j = 0; j < 2; j++) {
            char sql[100];
            (void)snprintf(sql, sizeof sql, j == 0 ? "DELETE FROM %s" : "TRUNCATE %s", tables[i]);
            PGresult *result = PQexec(conn, sql);
            assert_int_equal(PQresultStatus(result), PGRES_FATAL_ERROR);
            PQclear(result);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_exactly_the_moves_of_the_table),
        cmocka_unit_test(refuses_to_change_or_forget_what_people_decided),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
