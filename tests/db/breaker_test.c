/* The breaker of destinations: what refuses everything is left alone for a while. */
#include "history/lease/destinations.h"
#include "history/lease/outbox_admin.h"
#include "history/lease/outbox_enqueue.h"
#include "tests/support/outbox_fixture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static int set_up(void **state)
{
    *state = scene_open(3);
    return 0;
}

static int64_t number(const struct scene *scene, const char *text)
{
    return sql_number(scene->database.admin, text);
}

/* Refuses the next message of `ci`. */
static void refuse(struct scene *scene, int refusals)
{
    struct outbox_item item = claim(scene, true);
    assert_string_equal(item.destination, "ci");
    assert_true(died(scene, &item, refusals, "401: no"));
}

static void tell_five(struct scene *scene)
{
    const struct outbox_message messages[] = {
        message_make("ci", "a", "1"), message_make("ci", "b", "2"), message_make("ci", "c", "3"),
        message_make("ci", "d", "4"), message_make("ci", "e", "5")};
    tell(scene, messages, 5);
}

static void disables_a_destination_that_keeps_refusing_and_tries_it_with_one_message(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct destination_page failing;
    const char rest[] = "SELECT round(extract(epoch FROM disabled_until - now()) / 3600) "
                        "FROM destinations";
    tell_five(scene);
    refuse(scene, 1);
    refuse(scene, 1);
    struct outbox_item item = claim(scene, true);
    assert_true(delivered(scene, &item, 200, NULL, &err)); /* forgets the two */
    for (int i = 0; i < 2; i++)
        refuse(scene, 1);
    tell_five(scene); /* known: nothing comes of it */
    const struct outbox_message more[] = {message_make("ci", "f", "6"),
                                          message_make("ci", "g", "7")};
    tell(scene, more, 2);
    refuse(scene, 1);
    claim(scene, false);
    assert_int_equal(number(scene, rest), 1);
    assert_true(destinations_failing(scene->db, &scene->arena, &failing, &err));
    assert_int_equal(failing.count, 1);
    assert_string_equal(failing.items[0].disabled_why, "401: no");
    assert_int_equal(failing.items[0].waiting, 1);
    sql_do(scene->database.admin, "UPDATE destinations SET disabled_until = now()");
    const struct outbox_message last = message_make("ci", "h", "8");
    tell(scene, &last, 1);
    refuse(scene, 1);
    assert_int_equal(number(scene, rest), 2); /* twice as long */
    sql_do(scene->database.admin, "UPDATE destinations SET disabled_until = now()");
    item = claim(scene, true);
    const struct outbox_message waits = message_make("ci", "i", "9");
    tell(scene, &waits, 1);
    claim(scene, false); /* only one is tried */
    assert_true(delivered(scene, &item, 200, NULL, &err));
    assert_string_equal(claim(scene, true).dedupe_key, "9");
    assert_true(destinations_failing(scene->db, &scene->arena, &failing, &err));
    assert_int_equal(failing.count, 0);
}

static void disables_one_that_is_gone_at_once_and_opens_it_by_hand(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct outbox_ids done;
    struct outbox_page dead;
    struct destination_row row;
    bool found;
    const struct outbox_selection of_ci = {{0}, "ci"};
    tell_five(scene);
    refuse(scene, OUTBOX_REFUSALS_MAX);
    claim(scene, false);
    assert_true(destination_disabled_untold(scene->db, &scene->arena, &row, &found, &err));
    assert_true(found);
    assert_int_equal(row.waiting, 4);
    assert_true(destination_disabled_told(scene->db, "ci", &err));
    assert_true(destination_disabled_untold(scene->db, &scene->arena, &row, &found, &err));
    assert_false(found);
    assert_true(destination_reopen(scene->db, "ci", &err));
    assert_true(outbox_dead_list(scene->db, &of_ci, &scene->arena, &dead, &err));
    assert_int_equal(dead.count, 1);
    assert_string_equal(dead.items[0].destination, "ci");
    assert_true(outbox_revive(scene->db, dead.items[0].id, false, &scene->arena, &done, &err));
    assert_int_equal(done.count, 1);
    assert_string_equal(claim(scene, true).dedupe_key, "2");
    assert_false(destination_reopen(scene->db, "nobody", &err));
    assert_int_equal(err.kind, ERR_MISSING);
}

static void disables_one_that_took_nothing_for_days(void **state)
{
    struct scene *scene = *state;
    tell_five(scene);
    struct outbox_item item = claim(scene, true);
    assert_true(retried(scene, &item, 0, 503, "away"));
    sql_do(scene->database.admin,
           "UPDATE destinations SET failing_since = now() - interval '6 days'");
    item = claim(scene, true);
    assert_true(retried(scene, &item, 0, 503, "away"));
    claim(scene, false);
    assert_int_equal(number(scene, "SELECT count(*) FROM destinations WHERE disabled_why = 'away'"),
                     1);
}

static void counts_what_is_late_and_not_what_waits_on_purpose(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct destination_states states;
    tell_five(scene);
    refuse(scene, 1);
    struct outbox_item item = claim(scene, true);
    assert_true(retried(scene, &item, 60000, 503, "busy"));
    /* One is told later on purpose, the others are late. */
    sql_do(scene->database.admin,
           "UPDATE outbox SET not_before = now() + interval '1 hour' WHERE dedupe_key = '5'");
    sql_do(scene->database.admin, "UPDATE outbox SET created_at = now() - interval '90 s',"
                                  " not_before = not_before - interval '90 s'"
                                  " WHERE state = 'pending' AND dedupe_key <> '5'");
    assert_true(destinations_read(scene->db, &scene->arena, &states, &err));
    assert_int_equal(states.count, 1);
    assert_string_equal(states.items[0].name, "ci");
    assert_false(states.items[0].disabled);
    assert_int_equal(states.items[0].waiting, 3);
    assert_in_range(states.items[0].oldest_ms, 90000, 3600000);
    assert_int_equal(states.items[0].dead, 1);
    assert_int_equal(states.items[0].attempts[RECEIPT_DEAD], 1);
    assert_int_equal(states.items[0].attempts[RECEIPT_RETRY], 1);
    assert_int_equal(states.items[0].attempts[RECEIPT_DONE], 0);
    refuse(scene, 1);
    refuse(scene, 1);
    assert_true(destinations_read(scene->db, &scene->arena, &states, &err));
    assert_true(states.items[0].disabled);
    assert_int_equal(states.items[0].dead, 3);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, scene_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(disables_a_destination_that_keeps_refusing_and_tries_it_with_one_message),
        CASE(disables_one_that_is_gone_at_once_and_opens_it_by_hand),
        CASE(disables_one_that_took_nothing_for_days),
        CASE(counts_what_is_late_and_not_what_waits_on_purpose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
