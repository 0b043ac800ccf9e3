/* Implements the draws on the summaries of summary_fixture.h. */
#include "tests/support/gate_draws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ARENA_BYTES = 256 << 20, SIGNATURE_BYTES = 32 };
/* What a run waits between steps, as a part of the step, and how much that varies: more than steps
 * do. */
static const double wait_share = 0.02, wait_sd = 0.3;
static const double run_sd = 0.01, step_sd = 0.02, step_rho = 0.4;

static const char *signature(size_t op)
{
    static char signatures[DRAW_OPS][SIGNATURE_BYTES];
    if (signatures[op][0] == '\0')
        (void)snprintf(signatures[op], SIGNATURE_BYTES, "op%zu", op);
    return signatures[op];
}

static struct gate_profile run_draw(struct draw *draw, double effect, size_t op_count)
{
    static struct planned_op ops[DRAW_OPS];
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.device_count = 1;
    plan.steps = DRAW_STEPS;
    plan.step_us = 100000 * exp(run_sd * fixture_normal(&draw->state) + log1p(effect));
    uint64_t waits = ~draw->state; /* draws of their own: the steps are those of the plan */
    plan.wait_us = wait_share * plan.step_us * exp(wait_sd * fixture_normal(&waits));
    plan.step_sd = step_sd;
    plan.rho = step_rho;
    /* Far from the states of the runs' own draws, or runs would share the noise of their steps. */
    plan.seed = draw->state * 0xD1342543DE82EF95u + 1;
    for (size_t i = 0; i < op_count; i++) {
        double us = 600 * exp(DRAW_OP_SD * fixture_normal(&draw->state));
        bool slowed = effect > 0 && i < DRAW_SLOWED_OPS;
        ops[i] = (struct planned_op){signature(i), signature(i), NULL, slowed ? 1.1 * us : us};
    }
    plan.ops = ops;
    plan.op_count = op_count;
    plan.trace_sha256 = arena_printf(&draw->arena, "%064d", ++draw->next_id);
    return (struct gate_profile){
        .profile_id = arena_printf(&draw->arena, "p%d", draw->next_id),
        .summary = summary_make(&draw->arena, &plan),
    };
}

void draw_start(struct draw *draw, const struct draw_plan *plan)
{
    *draw = (struct draw){.state = plan->seed * 0x2545F4914F6CDD1Du, .runs = plan->runs};
    arena_init(&draw->arena, ARENA_BYTES);
    size_t ops = plan->with_ops ? DRAW_OPS : 0;
    for (size_t i = 0; i < DRAW_HISTORY_RUNS; i++)
        draw->history[i] = run_draw(draw, 0, ops);
    for (size_t i = 0; i < plan->runs; i++)
        draw->before[i] = run_draw(draw, 0, ops);
    for (size_t i = 0; i < plan->runs; i++)
        draw->after[i] = run_draw(draw, plan->effect, ops);
}

struct verdict draw_judge(struct draw *draw)
{
    const struct gate_input input = {
        .project = "accuracy",
        .workload = "simulated",
        .baseline = {draw->before, draw->runs, NULL},
        .candidate = {draw->after, draw->runs, NULL},
        .history = {draw->history, DRAW_HISTORY_RUNS, NULL},
        .created_at_utc = "2026-01-01T00:00:00.000000Z",
    };
    return input_judge(&input, &draw->arena);
}
