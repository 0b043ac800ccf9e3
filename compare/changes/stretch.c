/* Implements the question with a candidate that says nothing: one run behind all others, which its
 * own change explains. */
#include "compare/changes/stretch.h"

static void answer_take(const struct run_model *model, size_t count, struct arena *arena,
                        struct stretch_answer *answer)
{
    static const double tail = .025;
    const struct run_explanation *drift = run_model_course(model, COURSE_DRIFT);
    const struct run_explanation *jump = run_model_course(model, COURSE_JUMP);
    answer->jump_weight = jump == NULL ? 0 : model->courses[COURSE_JUMP];
    answer->drift_weight = drift == NULL ? 0 : model->courses[COURSE_DRIFT];
    answer->place = jump == NULL ? 0 : jump->place;
    answer->jump = jump == NULL ? 0 : jump->trend;
    answer->slope = drift == NULL ? 0 : drift->trend;
    /* where the jump lies: what the explanations with one weigh, place by place */
    double *weights = arena_array(arena, double, count), all = 0, passed = 0;
    for (size_t i = 0; i < model->all_count; i++) {
        if (model->all[i].course != COURSE_JUMP)
            continue;
        weights[model->all[i].place] += model->all[i].weight;
        all += model->all[i].weight;
    }
    answer->first = answer->last = answer->place;
    for (size_t i = 0; i < count; i++) {
        answer->first = passed <= tail * all && i < answer->place ? i : answer->first;
        answer->last = passed < (1 - tail) * all && i > answer->last ? i : answer->last;
        passed += weights[i];
    }
}

void stretch_ask(const struct run_point *past, size_t count, struct arena *arena,
                 struct stretch_answer *ret_answer)
{
    struct arena_mark mark = arena_mark(arena);
    struct run_point *points = arena_array(arena, struct run_point, count + 1);
    struct run_model model;
    *ret_answer = (struct stretch_answer){0};
    for (size_t i = 0; i < count; i++) {
        points[i] = past[i];
        points[count].hosts =
            past[i].hosts >= points[count].hosts ? past[i].hosts + 1 : points[count].hosts;
    }
    points[count].role = RUN_CANDIDATE;
    points[count].variance = 1;
    if (run_model_make(&(struct run_series){points, count + 1, 0}, arena, &model))
        answer_take(&model, count, arena, ret_answer);
    arena_rewind(arena, mark);
}
