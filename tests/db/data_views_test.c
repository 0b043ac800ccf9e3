/* The views for dashboards: each is there under its name, says what it is, shows something, and may
 * be read by who may only read. */
#include "tests/support/integrity_fixture.h"

#include "history/migrate/migrate.h"
#include "ops/flow/reports/reports.h"
#include "ops/flow/trends/trends.h"
#include "schema/documents/measures.h"
#include "tests/support/cluster.h"
#include "tests/support/ledger_fixture.h"
#include "tests/support/year_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DAYS = 30, BUDGET_BYTES = 64 << 20, TEXT_BYTES = 1000 };

static const char *const views[] = {"data_runs",     "data_measures", "data_changes",
                                    "data_verdicts", "data_alerts",   "data_reports"};
enum { VIEW_COUNT = sizeof views / sizeof *views };

static struct test_database database;

/* Verdicts and alerts of the fixture; runs that became slower, and a report of them. */
static int set_up(void **state)
{
    (void)state;
    struct err err = {0};
    struct arena arena;
    struct trend_report report;
    bool is_new;
    struct conf conf;
    struct trends_marked marked;
    const struct year_change change = {15, "fusion.1", 900};
    const struct year_plan plan = {.project = "year",
                                   .workload = "w",
                                   .days = DAYS,
                                   .sd = .004,
                                   .changes = &change,
                                   .change_count = 1,
                                   .captured_before = 3,
                                   .seed = 3};
    const struct report_request request = {.name = "monthly",
                                           .project = "year",
                                           .branch = "main",
                                           .measure = "steady_step_median",
                                           .since_us = YEAR_FIRST_US,
                                           .until_us = YEAR_FIRST_US + DAYS * YEAR_DAY_US,
                                           .made_us = YEAR_FIRST_US + DAYS * YEAR_DAY_US};
    arena_init(&arena, BUDGET_BYTES);
    test_database_make(&database);
    integrity_fill(&database);
    struct db *db = ledger_open(database.app);
    year_append(db, &arena, &plan);
    if (!conf_load(&conf, &arena, NULL, &err) || !trends_mark(db, &conf, &marked, &err))
        fail_msg("%s", err.text);
    if (!report_make(db, &request, &arena, &report, &err) || !db_begin(db, &err) ||
        !report_record_within(db, &report, &arena, &is_new, &err) || !db_commit(db, &err))
        fail_msg("%s", err.text);
    db_close(db);
    arena_done(&arena);
    return 0;
}

/* The number that the SQL gives, in which the view stands between these two. */
static int64_t number(const char *before, const char *view, const char *after)
{
    char text[TEXT_BYTES];
    (void)snprintf(text, sizeof text, "%s%s%s", before, view, after);
    return sql_number(database.admin, text);
}

static void shows_something_to_who_may_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < VIEW_COUNT; i++) {
        print_message("# %s\n", views[i]);
        int64_t rows =
            number("SET ROLE stepledger_read; SELECT count(*) FROM stepledger.", views[i], "");
        assert_true(rows > 0);
        assert_int_equal(number("SELECT count(*) FROM pg_attribute WHERE attrelid = 'stepledger.",
                                views[i],
                                "'::regclass AND attname = 'time' AND atttypid = "
                                "'timestamptz'::regtype"),
                         1);
        assert_int_equal(number("SELECT (obj_description('stepledger.", views[i],
                                "'::regclass) IS NOT NULL)::int"),
                         1);
        assert_int_equal(number("SELECT has_table_privilege('stepledger', 'stepledger.", views[i],
                                "', 'INSERT, UPDATE, DELETE')::int"),
                         0);
    }
    assert_int_equal(number("SELECT count(*) FROM information_schema.views WHERE table_schema = "
                            "'stepledger' AND table_name LIKE '",
                            "data\\_%", "'"),
                     VIEW_COUNT);
}

static void tells_runs_with_their_step_time(void **state)
{
    (void)state;
    static const char of[] = "FROM stepledger.data_runs WHERE project = 'year' AND workload = 'w'";
    char text[TEXT_BYTES];
    (void)snprintf(text, sizeof text, "SELECT count(*) %s AND step_time_us BETWEEN 9500 AND 11500",
                   of);
    assert_int_equal(sql_number(database.app, text), DAYS);
    (void)snprintf(text, sizeof text,
                   "SELECT count(*) %s AND branch = 'main' AND length(commit) = 40 AND "
                   "profiles = 1 AND run LIKE 'day-%%' AND extract(year FROM \"time\") = 2025",
                   of);
    assert_int_equal(sql_number(database.app, text), DAYS);
    assert_int_equal(sql_number(database.app,
                                "SELECT losses FROM stepledger.data_reports WHERE name = "
                                "'monthly' AND project = 'year' AND document ->> "
                                "'schema_version' = 'trend_report.v1'"),
                     1);
}

/* The year's runs were captured three days before they were recorded. */
static void dates_a_change_by_when_it_ran(void **state)
{
    (void)state;
    assert_int_equal(sql_number(database.app,
                                "SELECT count(*) FROM stepledger.data_changes WHERE project = "
                                "'year' AND ran_at = \"time\" - interval '3 days'"),
                     1);
}

/* Of rows of before the check (0226) only those that pass it. */
static void reads_the_documents_that_may_be_stored(void **state)
{
    (void)state;
    static const struct {
        const char *document;
        bool is_read;
    } cases[] = {
        {"'{\"a\": \"b\", \"n\": 1.5e300}'", true},
        {"'{\"a\": ' || repeat('[', 99) || repeat(']', 99) || '}'", true},
        {"'{\"a\": ' || repeat('[', 99) || '1' || repeat(']', 99) || '}'", true},
        {"'{\"a\": ' || repeat('[', 100) || repeat(']', 100) || '}'", false},
        {"'{\"a\": ' || repeat('{\"a\":', 100) || '1' || repeat('}', 100) || '}'", false},
        {"'{\"a\": \"' || repeat('[', 200) || '\"}'", true},
        {"'{\"a\": \"\\u0000\"}'", false},
        {"'{\"a\": \"\\ud800\"}'", false},
        {"'[]'", false},
        {"'1'", false},
        {"'{'", false},
        {"''", false},
        {"NULL", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        print_message("# %s\n", cases[i].document);
        assert_int_equal(
            number("SELECT (stepledger.document_json(", cases[i].document, ") IS NOT NULL)::int"),
            cases[i].is_read);
    }
}

static void names_each_measure(void **state)
{
    (void)state;
    for (int i = MEASURE_FIRST; i < MEASURE_END; i++) {
        char text[TEXT_BYTES];
        (void)snprintf(text, sizeof text, "SELECT stepledger.measure_name(%d)", i);
        char *name = sql_text(database.app, text);
        if (strcmp(name, measure_rows[i].name) != 0)
            fail_msg(
                "measure %d is %s, and '%s' in measure_name(): a new measure needs a migration "
                "that makes it again",
                i, measure_rows[i].name, name);
        free(name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_something_to_who_may_read),
        cmocka_unit_test(tells_runs_with_their_step_time),
        cmocka_unit_test(dates_a_change_by_when_it_ran),
        cmocka_unit_test(reads_the_documents_that_may_be_stored),
        cmocka_unit_test(names_each_measure),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
