/* Scheduled reports whose periods overlap, as those of a week that are made every day do: a change
 * is told by the first of them that sees it, and by no other. */
#include "ops/flow/reports/reports.h"

#include "ops/present/trend_report/trend_report.h"
#include "ops/runtime/json.h"
#include "ops/runtime/text.h"
#include "tests/support/cluster.h"
#include "tests/support/ledger_fixture.h"
#include "tests/support/year_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DAYS = 110, CHANGED = 80, WEEK = 7, TEXT_BYTES = 8 << 20 };

static const int64_t first_us = 1735689600000000, day_us = 86400000000; /* of year_fixture.h */

static struct scene *scene;

static int set_up(void **state)
{
    static const struct year_change change = {CHANGED, "fusion.1", 600};
    *state = scene = scene_open(0);
    const struct year_plan plan = {.project = "llm",
                                   .workload = "w",
                                   .days = DAYS,
                                   .sd = .006,
                                   .changes = &change,
                                   .change_count = 1,
                                   .seed = 31};
    year_append(scene->db, &scene->arena, &plan);
    return 0;
}

static struct trend_report report_of(const char *name, const char *branch, int day)
{
    struct err err = {0};
    struct trend_report report;
    const struct report_request request = {.name = name,
                                           .project = "llm",
                                           .branch = branch,
                                           .measure = "steady_step_median",
                                           .since_us = first_us + (day - WEEK) * day_us,
                                           .until_us = first_us + day * day_us,
                                           .made_us = first_us + day * day_us};
    if (!report_make(scene->db, &request, &scene->arena, &report, &err))
        fail_msg("%s", err.text);
    return report;
}

static void record(struct trend_report *report)
{
    struct err err = {0};
    bool is_new = false;
    if (!db_begin(scene->db, &err) ||
        !db_end(scene->db, report_record_within(scene->db, report, &scene->arena, &is_new, &err),
                &err))
        fail_msg("%s", err.text);
    assert_true(is_new);
}

static const char *bytes_of(const struct trend_report *report)
{
    struct err err = {0};
    scoped_text text;
    text_init(&text, TEXT_BYTES);
    scoped_json *root = trend_report_to_json(report, &err);
    json_print(root, JSON_STYLE_LINE, &text);
    return arena_strdup(&scene->arena, text_string(&text));
}

static void tells_a_change_once(void **state)
{
    (void)state;
    struct err err = {0};
    struct trend_report kept[2 * WEEK];
    size_t told = 0, suspected = 0;
    for (int i = 0; i < 2 * WEEK; i++) {
        kept[i] = report_of("daily", "main", CHANGED + 2 + i);
        record(&kept[i]);
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
        assert_string_equal(bytes_of(&again), bytes_of(&kept[i]));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_a_change_once),
        cmocka_unit_test(counts_its_own_kind_alone),
    };
    return cmocka_run_group_tests(tests, set_up, scene_tear_down);
}
