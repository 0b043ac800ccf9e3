/* Implements the scenes. */
#include "tests/support/gate_fixture.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCENE_BUDGET_BYTES = 64 << 20 };

void scene_init(struct scene *scene)
{
    *scene = (struct scene){0};
    arena_init(&scene->arena, SCENE_BUDGET_BYTES);
    gate_policy_default(&scene->policy);
}

void scene_done(struct scene *scene)
{
    arena_done(&scene->arena);
}

void scene_add(struct scene *scene, struct scene_side *side, const struct summary_plan *plan,
               const char *run)
{
    assert(side->count < SCENE_MAX_PROFILES);
    struct summary_plan named = *plan;
    int id = ++scene->next_id;
    if (named.trace_sha256 == NULL)
        named.trace_sha256 = arena_printf(&scene->arena, "%064x", id);
    named.seed += (uint64_t)id;
    side->profiles[side->count++] = (struct gate_profile){
        .profile_id = arena_printf(&scene->arena, "p%d", id),
        .run = run,
        .branch = "main",
        .summary = summary_make(&scene->arena, &named),
    };
}

void scene_add_runs(struct scene *scene, struct scene_side *side, const struct summary_plan *plan,
                    const double *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct summary_plan changed = *plan;
        changed.step_us *= 1 + changes[i];
        scene_add(scene, side, &changed, NULL);
    }
}

void scene_add_history(struct scene *scene, const struct summary_plan *plan)
{
    static const double alike[] = {0, 0.001, -0.001, 0.0005, -0.0005, 0.0002};
    struct summary_plan past = *plan;
    past.trace_sha256 = NULL;
    scene_add_runs(scene, &scene->history, &past, alike, sizeof alike / sizeof alike[0]);
}

void scene_fill_noisy(struct scene *scene, uint64_t seed, double change, const char *fingerprint)
{
    static const char *const names[] = {"fusion", "dot", "copy", "all-reduce", "tiny"};
    enum { OPS = sizeof names / sizeof names[0] };
    uint64_t noise = seed;
    scene_init(scene);
    for (int run = 0; run < 14; run++) {
        struct summary_plan plan;
        struct planned_op ops[OPS];
        bool after = run >= 11;
        double factor = 1 + 0.01 * fixture_normal(&noise) + (after ? change : 0);
        for (size_t i = 0; i < OPS; i++) {
            double us = (i == 4 ? 20 : 1500) * factor * (1 + 0.02 * fixture_normal(&noise));
            ops[i] = (struct planned_op){names[i], names[i], "jit/x", us};
        }
        summary_plan_default(&plan);
        plan.step_us *= factor;
        plan.step_sd = 0.01;
        plan.rho = 0.4;
        plan.seed = seed * 100;
        plan.ops = ops;
        plan.op_count = OPS;
        plan.fingerprint = fingerprint;
        scene_add(scene, after ? &scene->candidate : &scene->baseline, &plan, NULL);
    }
}

/* A fail by an interval that holds no change contradicts itself, and so does one beside the advice
 * to run again. */
static bool is_contradiction(const struct verdict *verdict)
{
    const char *first = verdict->reason_count > 0 ? verdict->reasons[0].text : "";
    return verdict->status == VERDICT_FAIL &&
           (strstr(first, "95 % interval -") != NULL ||
            verdict_reason_text(verdict, "rerun_needed") != NULL);
}

struct verdict input_judge(const struct gate_input *input, struct arena *arena)
{
    struct verdict verdict;
    struct err err = {0};
    if (!gate_judge(input, arena, &verdict, &err)) {
        (void)fprintf(stderr, "gate_judge: %s\n", err.text);
        abort();
    }
    if (is_contradiction(&verdict)) {
        (void)fprintf(stderr, "a fail that contradicts itself: %s\n", verdict.reasons[0].text);
        abort();
    }
    return verdict;
}

struct verdict scene_judge(struct scene *scene)
{
    const struct gate_input input = {
        .project = "demo",
        .workload = "train",
        .series = "s1",
        .baseline = {scene->baseline.profiles, scene->baseline.count, "named by the test"},
        .candidate = {scene->candidate.profiles, scene->candidate.count, "named by the test"},
        .history = {scene->history.profiles, scene->history.count, NULL},
        .policy = &scene->policy,
        .strict_provenance = scene->strict_provenance,
        .paired = scene->paired,
        .created_at_utc = "2026-01-02T03:04:05.000000Z",
    };
    return input_judge(&input, &scene->arena);
}

const char *verdict_reason_text(const struct verdict *verdict, const char *code)
{
    for (size_t i = 0; i < verdict->reason_count; i++) {
        if (strcmp(verdict->reasons[i].code, code) == 0)
            return verdict->reasons[i].text;
    }
    return NULL;
}

const struct verdict_measure *verdict_measure_named(const struct verdict *verdict, const char *name)
{
    for (size_t i = 0; i < verdict->measure_count; i++) {
        if (strcmp(verdict->measures[i].name, name) == 0)
            return &verdict->measures[i];
    }
    (void)fprintf(stderr, "the verdict has no measure %s\n", name);
    abort();
}
