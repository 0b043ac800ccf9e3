/* Tests of policy files (grammar, messages, scopes), and of what a policy makes of a verdict. */
#include "compare/gate/gate.h"
#include "compare/policy/policy_file.h"
#include "tests/support/assert_number.h"
#include "tests/support/gate_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
enum { ARENA_BYTES = 4 << 20 };

static struct arena arena;

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, ARENA_BYTES);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

static bool policy_of(const char *text, const char *project, const char *workload,
                      struct gate_policy *ret, struct err *err)
{
    struct conf_file file = {0};
    const struct policy_scope scope = {project, workload, false};
    return conf_text_read(text, "team.policy", &arena, &file, err) &&
           gate_policy_read(&file, &scope, &arena, ret, err);
}

/* ---- the grammar ----------------------------------------------------------------------------- */

static const char example[] = "policy_version = 1\n"
                              "min_effect_pct = 3\n"
                              "on_inconclusive = warn\n"
                              "[measure steady_step_p90]\n"
                              "limit_pct = 15\n"
                              "limit_abs = none\n"
                              "action = fail\n"
                              "required = yes\n"
                              "[watch attention]\n"
                              "pattern = *attention*\n"
                              "limit_pct = 4\n"
                              "[provenance]\n"
                              "jax_version = strict\n"
                              "[workload pre*]\n"
                              "min_effect_pct = 1\n"
                              "[project llm]\n"
                              "min_effect_pct = 2.5\n"
                              "[workload pre* watch attention]\n"
                              "limit_pct = 1\n"
                              "[workload other measure steady_step_p90]\n"
                              "limit_pct = 99\n";

static void reads_what_holds_for_all(void **state)
{
    (void)state;
    struct gate_policy policy, standard;
    struct err err = {0};
    gate_policy_default(&standard);
    assert_true(policy_of(example, "vision", "resnet", &policy, &err));
    assert_number(policy.min_effect_pct, 3, 0);
    assert_number(policy.alpha_fail, standard.alpha_fail, 0);
    assert_int_equal(policy.on_inconclusive, OUTCOME_WARN);
    assert_int_equal(policy.on_missing, OUTCOME_INCONCLUSIVE);
    const struct measure_rule *rule = &policy.measures[MEASURE_steady_step_p90];
    assert_number(rule->limit_pct, 15, 0);
    assert_true(rule->limit_abs < 0);
    assert_int_equal(rule->action, MEASURE_FAIL);
    assert_true(rule->required);
    assert_false(policy.measures[MEASURE_steady_step_median].required);
    assert_int_equal(policy.provenance[FIELD_jax_version], PROVENANCE_STRICT);
    assert_int_equal(policy.watched_count, 1);
    assert_string_equal(policy.watched[0].pattern, "*attention*");
    assert_number(policy.watched[0].limit_pct, 4, 0);
}

static void lets_a_workload_go_over_a_project_over_all(void **state)
{
    (void)state;
    struct gate_policy policy;
    struct err err = {0};
    assert_true(policy_of(example, "llm", "resnet", &policy, &err));
    assert_number(policy.min_effect_pct, 2.5, 0);
    assert_true(policy_of(example, "llm", "pretrain", &policy, &err));
    assert_number(policy.min_effect_pct, 1, 0); /* though it stands before the project's line */
    assert_number(policy.watched[0].limit_pct, 1, 0);
    assert_string_equal(policy.watched[0].pattern, "*attention*");
    assert_number(policy.measures[MEASURE_steady_step_p90].limit_pct, 15, 0);
    assert_true(policy_of(example, "llm", "other", &policy, &err));
    assert_number(policy.measures[MEASURE_steady_step_p90].limit_pct, 99, 0);
}

static void reads_its_own_text_and_guide_back(void **state)
{
    (void)state;
    struct gate_policy policy, again;
    struct err err = {0};
    assert_true(policy_of(example, "llm", "pretrain", &policy, &err));
    const char *text = gate_policy_text(&policy, &arena);
    if (!policy_of(text, NULL, NULL, &again, &err))
        fail_msg("%s", err.text);
    assert_string_equal(gate_policy_text(&again, &arena), text);
    const char *guide = gate_policy_guide(&policy, &arena);
    if (!policy_of(guide, NULL, NULL, &again, &err))
        fail_msg("%s", err.text);
    assert_string_equal(gate_policy_text(&again, &arena), text);
}

/* The text that verdicts of the first policies were judged by, and what it says today. */
static void reads_the_names_of_before(void **state)
{
    (void)state;
    static const char first[] = "policy_version = 1\n"
                                "[measure step_median]\naction = fail\nlimit_pct = 4\n"
                                "[measure step_p90]\naction = warn\nlimit_pct = 9\n"
                                "[measure device_time]\naction = info\nrequired = yes\n"
                                "[measure idle_time]\naction = warn\nlimit_abs = 70\n"
                                "[measure idle_share]\naction = fail\nlimit_abs = 0.03\n";
    static const struct {
        enum measure measure;
        struct measure_rule rule;
    } cases[] = {
        {MEASURE_steady_step_median, {4, -1, MEASURE_FAIL, false}},
        {MEASURE_steady_step_p90, {9, -1, MEASURE_WARN, false}},
        {MEASURE_op_time, {-1, -1, MEASURE_INFO, true}},
        {MEASURE_step_idle, {-1, 70, MEASURE_WARN, false}},
        {MEASURE_device_idle_share, {-1, 0.03, MEASURE_FAIL, false}},
        {MEASURE_step_median, {-1, -1, MEASURE_INFO, false}},
        {MEASURE_steady_step_period, {-1, -1, MEASURE_INFO, false}}, /* nothing then knew it */
    };
    const struct policy_scope recorded = {.is_recorded = true};
    struct conf_file file = {0};
    struct gate_policy policy;
    struct err err = {0};
    assert_true(conf_text_read(first, "the recorded policy", &arena, &file, &err));
    if (!gate_policy_read(&file, &recorded, &arena, &policy, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct measure_rule *rule = &policy.measures[cases[i].measure];
        assert_memory_equal(rule, &cases[i].rule, offsetof(struct measure_rule, required));
        assert_int_equal(rule->required, cases[i].rule.required);
    }
}

/* Names that are now those of other measures mean these, unless the rest is of before. */
static void takes_names_of_today_as_they_are(void **state)
{
    (void)state;
    struct gate_policy policy;
    struct err err = {0};
    assert_true(policy_of("policy_version = 1\n"
                          "[measure step_median]\naction = warn\nlimit_pct = 4\n",
                          NULL, NULL, &policy, &err));
    assert_int_equal(policy.measures[MEASURE_step_median].action, MEASURE_WARN);
    assert_number(policy.measures[MEASURE_steady_step_median].limit_pct, -1, 0);
    assert_number(policy.measures[MEASURE_steady_step_period].limit_pct, -1, 0);
}

static void names_line_and_remedy_of_what_is_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says[3];
    } cases[] = {
        {"min_effect_pct = 3\n", {"policy_version = 1", "missing", ""}},
        {"", {"policy_version = 1", "missing", ""}},
        {"policy_version = 2\n", {"team.policy:1", "'2'", "reads 1"}},
        {"policy_version = 1\nmin_efect_pct = 3\n",
         {"team.policy:2", "unknown key 'min_efect_pct'", "'min_effect_pct'?"}},
        {"policy_version = 1\nalpha_fail = 2\n", {"team.policy:2", "'2'", "1e-06 to 0.5"}},
        {"policy_version = 1\nconfirm_hosts = 1.5\n", {":2", "'1.5'", "whole number of hosts"}},
        {"policy_version = 1\nalpha_fail = much\n", {"team.policy:2", "'much'", "number"}},
        {"policy_version = 1\non_missing = explode\n", {":2", "'explode'", "inconclusive, fail"}},
        {"policy_version = 1\n[measure steady_step_p09]\naction = warn\n",
         {":3", "no measure 'steady_step_p09'", "'steady_step_p90'?"}},
        {"policy_version = 1\n[measure steady_step_p90]\naction = shout\n",
         {":3", "'shout'", "info"}},
        {"policy_version = 1\n[measure steady_step_p90]\nlimit = 3\n",
         {":3", "unknown key", "limit_pct"}},
        {"policy_version = 1\n[measure steady_step_p90]\nlimit_pct = -3\n",
         {":3", "'-3'", "from 0"}},
        {"policy_version = 1\n[mesure step_p90]\naction = warn\n",
         {":3", "'mesure'", "did you mean 'measure'?"}},
        {"policy_version = 1\n[watch]\nlimit_pct = 3\n", {":3", "needs a name", ""}},
        {"policy_version = 1\n[watch a]\npattern = b\n", {":3", "limit_pct", "missing"}},
        {"policy_version = 1\n[workload]\nalpha_fail = 0.1\n", {":3", "pattern is missing", ""}},
        {"policy_version = 1\n[provenance]\njax = strict\n", {":3", "unknown fact 'jax'", ""}},
        {"policy_version = 1\n[provenance]\ndevice_type = warn\n", {":3", "always strict", ""}},
        {"policy_version = 1\nalpha_warn = 0.02\nalpha_fail = 0.03\n",
         {"team.policy:3", "alpha_fail (0.03) is above alpha_warn (0.02)", "surer"}},
        {"policy_version = 1\nalpha_warn = 0.001\n", {":2", "above alpha_warn (0.001)", ""}},
        {"policy_version = 1\nalpha_fail = 0.01\nalpha_fail = 0.02\n", {":3", "twice", "line 2"}},
        {"policy_version = 1\n[provenance]\n# jax_version = strict\n",
         {"team.policy:2", "nothing stands under [provenance]", "remove it"}},
        {"policy_version = 1\n[measure op_time]\nlimit_pct = 3\n",
         {":3", "decides nothing", "action = warn"}},
        /* also where it does not hold */
        {"policy_version = 1\n[workload other]\nalpha_fial = 0.1\n", {":3", "alpha_fail", ""}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct gate_policy policy;
        struct err err = {0};
        assert_false(policy_of(cases[i].text, "llm", "pretrain", &policy, &err));
        assert_int_equal(err.kind, ERR_USAGE);
        for (size_t j = 0; j < COUNT(cases[i].says); j++) {
            if (strstr(err.text, cases[i].says[j]) == NULL)
                fail_msg("case %zu says \"%s\", not \"%s\"", i, err.text, cases[i].says[j]);
        }
    }
}

static void names_all_that_is_wrong_at_once(void **state)
{
    (void)state;
    static const char text[] = "alpa_fail = 0.1\n[watch w]\npattern = *x*\n[watch v]\n"
                               "pattern = *y*\n[workload x* measure device_skew]\n"
                               "limit_abs = -3\n[mesure x]\nlimit_pct = 3\n[empty]\n";
    static const char *const says[] = {"policy_version = 1", "[empty]",   "alpa_fail", "'mesure'",
                                       "limit_abs = '-3'",   "[watch w]", "[watch v]"};
    struct conf_file file = {0};
    struct string_list faults;
    struct err err = {0};
    const struct policy_scope scope = {0};
    assert_true(conf_text_read(text, "team.policy", &arena, &file, &err));
    assert_true(gate_policy_faults(&file, &scope, &arena, &faults, &err));
    assert_int_equal(faults.count, COUNT(says));
    for (size_t i = 0; i < faults.count; i++)
        assert_non_null(strstr(faults.items[i], says[i]));
}

static void puts_a_limit_in_the_place_of_a_default_one(void **state)
{
    (void)state;
    static const struct {
        const char *lines;
        double limit_pct, limit_abs;
    } cases[] = {
        {"action = warn\n", 10, -1},
        {"limit_pct = 5\n", 5, -1},
        {"limit_abs = 300\n", -1, 300},
        {"limit_abs = 300\nlimit_pct = 5\n", 5, 300},
        {"limit_pct = 5\nlimit_abs = 300\n", 5, 300},
        {"limit_pct = none\n", -1, -1},
        {"limit_pct = none\nlimit_abs = 300\n", -1, 300},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[200];
        struct gate_policy policy;
        struct err err = {0};
        (void)snprintf(text, sizeof text, "policy_version = 1\n[measure steady_step_p90]\n%s",
                       cases[i].lines);
        if (!policy_of(text, "llm", "pretrain", &policy, &err))
            fail_msg("%s", err.text);
        const struct measure_rule *rule = &policy.measures[MEASURE_steady_step_p90];
        assert_number(rule->limit_pct, cases[i].limit_pct, 0);
        assert_number(rule->limit_abs, cases[i].limit_abs, 0);
    }
}

/* ---- what it makes of a verdict -------------------------------------------------------------- */

static void makes_of_an_inconclusive_verdict_what_it_says(void **state)
{
    (void)state;
    static const struct {
        enum policy_outcome outcome;
        enum verdict_status status;
    } cases[] = {{OUTCOME_KEEP, VERDICT_INCONCLUSIVE},
                 {OUTCOME_INCONCLUSIVE, VERDICT_INCONCLUSIVE},
                 {OUTCOME_PASS, VERDICT_PASS},
                 {OUTCOME_WARN, VERDICT_WARN},
                 {OUTCOME_FAIL, VERDICT_FAIL}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene;
        struct summary_plan plan;
        summary_plan_default(&plan);
        plan.steps = 2; /* unfit: nothing can be said */
        scene_init(&scene);
        scene.policy.on_inconclusive = cases[i].outcome;
        scene_add(&scene, &scene.baseline, &plan, NULL);
        scene_add(&scene, &scene.candidate, &plan, NULL);
        struct verdict verdict = scene_judge(&scene);
        assert_int_equal(verdict.status, cases[i].status);
        bool changed = cases[i].status != VERDICT_INCONCLUSIVE;
        assert_int_equal(strcmp(verdict.reasons[0].code, "inconclusive_by_policy") == 0, changed);
        scene_done(&scene);
    }
}

static void wants_the_measures_that_are_required(void **state)
{
    (void)state;
    static const struct {
        enum policy_outcome outcome;
        double change;
        enum verdict_status status;
    } cases[] = {{OUTCOME_KEEP, 0, VERDICT_PASS},
                 {OUTCOME_WARN, 0, VERDICT_WARN},
                 {OUTCOME_INCONCLUSIVE, 0, VERDICT_INCONCLUSIVE},
                 {OUTCOME_FAIL, 0, VERDICT_FAIL},
                 {OUTCOME_PASS, 0.2, VERDICT_FAIL}, /* no milder than it is */
                 {OUTCOME_INCONCLUSIVE, 0.2, VERDICT_FAIL}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene;
        struct summary_plan plan;
        summary_plan_default(&plan);
        plan.device_count = 1; /* then nothing tells a skew */
        scene_init(&scene);
        scene.policy.measures[MEASURE_device_skew].required = true;
        scene.policy.on_missing = cases[i].outcome;
        scene_add(&scene, &scene.baseline, &plan, NULL);
        scene_add_history(&scene, &plan);
        plan.step_us *= 1 + cases[i].change;
        scene_add(&scene, &scene.candidate, &plan, NULL);
        struct verdict verdict = scene_judge(&scene);
        assert_int_equal(verdict.status, cases[i].status);
        assert_non_null(verdict_reason_text(&verdict, "required_data_missing"));
        scene_done(&scene);
    }
}

/* Candidate runs on these hosts, each slower by its change. */
static struct verdict confirmed(struct scene *scene, const char *const *hosts,
                                const double *changes, size_t count)
{
    struct summary_plan plan;
    summary_plan_default(&plan);
    scene_init(scene);
    scene->policy.confirm_hosts = 2;
    scene_add(scene, &scene->baseline, &plan, NULL);
    scene_add_history(scene, &plan);
    scene_add_runs(scene, &scene->candidate, &plan, changes, count);
    for (size_t i = 0; i < count; i++) {
        struct summary *summary = (struct summary *)scene->candidate.profiles[i].summary;
        summary->environment.hosts = (struct string_list){(const char **)&hosts[i], 1};
    }
    return scene_judge(scene);
}

static void asks_for_another_host_before_it_fails(void **state)
{
    (void)state;
    static const char *const last[] = {"h1", "h1", "h1", "h1", "h1", "h1", "h1", "h1", "h2"};
    static const double slower[] = {.03, .03, .03, .03, .03, .03, .03, .03, .009};
    static const struct {
        const char *const *hosts;
        const double *changes;
        size_t count;
        enum verdict_status status;
        const char *code;
    } cases[] = {{last + 6, slower, 2, VERDICT_INCONCLUSIVE, "confirmation_needed"},
                 {last + 6, slower, 3, VERDICT_FAIL, "step_median_regressed"},
                 {last, slower, 9, VERDICT_INCONCLUSIVE, "confirmation_contradicted"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene;
        struct verdict made = confirmed(&scene, cases[i].hosts, cases[i].changes, cases[i].count);
        assert_int_equal(made.status, cases[i].status);
        assert_string_equal(made.reasons[0].code, cases[i].code);
        scene_done(&scene);
    }
}

/* ---- groups ---------------------------------------------------------------------------------- */

static void compares_what_is_more_than_one_op(void **state)
{
    (void)state;
    static const struct planned_op before[] = {{"a", "a", "m/a", 4000}, {"b", "b", "m/b", 1000}};
    static const struct planned_op after[] = {{"a", "a", "m/a", 4500}, {"b", "b", "m/b", 1000}};
    struct scene scene;
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.ops = before;
    plan.op_count = 2;
    scene_init(&scene);
    scene_add(&scene, &scene.baseline, &plan, NULL);
    plan.ops = after;
    plan.step_us += 500;
    scene_add(&scene, &scene.candidate, &plan, NULL);
    struct verdict verdict = scene_judge(&scene);
    double category = 0, devices = 0;
    for (size_t i = 0; i < verdict.group_count; i++) {
        const struct verdict_group *group = &verdict.groups[i];
        assert_number(group->delta_us, 500, 1e-6);
        category += strcmp(group->kind, "category") == 0;
        devices += strcmp(group->kind, "device") == 0;
    }
    assert_number(category, 1, 0);
    assert_number(devices, 4, 0);
    scene_done(&scene);
}

/* Devices of one host need not stand together, nor have steps or a host at all. */
static void gives_a_host_the_mean_of_its_devices(void **state)
{
    (void)state;
    static const char *const hosts[] = {"a", "b", "a", NULL, "b", "b", "a"};
    static const int64_t ms[] = {10, 20, 30, 50, 40, 60, 0};
    struct scene scene;
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.device_count = COUNT(hosts);
    scene_init(&scene);
    scene_add(&scene, &scene.baseline, &plan, NULL);
    scene_add(&scene, &scene.candidate, &plan, NULL);
    struct device_row *devices = scene.candidate.profiles[0].summary->devices;
    for (size_t i = 0; i < COUNT(hosts); i++) {
        devices[i].host = hosts[i];
        devices[i].steady_step_median_ps = ms[i] * 1000000000;
    }
    struct verdict verdict = scene_judge(&scene);
    size_t found = 0;
    for (size_t i = 0; i < verdict.group_count; i++) {
        const struct verdict_group *group = &verdict.groups[i];
        bool is_a = strcmp(group->name, "a") == 0;
        if (strcmp(group->kind, "host") != 0 || (!is_a && strcmp(group->name, "b") != 0))
            continue;
        found++;
        assert_number(group->after_us, is_a ? 20000 : 40000, 1e-6);
    }
    assert_int_equal(found, 2);
    scene_done(&scene);
}

/* A recompile deals out other numbers; what is in flight leaves no gap on a device. */
static void compares_gaps_by_the_names_that_stay(void **state)
{
    (void)state;
    static const struct planned_op op = {"a", "async-copy", "m/a", 4000};
    static struct gap_before_op gaps[2][3] = {
        {{.name = "copy.2", .total_gap_duration = 8000},
         {.name = "copy.9", .total_gap_duration = 800},
         {.name = "async-copy", .total_gap_duration = 1}},
        {{.name = "copy.7", .total_gap_duration = 16800},
         {.name = "async-copy", .total_gap_duration = 700000}},
    };
    struct scene scene;
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.ops = &op;
    plan.op_count = 1;
    scene_init(&scene);
    for (size_t i = 0; i < 2; i++) {
        struct scene_side *side = i == 0 ? &scene.baseline : &scene.candidate;
        scene_add(&scene, side, &plan, NULL);
        struct summary *summary = (struct summary *)side->profiles[0].summary;
        summary->gap_before_ops = gaps[i];
        summary->gap_before_op_count = i == 0 ? 3 : 2;
        summary->ops[0].asynchronous = true;
    }
    struct verdict verdict = scene_judge(&scene);
    size_t found = 0;
    for (size_t i = 0; i < verdict.group_count; i++) {
        const struct verdict_group *group = &verdict.groups[i];
        if (strcmp(group->kind, "gap") != 0)
            continue;
        found++;
        assert_string_equal(group->name, "copy");
        assert_number(group->before_us, 110, 1e-9); /* of 20 steps on 4 devices */
        assert_number(group->after_us, 210, 1e-9);
    }
    assert_int_equal(found, 1);
    scene_done(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_what_holds_for_all, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lets_a_workload_go_over_a_project_over_all, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(reads_its_own_text_and_guide_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reads_the_names_of_before, set_up, tear_down),
        cmocka_unit_test_setup_teardown(takes_names_of_today_as_they_are, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_line_and_remedy_of_what_is_wrong, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_all_that_is_wrong_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(puts_a_limit_in_the_place_of_a_default_one, set_up,
                                        tear_down),
        cmocka_unit_test(makes_of_an_inconclusive_verdict_what_it_says),
        cmocka_unit_test(wants_the_measures_that_are_required),
        cmocka_unit_test(asks_for_another_host_before_it_fails),
        cmocka_unit_test(compares_what_is_more_than_one_op),
        cmocka_unit_test(gives_a_host_the_mean_of_its_devices),
        cmocka_unit_test(compares_gaps_by_the_names_that_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
