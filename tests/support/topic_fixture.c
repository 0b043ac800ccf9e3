#include "tests/support/topic_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct gate_outcome topic_judge(struct scene *scene, const struct conf *conf,
                                const struct year_plan *plan, int64_t last, int64_t *newest_id)
{
    const struct flow flow = {conf, scene->db, &scene->arena, &scene->arena};
    const char **names = arena_array(&scene->arena, const char *, (size_t)plan->days);
    struct gate_job *job = arena_new(&scene->arena, struct gate_job);
    struct gate_outcome outcome;
    struct year_plan topic = *plan;
    topic.topic_from = 1;
    year_append(scene->db, &scene->arena, &topic);
    for (int i = 0; i < plan->days; i++)
        names[i] = arena_printf(&scene->arena, "p%lld", (long long)++*newest_id);
    *job = (struct gate_job){.project = plan->project,
                             .workload = plan->workload,
                             .branch = "topic",
                             .baseline_branch = "main",
                             .last = last,
                             .candidates = {names, (size_t)plan->days}};
    gate_judge_job(&flow, job, &outcome);
    if (outcome.id == 0)
        fail_msg("%s", outcome.failure.text);
    return outcome;
}

bool topic_is_same_again(struct scene *scene, const struct conf *conf, int64_t verdict)
{
    struct err err = {0};
    struct gate_replay replay;
    const struct flow flow = {conf, scene->db, &scene->arena, &scene->arena};
    if (!gate_replay(&flow, verdict, &replay, &err))
        fail_msg("%s", err.text);
    return replay.is_same;
}
