/* What reports told and is none any more is taken back: by the next report of the name that told
 * it, once, with the reason, and by no other. */
#include "history/alert/alert.h"
#include "history/profiles/amend.h"
#include "history/profiles/profiles.h"
#include "ops/flow/reports/reports.h"
#include "ops/runtime/clock.h"
#include "tests/support/cluster.h"
#include "tests/support/ledger_fixture.h"
#include "tests/support/report_fixture.h"
#include "tests/support/year_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DAYS = 110, CHANGED = 80, WEEK = 7 };
enum project { RETRACTED, WORDED, RENAMED, BY_HAND, MARKED, PROJECTS };

static const char *const names[PROJECTS] = {"retracted", "worded", "renamed", "by hand", "marked"};

static struct scene *scene;

static int set_up(void **state)
{
    static const struct year_change change = {CHANGED, "fusion.1", 600};
    *state = scene = scene_open(0);
    for (size_t i = 0; i < PROJECTS; i++) {
        const struct year_plan plan = {.project = names[i],
                                       .workload = "w",
                                       .days = DAYS,
                                       .sd = .006,
                                       .changes = &change,
                                       .change_count = 1,
                                       .seed = 31};
        year_append(scene->db, &scene->arena, &plan);
    }
    return 0;
}

static struct trend_report report_of(enum project project, const char *name, int day)
{
    struct err err = {0};
    struct trend_report report;
    const struct report_request request = {.name = name,
                                           .project = names[project],
                                           .branch = "main",
                                           .measure = "steady_step_median",
                                           .since_us = YEAR_FIRST_US + (day - WEEK) * YEAR_DAY_US,
                                           .until_us = YEAR_FIRST_US + day * YEAR_DAY_US,
                                           .made_us = YEAR_FIRST_US + day * YEAR_DAY_US};
    if (!report_make(scene->db, &request, &scene->arena, &report, &err))
        fail_msg("%s", err.text);
    return report;
}

static void correct(struct amendment amendment, int day)
{
    int64_t id;
    char at[CLOCK_ISO_BYTES];
    struct err err = {0};
    clock_iso(YEAR_FIRST_US + day * YEAR_DAY_US - 1, at);
    const struct origin origin = {.recorded_at_utc = at, .by = "somebody"};
    amendment.origin = &origin;
    if (!ledger_amend(scene->db, &amendment, &scene->arena, &id, &err))
        fail_msg("%s", err.text);
}

static void retract(int64_t profile, int day)
{
    correct((struct amendment){.profile_id = profile,
                               .action = AMEND_retract,
                               .reason = "the wrong batch"},
            day);
}

/* The profile of a project's nth day: projects were taken in one after the other. */
static int64_t profile_of(enum project project, int nth)
{
    return (int64_t)project * DAYS + nth + 1;
}

/* The project's loss, as the report of that name told and recorded it. */
static struct trend_report told_loss(enum project project, const char *name)
{
    struct trend_report told = report_of(project, name, CHANGED + WEEK);
    assert_int_equal(told.loss_count, 1);
    report_keep(scene, &told);
    return told;
}

/* Its name's next report takes it back for that reason, once; to readers of another one, who were
 * not told, it is nothing. */
static void assert_taken_back(enum project project, const char *name,
                              const struct trend_report *told, const char *why)
{
    int day = CHANGED + 2 * WEEK;
    const char *other = name != NULL ? NULL : "stranger";
    struct trend_report report = report_of(project, name, day);
    assert_int_equal(report.withdrawn_count, 1);
    assert_int_equal(report_of(project, other, day).withdrawn_count, 0);
    const struct report_withdrawn *gone = &report.withdrawn[0];
    assert_string_equal(gone->told_in, told->report);
    assert_string_equal(gone->at_profile, told->losses[0].at_profile);
    assert_string_equal(gone->why, why);
    assert_false(gone->has_moved);
    report_assert_says(&report, why);
    report_assert_says(&report, arena_printf(&scene->arena, "(told in %s", told->report));
    report_keep(scene, &report);
    report_assert_same_again(scene, &report);
    assert_int_equal(report_of(project, name, day + 2).withdrawn_count, 0);
}

static void withdraw(const struct report_change *loss, const char *method, int day)
{
    int64_t id;
    char at[CLOCK_ISO_BYTES];
    struct err err = {0};
    clock_iso(YEAR_FIRST_US + day * YEAR_DAY_US - 1, at);
    const struct change_point_entry entry = {.measure = "steady_step_median",
                                             .at_profile_id =
                                                 strtoll(loss->at_profile + 1, NULL, 10),
                                             .status = CHANGE_POINT_WITHDRAWN,
                                             .before = loss->before,
                                             .after = loss->after,
                                             .method = method,
                                             .evidence = "{\"reason\":\"it was none\"}",
                                             .origin = {at, "alice"}};
    if (!change_point_add(scene->db, &entry, &id, &err))
        fail_msg("%s", err.text);
}

/* All runs of the new level are found to be wrong. */
static void takes_back_a_loss_whose_runs_were_retracted(void **state)
{
    (void)state;
    struct trend_report told = told_loss(RETRACTED, "daily");
    for (int i = CHANGED; i < DAYS; i++)
        retract(profile_of(RETRACTED, i), CHANGED + 2 * WEEK - 1);
    assert_taken_back(RETRACTED, "daily", &told,
                      "30 runs of its series were retracted since (the wrong batch), and what is "
                      "left does not show it");
}

/* Two of its runs were retracted, too, and count again: that is no reason. */
static void takes_back_what_a_person_withdrew_in_their_words(void **state)
{
    (void)state;
    const int day = CHANGED + 2 * WEEK - 1;
    struct trend_report told = told_loss(WORDED, "daily");
    for (int i = 0; i < 2; i++) {
        retract(profile_of(WORDED, CHANGED + 1 + i), day);
        correct((struct amendment){.profile_id = profile_of(WORDED, CHANGED + 1 + i),
                                   .action = AMEND_restore,
                                   .reason = "it was right"},
                day);
    }
    withdraw(&told.losses[0], "person", day);
    assert_taken_back(WORDED, "daily", &told, "alice took it back on 2025-04-03 (it was none)");
}

static void takes_back_a_loss_whose_runs_are_of_another_branch(void **state)
{
    (void)state;
    struct trend_report told = told_loss(RENAMED, "daily");
    for (int i = CHANGED; i < DAYS; i++)
        correct((struct amendment){.profile_id = profile_of(RENAMED, i),
                                   .action = AMEND_amend,
                                   .branch = "dev",
                                   .reason = "was dev"},
                CHANGED + 2 * WEEK - 1);
    assert_taken_back(RENAMED, "daily", &told,
                      "30 runs of its series were amended since (was dev), and what is left does "
                      "not show it");
}

/* What was told by hand is taken back by hand. */
static void takes_back_by_hand_what_was_told_by_hand(void **state)
{
    (void)state;
    struct trend_report told = told_loss(BY_HAND, NULL);
    withdraw(&told.losses[0], "person", CHANGED + 2 * WEEK - 1);
    assert_taken_back(BY_HAND, NULL, &told, "alice took it back on 2025-04-03 (it was none)");
}

/* A change that nobody planted was told by hand and marked; trends withdraw the mark two days
 * later.
 */
static void takes_back_what_trends_withdrew(void **state)
{
    (void)state;
    struct ledger_profile held;
    struct err err = {0};
    const int64_t profile = profile_of(MARKED, CHANGED / 2);
    assert_true(ledger_load_profile(scene->db, profile, &scene->arena, &held, &err));
    struct trend_report told = report_of(MARKED, NULL, CHANGED + WEEK);
    struct report_change *loss = &told.losses[0];
    assert_int_equal(told.loss_count, 1);
    loss->at_profile = arena_printf(&scene->arena, "p%lld", (long long)profile);
    loss->at_utc = "2025-02-10T00:00:00.000000Z";
    loss->before = 20000;
    loss->after = 21000;
    report_keep(scene, &told);
    withdraw(loss, "course/11", CHANGED + 2 * WEEK - 1);
    assert_taken_back(MARKED, NULL, &told, "the runs up to then did not show it any more");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_back_a_loss_whose_runs_were_retracted),
        cmocka_unit_test(takes_back_what_a_person_withdrew_in_their_words),
        cmocka_unit_test(takes_back_a_loss_whose_runs_are_of_another_branch),
        cmocka_unit_test(takes_back_by_hand_what_was_told_by_hand),
        cmocka_unit_test(takes_back_what_trends_withdrew),
    };
    return cmocka_run_group_tests(tests, set_up, scene_tear_down);
}
