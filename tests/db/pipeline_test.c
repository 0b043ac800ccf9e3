/* Tests of history/client/pipeline: several statements in one round trip, and what is left when one
 * of them fails or the server goes away. */
#include "history/client/pipeline.h"

#include "history/client/result.h"
#include "tests/support/cluster.h"
#include "tests/support/ledger_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct test_database database;

static int set_up(void **state)
{
    (void)state;
    test_database_make(&database);
    return 0;
}

static bool name_add(struct pipeline *pipeline, enum query_id id, const char *name, struct err *err)
{
    return pipeline_add(pipeline, id, ARGS(name), err);
}

/* An entry of a kind that there is not. */
static bool wrong_entry_add(struct pipeline *pipeline, struct err *err)
{
    static const uint8_t hash[32];
    return pipeline_add(pipeline, Q_entry_append,
                        ARGS("nothing", arg_i64(1), arg_bytes(hash, sizeof hash), arg_text(NULL)),
                        err);
}

static int64_t project_count(struct db *db, const char *name)
{
    struct err err = {0};
    scoped_result *found = NULL;
    assert_true(query_run(db, Q_destination_find, ARGS(name), &found, &err));
    return PQntuples(found);
}

static void gives_each_statement_its_result(void **state)
{
    (void)state;
    struct err err = {0};
    scoped_db *db = ledger_open(database.app);
    /* Twice: with and without preparing on the way. */
    for (int round = 0; round < 2; round++) {
        scoped_pipeline pipeline = {0};
        assert_true(db_begin(db, &err));
        assert_true(pipeline_begin(&pipeline, db, &err));
        assert_true(name_add(&pipeline, Q_destination_find, "one", &err));
        assert_true(name_add(&pipeline, Q_destination_add, "one", &err));
        assert_true(name_add(&pipeline, Q_destination_add, "two", &err));
        assert_true(name_add(&pipeline, Q_destination_find, "one", &err));
        if (!pipeline_run(&pipeline, &err))
            fail_msg("%s", err.text);
        assert_int_equal(PQntuples(pipeline.items[0].result), round);
        assert_int_equal(PQntuples(pipeline_result(&pipeline, Q_destination_find)), 1);
        assert_true(result_i64(pipeline_result(&pipeline, Q_destination_find), 0, 0) > 0);
        assert_true(db_commit(db, &err));
    }
    assert_int_equal(project_count(db, "two"), 1);
}

static void reports_the_first_failure_and_leaves_the_connection_usable(void **state)
{
    (void)state;
    struct err err = {0};
    scoped_db *db = ledger_open(database.app);
    for (int round = 0; round < 2; round++) {
        scoped_pipeline pipeline = {0};
        assert_true(db_begin(db, &err));
        assert_true(pipeline_begin(&pipeline, db, &err));
        assert_true(name_add(&pipeline, Q_destination_add, "three", &err));
        assert_true(wrong_entry_add(&pipeline, &err));
        /* Never reached by the server: the next use must prepare it. */
        assert_true(name_add(&pipeline, Q_destination_find, "three", &err));
        assert_false(pipeline_run(&pipeline, &err));
        assert_non_null(strstr(err.text, "entry_append"));
        assert_string_equal(err.sqlstate, "20000");
        db_rollback(db);
    }
    assert_int_equal(project_count(db, "three"), 0);
}

static void can_be_left_unfinished(void **state)
{
    (void)state;
    struct err err = {0};
    scoped_db *db = ledger_open(database.app);
    assert_true(db_begin(db, &err));
    {
        scoped_pipeline pipeline = {0};
        assert_true(pipeline_begin(&pipeline, db, &err));
        assert_true(name_add(&pipeline, Q_destination_add, "four", &err));
    }
    assert_int_equal(project_count(db, "four"), 1);
    db_rollback(db);
    assert_int_equal(project_count(db, "four"), 0);
}

static void says_that_the_server_is_gone(void **state)
{
    (void)state;
    char text[100];
    struct err err = {0};
    scoped_db *db = ledger_open(database.app);
    scoped_pipeline pipeline = {0};
    assert_true(db_begin(db, &err));
    assert_true(pipeline_begin(&pipeline, db, &err));
    (void)snprintf(text, sizeof text, "SELECT pg_terminate_backend(%d, 5000)",
                   PQbackendPID(db->conn));
    free(sql_text(database.admin, text));
    bool sent = name_add(&pipeline, Q_destination_add, "five", &err);
    assert_false(sent && name_add(&pipeline, Q_destination_find, "five", &err) &&
                 pipeline_run(&pipeline, &err));
    assert_int_equal(err.kind, ERR_UNAVAILABLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_each_statement_its_result),
        cmocka_unit_test(reports_the_first_failure_and_leaves_the_connection_usable),
        cmocka_unit_test(can_be_left_unfinished),
        cmocka_unit_test(says_that_the_server_is_gone),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
