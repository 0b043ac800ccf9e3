/* A year of daily runs: what was planted is told, with its commits, and nothing else. */
#include "ops/flow/trends/trends.h"

#include "history/alert/alert.h"
#include "history/reading/reading.h"
#include "tests/support/assert_number.h"
#include "tests/support/cluster.h"
#include "tests/support/folder.h"
#include "tests/support/ledger_fixture.h"
#include "tests/support/year_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DAYS = 365 };

static const struct year_change planted[] = {
    {80, "fusion.1", 500}, {170, "fusion.1", -450}, {240, "fusion.2", 600}};

static struct scene *scene;

static int set_up(void **state)
{
    *state = scene = scene_open(0);
    const struct year_plan year = {.project = "llm",
                                   .workload = "year",
                                   .days = DAYS,
                                   .sd = .006,
                                   .changes = planted,
                                   .change_count = 3,
                                   .drift_from = 240,
                                   .drift_until = DAYS,
                                   .drift_us = 600,
                                   .seed = 7};
    const struct year_plan still = {
        .project = "llm", .workload = "still", .days = 120, .sd = .006, .seed = 8};
    const struct year_plan batch = {.project = "llm",
                                    .workload = "batch",
                                    .days = 60,
                                    .sd = .006,
                                    .changes = (const struct year_change[]){{30, "fusion.1", 3000}},
                                    .change_count = 1,
                                    .batch_from = 30,
                                    .seed = 9};
    const struct year_plan young = {.project = "llm",
                                    .workload = "young",
                                    .days = 52,
                                    .sd = .006,
                                    .changes = (const struct year_change[]){{40, "fusion.1", 900}},
                                    .change_count = 1,
                                    .mfu = .4,
                                    .seed = 11};
    year_append(scene->db, &scene->arena, &year);
    year_append(scene->db, &scene->arena, &still);
    year_append(scene->db, &scene->arena, &batch);
    year_append(scene->db, &scene->arena, &young);
    const struct year_change grown = {20, "fusion.1", 600};
    for (int flops = 0; flops < 2; flops++) {
        const struct year_plan rows = {.project = "shapes",
                                       .workload = flops ? "operations" : "shapes",
                                       .days = 40,
                                       .sd = .006,
                                       .changes = &grown,
                                       .change_count = 1,
                                       .rows_from = 20,
                                       .knows_flops = flops,
                                       .seed = 10};
        year_append(scene->db, &scene->arena, &rows);
    }
    return 0;
}

static struct trend trend_of(struct trends_request request)
{
    struct err err = {0};
    struct trend trend;
    request.project = request.project == NULL ? "llm" : request.project;
    request.branch = "main";
    request.shown = request.shown == 0 ? 50 : request.shown;
    if (request.measure == NULL)
        request.measure = "steady_step_median";
    if (!trends_read(scene->db, &request, &scene->arena, &trend, &err))
        fail_msg("%s", err.text);
    return trend;
}

static size_t counting(const struct course *course)
{
    size_t count = 0;
    for (size_t i = 0; i < course->change_count; i++)
        count += course_change_counts(&course->changes[i]);
    return count;
}

/* The planted day lies in the range of commits, which is short. */
static void assert_range(const struct course_change *change, int day)
{
    int after = (int)strtol(change->after_profile + 1, NULL, 10) - 1;
    int until = (int)strtol(change->until_profile + 1, NULL, 10) - 1;
    char commit[41];
    assert_true(after < day && day <= until && until - after <= 4);
    year_commit(after, commit);
    assert_string_equal(change->after_commit, commit);
    year_commit(until, commit);
    assert_string_equal(change->until_commit, commit);
}

static void tells_three_changes_and_a_drift_of_a_year(void **state)
{
    (void)state;
    static const bool losses[] = {true, false, true};
    struct trend trend = trend_of((struct trends_request){.workload = "year"});
    assert_int_equal(trend.point_count, 50);
    assert_int_equal(trend.course_count, 1);
    const struct course *course = &trend.courses[0];
    assert_int_equal(course->run_count, DAYS);
    assert_null(course->apart);
    assert_int_equal(counting(course), 3);
    for (size_t i = 0, at = 0; i < course->change_count; i++) {
        const struct course_change *change = &course->changes[i];
        if (!course_change_counts(change))
            continue;
        assert_range(change, planted[at].day);
        assert_number(change->after - change->before, planted[at].us, 120);
        assert_int_equal(change->loss, losses[at]);
        at++;
    }
    assert_int_equal(course->drift_count, 1);
    assert_true(course->drifts[0].matters && course->drifts[0].loss);
    assert_number(course->drifts[0].change_pct.value, 5.8, 1.5);
    assert_number(course->drifts[0].month_pct.value, 1.4, .5);
}

static void tells_nothing_of_runs_that_only_vary(void **state)
{
    (void)state;
    struct trend trend = trend_of((struct trends_request){.workload = "still"});
    assert_int_equal(trend.course_count, 1);
    assert_false(course_moved(&trend.courses[0]));
    assert_string_equal(trend.courses[0].noise, "fair");
}

/* A run by itself is marked, and is neither a level nor a reason to mark others. */
static void marks_a_run_far_from_its_neighbours(void **state)
{
    (void)state;
    const struct year_plan accident = {
        .project = "accidents",
        .workload = "accident",
        .days = 30,
        .sd = .006,
        .changes = (const struct year_change[]){{20, "fusion.1", 1500}, {21, "fusion.1", -1500}},
        .change_count = 2,
        .seed = 13};
    year_append(scene->db, &scene->arena, &accident);
    struct trend trend =
        trend_of((struct trends_request){.project = "accidents", .workload = "accident"});
    assert_int_equal(trend.point_count, 30);
    for (size_t i = 0; i < trend.point_count; i++)
        assert_int_equal(trend.points[i].outlier, i == 20);
    assert_int_equal(counting(&trend.courses[0]), 0);
    trend = trend_of((struct trends_request){.workload = "still", .shown = 200});
    for (size_t i = 0; i < trend.point_count; i++)
        assert_false(trend.points[i].outlier);
}

static void another_batch_is_another_course_and_no_change(void **state)
{
    (void)state;
    struct trend trend = trend_of((struct trends_request){.workload = "batch"});
    assert_int_equal(trend.course_count, 2);
    assert_null(trend.courses[0].apart);
    assert_string_equal(trend.courses[1].apart, "batch");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(trend.courses[i].run_count, 30);
        assert_false(course_moved(&trend.courses[i]));
    }
}

/* 17 rows for 16, which the gate does not compare: told by shapes alone, or with operations that
 * differ by less than a compiler makes of the same work. */
static void more_rows_are_another_course_unless_the_policy_lets_them(void **state)
{
    (void)state;
    static const char *const workloads[] = {"shapes", "operations"};
    char *folder = test_folder_make(), path[256];
    (void)snprintf(path, sizeof path, "%s/policy.conf", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("policy_version = 1\n[project shapes provenance]\nwork = warn\n", file) > 0);
    assert_int_equal(fclose(file), 0);
    struct err err = {0};
    struct conf_file policy;
    assert_true(conf_file_read(path, &scene->arena, &policy, &err));
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++) {
        struct trends_request request = {.project = "shapes", .workload = workloads[i]};
        struct trend trend = trend_of(request);
        assert_null(trend.policy);
        assert_int_equal(trend.course_count, 2);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(trend.courses[k].run_count, 20);
            assert_int_equal(counting(&trend.courses[k]), 0);
        }
        assert_string_equal(trend.courses[1].apart, "work");
        assert_non_null(strstr(trend.courses[1].apart_why, "bf16[16,1024,2048]"));
        assert_non_null(strstr(trend.courses[1].apart_why, "newer runs have bf16[17,1024,2048]"));
        request.policy = &policy;
        request.policy_name = path;
        trend = trend_of(request);
        assert_string_equal(trend.policy, path);
        assert_int_equal(trend.course_count, 1);
        assert_int_equal(counting(&trend.courses[0]), 1);
    }
    test_folder_remove(folder);
    free(folder);
}

static void names_the_ops_that_moved_first(void **state)
{
    (void)state;
    struct trend trend =
        trend_of((struct trends_request){.workload = "year", .group = TRENDS_BY_OP});
    assert_int_equal(trend.course_count, 3);
    assert_int_equal(trend.point_count, 0);
    static const char *const names[] = {"copy.3", "fusion.2", "fusion.1"};
    static const size_t changes[] = {0, 1, 2}, drifts[] = {1, 0, 0};
    for (int i = 0; i < 3; i++) {
        const struct course *course = &trend.courses[i];
        bool swapped = strcmp(course->op_name, names[i]) != 0 && i < 2;
        int at = swapped ? 1 - i : i; /* the drift and the change are of one size */
        assert_string_equal(course->op_name, names[at]);
        assert_int_equal(counting(course), changes[at]);
        size_t drifting = 0;
        for (size_t k = 0; k < course->drift_count; k++)
            drifting += course->drifts[k].matters;
        assert_int_equal(drifting, drifts[at]);
        static const double step_us = 10000;
        double of_op = course->last_level / 100;
        assert_number(course->matters_from, fmax(of_op, .002 * step_us), .05 * step_us / 500);
    }
}

static void puts_the_workload_that_moved_before_those_that_did_not(void **state)
{
    (void)state;
    struct trend trend = trend_of((struct trends_request){.group = TRENDS_BY_WORKLOAD});
    assert_int_equal(trend.course_count, 5);
    for (int i = 0; i < 5; i++) {
        bool moved = strcmp(trend.courses[i].workload, "year") == 0 ||
                     strcmp(trend.courses[i].workload, "young") == 0;
        assert_int_equal(moved, i < 2);
        assert_int_equal(course_moved(&trend.courses[i]), moved);
    }
}

static void looks_at_every_measure(void **state)
{
    (void)state;
    bool mean = false, op_time = false;
    struct trend trend =
        trend_of((struct trends_request){.workload = "year", .group = TRENDS_BY_MEASURE});
    for (size_t i = 0; i < trend.course_count; i++) {
        mean |= strcmp(trend.courses[i].measure, "steady_step_mean") == 0;
        op_time |=
            strcmp(trend.courses[i].measure, "op_time") == 0 && counting(&trend.courses[i]) == 3;
    }
    assert_true(mean && op_time);
}

static void keeps_to_the_time_that_was_asked_for(void **state)
{
    (void)state;
    static const int64_t march_us = 1740787200000000, april_us = 1743465600000000;
    struct trend trend = trend_of((struct trends_request){
        .workload = "year", .since_us = some_i64(march_us), .until_us = some_i64(april_us)});
    assert_int_equal(trend.courses[0].run_count, 31);
    assert_memory_equal(trend.points[0].recorded_at_utc, "2025-03-01", 10);
    struct err err = {0};
    const struct trends_request never = {.project = "llm",
                                         .workload = "year",
                                         .measure = "step_median",
                                         .until_us = some_i64(march_us / 2),
                                         .shown = 50};
    assert_false(trends_read(scene->db, &never, &scene->arena, &trend, &err));
    assert_int_equal(err.kind, ERR_MISSING);
    assert_non_null(strstr(err.text, "in that time"));
}

/* ---- in the ledger --------------------------------------------------------------------------- */

static struct trends_marked mark(void)
{
    struct err err = {0};
    struct conf conf;
    struct trends_marked marked;
    assert_true(conf_load(&conf, &scene->arena, NULL, &err));
    if (!trends_mark(scene->db, &conf, &marked, &err))
        fail_msg("%s", err.text);
    return marked;
}

/* Nothing would be marked for ever, and nobody told why. */
static void a_policy_that_is_missing_is_no_lack_of_runs(void **state)
{
    (void)state;
    struct err err = {0};
    struct conf conf;
    struct trends_marked marked;
    assert_int_equal(setenv("STEPLEDGER_JUDGE_POLICY", "/nowhere/gate.policy", 1), 0);
    bool loaded = conf_load(&conf, &scene->arena, NULL, &err);
    assert_int_equal(unsetenv("STEPLEDGER_JUDGE_POLICY"), 0);
    assert_true(loaded);
    assert_false(trends_mark(scene->db, &conf, &marked, &err));
    assert_int_equal(err.kind, ERR_MISSING);
    assert_non_null(strstr(err.text, "/nowhere/gate.policy"));
}

static void assert_marked(int64_t added, int64_t confirmed, int64_t withdrawn)
{
    struct trends_marked marked = mark();
    assert_int_equal(marked.added, added);
    assert_int_equal(marked.confirmed, confirmed);
    assert_int_equal(marked.withdrawn, withdrawn);
}

static int64_t say(int64_t profile, enum change_point_status status, const char *method)
{
    int64_t id;
    struct err err = {0};
    const struct change_point_entry entry = {.measure = "steady_step_median",
                                             .at_profile_id = profile,
                                             .status = status,
                                             .before = 1,
                                             .after = 2,
                                             .method = method};
    if (!change_point_add(scene->db, &entry, &id, &err))
        fail_msg("%s", err.text);
    return id;
}

static size_t listed(const char *status)
{
    struct err err = {0};
    struct list list;
    struct list_query query = {
        .noun = list_noun_find("changes"), .by[LIST_BY_PROJECT] = "llm", .limit = 50};
    query.by[LIST_BY_STATUS] = status;
    assert_true(ledger_list(scene->db, &query, &scene->arena, &list, &err));
    return list.row_count;
}

/* What begins the baseline of a gate on the year; 0: nobody's word. */
static int64_t baseline_begin(const char *series)
{
    struct err err = {0};
    struct level_bounds level;
    assert_true(ledger_level_bounds(scene->db, series, 0, &level, &err));
    return level.start.change_point_id;
}

static void tells_what_the_newest_change_is_made_of_and_mfu(void **state)
{
    (void)state;
    struct trend trend = trend_of((struct trends_request){.workload = "young"});
    const struct report_change *newest = &trend.newest;
    double left = newest->after - newest->before;
    int64_t steps[2] = {0, 0};
    assert_true(trend.has_newest && trend.has_mfu);
    assert_string_equal(newest->at_profile, trend.courses[0].changes[0].at_profile);
    assert_string_equal(newest->ops[0].name, "fusion.1");
    assert_number(newest->ops[0].delta_us, 900, 120);
    for (size_t i = 0; i < newest->part_count; i++)
        left -= newest->parts[i].after_us - newest->parts[i].before_us;
    assert_number(left, 0, 1e-6);
    assert_true(newest->category_count > 1);
    for (size_t i = 0; i < newest->step_bin_count; i++) {
        steps[0] += newest->step_bins[i].before;
        steps[1] += newest->step_bins[i].after;
    }
    assert_true(steps[0] > 0 && steps[1] > 0);
    assert_number(trend.mfu.before.value, .4, .01);
    assert_number(trend.mfu.now, .4 / 1.09, .01);
    trend = trend_of((struct trends_request){.workload = "still"});
    assert_false(trend.has_newest || trend.has_mfu);
    trend = trend_of((struct trends_request){.workload = "young", .measure = "mfu"});
    assert_true(trend.has_newest);
    assert_int_equal(trend.newest.part_count, 0);
}

/* Each of the year's three levels held more than twenty runs; the young one holds twelve. */
static void appends_what_it_finds_once_and_confirms_what_has_lasted(void **state)
{
    (void)state;
    assert_int_equal(listed(NULL), 0);
    assert_marked(4, 3, 0);
    assert_marked(0, 0, 0);
    assert_int_equal(listed(NULL), 4);
    assert_int_equal(listed("candidate"), 1);
    struct trend young = trend_of((struct trends_request){.workload = "young"});
    assert_int_equal(young.courses[0].changes[0].runs_since, 12);
    assert_string_equal(young.courses[0].changes[0].status, "candidate");
    assert_int_equal(baseline_begin(young.courses[0].series), 0);
    struct trend trend = trend_of((struct trends_request){.workload = "year"});
    const struct course *course = &trend.courses[0];
    const char *newest = NULL;
    size_t told = 0;
    for (size_t i = 0; i < course->change_count; i++) {
        const struct course_change *change = &course->changes[i];
        if (!course_change_counts(change))
            continue;
        assert_string_equal(change->status, "confirmed");
        told++;
        newest = change->entry;
    }
    assert_int_equal(told, 3);
    assert_int_equal(baseline_begin(course->series), atol(newest + 1));
}

static void confirms_a_candidate_once_its_level_has_lasted(void **state)
{
    (void)state;
    struct trend trend = trend_of((struct trends_request){.workload = "year"});
    const char *series = trend.courses[0].series;
    int64_t newest =
        trends_number(trend.courses[0].changes[trend.courses[0].change_count - 1].at_profile);
    int64_t before = baseline_begin(series);
    say(newest, CHANGE_POINT_CANDIDATE, "course/1"); /* as it was while it was young */
    assert_true(baseline_begin(series) < before);
    assert_marked(0, 1, 0);
    assert_true(baseline_begin(series) > before);
    assert_int_equal(listed("confirmed"), 3);
}

static void withdraws_what_the_runs_do_not_show(void **state)
{
    (void)state;
    say(40, CHANGE_POINT_CANDIDATE, "course/1");
    say(330, CHANGE_POINT_CONFIRMED, "course/1");
    say(45, CHANGE_POINT_CANDIDATE, "person"); /* is not ours to withdraw */
    assert_int_equal(listed(NULL), 7);
    assert_marked(0, 0, 2);
    assert_int_equal(listed(NULL), 5);
    assert_int_equal(listed("withdrawn"), 2);
}

static void keeps_to_what_a_person_has_withdrawn(void **state)
{
    (void)state;
    say(planted[0].day + 1, CHANGE_POINT_WITHDRAWN, "person");
    assert_marked(0, 0, 0);
    struct trend trend = trend_of((struct trends_request){.workload = "year"});
    assert_int_equal(counting(&trend.courses[0]), 2);
    say(planted[0].day + 1, CHANGE_POINT_WITHDRAWN, "course/1"); /* what is seen again is told */
    assert_marked(1, 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_policy_that_is_missing_is_no_lack_of_runs),
        cmocka_unit_test(tells_three_changes_and_a_drift_of_a_year),
        cmocka_unit_test(tells_nothing_of_runs_that_only_vary),
        cmocka_unit_test(marks_a_run_far_from_its_neighbours),
        cmocka_unit_test(another_batch_is_another_course_and_no_change),
        cmocka_unit_test(more_rows_are_another_course_unless_the_policy_lets_them),
        cmocka_unit_test(names_the_ops_that_moved_first),
        cmocka_unit_test(puts_the_workload_that_moved_before_those_that_did_not),
        cmocka_unit_test(looks_at_every_measure),
        cmocka_unit_test(keeps_to_the_time_that_was_asked_for),
        cmocka_unit_test(appends_what_it_finds_once_and_confirms_what_has_lasted),
        cmocka_unit_test(tells_what_the_newest_change_is_made_of_and_mfu),
        cmocka_unit_test(confirms_a_candidate_once_its_level_has_lasted),
        cmocka_unit_test(withdraws_what_the_runs_do_not_show),
        cmocka_unit_test(keeps_to_what_a_person_has_withdrawn),
    };
    return cmocka_run_group_tests(tests, set_up, scene_tear_down);
}
