/* Tests of the life of alerts: the moves, and that a single pass between fails changes nothing. */
#include "history/alert_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Plays f (fail), p (pass), w (warn), and the actions of people A S D O; returns the state. */
static enum alert_state played(const char *story)
{
    static const struct {
        char letter;
        enum alert_action action;
    } people[] = {
        {'A', ALERT_ACKNOWLEDGE}, {'S', ALERT_SILENCE}, {'D', ALERT_DISMISS}, {'O', ALERT_REOPEN}};
    enum alert_state state = ALERT_NONE;
    int good = 0;
    for (const char *p = story; *p != '\0'; p++) {
        enum alert_action action = ALERT_ACTION_COUNT;
        enum verdict_status status = *p == 'f'   ? VERDICT_FAIL
                                     : *p == 'p' ? VERDICT_PASS
                                                 : VERDICT_WARN;
        for (size_t i = 0; i < sizeof people / sizeof people[0]; i++)
            action = people[i].letter == *p ? people[i].action : action;
        bool moves =
            action != ALERT_ACTION_COUNT || alert_verdict_action(state, status, good, &action);
        if (!moves)
            continue;
        assert_true(alert_move(state, action, &state));
        good = action == ALERT_RECOVER ? good + 1 : 0;
    }
    return state;
}

static void opens_resolves_and_reopens(void **state)
{
    (void)state;
    static const struct {
        const char *story;
        enum alert_state state;
    } cases[] = {
        {"", ALERT_NONE},           {"p", ALERT_NONE},          {"w", ALERT_NONE},
        {"f", ALERT_OPEN},          {"ff", ALERT_OPEN},         {"fp", ALERT_OPEN},
        {"fpp", ALERT_RESOLVED},    {"fpf", ALERT_OPEN},        {"fpfpfp", ALERT_OPEN},
        {"fpwp", ALERT_RESOLVED},   {"fppf", ALERT_REOPENED},   {"fppfp", ALERT_REOPENED},
        {"fppfpp", ALERT_RESOLVED}, {"fA", ALERT_ACKNOWLEDGED}, {"fAf", ALERT_ACKNOWLEDGED},
        {"fAfpp", ALERT_RESOLVED},  {"fSf", ALERT_SILENCED},    {"fSpp", ALERT_RESOLVED},
        {"fDf", ALERT_DISMISSED},   {"fDpp", ALERT_RESOLVED},   {"fDppf", ALERT_REOPENED},
        {"fDO", ALERT_REOPENED},    {"fASD", ALERT_DISMISSED},  {"fppO", ALERT_REOPENED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(played(cases[i].story), cases[i].state);
}

static void has_each_move_once_and_refuses_the_rest(void **state)
{
    (void)state;
    size_t found = 0;
    for (enum alert_state from = 0; from < ALERT_STATE_COUNT; from++) {
        for (enum alert_action action = 0; action < ALERT_ACTION_COUNT; action++) {
            enum alert_state to;
            found += alert_move(from, action, &to);
        }
    }
    assert_int_equal(found, alert_transition_count);
    enum alert_state to;
    assert_false(alert_move(ALERT_NONE, ALERT_ACKNOWLEDGE, &to));
    assert_false(alert_move(ALERT_RESOLVED, ALERT_SILENCE, &to));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opens_resolves_and_reopens),
        cmocka_unit_test(has_each_move_once_and_refuses_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
