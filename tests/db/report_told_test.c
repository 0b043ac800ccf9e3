/* Scheduled reports whose periods overlap, as those of a week that are made every day do: a change
 * is told by the first of them that sees it, and by no other. */
#include "history/alert/alert.h"
#include "history/profiles/profiles.h"
#include "ops/flow/reports/reports.h"

#include "ops/present/trend_report/trend_report.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/json.h"
#include "ops/runtime/text.h"
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

enum { DAYS = 110, CHANGED = 80, WEEK = 7, TEXT_BYTES = 8 << 20 };

/* Runs of ten days are taken in behind those of the days that follow, with the first of a loss. */
enum { LATE_FROM = 40, LATE_LOSS = 43, LATE_UNTIL = 50, LATE_DAYS = 80, LATE_TAKEN_IN = 60 };

enum { CREEPING_DAYS = 220 };

static struct scene *scene;

static int64_t late_first; /* the profile that was recorded first */

static void late_append(void)
{
    static const struct year_change change = {LATE_LOSS, "fusion.1", 600};
    int days[LATE_DAYS], late = LATE_UNTIL - LATE_FROM;
    for (int i = 0; i < LATE_DAYS; i++)
        days[i] = i < LATE_FROM || i >= LATE_TAKEN_IN + late ? i
                  : i < LATE_TAKEN_IN                        ? i + late
                                                             : i - LATE_TAKEN_IN + LATE_FROM;
    const struct year_plan plan = {.project = "late",
                                   .workload = "w",
                                   .days = LATE_DAYS,
                                   .sd = .006,
                                   .changes = &change,
                                   .change_count = 1,
                                   .captured_before = LATE_DAYS,
                                   .taken_in = days,
                                   .seed = 31};
    year_append(scene->db, &scene->arena, &plan);
    late_first = DAYS + 1;
}

/* It grows by 8 % in all. */
static void creeping_append(void)
{
    const struct year_plan plan = {.project = "creeping",
                                   .workload = "w",
                                   .days = CREEPING_DAYS,
                                   .sd = .006,
                                   .drift_until = CREEPING_DAYS,
                                   .drift_us = 800,
                                   .seed = 17};
    year_append(scene->db, &scene->arena, &plan);
}

static int set_up(void **state)
{
    *state = scene = scene_open(0);
    static const struct year_change change = {CHANGED, "fusion.1", 600};
    const struct year_plan plan = {.project = "llm",
                                   .workload = "w",
                                   .days = DAYS,
                                   .sd = .006,
                                   .changes = &change,
                                   .change_count = 1,
                                   .seed = 31};
    year_append(scene->db, &scene->arena, &plan);
    late_append();
    creeping_append();
    return 0;
}

static struct trend_report report_made(const char *name, int until, int made)
{
    struct err err = {0};
    struct trend_report report;
    const struct report_request request = {.name = name,
                                           .project = "llm",
                                           .branch = "main",
                                           .measure = "steady_step_median",
                                           .since_us = YEAR_FIRST_US + (until - 1) * YEAR_DAY_US,
                                           .until_us = YEAR_FIRST_US + until * YEAR_DAY_US,
                                           .made_us = YEAR_FIRST_US + made * YEAR_DAY_US};
    if (!report_make(scene->db, &request, &scene->arena, &report, &err))
        fail_msg("%s", err.text);
    return report;
}

static struct trend_report project_report(const char *project, const char *name, const char *branch,
                                          int day)
{
    struct err err = {0};
    struct trend_report report;
    const struct report_request request = {.name = name,
                                           .project = project,
                                           .branch = branch,
                                           .measure = "steady_step_median",
                                           .since_us = YEAR_FIRST_US + (day - WEEK) * YEAR_DAY_US,
                                           .until_us = YEAR_FIRST_US + day * YEAR_DAY_US,
                                           .made_us = YEAR_FIRST_US + day * YEAR_DAY_US};
    if (!report_make(scene->db, &request, &scene->arena, &report, &err))
        fail_msg("%s", err.text);
    return report;
}

static struct trend_report report_of(const char *name, const char *branch, int day)
{
    return project_report("llm", name, branch, day);
}

static void tells_a_change_once(void **state)
{
    (void)state;
    struct err err = {0};
    struct trend_report kept[2 * WEEK];
    size_t told = 0, suspected = 0;
    for (int i = 0; i < 2 * WEEK; i++) {
        kept[i] = report_of("daily", "main", CHANGED + 2 + i);
        report_keep(scene, &kept[i]);
        told += kept[i].loss_count;
        suspected += kept[i].suspected_count;
        assert_int_equal(kept[i].run_count, WEEK); /* it is one of the whole week all the same */
        assert_int_equal(kept[i].told_by == NULL, i == 0);
    }
    assert_int_equal(told, 1);
    assert_true(suspected <= 1);
    assert_string_equal(kept[5].told_by, kept[4].report);
    assert_string_equal(kept[5].told_until_utc, kept[4].until_utc);
    assert_non_null(strstr(kept[5].headlines.items[0], ", since rp5: "));
    for (int i = 0; i < 2 * WEEK; i += WEEK) {
        struct trend_report again;
        if (!report_make_again(scene->db, &kept[i], &scene->arena, &again, &err))
            fail_msg("%s", err.text);
        kept[i].canary_count = again.canary_count = 0; /* left out of the first */
        assert_string_equal(report_bytes(scene, &again), report_bytes(scene, &kept[i]));
    }
    scoped_text text;
    text_init(&text, TEXT_BYTES);
    assert_true(trend_report_text(&kept[5], &(struct text_style){false, 400}, &text, &err));
    assert_non_null(strstr(text_string(&text), "by rp5 or one before it"));
}

/* What another name told, or of another branch, this one's readers were not told. */
static void counts_its_own_kind_alone(void **state)
{
    (void)state;
    int day = CHANGED + WEEK;
    struct trend_report other = report_of("other", "main", day),
                        all = report_of("daily", NULL, day), by_hand = report_of(NULL, "main", day);
    assert_null(other.told_by);
    assert_null(all.told_by);
    assert_null(by_hand.told_by);
    assert_int_equal(other.loss_count, 1);
    assert_int_equal(by_hand.loss_count, 1);
}

/* One that comes by itself and late counts what was recorded up to the end of its period, where the
 * next one begins: what was recorded since, of whatever day, that one tells. */
static void leaves_what_is_recorded_behind_its_period_to_the_next(void **state)
{
    (void)state;
    char at[CLOCK_ISO_BYTES];
    struct err err = {0};
    struct profile_receipt receipt;
    struct ledger_profile held;
    const int end = 20, made = 22;
    assert_true(ledger_load_profile(scene->db, end, &scene->arena, &held, &err));
    struct summary summary = held.summary;
    summary.trace_provenance.trace_sha256 =
        "00000000000000000000000000000000000000000000000000000000000000aa";
    struct environment *environment = &summary.environment;
    struct fact *facts = arena_array(&scene->arena, struct fact, environment->fact_count + 1);
    memcpy(facts, environment->facts, environment->fact_count * sizeof *facts);
    clock_iso(YEAR_FIRST_US + end * YEAR_DAY_US - YEAR_DAY_US / 2, at);
    facts[environment->fact_count] =
        (struct fact){"captured_at", arena_strdup(&scene->arena, at), "option"};
    environment->facts = facts;
    environment->fact_count++;
    clock_iso(YEAR_FIRST_US + end * YEAR_DAY_US + YEAR_DAY_US / 2, at);
    const struct origin origin = {.recorded_at_utc = at, .by = "nightly"};
    const struct profile_identity identity = {.project = "llm",
                                              .workload = "w",
                                              .branch = "main",
                                              .run = "captured within, recorded behind",
                                              .origin = &origin};
    if (!ledger_append_profile(scene->db, &identity, &summary, &scene->arena, &receipt, &err))
        fail_msg("%s", err.text);
    const struct trend_report by_hand = report_made(NULL, end, made),
                              first = report_made("nightly", end, made),
                              next = report_made("nightly", end + 1, made);
    assert_int_equal(by_hand.run_count, 2); /* what ran in it, as far as is known */
    assert_int_equal(first.run_count, 1);
    assert_int_equal(next.run_count, 2);
}

/* ---- drifts ----------------------------------------------------------------------------------
 */

static double pct_of(double before, double after)
{
    return 100 * (after - before) / before;
}

/* When it is sure, and when it is twice as large as it was then; between these a line says since
 * when it is known. */
static void tells_a_drift_again_when_it_is_twice_as_large_as_it_was_told(void **state)
{
    (void)state;
    struct report_drift_told told = {0};
    size_t news = 0, lines = 0;
    for (int day = 2 * WEEK; day <= CREEPING_DAYS; day += 2) {
        struct trend_report report = project_report("creeping", "often", "main", day);
        report_keep(scene, &report);
        assert_true(report.drift_count + report.drifting_count <= 1);
        if (report.drift_count + report.drifting_count == 0)
            continue;
        const struct report_drift *drift =
            report.drift_count > 0 ? &report.drifts[0] : &report.drifting[0];
        double now = pct_of(drift->before, drift->after), then = pct_of(told.before, told.after);
        assert_int_equal(drift->has_told, news > 0);
        if (drift->has_told) {
            char words[REPORT_TOLD_BYTES];
            assert_string_equal(drift->told.report, told.report);
            assert_string_equal(drift->told.until_utc, told.until_utc);
            assert_true(drift->told.before == told.before && drift->told.after == told.after);
            assert_int_equal(report.drift_count > 0, now >= 2 * then);
            report_assert_says(&report, report_drift_told_text(drift, words));
        }
        lines += report.drifting_count;
        if (report.drift_count == 0)
            continue;
        assert_non_null(
            strstr(report.headlines.items[0],
                   news > 0 ? ": 1 drifting on, twice as far as was told" : ": 1 slow drift"));
        if (news > 0)
            assert_non_null(strstr(report.headlines.items[1], "; it goes on: told on 2025-"));
        told = (struct report_drift_told){report.report, report.until_utc, drift->before,
                                          drift->after};
        news++;
        report_assert_same_again(scene, &report);
    }
    assert_in_range(news, 2, 3); /* of 8 %, told from some 2 % on */
    assert_true(lines > 30);
}

/* ---- runs that come late ----------------------------------------------------------------------
 */

static const char *late_profile(int nth)
{
    return arena_printf(&scene->arena, "p%lld", (long long)late_first + nth);
}

static void is_moved(const struct trend_report *report, int told_at)
{
    const struct report_withdrawn *moved = &report->withdrawn[0];
    assert_int_equal(report->withdrawn_count, 1);
    assert_true(moved->has_moved);
    assert_string_equal(report_moved_word(moved), "earlier");
    assert_string_equal(moved->at_profile, late_profile(told_at));
    assert_string_equal(moved->moved_to.after_profile, late_profile(LATE_TAKEN_IN + 2));
    assert_string_equal(moved->moved_to.until_profile, late_profile(LATE_TAKEN_IN + 3));
    assert_true(moved->change_pct.value > 4 && moved->change_pct.value < 8);
    assert_false(report->nothing_new);
    assert_non_null(strstr(report->headlines.items[0], ": 1 that came elsewhere than was told; "));
    assert_non_null(strstr(report->headlines.items[1], ") came earlier, with 0000002a"));
}

/* The loss was told at the first run behind the gap; the runs within it show that it came before.
 */
static void says_once_that_a_loss_came_earlier_than_was_told(void **state)
{
    (void)state;
    struct err err = {0};
    struct trend_report kept, again;
    size_t losses = 0, moved = 0, others = 0;
    for (int day = LATE_FROM + 2; day < LATE_DAYS; day++) {
        struct trend_report report = project_report("late", "daily", "main", day);
        report_keep(scene, &report);
        losses += report.loss_count;
        moved += report.withdrawn_count;
        others += report.improvement_count + report.recovery_count;
        if (report.withdrawn_count == 0)
            continue;
        assert_int_equal(day, LATE_TAKEN_IN + LATE_LOSS - LATE_FROM + 1);
        assert_null(report.withdrawn[0].entry);
        is_moved(&report, LATE_FROM);
        scoped_text text;
        text_init(&text, TEXT_BYTES);
        assert_true(trend_report_text(&report, &(struct text_style){false, 400}, &text, &err));
        assert_non_null(strstr(text_string(&text), "Told before, and came elsewhere"));
        assert_non_null(strstr(text_string(&text), "it came earlier"));
        scoped_json *root = trend_report_to_json(&report);
        if (!trend_report_from_json(root, "it", &scene->arena, &kept, &err) ||
            !report_make_again(scene->db, &kept, &scene->arena, &again, &err))
            fail_msg("%s", err.text);
        again.canary_count = 0;
        assert_string_equal(report_bytes(scene, &again), report_bytes(scene, &report));
    }
    assert_int_equal(losses, 1);
    assert_int_equal(moved, 1);
    assert_int_equal(others, 0);
}

static int64_t say(int nth, enum change_point_status status, int day)
{
    int64_t id;
    char at[CLOCK_ISO_BYTES];
    struct err err = {0};
    clock_iso(YEAR_FIRST_US + day * YEAR_DAY_US - 1, at);
    const struct change_point_entry entry = {.measure = "steady_step_median",
                                             .at_profile_id = late_first + nth,
                                             .status = status,
                                             .before = 10000,
                                             .after = 10600,
                                             .method = "course/11",
                                             .origin = {at, "scheduler"}};
    if (!change_point_add(scene->db, &entry, &id, &err))
        fail_msg("%s", err.text);
    return id;
}

/* What was marked is what was told; that the mark is taken back is no news of its own. */
static void says_it_of_the_mark_that_was_told(void **state)
{
    (void)state;
    const int week = LATE_TAKEN_IN + WEEK;
    say(LATE_FROM, CHANGE_POINT_CANDIDATE, LATE_FROM + WEEK);
    int64_t gone = say(LATE_FROM, CHANGE_POINT_WITHDRAWN, week);
    say(LATE_TAKEN_IN + 3, CHANGE_POINT_CANDIDATE, week);
    for (int i = 0; i < 2; i++) { /* the ledger's word may come behind the report */
        const struct trend_report report =
            project_report("late", "weekly", "main", week + i * WEEK);
        assert_int_equal(report.loss_count, 0);
        assert_int_equal(report.withdrawn_count, i == 0);
        if (i == 0)
            is_moved(&report, LATE_FROM);
        if (i == 0)
            assert_string_equal(report.withdrawn[0].entry,
                                arena_printf(&scene->arena, "k%lld", (long long)gone));
    }
    assert_int_equal(project_report("late", NULL, "main", week).withdrawn_count, 0);
    struct trend_report told = project_report("late", "weekly", "main", LATE_FROM + WEEK);
    assert_int_equal(told.loss_count, 1);
    told.name = NULL;
    report_keep(scene, &told);
    const struct trend_report by_hand = project_report("late", NULL, "main", week);
    assert_int_equal(by_hand.withdrawn_count, 1);
    assert_true(by_hand.withdrawn[0].has_moved);
    assert_string_equal(by_hand.withdrawn[0].told_in, told.report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_a_change_once),
        cmocka_unit_test(counts_its_own_kind_alone),
        cmocka_unit_test(tells_a_drift_again_when_it_is_twice_as_large_as_it_was_told),
        cmocka_unit_test(leaves_what_is_recorded_behind_its_period_to_the_next),
        cmocka_unit_test(says_once_that_a_loss_came_earlier_than_was_told),
        cmocka_unit_test(says_it_of_the_mark_that_was_told),
    };
    return cmocka_run_group_tests(tests, set_up, scene_tear_down);
}
