/* Change points: appended with an entry each, read as the last level that somebody stands by. */
#include "history/alert/change_points.h"
#include "history/alert/decision.h"
#include "history/reading/reading.h"
#include "tests/support/integrity_fixture.h"
#include "tests/support/ledger_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Profiles p1 to p3 of series s1, p4 of s2. */
static int set_up(void **state)
{
    struct scene *scene = *state = scene_open(0);
    integrity_fill(&scene->database);
    return 0;
}

static struct change_point_entry at(int64_t profile_id, enum change_point_status status)
{
    return (struct change_point_entry){
        .measure = "step_median",
        .at_profile_id = profile_id,
        .status = status,
        .before = 100.5,
        .after = 120.25,
        .method = "by hand",
    };
}

static int64_t add(struct scene *scene, int64_t profile_id, enum change_point_status status)
{
    int64_t id;
    struct err err = {0};
    const struct change_point_entry point = at(profile_id, status);
    if (!change_point_add(scene->db, &point, &id, &err))
        fail_msg("%s", err.text);
    return id;
}

/* The profile of the last confirmed one; 0 = none. */
static int64_t latest(struct scene *scene, const struct change_point_query *query)
{
    bool found;
    struct err err = {0};
    struct change_point_entry point;
    if (!change_point_latest(scene->db, query, &scene->arena, &point, &found, &err))
        fail_msg("%s", err.text);
    return found ? point.at_profile_id : 0;
}

static const struct change_point_query of_s1 = {.series = "s1", .measure = "step_median"};

static void gives_back_what_was_added(void **state)
{
    struct scene *scene = *state;
    bool found;
    int64_t id;
    struct err err = {0};
    struct change_point_entry point = at(2, CHANGE_POINT_CONFIRMED), back;
    point.evidence = "{\"p\": 0.001}";
    assert_true(change_point_add(scene->db, &point, &id, &err));
    assert_true(change_point_latest(scene->db, &of_s1, &scene->arena, &back, &found, &err));
    assert_true(found);
    assert_int_equal(back.id, id);
    assert_string_equal(back.series, "s1");
    assert_string_equal(back.measure, "step_median");
    assert_int_equal(back.at_profile_id, 2);
    assert_int_equal(back.status, CHANGE_POINT_CONFIRMED);
    assert_true(back.before == 100.5 && back.after == 120.25);
    assert_string_equal(back.method, "by hand");
    assert_string_equal(back.evidence, point.evidence);
}

static void finds_the_last_confirmed_place_of_a_series(void **state)
{
    struct scene *scene = *state;
    assert_int_equal(latest(scene, &of_s1), 0);
    (void)add(scene, 3, CHANGE_POINT_CANDIDATE);
    assert_int_equal(latest(scene, &of_s1), 0);
    (void)add(scene, 3, CHANGE_POINT_CONFIRMED);
    (void)add(scene, 2, CHANGE_POINT_CONFIRMED); /* found later, lies earlier */
    (void)add(scene, 4, CHANGE_POINT_CONFIRMED); /* of another series */
    assert_int_equal(latest(scene, &of_s1), 3);
    (void)add(scene, 3, CHANGE_POINT_WITHDRAWN);
    assert_int_equal(latest(scene, &of_s1), 2);
    (void)add(scene, 3, CHANGE_POINT_CONFIRMED);
    assert_int_equal(latest(scene, &of_s1), 3);
}

static void looks_only_where_it_is_asked_to(void **state)
{
    struct scene *scene = *state;
    struct change_point_query query = of_s1;
    (void)add(scene, 2, CHANGE_POINT_CONFIRMED);
    (void)add(scene, 3, CHANGE_POINT_CONFIRMED);
    query.until_profile_id = 2;
    assert_int_equal(latest(scene, &query), 2);
    query.until_profile_id = 1;
    assert_int_equal(latest(scene, &query), 0);
    query.until_profile_id = 0;
    query.after_profile_id = 2;
    assert_int_equal(latest(scene, &query), 3);
    query.after_profile_id = 3;
    assert_int_equal(latest(scene, &query), 0);
    query = (struct change_point_query){.series = "s1"};
    assert_int_equal(latest(scene, &query), 3);
    query.measure = "step_p90";
    assert_int_equal(latest(scene, &query), 0);
    query.series = NULL;
    assert_int_equal(latest(scene, &query), 0);
}

static void is_refused(struct scene *scene, const struct change_point_entry *point,
                       enum err_kind kind)
{
    int64_t id;
    struct err err = {0};
    assert_false(change_point_add(scene->db, point, &id, &err));
    assert_int_equal(err.kind, kind);
}

static void refuses_what_says_nothing(void **state)
{
    struct scene *scene = *state;
    bool found;
    struct err err = {0};
    struct change_point_entry point = at(99, CHANGE_POINT_CANDIDATE);
    is_refused(scene, &point, ERR_MISSING);
    point = at(2, CHANGE_POINT_CANDIDATE);
    point.measure = "step_medium";
    is_refused(scene, &point, ERR_USAGE);
    point = at(2, CHANGE_POINT_CANDIDATE);
    point.after = NAN;
    is_refused(scene, &point, ERR_INPUT);
    point = at(2, CHANGE_POINT_CANDIDATE);
    point.method = "";
    is_refused(scene, &point, ERR_INPUT);
    const struct change_point_query nowhere = {.series = "w"};
    assert_false(change_point_latest(scene->db, &nowhere, &scene->arena, &point, &found, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_int_equal(sql_number(scene->database.admin, "SELECT count(*) FROM change_points"), 0);
}

static void pages_through_all_of_them(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct change_point_page page;
    for (int i = 0; i < 3; i++)
        (void)add(scene, i + 1, (enum change_point_status)i);
    assert_true(change_points_after(scene->db, 0, &scene->arena, &page, &err));
    assert_int_equal(page.count, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(page.items[i].status, i);
    int64_t last = page.items[2].id;
    assert_true(change_points_after(scene->db, last, &scene->arena, &page, &err));
    assert_int_equal(page.count, 0);
}

static void hangs_on_the_chain_of_its_series(void **state)
{
    struct scene *scene = *state;
    (void)add(scene, 3, CHANGE_POINT_CONFIRMED);
    integrity_assert_clean(integrity_verify(&scene->database, NULL, &scene->arena));
    sql_do(scene->database.admin, "SET session_replication_role = replica; "
                                  "UPDATE change_points SET status = 'withdrawn'");
    const struct verify_report *report = integrity_verify(&scene->database, NULL, &scene->arena);
    assert_int_equal(report->finding_count, 1);
    assert_string_equal(report->findings[0].chain, "s1");
    assert_string_equal(report->findings[0].entry, "k1");
    sql_do(scene->database.admin, "SET session_replication_role = replica; "
                                  "DELETE FROM change_points");
    assert_non_null(strstr(
        integrity_verify(&scene->database, NULL, &scene->arena)->findings[0].what, "removed"));
}

/* Of a level that was confirmed: a word that nobody said takes it back, and the word itself does.
 */
static const char *const changes[] = {
    "SET session_replication_role = replica; "
    "INSERT INTO change_points (series_id, measure, at_profile_id, status, before_value, "
    "after_value, method) SELECT series_id, measure, at_profile_id, 'withdrawn', before_value, "
    "after_value, method FROM change_points",
    "SET session_replication_role = replica; UPDATE change_points SET status = 'candidate'",
};

/* Who takes a level back unseen would have candidates compared with the one before. */
static void is_not_taken_back_by_a_word_that_was_never_said(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct level_bounds level;
    int64_t id;
    struct change_point_entry point = at(3, CHANGE_POINT_CONFIRMED);
    point.measure = "steady_step_median"; /* which gates judge */
    assert_true(change_point_add(scene->db, &point, &id, &err));
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        if (!ledger_level_bounds(scene->db, "s1", 0, &level, &err))
            fail_msg("%s", err.text);
        assert_int_equal(level.start.change_point_id, 1);
        sql_do(scene->database.admin, changes[i]);
        assert_false(ledger_level_bounds(scene->db, "s1", 0, &level, &err));
        assert_int_equal(err.kind, ERR_INPUT);
        assert_non_null(strstr(err.text, i == 0 ? "has no entry" : "k1 is not what was recorded"));
        assert_non_null(strstr(err.text, "`stepledger rebaseline` says anew where the level "));
        sql_do(scene->database.admin, "SET session_replication_role = replica; "
                                      "DELETE FROM change_points WHERE id > 1");
        err = (struct err){0};
    }
}

/* Nor is it shown as taken back: such a word says nothing, and is told. */
static void stands_in_trends_whatever_was_never_said(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    (void)add(scene, 2, CHANGE_POINT_CONFIRMED);
    struct trend_query query = {.series = "s1", .measure = "step_median", .run_limit = 100};
    query.project = sql_text(scene->database.admin, "SELECT name FROM projects WHERE id = 1");
    query.workload = sql_text(scene->database.admin, "SELECT workload FROM series WHERE id = 1");
    const struct change_mark_query of_marks = {.project = query.project,
                                               .workload = query.workload};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        struct trend trend;
        struct change_mark_list marks;
        sql_do(scene->database.admin, changes[i]);
        if (!ledger_trend(scene->db, &query, &scene->arena, &trend, &err) ||
            !ledger_change_marks(scene->db, &of_marks, &scene->arena, &marks, &err))
            fail_msg("%s", err.text);
        const char *last = trend.points[trend.point_count - 1].change_point;
        assert_int_equal(marks.count, i == 0);
        assert_string_equal(i == 0 ? marks.items[0].status : "confirmed", "confirmed");
        assert_string_equal(last != NULL ? last : "", i == 0 ? "k1" : "");
        assert_int_equal(trend.left_out.count, 1);
        assert_non_null(strstr(trend.left_out.items[0],
                               i == 0 ? "has no entry" : "k1, a word about p2, is not what was"));
        sql_do(scene->database.admin, "SET session_replication_role = replica; "
                                      "DELETE FROM change_points WHERE id > 1");
    }
    free((char *)(uintptr_t)query.project);
    free((char *)(uintptr_t)query.workload);
}

static void is_appended_by_people_and_the_scheduler_only(void **state)
{
    struct scene *scene = *state;
    static const char row[] =
        "INSERT INTO change_points (series_id, measure, at_profile_id, status, before_value, "
        "after_value, method) VALUES (1, 1, 1, 'candidate', 1, 2, 'x')";
    static const struct {
        const char *role, *sqlstate;
    } cases[] = {
        {"stepledger", ""},
        {"stepledger_compare", "42501"},
        {"stepledger_ingest", "42501"},
        {"stepledger_alert", "42501"},
        {"stepledger_read", "42501"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *text =
            arena_printf(&scene->arena, "BEGIN; SET ROLE %s; %s; ROLLBACK", cases[i].role, row);
        assert_string_equal(sql_refusal(scene->database.admin, text), cases[i].sqlstate);
    }
}

int main(void)
{
#define change_point_test(f) cmocka_unit_test_setup_teardown(f, set_up, scene_tear_down)
    const struct CMUnitTest tests[] = {
        change_point_test(gives_back_what_was_added),
        change_point_test(finds_the_last_confirmed_place_of_a_series),
        change_point_test(looks_only_where_it_is_asked_to),
        change_point_test(refuses_what_says_nothing),
        change_point_test(pages_through_all_of_them),
        change_point_test(hangs_on_the_chain_of_its_series),
        change_point_test(is_not_taken_back_by_a_word_that_was_never_said),
        change_point_test(stands_in_trends_whatever_was_never_said),
        change_point_test(is_appended_by_people_and_the_scheduler_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
