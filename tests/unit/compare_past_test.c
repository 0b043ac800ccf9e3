/* Tests of how a past goes on: a level or a drift is named when it is there, and hardly ever when
 * runs only vary. */
#include "compare/changes/changes.h"
#include "tests/support/assert_number.h"
#include "tests/support/gate_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PAST = 12, CANDIDATES = 3 };

/* Runs that vary by 1 %; from `place` on the past and the candidate are changed by `jump`, and each
 * run takes `drift` more than the one before. */
static struct verdict judged(struct scene *scene, uint64_t seed, double jump, double drift)
{
    enum { PLACE = 6 };
    uint64_t noise = seed;
    scene_init(scene);
    for (int run = 0; run < PAST + CANDIDATES; run++) {
        double change = 0.01 * fixture_normal(&noise) + (run >= PLACE ? jump : 0) + run * drift;
        struct summary_plan plan;
        summary_plan_default(&plan);
        plan.device_count = 1;
        scene_add_runs(scene, run < PAST ? &scene->baseline : &scene->candidate, &plan, &change, 1);
    }
    return scene_judge(scene);
}

static void names_a_level_that_changed(void **state)
{
    (void)state;
    struct scene scene;
    struct verdict verdict = judged(&scene, 1, -0.06, 0);
    assert_true(verdict.statistics.level_change_pct.set);
    assert_true(verdict.statistics.level_change_pct.value < -4);
    assert_int_equal(verdict.baseline.set_aside_count, 6);
    const char *said = verdict_reason_text(&verdict, "baseline_level_changed");
    assert_non_null(said);
    assert_non_null(strstr(said, "6 past runs of the other level count only"));
    scene_done(&scene);
}

/* Six runs at a level do not tell a change for sure from noise that is correlated; 24 do. */
static void says_of_a_level_no_more_than_is_sure(void **state)
{
    (void)state;
    for (size_t a_level = 6; a_level <= 24; a_level += 18) {
        struct scene scene;
        uint64_t noise = 5;
        scene_init(&scene);
        for (size_t run = 0; run < 2 * a_level + 3; run++) {
            double change = 0.01 * fixture_normal(&noise) + (run >= a_level ? 0.06 : 0);
            struct summary_plan plan;
            summary_plan_default(&plan);
            plan.device_count = 1;
            scene_add_runs(&scene, run < 2 * a_level ? &scene.baseline : &scene.candidate, &plan,
                           &change, 1);
        }
        struct verdict verdict = scene_judge(&scene);
        const char *said = verdict_reason_text(&verdict, "baseline_level_changed");
        assert_non_null(said);
        if ((strstr(said, "may have changed") != NULL) != (a_level == 6))
            fail_msg("%zu runs a level: %s", a_level, said);
        scene_done(&scene);
    }
}

/* Four runs at one level, two at another: what would hide a loss of 14 % passes by luck alone. */
static void passes_nothing_that_would_hide_what_matters_many_times(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct scene scene;
        uint64_t noise = seed;
        scene_init(&scene);
        for (size_t run = 0; run < 9; run++) {
            double change = 0.03 * fixture_normal(&noise) + (run == 4 || run == 5 ? 0.1 : 0);
            struct summary_plan plan;
            summary_plan_default(&plan);
            plan.device_count = 1;
            scene_add_runs(&scene, run < 6 ? &scene.baseline : &scene.candidate, &plan, &change, 1);
        }
        struct verdict verdict = scene_judge(&scene);
        const struct verdict_statistics *s = &verdict.statistics;
        if (verdict.status == VERDICT_PASS && s->ci_high_pct.value >= 0 && s->mde_pct.value > 10.5)
            fail_msg("seed %d passes and would have hidden %.1f %%", (int)seed, s->mde_pct.value);
        scene_done(&scene);
    }
}

/* What the verdict says of the medians, where the rule's estimate is far from what they show. */
static bool says_why_apart(const struct verdict *verdict, const char *words)
{
    for (size_t i = 0; i < verdict->reason_count; i++) {
        if (strstr(verdict->reasons[i].text, words) != NULL)
            return true;
    }
    return false;
}

/* Past runs stand 7 % below the candidate by their medians, and nothing but the drift moved. */
static void says_why_the_estimate_is_not_what_the_medians_show(void **state)
{
    (void)state;
    struct scene scene;
    struct verdict verdict = judged(&scene, 2, 0, 0.01);
    assert_true(verdict.candidate.step_median_us.value >
                1.05 * verdict.baseline.step_median_us.value);
    assert_true(verdict.statistics.estimate_pct.value < 3);
    assert_true(says_why_apart(
        &verdict, "(against where the drift leads; the medians are of past runs as they were)"));
    scene_done(&scene);
    verdict = judged(&scene, 2, 0, 0);
    assert_false(says_why_apart(&verdict, "; the medians "));
    scene_done(&scene);
}

/* 14 runs that become longer by `drift` each, and vary by .8 % about that. */
static const char *drift_reason(uint64_t seed, double drift, struct scene *scene)
{
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.device_count = 1;
    scene_init(scene);
    for (size_t run = 0; run < 17; run++) {
        double change = drift * (double)run + 0.008 * fixture_normal(&seed);
        scene_add_runs(scene, run < 14 ? &scene->baseline : &scene->candidate, &plan, &change, 1);
    }
    struct verdict verdict = scene_judge(scene);
    return verdict_reason_text(&verdict, "baseline_drifts");
}

/* What weighs in the estimate is named, also where a change of level would explain it as well. */
static void names_a_drift_that_is_likely(void **state)
{
    (void)state;
    size_t drifting = 0, open = 0, level = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct scene scene;
        const char *says = drift_reason(seed, 0.004, &scene);
        drifting += says != NULL;
        open += says != NULL && strstr(says, "its runs do not tell which") != NULL;
        scene_done(&scene);
        level += drift_reason(seed, 0, &scene) != NULL;
        scene_done(&scene);
    }
    if (drifting < 35 || open == 0 || open == drifting || level > 1)
        fail_msg("%zu of 40 drifts named, %zu as open; %zu of levels", drifting, open, level);
}

static void names_a_drift(void **state)
{
    (void)state;
    struct scene scene;
    struct verdict verdict = judged(&scene, 2, 0, 0.01);
    assert_true(verdict.statistics.drift_pct_per_run.set);
    assert_float_equal(verdict.statistics.drift_pct_per_run.value, 1, 0.4);
    assert_int_equal(verdict.baseline.set_aside_count, 0);
    assert_non_null(verdict_reason_text(&verdict, "baseline_drifts"));
    scene_done(&scene);
}

/* What only varies looks like a change of level in 7 of 100 pasts that are more likely changed than
 * not. */
static void names_nothing_where_runs_only_vary(void **state)
{
    enum { PASTS = 400, MOST = 4 };
    (void)state;
    int named = 0;
    for (uint64_t seed = 1; seed <= PASTS; seed++) {
        struct scene scene;
        struct verdict verdict = judged(&scene, 7919 * seed, 0, 0);
        named += verdict.statistics.level_change_pct.set + verdict.statistics.drift_pct_per_run.set;
        scene_done(&scene);
    }
    assert_in_range(named, 0, MOST);
}

/* Gate and trend have models of their own; where the runs leave no doubt they tell the same: that
 * the level changed, behind which run, by how much, or that nothing did. */
static void agrees_with_the_trend_of_the_same_runs(void **state)
{
    enum { RUNS = 24, PLACES = 9, FIRST_PLACE = 8 };
    static const double jumps[] = {0, .1, -.1};
    (void)state;
    for (int draw = 0; draw < 3 * PLACES; draw++) {
        size_t place = FIRST_PLACE + (size_t)draw % PLACES;
        double jump = jumps[draw / PLACES], times[RUNS];
        uint64_t noise = 104729 * (uint64_t)(draw + 1);
        struct scene scene;
        struct course_findings told;
        struct err err = {0};
        scene_init(&scene);
        for (size_t run = 0; run < RUNS + CANDIDATES; run++) {
            double change = .01 * fixture_normal(&noise) + (run >= place ? jump : 0);
            struct summary_plan plan;
            summary_plan_default(&plan);
            plan.device_count = 1;
            scene_add_runs(&scene, run < RUNS ? &scene.baseline : &scene.candidate, &plan, &change,
                           1);
            if (run < RUNS)
                times[run] = plan.step_us * (1 + change);
        }
        struct verdict verdict = scene_judge(&scene);
        assert_true(course_find(times, RUNS, &scene.arena, &told, &err));
        size_t confirmed = 0;
        for (size_t i = 0; i < told.shift_count; i++)
            confirmed += told.shifts[i].confirmed;
        assert_int_equal(told.slope_count, 0);
        assert_false(verdict.statistics.drift_pct_per_run.set);
        assert_int_equal(confirmed, jump != 0);
        assert_int_equal(verdict.statistics.level_change_pct.set, jump != 0);
        if (jump != 0) {
            assert_int_equal(told.shifts[0].index, place);
            assert_int_equal(verdict.baseline.set_aside_count, place);
            double percent = 100 * (told.shifts[0].after / told.shifts[0].before - 1);
            assert_number(percent, verdict.statistics.level_change_pct.value, 1.5);
        }
        scene_done(&scene);
    }
}

/* The newest of 12 past runs are changed by `moved`, the candidate's by `change`. */
static struct verdict newest_judged(struct scene *scene, uint64_t seed, int newest, double moved,
                                    double change)
{
    uint64_t noise = seed;
    scene_init(scene);
    for (int run = 0; run < PAST + CANDIDATES; run++) {
        double own = run >= PAST ? change : run >= PAST - newest ? moved : 0;
        struct summary_plan plan;
        summary_plan_default(&plan);
        plan.device_count = 1;
        own += 0.01 * fixture_normal(&noise);
        scene_add_runs(scene, run < PAST ? &scene->baseline : &scene->candidate, &plan, &own, 1);
    }
    return scene_judge(scene);
}

/* Three runs behind a step of the level: none of them is an accident, whatever it took beside the
 * two others, and the baseline is those three. */
static void takes_no_run_of_a_level_that_began_for_an_accident(void **state)
{
    enum { DRAWS = 60, BEGAN = 3, MOST_ASIDE = 3, MOST_MIXED = 12 };
    static const struct {
        size_t before;
        double sd;
    } cases[] = {{14, .01}, {40, .01}, {8, .004}};
    (void)state;
    size_t aside = 0, mixed = 0;
    for (size_t draw = 0; draw < 3 * DRAWS; draw++) {
        size_t before = cases[draw / DRAWS].before, past = before + BEGAN;
        uint64_t noise = 7919 * (uint64_t)(draw % DRAWS + 1) + 13;
        struct scene scene;
        scene_init(&scene);
        for (size_t run = 0; run < past + CANDIDATES; run++) {
            double change =
                cases[draw / DRAWS].sd * fixture_normal(&noise) + (run >= before ? .05 : 0);
            struct summary_plan plan;
            summary_plan_default(&plan);
            plan.device_count = 1;
            scene_add_runs(&scene, run < past ? &scene.baseline : &scene.candidate, &plan, &change,
                           1);
        }
        struct verdict verdict = scene_judge(&scene);
        const struct verdict_side *side = &verdict.baseline;
        size_t old = 0;
        for (size_t i = 0; i < side->set_aside_count; i++)
            aside += (size_t)atol(side->set_aside[i].profile_ids.items[0] + 1) > before;
        for (size_t i = 0; i < side->profile_ids.count; i++)
            old += (size_t)atol(side->profile_ids.items[i] + 1) <= before;
        mixed += old > 0 && old < side->profile_ids.count;
        scene_done(&scene);
    }
    if (aside > MOST_ASIDE || mixed > MOST_MIXED)
        fail_msg("%zu runs of new levels set aside, %zu baselines of two levels", aside, mixed);
}

/* One may be an accident, and with a candidate that stands where it does it may be a level; two
 * more likely are one, and three are. */
static void asks_what_the_newest_runs_say_that_moved(void **state)
{
    (void)state;
    static const struct {
        int newest;
        double moved, change;
        enum verdict_status status;
        size_t set_aside;
        const char *said; /* by the reason; NULL: there is none */
    } cases[] = {
        {0, 0, 0.1, VERDICT_FAIL, 0, NULL},
        {1, 0.1, 0.1, VERDICT_INCONCLUSIVE, 1, " run moved"},
        {1, 0.1, 0.1, VERDICT_INCONCLUSIVE, 1,
         " Against it alone the candidate would not surely fail."},
        {1, 0.04, 0.04, VERDICT_INCONCLUSIVE, 0, " run moved"}, /* no outlier, and asked */
        {1, 0.2, 0.06, VERDICT_FAIL, 1, " run moved"}, /* faster than it, slower than the others */
        {1, -0.1, 0, VERDICT_PASS, 1,
         "tells an accident from a new level. Against it alone the candidate would fail."},
        {1, 0.1, 0.25, VERDICT_FAIL, 1, "more runs of the baseline would."},
        {2, 0.1, 0.1, VERDICT_INCONCLUSIVE, 2,
         "2 runs moved, and no run behind them tells an accident from a new level: more runs of "
         "the baseline would. Against them alone the candidate would not surely fail."},
        {2, 0.1, 0.25, VERDICT_FAIL, 2, "more runs of the baseline would."},
        {2, -0.1, 0, VERDICT_INCONCLUSIVE, 2, " Against them alone the candidate would fail."},
        {2, -0.1, 0.1, VERDICT_FAIL, 2, "more runs of the baseline would."},
        {3, 0.1, 0.25, VERDICT_FAIL, 9, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scene scene;
        struct verdict verdict =
            newest_judged(&scene, 3, cases[i].newest, cases[i].moved, cases[i].change);
        const char *text = verdict_reason_text(&verdict, "baseline_newest_moved");
        if (verdict.status != cases[i].status ||
            verdict.baseline.set_aside_count != cases[i].set_aside ||
            (text == NULL) != (cases[i].said == NULL) ||
            (text != NULL && strstr(text, cases[i].said) == NULL))
            fail_msg("case %zu: %s, %zu set aside: %s; %s", i, verdict_status_names[verdict.status],
                     verdict.baseline.set_aside_count, verdict.reasons[0].text,
                     text == NULL ? "" : text);
        for (size_t j = 0; cases[i].newest < 3 && j < verdict.baseline.set_aside_count; j++)
            assert_null(strstr(verdict.baseline.set_aside[j].text, "around it"));
        scene_done(&scene);
    }
}

/* `began` of `past` runs are longer by `moved`, and so is the candidate; all vary by 1 %. */
static struct verdict began_judged(struct scene *scene, uint64_t seed, size_t past, size_t began,
                                   double moved)
{
    scene_init(scene);
    for (size_t run = 0; run < past + CANDIDATES; run++) {
        double change = .01 * fixture_normal(&seed) + (run + began >= past ? moved : 0);
        struct summary_plan plan;
        summary_plan_default(&plan);
        plan.device_count = 1;
        scene_add_runs(scene, run < past ? &scene->baseline : &scene->candidate, &plan, &change, 1);
    }
    return scene_judge(scene);
}

/* Where the newest runs may be a level of their own, and do not show it for sure, the candidate is
 * compared with them and with those before. */
static void says_what_the_candidate_is_against_both(void **state)
{
    enum { DRAWS = 60, MOST_UNSAID = 9, FEWEST = 40 };
    static const struct {
        size_t past, began;
        double moved;
    } cases[] = {{16, 2, .05}, {45, 3, .045}};
    (void)state;
    for (size_t c = 0; c < 2; c++) {
        size_t open = 0, unsaid = 0, apart = 0;
        for (uint64_t draw = 1; draw <= DRAWS; draw++) {
            struct scene scene;
            const struct verdict verdict = began_judged(&scene, 7919 * draw + 13, cases[c].past,
                                                        cases[c].began, cases[c].moved);
            const char *moved = verdict_reason_text(&verdict, "baseline_newest_moved");
            const char *level = verdict_reason_text(&verdict, "baseline_level_changed");
            const char *text = moved != NULL ? moved : level;
            const char *says = text == NULL ? NULL : strstr(text, "he candidate is ");
            double with = 0, before = 0;
            if (level == NULL || strstr(level, "may have changed") != NULL) {
                open++;
                unsaid += says == NULL;
            }
            if (says != NULL && moved != NULL)
                assert_int_equal(sscanf(says,
                                        "he candidate is %lf %%, 95 %% interval %*f..%*f %%, "
                                        "against them, and %lf %%",
                                        &with, &before),
                                 2);
            apart += says != NULL && (moved == NULL || before - with > 2);
            scene_done(&scene);
        }
        if (open < FEWEST || unsaid > MOST_UNSAID || apart + 4 < open - unsaid)
            fail_msg("%zu runs of %zu: %zu open, %zu of them unsaid, %zu apart", cases[c].began,
                     cases[c].past, open, unsaid, apart);
    }
}

/* Main's newest run is a level that the candidate shares, or the candidate is slower by itself. */
static void fails_no_candidate_that_stands_where_main_does(void **state)
{
    enum { DRAWS = 60, MOST_FAILS = 3, LEAST_CAUGHT = 57 };
    (void)state;
    int fails = 0, caught = 0;
    for (uint64_t seed = 1; seed <= DRAWS; seed++) {
        struct scene scene;
        struct verdict verdict = newest_judged(&scene, 7919 * seed, 1, 0.08, 0.08);
        fails += verdict.status == VERDICT_FAIL;
        scene_done(&scene);
        verdict = newest_judged(&scene, 7919 * seed, 0, 0, 0.08);
        caught += verdict.status == VERDICT_FAIL;
        scene_done(&scene);
    }
    assert_in_range(fails, 0, MOST_FAILS);
    assert_in_range(caught, LEAST_CAUGHT, DRAWS);
}

static void names_the_newest_run_that_leaves_it_open(void **state)
{
    (void)state;
    struct scene scene;
    struct verdict verdict = newest_judged(&scene, 3, 1, 0.1, 0.1);
    (void)verdict;
    struct gate_profile *newest = &scene.baseline.profiles[PAST - 1];
    newest->branch = "main";
    newest->commit = "0123abcd";
    newest->run = "nightly-12";
    verdict = scene_judge(&scene);
    assert_string_equal(verdict.reasons[0].code, "step_median_uncertain");
    const char *text = verdict.reasons[0].text;
    assert_non_null(strstr(text, "surely slower by the past, but main's newest run nightly-12 "
                                 "(commit 0123abcd) is already +"));
    assert_non_null(strstr(text, "Either that commit is slower, or the machine was: run the "
                                 "baseline branch again."));
    scene_done(&scene);
}

/* A loss to the level of the newest run leaves the verdict open: the smallest that fails is beyond
 * it. A newest run that is faster hides none. */
static void claims_no_effect_that_the_newest_run_hides(void **state)
{
    (void)state;
    struct scene scene;
    double slower = newest_judged(&scene, 3, 1, 0.1, 0).statistics.mde_pct.value;
    scene_done(&scene);
    double faster = newest_judged(&scene, 3, 1, -0.1, 0).statistics.mde_pct.value;
    scene_done(&scene);
    assert_true(slower > 12);
    assert_true(faster < 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claims_no_effect_that_the_newest_run_hides),
        cmocka_unit_test(names_a_level_that_changed),
        cmocka_unit_test(says_of_a_level_no_more_than_is_sure),
        cmocka_unit_test(passes_nothing_that_would_hide_what_matters_many_times),
        cmocka_unit_test(says_why_the_estimate_is_not_what_the_medians_show),
        cmocka_unit_test(names_a_drift),
        cmocka_unit_test(names_a_drift_that_is_likely),
        cmocka_unit_test(agrees_with_the_trend_of_the_same_runs),
        cmocka_unit_test(names_nothing_where_runs_only_vary),
        cmocka_unit_test(takes_no_run_of_a_level_that_began_for_an_accident),
        cmocka_unit_test(asks_what_the_newest_runs_say_that_moved),
        cmocka_unit_test(says_what_the_candidate_is_against_both),
        cmocka_unit_test(fails_no_candidate_that_stands_where_main_does),
        cmocka_unit_test(names_the_newest_run_that_leaves_it_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
