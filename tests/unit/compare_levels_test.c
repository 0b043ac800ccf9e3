/* Random histories: what a verdict's baseline says of their levels and drifts, and what a trend of
 * the same runs says, do not contradict each other, wherever among them the candidate was captured.
 */
#include "compare/changes/changes.h"
#include "tests/support/gate_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RUNS_MAX = 60, CANDIDATES = 3, LEAST_LEVEL = 3 };
static const double run_sd = .01;

/* How runs differ. */
static const struct kind {
    const char *name;
    double rho, drift, accident; /* of a run with the one before; a run; of one run */
    double jump, later;          /* of the level, at two places */
    double sd;                   /* of a run; 0: run_sd */
    double rise;                 /* between the runs from and until; 0: none */
    size_t from, until;
} kinds[] = {
    {.name = "alike"},
    {.name = "following each other", .rho = .6},
    {.name = "drifting", .drift = .002},
    {.name = "with an accident", .accident = .15},
    {.name = "+3 %", .jump = .03},
    {.name = "+5 %", .jump = .05},
    {.name = "-5 %", .jump = -.05},
    {.name = "+15 %", .jump = .15},
    {.name = "+8 % and back", .jump = .08, .later = -.08},
    {.name = "+8 % twice", .jump = .08, .later = .08},
    {.name = "+8 %, following each other", .rho = .6, .jump = .08},
    {.name = "+5 % with an accident", .accident = .15, .jump = .05},
};
/* Drifts that are over, or began somewhere: of runs that hardly vary, or none could be told. */
static const struct kind bent_kinds[] = {
    {.name = "drifting until 24", .sd = .004, .rise = .05, .until = 24},
    {.name = "drifting until 36", .sd = .003, .rise = -.06, .until = 36},
    {.name = "drifting from 14 until 40", .sd = .003, .rise = .08, .from = 14, .until = 40},
    {.name = "drifting from 24 on", .sd = .004, .rise = .06, .from = 24, .until = RUNS_MAX},
    {.name = "drifting until 26, then +5 %", .sd = .003, .rise = .05, .until = 26, .later = .05},
    {.name = "drifting until 30, alike 2 %", .sd = .02, .rise = .05, .until = 30},
};
static const size_t lengths[] = {8, 12, 18, 30, 45, RUNS_MAX};
enum {
    KINDS = sizeof kinds / sizeof kinds[0],
    BENT_KINDS = sizeof bent_kinds / sizeof bent_kinds[0],
    LENGTHS = sizeof lengths / sizeof lengths[0]
};

struct history {
    struct scene scene;
    double times[RUNS_MAX];
    size_t count, older; /* runs; of these captured before the candidate */
    struct verdict verdict;
    struct course_findings trend;
    bool is_aside[RUNS_MAX]; /* no baseline, by the verdict */
    const char *said;        /* of a change of level; NULL: nothing */
};

static size_t place_draw(size_t from, size_t end, uint64_t *noise)
{
    double chance = .5 * erfc(-fixture_normal(noise) / sqrt(2));
    return from + (size_t)(chance * (double)(end - from));
}

static void history_read(struct history *history)
{
    struct err err = {0};
    const struct verdict_side *baseline = &history->verdict.baseline;
    assert_true(
        course_find(history->times, history->count, &history->scene.arena, &history->trend, &err));
    history->said = verdict_reason_text(&history->verdict, "baseline_level_changed");
    memset(history->is_aside, 0, sizeof history->is_aside);
    for (size_t i = 0; i < baseline->set_aside_count; i++)
        history->is_aside[atol(baseline->set_aside[i].profile_ids.items[0] + 1) - 1] = true;
}

/* Every second minute; those of a candidate behind `older` of them. */
static void times_say(struct scene *scene, size_t older)
{
    enum { HOUR = 60 };
    for (size_t i = 0; i < scene->baseline.count + scene->candidate.count; i++) {
        bool is_past = i < scene->baseline.count;
        size_t minute = is_past ? 2 * i + 1 : 2 * older, nth = is_past ? 0 : i;
        struct gate_profile *profile = is_past
                                           ? &scene->baseline.profiles[i]
                                           : &scene->candidate.profiles[i - scene->baseline.count];
        profile->ran_at_utc = arena_printf(&scene->arena, "2026-01-02T%02zu:%02zu:00.%06zuZ",
                                           minute / HOUR, minute % HOUR, nth);
    }
}

/* What the drift of a kind has come to. */
static double risen(const struct kind *kind, size_t run)
{
    size_t length = kind->until - kind->from, passed = run < kind->from ? 0 : run - kind->from;
    return kind->rise == 0 ? 0 : kind->rise * fmin((double)passed / (double)length, 1);
}

static void history_draw(struct history *history, const struct kind *kind, size_t count,
                         bool is_old, uint64_t seed)
{
    uint64_t noise = seed, moment = ~seed;
    size_t first = place_draw(LEAST_LEVEL, count - LEAST_LEVEL + 1, &noise);
    size_t second = place_draw(first, count, &noise), accident = place_draw(0, count, &noise);
    double before = fixture_normal(&noise);
    history->older = is_old ? place_draw(1, count, &moment) : count;
    scene_init(&history->scene);
    history->count = count;
    for (size_t run = 0; run < count + CANDIDATES; run++) {
        struct summary_plan plan;
        summary_plan_default(&plan);
        plan.device_count = 1;
        before = kind->rho * before + sqrt(1 - kind->rho * kind->rho) * fixture_normal(&noise);
        double sd = kind->sd > 0 ? kind->sd : run_sd;
        double change = sd * before + kind->drift * (double)run + risen(kind, run);
        change += run >= first ? kind->jump : 0;
        change += run >= second ? kind->later : 0;
        change += run == accident ? kind->accident : 0;
        struct scene *scene = &history->scene;
        scene_add_runs(scene, run < count ? &scene->baseline : &scene->candidate, &plan, &change,
                       1);
        if (run < count)
            history->times[run] = plan.step_us * (1 + change);
    }
    times_say(&history->scene, history->older);
    history->verdict = scene_judge(&history->scene);
    history_read(history);
}

/* Where the level of the verdict's baseline begins: behind the last run of another one that is
 * older than the candidate. *ret_end: the first of those that are not. */
static size_t level_find(const struct history *history, size_t *ret_end)
{
    const struct verdict_side *baseline = &history->verdict.baseline;
    size_t begin = 0, end = history->count;
    for (size_t i = 0; i < baseline->set_aside_count; i++) {
        size_t place = (size_t)atol(baseline->set_aside[i].profile_ids.items[0] + 1);
        if (strcmp(baseline->set_aside[i].reason, "other_level") != 0)
            continue;
        if (place <= history->older)
            begin = place > begin ? place : begin;
        else
            end = place - 1 < end ? place - 1 : end;
    }
    *ret_end = end;
    return begin;
}

/* The trend's change of that direction about there; NULL: it tells of none. */
static const struct course_shift *shift_near(const struct history *history, size_t begin, bool up)
{
    enum { BESIDE = 2 };
    const struct course_shift *found = NULL;
    for (size_t i = 0; i < history->trend.shift_count; i++) {
        const struct course_shift *shift = &history->trend.shifts[i];
        if ((shift->after > shift->before) == up && begin + BESIDE >= shift->first &&
            begin <= shift->last + BESIDE && (found == NULL || shift->confirmed))
            found = shift;
    }
    return found;
}

/* Runs far from their neighbours: what the verdict sets aside as such, a trend marks, and it marks
 * none that the verdict takes. Of the newest only runs behind it would tell. */
static const char *outlier_contradiction_find(const struct history *history, size_t *outliers)
{
    double logarithms[RUNS_MAX];
    struct apart apart;
    bool is_outlier[RUNS_MAX] = {false};
    const struct verdict_side *baseline = &history->verdict.baseline;
    for (size_t run = 0; run < history->count; run++)
        logarithms[run] = log(history->times[run]);
    apart_find(logarithms, history->count, log1p(.02),
               (struct arena *)(uintptr_t)&history->scene.arena, &apart);
    for (size_t i = 0; i < baseline->set_aside_count; i++)
        if (strcmp(baseline->set_aside[i].reason, "outlier") == 0)
            is_outlier[atol(baseline->set_aside[i].profile_ids.items[0] + 1) - 1] = true;
    for (size_t run = 0; run + 1 < history->count; run++) {
        bool is_marked = apart_is_far(&apart, run);
        *outliers += is_marked;
        if (is_marked && !history->is_aside[run])
            return "the verdict takes a run that a trend marks";
        if (is_outlier[run] && !is_marked)
            return "the verdict sets a run aside that a trend does not mark";
    }
    return NULL;
}

/* NULL: the trend tells of that change of the verdict as well. */
static const char *change_contradiction_find(const struct history *history, size_t place,
                                             struct opt_f64 change_pct)
{
    if (!change_pct.set)
        return NULL;
    bool is_sure = strstr(history->said, "may have changed") == NULL;
    const struct course_shift *shift = shift_near(history, place, change_pct.value > 0);
    if (shift == NULL)
        return "the verdict parts runs where the trend tells of nothing";
    return is_sure && !shift->confirmed
               ? "the verdict is sure of a change that the trend only suspects"
               : NULL;
}

/* NULL: no run is taken from beyond a change that the trend confirms. */
static const char *level_contradiction_find(const struct history *history)
{
    static const double matters = .01; /* half of what the default policy asks for */
    for (size_t i = 0; i < history->trend.shift_count; i++) {
        const struct course_shift *shift = &history->trend.shifts[i];
        if (!shift->confirmed || fabs(log(shift->after / shift->before)) <= matters)
            continue;
        bool is_behind = shift->index >= history->older;
        for (size_t run = 0; run < history->count; run++) {
            bool is_beyond = is_behind ? run > shift->last && run >= shift->index
                                       : run < shift->first && run < shift->index;
            if (is_beyond && !history->is_aside[run])
                return "the verdict takes runs from beyond a change that the trend confirms";
        }
    }
    return NULL;
}

/* NULL: the verdict's baseline is of the stretch that it stands in: of a drift that is sure, or of
 * what lies before it or behind. */
static const char *drift_contradiction_find(const struct history *history)
{
    static const double matters = .01;
    enum { BESIDE = 2 }; /* a change of level there may lie as far from it */
    for (size_t i = 0; i < history->trend.slope_count; i++) {
        const struct course_slope *slope = &history->trend.slopes[i];
        bool is_before = history->older <= slope->first, is_behind = history->older > slope->end;
        if (!slope->is_sure || fabs(log(slope->after / slope->before)) <= matters)
            continue;
        for (size_t run = 0; run < history->count; run++) {
            bool is_in = run >= slope->first + BESIDE && run + BESIDE < slope->end;
            bool is_out = run + BESIDE < slope->first || run >= slope->end + BESIDE;
            if (!history->is_aside[run] && (is_before || is_behind ? is_in : is_out))
                return is_before   ? "the verdict takes runs of a drift that had not begun"
                       : is_behind ? "the verdict takes runs of a drift that ended"
                                   : "the verdict takes runs from beyond a drift";
        }
    }
    return NULL;
}

/* The trend is sure of a drift that the candidate stands in. */
static bool is_in_drift(const struct history *history)
{
    for (size_t i = 0; i < history->trend.slope_count; i++) {
        const struct course_slope *slope = &history->trend.slopes[i];
        if (slope->is_sure && history->older >= slope->first && history->older <= slope->end)
            return true;
    }
    return false;
}

/* NULL: nothing contradicts. */
static const char *contradiction_find(const struct history *history)
{
    const struct verdict_statistics *statistics = &history->verdict.statistics;
    size_t end, begin = level_find(history, &end);
    const char *found = change_contradiction_find(history, begin, statistics->level_change_pct);
    if (found == NULL)
        found = change_contradiction_find(history, end, statistics->level_end_pct);
    if (found == NULL)
        found = level_contradiction_find(history);
    if (found == NULL)
        found = drift_contradiction_find(history);
    if (found != NULL)
        return found;
    const char *drifts = verdict_reason_text(&history->verdict, "baseline_drifts");
    if (drifts != NULL && strstr(drifts, " drifts by ") != NULL && !is_in_drift(history))
        return "the verdict is sure of a drift that the trend does not tell for sure";
    if (statistics->drift_pct_per_run.set && history->verdict.baseline.set_aside_count == 0 &&
        history->trend.slope_count == 0)
        return "the verdict names a drift of which the trend tells nothing";
    return NULL;
}

static void no_verdict_contradicts_the_trend(void **state)
{
    enum { DRAWS = 4 };
    (void)state;
    size_t levels = 0, ends = 0, sure = 0, drifts = 0, outliers = 0;
    for (size_t draw = 0; draw < DRAWS * LENGTHS * KINDS; draw++) {
        static struct history history;
        const struct kind *kind = &kinds[draw % KINDS];
        size_t count = lengths[draw / KINDS % LENGTHS];
        bool is_old = draw / (KINDS * LENGTHS) % 2 != 0;
        history_draw(&history, kind, count, is_old, 104729 * (uint64_t)(draw + 1));
        const char *contradiction = contradiction_find(&history);
        if (contradiction == NULL)
            contradiction = outlier_contradiction_find(&history, &outliers);
        if (contradiction != NULL)
            fail_msg("%zu runs %s, %zu before the candidate, draw %zu: %s", count, kind->name,
                     history.older, draw, contradiction);
        levels += history.said != NULL;
        ends += history.verdict.statistics.level_end_pct.set;
        sure += history.said != NULL && strstr(history.said, "may have") == NULL;
        drifts += history.verdict.statistics.drift_pct_per_run.set;
        scene_done(&history.scene);
    }
    /* that there was something to contradict */
    assert_true(ends >= DRAWS * LENGTHS);
    assert_true(levels >= DRAWS * LENGTHS * 5);
    assert_true(sure >= DRAWS * LENGTHS * 3 && sure < levels);
    assert_true(drifts >= DRAWS);
    assert_true(outliers >= DRAWS * LENGTHS);
}

/* Where a drift ended, or began, the verdict goes by the stretch that the candidate stands in. */
static void no_verdict_goes_on_with_a_drift_that_ended(void **state)
{
    enum { DRAWS = 30 };
    (void)state;
    size_t ended = 0, old = 0, parted = 0;
    for (size_t draw = 0; draw < DRAWS * BENT_KINDS; draw++) {
        static struct history history;
        const struct kind *kind = &bent_kinds[draw % BENT_KINDS];
        size_t count = RUNS_MAX - draw / BENT_KINDS % 3 * 4;
        history_draw(&history, kind, count, draw / BENT_KINDS % 2 != 0,
                     15485863 * (uint64_t)(draw + 1));
        const char *contradiction = contradiction_find(&history);
        if (contradiction != NULL)
            fail_msg("%zu runs %s, %zu before the candidate, draw %zu: %s", count, kind->name,
                     history.older, draw, contradiction);
        const char *said = verdict_reason_text(&history.verdict, "baseline_drift_apart");
        parted += said != NULL;
        ended += said != NULL && strstr(said, "since then alone") != NULL;
        old += said != NULL && strstr(said, "behind the candidate") != NULL;
        scene_done(&history.scene);
    }
    if (parted < 2 * DRAWS || ended < DRAWS || old < DRAWS / 3)
        fail_msg("%zu parted by a drift, %zu ended, %zu behind the candidate", parted, ended, old);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_verdict_contradicts_the_trend),
        cmocka_unit_test(no_verdict_goes_on_with_a_drift_that_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
