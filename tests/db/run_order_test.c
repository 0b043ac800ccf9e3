/* Runs stand in the order in which they were captured: a past that was taken in newest first, late
 * or in no order at all is the same past, for gates, trends, reports, re-baselines and marks. */
#include "history/profiles/profiles.h"
#include "ops/flow/judge/judge.h"
#include "ops/flow/reports/reports.h"
#include "ops/flow/trends/trends.h"
#include "ops/present/trend/trend_page.h"

#include "tests/support/ledger_fixture.h"
#include "tests/support/summary_fixture.h"
#include "tests/support/year_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The newest of the days are the candidate's. */
enum { DAYS = 63, MAIN_DAYS = 60, LOSS_DAY = 40, FIRST_NEW_DAY = 46, LATE_DAYS = 4 };
enum { NAME_BYTES = 32 };

/* In which order each workload's days were recorded. */
enum taking { IN_ORDER, NEWEST_FIRST, SHUFFLED, SHUFFLED_AGAIN, FOUR_LATE, TAKINGS };
static const char *const workloads[TAKINGS] = {"in-order", "newest-first", "shuffled",
                                               "shuffled-again", "four-late"};

static struct scene *scene;
static struct conf conf;
static int64_t first_id[TAKINGS];

static void days_take(enum taking taking, int *days)
{
    uint64_t state = 4711 + (uint64_t)taking;
    for (int i = 0; i < DAYS; i++)
        days[i] = i;
    for (int i = 0; taking == NEWEST_FIRST && i < DAYS; i++)
        days[i] = DAYS - 1 - i;
    for (int i = DAYS - 1; (taking == SHUFFLED || taking == SHUFFLED_AGAIN) && i > 0; i--) {
        (void)fixture_normal(&state);
        int other = (int)((state >> 33) % (uint64_t)(i + 1)), day = days[i];
        days[i] = days[other];
        days[other] = day;
    }
    for (int i = 0; taking == FOUR_LATE && i < DAYS; i++)
        days[i] = i < DAYS - LATE_DAYS ? i + LATE_DAYS : i - (DAYS - LATE_DAYS);
}

static int set_up(void **state)
{
    struct err err = {0};
    *state = scene = scene_open(0);
    assert_true(conf_load(&conf, &scene->arena, NULL, &err));
    static const struct year_change change = {LOSS_DAY, "fusion.1", 600};
    for (enum taking taking = 0; taking < TAKINGS; taking++) {
        int days[DAYS];
        days_take(taking, days);
        const struct year_plan plan = {.project = "llm",
                                       .workload = workloads[taking],
                                       .days = DAYS,
                                       .sd = .006,
                                       .changes = &change,
                                       .change_count = 1,
                                       .captured_before = DAYS,
                                       .taken_in = days,
                                       .topic_from = MAIN_DAYS,
                                       .seed = 31};
        first_id[taking] = 1 + (int64_t)taking * DAYS;
        year_append(scene->db, &scene->arena, &plan);
    }
    return 0;
}

/* The profile of a day. */
static int64_t id_of(enum taking taking, int day)
{
    int days[DAYS], nth = 0;
    days_take(taking, days);
    while (days[nth] != day)
        nth++;
    return first_id[taking] + nth;
}

/* ---- trends ---------------------------------------------------------------------------------- */

static struct trend trend_of(enum taking taking)
{
    struct err err = {0};
    struct trend trend;
    const struct trends_request request = {.project = "llm",
                                           .workload = workloads[taking],
                                           .branch = "main",
                                           .measure = "steady_step_median",
                                           .shown = TRENDS_RUNS};
    if (!trends_read(scene->db, &request, &scene->arena, &trend, &err))
        fail_msg("%s", err.text);
    return trend;
}

/* The run of "p12", in the place of every name that only one ledger has. */
static const char *name_of(const struct trend *trend, const char *text)
{
    for (size_t i = 0; i < trend->point_count; i++)
        if (strcmp(trend->points[i].profile_id, text) == 0)
            return trend->points[i].run;
    return strcmp(text, trend->workload) == 0 || strcmp(text, trend->points[0].series) == 0 ? "-"
                                                                                            : text;
}

static json_t *nameless(const struct trend *trend, const json_t *node)
{
    json_t *out = json_is_array(node) ? json_array() : json_object(), *child;
    const char *key;
    size_t i;
    if (json_is_string(node)) {
        json_decref(out);
        return json_string(name_of(trend, json_string_value(node)));
    }
    if (!json_is_array(node) && !json_is_object(node)) {
        json_decref(out);
        return json_deep_copy(node);
    }
    json_array_foreach (node, i, child)
        assert_int_equal(json_array_append_new(out, nameless(trend, child)), 0);
    json_object_foreach ((json_t *)node, key, child)
        if (strcmp(key, "recorded_at_utc") != 0)
            assert_int_equal(json_object_set_new(out, key, nameless(trend, child)), 0);
    return out;
}

/* trend.v1 but for ids and times of recording. */
static char *told_text(enum taking taking)
{
    const struct trend trend = trend_of(taking);
    json_t *root = trend_to_json(&trend), *out = nameless(&trend, root);
    char *text = json_dumps(out, JSON_INDENT(1));
    json_decref(root);
    json_decref(out);
    assert_non_null(text);
    return text;
}

/* Where its picture has the change, and the levels on both sides. */
static const char *drawn(enum taking taking)
{
    struct series_picture picture;
    const struct trend trend = trend_of(taking);
    trend_series(&trend, &scene->arena, &picture);
    assert_int_equal(picture.level_count, 2);
    return arena_printf(&scene->arena, "%zu..%zu, to %zu, from %zu", picture.changes[0].after,
                        picture.changes[0].until, picture.levels[0].last, picture.levels[1].first);
}

static void tells_the_same_of_one_past_however_it_was_taken_in(void **state)
{
    (void)state;
    const struct trend trend = trend_of(IN_ORDER);
    const struct course_change *change = &trend.courses[0].changes[0];
    assert_int_equal(trend.point_count, MAIN_DAYS);
    assert_int_equal(trend.courses[0].change_count, 1);
    assert_int_equal(trends_number(change->at_profile), id_of(IN_ORDER, LOSS_DAY));
    assert_true(change->loss);
    assert_non_null(trend.newest.at_profile);
    char *usual = told_text(IN_ORDER), *text;
    for (enum taking taking = 1; taking < TAKINGS; taking++) {
        text = told_text(taking);
        assert_string_equal(text, usual);
        assert_string_equal(drawn(taking), drawn(IN_ORDER));
        free(text);
    }
    free(usual);
}

/* ---- reports --------------------------------------------------------------------------------- */

/* By hand, of what was captured; the whole past is recorded by then. */
static void reports_one_loss_of_each(void **state)
{
    (void)state;
    const struct trend_report report =
        year_report(scene->db, &scene->arena, &(struct year_window){"llm", -DAYS, 0, DAYS + 1});
    assert_int_equal(report.loss_count, TAKINGS);
    assert_int_equal(report.improvement_count + report.recovery_count + report.suspected_count, 0);
    for (size_t i = 0; i < report.loss_count; i++) {
        assert_string_equal(report.losses[i].at_utc, report.losses[0].at_utc);
        assert_true(report.losses[i].change_pct.value == report.losses[0].change_pct.value);
        assert_true(report.losses[i].op_count > 0);
        assert_string_equal(report.losses[i].ops[0].name, "fusion.1");
    }
}

/* One that comes by itself is of what was recorded in its period: four runs of before all others
 * are no new series, and what was told before is not told again. */
static void tells_nothing_new_of_a_past_that_grows_at_its_begin(void **state)
{
    (void)state;
    struct err err = {0};
    struct trend_report report;
    const struct report_request request = {.name = "weekly",
                                           .project = "llm",
                                           .workloads = workloads[FOUR_LATE],
                                           .branch = "main",
                                           .measure = "steady_step_median",
                                           .since_us =
                                               YEAR_FIRST_US + (DAYS - LATE_DAYS) * YEAR_DAY_US,
                                           .until_us = YEAR_FIRST_US + DAYS * YEAR_DAY_US,
                                           .made_us = YEAR_FIRST_US + (DAYS + 1) * YEAR_DAY_US};
    if (!report_make(scene->db, &request, &scene->arena, &report, &err))
        fail_msg("%s", err.text);
    assert_int_equal(report.run_count, LATE_DAYS);
    assert_int_equal(report.newcomer_count + report.return_count + report.restart_count, 0);
    assert_int_equal(report.loss_count + report.improvement_count + report.suspected_count, 0);
    assert_non_null(
        strstr(report.headlines.items[0], "the oldest captured on 2024-10-30 and taken in since"));
}

/* ---- gates ----------------------------------------------------------------------------------- */

static struct gate_outcome judged(enum taking taking, int last)
{
    static const char *names[] = {"day-60", "day-61", "day-62"};
    const struct flow flow = {&conf, scene->db, &scene->arena, &scene->arena};
    struct gate_job *job = arena_new(&scene->arena, struct gate_job);
    struct gate_outcome outcome;
    *job = (struct gate_job){.project = "llm",
                             .workload = workloads[taking],
                             .branch = "topic",
                             .baseline_branch = "main",
                             .last = last,
                             .candidates = {names, 3}};
    gate_judge_job(&flow, job, &outcome);
    if (outcome.id == 0)
        fail_msg("%s", outcome.failure.text);
    return outcome;
}

static void is_of_days(enum taking taking, const struct string_list *ids, int from, int end)
{
    assert_int_equal(ids->count, (size_t)(end - from));
    for (int day = from; day < end; day++) {
        char name[NAME_BYTES];
        bool found = false;
        (void)snprintf(name, sizeof name, "p%lld", (long long)id_of(taking, day));
        for (size_t i = 0; i < ids->count; i++)
            found |= strcmp(ids->items[i], name) == 0;
        if (!found)
            fail_msg("%s: day %d is not there", workloads[taking], day);
    }
}

/* Unchanged code stands at the level of the newest runs, of which the baseline is. */
static void judges_the_same_however_the_past_was_taken_in(void **state)
{
    (void)state;
    static const int lasts[] = {10, DAYS};
    for (int i = 0; i < 2 * TAKINGS; i++) {
        enum taking taking = (enum taking)(i / 2);
        int last = lasts[i % 2];
        const struct gate_outcome usual = judged(IN_ORDER, last), outcome = judged(taking, last);
        assert_int_equal(usual.verdict.status, VERDICT_PASS);
        assert_int_equal(outcome.verdict.status, usual.verdict.status);
        is_of_days(taking, &outcome.verdict.baseline.profile_ids,
                   last == DAYS ? LOSS_DAY : MAIN_DAYS - last, MAIN_DAYS);
        assert_true(outcome.verdict.statistics.estimate_pct.value ==
                    usual.verdict.statistics.estimate_pct.value);
        assert_true(outcome.verdict.statistics.p.value == usual.verdict.statistics.p.value);
    }
}

static struct gate_replay replayed(int64_t verdict)
{
    struct err err = {0};
    struct gate_replay replay;
    const struct flow flow = {&conf, scene->db, &scene->arena, &scene->arena};
    if (!gate_replay(&flow, verdict, &replay, &err))
        fail_msg("%s", err.text);
    return replay;
}

/* What it rests on is told anew, with another time. */
static void recaptured(enum taking taking, int day, const char *captured_at)
{
    struct err err = {0};
    struct ledger_profile held;
    struct profile_receipt receipt;
    assert_true(ledger_load_profile(scene->db, id_of(taking, day), &scene->arena, &held, &err));
    struct summary summary = held.summary;
    struct environment *environment = &summary.environment;
    struct fact *facts = arena_array(&scene->arena, struct fact, environment->fact_count);
    for (size_t i = 0; i < environment->fact_count; i++) {
        facts[i] = environment->facts[i];
        if (strcmp(facts[i].name, "captured_at") == 0)
            facts[i].value = captured_at;
    }
    environment->facts = facts;
    const struct profile_identity identity = {.project = "llm",
                                              .workload = workloads[taking],
                                              .branch = "main",
                                              .commit = held.commit,
                                              .run = held.run,
                                              .reason = "its clock was wrong"};
    if (!ledger_append_profile(scene->db, &identity, &summary, &scene->arena, &receipt, &err))
        fail_msg("%s", err.text);
    assert_true(receipt.id > id_of(taking, day));
}

static void moves_a_run_whose_time_is_corrected_and_no_verdict(void **state)
{
    (void)state;
    const struct gate_outcome before = judged(NEWEST_FIRST, 10);
    assert_true(replayed(before.id).is_same);
    recaptured(NEWEST_FIRST, MAIN_DAYS - 1, "2024-01-01T00:00:00Z");
    const struct trend trend = trend_of(NEWEST_FIRST);
    assert_string_equal(trend.points[0].run, "day-59");
    assert_string_equal(trend.points[0].ran_at_utc, "2024-01-01T00:00:00.000000Z");
    assert_string_equal(trend.points[MAIN_DAYS - 1].run, "day-58");
    assert_true(replayed(before.id).is_same);
    const struct gate_outcome after = judged(NEWEST_FIRST, 10);
    is_of_days(NEWEST_FIRST, &after.verdict.baseline.profile_ids, MAIN_DAYS - 11, MAIN_DAYS - 1);
}

/* A request of before names no times of capture: its runs stand in the order of recording, and the
 * verdict of then comes out. */
static void makes_verdicts_of_before_again_in_the_order_of_recording(void **state)
{
    (void)state;
    static const char without[] =
        "SET session_replication_role = replica; SET search_path = stepledger; "
        "UPDATE verdict_requests SET document = "
        "regexp_replace(document, '\"ran_at_utc\": \"[^\"]*\",', '', 'g') WHERE verdict_id = %lld";
    char sql[sizeof without + NAME_BYTES];
    for (enum taking taking = IN_ORDER; taking <= NEWEST_FIRST; taking++) {
        const struct gate_outcome outcome = judged(taking, DAYS);
        assert_int_equal(replayed(outcome.id).outcome.verdict.status, VERDICT_PASS);
        (void)snprintf(sql, sizeof sql, without, (long long)outcome.id);
        sql_do(scene->database.admin, sql);
        const struct gate_replay replay = replayed(outcome.id);
        assert_int_equal(replay.is_same, taking == IN_ORDER);
    }
}

/* ---- where levels begin ---------------------------------------------------------------------- */

static struct place_list places_since(enum taking taking, const struct level_mark *start)
{
    struct err err = {0};
    struct place_list places;
    const struct baseline_query query = {.project = "llm",
                                         .workload = workloads[taking],
                                         .branch = "main",
                                         .run_limit = DAYS,
                                         .since_id = start->profile_id,
                                         .with_since = start->change_point_id != 0};
    if (!ledger_baseline_places(scene->db, &query, &scene->arena, &places, &err))
        fail_msg("%s", err.text);
    return places;
}

static void are_the_days_from(const struct place_list *places, int from)
{
    char run[NAME_BYTES];
    assert_int_equal(places->count, MAIN_DAYS - from);
    for (size_t i = 0; i < places->count; i++) {
        (void)snprintf(run, sizeof run, "day-%d", MAIN_DAYS - 1 - (int)i);
        assert_string_equal(places->items[i].run, run);
    }
}

static struct level_mark start_of(enum taking taking)
{
    struct err err = {0};
    struct level_bounds level;
    if (!ledger_level_bounds(scene->db, trend_of(taking).points[0].series, 0, &level, &err))
        fail_msg("%s", err.text);
    return level.start;
}

/* The newest runs were recorded before most of the others here, and some behind the mark. */
static void begins_anew_where_the_named_run_stands(void **state)
{
    (void)state;
    struct err err = {0};
    for (enum taking taking = SHUFFLED; taking < TAKINGS; taking++) {
        struct level_mark start;
        const struct rebaseline_entry behind = {.series = trend_of(taking).points[0].series,
                                                .after_profile_id =
                                                    id_of(taking, FIRST_NEW_DAY - 1),
                                                .reason = "new drivers"};
        assert_true(ledger_rebaseline(scene->db, &behind, &start, &err));
        start = start_of(taking);
        const struct place_list places = places_since(taking, &start);
        are_the_days_from(&places, FIRST_NEW_DAY);
        const struct trend trend = trend_of(taking);
        for (int day = 0; day < MAIN_DAYS; day++)
            assert_int_equal(trend.points[day].rebaseline != NULL, day >= FIRST_NEW_DAY);
    }
}

/* A confirmed change point goes before a re-baseline only where it comes later in this order. */
static void begins_with_the_run_of_a_change_point(void **state)
{
    (void)state;
    struct err err = {0};
    int64_t id;
    for (enum taking taking = SHUFFLED; taking < TAKINGS; taking++) {
        struct change_point_entry point = {.measure = "steady_step_median",
                                           .at_profile_id = id_of(taking, LOSS_DAY),
                                           .status = CHANGE_POINT_CONFIRMED,
                                           .before = 1,
                                           .after = 2,
                                           .method = "person"};
        assert_true(change_point_add(scene->db, &point, &id, &err));
        assert_int_equal(start_of(taking).change_point_id, 0);
        point.at_profile_id = id_of(taking, FIRST_NEW_DAY + 2);
        assert_true(change_point_add(scene->db, &point, &id, &err));
        const struct level_mark start = start_of(taking);
        assert_int_equal(start.change_point_id, id);
        const struct place_list places = places_since(taking, &start);
        are_the_days_from(&places, FIRST_NEW_DAY + 2);
        const struct trend trend = trend_of(taking);
        for (int day = 0; day < MAIN_DAYS; day++)
            assert_int_equal(trend.points[day].change_point != NULL, day >= LOSS_DAY);
    }
}

static void begins_behind_the_newest_run_when_none_is_named(void **state)
{
    (void)state;
    struct err err = {0};
    struct level_mark start;
    const struct rebaseline_entry behind = {.series = trend_of(FOUR_LATE).points[0].series,
                                            .reason = "new machines"};
    assert_true(ledger_rebaseline(scene->db, &behind, &start, &err));
    assert_int_equal(start.profile_id, id_of(FOUR_LATE, DAYS - 1)); /* of any branch */
    start = start_of(FOUR_LATE);
    assert_int_equal(places_since(FOUR_LATE, &start).count, 0);
}

/* Words of ours that were said in another order are taken back, and said where the change is. */
static void takes_back_marks_that_the_order_does_not_show(void **state)
{
    (void)state;
    struct err err = {0};
    struct trends_marked marked;
    int64_t id;
    struct change_point_entry wrong = {.measure = "steady_step_median",
                                       .at_profile_id = id_of(NEWEST_FIRST, 20),
                                       .status = CHANGE_POINT_CONFIRMED,
                                       .before = 10100,
                                       .after = 9500,
                                       .method = "course/9"};
    assert_true(change_point_add(scene->db, &wrong, &id, &err));
    assert_true(trends_mark(scene->db, &conf, &marked, &err));
    assert_int_equal(marked.withdrawn, 1);
    const struct trend trend = trend_of(NEWEST_FIRST);
    assert_null(trend.points[LOSS_DAY - 2].change_point);
    assert_non_null(trend.courses[0].changes[0].entry);
    assert_true(trends_mark(scene->db, &conf, &marked, &err));
    assert_int_equal(marked.added + marked.confirmed + marked.withdrawn, 0);
}

/* ---- what is believed ------------------------------------------------------------------------ */

/* Nobody captures what is recorded already. */
static void believes_no_time_behind_that_of_recording(void **state)
{
    (void)state;
    recaptured(IN_ORDER, 10, "2199-01-01T00:00:00Z");
    const struct trend trend = trend_of(IN_ORDER);
    const struct trend_point *newest = &trend.points[MAIN_DAYS - 1];
    assert_string_equal(newest->run, "day-10");
    assert_string_equal(newest->ran_at_utc, newest->recorded_at_utc);
    assert_false(newest->captured);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_the_same_of_one_past_however_it_was_taken_in),
        cmocka_unit_test(reports_one_loss_of_each),
        cmocka_unit_test(tells_nothing_new_of_a_past_that_grows_at_its_begin),
        cmocka_unit_test(judges_the_same_however_the_past_was_taken_in),
        cmocka_unit_test(makes_verdicts_of_before_again_in_the_order_of_recording),
        cmocka_unit_test(moves_a_run_whose_time_is_corrected_and_no_verdict),
        cmocka_unit_test(begins_anew_where_the_named_run_stands),
        cmocka_unit_test(begins_with_the_run_of_a_change_point),
        cmocka_unit_test(begins_behind_the_newest_run_when_none_is_named),
        cmocka_unit_test(takes_back_marks_that_the_order_does_not_show),
        cmocka_unit_test(believes_no_time_behind_that_of_recording),
    };
    return cmocka_run_group_tests(tests, set_up, scene_tear_down);
}
