/* Verdicts and the messages that they cause: recorded together, claimed in order, fenced by leases.
 */
#include "history/lease/outbox.h"
#include "history/lease/outbox_admin.h"
#include "history/lease/outbox_enqueue.h"
#include "history/lease/states.h"
#include "history/verdicts/verdicts.h"
#include "ops/runtime/clock.h"
#include "ops/serve/workers/lease_keep.h"
#include "tests/support/ledger_fixture.h"
#include "tests/support/outbox_fixture.h"
#include "tests/support/state_moves.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct state_moves moves = {
    .table = "outbox", .names = outbox_state_names, .count = OUTBOX_STATE_COUNT};

static int set_up(void **state)
{
    return state_moves_set_up(&moves, state);
}

static int tear_down(void **state)
{
    return state_moves_tear_down(&moves, state);
}

static int64_t number(const struct scene *scene, const char *text)
{
    return sql_number(scene->database.admin, text);
}

static void keeps_the_verdict_and_what_it_rests_on(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    char *document;
    int64_t id = tell(scene, NULL, 0);
    assert_true(ledger_load_verdict(scene->db, id, &scene->arena, &document, &err));
    assert_string_equal(document, "{\"status\": \"fail\"}");
    assert_int_equal(number(scene, "SELECT count(*) FROM verdict_inputs WHERE side = 'baseline'"),
                     2);
    assert_int_equal(
        number(scene, "SELECT profile_id FROM verdict_inputs WHERE side = 'candidate'"), 3);
    assert_int_equal(number(scene, "SELECT series_id FROM verdicts"), 1);
    assert_false(ledger_load_verdict(scene->db, id + 1, &scene->arena, &document, &err));
    assert_int_equal(err.kind, ERR_MISSING);
}

static void records_no_verdict_without_its_messages_nor_the_reverse(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct verdict verdict = verdict_make();
    const struct outbox_message messages[] = {message_make("ci", "k", "d1"),
                                              message_make("", "k", "d2")};
    struct verdict_entry entry = {
        .verdict = &verdict, .document = "{}", .messages = messages, .message_count = 2};
    assert_true(ledger_reserve_verdict(scene->db, &entry.id, &err));
    assert_false(ledger_append_verdict(scene->db, &entry, &err));
    entry.message_count = 1;
    candidate_ids[0] = "p99";
    assert_false(ledger_append_verdict(scene->db, &entry, &err));
    candidate_ids[0] = "p3";
    assert_int_equal(number(scene, "SELECT count(*) FROM verdicts"), 0);
    assert_int_equal(number(scene, "SELECT count(*) FROM outbox"), 0);
    assert_true(ledger_append_verdict(scene->db, &entry, &err));
}

static void enqueues_the_same_finding_once_per_destination(void **state)
{
    struct scene *scene = *state;
    const struct outbox_message messages[] = {message_make("ci", "k", "d"),
                                              message_make("chat", "k", "d")};
    tell(scene, messages, 2);
    tell(scene, messages, 2);
    assert_int_equal(number(scene, "SELECT count(*) FROM outbox"), 2);
    assert_int_equal(number(scene, "SELECT count(*) FROM verdicts"), 2);
}

static void hands_out_the_frozen_bytes(void **state)
{
    struct scene *scene = *state;
    struct outbox_message message = message_make("ci", "key", "d");
    message.max_attempts = 3;
    tell(scene, &message, 1);
    struct outbox_item item = claim(scene, true);
    assert_string_equal(item.destination, "ci");
    assert_string_equal(item.order_key, "key");
    assert_string_equal(item.dedupe_key, "d");
    assert_string_equal(item.content_type, "application/json");
    assert_int_equal(item.body_length, 3);
    assert_memory_equal(item.body, "a\0b", 3);
    assert_int_equal(item.attempt, 1);
    assert_int_equal(item.max_attempts, 3);
    assert_in_range(item.lifetime_left_ms, 86300000, 86400000);
    claim(scene, false);
}

static void sends_messages_of_one_key_in_order(void **state)
{
    struct scene *scene = *state;
    const struct outbox_message messages[] = {
        message_make("ci", "k", "1"), message_make("ci", "k", "2"),
        message_make("ci", "other", "3"), message_make("chat", "k", "4")};
    tell(scene, messages, 4);
    struct outbox_item first = claim(scene, true);
    assert_string_equal(first.dedupe_key, "1");
    assert_string_equal(claim(scene, true).dedupe_key, "3");
    assert_string_equal(claim(scene, true).dedupe_key, "4");
    claim(scene, false);
    assert_true(retried(scene, &first, 3600000, 503, "later"));
    claim(scene, false); /* the second waits for the first, not only for its lease */
    sql_do(scene->database.admin, "UPDATE outbox SET not_before = now() WHERE dedupe_key = '1'");
    first = claim(scene, true);
    assert_string_equal(first.dedupe_key, "1");
    assert_int_equal(first.attempt, 2);
    assert_true(died(scene, &first, 0, "refused"));
    assert_string_equal(claim(scene, true).dedupe_key, "2");
}

static void writes_a_receipt_for_every_attempt(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct outbox_message message = message_make("ci", "k", "1");
    int64_t verdict_id = tell(scene, &message, 1);
    struct outbox_item item = claim(scene, true);
    assert_true(retried(scene, &item, 0, 0, "refused"));
    item = claim(scene, true);
    assert_true(delivered(scene, &item, 204, "ref-1", &err));
    char *said =
        sql_text(scene->database.admin,
                 "SELECT string_agg(concat_ws('/', verdict_id, attempt, outcome, http_status, "
                 "reason, remote_ref, destination), ' ' ORDER BY id) FROM deliveries");
    char wanted[100];
    (void)snprintf(wanted, sizeof wanted, "%d/1/retry/refused/ci %d/2/done/204/ref-1/ci",
                   (int)verdict_id, (int)verdict_id);
    assert_string_equal(said, wanted);
    free(said);
    assert_int_equal(number(scene, "SELECT count(*) FROM destinations WHERE failing_since IS NULL"),
                     1);
    assert_int_equal(
        number(scene, "SELECT count(*) FROM outbox WHERE state = 'done' AND finished_at <= now()"),
        1);
}

static void gives_up_when_the_attempts_are_used_up(void **state)
{
    struct scene *scene = *state;
    struct outbox_message message = message_make("ci", "k", "1");
    message.max_attempts = 2;
    tell(scene, &message, 1);
    for (int i = 0; i < 2; i++) {
        struct outbox_item item = claim(scene, true);
        assert_true(retried(scene, &item, 0, 500, "down"));
    }
    claim(scene, false);
    assert_int_equal(number(scene, "SELECT count(*) FROM outbox WHERE state = 'dead'"), 1);
    assert_int_equal(number(scene, "SELECT count(*) FROM deliveries WHERE outcome = 'dead'"), 1);
}

static void gives_up_when_the_time_is_over(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    int64_t count;
    const struct outbox_message messages[] = {message_make("ci", "a", "1"),
                                              message_make("ci", "b", "2")};
    tell(scene, messages, 2);
    struct outbox_item item = claim(scene, true);
    assert_true(retried(scene, &item, INT64_C(25) * 3600 * 1000, 500, "down"));
    assert_int_equal(number(scene, "SELECT count(*) FROM outbox WHERE state = 'dead'"), 1);
    sql_do(scene->database.admin, "UPDATE outbox SET expires_at = now() WHERE state = 'pending'");
    claim(scene, false);
    assert_true(outbox_reap(scene->db, &count, &err));
    assert_int_equal(count, 1);
    assert_int_equal(number(scene, "SELECT count(*) FROM outbox WHERE state = 'dead'"), 2);
}

static void refuses_the_late_result_of_a_lost_lease(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    int64_t count;
    struct outbox_message message = message_make("ci", "k", "1");
    tell(scene, &message, 1);
    struct outbox_item slow = claim(scene, true);
    assert_true(outbox_reap(scene->db, &count, &err));
    assert_int_equal(count, 0);
    sql_do(scene->database.admin, "UPDATE outbox SET lease_until = now() - interval '1 s'");
    assert_true(outbox_reap(scene->db, &count, &err));
    assert_int_equal(count, 1);
    assert_false(delivered(scene, &slow, 200, NULL, &err));
    assert_int_equal(err.kind, ERR_CONFLICT);
    struct outbox_item second = claim(scene, true);
    assert_int_equal(second.attempt, 2);
    assert_false(retried(scene, &slow, 0, 0, "late"));
    assert_false(died(scene, &slow, 0, "late"));
    assert_true(delivered(scene, &second, 200, NULL, &err));
    assert_false(delivered(scene, &second, 200, NULL, &err));
    assert_int_equal(
        number(scene, "SELECT count(*) FROM deliveries WHERE outcome = 'lease_expired'"), 1);
    assert_int_equal(number(scene, "SELECT count(*) FROM deliveries"), 2);
}

static void keeps_a_lease_as_long_as_the_attempt_lasts(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct lease_keeper keeper;
    static const char left[] =
        "SELECT count(*) FROM outbox WHERE lease_until > now() + interval '30 minutes'";
    struct outbox_message message = message_make("ci", "k", "1");
    tell(scene, &message, 1);
    struct outbox_item item = claim(scene, true);
    assert_int_equal(number(scene, left), 0);
    lease_keep_start(&keeper, scene->db, &item, 3600000); /* not due for long: it ends at once */
    lease_keep_end(&keeper);
    assert_int_equal(number(scene, left), 0);
    assert_true(outbox_extend(scene->db, &item, 3600000, &err));
    assert_int_equal(number(scene, left), 1);
    lease_keep_start(&keeper, scene->db, &item, 300);
    for (int turns = 0; turns < 6000 && number(scene, left) == 1; turns++)
        clock_sleep_ms(10);
    lease_keep_end(&keeper);
    assert_int_equal(number(scene, left), 0); /* it set the lease to its own length */
    assert_true(delivered(scene, &item, 200, NULL, &err));
    assert_false(outbox_extend(scene->db, &item, 3600000, &err));
    assert_int_equal(err.kind, ERR_CONFLICT);
}

static void sets_a_message_aside_when_its_last_lease_runs_out(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    int64_t count;
    struct outbox_message message = message_make("ci", "k", "1");
    message.max_attempts = 1;
    tell(scene, &message, 1);
    claim(scene, true);
    sql_do(scene->database.admin, "UPDATE outbox SET lease_until = now() - interval '1 s'");
    assert_true(outbox_reap(scene->db, &count, &err));
    assert_int_equal(number(scene, "SELECT count(*) FROM outbox WHERE state = 'dead'"), 1);
}

static void closes_a_destination_that_asks_for_a_pause(void **state)
{
    struct scene *scene = *state;
    const struct outbox_message messages[] = {
        message_make("ci", "a", "1"), message_make("ci", "b", "2"), message_make("chat", "c", "3")};
    tell(scene, messages, 3);
    struct outbox_item item = claim(scene, true);
    assert_true(retried(scene, &item, 3600000, 429, "slow down"));
    assert_string_equal(claim(scene, true).destination, "chat");
    claim(scene, false);
}

static void gives_one_message_to_one_of_two_workers(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    bool found;
    struct outbox_item item;
    struct db *other = ledger_open(scene->database.app);
    struct outbox_message message = message_make("ci", "k", "1");
    tell(scene, &message, 1);
    assert_true(db_begin(scene->db, &err));
    claim(scene, true); /* not committed: the other one must neither wait nor see it */
    assert_true(outbox_claim(other, LEASE_MS, &scene->arena, &item, &found, &err));
    assert_false(found);
    db_rollback(scene->db);
    assert_true(outbox_claim(other, LEASE_MS, &scene->arena, &item, &found, &err));
    assert_true(found);
    db_close(other);
}

static void remembers_what_the_receiver_calls_an_alert(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct alert_thread thread;
    struct outbox_message first = message_make("chat", "a", "1"),
                          second = message_make("chat", "a", "2");
    first.phase = PHASE_FIRING;
    first.generation = 1;
    tell(scene, &first, 1);
    assert_true(thread_find(scene->db, "chat", "a", &thread, &err));
    assert_int_equal(thread.generation, 1);
    struct outbox_item item = claim(scene, true);
    assert_null(item.thread_ref);
    assert_string_equal(item.phase, "firing");
    assert_true(delivered(scene, &item, 200, "ts-1", &err));
    second.phase = PHASE_RESOLVED;
    second.generation = 1;
    tell(scene, &second, 1);
    item = claim(scene, true);
    assert_string_equal(item.thread_ref, "ts-1");
    assert_true(delivered(scene, &item, 200, NULL, &err));
    assert_true(thread_find(scene->db, "chat", "a", &thread, &err));
    assert_int_equal(thread.phase, PHASE_RESOLVED);
}

static void voids_what_a_newer_state_replaces(void **state)
{
    struct scene *scene = *state;
    struct outbox_message old = message_make("ci", "a", "1"), new = message_make("ci", "a", "2"),
                          other = message_make("ci", "b", "3");
    old.standalone = other.standalone = new.standalone = new.replaces = true;
    const struct outbox_message waiting[] = {old, other};
    tell(scene, waiting, 2);
    tell(scene, &new, 1);
    assert_int_equal(number(scene, "SELECT count(*) FROM outbox WHERE state = 'superseded'"), 1);
    assert_string_equal(claim(scene, true).dedupe_key, "3");
    assert_string_equal(claim(scene, true).dedupe_key, "2");
}

static void does_not_tell_the_end_of_what_was_never_told(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    int64_t count;
    struct outbox_ids done;
    struct outbox_message firing = message_make("chat", "a", "1"),
                          resolved = message_make("chat", "a", "2");
    firing.phase = PHASE_FIRING;
    resolved.phase = PHASE_RESOLVED;
    tell(scene, &firing, 1);
    tell(scene, &resolved, 1);
    struct outbox_item item = claim(scene, true);
    assert_true(died(scene, &item, 1, "gone"));
    claim(scene, false); /* at once: not only when somebody reaps */
    assert_int_equal(number(scene, "SELECT count(*) FROM outbox WHERE voided"), 1);
    assert_true(outbox_reap(scene->db, &count, &err));
    assert_int_equal(count, 0);
    assert_true(outbox_revive(scene->db, item.id, false, &scene->arena, &done, &err));
    assert_int_equal(done.count, 1);
    item = claim(scene, true);
    assert_string_equal(item.dedupe_key, "1");
    assert_true(died(scene, &item, 1, "gone again"));
    assert_true(outbox_revive(scene->db, item.id, true, &scene->arena, &done, &err));
    assert_int_equal(done.count, 2); /* with its end */
    assert_string_equal(claim(scene, true).dedupe_key, "1");
    assert_int_equal(number(scene, "SELECT count(*) FROM outbox WHERE voided"), 0);
}

static void revives_the_dead_with_all_their_attempts(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct outbox_ids done;
    struct outbox_page dead;
    struct outbox_message message = message_make("ci", "k", "1");
    message.max_attempts = 1;
    tell(scene, &message, 1);
    struct outbox_item item = claim(scene, true);
    const struct outbox_selection all = {{0}, NULL}, one = {{&item.id, 1}, NULL};
    assert_true(retried(scene, &item, 0, 500, "down"));
    claim(scene, false);
    assert_true(outbox_dead_list(scene->db, &all, &scene->arena, &dead, &err));
    assert_int_equal(dead.count, 1);
    assert_true(outbox_revive(scene->db, item.id, true, &scene->arena, &done, &err));
    assert_int_equal(done.count, 1);
    assert_int_equal(claim(scene, true).attempt, 1);
    assert_true(outbox_dead_list(scene->db, &one, &scene->arena, &dead, &err));
    assert_int_equal(dead.count, 0);
    assert_true(outbox_revive(scene->db, item.id, true, &scene->arena, &done, &err));
    assert_int_equal(done.count, 0);
}

static void pauses_between_messages_of_a_destination(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    int64_t left_ms;
    const struct outbox_message messages[] = {message_make("ci", "a", "1"),
                                              message_make("ci", "b", "2")};
    tell(scene, messages, 2);
    struct outbox_item item = claim(scene, true);
    const struct outbox_success success = {200, NULL, 60000};
    assert_true(outbox_delivered(scene->db, &item, &success, &err));
    claim(scene, false);
    assert_true(outbox_pause_left(scene->db, &left_ms, &err));
    assert_in_range((uintmax_t)left_ms, 50000, 60000);
}

/* Comes last: what the tests above made happen is what the table of states says, and nothing else.
 */
static int64_t forgotten(struct scene *scene, int64_t age_ms)
{
    int64_t count;
    struct err err = {0};
    if (!outbox_forget(scene->db, age_ms, &count, &err))
        fail_msg("%s", err.text);
    return count;
}

/* Ends the next message; the alert of its key is open for the destination or not. */
static void finish(struct scene *scene, const char *phase)
{
    struct outbox_item item = claim(scene, true);
    char update[400];
    assert_true(delivered(scene, &item, 200, "ref", NULL));
    (void)snprintf(update, sizeof update,
                   "UPDATE alert_threads SET phase = '%s' WHERE order_key = '%s'", phase,
                   item.order_key);
    sql_do(scene->database.admin, update);
}

static void removes_old_messages_but_not_of_open_alerts(void **state)
{
    struct scene *scene = *state;
    static const char left[] = "SELECT count(*) FROM outbox";
    const struct outbox_message messages[] = {message_make("ci", "closed", "1"),
                                              message_make("ci", "open", "2"),
                                              message_make("ci", "waiting", "3")};
    tell(scene, messages, 3);
    finish(scene, "resolved");
    finish(scene, "firing");
    assert_int_equal(forgotten(scene, 3600000), 0);
    assert_int_equal(forgotten(scene, 0), 1);
    assert_int_equal(sql_number(scene->database.admin, left), 2);
    tell(scene, &messages[1], 1); /* what is open is still known */
    assert_int_equal(sql_number(scene->database.admin, left), 2);
    sql_do(scene->database.admin, "UPDATE outbox SET finished_at = finished_at - interval '2 years'"
                                  " WHERE state = 'done'");
    assert_int_equal(forgotten(scene, 0), 1);
    assert_int_equal(sql_number(scene->database.admin, "SELECT count(*) FROM deliveries"), 2);
    claim(scene, true); /* and what was never sent is not old */
}

static void keeps_what_a_waiting_message_or_a_person_still_needs(void **state)
{
    struct scene *scene = *state;
    int64_t count;
    struct err err = {0};
    struct outbox_message messages[] = {message_make("ci", "k", "1"), message_make("ci", "k", "2"),
                                        message_make("ci", "k", "3")};
    messages[2].phase = PHASE_RESOLVED;
    tell(scene, messages, 3);
    finish(scene, "resolved"); /* the beginning was told; the thread says what is on its way */
    struct outbox_item item = claim(scene, true);
    assert_true(died(scene, &item, 0, "no"));
    assert_int_equal(forgotten(scene, 0), 0);
    assert_true(outbox_reap(scene->db, &count, &err));
    finish(scene, "resolved"); /* the end is told: it was not void */
    assert_int_equal(forgotten(scene, 0), 2);
    assert_true(outbox_dead_told(scene->db, item.id, &err));
    assert_int_equal(forgotten(scene, 0), 1);
}

static void moves_as_the_table_of_states_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < outbox_move_count; i++)
        moves.listed[outbox_moves[i].from][outbox_moves[i].to] = true;
    state_moves_check(&moves);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(keeps_the_verdict_and_what_it_rests_on),
        CASE(records_no_verdict_without_its_messages_nor_the_reverse),
        CASE(enqueues_the_same_finding_once_per_destination),
        CASE(hands_out_the_frozen_bytes),
        CASE(sends_messages_of_one_key_in_order),
        CASE(writes_a_receipt_for_every_attempt),
        CASE(gives_up_when_the_attempts_are_used_up),
        CASE(gives_up_when_the_time_is_over),
        CASE(refuses_the_late_result_of_a_lost_lease),
        CASE(keeps_a_lease_as_long_as_the_attempt_lasts),
        CASE(sets_a_message_aside_when_its_last_lease_runs_out),
        CASE(closes_a_destination_that_asks_for_a_pause),
        CASE(gives_one_message_to_one_of_two_workers),
        CASE(remembers_what_the_receiver_calls_an_alert),
        CASE(voids_what_a_newer_state_replaces),
        CASE(does_not_tell_the_end_of_what_was_never_told),
        CASE(revives_the_dead_with_all_their_attempts),
        CASE(pauses_between_messages_of_a_destination),
        CASE(removes_old_messages_but_not_of_open_alerts),
        CASE(keeps_what_a_waiting_message_or_a_person_still_needs),
        cmocka_unit_test(moves_as_the_table_of_states_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
