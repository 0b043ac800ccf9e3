/* Implements the questions to a model of runs: each explanation answers with its t distribution,
 * and the answers are averaged by weight. */
#include "compare/run_model.h"
#include "compare/stats.h"

#include <math.h>

double run_model_below(const struct run_model *model, double x)
{
    double sum = 0;
    for (size_t i = 0; i < model->count; i++) {
        const struct run_explanation *item = &model->items[i];
        sum += item->weight * stats_t_upper((item->change - x) / item->error, item->df);
    }
    return sum;
}

/* By false position between the explanations' own quantiles, with Illinois' halving of the end that
 * stays (Dowell and Jarratt 1971). */
double run_model_quantile(const struct run_model *model, double p)
{
    enum { ROUNDS = 60 };
    static const double near = 1e-10; /* of a logarithm of times */
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < model->count; i++) {
        const struct run_explanation *item = &model->items[i];
        double x = item->change + stats_t_quantile(p, item->df) * item->error;
        low = fmin(low, x);
        high = fmax(high, x);
    }
    double below = run_model_below(model, low) - p, above = run_model_below(model, high) - p;
    int kept = 0; /* which end stayed the last time */
    for (int i = 0; i < ROUNDS && high - low > near && above > below; i++) {
        double x = fmin(fmax(low - below * (high - low) / (above - below), low), high);
        double excess = run_model_below(model, x) - p;
        if (excess < 0) {
            low = x;
            below = excess;
            above /= kept > 0 ? 2 : 1;
            kept = 1;
        } else {
            high = x;
            above = excess;
            below /= kept < 0 ? 2 : 1;
            kept = -1;
        }
        if (excess <= 0 && excess >= 0)
            return x;
    }
    return low + (high - low) / 2;
}

double run_model_change(const struct run_model *model)
{
    double sum = 0;
    for (size_t i = 0; i < model->count; i++)
        sum += model->items[i].weight * model->items[i].change;
    return sum;
}

double run_model_p(const struct run_model *model, double shift)
{
    const struct run_explanation *likeliest = &model->items[0];
    double alone = stats_t_upper((likeliest->change + shift) / likeliest->error, likeliest->df);
    return fmax(alone, run_model_below(model, -shift) / 3);
}

double run_model_course_weight(const struct run_model *model, enum run_course course)
{
    double sum = 0;
    for (size_t i = 0; i < model->count; i++)
        sum += model->items[i].course == course ? model->items[i].weight : 0;
    return sum;
}

double run_model_noise_weight(const struct run_model *model, enum run_noise noise)
{
    double sum = 0;
    for (size_t i = 0; i < model->count; i++)
        sum += model->items[i].noise == noise ? model->items[i].weight : 0;
    return sum;
}

const struct run_explanation *run_model_course(const struct run_model *model,
                                               enum run_course course)
{
    for (size_t i = 0; i < model->count; i++) {
        if (model->items[i].course == course)
            return &model->items[i];
    }
    return NULL;
}
