/* The events of alerts: what the last of them still means, which alert they belong to, and that
 * what a person says and what a verdict does wait for each other. */
#include "history/alert/alert_response.h"
#include "history/verdicts/verdicts.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/json.h"
#include "tests/support/cluster.h"
#include "tests/support/ledger_fixture.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int set_up(void **state)
{
    *state = scene_open(2);
    return 0;
}

static const char *baseline_ids[] = {"p1"}, *candidate_ids[] = {"p2"};

static struct verdict verdict_make(enum verdict_status status, double slower_pct)
{
    struct verdict verdict = {
        .schema_version = "verdict.v1",
        .project = "llm",
        .workload = "pretrain",
        .series = "s1",
        .status = status,
        .baseline.profile_ids = {baseline_ids, 1},
        .candidate = {.profile_ids = {candidate_ids, 1}, .branch = "topic", .commit = "c1"},
    };
    verdict.baseline.step_median_us = some_f64(1000);
    verdict.candidate.step_median_us = some_f64(1000 * (1 + slower_pct / 100));
    return verdict;
}

/* Records a verdict; returns its id. */
static int64_t judge(struct scene *scene, enum verdict_status status, double slower_pct)
{
    struct err err = {0};
    struct verdict verdict = verdict_make(status, slower_pct);
    scoped_text document;
    text_init(&document, 1 << 20);
    verdict.statistics.estimate_pct = some_f64(slower_pct);
    scoped_json *root = verdict_to_json(&verdict);
    if (root == NULL)
        fail_msg("%s", err.text);
    json_print(root, JSON_STYLE_LINE, &document);
    struct verdict_entry entry = {.verdict = &verdict, .document = text_string(&document)};
    if (!ledger_reserve_verdict(scene->db, &entry.id, &err) ||
        !ledger_append_verdict(scene->db, &entry, &err))
        fail_msg("%s", err.text);
    return entry.id;
}

static struct alert_key key_make(void)
{
    const struct verdict verdict = verdict_make(VERDICT_FAIL, 4);
    return alert_key_of(&verdict);
}

static struct alert_change said(struct scene *scene, const struct alert_response *response)
{
    struct err err = {0};
    struct alert_change change = {0};
    const struct alert_key key = key_make();
    if (!db_begin(scene->db, &err) || !alert_respond(scene->db, &key, response, &change, &err) ||
        !db_commit(scene->db, &err))
        fail_msg("%s", err.text);
    return change;
}

static void story_is(const struct scene *scene, const char *expected)
{
    char *found = sql_text(scene->database.admin,
                           "SELECT string_agg(action, ' ' ORDER BY id) FROM alert_events");
    assert_string_equal(found, expected);
    free(found);
}

static void knows_what_was_acknowledged(void **state)
{
    struct scene *scene = *state;
    judge(scene, VERDICT_FAIL, 4);
    const struct alert_response response = {
        .action = ALERT_ACKNOWLEDGE, .reason = "on it", .by = "ann"};
    assert_int_equal(said(scene, &response).after, ALERT_ACKNOWLEDGED);
    judge(scene, VERDICT_FAIL, 4.5);
    judge(scene, VERDICT_FAIL, 6);
    said(scene, &response);
    judge(scene, VERDICT_FAIL, 6.5);
    story_is(scene, "regress acknowledge regress worsen acknowledge regress");
    char *by = sql_text(scene->database.admin,
                        "SELECT entry_author('alert', id, recorded_by) FROM alert_events "
                        "WHERE reason IS NOT NULL LIMIT 1");
    assert_string_equal(by, "ann as stepledger");
    free(by);
}

static void ends_a_silence_when_its_time_is_over(void **state)
{
    struct scene *scene = *state;
    judge(scene, VERDICT_FAIL, 4);
    const struct alert_response response = {
        .action = ALERT_SILENCE, .reason = "known", .silent_ms = 3600000};
    assert_int_equal(said(scene, &response).after, ALERT_SILENCED);
    judge(scene, VERDICT_FAIL, 4);
    sql_do(scene->database.admin,
           "SET session_replication_role = replica; UPDATE silences SET until = now()");
    judge(scene, VERDICT_FAIL, 4);
    story_is(scene, "regress silence regress reopen");
}

/* A loss of 4 % fails, and somebody accepts it. */
static void accept_loss(struct scene *scene)
{
    struct err err = {0};
    struct acceptance accepted;
    int64_t verdict_id = judge(scene, VERDICT_FAIL, 4);
    const struct acceptance_entry taken = {
        .verdict_id = verdict_id, .change_key = "commit c1", .reason = "agreed"};
    const struct alert_response response = {
        .action = ALERT_ACCEPT, .reason = "agreed", .verdict_id = verdict_id};
    assert_true(db_begin(scene->db, &err));
    assert_true(ledger_accept(scene->db, &taken, &scene->arena, &accepted, &err));
    assert_true(db_commit(scene->db, &err));
    assert_int_equal(said(scene, &response).after, ALERT_DISMISSED);
}

static void holds_an_acceptance_to_its_change(void **state)
{
    struct scene *scene = *state;
    accept_loss(scene);
    judge(scene, VERDICT_FAIL, 4); /* the same change: nothing happens */
    judge(scene, VERDICT_FAIL, 5); /* and a point more is not worth a word */
    story_is(scene, "regress accept");
    sql_do(scene->database.admin, "ALTER TABLE acceptances DISABLE TRIGGER USER; "
                                  "UPDATE acceptances SET change_key = 'commit c0'");
    judge(scene, VERDICT_FAIL, 4); /* another one now */
    story_is(scene, "regress accept reopen");
}

static void holds_an_acceptance_to_what_was_accepted(void **state)
{
    struct scene *scene = *state;
    accept_loss(scene);
    judge(scene, VERDICT_FAIL, 12);
    story_is(scene, "regress accept reopen");
}

static void keeps_apart_what_is_of_another_series(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct alert_change change;
    struct verdict verdict = verdict_make(VERDICT_PASS, 0);
    verdict.series = "s2";
    judge(scene, VERDICT_FAIL, 4);
    assert_true(db_begin(scene->db, &err));
    assert_true(alert_decide(scene->db, &verdict, &scene->arena, &change, &err));
    assert_false(change.moves);
    verdict.series = "s1";
    assert_true(alert_decide(scene->db, &verdict, &scene->arena, &change, &err));
    assert_int_equal(change.after, ALERT_RESOLVED);
    db_rollback(scene->db);
}

/* A gate in a thread of its own. */
struct gate {
    struct db *db;
    struct arena *arena;
    struct alert_change change;
    bool decided;
};

static void *gate_run(void *user)
{
    struct gate *gate = user;
    const struct verdict verdict = verdict_make(VERDICT_FAIL, 4);
    gate->decided = db_begin(gate->db, NULL) &&
                    alert_decide(gate->db, &verdict, gate->arena, &gate->change, NULL);
    db_rollback(gate->db);
    return NULL;
}

static bool somebody_waits(const struct scene *scene)
{
    for (int i = 0; i < 1000; i++) {
        if (sql_number(scene->database.admin, "SELECT count(*) FROM pg_locks WHERE NOT granted") >
            0)
            return true;
        clock_sleep_ms(10);
    }
    return false;
}

/* A gate that is under way while a person decides must not judge by what was before. */
static void makes_verdicts_and_people_wait_for_each_other(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    pthread_t thread;
    struct alert_change change;
    const struct alert_key key = key_make();
    const struct alert_response response = {.action = ALERT_DISMISS, .reason = "none"};
    struct gate gate = {.db = ledger_open(scene->database.app), .arena = &scene->arena};
    judge(scene, VERDICT_FAIL, 4);
    assert_true(db_begin(scene->db, &err));
    assert_true(alert_respond(scene->db, &key, &response, &change, &err));
    assert_int_equal(pthread_create(&thread, NULL, gate_run, &gate), 0);
    bool waits = somebody_waits(scene);
    assert_true(db_commit(scene->db, &err));
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(waits);
    assert_true(gate.decided);
    assert_int_equal(gate.change.before.state, ALERT_DISMISSED);
    db_close(gate.db);
}

static void lists_alerts_with_who_decided_what(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct alert_page page;
    struct alert_query query = {.limit = 10};
    judge(scene, VERDICT_FAIL, 4);
    judge(scene, VERDICT_PASS, 0);
    assert_true(alert_list(scene->db, &query, &scene->arena, &page, &err));
    assert_int_equal(page.count, 0);
    int64_t back = judge(scene, VERDICT_FAIL, 4);
    const struct alert_response response = {
        .action = ALERT_SILENCE, .reason = "known", .by = "ann", .silent_ms = 3600000};
    said(scene, &response);
    int64_t last = judge(scene, VERDICT_FAIL, 4);
    assert_true(alert_list(scene->db, &query, &scene->arena, &page, &err));
    assert_int_equal(page.count, 1);
    const struct alert_row *row = &page.items[0];
    assert_string_equal(row->state, "silenced");
    assert_string_equal(row->key.branch, "topic");
    assert_string_equal(row->key.series, "s1");
    assert_int_equal(row->since_verdict_id.value, back);
    assert_int_equal(row->verdict_id, last);
    assert_string_equal(row->reason, "known");
    assert_non_null(row->until_utc);
    struct alert_key key;
    assert_true(alert_find(scene->db, row->id, &scene->arena, &key, &err));
    assert_string_equal(key.workload, "pretrain");
    query.project = "other";
    assert_true(alert_list(scene->db, &query, &scene->arena, &page, &err));
    assert_int_equal(page.count, 0);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, scene_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(knows_what_was_acknowledged),
        CASE(ends_a_silence_when_its_time_is_over),
        CASE(holds_an_acceptance_to_its_change),
        CASE(holds_an_acceptance_to_what_was_accepted),
        CASE(keeps_apart_what_is_of_another_series),
        CASE(makes_verdicts_and_people_wait_for_each_other),
        CASE(lists_alerts_with_who_decided_what),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
