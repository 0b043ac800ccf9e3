/* Counters and times of work state are such that the server can reckon with them, whoever writes
 * them. */
#include "tests/support/ledger_fixture.h"
#include "tests/support/queue_fixture.h"
#include "tests/support/worker_logins.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct test_database database;
static char logins[LOGINS][CONNINFO_BYTES];

static int set_up(void **state)
{
    (void)state;
    worker_ledger_make(&database, logins);
    return 0;
}

struct attack {
    const char *statement, *sqlstate;
};

#define MESSAGE "INSERT INTO outbox (destination_id, order_key, dedupe_key, content_type, body, "

/* A counter at its end, a time without end: it would stop whoever claims, or asks how old it is. */
static void writes_no_work_out_of_bounds(void **state)
{
    static const struct attack of_compare[] = {
        {MESSAGE "expires_at) VALUES (1, 'o', 'd', 't', 'x', 'infinity')", "23514"},
        {MESSAGE "expires_at) VALUES (1, 'o', 'd', 't', 'x', '-infinity')", "23514"},
        {MESSAGE "not_before) VALUES (1, 'o', 'd', 't', 'x', '-infinity')", "23514"},
        {MESSAGE "attempt) VALUES (1, 'o', 'd', 't', 'x', 2147483647)", "42501"},
        {"INSERT INTO judgements (project, workload, candidate, fence) "
         "VALUES ('p', 'w', 'c', 9223372036854775807)",
         "42501"},
    };
    static const struct attack of_ingest[] = {
        {"UPDATE queue SET state = 'running', worker = 'w', lease_until = now(), "
         "fence = fence + 1, attempt = 2147483647",
         "23514"},
        {"UPDATE queue SET not_before = '-infinity'", "23514"},
        {"INSERT INTO judgements (project, workload, candidate, asked_at) "
         "VALUES ('p', 'w', 'c', 'infinity')",
         "42501"},
        {"INSERT INTO judgements (project, workload, candidate, asked_at) "
         "VALUES ('p', 'w', 'c', '0044-03-15 BC')",
         "23514"},
        {"INSERT INTO queue (project, workload, path, options, max_attempts, submitted_at) "
         "VALUES ('p', 'w', '/x', '{}', 1, '-infinity')",
         "42501"},
    };
    static const char *const of_anybody[] = {
        "UPDATE queue SET fence = 9223372036854775807",
        "UPDATE queue SET submitted_at = '-infinity'",
        "UPDATE outbox SET attempt = 2147483647",
        "UPDATE outbox SET created_at = '-infinity'",
        "UPDATE judgements SET asked = 9223372036854775807",
        "UPDATE judgements SET attempt = 2147483647",
        "UPDATE judgements SET finished_at = 'infinity', state = 'done'",
        "INSERT INTO workers (name,kind,slots,busy,seen_at) VALUES ('x','alert',1,0,'-infinity')",
    };
    struct queue_scene scene = {.database = database, .db = ledger_open(database.app)};
    (void)state;
    arena_init(&scene.arena, (size_t)1 << 20);
    (void)queue_scene_add_one(&scene);
    sql_do(database.admin, "INSERT INTO judgements (project, workload, candidate) "
                           "VALUES ('p', 'w', 'bounds')");
    for (size_t i = 0; i < sizeof of_compare / sizeof of_compare[0]; i++)
        is_refused(logins[LOGIN_COMPARE], of_compare[i].statement, of_compare[i].sqlstate);
    for (size_t i = 0; i < sizeof of_ingest / sizeof of_ingest[0]; i++)
        is_refused(logins[LOGIN_INGEST], of_ingest[i].statement, of_ingest[i].sqlstate);
    for (size_t i = 0; i < sizeof of_anybody / sizeof of_anybody[0]; i++)
        is_refused(database.admin, of_anybody[i], "23514");
    db_close(scene.db);
    arena_done(&scene.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_no_work_out_of_bounds),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
