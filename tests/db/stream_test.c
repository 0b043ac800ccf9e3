/* Tests of history/client/stream: rows of a COPY to us, one at a time, whole, and an end at any
 * time. */
#include "history/client/stream.h"

#include "history/client/pg_types.h"
#include "tests/support/cluster.h"
#include "tests/support/ledger_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PROJECTS = 3000, VALUE_AT = 6 };

static struct test_database database;

static int set_up(void **state)
{
    (void)state;
    test_database_make(&database);
    sql_do(database.admin,
           "SET session_replication_role = replica; "
           "INSERT INTO projects (name) SELECT 'j' || n FROM generate_series(1, 3000)"
           " AS n; INSERT INTO track_records (project_id, workload, document, "
           "document_sha256) SELECT id, name, json_build_object('d', repeat(name, 100)), "
           "sha256(name::bytea) FROM projects ORDER BY id");
    return 0;
}

static struct db *range_open(int64_t first, int64_t last)
{
    struct err err = {0};
    struct db *db = ledger_open(database.app);
    assert_true(db_begin(db, &err));
    assert_true(query_do(db, Q_content_range, ARGS(first, last, "profile"), &err));
    return db;
}

struct seen {
    int64_t rows, last_id, stop_at;
    bool ordered;
};

static bool row_see(void *context, const uint8_t *row, size_t length, struct err *err)
{
    struct seen *seen = context;
    int64_t id = (int64_t)be_get(row + VALUE_AT, 8);
    assert_true(length > VALUE_AT + 8);
    seen->ordered = seen->ordered && id > seen->last_id;
    seen->last_id = id;
    return ++seen->rows != seen->stop_at || err_set(err, ERR_LIMIT, "enough");
}

static void hands_over_every_row_in_order(void **state)
{
    (void)state;
    struct err err = {0};
    struct seen seen = {.ordered = true};
    const struct row_sink sink = {row_see, &seen};
    scoped_db *db = range_open(INT64_MIN, INT64_MAX);
    for (int round = 1; round <= 2; round++) {
        seen.last_id = INT64_MIN;
        if (!query_copy_out(db, Q_content_track, &sink, &err))
            fail_msg("%s", err.text);
        assert_int_equal(seen.rows, round * PROJECTS);
        assert_true(seen.ordered);
    }
}

static void hands_over_nothing_when_there_is_nothing(void **state)
{
    (void)state;
    struct err err = {0};
    struct seen seen = {0};
    const struct row_sink sink = {row_see, &seen};
    scoped_db *db = range_open(-5, -1);
    assert_true(query_copy_out(db, Q_content_track, &sink, &err));
    assert_int_equal(seen.rows, 0);
}

static void ends_early_and_leaves_the_connection_usable(void **state)
{
    (void)state;
    static const int64_t stops[] = {1, 2, PROJECTS};
    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) {
        struct err err = {0};
        struct seen seen = {.stop_at = stops[i]};
        const struct row_sink sink = {row_see, &seen};
        scoped_db *db = range_open(INT64_MIN, INT64_MAX);
        assert_false(query_copy_out(db, Q_content_track, &sink, &err));
        assert_string_equal(err.text, "enough");
        assert_int_equal(seen.rows, stops[i]);
        db_rollback(db);
        assert_true(db_begin(db, &err));
        db_rollback(db);
    }
}

/* Without its range the statement fails on the server before the first row. */
static void says_what_the_server_says(void **state)
{
    (void)state;
    struct err err = {0};
    struct seen seen = {0};
    const struct row_sink sink = {row_see, &seen};
    scoped_db *db = ledger_open(database.app);
    assert_false(query_copy_out(db, Q_content_track, &sink, &err));
    assert_non_null(strstr(err.text, "stepledger.first"));
    assert_true(db_begin(db, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hands_over_every_row_in_order),
        cmocka_unit_test(hands_over_nothing_when_there_is_nothing),
        cmocka_unit_test(ends_early_and_leaves_the_connection_usable),
        cmocka_unit_test(says_what_the_server_says),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
