/* Tests of the gate's provenance: what cannot be compared, what is named, what is left out. */
#include "compare/provenance/provenance_facts.h"
#include "tests/support/gate_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const struct verdict_mismatch *mismatch_of(const struct verdict *verdict, const char *field)
{
    for (size_t i = 0; i < verdict->mismatch_count; i++) {
        if (strcmp(verdict->mismatches[i].field, field) == 0)
            return &verdict->mismatches[i];
    }
    return NULL;
}

static bool says(const struct verdict *verdict, const char *part)
{
    for (size_t i = 0; i < verdict->provenance_messages.count; i++) {
        if (strstr(verdict->provenance_messages.items[i], part) != NULL)
            return true;
    }
    return false;
}

/* One profile a side; the candidate's plan is given. */
static struct verdict judged(struct scene *scene, const struct summary_plan *baseline,
                             const struct summary_plan *candidate)
{
    scene_add(scene, &scene->baseline, baseline, NULL);
    scene_add(scene, &scene->candidate, candidate, NULL);
    scene_add_history(scene, baseline);
    return scene_judge(scene);
}

/* Begins a scene whose sides differ in one fact alone. */
static struct verdict judged_with(struct scene *scene, const struct fact *baseline,
                                  const struct fact *candidate)
{
    struct summary_plan plan, other;
    summary_plan_default(&plan);
    other = plan;
    plan.facts = baseline;
    other.facts = candidate;
    plan.fact_count = other.fact_count = 1;
    scene_init(scene);
    return judged(scene, &plan, &other);
}

static void refuses_other_hardware_and_names_both_values(void **state)
{
    (void)state;
    struct summary_plan plan, other;
    summary_plan_default(&plan);
    other = plan;
    other.device_type = "TPU v6e";
    other.device_count = 8;
    struct scene scene;
    scene_init(&scene);
    /* no policy can relax these two */
    scene.policy.provenance[FIELD_device_type] = PROVENANCE_IGNORE;
    scene.policy.provenance[FIELD_device_count] = PROVENANCE_WARN;
    struct verdict verdict = judged(&scene, &plan, &other);
    assert_int_equal(verdict.status, VERDICT_INCOMPARABLE);
    assert_string_equal(verdict.rule_id, "provenance");
    assert_int_equal(verdict.mismatch_count, 2);
    assert_string_equal(verdict.mismatches[0].field, "device_type");
    assert_string_equal(verdict.mismatches[0].baseline, "TPU v5e");
    assert_string_equal(verdict.mismatches[0].candidate, "TPU v6e");
    assert_string_equal(verdict.mismatches[1].baseline, "4");
    assert_string_equal(verdict.mismatches[1].candidate, "8");
    assert_string_equal(verdict.mismatches[1].action, "strict");
    assert_string_equal(verdict.reasons[0].code, "device_type_differs");
    assert_string_equal(verdict.reasons[1].code, "device_count_differs");
    assert_int_equal(verdict.measure_count, 0);
    scene_done(&scene);
}

/* Not read by name: from members of the summary, or of its ops. */
static bool is_of_the_summary(enum provenance_field field)
{
    return field == FIELD_device_type || field == FIELD_device_count || field == FIELD_host_count ||
           field == FIELD_topology || field == FIELD_work || field == FIELD_breakdown_mode ||
           field == FIELD_definition_version || field == FIELD_step_method;
}

/* Every fact that is read by name: strict ones make the sides incomparable, the others are said. */
static void obeys_the_action_of_each_fact(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum verdict_status status;
        const char *action; /* NULL: not listed */
    } cases[] = {
        {"precision", VERDICT_INCOMPARABLE, "strict"},
        {"batch", VERDICT_INCOMPARABLE, "strict"},
        {"sequence", VERDICT_INCOMPARABLE, "strict"},
        {"device_batch", VERDICT_INCOMPARABLE, "strict"},
        {"tokens_per_step", VERDICT_INCOMPARABLE, "strict"},
        {"model_flops_per_step", VERDICT_INCOMPARABLE, "strict"},
        {"model", VERDICT_INCOMPARABLE, "strict"},
        {"mesh", VERDICT_INCOMPARABLE, "strict"},
        {"profiler_options", VERDICT_PASS, "warn"},
        {"xla_flags", VERDICT_PASS, "warn"},
        {"libtpu_init_args", VERDICT_PASS, "warn"},
        {"jax_enable_x64", VERDICT_PASS, "warn"},
        {"jax_default_matmul_precision", VERDICT_PASS, "warn"},
        {"jax_version", VERDICT_PASS, "warn"},
        {"jaxlib_version", VERDICT_PASS, "warn"},
        {"libtpu_version", VERDICT_PASS, "warn"},
        {"cuda_version", VERDICT_PASS, "warn"},
        {"driver_version", VERDICT_PASS, "warn"},
        {"config_hash", VERDICT_PASS, NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fact one = {cases[i].name, "1", "option"}, two = {cases[i].name, "2", "option"};
        struct scene scene;
        struct verdict verdict = judged_with(&scene, &one, &two);
        assert_int_equal(verdict.status, cases[i].status);
        const struct verdict_mismatch *mismatch = mismatch_of(&verdict, cases[i].name);
        assert_int_equal(mismatch != NULL, cases[i].action != NULL);
        if (mismatch != NULL)
            assert_string_equal(mismatch->action, cases[i].action);
        scene_done(&scene);
    }
    for (enum provenance_field field = 0; field < PROVENANCE_FIELD_COUNT; field++) {
        bool is_known = is_of_the_summary(field);
        for (size_t i = 0; i < COUNT(cases); i++)
            is_known |= strcmp(cases[i].name, provenance_field_name(field)) == 0;
        if (!is_known)
            fail_msg("%s has no case here", provenance_field_name(field));
    }
}

/* A number is the same however it is written; a version is not. */
static void reads_numbers_of_the_work_as_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *name, *one, *two;
        bool differs;
    } cases[] = {{"model_flops_per_step", "1e15", "1000000000000000", false},
                 {"device_batch", "4", "4.0", false},
                 {"tokens_per_step", "4096", "8192", true},
                 {"jaxlib_version", "0.1", "0.10", true}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fact one = {cases[i].name, cases[i].one, "option"};
        struct fact two = {cases[i].name, cases[i].two, "option"};
        struct scene scene;
        struct verdict verdict = judged_with(&scene, &one, &two);
        assert_int_equal(mismatch_of(&verdict, cases[i].name) != NULL, cases[i].differs);
        scene_done(&scene);
    }
}

/* People and configurations call the batch by several names: it is one fact. */
static void knows_facts_by_their_other_names(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"batch", "global_batch_size"},
                                           {"batch", "train_batch_size"},
                                           {"device_batch", "per_device_batch_size"},
                                           {"sequence", "max_target_length"},
                                           {"sequence", "seq_len"},
                                           {"model", "model_name"},
                                           {"mesh", "mesh_shape"}};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct fact one = {names[i][0], "16", "option"}, two = {names[i][1], "8", "option"};
        struct scene scene;
        struct verdict verdict = judged_with(&scene, &one, &two);
        assert_int_equal(verdict.status, VERDICT_INCOMPARABLE);
        assert_string_equal(mismatch_of(&verdict, names[i][0])->candidate, "8");
        scene_done(&scene);
    }
}

static void lets_the_policy_decide_on_other_fields(void **state)
{
    (void)state;
    struct fact one = {"batch", "256", "option"}, two = {"batch", "512", "option"};
    struct summary_plan plan, other;
    summary_plan_default(&plan);
    other = plan;
    plan.facts = &one;
    other.facts = &two;
    plan.fact_count = other.fact_count = 1;
    struct scene scene;
    scene_init(&scene);
    scene.policy.provenance[FIELD_batch] = PROVENANCE_WARN;
    struct verdict verdict = judged(&scene, &plan, &other);
    assert_int_equal(verdict.status, VERDICT_PASS);
    assert_non_null(verdict_reason_text(&verdict, "batch_differs"));
    scene_done(&scene);
}

static void names_unknown_facts_and_refuses_them_when_strict(void **state)
{
    (void)state;
    struct fact one = {"precision", "bf16", "option"};
    for (int strict = 0; strict <= 1; strict++) {
        struct summary_plan plan, other;
        summary_plan_default(&plan);
        other = plan;
        plan.facts = &one;
        plan.fact_count = 1;
        struct scene scene;
        scene_init(&scene);
        scene.strict_provenance = strict == 1;
        struct verdict verdict = judged(&scene, &plan, &other);
        assert_int_equal(verdict.status, strict ? VERDICT_INCOMPARABLE : VERDICT_PASS);
        const struct verdict_mismatch *mismatch = mismatch_of(&verdict, "precision");
        assert_string_equal(mismatch->baseline, "bf16");
        assert_null(mismatch->candidate);
        assert_string_equal(mismatch->action, strict ? "strict" : "warn");
        assert_non_null(strstr(verdict_reason_text(&verdict, "precision_unknown"),
                               "bf16 in the baseline and not known in the candidate"));
        scene_done(&scene);
    }
}

static void wants_hardware_known_when_strict(void **state)
{
    (void)state;
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.device_type = NULL;
    struct scene scene;
    scene_init(&scene);
    scene.strict_provenance = true;
    struct verdict verdict = judged(&scene, &plan, &plan);
    assert_int_equal(verdict.status, VERDICT_INCOMPARABLE);
    assert_string_equal(verdict.reasons[0].code, "device_type_unknown");
    scene_done(&scene);
}

static void leaves_out_baseline_profiles_that_cannot_be_compared(void **state)
{
    (void)state;
    struct summary_plan plan, other;
    summary_plan_default(&plan);
    other = plan;
    other.topology = "2x4";
    other.step_us *= 2;
    struct scene scene;
    scene_init(&scene);
    plan.topology = "2x2";
    scene_add(&scene, &scene.baseline, &plan, NULL);
    scene_add(&scene, &scene.baseline, &other, NULL);
    scene_add(&scene, &scene.candidate, &plan, NULL);
    scene_add_history(&scene, &plan);
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.status, VERDICT_PASS);
    assert_int_equal(verdict.baseline.profile_ids.count, 1);
    assert_string_equal(verdict.baseline.profile_ids.items[0], "p1");
    assert_true(says(&verdict, "Baseline p2 is left out: topology is 2x4, the candidate's 2x2."));
    assert_int_equal(verdict.mismatch_count, 0);
    scene_done(&scene);
}

static void refuses_candidate_profiles_that_disagree(void **state)
{
    (void)state;
    struct summary_plan plan, other;
    summary_plan_default(&plan);
    other = plan;
    other.device_count = 8;
    struct scene scene;
    scene_init(&scene);
    scene_add(&scene, &scene.candidate, &plan, NULL);
    scene_add(&scene, &scene.candidate, &other, NULL);
    scene_add(&scene, &scene.baseline, &plan, NULL);
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.status, VERDICT_INCOMPARABLE);
    assert_string_equal(verdict.reasons[0].code, "candidate_profiles_differ");
    assert_non_null(strstr(verdict.reasons[0].text, "p1 is 4 and p2 is 8"));
    scene_done(&scene);
}

static void names_the_same_trace_and_refuses_it_when_strict(void **state)
{
    (void)state;
    for (int strict = 0; strict <= 1; strict++) {
        struct summary_plan plan;
        summary_plan_default(&plan);
        plan.trace_sha256 = "0123456789abcdef0123456789abcdef";
        struct scene scene;
        scene_init(&scene);
        scene.strict_provenance = strict == 1;
        struct verdict verdict = judged(&scene, &plan, &plan);
        assert_int_equal(verdict.status, strict ? VERDICT_INCOMPARABLE : VERDICT_WARN);
        assert_string_equal(verdict.rule_id, "provenance");
        assert_string_equal(verdict.reasons[0].code, "same_trace");
        assert_true(
            says(&verdict, "Baseline p1 and candidate p2 are the same trace (0123456789ab"));
        scene_done(&scene);
    }
}

static void takes_no_steps_for_unknown_and_not_for_another_method(void **state)
{
    (void)state;
    struct summary_plan plan, none;
    summary_plan_default(&plan);
    none = plan;
    none.steps = 0;
    struct scene scene;
    scene_init(&scene);
    struct verdict verdict = judged(&scene, &plan, &none);
    assert_int_equal(verdict.status, VERDICT_INCONCLUSIVE);
    scene_done(&scene);
}

static void names_runs_on_both_sides_and_readability_profiles(void **state)
{
    (void)state;
    struct fact flags = {"xla_flags", "--x=1 --xla_gpu_enable_command_buffer=", "task_environment"};
    struct fact fine = {"xla_flags", "--xla_gpu_enable_command_buffer=FUSION", "task_environment"};
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.facts = &flags;
    plan.fact_count = 1;
    struct scene scene;
    scene_init(&scene);
    scene_add(&scene, &scene.baseline, &plan, "r1");
    plan.facts = &fine;
    scene_add(&scene, &scene.candidate, &plan, "r1");
    struct verdict verdict = scene_judge(&scene);
    assert_string_equal(verdict_reason_text(&verdict, "command_buffers_off"),
                        "Baseline p1 was taken with command buffers off, which slows the run.");
    assert_true(says(&verdict, "Run r1 stands on both sides."));
    scene_done(&scene);
}

/* What is compiled again after the first steps is said of a verdict; what only begins so is not. */
static void says_that_a_candidate_compiles_again(void **state)
{
    (void)state;
    struct summary_plan plan;
    summary_plan_default(&plan);
    for (size_t step = 0; step <= 3; step += 3) {
        struct scene scene;
        scene_init(&scene);
        scene_add(&scene, &scene.baseline, &plan, "r1");
        scene_add(&scene, &scene.candidate, &plan, "r2");
        const struct step_table *steps = &scene.candidate.profiles[0].summary->steps;
        assert_true(steps->count > 3);
        for (size_t i = 0; i < steps->count; i++)
            steps->rows[i].warmup = false;
        steps->rows[step].host_compiled = true;
        struct verdict verdict = scene_judge(&scene);
        char wanted[160];
        (void)snprintf(wanted, sizeof wanted,
                       "Candidate: 1 of %zu steps of 1 profile has the host compiling in it "
                       "(recompilation).",
                       steps->count);
        if (step == 0)
            assert_null(verdict_reason_text(&verdict, "recompiled"));
        else
            assert_string_equal(verdict_reason_text(&verdict, "recompiled"), wanted);
        scene_done(&scene);
    }
}

static void takes_variance_from_identical_provenance_alone(void **state)
{
    (void)state;
    struct fact old = {"jax_version", "0.4", "option"}, new = {"jax_version", "0.5", "option"};
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.facts = &new;
    plan.fact_count = 1;
    struct scene scene;
    scene_init(&scene);
    static const double noise[] = {0, 0.01, -0.01, 0.005, -0.005, 0.002, 0.001};
    scene_add_runs(&scene, &scene.baseline, &plan, noise, COUNT(noise));
    scene_add_runs(&scene, &scene.candidate, &plan, noise, 2);
    plan.facts = &old;
    plan.step_us *= 3;
    scene_add_runs(&scene, &scene.history, &plan, noise, 5);
    plan.facts = &new;
    plan.step_us /= 3;
    scene_add_runs(&scene, &scene.history, &plan, noise, 4);
    struct verdict verdict = scene_judge(&scene);
    assert_true(verdict.statistics.run_sd_pct.value < 2);
    /* 7 of the baseline, 4 of the history, 2 of the candidate; the 5 of the older version do not
     * count */
    assert_int_equal((int)verdict.statistics.df.value, 6 + 3 + 1);
    scene_done(&scene);
}

static void finds_older_facts_in_run_metadata(void **state)
{
    (void)state;
    struct summary summary = {.run_metadata = {.hardware_type = "TPU v4",
                                               .mesh_or_topology = "2x2x1",
                                               .config_hash = "abc",
                                               .num_devices = some_i64(8),
                                               .num_hosts = some_i64(2)}};
    scoped_arena arena;
    arena_init(&arena, 4096 * 4);
    const struct provenance_facts facts = provenance_facts_of(&summary, &arena);
    assert_string_equal(facts.values[FIELD_device_type], "TPU v4");
    assert_string_equal(facts.values[FIELD_device_count], "8");
    assert_string_equal(facts.values[FIELD_host_count], "2");
    assert_string_equal(facts.values[FIELD_topology], "2x2x1");
    assert_string_equal(facts.values[FIELD_config_hash], "abc");
    assert_null(facts.values[FIELD_definition_version]);
    assert_null(facts.values[FIELD_step_method]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_other_hardware_and_names_both_values),
        cmocka_unit_test(obeys_the_action_of_each_fact),
        cmocka_unit_test(reads_numbers_of_the_work_as_numbers),
        cmocka_unit_test(knows_facts_by_their_other_names),
        cmocka_unit_test(lets_the_policy_decide_on_other_fields),
        cmocka_unit_test(names_unknown_facts_and_refuses_them_when_strict),
        cmocka_unit_test(wants_hardware_known_when_strict),
        cmocka_unit_test(leaves_out_baseline_profiles_that_cannot_be_compared),
        cmocka_unit_test(refuses_candidate_profiles_that_disagree),
        cmocka_unit_test(names_the_same_trace_and_refuses_it_when_strict),
        cmocka_unit_test(takes_no_steps_for_unknown_and_not_for_another_method),
        cmocka_unit_test(names_runs_on_both_sides_and_readability_profiles),
        cmocka_unit_test(says_that_a_candidate_compiles_again),
        cmocka_unit_test(takes_variance_from_identical_provenance_alone),
        cmocka_unit_test(finds_older_facts_in_run_metadata),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
