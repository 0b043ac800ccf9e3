/* Tests of many runs side by side: order, groups, what differs, what takes no part. */
#include "compare/ranking/ranking.h"
#include "tests/support/assert_number.h"
#include "tests/support/summary_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 8, ARENA_BYTES = 64 << 20 };

struct bench {
    struct arena arena;
    struct ranked_profile profiles[MOST];
    size_t count;
    struct ranking ranking;
};

static void bench_init(struct bench *bench)
{
    *bench = (struct bench){0};
    arena_init(&bench->arena, ARENA_BYTES);
}

/* A run of one capture; its trace is called as it is. */
static struct summary_plan plan_of(const char *name, double step_us)
{
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.trace_sha256 = name;
    plan.step_us = step_us;
    return plan;
}

static struct ranked_profile *add(struct bench *bench, const char *name,
                                  const struct summary_plan *plan)
{
    struct ranked_profile *profile = &bench->profiles[bench->count++];
    *profile = (struct ranked_profile){.name = name, .summary = summary_make(&bench->arena, plan)};
    return profile;
}

static struct ranked_profile *add_of(struct bench *bench, const char *name, double step_us)
{
    const struct summary_plan plan = plan_of(name, step_us);
    return add(bench, name, &plan);
}

static const struct ranking *ranked(struct bench *bench)
{
    struct err err = {0};
    const struct ranked_profiles profiles = {bench->profiles, bench->count, NULL};
    assert_true(ranking_make(&profiles, &bench->arena, &bench->ranking, &err));
    return &bench->ranking;
}

static const struct ranked_difference *difference_of(const struct ranked_run *run, const char *name)
{
    for (size_t i = 0; i < run->difference_count; i++)
        if (strcmp(run->differences[i].name, name) == 0)
            return &run->differences[i];
    return NULL;
}

static void puts_the_fastest_first_and_says_by_how_much(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench);
    add_of(&bench, "p1", 11000);
    add_of(&bench, "p2", 10000);
    add_of(&bench, "p3", 10000);
    const struct ranking *ranking = ranked(&bench);
    assert_int_equal(ranking->group_count, 1);
    const struct ranked_group *group = &ranking->groups[0];
    assert_null(group->apart);
    assert_string_equal(group->runs[0].name, "p2"); /* of equals the one that was named first */
    assert_string_equal(group->runs[1].name, "p3");
    assert_string_equal(group->runs[2].name, "p1");
    assert_true(group->runs[2].behind.set);
    assert_true(group->runs[2].behind.value > 0.0999 && group->runs[2].behind.value < 0.1001);
    assert_int_equal(group->runs[0].difference_count, 0);
    arena_done(&bench.arena);
}

/* What a job costs is the time from a step to the next, where all runs know it. */
static void ranks_by_the_period_where_all_know_it(void **state)
{
    (void)state;
    for (int known = 0; known <= 1; known++) {
        struct bench bench;
        bench_init(&bench);
        struct summary_plan gaps = plan_of("p1", 9500), longer = plan_of("p2", 10000);
        gaps.wait_us = 4000;
        longer.wait_us = known == 1 ? 20 : 0;
        add(&bench, "p1", &gaps);
        add(&bench, "p2", &longer);
        const struct ranking *ranking = ranked(&bench);
        const struct ranked_run *runs = ranking->groups[0].runs;
        assert_string_equal(ranking->by, known == 1 ? "steady_step_period" : "steady_step_median");
        assert_string_equal(runs[0].name, known == 1 ? "p2" : "p1");
        assert_close(runs[1].behind.value, known == 1 ? 13500. / 10020 - 1 : 500. / 9500, 1e-9);
        arena_done(&bench.arena);
    }
}

static void takes_the_median_of_a_runs_captures(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench);
    static const double steps[] = {12000, 10000, 10400};
    static const char *const names[] = {"p3", "p2", "p1"};
    for (size_t i = 0; i < 3; i++)
        *add_of(&bench, names[i], steps[i]) =
            (struct ranked_profile){.name = names[i],
                                    .run = "night",
                                    .branch = "main",
                                    .summary = bench.profiles[i].summary};
    add_of(&bench, "p9", 10500);
    bench.profiles[3].run = "night"; /* of another branch: another run */
    const struct ranked_group *group = &ranked(&bench)->groups[0];
    assert_int_equal(group->run_count, 2);
    assert_int_equal(group->runs[0].profiles.count, 3);
    assert_true(group->runs[0].step_us.value == 10400);
    assert_int_equal(group->runs[1].profiles.count, 1);
    arena_done(&bench.arena);
}

static void sets_apart_what_cannot_be_compared_largest_and_fastest_first(void **state)
{
    (void)state;
    struct bench bench;
    struct summary_plan other = plan_of("p1", 5000), none = plan_of("p4", 1000);
    bench_init(&bench);
    other.device_count = 8;
    none.steps = 0;
    add(&bench, "p1", &other);
    add_of(&bench, "p2", 10000)->workload = "a/b";
    add_of(&bench, "p3", 10100)->workload = "a/b";
    add(&bench, "p4", &none);
    add_of(&bench, "p5", 9000)->workload = "a/c";
    const struct ranking *ranking = ranked(&bench);
    assert_int_equal(ranking->group_count, 4);
    assert_string_equal(ranking->groups[0].runs[0].name, "p2");
    assert_string_equal(ranking->groups[1].apart, "against p2: device_count is 8, there 4");
    assert_string_equal(ranking->groups[2].apart, "against p2: workload is a/c, there a/b");
    assert_string_equal(ranking->groups[3].apart,
                        "against p2: no steady step was found, whose time could be compared");
    assert_false(ranking->groups[3].runs[0].behind.set);
    arena_done(&bench.arena);
}

/* Four runs, a group each: the fastest first, and each says of whom it stands apart by what. */
static void names_all_that_keeps_groups_apart_and_the_nearest(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double step_us;
        struct fact facts[3];
    } tries[] = {
        {"q1",
         12000,
         {{"batch", "8", "meta"}, {"sequence", "1024", "meta"}, {"xla_flags", "--a", "env"}}},
        {"q2",
         9000,
         {{"batch", "16", "meta"}, {"sequence", "1024", "meta"}, {"xla_flags", "--b", "env"}}},
        {"q3",
         11000,
         {{"batch", "8", "meta"}, {"sequence", "2048", "meta"}, {"xla_flags", "--a", "env"}}},
    };
    struct bench bench;
    bench_init(&bench);
    for (size_t i = 0; i < 3; i++) {
        struct summary_plan plan = plan_of(tries[i].name, tries[i].step_us);
        plan.facts = tries[i].facts;
        plan.fact_count = 3;
        add(&bench, tries[i].name, &plan);
    }
    const struct ranking *ranking = ranked(&bench);
    assert_int_equal(ranking->group_count, 3);
    static const char *const order[] = {"q2", "q3", "q1"};
    static const char *const flags[] = {"--b", "--a", "--a"};
    for (size_t i = 0; i < 3; i++) {
        const struct ranked_run *run = &ranking->groups[i].runs[0];
        assert_string_equal(run->name, order[i]);
        assert_string_equal(difference_of(run, "xla_flags")->own, flags[i]);
    }
    assert_null(ranking->groups[0].apart);
    assert_string_equal(ranking->groups[1].apart,
                        "against q2: batch is 8, there 16; sequence is 2048, there 1024");
    assert_string_equal(ranking->groups[2].apart, "against q2: batch is 8, there 16");
    arena_done(&bench.arena);
}

static void tells_what_differs_and_of_flags_only_those(void **state)
{
    (void)state;
    static const struct fact facts[][2] = {
        {{"mesh", "data:8", "meta"}, {"xla_flags", "--xla_a=1 --xla_b=2", "meta"}},
        {{"mesh", "data:4,fsdp:2", "meta"}, {"xla_flags", "--xla_b=2 --xla_c=3", "meta"}}};
    struct bench bench;
    bench_init(&bench);
    for (size_t i = 0; i < 2; i++) {
        struct summary_plan plan = plan_of(i == 0 ? "p1" : "p2", 10000 + (double)i);
        plan.facts = facts[i];
        plan.fact_count = 2;
        add(&bench, i == 0 ? "p1" : "p2", &plan);
    }
    add_of(&bench, "p3", 10002)->commit = "c0ffee";
    const struct ranking *ranking = ranked(&bench);
    assert_int_equal(ranking->group_count, 1); /* a mesh is what people tune */
    const struct ranked_run *runs = ranking->groups[0].runs;
    assert_string_equal(difference_of(&runs[0], "mesh")->value, "data:8");
    assert_string_equal(difference_of(&runs[0], "xla_flags")->own, "--xla_a=1");
    assert_string_equal(difference_of(&runs[1], "xla_flags")->value, "--xla_b=2 --xla_c=3");
    assert_string_equal(difference_of(&runs[1], "xla_flags")->own, "--xla_c=3");
    assert_null(difference_of(&runs[2], "xla_flags")->value);
    assert_string_equal(difference_of(&runs[2], "commit")->value, "c0ffee");
    assert_null(difference_of(&runs[0], "commit")->value);
    arena_done(&bench.arena);
}

static void leaves_out_the_same_trace_and_says_so(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench);
    add_of(&bench, "p1", 10000);
    bench.profiles[bench.count++] = bench.profiles[0]; /* named twice: nothing is said */
    bench.profiles[bench.count] = bench.profiles[0];
    bench.profiles[bench.count++].name = "a.json";
    const struct ranking *ranking = ranked(&bench);
    assert_int_equal(ranking->groups[0].run_count, 1);
    assert_int_equal(ranking->left_out.count, 1);
    assert_string_equal(ranking->left_out.items[0], "a.json is the same trace as p1");
    arena_done(&bench.arena);
}

/* MFU by stated operations and by measured ones are two things. */
static void says_that_figures_are_not_of_the_same(void **state)
{
    (void)state;
    struct summary_figure figures[][1] = {
        {{"mfu", "share", {true, 0.5}, "what was measured", NULL}},
        {{"mfu", "share", {true, 0.4}, "what was stated", NULL}}};
    struct bench bench;
    bench_init(&bench);
    for (size_t i = 0; i < 2; i++) {
        struct ranked_profile *profile = add_of(&bench, i == 0 ? "p1" : "p2", 10000);
        struct summary *summary = arena_zalloc(&bench.arena, 1, sizeof *summary);
        *summary = *profile->summary;
        summary->has_figures = true;
        summary->figures = figures[i];
        summary->figure_count = 1;
        profile->summary = summary;
    }
    const struct ranking *ranking = ranked(&bench);
    assert_int_equal(ranking->notes.count, 1);
    assert_string_equal(ranking->notes.items[0], "MFU is not of the same in all rows: of p1 what "
                                                 "was measured; of p2 what was stated");
    arena_done(&bench.arena);
}

static void of_nothing_there_is_nothing(void **state)
{
    (void)state;
    struct bench bench;
    struct err err = {0};
    bench_init(&bench);
    assert_int_equal(ranked(&bench)->group_count, 0);
    add_of(&bench, "p1", 10000);
    scoped_arena small;
    arena_init(&small, 256);
    const struct ranked_profiles one = {bench.profiles, 1, NULL};
    assert_false(ranking_make(&one, &small, &bench.ranking, &err));
    assert_int_equal(err.kind, ERR_LIMIT);
    arena_done(&bench.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(puts_the_fastest_first_and_says_by_how_much),
        cmocka_unit_test(ranks_by_the_period_where_all_know_it),
        cmocka_unit_test(takes_the_median_of_a_runs_captures),
        cmocka_unit_test(sets_apart_what_cannot_be_compared_largest_and_fastest_first),
        cmocka_unit_test(names_all_that_keeps_groups_apart_and_the_nearest),
        cmocka_unit_test(tells_what_differs_and_of_flags_only_those),
        cmocka_unit_test(leaves_out_the_same_trace_and_says_so),
        cmocka_unit_test(says_that_figures_are_not_of_the_same),
        cmocka_unit_test(of_nothing_there_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
