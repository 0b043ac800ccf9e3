/* Candidates that wait to be judged: asked for by jobs and by hand, claimed once, judged again when
 * more of them came, ended together with their verdict or not at all. */
#include "history/lease/judgement.h"
#include "history/lease/states.h"
#include "history/verdicts/verdicts.h"
#include "tests/support/outbox_fixture.h"
#include "tests/support/queue_fixture.h"
#include "tests/support/state_moves.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { RACERS = 6, LONG_MS = 3600000, ATTEMPTS = 2 };

static struct state_moves moves = {
    .table = "judgements", .names = judgement_state_names, .count = JUDGEMENT_STATE_COUNT};
static const struct judgement_subject subject = {.project = "llm",
                                                 .workload = "pretrain",
                                                 .candidate = "abc123",
                                                 .branch = "fast",
                                                 .commit = "abc123"};

static int set_up(void **state)
{
    return state_moves_set_up(&moves, state);
}

static int tear_down(void **state)
{
    return state_moves_tear_down(&moves, state);
}

static void ask(struct scene *scene)
{
    int64_t id;
    struct err err = {0};
    if (!judgement_ask(scene->db, &subject, &id, &err))
        fail_msg("%s", err.text);
}

static struct judgement take_settled(struct scene *scene, int64_t settle_ms, bool expected)
{
    bool found;
    struct err err = {0};
    struct judgement judgement = {0};
    const struct judgement_lease lease = {"host:1", LONG_MS, settle_ms, ATTEMPTS};
    if (!judgement_claim(scene->db, &lease, &scene->arena, &judgement, &found, &err))
        fail_msg("%s", err.text);
    assert_int_equal(found, expected);
    return judgement;
}

static struct judgement take(struct scene *scene, bool expected)
{
    return take_settled(scene, 0, expected);
}

/* Records a verdict that ends the judgement. */
static bool judge(struct scene *scene, const struct judgement *judgement, struct err *err)
{
    struct verdict verdict = verdict_make();
    struct verdict_entry entry = {
        .verdict = &verdict, .document = "{\"status\": \"fail\"}", .judgement = judgement};
    return ledger_reserve_verdict(scene->db, &entry.id, err) &&
           ledger_append_verdict(scene->db, &entry, err);
}

static bool fail_as(struct scene *scene, const struct judgement *judgement,
                    enum queue_ending ending)
{
    bool aside;
    struct err err = {0};
    const struct queue_failure failure = {.ending = ending, .kind = "bug", .text = "no luck"};
    if (!judgement_fail(scene->db, judgement, &failure, &aside, &err))
        fail_msg("%s", err.text);
    return aside;
}

static int64_t number(const struct scene *scene, const char *text)
{
    return sql_number(scene->database.admin, text);
}

static void reap(const struct scene *scene, int64_t expected)
{
    int64_t count;
    struct err err = {0};
    assert_true(judgement_reap(scene->db, ATTEMPTS, &count, &err));
    assert_int_equal(count, expected);
}

static void lease_pass(const struct scene *scene)
{
    sql_do(scene->database.admin, "UPDATE judgements SET lease_until = now() - interval '1 s'");
    reap(scene, 1);
}

/* A job of the queue that is stored, with a judgement asked for. */
static void store(struct scene *scene, const char *commit, int trace)
{
    bool found;
    struct err err = {0};
    struct profile_receipt receipt;
    struct queue_scene queue = {scene->database, scene->db, scene->arena};
    struct queue_entry entry = queue_entry_make(NULL);
    entry.identity.commit = commit;
    entry.judge = true;
    (void)queue_scene_add(&queue, &entry);
    struct queue_job job = queue_scene_claim(&queue, &found);
    assert_true(found);
    if (!queue_scene_store(&queue, &job, trace, &receipt, &err))
        fail_msg("%s", err.text);
    scene->arena = queue.arena;
}

/* ---- */

static void asks_for_the_commit_of_what_a_job_stored(void **state)
{
    struct scene *scene = *state;
    store(scene, "c0ffee", 100);
    store(scene, "c0ffee", 101);
    store(scene, NULL, 102);
    take_settled(scene, LONG_MS, false); /* more of it may come */
    struct judgement first = take(scene, true);
    assert_string_equal(first.subject.candidate, "c0ffee");
    assert_string_equal(first.subject.commit, "c0ffee");
    assert_string_equal(first.subject.branch, "main");
    assert_string_equal(first.subject.project, "llm");
    assert_int_equal(first.asked, 2);
    struct judgement second = take(scene, true);
    assert_string_equal(second.subject.candidate, "p6");
    assert_null(second.subject.commit);
    take(scene, false);
}

static void ends_with_its_verdict(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct judgement_page page;
    ask(scene);
    struct judgement judgement = take(scene, true);
    if (!judge(scene, &judgement, &err))
        fail_msg("%s", err.text);
    assert_true(judgement_list(scene->db, "done", 10, &scene->arena, &page, &err));
    assert_int_equal(page.count, 1);
    assert_int_equal(page.items[0].verdict_id, number(scene, "SELECT max(id) FROM verdicts"));
    assert_string_equal(page.items[0].candidate, "abc123");
    assert_null(page.items[0].failure);
    take(scene, false);
}

/* The server's clock was five years ahead, and is right again. */
static void takes_back_what_lies_years_ahead(void **state)
{
    struct scene *scene = *state;
    ask(scene);
    take(scene, true);
    sql_do(scene->database.admin, "UPDATE judgements SET lease_until = now() + interval '5 years'");
    reap(scene, 1);
    sql_do(scene->database.admin, "UPDATE judgements SET asked_at = now() + interval '5 years', "
                                  "not_before = now() + interval '5 years'");
    take(scene, false);
    reap(scene, 0);
    assert_int_equal(take(scene, true).attempt, 2);
}

static void records_no_verdict_of_a_lost_lease(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    ask(scene);
    struct judgement late = take(scene, true);
    lease_pass(scene);
    struct judgement next = take(scene, true);
    assert_false(judge(scene, &late, &err));
    assert_int_equal(err.kind, ERR_CONFLICT);
    assert_int_equal(number(scene, "SELECT count(*) FROM verdicts"), 0);
    assert_true(judge(scene, &next, &err));
    assert_false(judge(scene, &next, &err)); /* nor a second one */
    assert_int_equal(number(scene, "SELECT count(*) FROM verdicts"), 1);
}

static void judges_again_when_more_came_meanwhile(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    store(scene, "c0ffee", 100);
    struct judgement judgement = take(scene, true);
    store(scene, "c0ffee", 101);
    take(scene, false); /* one at a time */
    assert_true(judge(scene, &judgement, &err));
    judgement = take(scene, true);
    assert_int_equal(judgement.attempt, 1);
    assert_true(judge(scene, &judgement, &err));
    take(scene, false);
    store(scene, "c0ffee", 102);
    judgement = take(scene, true);
    assert_true(judge(scene, &judgement, &err));
    assert_int_equal(number(scene, "SELECT count(*) FROM judgements WHERE verdict_id = "
                                   "(SELECT max(id) FROM verdicts)"),
                     1);
}

static void says_why_there_is_no_verdict(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct judgement_page page;
    const struct err why = {.kind = ERR_MISSING, .text = "there is no baseline"};
    ask(scene);
    struct judgement judgement = take(scene, true);
    assert_true(judgement_end_void(scene->db, &judgement, &why, &err));
    assert_true(judgement_list(scene->db, NULL, 10, &scene->arena, &page, &err));
    assert_string_equal(page.items[0].state, "done");
    assert_string_equal(page.items[0].failure, "there is no baseline");
    assert_int_equal(page.items[0].verdict_id, 0);
    assert_false(judgement_end_void(scene->db, &judgement, &why, &err));
    assert_int_equal(err.kind, ERR_CONFLICT);
}

static void sets_aside_what_cannot_be_judged(void **state)
{
    struct scene *scene = *state;
    ask(scene);
    struct judgement judgement = take(scene, true);
    assert_false(fail_as(scene, &judgement, QUEUE_RELEASE)); /* does not count */
    judgement = take(scene, true);
    assert_int_equal(judgement.attempt, 1);
    assert_false(fail_as(scene, &judgement, QUEUE_RETRY));
    judgement = take(scene, true);
    assert_int_equal(judgement.attempt, 2);
    assert_true(fail_as(scene, &judgement, QUEUE_RETRY));
    take(scene, false);
    ask(scene); /* by hand: all attempts again */
    judgement = take(scene, true);
    assert_int_equal(judgement.attempt, 1);
    assert_true(fail_as(scene, &judgement, QUEUE_SET_ASIDE));
    ask(scene);
    take(scene, true);
    lease_pass(scene);
    take(scene, true);
    lease_pass(scene); /* a worker that dies of it every time */
    take(scene, false);
    assert_int_equal(number(scene, "SELECT count(*) FROM judgements WHERE state = 'aside' AND "
                                   "failure LIKE 'worker host:1 was gone%attempt 2'"),
                     1);
}

static void gives_a_candidate_to_one_of_many_workers(void **state)
{
    struct scene *scene = *state;
    pid_t racers[RACERS];
    int given = 0;
    ask(scene);
    for (int i = 0; i < RACERS; i++) {
        racers[i] = fork();
        if (racers[i] == 0) {
            bool found = false;
            struct err err = {0};
            struct db *db = NULL;
            struct judgement judgement;
            const struct judgement_lease lease = {"host:1", LONG_MS, 0, ATTEMPTS};
            bool done = db_open(scene->database.app, &db, &err) &&
                        judgement_claim(db, &lease, &scene->arena, &judgement, &found, &err);
            _exit(done ? found : 100);
        }
    }
    for (int i = 0; i < RACERS; i++) {
        int status;
        assert_int_equal(waitpid(racers[i], &status, 0), racers[i]);
        assert_true(WIFEXITED(status));
        given += WEXITSTATUS(status);
    }
    assert_int_equal(given, 1);
}

static void forgets_what_was_judged_long_ago(void **state)
{
    struct scene *scene = *state;
    int64_t count;
    struct err err = {0};
    ask(scene);
    struct judgement judgement = take(scene, true);
    assert_true(judge(scene, &judgement, &err));
    assert_true(judgement_forget(scene->db, LONG_MS, &count, &err));
    assert_int_equal(count, 0);
    sql_do(scene->database.admin, "UPDATE judgements SET finished_at = now() - interval '2 hours'");
    assert_true(judgement_forget(scene->db, LONG_MS, &count, &err));
    assert_int_equal(count, 1);
}

/* Comes last. */
static void moves_as_the_table_of_states_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < judgement_move_count; i++)
        moves.listed[judgement_moves[i].from][judgement_moves[i].to] = true;
    state_moves_check(&moves);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(asks_for_the_commit_of_what_a_job_stored),
        CASE(ends_with_its_verdict),
        CASE(takes_back_what_lies_years_ahead),
        CASE(records_no_verdict_of_a_lost_lease),
        CASE(judges_again_when_more_came_meanwhile),
        CASE(says_why_there_is_no_verdict),
        CASE(sets_aside_what_cannot_be_judged),
        CASE(gives_a_candidate_to_one_of_many_workers),
        CASE(forgets_what_was_judged_long_ago),
        cmocka_unit_test(moves_as_the_table_of_states_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
