/* A candidate that was captured before the branch took another level is judged by the level of
 * then, whoever said that there is one; one that was captured since by that of today. */
#include "history/alert/alert.h"
#include "history/alert/change_points.h"
#include "history/profiles/profiles.h"
#include "ops/flow/judge/judge.h"
#include "ops/flow/trends/trends.h"

#include "tests/support/ledger_fixture.h"
#include "tests/support/summary_fixture.h"
#include "tests/support/year_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { DAYS = 60, LOSS_DAY = 40, CANDIDATES = 3, NAME_BYTES = 32 };

static const char workload[] = "nightly", series[] = "s1";
static const struct year_change loss = {LOSS_DAY, "fusion.1", 600};
static struct scene *scene;
static struct conf conf;
static int64_t newest_id;

/* Runs of main, the day's profile is p<day + 1>. */
static int set_up(void **state)
{
    struct err err = {0};
    *state = scene = scene_open(0);
    assert_true(conf_load(&conf, &scene->arena, NULL, &err));
    const struct year_plan plan = {.project = "llm",
                                   .workload = workload,
                                   .days = DAYS,
                                   .sd = .004,
                                   .changes = &loss,
                                   .change_count = 1,
                                   .captured_before = DAYS + CANDIDATES,
                                   .seed = 47};
    year_append(scene->db, &scene->arena, &plan);
    newest_id = DAYS;
    return 0;
}

static int64_t id_of(int day)
{
    return day + 1;
}

static void confirm(int day, enum change_point_status status)
{
    struct err err = {0};
    int64_t id;
    const struct change_point_entry point = {.measure = "steady_step_median",
                                             .at_profile_id = id_of(day),
                                             .status = status,
                                             .before = 10000,
                                             .after = 10600,
                                             .method = "person"};
    if (!change_point_add(scene->db, &point, &id, &err))
        fail_msg("%s", err.text);
}

static void rebaseline(int day)
{
    struct err err = {0};
    struct level_mark mark;
    const struct rebaseline_entry behind = {
        .series = series, .after_profile_id = id_of(day), .reason = "new drivers"};
    if (!ledger_rebaseline(scene->db, &behind, &mark, &err))
        fail_msg("%s", err.text);
}

/* Three runs of a topic, captured on these days behind main's; us: what fusion.1 takes more. */
static struct gate_outcome judged(const int *days, double us)
{
    struct err err = {0};
    static uint64_t seed = 100;
    const struct year_change change = {0, "fusion.1", us};
    const struct year_plan plan = {.project = "llm",
                                   .workload = workload,
                                   .days = CANDIDATES,
                                   .taken_in = days,
                                   .sd = .002,
                                   .changes = &change,
                                   .change_count = 1,
                                   .captured_before = DAYS + CANDIDATES,
                                   .topic_from = 1,
                                   .seed = seed++};
    const struct flow flow = {&conf, scene->db, &scene->arena, &scene->arena};
    const char *names[CANDIDATES];
    struct gate_job *job = arena_new(&scene->arena, struct gate_job);
    struct gate_outcome outcome;
    year_append(scene->db, &scene->arena, &plan);
    for (int i = 0; i < CANDIDATES; i++)
        names[i] = arena_printf(&scene->arena, "p%lld", (long long)++newest_id);
    *job = (struct gate_job){.project = "llm",
                             .workload = workload,
                             .branch = "topic",
                             .baseline_branch = "main",
                             .last = 200,
                             .candidates = {names, CANDIDATES}};
    gate_judge_job(&flow, job, &outcome);
    if (outcome.id == 0)
        fail_msg("%s", outcome.failure.text);
    assert_true(err.kind == ERR_NONE);
    return outcome;
}

static void is_judged_by(const struct gate_outcome *outcome, int from, int end, const char *why)
{
    const struct verdict_side *side = &outcome->verdict.baseline;
    size_t all = side->profile_ids.count;
    assert_int_equal(all + side->set_aside_count, (size_t)(end - from));
    for (size_t i = 0; i < all; i++) {
        int64_t id = trends_number(side->profile_ids.items[i]);
        assert_in_range(id, id_of(from), id_of(end - 1));
    }
    if (strstr(side->why, why) == NULL)
        fail_msg("'%s' is not in '%s'", why, side->why);
}

static const int before[] = {20, 21, 22}, between[] = {42, 43, 44}, since[] = {60, 61, 62},
                 around[] = {38, 39, 61};

static bool is_same_again(int64_t verdict)
{
    struct err err = {0};
    struct gate_replay replay;
    const struct flow flow = {&conf, scene->db, &scene->arena, &scene->arena};
    if (!gate_replay(&flow, verdict, &replay, &err))
        fail_msg("%s", err.text);
    return replay.is_same;
}

static void is_judged_by_the_level_before_a_confirmed_change(void **state)
{
    (void)state;
    const struct gate_outcome unmarked = judged(before, 0);
    confirm(LOSS_DAY, CHANGE_POINT_CONFIRMED);
    const struct gate_outcome unchanged = judged(before, 0), slower = judged(before, 500);
    is_judged_by(&unchanged, 0, LOSS_DAY, "before change point k1, as the candidate");
    assert_int_equal(unchanged.verdict.status, VERDICT_PASS);
    assert_true(fabs(unchanged.verdict.statistics.estimate_pct.value) < 1);
    is_judged_by(&slower, 0, LOSS_DAY, "before change point k1, as the candidate");
    assert_int_equal(slower.verdict.status, VERDICT_FAIL);
    assert_true(slower.verdict.statistics.estimate_pct.value > 4);
    const struct gate_outcome fresh = judged(since, 600);
    is_judged_by(&fresh, LOSS_DAY, DAYS, "since change point k1");
    assert_null(strstr(fresh.verdict.baseline.why, "before"));
    assert_int_equal(fresh.verdict.status, VERDICT_PASS);
    confirm(LOSS_DAY, CHANGE_POINT_WITHDRAWN);
    const struct gate_outcome again = judged(before, 0);
    is_judged_by(&again, 0, DAYS, "all 60 comparable runs of branch main");
    assert_true(is_same_again(unmarked.id) && is_same_again(slower.id) && is_same_again(again.id));
}

/* The run that a re-baseline names is the last of the level before. */
static void is_judged_by_the_level_before_a_rebaseline(void **state)
{
    (void)state;
    rebaseline(LOSS_DAY - 1);
    const struct gate_outcome unchanged = judged(before, 0), slower = judged(before, 500);
    is_judged_by(&unchanged, 0, LOSS_DAY, "before re-baseline r1, as the candidate");
    assert_int_equal(unchanged.verdict.status, VERDICT_PASS);
    assert_int_equal(slower.verdict.status, VERDICT_FAIL);
    const struct gate_outcome fresh = judged(since, 600);
    is_judged_by(&fresh, LOSS_DAY, DAYS, "since re-baseline r1");
    assert_int_equal(fresh.verdict.status, VERDICT_PASS);
}

static void is_judged_by_the_level_between_two_words(void **state)
{
    (void)state;
    rebaseline(50);
    const struct gate_outcome unchanged = judged(between, 600);
    is_judged_by(&unchanged, LOSS_DAY, 51, "since re-baseline r1 and before re-baseline r2");
    assert_int_equal(unchanged.verdict.status, VERDICT_PASS);
}

/* Attempts of one commit may lie on both sides. */
static void goes_with_the_newest_run_of_several(void **state)
{
    (void)state;
    const struct gate_outcome outcome = judged(around, 600);
    is_judged_by(&outcome, 51, DAYS, "since re-baseline r2");
}

/* ---- a trend of the same runs ---------------------------------------------------------------- */

static const char *text_of(const char *text)
{
    return text != NULL ? text : "-";
}

/* Baselines of what stands where a run of main does, whatever was said in which order. */
static void are_levels_those_of_the_trend(int first)
{
    struct err err = {0};
    struct trend trend;
    const struct trends_request request = {.project = "llm",
                                           .workload = workload,
                                           .branch = "main",
                                           .measure = "steady_step_median",
                                           .shown = TRENDS_RUNS};
    struct arena_mark mark = arena_mark(&scene->arena);
    assert_true(trends_read(scene->db, &request, &scene->arena, &trend, &err));
    assert_int_equal(trend.point_count, DAYS);
    for (int day = first; day < DAYS; day += 7) {
        const struct trend_point *point = &trend.points[day];
        struct level_bounds bounds;
        struct place_list places;
        bool is_of_level[DAYS] = {false};
        if (!ledger_level_bounds(scene->db, series, id_of(day), &bounds, &err))
            fail_msg("%s", err.text);
        const struct baseline_query query = {.project = "llm",
                                             .workload = workload,
                                             .branch = "main",
                                             .run_limit = DAYS,
                                             .since_id = bounds.start.profile_id,
                                             .with_since = bounds.start.change_point_id != 0,
                                             .until_id = bounds.end.profile_id,
                                             .with_until = bounds.end.rebaseline_id != 0};
        assert_true(ledger_baseline_places(scene->db, &query, &scene->arena, &places, &err));
        for (size_t i = 0; i < places.count; i++)
            is_of_level[places.items[i].id - 1] = true;
        for (int other = 0; other < DAYS; other++) {
            const struct trend_point *beside = &trend.points[other];
            bool are_one = strcmp(text_of(beside->rebaseline), text_of(point->rebaseline)) == 0 &&
                           strcmp(text_of(beside->change_point), text_of(point->change_point)) == 0;
            if (is_of_level[other] != are_one)
                fail_msg("day %d for day %d: %d, and %d by the trend", other, day,
                         is_of_level[other], are_one);
        }
    }
    arena_rewind(&scene->arena, mark);
}

static void agrees_with_the_trend_whatever_was_said(void **state)
{
    (void)state;
    uint64_t draw = 77;
    for (int word = 0; word < 14; word++) {
        (void)fixture_normal(&draw);
        int day = (int)((draw >> 33) % DAYS), kind = (int)((draw >> 20) % 4);
        if (kind < 2)
            rebaseline(day);
        else
            confirm(day, kind == 2 ? CHANGE_POINT_WITHDRAWN : CHANGE_POINT_CONFIRMED);
        are_levels_those_of_the_trend(word % 7);
    }
}

/* ---- what is not sound ----------------------------------------------------------------------- */

/* Who ends a level unseen takes runs away by which a candidate would fail. */
static void is_ended_by_no_word_that_was_never_said(void **state)
{
    (void)state;
    struct err err = {0};
    struct level_bounds bounds;
    assert_true(ledger_level_bounds(scene->db, series, id_of(0), &bounds, &err));
    sql_do(scene->database.admin,
           "SET session_replication_role = replica; SET search_path = stepledger; "
           "INSERT INTO change_points OVERRIDING SYSTEM VALUE SELECT 1000, c.series_id, 7, 2, "
           "'confirmed', 1, 2, 'person' FROM change_points c LIMIT 1");
    assert_false(ledger_level_bounds(scene->db, series, id_of(0), &bounds, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_non_null(strstr(err.text, "k1000 has no entry"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_judged_by_the_level_before_a_confirmed_change),
        cmocka_unit_test(is_judged_by_the_level_before_a_rebaseline),
        cmocka_unit_test(is_judged_by_the_level_between_two_words),
        cmocka_unit_test(goes_with_the_newest_run_of_several),
        cmocka_unit_test(agrees_with_the_trend_whatever_was_said),
        cmocka_unit_test(is_ended_by_no_word_that_was_never_said),
    };
    return cmocka_run_group_tests(tests, set_up, scene_tear_down);
}
