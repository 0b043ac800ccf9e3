/* What the service leaves in the database: workers, regular tasks, and all of it in numbers. */
#include "history/lease/queue_admin.h"
#include "history/lease/service.h"
#include "tests/support/cluster.h"
#include "tests/support/ledger_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { HOUR_MS = 3600000, SCHEDULERS = 5 };

static struct test_database database;
static struct db *db;
static struct arena arena;

static int set_up(void **state)
{
    (void)state;
    test_database_make(&database);
    db = ledger_open(database.app);
    arena_init(&arena, 64 << 20);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    db_close(db);
    arena_done(&arena);
    return 0;
}

static bool is_mine(struct db *own, const char *task)
{
    bool mine;
    struct err err = {0};
    if (!schedule_claim(own, task, HOUR_MS, &mine, &err))
        fail_msg("%s", err.text);
    return mine;
}

static void gives_a_task_to_one_of_many_schedulers(void **state)
{
    (void)state;
    int given = 0;
    pid_t schedulers[SCHEDULERS];
    for (int i = 0; i < SCHEDULERS; i++) {
        schedulers[i] = fork();
        if (schedulers[i] == 0)
            _exit(is_mine(ledger_open(database.app), "race"));
    }
    for (int i = 0; i < SCHEDULERS; i++) {
        int status;
        assert_int_equal(waitpid(schedulers[i], &status, 0), schedulers[i]);
        given += WEXITSTATUS(status);
    }
    assert_int_equal(given, 1);
}

static void gives_a_task_again_when_its_time_has_come(void **state)
{
    (void)state;
    assert_true(is_mine(db, "hourly"));
    assert_false(is_mine(db, "hourly"));
    sql_do(database.admin, "UPDATE schedules SET last_run_at = now() - interval '61 minutes'");
    assert_true(is_mine(db, "hourly"));
    assert_false(is_mine(db, "hourly"));
}

static void begun_ago(void)
{
    sql_do(database.admin, "UPDATE schedules SET last_run_at = now() - interval '16 minutes', "
                           "ended_at = ended_at - interval '15 minutes'");
}

/* A killed scheduler, a server that was away: a weekly verification must not wait for a week. */
static void gives_a_task_again_that_did_not_end(void **state)
{
    (void)state;
    struct err err = {0};
    assert_true(is_mine(db, "weekly"));
    assert_false(is_mine(db, "weekly"));
    begun_ago();
    assert_true(is_mine(db, "weekly"));
    assert_true(schedule_end(db, "weekly", "the server is away", false, &err));
    assert_false(is_mine(db, "weekly"));
    begun_ago();
    assert_true(is_mine(db, "weekly"));
    assert_true(schedule_end(db, "weekly", "three findings", true, &err));
    begun_ago();
    assert_false(is_mine(db, "weekly"));
    sql_do(database.admin, "DELETE FROM schedules WHERE name = 'weekly'");
}

static void tells_how_the_service_is(void **state)
{
    (void)state;
    static const struct profile_identity identity = {.project = "llm", .workload = "pretrain"};
    const struct worker_heartbeat heartbeat = {"host:7", "ingest", 4, 2};
    const struct queue_entry entry = {
        .identity = identity, .path = "/x", .options = "{}", .max_attempts = 1};
    struct service_status status;
    struct err err = {0};
    int64_t job;
    assert_true(service_status_read(db, &arena, &status, &err));
    assert_false(status.profile_id.set);
    assert_false(status.replica_lag_bytes.set);
    assert_int_equal(status.worker_count, 0);
    assert_int_equal(state_numbers_of(&status.queue, "aside")->count, 0);
    int64_t profile = ledger_append(db, &arena, &identity, 1).id;
    assert_true(queue_add(db, &entry, &job, &err));
    sql_do(database.admin, "UPDATE queue SET submitted_at = now() - interval '90 s'");
    assert_true(worker_seen(db, &heartbeat, &err));
    assert_true(schedule_end(db, "hourly", "no room", true, &err));
    assert_true(service_status_read(db, &arena, &status, &err));
    assert_int_equal(status.profile_id.value, profile);
    assert_int_equal(status.recent_profiles, 1);
    assert_true(status.database_bytes > 0);
    assert_int_equal(state_numbers_of(&status.queue, "ready")->count, 1);
    assert_in_range(state_numbers_of(&status.queue, "ready")->oldest_ms, 90000, 200000);
    assert_int_equal(state_numbers_of(&status.outbox, "pending")->count, 0);
    assert_int_equal(status.worker_count, 1);
    assert_string_equal(status.workers[0].name, "host:7");
    assert_int_equal(status.workers[0].busy, 2);
    assert_string_equal(status.failed_tasks, "hourly: no room");
    assert_true(worker_gone(db, "host:7", &err));
    assert_int_equal(sql_number(database.admin, "SELECT count(*) FROM workers"), 0);
}

/* It was verified when a verification came to its end, not when one was begun. */
static void tells_when_the_ledger_was_verified(void **state)
{
    (void)state;
    struct service_status status;
    struct err err = {0};
    assert_true(is_mine(db, "verify_all") && is_mine(db, "verify"));
    assert_true(schedule_end(db, "verify_all", "the server is away", false, &err));
    assert_true(service_status_read(db, &arena, &status, &err));
    assert_false(status.verified_all_ms.set);
    assert_false(status.verified_new_ms.set);
    assert_true(schedule_end(db, "verify_all", NULL, true, &err));
    assert_true(schedule_end(db, "verify", "two findings", true, &err));
    sql_do(database.admin, "UPDATE schedules SET ended_at = ended_at - interval '90 s' "
                           "WHERE name = 'verify_all'");
    assert_true(service_status_read(db, &arena, &status, &err));
    assert_true(status.verified_all_ms.set && status.verified_new_ms.set);
    assert_in_range(status.verified_all_ms.value, 90000, 200000);
    assert_in_range(status.verified_new_ms.value, 0, 80000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_a_task_to_one_of_many_schedulers),
        cmocka_unit_test(gives_a_task_again_when_its_time_has_come),
        cmocka_unit_test(gives_a_task_again_that_did_not_end),
        cmocka_unit_test(tells_how_the_service_is),
        cmocka_unit_test(tells_when_the_ledger_was_verified),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
