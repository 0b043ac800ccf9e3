/* The queue under force: many claim at once, leases run out, late results come back, jobs fail
 * until they are set aside. */
#include "history/lease/states.h"
#include "history/lease/service.h"
#include "tests/support/ledger_fixture.h"
#include "tests/support/queue_fixture.h"
#include "tests/support/state_moves.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { RACERS = 6, RACE_JOBS = 300 };

static struct state_moves moves = {
    .table = "queue", .names = queue_state_names, .count = QUEUE_STATE_COUNT};

static int set_up(void **state)
{
    struct queue_scene *scene = queue_scene_new();
    state_moves_watch(&moves, scene->database.admin);
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct queue_scene *scene = *state;
    state_moves_collect(&moves, scene->database.admin);
    queue_scene_free(scene);
    return 0;
}

static struct queue_job claim(struct queue_scene *scene, bool expected)
{
    bool found;
    struct queue_job job = queue_scene_claim(scene, &found);
    assert_int_equal(found, expected);
    return job;
}

static void leases_end(struct queue_scene *scene, int64_t expected)
{
    int64_t count;
    struct err err = {0};
    sql_do(scene->database.admin,
           "UPDATE queue SET lease_until = now() - interval '1 s' WHERE state = 'running'");
    assert_true(queue_reap(scene->db, &count, &err));
    assert_int_equal(count, expected);
}

static void hands_out_what_was_submitted(void **state)
{
    struct queue_scene *scene = *state;
    struct err err = {0};
    struct queue_file *loaded;
    size_t count;
    int64_t id = queue_scene_add_one(scene);
    struct queue_job job = claim(scene, true);
    assert_int_equal(job.id, id);
    assert_string_equal(job.identity.project, "llm");
    assert_string_equal(job.identity.workload, "pretrain");
    assert_string_equal(job.identity.branch, "main");
    assert_string_equal(job.identity.run, "run-7");
    assert_null(job.identity.commit);
    assert_null(job.identity.label);
    assert_string_equal(job.path, "/runs/1");
    assert_string_equal(job.options, "{}");
    assert_int_equal(job.attempt, 1);
    assert_int_equal(job.max_attempts, 3);
    assert_true(job.has_bytes);
    assert_true(queue_files_load(scene->db, id, &scene->arena, &loaded, &count, &err));
    assert_int_equal(count, 2);
    assert_string_equal(loaded[0].path, queue_fixture_files[0].path);
    assert_null(loaded[0].bytes);
    assert_int_equal(loaded[1].length, 3);
    assert_memory_equal(loaded[1].bytes, "a\0b", 3);
    assert_int_equal(loaded[0].part, FILE_HOST);
    assert_int_equal(loaded[1].part, FILE_MEMORY);
    claim(scene, false);
}

/* The server's clock was five years ahead, and is right again. */
static void takes_back_what_lies_years_ahead(void **state)
{
    struct queue_scene *scene = *state;
    struct err err = {0};
    struct service_status status;
    int64_t count;
    queue_scene_add_one(scene);
    claim(scene, true);
    sql_do(scene->database.admin, "UPDATE queue SET lease_until = now() + interval '5 years'");
    assert_true(queue_reap(scene->db, &count, &err));
    assert_int_equal(count, 1);
    sql_do(scene->database.admin, "UPDATE queue SET not_before = now() + interval '5 years', "
                                  "submitted_at = now() + interval '5 years'");
    sql_do(scene->database.admin, "INSERT INTO workers (name, kind, slots, busy, seen_at) VALUES "
                                  "('dead:1', 'ingest', 1, 1, now() + interval '5 years')");
    claim(scene, false);
    if (!service_status_read(scene->db, &scene->arena, &status, &err))
        fail_msg("%s", err.text);
    assert_int_equal(status.queue.items[0].oldest_ms, 0);
    assert_int_equal(status.worker_count, 0);
    assert_true(queue_reap(scene->db, &count, &err));
    assert_int_equal(count, 0);
    assert_int_equal(claim(scene, true).attempt, 2);
}

static void refuses_a_name_that_cannot_be_one(void **state)
{
    struct queue_scene *scene = *state;
    struct err err = {0};
    int64_t id;
    struct queue_entry entry = queue_entry_make(NULL);
    entry.identity.project = "a\nb";
    assert_false(queue_add(scene->db, &entry, &id, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_int_equal(queue_scene_number(scene, "SELECT count(*) FROM queue"), 0);
}

static void takes_the_same_files_once(void **state)
{
    struct queue_scene *scene = *state;
    const struct queue_entry entry = queue_entry_make("the same"),
                             other = queue_entry_make("another");
    assert_true(queue_scene_add(scene, &entry) > 0);
    assert_int_equal(queue_scene_add(scene, &entry), 0);
    assert_true(queue_scene_add(scene, &other) > 0);
    assert_int_equal(queue_scene_number(scene, "SELECT count(*) FROM queue_files"), 4);
}

static void does_not_wait_for_one_who_claims(void **state)
{
    struct queue_scene *scene = *state;
    struct err err = {0};
    struct db *other = ledger_open(scene->database.app);
    struct queue_job job;
    const struct queue_lease lease = {"host:2", QUEUE_LEASE_MS};
    bool found;
    queue_scene_add_one(scene);
    int64_t second = queue_scene_add_one(scene);
    assert_true(db_begin(scene->db, &err));
    claim(scene, true); /* not committed */
    assert_true(queue_claim(other, &lease, &scene->arena, &job, &found, &err));
    assert_true(found);
    assert_int_equal(job.id, second);
    db_rollback(scene->db);
    db_close(other);
}

/* In a child: claims until nothing is left; the number of jobs it got is in the table. */
_Noreturn static void racer_run(const char *conninfo, int racer)
{
    char name[16];
    struct err err = {0};
    struct arena arena;
    struct queue_job job;
    bool found = true, fine = true;
    arena_init(&arena, 64 << 20);
    (void)snprintf(name, sizeof name, "racer:%d", racer);
    const struct queue_lease lease = {name, QUEUE_LEASE_MS};
    struct db *db = ledger_open(conninfo);
    while (fine && found)
        fine = queue_claim(db, &lease, &arena, &job, &found, &err);
    if (!fine)
        (void)fprintf(stderr, "%s\n", err.text);
    _exit(fine ? 0 : 1);
}

static void gives_each_job_to_one_of_many_workers(void **state)
{
    struct queue_scene *scene = *state;
    pid_t racers[RACERS];
    for (int i = 0; i < RACE_JOBS; i++)
        queue_scene_add_one(scene);
    for (int i = 0; i < RACERS; i++) {
        racers[i] = fork();
        if (racers[i] == 0)
            racer_run(scene->database.app, i);
    }
    for (int i = 0; i < RACERS; i++) {
        int status;
        assert_int_equal(waitpid(racers[i], &status, 0), racers[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(queue_scene_number(
                         scene, "SELECT count(*) FROM queue WHERE state = 'running' AND fence = 1"),
                     RACE_JOBS);
    assert_true(queue_scene_number(scene, "SELECT count(DISTINCT worker) FROM queue") > 1);
    assert_int_equal(queue_scene_number(scene, "SELECT count(*) FROM moves"), RACE_JOBS);
}

static void stores_the_profile_and_ends_the_job(void **state)
{
    struct queue_scene *scene = *state;
    struct err err;
    struct profile_receipt receipt, again;
    queue_scene_add_one(scene);
    queue_scene_add_one(scene);
    struct queue_job job = claim(scene, true);
    assert_true(queue_scene_store(scene, &job, 1, &receipt, &err));
    assert_false(receipt.duplicate);
    assert_int_equal(queue_scene_number(scene, "SELECT profile_id FROM queue WHERE state = 'done'"),
                     receipt.id);
    assert_int_equal(
        queue_scene_number(scene, "SELECT count(*) FROM queue_files WHERE body IS NOT NULL"), 1);
    job = claim(scene, true);
    assert_true(queue_scene_store(scene, &job, 1, &again, &err));
    assert_true(again.duplicate);
    assert_int_equal(again.id, receipt.id);
    assert_int_equal(queue_scene_number(scene, "SELECT count(*) FROM profiles"), 1);
    assert_int_equal(
        queue_scene_number(scene, "SELECT count(*) FROM queue_files WHERE body IS NOT NULL"), 0);
}

static void refuses_the_late_result_of_a_lost_lease(void **state)
{
    struct queue_scene *scene = *state;
    struct err err;
    struct profile_receipt receipt;
    bool held, aside;
    const struct queue_failure failure = {QUEUE_RETRY, "crash", "late", 0};
    queue_scene_add_one(scene);
    struct queue_job slow = claim(scene, true);
    assert_true(queue_heartbeat(scene->db, &slow, &held, &err));
    assert_true(held);
    leases_end(scene, 1);
    assert_true(queue_heartbeat(scene->db, &slow, &held, &err));
    assert_false(held);
    assert_false(queue_scene_store(scene, &slow, 1, &receipt, &err));
    assert_int_equal(err.kind, ERR_CONFLICT);
    assert_int_equal(queue_scene_number(scene, "SELECT count(*) FROM profiles"), 0);
    struct queue_job second = claim(scene, true);
    assert_int_equal(second.id, slow.id);
    assert_true(second.fence > slow.fence);
    assert_false(queue_scene_store(scene, &slow, 1, &receipt, &err));
    assert_false(queue_fail(scene->db, &slow, &failure, &aside, &err));
    assert_int_equal(err.kind, ERR_CONFLICT);
    assert_int_equal(queue_scene_number(scene, "SELECT count(*) FROM profiles"), 0);
    assert_true(queue_scene_store(scene, &second, 1, &receipt, &err));
    assert_false(queue_scene_store(scene, &second, 2, &receipt, &err));
    assert_int_equal(queue_scene_number(scene, "SELECT count(*) FROM profiles"), 1);
}

static void tries_again_until_the_attempts_are_used_up(void **state)
{
    struct queue_scene *scene = *state;
    queue_scene_add_one(scene);
    for (int attempt = 1; attempt <= 3; attempt++) {
        struct queue_job job = claim(scene, true);
        assert_int_equal(job.attempt, attempt);
        assert_int_equal(queue_scene_fail(scene, &job, QUEUE_RETRY), attempt == 3);
    }
    claim(scene, false);
    assert_int_equal(
        queue_scene_number(scene, "SELECT count(*) FROM queue WHERE state = 'aside' AND "
                                  "failure = 'killed by signal 11' AND failure_kind = 'crash'"),
        1);
}

static void waits_before_it_tries_again(void **state)
{
    struct queue_scene *scene = *state;
    struct err err = {0};
    bool aside;
    const struct queue_failure failure = {QUEUE_RETRY, "missing", "not there", 3600000};
    queue_scene_add_one(scene);
    struct queue_job job = claim(scene, true);
    assert_true(queue_fail(scene->db, &job, &failure, &aside, &err));
    claim(scene, false);
    sql_do(scene->database.admin, "UPDATE queue SET not_before = now()");
    claim(scene, true);
}

static void records_a_reason_that_is_no_text(void **state)
{
    struct queue_scene *scene = *state;
    struct err err = {0};
    bool aside;
    const struct queue_failure failure = {QUEUE_SET_ASIDE, "input", "op '\xff' cut in \xc3", 0};
    queue_scene_add_one(scene);
    struct queue_job job = claim(scene, true);
    if (!queue_fail(scene->db, &job, &failure, &aside, &err))
        fail_msg("%s", err.text);
    char *said = sql_text(scene->database.admin, "SELECT failure FROM queue");
    assert_string_equal(said, "op '\xef\xbf\xbd' cut in \xef\xbf\xbd");
    free(said);
}

static void sets_bad_input_aside_at_once_and_others_go_on(void **state)
{
    struct queue_scene *scene = *state;
    queue_scene_add_one(scene);
    int64_t good = queue_scene_add_one(scene);
    struct queue_job bad = claim(scene, true);
    assert_true(queue_scene_fail(scene, &bad, QUEUE_SET_ASIDE));
    assert_int_equal(claim(scene, true).id, good);
}

static void does_not_count_an_attempt_that_was_given_back(void **state)
{
    struct queue_scene *scene = *state;
    queue_scene_add_one(scene);
    for (int i = 0; i < 5; i++) {
        struct queue_job job = claim(scene, true);
        assert_int_equal(job.attempt, 1);
        assert_int_equal(job.fence, i + 1);
        assert_false(queue_scene_fail(scene, &job, QUEUE_RELEASE));
    }
}

static void counts_the_lease_of_a_worker_that_is_gone(void **state)
{
    struct queue_scene *scene = *state;
    queue_scene_add_one(scene);
    for (int attempt = 1; attempt <= 3; attempt++) {
        assert_int_equal(claim(scene, true).attempt, attempt);
        leases_end(scene, 1);
    }
    leases_end(scene, 0);
    claim(scene, false);
    assert_int_equal(queue_scene_number(scene,
                                        "SELECT count(*) FROM queue WHERE state = 'aside' AND "
                                        "failure LIKE 'worker host:1 was gone%'"),
                     1);
}

static void retries_and_drops_by_hand(void **state)
{
    struct queue_scene *scene = *state;
    struct err err = {0};
    struct queue_ids ids;
    const struct queue_selection all = {NULL, 0};
    int64_t first = queue_scene_add_one(scene);
    struct queue_job job = claim(scene, true);
    const struct queue_selection one = {&first, 1};
    assert_true(queue_drop(scene->db, &one, &scene->arena, &ids, &err));
    assert_int_equal(ids.count, 0); /* somebody works on it */
    assert_true(queue_scene_fail(scene, &job, QUEUE_SET_ASIDE));
    assert_true(queue_retry(scene->db, &all, &scene->arena, &ids, &err));
    assert_int_equal(ids.count, 1);
    job = claim(scene, true);
    assert_int_equal(job.attempt, 1);
    assert_int_equal(job.fence, 2); /* the fence never goes back */
    assert_true(queue_scene_fail(scene, &job, QUEUE_SET_ASIDE));
    int64_t second = queue_scene_add_one(scene);
    assert_true(queue_drop(scene->db, &all, &scene->arena, &ids, &err));
    assert_int_equal(ids.count, 1);
    assert_int_equal(ids.items[0], first);
    const struct queue_selection ready = {&second, 1};
    assert_true(queue_drop(scene->db, &ready, &scene->arena, &ids, &err));
    assert_int_equal(ids.count, 1);
    claim(scene, false);
    assert_int_equal(
        queue_scene_number(scene, "SELECT count(*) FROM queue_files WHERE body IS NOT NULL"), 0);
}

static void shows_jobs_and_forgets_old_ones(void **state)
{
    struct queue_scene *scene = *state;
    struct err err;
    struct queue_page page;
    struct profile_receipt receipt;
    int64_t count;
    queue_scene_add_one(scene);
    queue_scene_add_one(scene);
    struct queue_job job = claim(scene, true);
    assert_true(queue_scene_store(scene, &job, 1, &receipt, &err));
    assert_true(queue_list(scene->db, NULL, 10, &scene->arena, &page, &err));
    assert_int_equal(page.count, 2);
    assert_string_equal(page.items[0].state, "ready");
    assert_null(page.items[0].finished_at_utc);
    assert_int_equal(page.items[1].profile_id, receipt.id);
    assert_non_null(page.items[1].finished_at_utc);
    assert_true(queue_list(scene->db, "aside", 10, &scene->arena, &page, &err));
    assert_int_equal(page.count, 0);
    assert_true(queue_forget(scene->db, 3600000, &count, &err));
    assert_int_equal(count, 0);
    assert_true(queue_forget(scene->db, 0, &count, &err));
    assert_int_equal(count, 1);
    assert_int_equal(queue_scene_number(scene, "SELECT count(*) FROM queue_files"), 2);
}

static void wakes_who_listens(void **state)
{
    struct queue_scene *scene = *state;
    struct err err = {0};
    bool hinted;
    struct db *other = ledger_open(scene->database.app);
    assert_true(queue_listen(scene->db, &err));
    assert_true(queue_hints_take(scene->db, &hinted, &err));
    assert_false(hinted);
    assert_true(queue_hint(other, &err));
    struct pollfd wait = {.fd = queue_socket(scene->db), .events = POLLIN};
    assert_int_equal(poll(&wait, 1, 5000), 1);
    assert_true(queue_hints_take(scene->db, &hinted, &err));
    assert_true(hinted);
    db_close(other);
}

/* Any login can fill the queue of hints of its server: 8 GiB. */
static void needs_no_hint_where_they_do_not_get_through(void **state)
{
    static const char refusing[] =
        "SET allow_system_table_mods = on;"
        "CREATE OR REPLACE FUNCTION pg_catalog.pg_notify(text, text) RETURNS void LANGUAGE plpgsql "
        "AS $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '%s'; END $$";
    struct queue_scene *scene = *state;
    struct err err = {0};
    char text[sizeof refusing + 40];
    sql_do(scene->database.admin,
           "SET allow_system_table_mods = on;"
           "ALTER FUNCTION pg_catalog.pg_notify(text, text) RENAME TO pg_notify_of_the_server");
    (void)snprintf(text, sizeof text, refusing, "program_limit_exceeded");
    sql_do(scene->database.admin, text);
    assert_true(queue_hint(scene->db, &err));
    (void)snprintf(text, sizeof text, refusing, "insufficient_privilege");
    sql_do(scene->database.admin, text);
    assert_false(queue_hint(scene->db, &err));
}

/* Comes last: what the tests above made happen is what the table of states says, and nothing else.
 */
static void moves_as_the_table_of_states_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < queue_move_count; i++)
        moves.listed[queue_moves[i].from][queue_moves[i].to] = true;
    state_moves_check(&moves);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(takes_back_what_lies_years_ahead),
        CASE(hands_out_what_was_submitted),
        CASE(refuses_a_name_that_cannot_be_one),
        CASE(takes_the_same_files_once),
        CASE(does_not_wait_for_one_who_claims),
        CASE(gives_each_job_to_one_of_many_workers),
        CASE(stores_the_profile_and_ends_the_job),
        CASE(refuses_the_late_result_of_a_lost_lease),
        CASE(tries_again_until_the_attempts_are_used_up),
        CASE(waits_before_it_tries_again),
        CASE(records_a_reason_that_is_no_text),
        CASE(sets_bad_input_aside_at_once_and_others_go_on),
        CASE(does_not_count_an_attempt_that_was_given_back),
        CASE(counts_the_lease_of_a_worker_that_is_gone),
        CASE(retries_and_drops_by_hand),
        CASE(shows_jobs_and_forgets_old_ones),
        CASE(wakes_who_listens),
        CASE(needs_no_hint_where_they_do_not_get_through),
        cmocka_unit_test(moves_as_the_table_of_states_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
