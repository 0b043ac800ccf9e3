/* A candidate that was captured before the branch took another level is judged by the level of
 * then, whoever said that there is one, or nobody; one that was captured since by that of today. */
#include "history/alert/alert.h"
#include "history/alert/change_points.h"
#include "history/profiles/profiles.h"
#include "ops/flow/judge/judge.h"
#include "ops/flow/trends/trends.h"

#include "tests/support/ledger_fixture.h"
#include "tests/support/summary_fixture.h"
#include "tests/support/topic_fixture.h"
#include "tests/support/year_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { DAYS = 60, LOSS_DAY = 40, CANDIDATES = 3, NAME_BYTES = 32 };
enum { LONG_DAYS = 230, RISE_DAY = 40, FALL_DAY = 70, LATE_DAY = 124, CAPTURED_BEFORE = 300 };

static const char series[] = "s1";
static const char *workload = "nightly";
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
                                   .captured_before = CAPTURED_BEFORE,
                                   .seed = 47};
    year_append(scene->db, &scene->arena, &plan);
    newest_id = DAYS;
    return 0;
}

static int64_t first_id = 1;

static int64_t id_of(int day)
{
    return first_id + day;
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
static struct gate_outcome judged_by(const int *days, double us, int64_t last)
{
    static uint64_t seed = 100;
    const struct year_change change = {0, "fusion.1", us};
    const struct year_plan plan = {.project = "llm",
                                   .workload = workload,
                                   .days = CANDIDATES,
                                   .taken_in = days,
                                   .sd = .002,
                                   .changes = &change,
                                   .change_count = 1,
                                   .captured_before = CAPTURED_BEFORE,
                                   .seed = seed++};
    return topic_judge(scene, &conf, &plan, last, &newest_id);
}

static struct gate_outcome judged(const int *days, double us)
{
    return judged_by(days, us, 200);
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
    assert_true(topic_is_same_again(scene, &conf, unmarked.id) &&
                topic_is_same_again(scene, &conf, slower.id) &&
                topic_is_same_again(scene, &conf, again.id));
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

/* ---- levels that nobody confirmed ------------------------------------------------------------ */

/* Runs of main that became slower, and faster again, and once more; nobody said so. */
static int long_set_up(void **state)
{
    static const struct year_change changes[] = {
        {RISE_DAY, "fusion.1", 500}, {FALL_DAY, "fusion.1", -400}, {LATE_DAY, "fusion.1", 600}};
    (void)state;
    workload = "hourly";
    if (first_id > 1)
        return 0;
    const struct year_plan plan = {.project = "llm",
                                   .workload = workload,
                                   .days = LONG_DAYS,
                                   .sd = .004,
                                   .changes = changes,
                                   .change_count = sizeof changes / sizeof changes[0],
                                   .captured_before = CAPTURED_BEFORE,
                                   .seed = 48};
    year_append(scene->db, &scene->arena, &plan);
    first_id = newest_id + 1;
    newest_id += LONG_DAYS;
    return 0;
}

/* Its baseline is of the days from..end alone, at least so many. */
static void is_of_level(const struct gate_outcome *outcome, int from, int end, size_t least)
{
    const struct string_list *ids = &outcome->verdict.baseline.profile_ids;
    if (ids->count < least)
        fail_msg("%zu runs are the baseline: %s", ids->count, outcome->verdict.baseline.why);
    for (size_t i = 0; i < ids->count; i++) {
        int64_t id = trends_number(ids->items[i]);
        if (id < id_of(from) || id >= id_of(end))
            fail_msg("day %d is none of %d..%d", (int)(id - first_id), from, end);
    }
}

/* Unchanged code of a level passes, and what takes 4.5 % longer fails, by that level alone; returns
 * what is said of the first. */
static struct verdict told_by_level(const int *days, double us, int from, int end)
{
    enum { LEAST = 20, LOSS_US = 450 };
    const struct gate_outcome unchanged = judged(days, us), slower = judged(days, us + LOSS_US);
    is_of_level(&unchanged, from, end, LEAST);
    is_of_level(&slower, from, end, LEAST);
    if (unchanged.verdict.status != VERDICT_PASS)
        fail_msg("%s", unchanged.verdict.reasons[0].text);
    assert_true(fabs(unchanged.verdict.statistics.estimate_pct.value) < 1);
    assert_int_equal(slower.verdict.status, VERDICT_FAIL);
    assert_true(fabs(slower.verdict.statistics.estimate_pct.value - 4.5) < 1);
    return unchanged.verdict;
}

static void is_judged_by_the_first_level_that_nobody_confirmed(void **state)
{
    static const int days[] = {18, 19, 20};
    (void)state;
    const struct verdict verdict = told_by_level(days, 0, 0, RISE_DAY);
    assert_false(verdict.statistics.level_change_pct.set);
    assert_true(fabs(verdict.statistics.level_end_pct.value - 5) < 1);
}

static void is_judged_by_a_level_between_two_that_nobody_confirmed(void **state)
{
    static const int days[] = {53, 54, 55};
    (void)state;
    const struct verdict verdict = told_by_level(days, 500, RISE_DAY, FALL_DAY);
    assert_true(fabs(verdict.statistics.level_change_pct.value - 5) < 1);
    assert_true(fabs(verdict.statistics.level_end_pct.value + 3.8) < 1);
    bool is_said = false;
    for (size_t i = 0; i < verdict.reason_count; i++)
        is_said |= strstr(verdict.reasons[i].text, "% behind the candidate") != NULL;
    assert_true(is_said);
}

/* More runs stand behind it than take part, and more before it. */
static void is_judged_by_the_runs_beside_it(void **state)
{
    static const int days[] = {96, 97, 98};
    (void)state;
    (void)told_by_level(days, 100, FALL_DAY, LATE_DAY);
    const struct gate_outcome outcome = judged_by(days, 100, 10);
    assert_true(topic_is_same_again(scene, &conf, outcome.id));
    is_of_level(&outcome, days[2] - 4, days[2] + 6, 10);
    assert_non_null(strstr(outcome.verdict.baseline.why,
                           "the 10 comparable runs of branch main next to the candidate"));
}

/* The level of before lies farther back than runs take part. */
static void has_no_baseline_of_a_level_that_is_far_back(void **state)
{
    static const int days[] = {LONG_DAYS, LONG_DAYS + 1, LONG_DAYS + 2};
    (void)state;
    const struct verdict verdict = told_by_level(days, 700, LATE_DAY, LONG_DAYS);
    assert_true(fabs(verdict.baseline.step_median_us.value - 10700) < 30);
    assert_non_null(strstr(verdict.baseline.why,
                           "the newest 200 comparable runs of branch main, of which the 97 next"));
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
        cmocka_unit_test_setup(is_judged_by_the_first_level_that_nobody_confirmed, long_set_up),
        cmocka_unit_test_setup(is_judged_by_a_level_between_two_that_nobody_confirmed, long_set_up),
        cmocka_unit_test_setup(is_judged_by_the_runs_beside_it, long_set_up),
        cmocka_unit_test_setup(has_no_baseline_of_a_level_that_is_far_back, long_set_up),
    };
    return cmocka_run_group_tests(tests, set_up, scene_tear_down);
}
