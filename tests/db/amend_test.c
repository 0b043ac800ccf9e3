/* Corrections of profiles: what reads the ledger follows them, what was decided before stands, and
 * each has its entry. */
#include "history/alert/decision.h"
#include "history/profiles/amend.h"
#include "history/reading/trend.h"
#include "tests/support/integrity_fixture.h"
#include "tests/support/ledger_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What the functions of what was said at a time tell without one is what the views tell. */
static void assert_functions_follow(struct scene *scene)
{
    static const char differences[] =
        "WITH a AS (SELECT id, place, run, series_id, recorded_series_id, recorded_at, "
        "recorded_on, branch, commit_sha, retracted_at IS NOT NULL, superseded_by, "
        "ran_at FROM present_profiles), b AS (SELECT * FROM profiles_at('infinity')), "
        "c AS (SELECT profile_id, name FROM present_names WHERE kind = 'branch'), "
        "d AS (SELECT * FROM branches_at('infinity')), "
        "e AS (SELECT id, id, run, series_id, series_id, "
        "coalesce((SELECT o.recorded_at FROM origins o "
        "WHERE o.kind = 'profile' AND o.subject_id = p.id), p.recorded_at), recorded_on, "
        "(SELECT v.branch FROM profile_events v WHERE v.profile_id = p.id ORDER BY v.id LIMIT 1), "
        "(SELECT v.commit_sha FROM profile_events v WHERE v.profile_id = p.id ORDER BY v.id LIMIT "
        "1), false, NULL::bigint FROM profiles p), "
        "f AS (SELECT b.id, place, run, series_id, recorded_series_id, recorded_at, recorded_on, "
        "branch, commit_sha, retracted, superseded_by FROM profiles_at('-infinity') b) "
        "SELECT (SELECT count(*) FROM (TABLE a EXCEPT TABLE b) x) || ' ' || "
        "(SELECT count(*) FROM (TABLE b EXCEPT TABLE a) x) || ' ' || "
        "(SELECT count(*) FROM (TABLE c EXCEPT TABLE d) x) || ' ' || "
        "(SELECT count(*) FROM (TABLE d EXCEPT TABLE c) x) || ' ' || "
        "(SELECT count(*) FROM (TABLE e EXCEPT TABLE f) x)";
    char *found = sql_text(scene->database.app, differences);
    assert_string_equal(found, "0 0 0 0 0");
    free(found);
}

/* Whatever a test did to the ledger, every entry of it verifies. */
static int tear_down(void **state)
{
    struct scene *scene = *state;
    assert_functions_follow(scene);
    integrity_assert_clean(integrity_verify(&scene->database, NULL, &scene->arena));
    return scene_tear_down(state);
}

static const struct profile_identity on_main = {
    .project = "llm", .workload = "pretrain", .branch = "main", .commit = "c0ffee0"};

static int64_t put(struct scene *scene, int number, const struct profile_identity *identity)
{
    return ledger_append(scene->db, &scene->arena, identity, number).id;
}

static void amend(struct scene *scene, const struct amendment *amendment)
{
    int64_t id;
    struct err err = {0};
    if (!ledger_amend(scene->db, amendment, &scene->arena, &id, &err))
        fail_msg("%s", err.text);
}

static void amend_fails(struct scene *scene, const struct amendment *amendment, enum err_kind kind,
                        const char *word)
{
    int64_t id;
    struct err err = {0};
    assert_false(ledger_amend(scene->db, amendment, &scene->arena, &id, &err));
    assert_int_equal(err.kind, kind);
    if (strstr(err.text, word) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", err.text, word);
}

static struct ledger_profile load(struct scene *scene, int64_t id)
{
    struct err err = {0};
    struct ledger_profile profile;
    if (!ledger_load_header(scene->db, id, &scene->arena, &profile, &err))
        fail_msg("%s", err.text);
    return profile;
}

/* The baseline's ids, newest first, as "3 1". */
static const char *places_text(struct scene *scene, const struct baseline_query *query)
{
    struct err err = {0};
    struct place_list places;
    char *out = arena_strdup(&scene->arena, "");
    if (!ledger_baseline_places(scene->db, query, &scene->arena, &places, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < places.count; i++)
        out = arena_printf(&scene->arena, "%s%s%d", out, i > 0 ? " " : "", (int)places.items[i].id);
    return out;
}

static const char *baseline(struct scene *scene, const char *workload, const char *branch)
{
    const struct baseline_query query = {
        .project = "llm", .workload = workload, .branch = branch, .run_limit = 10};
    return places_text(scene, &query);
}

static const char *trend_runs(struct scene *scene, const char *workload, const char *branch)
{
    struct err err = {0};
    struct trend trend;
    char *out = arena_strdup(&scene->arena, "");
    const struct trend_query query = {.project = "llm",
                                      .workload = workload,
                                      .branch = branch,
                                      .measure = "steady_steps",
                                      .run_limit = 10};
    if (!ledger_trend(scene->db, &query, &scene->arena, &trend, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < trend.point_count; i++)
        out = arena_printf(&scene->arena, "%s%s%s", out, i > 0 ? " " : "",
                           trend.points[i].profile_id);
    return out;
}

static bool is_called(struct scene *scene, const char *name, int64_t id)
{
    struct err err = {0};
    struct profile_page page;
    const struct profile_reference reference = {"llm", "pretrain", name};
    return ledger_resolve(scene->db, &reference, &scene->arena, &page, &err) && page.count == 1 &&
           page.items[0].id == id;
}

/* ---- amend ---- */

static void follows_another_branch_commit_run_and_label(void **state)
{
    struct scene *scene = *state;
    int64_t id = put(scene, 1, &on_main);
    amend(scene, &(struct amendment){.profile_id = id,
                                     .branch = "feature",
                                     .commit = "decade0",
                                     .run = "night",
                                     .label = "golden",
                                     .reason = "the job said it wrong"});
    struct ledger_profile profile = load(scene, id);
    assert_string_equal(profile.branch, "feature");
    assert_string_equal(profile.commit, "decade0");
    assert_string_equal(profile.run, "night");
    assert_string_equal(profile.label, "golden");
    assert_string_equal(profile.reason, "the job said it wrong");
    assert_string_equal(baseline(scene, "pretrain", "main"), "");
    assert_string_equal(baseline(scene, "pretrain", "feature"), "1");
    assert_true(is_called(scene, "decade0", id));
    assert_true(is_called(scene, "night", id));
    assert_true(is_called(scene, "golden", id));
    assert_false(is_called(scene, "c0ffee0", id));
}

/* A word that was taken back does not come again with the same bytes; a new one does. */
static void keeps_a_correction_when_the_old_words_are_repeated(void **state)
{
    struct scene *scene = *state;
    struct profile_identity released = on_main;
    int64_t id = put(scene, 1, &on_main);
    amend(scene, &(struct amendment){.profile_id = id, .branch = "feature", .reason = "wrong"});
    assert_int_equal(put(scene, 1, &on_main), id);
    assert_string_equal(baseline(scene, "pretrain", "main"), "");
    released.branch = "release";
    assert_int_equal(put(scene, 1, &released), id);
    assert_string_equal(baseline(scene, "pretrain", "release"), "1");
    assert_string_equal(baseline(scene, "pretrain", "feature"), "1");
}

static void moves_to_another_workload_with_its_measures(void **state)
{
    struct scene *scene = *state;
    int64_t id = put(scene, 1, &on_main);
    put(scene, 2, &on_main);
    const char *held = load(scene, id).series;
    amend(scene,
          &(struct amendment){.profile_id = id, .workload = "finetune", .reason = "other job"});
    struct ledger_profile profile = load(scene, id);
    assert_string_equal(profile.workload, "finetune");
    assert_string_not_equal(profile.series, held);
    assert_string_equal(baseline(scene, "pretrain", "main"), "2");
    assert_string_equal(baseline(scene, "finetune", "main"), "1");
    assert_string_equal(trend_runs(scene, "pretrain", "main"), "p2");
    assert_string_equal(trend_runs(scene, "finetune", "main"), "p1");
    /* ... and back, and the bytes are known in each place. */
    amend(scene,
          &(struct amendment){.profile_id = id, .workload = "pretrain", .reason = "it was right"});
    assert_string_equal(load(scene, id).series, held);
    assert_string_equal(trend_runs(scene, "pretrain", "main"), "p1 p2");
    assert_int_equal(put(scene, 1, &on_main), id);
}

static void refuses_what_makes_no_sense(void **state)
{
    struct scene *scene = *state;
    struct profile_identity elsewhere = on_main;
    elsewhere.workload = "finetune";
    int64_t id = put(scene, 1, &on_main), other = put(scene, 1, &elsewhere);
    const struct {
        struct amendment amendment;
        enum err_kind kind;
        const char *word;
    } wrong[] = {
        {{.profile_id = 99, .branch = "x", .reason = "r"}, ERR_MISSING, "p99"},
        {{.profile_id = id, .branch = "main", .reason = "r"}, ERR_INPUT, "nothing would change"},
        {{.profile_id = id, .reason = "r"}, ERR_INPUT, "nothing would change"},
        {{.profile_id = id, .branch = "x", .reason = ""}, ERR_INPUT, "reason"},
        {{.profile_id = id, .branch = "x"}, ERR_INPUT, "reason"},
        {{.profile_id = id, .branch = "", .reason = "r"}, ERR_INPUT, "branch"},
        {{.profile_id = id, .run = "p7", .reason = "r"}, ERR_INPUT, "looks like an entry"},
        {{.profile_id = id, .label = "x\u200b", .reason = "r"}, ERR_INPUT, "U+200B"},
        {{.profile_id = id, .workload = "finetune", .reason = "r"}, ERR_INPUT, "same bytes"},
        {{.profile_id = id, .action = AMEND_restore, .reason = "r"}, ERR_INPUT, "not retracted"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        amend_fails(scene, &wrong[i].amendment, wrong[i].kind, wrong[i].word);
    assert_int_equal(other, 2);
    assert_int_equal(sql_number(scene->database.admin, "SELECT count(*) FROM amendments"), 0);
}

/* ---- retract ---- */

static void forgets_what_was_retracted_until_it_is_restored(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct profile_receipt receipt;
    int64_t id = put(scene, 1, &on_main);
    put(scene, 2, &on_main);
    const struct amendment retract = {
        .profile_id = id, .action = AMEND_retract, .reason = "a noisy host"};
    amend(scene, &retract);
    assert_non_null(load(scene, id).retracted_at_utc);
    assert_string_equal(baseline(scene, "pretrain", "main"), "2");
    assert_string_equal(trend_runs(scene, "pretrain", "main"), "p2");
    assert_true(is_called(scene, "p1", id));
    amend_fails(scene, &retract, ERR_INPUT, "already");
    amend_fails(scene, &(struct amendment){.profile_id = id, .branch = "x", .reason = "r"},
                ERR_INPUT, "a noisy host");
    assert_false(ledger_append_profile(scene->db, &on_main, ledger_summary(&scene->arena, 1, 3),
                                       &scene->arena, &receipt, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_non_null(strstr(err.text, "--undo"));
    amend(scene,
          &(struct amendment){.profile_id = id, .action = AMEND_restore, .reason = "not noisy"});
    assert_null(load(scene, id).retracted_at_utc);
    assert_string_equal(baseline(scene, "pretrain", "main"), "2 1");
}

/* ---- supersede ---- */

static struct profile_receipt put_read_otherwise(struct scene *scene, int number, int64_t warmup,
                                                 const struct profile_identity *identity)
{
    struct err err = {0};
    struct profile_receipt receipt;
    struct summary *summary = ledger_summary(&scene->arena, number, 3);
    summary->producer.warmup_steps = warmup;
    if (!ledger_append_profile(scene->db, identity, summary, &scene->arena, &receipt, &err))
        fail_msg("%s", err.text);
    return receipt;
}

static void takes_another_reading_of_known_bytes_for_what_comes_later(void **state)
{
    struct scene *scene = *state;
    struct profile_identity plain = {.project = "llm", .workload = "pretrain"};
    struct profile_identity named = on_main;
    named.run = "night";
    named.label = "golden";
    int64_t old = put(scene, 1, &named);
    struct profile_receipt receipt = put_read_otherwise(scene, 1, 7, &plain);
    assert_false(receipt.duplicate);
    assert_int_equal(receipt.superseded, old);
    assert_string_equal(receipt.run, "night");
    struct ledger_profile profile = load(scene, receipt.id);
    assert_string_equal(profile.branch, "main");
    assert_string_equal(profile.commit, "c0ffee0");
    assert_string_equal(profile.label, "golden");
    assert_int_equal(load(scene, old).superseded_by, receipt.id);
    assert_string_equal(baseline(scene, "pretrain", "main"), "2");
    assert_true(is_called(scene, "night", receipt.id));
    assert_true(is_called(scene, "p1", old));
    struct profile_receipt again = put_read_otherwise(scene, 1, 7, &plain);
    assert_true(again.duplicate);
    assert_int_equal(again.id, receipt.id);
    amend_fails(scene, &(struct amendment){.profile_id = old, .branch = "x", .reason = "r"},
                ERR_INPUT, "p2");
    plain.known_stands = true;
    assert_int_equal(put_read_otherwise(scene, 1, 9, &plain).id, receipt.id);
}

/* What was measured earlier is no later run, however late and often it is read again. */
static void keeps_the_run_and_the_place_of_bytes_that_are_read_again(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct level_mark start;
    for (int number = 1; number <= 3; number++)
        put(scene, number, &on_main);
    assert_string_equal(put_read_otherwise(scene, 1, 7, &on_main).run, "p1");
    struct profile_receipt last = put_read_otherwise(scene, 1, 9, &on_main);
    assert_string_equal(last.run, "p1");
    assert_int_equal(last.id, 5);
    assert_string_equal(baseline(scene, "pretrain", "main"), "3 2 5");
    assert_string_equal(trend_runs(scene, "pretrain", "main"), "p5 p2 p3");
    assert_string_equal(load(scene, 5).recorded_at_utc, load(scene, 1).recorded_at_utc);
    struct rebaseline_entry level = {.series = last.series, .after_profile_id = 2, .reason = "r"};
    assert_true(ledger_rebaseline(scene->db, &level, &start, &err));
    const struct baseline_query since = {.project = "llm",
                                         .workload = "pretrain",
                                         .branch = "main",
                                         .run_limit = 10,
                                         .since_id = start.profile_id};
    assert_string_equal(places_text(scene, &since), "3");
    const struct baseline_query before = {.project = "llm",
                                          .workload = "pretrain",
                                          .branch = "main",
                                          .run_limit = 10,
                                          .before_id = 3};
    assert_string_equal(places_text(scene, &before), "2 5");
    struct profile_identity named = on_main;
    named.run = "night";
    assert_string_equal(put_read_otherwise(scene, 2, 7, &named).run, "night");
}

static void takes_the_place_of_several_parts_of_a_capture(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    int64_t parts[] = {put(scene, 1, &on_main), put(scene, 2, &on_main)};
    struct profile_identity whole = on_main;
    whole.supersedes = parts;
    whole.supersedes_count = 2;
    assert_int_equal(put(scene, 3, &whole), 3);
    assert_string_equal(baseline(scene, "pretrain", "main"), "3");
    assert_true(db_begin(scene->db, &err));
    assert_false(ledger_supersede_within(scene->db, 3, &(struct successor){.id = 1, .reason = "r"},
                                         &scene->arena, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    db_rollback(scene->db);
}

/* ---- another ledger's times ---- */

static void keeps_when_another_ledger_recorded_it(void **state)
{
    struct scene *scene = *state;
    const struct origin origin = {"2023-11-14T22:13:20.000000Z", "somebody"};
    struct profile_identity imported = on_main;
    imported.origin = &origin;
    int64_t id = put(scene, 1, &imported);
    assert_string_equal(load(scene, id).recorded_at_utc, "2023-11-14T22:13:20.000000Z");
    assert_int_equal(put(scene, 1, &imported), id);
}

/* ---- who may, and what is found ---- */

static void finds_corrections_that_were_changed(void **state)
{
    static const struct {
        const char *change;
        const char *entry;
    } changes[] = {
        {"UPDATE amendments SET branch = 'main'", "m1"},
        {"UPDATE amendments SET retracted = true", "m1"},
        {"DELETE FROM amendments", "m1"},
        {"UPDATE origins SET recorded_at = now()", "p1"},
        {"DELETE FROM origins", "p1"},
        {"INSERT INTO amendments (profile_id, ordinal, action, reason, series_id, run, "
         "branch_after, commit_after, label_after, retracted) "
         "SELECT profile_id, 2, 'retract', 'forged', series_id, run, 0, 0, 0, true FROM amendments",
         "m2"},
        {"INSERT INTO origins (kind, subject_id, recorded_at) VALUES ('amendment', 1, now())",
         "m1"},
    };
    struct scene *scene = *state;
    const struct origin origin = {"2023-11-14T22:13:20Z", NULL};
    struct profile_identity imported = on_main;
    imported.origin = &origin;
    put(scene, 1, &imported);
    amend(scene, &(struct amendment){.profile_id = 1, .branch = "feature", .reason = "a slip"});
    integrity_assert_clean(integrity_verify(&scene->database, NULL, &scene->arena));
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        char text[1000];
        struct test_database changed;
        db_close(scene->db);
        scene->db = NULL;
        test_database_clone(&scene->database, &changed);
        (void)snprintf(text, sizeof text, "SET session_replication_role = replica; %s",
                       changes[i].change);
        sql_do(changed.admin, text);
        const struct verify_report *report = integrity_verify(&changed, NULL, &scene->arena);
        if (report->finding_count != 1 || report->findings[0].entry == NULL ||
            strcmp(report->findings[0].entry, changes[i].entry) != 0)
            fail_msg("%s: %d findings, the first of %s", changes[i].change,
                     (int)report->finding_count,
                     report->finding_count > 0 ? report->findings[0].entry : "none");
    }
}

static void lets_each_role_do_what_it_must(void **state)
{
    struct scene *scene = *state;
    static const char rights[] =
        "SELECT string_agg(concat_ws(' ', r, has_table_privilege(r, t, 'SELECT'), "
        "has_any_column_privilege(r, t, 'INSERT'), has_table_privilege(r, t, 'UPDATE')), ', ' "
        "ORDER BY t, r) FROM unnest(ARRAY['stepledger_ingest', 'stepledger_compare', "
        "'stepledger_alert', 'stepledger_read']) r, "
        "unnest(ARRAY['stepledger.amendments', 'stepledger.present_profiles']) t";
    char *found = sql_text(scene->database.admin, rights);
    assert_string_equal(found, "stepledger_alert t f f, stepledger_compare t f f, "
                               "stepledger_ingest t t f, stepledger_read t f f, "
                               "stepledger_alert t f f, stepledger_compare t f f, "
                               "stepledger_ingest t f f, stepledger_read t f f");
    free(found);
    assert_string_equal(
        sql_refusal(scene->database.app,
                    "INSERT INTO amendments (profile_id, ordinal, action, reason, series_id, run, "
                    "branch_after, commit_after, label_after, retracted) "
                    "VALUES (1, 1, 'retract', '', 1, 'r', 0, 0, 0, true)"),
        "23514");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, scene_set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(follows_another_branch_commit_run_and_label),
        CASE(keeps_a_correction_when_the_old_words_are_repeated),
        CASE(moves_to_another_workload_with_its_measures),
        CASE(refuses_what_makes_no_sense),
        CASE(forgets_what_was_retracted_until_it_is_restored),
        CASE(takes_another_reading_of_known_bytes_for_what_comes_later),
        CASE(keeps_the_run_and_the_place_of_bytes_that_are_read_again),
        CASE(takes_the_place_of_several_parts_of_a_capture),
        CASE(keeps_when_another_ledger_recorded_it),
        CASE(lets_each_role_do_what_it_must),
        cmocka_unit_test_setup_teardown(finds_corrections_that_were_changed, scene_set_up,
                                        scene_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
