/* The server's clock was five years ahead for a while, and is right again: nothing that was written
 * meanwhile waits, or keeps quiet, until then; no age is negative; nothing of it is recent. */
#include "history/alert/alert_change.h"
#include "history/alert/alert_response.h"
#include "history/lease/destinations.h"
#include "history/lease/outbox_admin.h"
#include "history/lease/outbox_enqueue.h"
#include "history/lease/service.h"
#include "history/reading/health.h"
#include "history/verify/checkpoints.h"
#include "tests/support/ledger_fixture.h"
#include "tests/support/outbox_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { HOUR_MS = 3600000, DAY_MS = 24 * HOUR_MS };

static int set_up(void **state)
{
    *state = scene_open(3);
    return 0;
}

/* What is in the work state and in the ledger was written by a clock that was ahead. */
static void was_ahead(struct scene *scene)
{
    sql_do(scene->database.admin,
           "SET session_replication_role = replica; "
           "UPDATE outbox SET created_at = created_at + interval '5 years', "
           "not_before = not_before + interval '5 years', "
           "expires_at = expires_at + interval '5 years', "
           "lease_until = lease_until + interval '5 years', "
           "finished_at = finished_at + interval '5 years'; "
           "UPDATE destinations SET not_before = not_before + interval '5 years', "
           "failing_since = failing_since + interval '5 years', "
           "disabled_until = disabled_until + interval '5 years'; "
           "UPDATE alert_threads SET changed_at = changed_at + interval '5 years'; "
           "UPDATE schedules SET last_run_at = last_run_at + interval '5 years'; "
           "UPDATE silences SET until = until + interval '5 years', "
           "recorded_at = recorded_at + interval '5 years'; "
           "UPDATE deliveries SET recorded_at = recorded_at + interval '5 years'; "
           "UPDATE alert_events SET recorded_at = recorded_at + interval '5 years'; "
           "UPDATE checkpoints SET recorded_at = recorded_at + interval '5 years'; "
           "UPDATE profiles SET recorded_at = recorded_at + interval '5 years'");
}

static void reap(struct scene *scene, int64_t wanted)
{
    int64_t count;
    struct err err = {0};
    if (!outbox_reap(scene->db, &count, &err))
        fail_msg("%s", err.text);
    assert_int_equal(count, wanted);
}

static void sends_what_waits_and_takes_back_what_was_lost(void **state)
{
    struct scene *scene = *state;
    const struct outbox_message messages[] = {message_make("ci", "a", "1"),
                                              message_make("ci", "b", "2")};
    tell(scene, messages, 2);
    (void)claim(scene, true);
    was_ahead(scene);
    claim(scene, false);
    reap(scene, 1);
    struct outbox_item first = claim(scene, true), second = claim(scene, true);
    assert_string_not_equal(first.dedupe_key, second.dedupe_key);
}

static void opens_a_destination_that_was_closed_then(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    const struct outbox_message messages[] = {message_make("ci", "a", "1"),
                                              message_make("ci", "b", "2")};
    tell(scene, messages, 2);
    struct outbox_item item = claim(scene, true);
    assert_true(died(scene, &item, OUTBOX_REFUSALS_MAX, "401: no"));
    claim(scene, false);
    was_ahead(scene);
    sql_do(scene->database.admin, "UPDATE destinations SET not_before = disabled_until");
    reap(scene, 0);
    item = claim(scene, true);
    assert_true(delivered(scene, &item, 200, NULL, &err));
}

/* It fails since 2031: by that, it would be tried for ever. */
static void knows_since_when_a_destination_fails(void **state)
{
    struct scene *scene = *state;
    const struct outbox_message message = message_make("ci", "a", "1");
    tell(scene, &message, 1);
    struct outbox_item item = claim(scene, true);
    assert_true(retried(scene, &item, 0, 503, "away"));
    was_ahead(scene);
    reap(scene, 0);
    item = claim(scene, true);
    assert_true(retried(scene, &item, 0, 503, "away"));
    assert_int_equal(sql_number(scene->database.admin,
                                "SELECT count(*) FROM destinations WHERE failing_since <= now()"),
                     1);
}

static void counts_nothing_of_then_as_recent(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    int64_t count;
    struct outbox_page dead;
    struct service_status status;
    const struct outbox_selection of_ci = {{0}, "ci"};
    const struct outbox_message messages[] = {message_make("ci", "a", "1"),
                                              message_make("ci", "b", "2")};
    tell(scene, messages, 2);
    struct outbox_item item = claim(scene, true);
    assert_true(died(scene, &item, 0, "400: no"));
    assert_true(outbox_recent(scene->db, "ci", HOUR_MS, &count, &err));
    assert_int_equal(count, 2);
    was_ahead(scene);
    assert_true(outbox_recent(scene->db, "ci", HOUR_MS, &count, &err));
    assert_int_equal(count, 0);
    assert_true(outbox_dead_list(scene->db, &of_ci, &scene->arena, &dead, &err));
    assert_int_equal(dead.count, 0);
    if (!service_status_read(scene->db, &scene->arena, &status, &err))
        fail_msg("%s", err.text);
    assert_int_equal(status.recent_profiles, 0);
    assert_int_equal(state_numbers_of(&status.outbox, "dead")->recent, 0);
    assert_int_equal(status.destinations.items[0].dead, 0);
    assert_int_equal(status.destinations.items[0].attempts[0], 0);
}

static void reminds_of_what_was_told_then(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct alert_thread thread;
    const struct outbox_message message = message_make("ci", "a", "1");
    tell(scene, &message, 1);
    sql_do(scene->database.admin, "INSERT INTO alert_threads (destination_id, order_key, phase) "
                                  "SELECT id, 'a', 'firing' FROM destinations "
                                  "ON CONFLICT (destination_id, order_key) DO NOTHING");
    assert_true(thread_find(scene->db, "ci", "a", &thread, &err));
    assert_true(thread.known);
    assert_in_range(thread.age_ms, 0, HOUR_MS);
    was_ahead(scene);
    assert_true(thread_find(scene->db, "ci", "a", &thread, &err));
    assert_true(thread.age_ms > INT64_C(10000) * DAY_MS);
}

static void ends_a_silence_of_then(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    bool silenced;
    const char *until;
    const struct silence silence = {"llm", NULL, NULL, HOUR_MS, "known"};
    assert_true(silence_add(scene->db, &silence, &scene->arena, &until, &err));
    assert_true(silence_holds(scene->db, "llm", "pretrain", "main", &silenced, &err));
    assert_true(silenced);
    was_ahead(scene);
    assert_true(silence_holds(scene->db, "llm", "pretrain", "main", &silenced, &err));
    assert_false(silenced);
}

static void runs_a_task_that_ran_then(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    bool mine;
    assert_true(schedule_claim(scene->db, "hourly", HOUR_MS, &mine, &err) && mine);
    assert_true(schedule_claim(scene->db, "hourly", HOUR_MS, &mine, &err) && !mine);
    was_ahead(scene);
    assert_true(schedule_claim(scene->db, "hourly", HOUR_MS, &mine, &err) && mine);
    assert_true(schedule_claim(scene->db, "hourly", HOUR_MS, &mine, &err) && !mine);
}

static void shows_no_negative_age(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct health health;
    struct alert_page page;
    struct checkpoint made;
    bool is_new;
    const struct alert_query query = {.limit = 10};
    (void)tell(scene, NULL, 0);
    assert_true(checkpoint_append(scene->db, NULL, &scene->arena, &made, &is_new, &err));
    was_ahead(scene);
    if (!health_read(scene->db, &scene->arena, &health, &err) ||
        !alert_list(scene->db, &query, &scene->arena, &page, &err))
        fail_msg("%s", err.text);
    assert_int_equal(health.first_profile_ms.value, 0);
    assert_int_equal(health.last_profile_ms.value, 0);
    assert_true(health.last_checkpoint_ms.set);
    assert_int_equal(health.last_checkpoint_ms.value, 0);
    assert_int_equal(page.count, 1);
    assert_int_equal(page.items[0].since_ms, 0);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, scene_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(sends_what_waits_and_takes_back_what_was_lost),
        CASE(opens_a_destination_that_was_closed_then),
        CASE(knows_since_when_a_destination_fails),
        CASE(counts_nothing_of_then_as_recent),
        CASE(reminds_of_what_was_told_then),
        CASE(ends_a_silence_of_then),
        CASE(runs_a_task_that_ran_then),
        CASE(shows_no_negative_age),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
