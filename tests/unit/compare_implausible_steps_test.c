/* Tests of step times that say more of how they were taken than of the code, and of what is said of
 * work that is in no step. */
#include "tests/support/gate_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void assert_says(const char *text, const char *part)
{
    if (text == NULL || strstr(text, part) == NULL)
        fail_msg("'%s' does not say '%s'", text == NULL ? "" : text, part);
}

/* Eight past runs and three of the candidate, whose steps and ops take `factor` times as long. */
static void scene_fill(struct scene *scene, double factor, int64_t candidate_steps)
{
    static const struct planned_op ops[] = {{"dot", "dot", "jit/x", 6000},
                                            {"copy", "copy", "jit/x", 3000}};
    scene_init(scene);
    for (int run = 0; run < 11; run++) {
        struct summary_plan plan;
        struct planned_op own[2];
        const double times = (run < 8 ? 1 : factor) * (1 + 0.002 * (run % 3));
        summary_plan_default(&plan);
        plan.step_us *= times;
        plan.step_sd = 0.005;
        plan.seed = (uint64_t)run + 1;
        plan.steps = run < 8 ? plan.steps : candidate_steps;
        for (size_t i = 0; i < 2; i++) {
            own[i] = ops[i];
            own[i].us *= times;
        }
        plan.ops = own;
        plan.op_count = 2;
        scene_add(scene, run < 8 ? &scene->baseline : &scene->candidate, &plan, NULL);
    }
}

static void a_thousandfold_change_is_of_units_or_work(void **state)
{
    (void)state;
    static const struct {
        double factor;
        enum verdict_status status;
        bool implausible;
    } cases[] = {
        {1, VERDICT_PASS, false},
        {0.02, VERDICT_PASS, false},
        {0.001, VERDICT_INCONCLUSIVE, true},
        {0.0012, VERDICT_INCONCLUSIVE, true},
        {1000, VERDICT_INCONCLUSIVE, true},
        {1e-6, VERDICT_INCONCLUSIVE, true},
        {0.005, VERDICT_INCONCLUSIVE, true},
        {30, VERDICT_FAIL, false},
        {300, VERDICT_FAIL, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene;
        scene_fill(&scene, cases[i].factor, 20);
        struct verdict verdict = scene_judge(&scene);
        assert_int_equal(verdict.status, cases[i].status);
        const char *text = verdict_reason_text(&verdict, "times_implausible");
        assert_int_equal(text != NULL, cases[i].implausible);
        if (text != NULL) {
            assert_string_equal(verdict.reasons[0].code, "times_implausible");
            assert_says(text, "Step time ");
            assert_says(text, "other work, or another unit of time");
            assert_null(verdict_reason_text(&verdict, "step_median_improved"));
            assert_string_equal(verdict_measure_named(&verdict, "steady_step_median")->status,
                                "unknown");
        }
        scene_done(&scene);
    }
}

static void steps_at_edges_with_fewer_ops_may_be_cut(void **state)
{
    (void)state;
    for (int64_t steps = 1; steps <= 3; steps++) {
        for (int op_count = 0; op_count <= 2; op_count++) {
            struct scene scene;
            scene_fill(&scene, 0.6, steps);
            for (size_t i = 0; i < scene.candidate.count; i++) {
                struct summary *summary = (struct summary *)scene.candidate.profiles[i].summary;
                summary->op_count = (size_t)op_count;
            }
            struct verdict verdict = scene_judge(&scene);
            const char *text = verdict_reason_text(&verdict, "step_may_be_cut");
            const bool doubted = steps <= 2 && op_count < 2;
            assert_int_equal(text != NULL, doubted);
            assert_int_equal(verdict.status, doubted ? VERDICT_INCONCLUSIVE : VERDICT_PASS);
            if (doubted) {
                assert_says(text, steps == 1 ? "Each capture of the candidate holds one step"
                                             : "No capture of the candidate holds more than two");
                assert_says(text, op_count == 1
                                      ? "; ops of a device per step: 1, in the baseline 2."
                                      : ", and which ops a step runs is not known of");
            }
            scene_done(&scene);
        }
    }
}

/* Numbers two apart beside numbers one apart: the other steps may have run in between. */
static void steps_further_apart_with_more_ops_may_be_several(void **state)
{
    (void)state;
    static const struct {
        int64_t apart;
        bool more_ops, no_ops;
        double factor;
        bool doubted;
    } cases[] = {
        {2, true, false, 2, true},   {2, true, false, 0.5, true}, {1, true, false, 2, false},
        {2, false, false, 2, false}, {2, false, true, 2, true},   {2, false, true, 1.2, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene;
        scene_fill(&scene, cases[i].factor, 20);
        for (size_t k = 0; k < scene.candidate.count; k++) {
            struct summary *summary = (struct summary *)scene.candidate.profiles[k].summary;
            for (size_t j = 0; j < summary->steps.count; j++)
                summary->steps.rows[j].number *= cases[i].apart;
            for (size_t op = 0; op < summary->op_count; op++)
                summary->ops[op].steady_count *= cases[i].more_ops ? 2 : 1;
            summary->op_count = cases[i].no_ops ? 0 : summary->op_count;
        }
        struct verdict verdict = scene_judge(&scene);
        const char *text = verdict_reason_text(&verdict, "steps_may_be_several");
        assert_int_equal(text != NULL, cases[i].doubted);
        assert_int_equal(verdict.status == VERDICT_INCONCLUSIVE, cases[i].doubted);
        if (text != NULL)
            assert_says(text, "Steps of the candidate are numbered 2 apart, those of the baseline "
                              "1");
        if (text != NULL && !cases[i].no_ops)
            assert_says(text,
                        " 1, and run 4 ops of a device in place of 2: one of the former may be");
        scene_done(&scene);
    }
}

/* Of each profile of the side a part of the ops' time is in no step. */
static void side_part(struct scene_side *side, double part, int64_t unmarked)
{
    for (size_t i = 0; i < side->count; i++) {
        struct summary *summary = (struct summary *)side->profiles[i].summary;
        double all_us = 0;
        for (size_t op = 0; op < summary->op_count; op++)
            all_us += (double)summary->ops[op].self_ps / 1e6;
        summary->coverage.ops_apart_us = some_f64(part * all_us);
        if (unmarked > 0)
            summary->coverage.steps_unmarked = some_i64(unmarked);
    }
}

static size_t groups_of_captures(const struct verdict *verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < verdict->group_count; i++)
        count += strcmp(verdict->groups[i].kind, "region") == 0;
    return count;
}

/* Figures of whole captures are none of a step where much belongs to none. */
static void work_in_no_step_is_told_where_sides_differ_or_most_is(void **state)
{
    (void)state;
    static struct hierarchical_region region = {.path = "mlp", .exclusive_duration = 100};
    static const struct {
        double before, after;
        int64_t unmarked;
        const char *says;
        bool groups;
    } cases[] = {
        {0, 0.19, 3,
         "Candidate: 19.0 % of what devices did belongs to no annotated step, and is in no figure "
         "of a step (the other side: 0.0 %). By the numbers of the others 9 steps of 3 profiles "
         "lack an annotation",
         false},
        {0, 0.19, 0, "An evaluation, or steps that nobody marked", false},
        {0.2, 0.1, 0, "Baseline: 20.0 % of what devices did", false},
        {0.2, 0.19, 0, NULL, false},
        {0.03, 0, 0, NULL, true},
        {0.48, 0.49, 0, NULL, false},
        {0.62, 0.6, 0,
         "Most of what devices did belongs to no annotated step on either side (baseline: 62.0 %, "
         "candidate: 60.0 %), and is in no figure of a step: this verdict is of the rest alone.",
         false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene;
        scene_fill(&scene, 1, 20);
        side_part(&scene.baseline, cases[i].before, 0);
        side_part(&scene.candidate, cases[i].after, cases[i].unmarked);
        for (size_t k = 0; k < scene.candidate.count; k++) {
            struct summary *summary = (struct summary *)scene.candidate.profiles[k].summary;
            summary->hierarchical_regions = &region;
            summary->hierarchical_region_count = 1;
        }
        struct verdict verdict = scene_judge(&scene);
        const char *text = verdict_reason_text(&verdict, "work_in_no_step");
        assert_int_equal(text != NULL, cases[i].says != NULL);
        if (text != NULL)
            assert_says(text, cases[i].says);
        assert_int_equal(verdict.status, VERDICT_PASS);
        assert_int_equal(groups_of_captures(&verdict), cases[i].groups);
        scene_done(&scene);
    }
}

/* What lies in steps without a mark is no wait that anybody saw. */
static void slow_steps_without_a_mark_wait_for_nothing_known(void **state)
{
    (void)state;
    struct scene scene;
    scene_fill(&scene, 1, 20);
    for (size_t i = 0; i < scene.candidate.count + scene.baseline.count; i++) {
        const bool after = i < scene.candidate.count;
        struct scene_side *side = after ? &scene.candidate : &scene.baseline;
        const struct step_table *steps =
            &side->profiles[after ? i : i - scene.candidate.count].summary->steps;
        int64_t unmarked = 0;
        for (size_t j = 0; j + 1 < steps->count; j++) {
            const bool slow = after && j % 4 == 2;
            steps->rows[j].number += unmarked;
            steps->rows[j].has_period = true;
            steps->rows[j].period_ps = steps->rows[j].max_ps * (slow ? 2 : 1);
            unmarked += slow;
        }
        steps->rows[steps->count - 1].number += unmarked;
    }
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.status, VERDICT_FAIL);
    assert_says(verdict_reason_text(&verdict, "steps_slow"),
                "it lies where steps lack their mark, of which nothing else is known.");
    scene_done(&scene);
}

/* Annotations are time of the host in shares of all tracks. */
static void shares_of_all_tracks_ask_for_annotations_on_both_sides(void **state)
{
    (void)state;
    static struct step_table annotated = {.method = STEPS_HOST};
    for (int both = 0; both <= 1; both++) {
        struct scene scene;
        scene_fill(&scene, 1, 20);
        for (size_t i = 0; i < scene.candidate.count + scene.baseline.count; i++) {
            const bool after = i < scene.candidate.count;
            struct scene_side *side = after ? &scene.candidate : &scene.baseline;
            struct gate_profile *profile = &side->profiles[after ? i : i - scene.candidate.count];
            struct summary *summary = (struct summary *)profile->summary;
            summary->time_breakdown.total_duration = 1;
            summary->time_breakdown.part[PART_COMMUNICATION].share_of_total = after ? 0.3 : 0.1;
            if (!after || both) {
                summary->other_steps = &annotated;
                summary->other_step_count = 1;
            }
        }
        struct verdict verdict = scene_judge(&scene);
        const struct verdict_measure *share =
            verdict_measure_named(&verdict, "communication_share");
        assert_string_equal(share->status, both ? "warn" : "unknown");
        assert_int_equal(verdict_reason_text(&verdict, "communication_share_increased") != NULL,
                         both);
        scene_done(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousandfold_change_is_of_units_or_work),
        cmocka_unit_test(steps_at_edges_with_fewer_ops_may_be_cut),
        cmocka_unit_test(steps_further_apart_with_more_ops_may_be_several),
        cmocka_unit_test(work_in_no_step_is_told_where_sides_differ_or_most_is),
        cmocka_unit_test(slow_steps_without_a_mark_wait_for_nothing_known),
        cmocka_unit_test(shares_of_all_tracks_ask_for_annotations_on_both_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
