/* Tests of history/client: what is sent before its result is asked for is taken once, by the same
 * statement alone, and nothing else is hindered by it; reports send what they ask for next, and no
 * statement for each run; a plan is made once where that is said.
 */
#include "history/client/client.h"

#include "tests/support/cluster.h"
#include "tests/support/ledger_fixture.h"
#include "tests/support/year_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct scene *scene;

/* What a connection sends while it is traced. */
static FILE *trace;

static void trace_begin(struct db *db)
{
    trace = tmpfile();
    assert_non_null(trace);
    PQtrace(db->conn, trace);
    PQsetTraceFlags(db->conn, PQTRACE_SUPPRESS_TIMESTAMPS);
}

/* How many statements were sent; of those that stand at once behind what they need, which only what
 * is sent ahead does: profile_kinds behind the measures that are checked meanwhile, trend_points
 * not behind the marks that their workload is asked for first. */
struct sent {
    int statements, kinds, points;
};

static struct sent trace_end(struct db *db)
{
    char line[1 << 12];
    struct sent sent = {0};
    bool were_measures = false, were_marks = false, begins = true;
    PQuntrace(db->conn);
    rewind(trace);
    while (fgets(line, sizeof line, trace) != NULL) {
        bool is_statement = begins && line[0] == 'F' && strstr(line, "\tBind\t") != NULL;
        begins = strchr(line, '\n') != NULL;
        if (!is_statement)
            continue;
        sent.statements++;
        sent.kinds += were_measures && strstr(line, "\"profile_kinds\"") != NULL;
        sent.points += !were_marks && strstr(line, "\"trend_points\"") != NULL;
        were_measures = strstr(line, "\"brief_measures\"") != NULL;
        were_marks = strstr(line, "\"change_marks\"") != NULL;
    }
    assert_int_equal(fclose(trace), 0);
    return sent;
}

static int set_up(void **state)
{
    *state = scene = scene_open(0);
    return 0;
}

static void name_send(const char *name)
{
    struct err err = {0};
    assert_true(query_ahead(scene->db, Q_destination_find, ARGS(name), &err));
}

/* How many there are of the name, and by how many statements that was found out. */
static int named(const char *name, int *ret_statements)
{
    struct err err = {0};
    scoped_result *found = NULL;
    trace_begin(scene->db);
    bool found_out = query_run(scene->db, Q_destination_find, ARGS(name), &found, &err);
    *ret_statements = trace_end(scene->db).statements;
    if (!found_out)
        fail_msg("%s", err.text);
    return PQntuples(found);
}

static void name_add(const char *name)
{
    struct err err = {0};
    if (!query_do(scene->db, Q_destination_add, ARGS(name), &err))
        fail_msg("%s", err.text);
}

static void is_taken_by_the_same_statement_once(void **state)
{
    (void)state;
    int statements;
    name_send("one");
    name_add("one");
    assert_int_equal(named("one", &statements), 0); /* as the ledger was when it was sent */
    assert_int_equal(statements, 0);
    assert_int_equal(named("one", &statements), 1);
    assert_int_equal(statements, 1);
}

static void other_parameters_are_another_statement(void **state)
{
    (void)state;
    int statements;
    name_add("two");
    name_send("three");
    assert_int_equal(named("two", &statements), 1);
    assert_int_equal(statements, 1);
    assert_int_equal(named("three", &statements), 0);
    assert_int_equal(statements, 0);
    name_send("two");
    name_send("three"); /* in its place */
    assert_int_equal(named("two", &statements), 1);
    assert_int_equal(statements, 1);
}

static void transactions_pipelines_and_scripts_wait_for_it(void **state)
{
    (void)state;
    int statements;
    struct err err = {0};
    scoped_pipeline pipeline = {0};
    name_send("four");
    assert_true(db_begin(scene->db, &err));
    name_send("four");
    assert_false(db_begin(scene->db, &err)); /* is inside one, though its statement runs */
    assert_int_equal(err.kind, ERR_BUG);
    assert_true(pipeline_begin(&pipeline, scene->db, &err));
    assert_true(pipeline_add(&pipeline, Q_destination_add, ARGS("four"), &err));
    assert_true(pipeline_run(&pipeline, &err));
    pipeline_done(&pipeline);
    name_send("four");
    assert_true(query_script(scene->db, "nothing", "SELECT 1", &err));
    name_send("four");
    db_rollback(scene->db);
    assert_int_equal(named("four", &statements), 0);
    assert_int_equal(statements, 1); /* what was sent within is forgotten */
}

/* What it lacks is said by its name, whoever asks next, and once. */
static void a_failure_is_told_to_the_next(void **state)
{
    (void)state;
    int statements;
    struct err err = {0};
    static const uint8_t hash[32];
    assert_true(query_ahead(
        scene->db, Q_entry_append,
        ARGS("nothing", arg_i64(1), arg_bytes(hash, sizeof hash), arg_text(NULL)), &err));
    scoped_result *found = NULL;
    assert_false(query_run(scene->db, Q_destination_find, ARGS("one"), &found, &err));
    assert_non_null(strstr(err.text, "entry_append"));
    assert_int_equal(named("one", &statements), 1);
}

/* ---- plans ----------------------------------------------------------------------------------- */

static void plan_ask(enum query_id id)
{
    struct err err = {0};
    scoped_result *rows = NULL;
    bool done = id == Q_profile_load
                    ? query_run(scene->db, id, ARGS(arg_i64(1), arg_i64(1)), &rows, &err)
                    : query_run(scene->db, id, ARGS("one"), &rows, &err);
    if (!done)
        fail_msg("%s", err.text);
}

/* Of the statement, made for all values and for some. */
static void plans_assert(enum query_id id, const char *wanted)
{
    char text[200], made[40];
    (void)snprintf(text, sizeof text,
                   "SELECT generic_plans, custom_plans FROM pg_prepared_statements "
                   "WHERE name = '%s'",
                   queries[id].name);
    scoped_result *plans = PQexec(scene->db->conn, text);
    (void)snprintf(made, sizeof made, "%s %s", PQgetvalue(plans, 0, 0), PQgetvalue(plans, 0, 1));
    assert_string_equal(made, wanted);
}

static void a_plan_is_made_once_where_the_statement_says_so(void **state)
{
    (void)state;
    struct err err = {0};
    assert_true(queries[Q_profile_load].is_planned_once);
    assert_false(queries[Q_destination_find].is_planned_once);
    db_close(scene->db); /* the tests before have asked with it */
    scene->db = ledger_open(scene->database.app);
    for (int i = 1; i <= 2; i++) {
        plan_ask(Q_profile_load);
        plan_ask(Q_destination_find);
    }
    plans_assert(Q_profile_load, "2 0");
    plans_assert(Q_destination_find, "0 2");
    assert_true(db_begin(scene->db, &err));
    plan_ask(Q_profile_load);
    db_rollback(scene->db); /* and what the session was set to within */
    plan_ask(Q_profile_load);
    plan_ask(Q_destination_find);
    plans_assert(Q_profile_load, "4 0");
    plans_assert(Q_destination_find, "0 3");
}

/* ---- reports --------------------------------------------------------------------------------- */

static void workloads_append(const char *project, int workloads, int runs)
{
    for (int i = 0; i < workloads; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "w%d", i);
        const struct year_plan plan = {.project = project,
                                       .workload = name,
                                       .days = runs,
                                       .sd = .004,
                                       .mfu = .4,
                                       .seed = (uint64_t)i + 1};
        year_append(scene->db, &scene->arena, &plan);
    }
}

/* What a report of the project sends. */
static struct sent report_sends(const char *project, int runs)
{
    const struct year_window window = {project, 0, runs, runs};
    struct arena_mark mark = arena_mark(&scene->arena);
    trace_begin(scene->db);
    struct trend_report report = year_report(scene->db, &scene->arena, &window);
    struct sent sent = trace_end(scene->db);
    assert_true(report.run_count > 0);
    arena_rewind(&scene->arena, mark);
    return sent;
}

static void statements_of_a_report_grow_with_its_workloads_alone(void **state)
{
    (void)state;
    enum { FEW_RUNS = 12, MORE_RUNS = 30, STATEMENTS_MAX = 16 /* of a workload */ };
    workloads_append("two", 2, FEW_RUNS);
    workloads_append("four", 4, FEW_RUNS);
    workloads_append("six", 6, FEW_RUNS);
    workloads_append("long", 2, MORE_RUNS);
    const struct sent two = report_sends("two", FEW_RUNS), four = report_sends("four", FEW_RUNS),
                      six = report_sends("six", FEW_RUNS), longer = report_sends("long", MORE_RUNS);
    assert_int_equal(six.statements - four.statements, four.statements - two.statements);
    assert_in_range(six.statements - four.statements, 1, 2 * STATEMENTS_MAX);
    assert_int_equal(longer.statements, two.statements);
    assert_int_equal(six.points, 5); /* of all workloads behind the first */
    assert_int_equal(six.kinds, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_taken_by_the_same_statement_once),
        cmocka_unit_test(other_parameters_are_another_statement),
        cmocka_unit_test(transactions_pipelines_and_scripts_wait_for_it),
        cmocka_unit_test(a_failure_is_told_to_the_next),
        cmocka_unit_test(a_plan_is_made_once_where_the_statement_says_so),
        cmocka_unit_test(statements_of_a_report_grow_with_its_workloads_alone),
    };
    return cmocka_run_group_tests(tests, set_up, scene_tear_down);
}
