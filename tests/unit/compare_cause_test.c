/* Tests of what the gate blames: all ops alike, one op, several, what ops work on, idle time. */
#include "schema/documents/verdict_next.h"
#include "schema/documents/verdict_words.h"

#include "tests/support/assert_number.h"
#include "tests/support/gate_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { OPS = 6, RUNS = 8 };
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const double before_us[OPS] = {3000, 2000, 1500, 1200, 800, 500}; /* of a step of 10 ms */

/* Judges a candidate whose ops take `factors` as long; what ops gain, the step gains, and
 * more_us and an added op besides. */
static struct verdict judged_with(struct scene *scene, const double factors[OPS], double more_us,
                                  double added_us)
{
    static const double noise[RUNS] = {0, .004, -.005, .002, -.003, .003, -.002, .005};
    static const char *const names[OPS] = {"dot", "fusion.1", "copy", "fusion.2", "reduce", "add"};
    scene_init(scene);
    for (size_t run = 0; run <= RUNS; run++) {
        struct planned_op ops[OPS + 1] = {
            [OPS] = {"fused", "fused", "jit(f)/net/layer/norm", added_us}};
        struct summary_plan plan;
        bool after = run == RUNS;
        summary_plan_default(&plan);
        plan.step_us = 1000 + (after ? more_us : 0);
        for (size_t i = 0; i < OPS; i++) {
            double us = before_us[i] * (after ? factors[i] : 1 + noise[(run + i) % RUNS]);
            ops[i] = (struct planned_op){names[i], names[i], "jit(f)/net/layer/attention", us};
            plan.step_us += us;
        }
        plan.ops = ops;
        plan.op_count = after && added_us > 0 ? OPS + 1 : OPS;
        plan.step_us += after ? added_us : 0;
        scene_add(scene, after ? &scene->candidate : &scene->baseline, &plan, NULL);
    }
    return scene_judge(scene);
}

static struct verdict judged(struct scene *scene, const double factors[OPS], double more_us)
{
    return judged_with(scene, factors, more_us, 0);
}

static void says(const struct verdict *verdict, struct arena *arena, const char *part)
{
    const char *sentence = verdict_sentence(verdict, arena);
    if (strstr(sentence, part) == NULL)
        fail_msg("'%s' lacks '%s'", sentence, part);
}

static void blames_what_explains_most_of_the_loss(void **state)
{
    (void)state;
    static const struct {
        double factors[OPS], more_us;
        const char *kind, *name;
        double share;
        const char *says;
    } cases[] = {
        {{1.3, 1, 1, 1, 1, 1}, 0, "op", "dot", 1, "dot (net/layer/attention) +898 µs/step, all "},
        {{1.08, 1.078, 1.075, 1.09, 1.085, 1.08},
         80,
         "all_ops",
         NULL,
         0.91,
         "all ops alike +7.9 %: clock, power, machine or other work (batch, sequence), not one op"},
        {{1, 1, 1, 1, 1, 1}, 700, "idle", NULL, 1, "idle time +700 µs/step, "},
        {{1.12, 1.2, 1.2, 1, 1, 1}, 0, "ops", "fusion.1", 1, "3 ops +1.06 ms/step, "},
        /* one op that is most of the step never looks like all of them */
        {{1.9, 1, 1, 1, 1, 1}, 0, "op", "dot", 1, " of the loss"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene;
        struct verdict verdict = judged(&scene, cases[i].factors, cases[i].more_us);
        assert_int_equal(verdict.status, VERDICT_FAIL);
        assert_non_null(verdict.cause.kind);
        assert_string_equal(verdict.cause.kind, cases[i].kind);
        if (cases[i].name != NULL)
            assert_string_equal(verdict.cause.name, cases[i].name);
        assert_number(verdict.cause.share_of_delta.value, cases[i].share, 0.05);
        says(&verdict, &scene.arena, cases[i].says);
        scene_done(&scene);
    }
}

static void shapes_set(struct scene_side *side, const char *shape)
{
    for (size_t i = 0; i < side->count; i++) {
        struct op_row *ops = side->profiles[i].summary->ops;
        for (size_t op = 0; op < 2; op++)
            ops[op].shape_signature = shape;
    }
}

/* What the slower ops work on is named where one type took another's place and nothing else did. */
static void names_the_precision_of_ops_that_are_slower(void **state)
{
    (void)state;
    static const double slower[][OPS] = {
        {2, 2, 1, 1, 1, 1}, {1, 1, 2, 2, 2, 1}, {1.5, 1.5, 1.5, 1.5, 1.5, 1.5}};
    static const struct {
        const char *before, *after;
        size_t slower;
        const char *precision;
    } cases[] = {
        {"(bf16[8,128])(bf16[8,64],f32[64])", "(f32[8,128])(f32[8,64],f32[64])", 0,
         "f32 in place of bf16"},
        {"f8e4m3fn[8,128]{1,0}", "bf16[8,128]{0,1}", 0, "bf16 in place of f8e4m3fn"},
        {"bf16[8,128]", "f32[8,128]", 1, NULL}, /* others are slower */
        {"bf16[8,128]", "f32[8,128]", 2, "f32 in place of bf16"},
        {"s32[8,128]", "s64[8,128]", 0, NULL},
        {"bf16[8,128]", "f32[8,128](f32[8])", 0, NULL},
        {"(bf16[8,128],f32[8])", "(f32[8,128],bf16[8])", 0, NULL},
        {"bf16[8,128]", "bf16[8,128]", 0, NULL},
        {"bf16[8,128]", NULL, 0, NULL},
        {"x", "[", 0, NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene;
        (void)judged(&scene, slower[cases[i].slower], 0);
        shapes_set(&scene.baseline, cases[i].before);
        shapes_set(&scene.candidate, cases[i].after);
        struct verdict verdict = scene_judge(&scene);
        const char *sentence = verdict_sentence(&verdict, &scene.arena);
        assert_int_equal(verdict.status, VERDICT_FAIL);
        if (cases[i].precision == NULL) {
            if (verdict.cause.precision != NULL || strstr(sentence, "ops work on") != NULL)
                fail_msg("case %zu: %s", i, sentence);
        } else {
            assert_string_equal(verdict.cause.precision, cases[i].precision);
            says(&verdict, &scene.arena,
                 arena_printf(&scene.arena, ": ops work on %s, ", cases[i].precision));
            assert_null(strstr(sentence, "clock, power"));
        }
        scene_done(&scene);
    }
}

/* Runs that took turns on one machine: it is not the machine's, and more turns tell no more. */
static void blames_the_change_where_runs_took_turns(void **state)
{
    (void)state;
    static const double factors[OPS] = {1.08, 1.078, 1.075, 1.09, 1.085, 1.08};
    struct scene scene;
    struct verdict_next next;
    struct verdict verdict = judged(&scene, factors, 80);
    verdict_next_find(&verdict, &scene.arena, &next);
    assert_non_null(strstr(next.command, "stepledger interleave"));
    verdict.reasons[0].code = "steps_slow"; /* the median's cause is not theirs */
    verdict_next_find(&verdict, &scene.arena, &next);
    assert_null(next.command);
    verdict.reasons[0].code = "step_median_regressed";
    verdict.paired = true;
    verdict_next_find(&verdict, &scene.arena, &next);
    assert_null(next.command);
    says(&verdict, &scene.arena,
         "all ops alike +7.9 %, also in turns on the same machine: the change as a whole (compiler "
         "flags, runtime, layout), not one op (");
    assert_null(strstr(verdict_sentence(&verdict, &scene.arena), "until that is shown"));
    scene_done(&scene);
}

/* Ops that all took a little less explain no loss; the op that came does. */
static void blames_no_ops_that_went_the_other_way(void **state)
{
    (void)state;
    static const double factors[OPS] = {0.99, 0.99, 0.99, 0.99, 0.99, 0.99};
    struct scene scene;
    struct verdict verdict = judged_with(&scene, factors, 0, 600);
    assert_int_equal(verdict.status, VERDICT_FAIL);
    assert_string_equal(verdict.cause.kind, "op");
    assert_string_equal(verdict.cause.name, "fused");
    assert_true(verdict.cause.share_of_delta.value > 1.1);
    says(&verdict, &scene.arena, "new op fused (net/layer/norm) +600 µs/step, more than the loss");
    scene_done(&scene);
}

/* Ops that gained a third of the loss, and nothing that gained the rest. */
static void says_so_when_nothing_explains_it(void **state)
{
    (void)state;
    static const double factors[OPS] = {1.02, 1.02, 1.02, 1.02, 1.02, 1.02};
    struct scene scene;
    struct verdict verdict = judged(&scene, factors, 600);
    verdict.cause.kind = NULL; /* the shape of a verdict that no cause was found for */
    verdict.op_count = 0;
    verdict.balance.known = false;
    says(&verdict, &scene.arena, "%): no op or device was found that explains it");
    scene_done(&scene);
}

static void says_first_that_it_became_faster(void **state)
{
    (void)state;
    static const double factors[OPS] = {0.7, 1, 1, 1, 1, 1};
    struct scene scene;
    struct verdict verdict = judged(&scene, factors, 0);
    assert_int_equal(verdict.status, VERDICT_PASS);
    assert_string_equal(verdict.reasons[0].code, "step_median_improved");
    assert_memory_equal(verdict_sentence(&verdict, &scene.arena), "faster: step time ", 18);
    says(&verdict, &scene.arena, "dot (net/layer/attention) -902 µs/step, all");
    says(&verdict, &scene.arena, " of the gain");
    scene_done(&scene);
}

static void facts_set(const struct scene_side *side, struct fact *facts, size_t count)
{
    for (size_t i = 0; i < side->count; i++) {
        struct environment *environment =
            &((struct summary *)side->profiles[i].summary)->environment;
        environment->facts = facts;
        environment->fact_count = count;
    }
}

/* What no op tells and nobody said may be another batch: a fail and a gain say so. */
static void says_that_other_work_cannot_be_excluded(void **state)
{
    (void)state;
    static struct fact known[] = {{"batch", "16", "option"}, {"seq_len", "2048", "option"}};
    static const struct {
        double factor;
        size_t before, after; /* facts that are known */
        const char *says;     /* NULL: nothing */
    } cases[] = {
        {1.6, 0, 0,
         "the batch and sequence are not known of both sides: that a step of the "
         "candidate does more work"},
        {0.6, 0, 0, "that a step of the candidate does less work"},
        {1.6, 2, 0, "the batch and sequence are not known of both sides"},
        {0.6, 1, 1, "the sequence is not known of both sides"},
        {0.6, 2, 2, NULL},
        {1.6, 2, 2, NULL},
        {1, 0, 0, NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        double factors[OPS];
        for (size_t op = 0; op < OPS; op++)
            factors[op] = cases[i].factor;
        struct scene scene;
        (void)judged(&scene, factors, 0);
        facts_set(&scene.baseline, known, cases[i].before);
        facts_set(&scene.candidate, known, cases[i].after);
        struct verdict verdict = scene_judge(&scene);
        const char *text = verdict_reason_text(&verdict, "work_unknown");
        assert_int_equal(text != NULL, cases[i].says != NULL);
        if (text != NULL)
            assert_non_null(strstr(text, cases[i].says));
        if (cases[i].factor > 1)
            says(&verdict, &scene.arena,
                 text != NULL
                     ? ": clock, power, machine or other work (batch, sequence), not one op"
                     : ": clock, power or machine, not one op");
        struct op_row *before = scene.baseline.profiles[RUNS - 1].summary->ops;
        struct op_row *after = scene.candidate.profiles[0].summary->ops;
        before->flops = some_f64(1e12);
        verdict = scene_judge(&scene);
        text = verdict_reason_text(&verdict, "work_unknown");
        assert_true(text == NULL || strstr(text, "No op of the candidate tells") != NULL);
        after->flops = some_f64(1e12);
        verdict = scene_judge(&scene);
        assert_null(verdict_reason_text(&verdict, "work_unknown"));
        scene_done(&scene);
    }
}

static void blames_nothing_when_the_step_hardly_changed(void **state)
{
    (void)state;
    static const double factors[OPS] = {1, 1, 1, 1, 1, 1};
    struct scene scene;
    struct verdict verdict = judged(&scene, factors, 0);
    assert_int_equal(verdict.status, VERDICT_PASS);
    assert_null(verdict.cause.kind);
    scene_done(&scene);
}

/* Without steps there is no verdict on the step, but an op that takes longer is seen. */
static void tells_op_deltas_without_steps(void **state)
{
    (void)state;
    struct scene scene;
    scene_init(&scene);
    for (int after = 0; after <= 1; after++) {
        struct planned_op ops[] = {{"dot", "dot", NULL, 0}, {"copy", "copy", NULL, 0}};
        struct summary_plan plan;
        struct scene_side *side = after == 1 ? &scene.candidate : &scene.baseline;
        summary_plan_default(&plan);
        plan.steps = 0;
        plan.ops = ops;
        plan.op_count = COUNT(ops);
        scene_add(&scene, side, &plan, NULL);
        struct op_row *rows = side->profiles[0].summary->ops;
        for (size_t i = 0; i < COUNT(ops); i++) {
            rows[i].count = after == 1 ? 30 : 10; /* captures of other lengths */
            rows[i].self_ps = rows[i].count * 400000000;
        }
        rows[0].self_ps = rows[0].count * (after == 1 ? 600000000 : 400000000);
    }
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.status, VERDICT_INCONCLUSIVE);
    assert_string_equal(verdict.reasons[0].code, "no_steps");
    assert_string_equal(verdict.ops_per, "call");
    assert_int_equal(verdict_moved_count(&verdict), 1);
    assert_string_equal(verdict_reason_text(&verdict, "op_suspected"),
                        "dot (slower) takes +200.0 µs per call: 400.0 µs -> 600.0 µs (+50.0 %).");
    scene_done(&scene);
}

/* A capture that is judged by other steps than its ops were counted in, as where a long first step
 * of it is told by the other captures: the gate sees its steps alone. */
static void ops_unsee(struct scene_side *side, size_t profile)
{
    struct summary *summary = (struct summary *)side->profiles[profile].summary;
    summary->steps.steady_spans = 0;
    summary->op_count = 0;
}

/* Five runs, the first with a second capture; `dot` takes 600 us longer in all of them. */
static struct verdict judged_without(struct scene *scene, const size_t *unseen, size_t count)
{
    static const double noise[RUNS] = {0, .004, -.005, .002, -.003, .003, -.002, .005};
    enum { CAPTURES = 6 };
    scene_init(scene);
    for (size_t i = 0; i < RUNS + CAPTURES; i++) {
        bool after = i >= RUNS;
        struct planned_op ops[] = {{"dot", "dot", "jit(f)/a", 3000 * (1 + noise[i % RUNS])},
                                   {"add", "add", "jit(f)/b", 2000 * (1 - noise[i % RUNS])}};
        struct summary_plan plan;
        summary_plan_default(&plan);
        ops[0].us += after ? 600 : 0;
        plan.step_us = 5000 + ops[0].us + ops[1].us;
        plan.ops = ops;
        plan.op_count = COUNT(ops);
        scene_add(scene, after ? &scene->candidate : &scene->baseline, &plan,
                  i == RUNS || i == RUNS + 1 ? "first" : NULL);
    }
    for (size_t i = 0; i < count; i++)
        ops_unsee(&scene->candidate, unseen[i]);
    return scene_judge(scene);
}

static bool is_told(const struct verdict *verdict, const char *part)
{
    for (size_t i = 0; i < verdict->provenance_messages.count; i++) {
        if (strstr(verdict->provenance_messages.items[i], part) != NULL)
            return true;
    }
    return false;
}

static void compares_ops_over_the_captures_that_tell_them(void **state)
{
    (void)state;
    static const struct {
        size_t unseen[5], count;
        const char *says;
    } cases[] = {
        {{5},
         1,
         "1 of the candidate's 6 profiles tells no ops of the steps that are judged and is "
         "left out where ops are compared: p14."},
        /* of two captures of a run one is left: its ops are no half of what they were */
        {{0}, 1, "where ops are compared: p9."},
        {{0, 1, 2, 3},
         4,
         "4 of the candidate's 6 profiles tell no ops of the steps that are judged "
         "and are left out where ops are compared: p9, p10, p11, p12."},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene;
        struct verdict verdict = judged_without(&scene, cases[i].unseen, cases[i].count);
        assert_int_equal(verdict.status, VERDICT_FAIL);
        assert_string_equal(verdict.cause.kind, "op");
        assert_string_equal(verdict.cause.name, "dot");
        assert_true(verdict.cause.delta_us > 590 && verdict.cause.delta_us < 610);
        assert_true(verdict_has_reason(&verdict, "op_regressed"));
        assert_true(verdict.balance.known);
        assert_number(verdict.balance.residual_us, 0, 1e-6);
        assert_true(is_told(&verdict, cases[i].says));
        scene_done(&scene);
    }
}

static void says_that_ops_were_not_compared(void **state)
{
    (void)state;
    static const size_t all[] = {0, 1, 2, 3, 4, 5};
    struct scene scene;
    struct verdict verdict = judged_without(&scene, all, COUNT(all));
    assert_int_equal(verdict.status, VERDICT_FAIL);
    says(&verdict, &scene.arena,
         "): no device was found that explains it, and ops were not compared");
    scene_done(&scene);
}

/* ---- devices --------------------------------------------------------------------------------- */

/* The medians of few runs say less than half of what the rule estimates from all of them. */
static void blames_all_ops_alike_by_what_the_rule_estimates(void **state)
{
    (void)state;
    static const double paces[] = {1.03, 1.00, 1.031, 1.001, 1.03, 1.032, .999, 1.029, 1.042};
    static const char *const names[OPS] = {"dot", "fusion.1", "copy", "fusion.2", "reduce", "add"};
    struct scene scene;
    scene_init(&scene);
    for (size_t run = 0; run < COUNT(paces); run++) {
        struct planned_op ops[OPS];
        struct summary_plan plan;
        summary_plan_default(&plan);
        plan.step_us = 1000 * paces[run];
        for (size_t i = 0; i < OPS; i++) {
            double us = before_us[i] * paces[run];
            ops[i] = (struct planned_op){names[i], names[i], "jit(f)/net/layer/attention", us};
            plan.step_us += us;
        }
        plan.ops = ops;
        plan.op_count = OPS;
        bool after = run + 1 == COUNT(paces);
        scene_add(&scene, after ? &scene.candidate : &scene.baseline, &plan, NULL);
    }
    struct verdict verdict = scene_judge(&scene);
    double shown = verdict.candidate.step_median_us.value / verdict.baseline.step_median_us.value;
    assert_true(verdict.statistics.estimate_pct.value > 150 * (shown - 1));
    assert_true(verdict.cause.delta_us > 1.5 * (verdict.candidate.step_median_us.value -
                                                verdict.baseline.step_median_us.value));
    assert_string_equal(verdict.cause.kind, "all_ops");
    scene_done(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blames_what_explains_most_of_the_loss),
        cmocka_unit_test(names_the_precision_of_ops_that_are_slower),
        cmocka_unit_test(blames_no_ops_that_went_the_other_way),
        cmocka_unit_test(says_so_when_nothing_explains_it),
        cmocka_unit_test(says_first_that_it_became_faster),
        cmocka_unit_test(says_that_other_work_cannot_be_excluded),
        cmocka_unit_test(blames_nothing_when_the_step_hardly_changed),
        cmocka_unit_test(tells_op_deltas_without_steps),
        cmocka_unit_test(blames_the_change_where_runs_took_turns),
        cmocka_unit_test(compares_ops_over_the_captures_that_tell_them),
        cmocka_unit_test(says_that_ops_were_not_compared),
        cmocka_unit_test(blames_all_ops_alike_by_what_the_rule_estimates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
