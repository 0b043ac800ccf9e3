/* Reports of a year of daily runs: what was planted is told once, in the week in which it became
 * sure, by its commits and ops, and nothing else is. */
#include "ops/flow/reports/reports.h"

#include "history/profiles/amend.h"
#include "history/reports/reports.h"
#include "ops/flow/trends/trends.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/json.h"
#include "ops/runtime/text.h"
#include "tests/support/assert_number.h"
#include "tests/support/cluster.h"
#include "tests/support/ledger_fixture.h"
#include "tests/support/year_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DAYS = 365, DOCUMENT_BYTES = 8 << 20, WEEKS = 40 };

static struct scene *scene;

static const struct year_change planted[] = {
    {80, "fusion.1", 500}, {170, "fusion.1", -450}, {240, "fusion.2", 600}};

static int set_up(void **state)
{
    *state = scene = scene_open(0);
    const struct year_plan plans[] = {
        {.project = "llm",
         .workload = "year",
         .days = DAYS,
         .sd = .006,
         .changes = planted,
         .change_count = 3,
         .seed = 7},
        {.project = "llm",
         .workload = "creeps",
         .days = DAYS,
         .sd = .006,
         .drift_from = 100,
         .drift_until = DAYS,
         .drift_us = 800,
         .seed = 11},
        {.project = "llm", .workload = "still", .days = 100, .sd = .006, .seed = 8},
        {.project = "llm",
         .workload = "batch",
         .days = 60,
         .sd = .006,
         .changes = (const struct year_change[]){{30, "fusion.1", 3000}},
         .change_count = 1,
         .batch_from = 30,
         .seed = 9},
    };
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        year_append(scene->db, &scene->arena, &plans[i]);
    return 0;
}

static struct trend_report report_of(struct report_request request)
{
    struct err err = {0};
    struct trend_report report;
    request.project = request.project != NULL ? request.project : "llm";
    request.branch = "main";
    request.measure = "steady_step_median";
    request.made_us = request.made_us != 0 ? request.made_us : request.until_us;
    if (!report_make(scene->db, &request, &scene->arena, &report, &err))
        fail_msg("%s", err.text);
    return report;
}

static struct trend_report days_of(int from, int until)
{
    return report_of((struct report_request){.since_us = YEAR_FIRST_US + from * YEAR_DAY_US,
                                             .until_us = YEAR_FIRST_US + until * YEAR_DAY_US});
}

static void assert_planted(const struct report_change *change, int day)
{
    char commit[41];
    for (int d = 0; d < DAYS; d++) {
        year_commit(d, commit);
        if (strcmp(change->after_commit, commit) == 0)
            assert_true(d < day && d >= day - 4);
        if (strcmp(change->until_commit, commit) == 0)
            assert_true(d >= day && d <= day + 4);
    }
}

/* Parts of the step by category, and the steps of the runs around the change. */
static void assert_where_time_goes(const struct report_change *change)
{
    double before = 0, after = 0;
    int64_t steps_before = 0, steps_after = 0;
    assert_true(change->category_count >= 2);
    for (size_t i = 0; i < change->category_count; i++) {
        before += change->categories[i].before_us;
        after += change->categories[i].after_us;
    }
    assert_number(before, change->before, 1e-6);
    assert_number(after, change->after, 1e-6);
    double moved = change->categories[0].after_us - change->categories[0].before_us;
    assert_number(moved, change->after - change->before, 150);
    for (size_t i = 0; i < change->step_bin_count; i++) {
        const struct report_step_bin *bin = &change->step_bins[i];
        steps_before += bin->before;
        steps_after += bin->after;
        if (i > 0)
            assert_number(bin->from_us, bin[-1].until_us.value, 1e-6);
    }
    assert_true(steps_before > 15 && steps_before == steps_after); /* 15 runs a side */
}

static void names_what_was_planted_in_a_year_and_nothing_else(void **state)
{
    (void)state;
    struct trend_report report = days_of(0, DAYS);
    assert_false(report.nothing_new);
    assert_int_equal(report.workload_count, 4);
    assert_int_equal(report.run_count, 2 * DAYS + 160);
    assert_int_equal(report.loss_count, 2);
    assert_int_equal(report.improvement_count, 0);
    assert_int_equal(report.recovery_count, 1);
    assert_int_equal(report.drift_count, 1);
    assert_int_equal(report.suspected_count, 0);
    assert_string_equal(report.drifts[0].workload, "creeps");
    assert_true(report.drifts[0].loss);
    assert_number(report.drifts[0].change_pct.value, 8, 2);
    static const int days[] = {240, 80};
    static const char *const ops[] = {"fusion.2", "fusion.1"};
    for (size_t i = 0; i < 2; i++) {
        const struct report_change *loss = &report.losses[i];
        assert_string_equal(loss->workload, "year");
        assert_planted(loss, days[i]);
        assert_true(loss->op_count >= 1);
        assert_string_equal(loss->ops[0].name, ops[i]);
        assert_number(loss->ops[0].share_pct.value, 100, 15);
        double before = 0, after = 0;
        for (size_t k = 0; k < loss->part_count; k++) {
            before += loss->parts[k].before_us;
            after += loss->parts[k].after_us;
        }
        assert_number(before, loss->before, 1e-6);
        assert_number(after, loss->after, 1e-6);
        assert_where_time_goes(loss);
        assert_non_null(loss->next);
        assert_true(loss->low_pct.set && loss->low_pct.value < loss->change_pct.value &&
                    loss->change_pct.value < loss->high_pct.value);
        assert_true(loss->high_pct.value - loss->low_pct.value < 1);
        assert_true(loss->low_pct.value < 6 && 4.5 < loss->high_pct.value);
    }
    assert_planted(&report.recoveries[0], 170);
    assert_string_equal(report.recoveries[0].takes_back, report.losses[1].at_profile);
    assert_null(report.recoveries[0].command); /* no baseline begins with what is over */
    assert_non_null(strstr(report.losses[0].command, "stepledger rebaseline s"));
    assert_true(report.losses[1].went_away); /* what was gained on day 170 took it back */
    assert_null(report.losses[1].command);
    assert_int_equal(report.restart_count, 1);
    assert_int_equal(report.quiet_count, 2);
    assert_string_equal(report.quiet[0].workload, "batch");
    assert_string_equal(report.quiet[1].workload, "still");
    assert_number(report.quiet[0].usual_hours, 24, .1);
    assert_int_equal(report.newcomer_count, 4);
    assert_int_equal(report.headlines.count, 5); /* a loss and its end are told once */
    assert_non_null(
        strstr(report.headlines.items[0], ": 1 new loss, 1 that came and went, 1 slow drift, "));
}

/* Of those that moved first, and then the noisiest, as `stepledger canary` tells it. */
static void says_how_often_a_gate_would_be_wrong(void **state)
{
    (void)state;
    static const char *const workloads[] = {"year", "creeps"};
    struct trend_report report =
        report_of((struct report_request){.since_us = YEAR_FIRST_US,
                                          .until_us = YEAR_FIRST_US + DAYS * YEAR_DAY_US,
                                          .canary_count = 3});
    assert_int_equal(report.canary_count, 3);
    for (size_t i = 0; i < report.canary_count; i++) {
        const struct report_canary *canary = &report.canaries[i];
        if (i < sizeof workloads / sizeof workloads[0])
            assert_string_equal(canary->workload, workloads[i]);
        assert_int_equal(canary->run_count, 60);
        assert_true(canary->window_count > 0);
        assert_true(canary->false_fail_low <= canary->false_fail &&
                    canary->false_fail <= canary->false_fail_high);
        assert_number(canary->effect_pct, 3, 0);
    }
    assert_true(report.canaries[0].false_fail <= .1);
    assert_true(report.canaries[0].caught >= .9);
}

static void draws_what_it_names(void **state)
{
    (void)state;
    struct trend_report report = days_of(0, DAYS);
    assert_int_equal(report.course_count, 2);
    assert_int_equal(report.losses[0].course.value, 0);
    assert_int_equal(report.losses[1].course.value, 0);
    assert_int_equal(report.drifts[0].course.value, 1);
    const struct report_course *year = &report.courses[0];
    assert_string_equal(year->workload, "year");
    assert_int_equal(year->point_count, DAYS);
    assert_int_equal(year->level_count, 4);
    for (size_t i = 0; i < year->level_count; i++) {
        assert_int_equal(year->levels[i].from, i == 0 ? 0 : year->levels[i - 1].end);
        assert_true(year->levels[i].end > year->levels[i].from);
    }
    assert_int_equal(year->levels[3].end, DAYS);
}

/* Period for period, each change once, in the report of when there were runs enough to be sure. */
static void tells_each_change_in_one_report(void **state)
{
    (void)state;
    size_t losses = 0, recoveries = 0, quiet = 0;
    for (int week = 9; week < WEEKS; week += 2) {
        struct arena_mark mark = arena_mark(&scene->arena);
        struct trend_report report = days_of(7 * week, 7 * (week + 2));
        losses += report.loss_count;
        recoveries += report.recovery_count;
        quiet += report.quiet_count;
        for (size_t i = 0; i < report.loss_count; i++)
            assert_string_equal(report.losses[i].workload, "year");
        arena_rewind(&scene->arena, mark);
    }
    assert_int_equal(losses, 2);
    assert_int_equal(recoveries, 1);
    assert_int_equal(quiet, 2);
}

/* What no run tells is not silence of the runs. */
static void says_that_no_run_tells_the_measure(void **state)
{
    (void)state;
    struct err err = {0};
    struct trend_report report;
    const struct report_request request = {.project = "llm",
                                           .branch = "main",
                                           .measure = "mfu",
                                           .since_us = YEAR_FIRST_US + 49 * YEAR_DAY_US,
                                           .until_us = YEAR_FIRST_US + 56 * YEAR_DAY_US,
                                           .made_us = YEAR_FIRST_US + 56 * YEAR_DAY_US};
    assert_true(report_make(scene->db, &request, &scene->arena, &report, &err));
    assert_non_null(strstr(report.headlines.items[0], ": no run tells mfu, so that nothing can"));
}

static void says_in_one_line_that_nothing_is_new(void **state)
{
    (void)state;
    struct trend_report report = days_of(49, 56);
    assert_true(report.nothing_new);
    assert_int_equal(report.headlines.count, 1);
    assert_string_equal(report.headlines.items[0],
                        "llm, 2025-02-19 to 2025-02-26: nothing new; 28 runs of 4 workloads.");
    assert_int_equal(report.course_count, 0);
    assert_true(report.noisiest_count > 0);
    assert_non_null(strstr(days_of(-14, -7).headlines.items[0],
                           ": no run, so that nothing can be said; 0 runs of "));
}

static char *bytes_of(const struct trend_report *report)
{
    scoped_text text;
    text_init(&text, DOCUMENT_BYTES);
    scoped_json *root = trend_report_to_json(report);
    assert_non_null(root);
    json_print(root, JSON_STYLE_INDENTED, &text);
    return text_keep(&text, &scene->arena);
}

/* What came later counts for nothing. */
static void makes_the_same_bytes_again(void **state)
{
    (void)state;
    struct trend_report report = days_of(77, 91);
    char *before = bytes_of(&report);
    const struct year_plan later = {
        .project = "llm", .workload = "later", .days = 5, .sd = .006, .seed = 12};
    year_append(scene->db, &scene->arena,
                &later); /* recorded before the period: corrected history */
    sql_do(scene->database.admin,
           "SET session_replication_role = replica; UPDATE stepledger.origins o SET recorded_at = "
           "o.recorded_at + interval '91 days' FROM stepledger.profiles p JOIN stepledger.series s "
           "ON s.id = p.series_id WHERE o.kind = 'profile' AND o.subject_id = p.id AND "
           "s.workload = 'later'");
    struct trend_report again = days_of(77, 91);
    assert_string_equal(bytes_of(&again), before);
}

static void correct(struct amendment amendment)
{
    int64_t id;
    struct err err = {0};
    amendment.reason = "found out later";
    if (!ledger_amend(scene->db, &amendment, &scene->arena, &id, &err))
        fail_msg("%s", err.text);
}

static int64_t year_profile(int day)
{
    char *number =
        sql_text(scene->database.app, "SELECT min(p.id) FROM profiles p JOIN series s ON "
                                      "s.id = p.series_id WHERE s.workload = 'year'");
    int64_t first = strtoll(number, NULL, 10);
    free(number);
    return first + day;
}

/* Corrections of every kind, of runs that the report shows, are later than it. */
static void makes_the_same_bytes_whatever_is_corrected(void **state)
{
    (void)state;
    struct report_request request = {.since_us = YEAR_FIRST_US + 77 * YEAR_DAY_US,
                                     .until_us = YEAR_FIRST_US + 91 * YEAR_DAY_US,
                                     .canary_count = 1};
    struct trend_report report = report_of(request);
    assert_int_equal(report.loss_count, 1);
    assert_int_equal(report.canary_count, 1);
    char *before = bytes_of(&report);
    correct((struct amendment){.profile_id = year_profile(60), .action = AMEND_retract});
    correct((struct amendment){.profile_id = year_profile(70), .branch = "feature"});
    correct((struct amendment){.profile_id = year_profile(79), .commit = "decade0"});
    correct((struct amendment){.profile_id = year_profile(81), .workload = "still"});
    for (int day = 82; day < 85; day++)
        correct((struct amendment){.profile_id = year_profile(day), .run = "night"});
    correct((struct amendment){.profile_id = year_profile(86),
                               .action = AMEND_supersede,
                               .successor_id = year_profile(300)});
    struct trend_report again = report_of(request);
    assert_string_equal(bytes_of(&again), before);
    request.made_us = clock_wall_us();
    struct trend_report today = report_of(request);
    assert_string_not_equal(bytes_of(&today), before);
    assert_int_equal(today.courses[0].point_count, report.courses[0].point_count - 5);
}

/* ---- in the ledger --------------------------------------------------------------------------- */

static bool record(struct trend_report *report)
{
    struct err err = {0};
    bool is_new = false;
    scoped_transaction *open = NULL;
    if (!transaction_open(scene->db, &open, &err) ||
        !report_record_within(scene->db, report, &scene->arena, &is_new, &err) ||
        !transaction_close(&open, &err))
        fail_msg("%s", err.text);
    return is_new;
}

/* The same bytes; a name has one report of an end, however often it is made. */
static void is_kept_as_it_was_made_and_once(void **state)
{
    (void)state;
    struct err err = {0};
    struct trend_report loaded, again;
    struct report_request request = {.name = "weekly",
                                     .since_us = YEAR_FIRST_US + 77 * YEAR_DAY_US,
                                     .until_us = YEAR_FIRST_US + 91 * YEAR_DAY_US,
                                     .canary_count = REPORT_CANARIES};
    struct trend_report report = report_of(request);
    request.canary_count = 0; /* what takes long, and is in the first one */
    struct trend_report second = report_of(request);
    assert_true(record(&report));
    assert_string_equal(report.report, "rp1");
    assert_false(record(&second));
    assert_null(second.report);
    if (!ledger_load_report(scene->db, 1, &scene->arena, &loaded, &err) ||
        !report_make_again(scene->db, &loaded, &scene->arena, &again, &err))
        fail_msg("%s", err.text);
    assert_string_equal(bytes_of(&loaded), bytes_of(&report));
    assert_string_equal(bytes_of(&again), bytes_of(&report));
    assert_false(ledger_load_report(scene->db, 2, &scene->arena, &loaded, &err));
    assert_int_equal(err.kind, ERR_MISSING);
    request.name = NULL; /* by hand as often as one likes */
    struct trend_report by_hand = report_of(request), more = report_of(request);
    assert_true(record(&by_hand) && record(&more));
    char *chain = sql_text(scene->database.app, "SELECT string_agg(chain, ' ' ORDER BY position) "
                                                "FROM entries WHERE kind = 'report'");
    assert_string_equal(chain, "j1 j1 j1");
    free(chain);
}

/* What has lasted begins the baseline anew by itself: nobody has decided that its cost is meant. */
static void asks_for_a_look_at_a_loss_that_has_lasted(void **state)
{
    (void)state;
    struct err err = {0};
    struct conf conf;
    struct trends_marked marked;
    if (!conf_load(&conf, &scene->arena, NULL, &err) ||
        !trends_mark(scene->db, &conf, &marked, &err))
        fail_msg("%s", err.text);
    struct trend_report report = report_of((struct report_request){
        .since_us = YEAR_FIRST_US, .until_us = YEAR_FIRST_US + 400 * YEAR_DAY_US, .made_us = 0});
    assert_null(report.losses[0].status); /* it was said behind the period's end */
    report = report_of((struct report_request){.since_us = YEAR_FIRST_US,
                                               .until_us = YEAR_FIRST_US + 400 * YEAR_DAY_US,
                                               .made_us = clock_wall_us()});
    assert_null(report.losses[0].status); /* but nobody is asked for what is done */
    assert_non_null(strstr(report.losses[0].next, "baseline begins with it since k"));
    assert_null(report.losses[0].command);
    report = report_of((struct report_request){.since_us = YEAR_FIRST_US,
                                               .until_us = clock_wall_us() + YEAR_DAY_US});
    assert_int_equal(report.loss_count, 2);
    assert_string_equal(report.losses[0].status, "confirmed");
    assert_memory_equal(report.losses[0].next, "look at ", 8);
    assert_non_null(strstr(report.losses[0].next, "baseline begins with it since k"));
    assert_null(report.losses[0].command);
}

static void is_refused_when_it_was_changed(void **state)
{
    (void)state;
    struct err err = {0};
    struct trend_report loaded;
    sql_do(scene->database.admin,
           "SET session_replication_role = replica; UPDATE stepledger.reports SET document = "
           "replace(document, 'fusion.1', 'fusion.9') WHERE id = 1");
    assert_false(ledger_load_report(scene->db, 1, &scene->arena, &loaded, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_non_null(strstr(err.text, "rp1 is not what was recorded"));
}

static void reads_what_it_writes(void **state)
{
    (void)state;
    struct err err = {0};
    struct trend_report report = days_of(0, 100), read;
    scoped_json *root = trend_report_to_json(&report);
    if (!trend_report_from_json(root, "the report", &scene->arena, &read, &err))
        fail_msg("%s", err.text);
    assert_string_equal(bytes_of(&read), bytes_of(&report));
}

/* A report without the subjects of commits is still one, and says what is missing. */
static void says_why_commits_are_not_known(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"/nowhere", "/nowhere is no clone of git, or it lacks "},
        {"https://forge.example/acme/train", "whether forge.example is of GitHub or GitLab cannot"},
        {"git@forge.example:acme/train.git", "whether forge.example is of GitHub or GitLab cannot"},
        {"https://github.com/acme", "it leads to no repository"},
        {"https://me:key@github.com/acme/train", "holds a user name or password"},
    };
    static const struct conf conf;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct trend_report report =
            report_of((struct report_request){.since_us = YEAR_FIRST_US + 77 * YEAR_DAY_US,
                                              .until_us = YEAR_FIRST_US + 91 * YEAR_DAY_US,
                                              .repository = cases[i][0],
                                              .conf = &conf});
        assert_int_equal(report.loss_count, 1);
        assert_int_equal(report.losses[0].commit_count, 0);
        assert_non_null(strstr(report.losses[0].commits_why, cases[i][1]));
    }
    assert_null(days_of(77, 91).losses[0].commits_why);
}

static void takes_the_workloads_that_are_asked_for(void **state)
{
    (void)state;
    struct trend_report report =
        report_of((struct report_request){.workloads = "stil*, batch",
                                          .since_us = YEAR_FIRST_US + 35 * YEAR_DAY_US,
                                          .until_us = YEAR_FIRST_US + 56 * YEAR_DAY_US});
    assert_int_equal(report.workload_count, 2);
    assert_true(report.nothing_new);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_what_was_planted_in_a_year_and_nothing_else),
        cmocka_unit_test(says_how_often_a_gate_would_be_wrong),
        cmocka_unit_test(draws_what_it_names),
        cmocka_unit_test(tells_each_change_in_one_report),
        cmocka_unit_test(says_in_one_line_that_nothing_is_new),
        cmocka_unit_test(says_that_no_run_tells_the_measure),
        cmocka_unit_test(reads_what_it_writes),
        cmocka_unit_test(says_why_commits_are_not_known),
        cmocka_unit_test(takes_the_workloads_that_are_asked_for),
        cmocka_unit_test(is_kept_as_it_was_made_and_once),
        cmocka_unit_test(asks_for_a_look_at_a_loss_that_has_lasted),
        cmocka_unit_test(is_refused_when_it_was_changed),
        cmocka_unit_test(makes_the_same_bytes_again),
        cmocka_unit_test(makes_the_same_bytes_whatever_is_corrected),
    };
    return cmocka_run_group_tests(tests, set_up, scene_tear_down);
}
