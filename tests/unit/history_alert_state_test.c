/* Tests of the life of alerts: the moves, when one pass is enough, what people's words cover. */
#include "history/alert/alert_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A letter of a story: f fail, F fail of a change that was accepted, p pass, w warn, W a fail much
 * worse, t a week goes by, x the silence or acceptance no longer covers what comes; A S D C O what
 * people say: acknowledge, silence, dismiss, accept, reopen. */
static const struct {
    char letter;
    enum alert_action action;
} people[] = {{'A', ALERT_ACKNOWLEDGE},
              {'S', ALERT_SILENCE},
              {'D', ALERT_DISMISS},
              {'C', ALERT_ACCEPT},
              {'O', ALERT_REOPEN}};

static struct alert_finding finding_of(char letter)
{
    enum verdict_status status = letter == 'p'   ? VERDICT_PASS
                                 : letter == 'w' ? VERDICT_WARN
                                                 : VERDICT_FAIL;
    return (struct alert_finding){status, letter == 'F', some_f64(letter == 'W' ? 9 : 4)};
}

/* As history/alert/alert_change.c does it: the newest step first. */
static void step_note(struct alert_past *past, enum alert_action action)
{
    memmove(past->steps + 1, past->steps, (ALERT_FLAP_VERDICTS - 1) * sizeof *past->steps);
    past->steps[0] = (struct alert_step){past->state, action};
    past->step_count += past->step_count < ALERT_FLAP_VERDICTS;
}

static void verdict_play(struct alert_past *past, char letter)
{
    enum alert_action action;
    const struct alert_finding finding = finding_of(letter);
    if (!alert_verdict_action(past, &finding, &action))
        return;
    step_note(past, action);
    assert_true(alert_move(past->state, action, &past->state));
    past->good_count = action == ALERT_RECOVER ? past->good_count + 1 : 0;
    past->lapsed = past->long_ago = false;
}

static void letter_play(struct alert_past *past, char letter)
{
    past->long_ago |= letter == 't';
    past->lapsed |= letter == 'x';
    if (strchr("tx", letter) != NULL)
        return;
    for (size_t i = 0; i < sizeof people / sizeof people[0]; i++) {
        if (people[i].letter != letter)
            continue;
        assert_true(alert_move(past->state, people[i].action, &past->state));
        past->acknowledged_pct = letter == 'A' ? some_f64(4) : (struct opt_f64){0};
        return;
    }
    verdict_play(past, letter);
}

static struct alert_past played(const char *story)
{
    struct alert_past past = {.state = ALERT_NONE};
    for (const char *p = story; *p != '\0'; p++)
        letter_play(&past, *p);
    return past;
}

struct story {
    const char *letters;
    enum alert_state state;
};

static void stories_check(const struct story *stories, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        enum alert_state state = played(stories[i].letters).state;
        if (state != stories[i].state)
            fail_msg("%s: %s, not %s", stories[i].letters, alert_state_names[state],
                     alert_state_names[stories[i].state]);
    }
}
#define CHECK(stories) stories_check(stories, sizeof(stories) / sizeof(stories)[0])

static void is_ended_by_the_first_pass(void **state)
{
    (void)state;
    static const struct story stories[] = {
        {"", ALERT_NONE},         {"p", ALERT_NONE},       {"w", ALERT_NONE},
        {"f", ALERT_OPEN},        {"ff", ALERT_OPEN},      {"fw", ALERT_OPEN},
        {"fp", ALERT_RESOLVED},   {"fpp", ALERT_RESOLVED}, {"fpw", ALERT_RESOLVED},
        {"fpf", ALERT_REOPENED},  {"fptf", ALERT_OPEN},    {"fptfp", ALERT_RESOLVED},
        {"fAp", ALERT_RESOLVED},  {"fSp", ALERT_RESOLVED}, {"fDp", ALERT_RESOLVED},
        {"fDpf", ALERT_REOPENED}, {"fpO", ALERT_REOPENED}, {"fpOp", ALERT_RESOLVED},
    };
    CHECK(stories);
}

static void needs_two_passes_in_a_row_when_it_came_back_lately(void **state)
{
    (void)state;
    static const struct story stories[] = {
        {"fpfp", ALERT_REOPENED},      {"fpfpp", ALERT_RESOLVED},
        {"fpfpf", ALERT_REOPENED},     {"fpfpfpfpfp", ALERT_REOPENED},
        {"fpfpwp", ALERT_RESOLVED},    {"fpfppf", ALERT_REOPENED},
        {"fpffffp", ALERT_REOPENED},   {"fpffffffp", ALERT_RESOLVED},
        {"fpfAp", ALERT_ACKNOWLEDGED}, {"fpfApp", ALERT_RESOLVED},
        {"fpfpptfp", ALERT_RESOLVED},
    };
    CHECK(stories);
}

static void keeps_what_people_say_as_long_as_it_covers_what_comes(void **state)
{
    (void)state;
    static const struct story stories[] = {
        {"fA", ALERT_ACKNOWLEDGED},   {"fAf", ALERT_ACKNOWLEDGED}, {"fAW", ALERT_OPEN},
        {"fAWA", ALERT_ACKNOWLEDGED}, {"fSf", ALERT_SILENCED},     {"fSW", ALERT_SILENCED},
        {"fSxf", ALERT_REOPENED},     {"fSS", ALERT_SILENCED},     {"fDf", ALERT_DISMISSED},
        {"fDW", ALERT_DISMISSED},     {"fDO", ALERT_REOPENED},     {"fASD", ALERT_DISMISSED},
        {"fC", ALERT_DISMISSED},      {"fCF", ALERT_DISMISSED},    {"fCxf", ALERT_REOPENED},
        {"fCp", ALERT_RESOLVED},      {"F", ALERT_NONE},           {"fF", ALERT_OPEN},
    };
    CHECK(stories);
}

static void calls_worse_only_what_is_clearly_worse(void **state)
{
    (void)state;
    static const struct {
        struct opt_f64 known, now;
        enum alert_action action;
    } cases[] = {
        {{true, 4}, {true, 4.9}, ALERT_REGRESS}, {{true, 4}, {true, 5}, ALERT_WORSEN},
        {{true, 1}, {true, 1.9}, ALERT_REGRESS}, {{true, 40}, {true, 49}, ALERT_REGRESS},
        {{true, 40}, {true, 50}, ALERT_WORSEN},  {{false, 0}, {true, 50}, ALERT_REGRESS},
        {{true, 4}, {false, 0}, ALERT_REGRESS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        enum alert_action action;
        const struct alert_past past = {.state = ALERT_ACKNOWLEDGED,
                                        .acknowledged_pct = cases[i].known};
        const struct alert_finding finding = {VERDICT_FAIL, false, cases[i].now};
        assert_true(alert_verdict_action(&past, &finding, &action));
        assert_int_equal(action, cases[i].action);
    }
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
        cmocka_unit_test(is_ended_by_the_first_pass),
        cmocka_unit_test(needs_two_passes_in_a_row_when_it_came_back_lately),
        cmocka_unit_test(keeps_what_people_say_as_long_as_it_covers_what_comes),
        cmocka_unit_test(calls_worse_only_what_is_clearly_worse),
        cmocka_unit_test(has_each_move_once_and_refuses_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
