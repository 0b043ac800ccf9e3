/* Profiles without their documents: what statistics read of hundreds of past runs. */
#include "history/verdicts/briefs.h"
#include "tests/support/cluster.h"
#include "tests/support/ledger_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct profile_identity on_main = {
    .project = "llm", .workload = "pretrain", .branch = "main", .commit = "abc1234", .run = "r1"};

static void tells_what_the_document_tells(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct ledger_profile whole;
    struct ledger_brief *briefs;
    struct opt_f64 measures[MEASURE_END];
    int64_t id = ledger_append(scene->db, &scene->arena, &on_main, 1).id;
    assert_true(ledger_load_profile(scene->db, id, &scene->arena, &whole, &err));
    assert_true(ledger_load_briefs(scene->db, &id, 1, &scene->arena, &briefs, &err));
    const struct ledger_profile *brief = &briefs[0].profile;
    assert_int_equal(brief->id, id);
    assert_string_equal(brief->run, "r1");
    assert_string_equal(brief->branch, "main");
    assert_string_equal(brief->commit, "abc1234");
    assert_string_equal(brief->recorded_at_utc, whole.recorded_at_utc);
    assert_string_equal(brief->series, whole.series);
    measures_take(&whole.summary, measures);
    for (int i = MEASURE_FIRST; i < MEASURE_END; i++) {
        assert_int_equal(briefs[0].measures[i].set, measures[i].set);
        assert_true(!measures[i].set || briefs[0].measures[i].value == measures[i].value);
    }
    const struct step_table *steps = &brief->summary.steps, *all = &whole.summary.steps;
    assert_int_equal(steps->method, all->method);
    assert_int_equal(steps->count, all->count);
    assert_int_equal(steps->steady_count, all->steady_count);
    for (size_t i = 0; i < all->count; i++) {
        assert_int_equal(steps->rows[i].number, all->rows[i].number);
        assert_int_equal(steps->rows[i].warmup, all->rows[i].warmup);
        assert_int_equal(steps->rows[i].max_ps, all->rows[i].max_ps);
        assert_int_equal(steps->rows[i].has_period, all->rows[i].has_period);
        assert_int_equal(steps->rows[i].spans[0].duration_ps, all->rows[i].mean_ps);
    }
    const struct environment *environment = &whole.summary.environment;
    assert_int_equal(brief->summary.environment.hosts.count, environment->hosts.count);
    assert_string_equal(brief->summary.environment.device_type, environment->device_type);
    for (size_t i = 0; i < environment->fact_count; i++)
        assert_string_equal(
            environment_fact(&brief->summary.environment, environment->facts[i].name)->value,
            environment->facts[i].value);
    assert_string_equal(brief->summary.trace_provenance.trace_sha256,
                        whole.summary.trace_provenance.trace_sha256);
}

static void keeps_the_order_that_was_asked_for(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct ledger_brief *briefs;
    struct profile_identity identity = on_main;
    int64_t ids[3];
    for (int i = 0; i < 3; i++) {
        identity.run = i == 1 ? "second" : "other";
        ids[2 - i] = ledger_append(scene->db, &scene->arena, &identity, i + 1).id;
    }
    assert_true(ledger_load_briefs(scene->db, ids, 3, &scene->arena, &briefs, &err));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(briefs[i].profile.id, ids[i]);
        assert_true(briefs[i].profile.summary.steps.count > 0);
    }
    assert_string_equal(briefs[1].profile.run, "second");
}

static void names_what_is_not_there(void **state)
{
    struct scene *scene = *state;
    struct err err = {0};
    struct ledger_brief *briefs = NULL;
    int64_t id = 77;
    assert_false(ledger_load_briefs(scene->db, &id, 1, &scene->arena, &briefs, &err));
    assert_int_equal(err.kind, ERR_MISSING);
    assert_true(ledger_load_briefs(scene->db, &id, 0, &scene->arena, &briefs, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tells_what_the_document_tells, scene_set_up,
                                        scene_tear_down),
        cmocka_unit_test_setup_teardown(keeps_the_order_that_was_asked_for, scene_set_up,
                                        scene_tear_down),
        cmocka_unit_test_setup_teardown(names_what_is_not_there, scene_set_up, scene_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
