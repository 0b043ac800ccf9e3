/* Finding profiles in the ledger: baselines by branch, references by name. */
#include "tests/support/cluster.h"
#include "tests/support/ledger_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Appends profile `number` and returns its id. */
static int64_t put(struct scene *scene, int number, const char *branch, const char *commit,
                   const char *run)
{
    const struct profile_identity identity = {
        .project = "llm", .workload = "pretrain", .branch = branch, .commit = commit, .run = run};
    return ledger_append(scene->db, &scene->arena, &identity, number).id;
}

static struct place_list ask(struct scene *scene, const struct baseline_query *query)
{
    struct err err = {0};
    struct place_list places;
    if (!ledger_baseline_places(scene->db, query, &scene->arena, &places, &err))
        fail_msg("%s", err.text);
    return places;
}

static void ids_equal(const struct place_list *places, const int64_t *ids, size_t count)
{
    assert_int_equal(places->count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(places->items[i].id, ids[i]);
}

static const struct baseline_query main_10 = {
    .project = "llm", .workload = "pretrain", .branch = "main", .run_limit = 10};

static void takes_the_last_runs_of_the_branch(void **state)
{
    struct scene *scene = *state;
    int64_t a = put(scene, 1, "main", NULL, NULL);
    int64_t b1 = put(scene, 2, "main", NULL, "run-b");
    put(scene, 3, "feature", NULL, NULL);
    int64_t c = put(scene, 4, "main", NULL, NULL);
    int64_t b2 = put(scene, 5, "main", NULL, "run-b");
    struct place_list all = ask(scene, &main_10);
    ids_equal(&all, (int64_t[]){b2, b1, c, a}, 4);
    assert_string_equal(all.items[0].run, "run-b");
    struct baseline_query two = main_10;
    two.run_limit = 2;
    struct place_list last = ask(scene, &two);
    ids_equal(&last, (int64_t[]){b2, b1, c}, 3);
}

static void takes_every_branch_when_none_is_named(void **state)
{
    struct scene *scene = *state;
    struct baseline_query any = main_10;
    any.branch = NULL;
    put(scene, 1, "main", NULL, NULL);
    put(scene, 2, NULL, NULL, NULL);
    assert_int_equal(ask(scene, &any).count, 2);
}

static void counts_a_profile_on_every_branch_that_was_said_of_it(void **state)
{
    struct scene *scene = *state;
    int64_t a = put(scene, 1, "feature", NULL, NULL);
    assert_int_equal(ask(scene, &main_10).count, 0);
    put(scene, 1, "main", NULL, NULL);
    struct place_list places = ask(scene, &main_10);
    ids_equal(&places, &a, 1);
}

static void leaves_out_the_candidate_and_its_run(void **state)
{
    struct scene *scene = *state;
    int64_t a = put(scene, 1, "main", NULL, "run-a");
    put(scene, 2, "main", NULL, "run-a");
    int64_t b = put(scene, 3, "main", NULL, NULL);
    struct baseline_query query = main_10;
    query.exclude = &a;
    query.exclude_count = 1;
    struct place_list places = ask(scene, &query);
    ids_equal(&places, &b, 1);
}

static void names_the_runs_that_are_left_out_for_their_names(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct namesake_list found;
    put(scene, 1, "main", NULL, "nightly");
    put(scene, 2, "main", NULL, "other");
    int64_t elsewhere = put(scene, 3, "topic", NULL, "nightly");
    struct baseline_query query = main_10;
    query.exclude = &elsewhere; /* runs of two branches are never one */
    query.exclude_count = 1;
    assert_int_equal(ask(scene, &query).count, 2);
    assert_true(ledger_baseline_namesakes(scene->db, &query, &scene->arena, &found, &err));
    assert_int_equal(found.count, 0);
    int64_t thief = put(scene, 4, "main", NULL, "nightly");
    query.exclude = &thief;
    assert_int_equal(ask(scene, &query).count, 1);
    assert_true(ledger_baseline_namesakes(scene->db, &query, &scene->arena, &found, &err));
    assert_int_equal(found.count, 1);
    assert_string_equal(found.items[0].run, "nightly");
    assert_int_equal(found.items[0].id, thief);
    query.branch = "topic";
    assert_true(ledger_baseline_namesakes(scene->db, &query, &scene->arena, &found, &err));
    assert_int_equal(found.count, 0);
}

static void sees_the_ledger_as_it_was_before_an_entry(void **state)
{
    struct scene *scene = *state;
    int64_t a = put(scene, 1, "main", NULL, NULL);
    int64_t late = put(scene, 2, "feature", NULL, NULL);
    int64_t b = put(scene, 3, "main", NULL, NULL);
    int64_t c = put(scene, 4, "main", NULL, NULL);
    put(scene, 2, "main", NULL, NULL); /* an event after c: not there before c */
    struct baseline_query query = main_10;
    query.before_id = c;
    struct place_list places = ask(scene, &query);
    ids_equal(&places, (int64_t[]){b, a}, 2);
    query.before_id = 0;
    places = ask(scene, &query);
    ids_equal(&places, (int64_t[]){c, b, late, a}, 4);
}

static void keeps_to_one_series_when_asked(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct profile_receipt receipt;
    const struct profile_identity identity = {
        .project = "llm", .workload = "pretrain", .branch = "main"};
    put(scene, 1, "main", NULL, NULL);
    struct summary *other = ledger_summary(&scene->arena, 2, 3);
    other->environment.device_type = "H100";
    assert_true(ledger_append_profile(scene->db, &identity, other, &scene->arena, &receipt, &err));
    struct baseline_query query = main_10;
    query.series = receipt.series;
    struct place_list places = ask(scene, &query);
    ids_equal(&places, &receipt.id, 1);
    query.series = "3";
    assert_false(ledger_baseline_places(scene->db, &query, &scene->arena, &places, &err));
    assert_int_equal(err.kind, ERR_INPUT);
}

static void is_empty_for_a_project_that_nobody_knows(void **state)
{
    struct baseline_query query = main_10;
    query.project = "nobody";
    assert_int_equal(ask(*state, &query).count, 0);
}

static void names_resolve(struct scene *scene, const char *name, const int64_t *ids, size_t count)
{
    struct err err = {0};
    struct profile_page page;
    const struct profile_reference reference = {"llm", "pretrain", name};
    if (!ledger_resolve(scene->db, &reference, &scene->arena, &page, &err))
        fail_msg("%s", err.text);
    assert_int_equal(page.count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(page.items[i].id, ids[i]);
}

static void finds_profiles_by_id_run_label_and_commit(void **state)
{
    struct scene *scene = *state;
    int64_t a = put(scene, 1, "main", "0123456789abcdef0123456789abcdef01234567", "run-a");
    int64_t b = put(scene, 2, "main", "fedcba9876543210fedcba9876543210fedcba98", "run-a");
    const struct profile_identity labelled = {
        .project = "llm", .workload = "pretrain", .label = "golden"};
    ledger_append(scene->db, &scene->arena, &labelled, 1);
    names_resolve(scene, "p1", &a, 1);
    names_resolve(scene, "run-a", (int64_t[]){b, a}, 2);
    names_resolve(scene, "golden", &a, 1);
    names_resolve(scene, "fedcba9876543210fedcba9876543210fedcba98", &b, 1);
    names_resolve(scene, "0123456", &a, 1);
}

static void names_what_it_does_not_find(void **state)
{
    struct scene *scene = *state;
    put(scene, 1, "main", "0123456789abcdef0123456789abcdef01234567", NULL);
    const char *const wrong[] = {"p2", "012345", "main", "", "%", "1234567"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct err err = {0};
        struct profile_page page;
        const struct profile_reference reference = {"llm", "pretrain", wrong[i]};
        assert_false(ledger_resolve(scene->db, &reference, &scene->arena, &page, &err));
        assert_int_equal(err.kind, ERR_MISSING);
        assert_non_null(strstr(err.text, "pretrain"));
    }
}

static void refuses_the_start_of_several_commits(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct profile_page page;
    put(scene, 1, "main", "abcdef0aaaaa", NULL);
    put(scene, 2, "main", "abcdef0bbbbb", NULL);
    const struct profile_reference reference = {"llm", "pretrain", "abcdef0"};
    assert_false(ledger_resolve(scene->db, &reference, &scene->arena, &page, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_non_null(strstr(err.text, "abcdef0aaaaa"));
    assert_non_null(strstr(err.text, "abcdef0bbbbb"));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, scene_set_up, scene_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(takes_the_last_runs_of_the_branch),
        CASE(takes_every_branch_when_none_is_named),
        CASE(counts_a_profile_on_every_branch_that_was_said_of_it),
        CASE(leaves_out_the_candidate_and_its_run),
        CASE(names_the_runs_that_are_left_out_for_their_names),
        CASE(sees_the_ledger_as_it_was_before_an_entry),
        CASE(keeps_to_one_series_when_asked),
        CASE(is_empty_for_a_project_that_nobody_knows),
        CASE(finds_profiles_by_id_run_label_and_commit),
        CASE(names_what_it_does_not_find),
        CASE(refuses_the_start_of_several_commits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
