/* Tests of what a move in the life of an alert is to a destination, and whom it disturbs. */
#include "ops/flow/tell/notify_phase.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* What a destination may know of the alert. */
static const struct alert_thread stranger = {.known = false},
                                 knows_open = {true, PHASE_REPEATED, 1, 0},
                                 knows_end = {true, PHASE_RESOLVED, 1, 0};

static struct alert_change change_of(enum alert_state from, enum alert_action action)
{
    struct alert_change change = {.before = {.state = from}, .moves = true, .action = action};
    assert_true(alert_move(from, action, &change.after));
    return change;
}

static void tells_each_what_it_is_to_them(void **state)
{
    (void)state;
    static const struct {
        enum alert_state from;
        enum alert_action action;
        enum alert_phase stranger, knows_open, knows_end;
    } cases[] = {
        {ALERT_NONE, ALERT_REGRESS, PHASE_FIRING, PHASE_FIRING, PHASE_FIRING},
        {ALERT_OPEN, ALERT_REGRESS, PHASE_FIRING, PHASE_REPEATED, PHASE_FIRING},
        {ALERT_RESOLVED, ALERT_REGRESS, PHASE_FIRING, PHASE_REOPENED, PHASE_REOPENED},
        {ALERT_RESOLVED, ALERT_RECUR, PHASE_FIRING, PHASE_FIRING, PHASE_FIRING},
        {ALERT_ACKNOWLEDGED, ALERT_WORSEN, PHASE_FIRING, PHASE_WORSENED, PHASE_FIRING},
        {ALERT_REOPENED, ALERT_RECOVER, PHASE_NONE, PHASE_FLAPPING, PHASE_NONE},
        {ALERT_OPEN, ALERT_RESOLVE, PHASE_NONE, PHASE_RESOLVED, PHASE_NONE},
        {ALERT_OPEN, ALERT_ACCEPT, PHASE_NONE, PHASE_RESOLVED, PHASE_NONE},
        {ALERT_DISMISSED, ALERT_REOPEN, PHASE_FIRING, PHASE_REOPENED, PHASE_REOPENED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct alert_change change = change_of(cases[i].from, cases[i].action);
        assert_int_equal(phase_of_change(&change, &stranger), cases[i].stranger);
        assert_int_equal(phase_of_change(&change, &knows_open), cases[i].knows_open);
        assert_int_equal(phase_of_change(&change, &knows_end), cases[i].knows_end);
    }
    const struct alert_change nothing = {.before = {.state = ALERT_OPEN}, .after = ALERT_OPEN};
    assert_int_equal(phase_of_change(&nothing, &knows_open), PHASE_NONE);
}

static void shows_of_a_commit_its_own_verdicts(void **state)
{
    (void)state;
    static const struct {
        enum verdict_status status;
        bool accepted;
        enum alert_phase stranger, knows_open;
    } cases[] = {
        {VERDICT_FAIL, false, PHASE_FIRING, PHASE_REPEATED},
        {VERDICT_FAIL, true, PHASE_NONE, PHASE_RESOLVED},
        {VERDICT_PASS, false, PHASE_NONE, PHASE_RESOLVED},
        {VERDICT_WARN, false, PHASE_NONE, PHASE_NONE},
        {VERDICT_INCOMPARABLE, false, PHASE_NONE, PHASE_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        enum verdict_status status = cases[i].status;
        assert_int_equal(phase_of_commit(&stranger, status, cases[i].accepted), cases[i].stranger);
        assert_int_equal(phase_of_commit(&knows_open, status, cases[i].accepted),
                         cases[i].knows_open);
    }
}

static void disturbs_people_with_news_alone(void **state)
{
    (void)state;
    static const struct {
        enum alert_state from;
        enum alert_action action;
        bool disturbs;
    } cases[] = {
        {ALERT_NONE, ALERT_REGRESS, true},        {ALERT_OPEN, ALERT_REGRESS, true},
        {ALERT_RESOLVED, ALERT_REGRESS, true},    {ALERT_ACKNOWLEDGED, ALERT_REGRESS, false},
        {ALERT_ACKNOWLEDGED, ALERT_WORSEN, true}, {ALERT_SILENCED, ALERT_REGRESS, false},
        {ALERT_DISMISSED, ALERT_REGRESS, false},  {ALERT_DISMISSED, ALERT_REOPEN, true},
        {ALERT_OPEN, ALERT_RESOLVE, true},        {ALERT_ACKNOWLEDGED, ALERT_RESOLVE, true},
        {ALERT_SILENCED, ALERT_RESOLVE, false},   {ALERT_DISMISSED, ALERT_RESOLVE, false},
        {ALERT_REOPENED, ALERT_RECOVER, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct alert_change change = change_of(cases[i].from, cases[i].action);
        assert_int_equal(change_disturbs(&change, VERDICT_FAIL), cases[i].disturbs);
        change.acceptance.found = true;
        assert_false(change_disturbs(&change, VERDICT_FAIL));
    }
    struct alert_change flap = change_of(ALERT_REOPENED, ALERT_RECOVER);
    flap.flap_begins = true;
    assert_true(change_disturbs(&flap, VERDICT_PASS));
    flap = change_of(ALERT_ACKNOWLEDGED, ALERT_RECOVER);
    flap.flap_begins = true;
    assert_false(change_disturbs(&flap, VERDICT_PASS));
    for (enum alert_state held = 0; held < ALERT_STATE_COUNT; held++) {
        const struct alert_change nothing = {.before = {.state = held}, .after = held};
        bool quiet =
            held == ALERT_ACKNOWLEDGED || held == ALERT_SILENCED || held == ALERT_DISMISSED;
        assert_int_equal(change_disturbs(&nothing, VERDICT_WARN), !quiet);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_each_what_it_is_to_them),
        cmocka_unit_test(shows_of_a_commit_its_own_verdicts),
        cmocka_unit_test(disturbs_people_with_news_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
