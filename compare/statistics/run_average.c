/* Implements the questions to a model of runs: each explanation answers with its t distribution,
 * and the answers are averaged by weight. */
#include "compare/statistics/run_model.h"
#include "compare/statistics/stats.h"

#include <math.h>

/* Explanations that answer together: those of one kind of noise, or all of them. */
enum { EVERY_NOISE = -1 };

static double below_of(const struct run_model *model, int noise, double x)
{
    double sum = 0, weights = 0;
    for (size_t i = 0; i < model->count; i++) {
        const struct run_explanation *item = &model->items[i];
        if (noise != EVERY_NOISE && noise != (int)item->noise)
            continue;
        sum += item->weight * stats_t_upper((item->change - x) / item->error, item->df);
        weights += item->weight;
    }
    return sum / weights;
}

double run_model_below(const struct run_model *model, double x)
{
    return below_of(model, EVERY_NOISE, x);
}

/* By false position, with Illinois' halving of the end that stays (Dowell and Jarratt 1971), from
 * the likeliest explanation's quantile outwards. */
static double quantile_of(const struct run_model *model, int noise, double p)
{
    enum { ROUNDS = 60 };
    static const double near = 1e-10; /* of a logarithm of times */
    const struct run_explanation *likeliest = &model->items[0];
    double low = likeliest->change + stats_t_quantile(p, likeliest->df) * likeliest->error;
    double high = low, step = likeliest->error / 4;
    double below = below_of(model, noise, low) - p, above = below;
    for (; below > 0 && model->count > 1; step *= 2) {
        high = low;
        above = below;
        low -= step;
        below = below_of(model, noise, low) - p;
    }
    for (; above < 0 && model->count > 1; step *= 2) {
        low = high;
        below = above;
        high += step;
        above = below_of(model, noise, high) - p;
    }
    int kept = 0; /* which end stayed the last time */
    for (int i = 0; i < ROUNDS && high - low > near && above > below; i++) {
        double x = fmin(fmax(low - below * (high - low) / (above - below), low), high);
        double excess = below_of(model, noise, x) - p;
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

double run_model_quantile(const struct run_model *model, double p)
{
    return quantile_of(model, EVERY_NOISE, p);
}

double run_model_change(const struct run_model *model)
{
    double sum = 0;
    for (size_t i = 0; i < model->count; i++)
        sum += model->items[i].weight * model->items[i].change;
    return sum;
}

/* How much of what all explanations say together counts: a third where that is little, the whole
 * from `whole` on, and a straight line between. */
static const double little = 0.03, whole = 0.05, counts = 3;

static double averaged_counts(double p)
{
    if (p >= whole)
        return p;
    return p <= little ? p / counts
                       : whole - (whole - little / counts) * (whole - p) / (whole - little);
}

static double averaged_of(double counted)
{
    if (counted >= whole)
        return counted;
    return counted <= little / counts
               ? counts * counted
               : whole - (whole - little) * (whole - counted) / (whole - little / counts);
}

/* Where so many past runs hold it this likely that hosts matter, what the explanations by hosts say
 * together counts too, two thirds of it: which amount is the likeliest is luck. Fewer runs
 * do not tell hosts from luck, and believing them would hide losses. */
enum { HOSTS_MIN_RUNS = 20 };
static const double hosts_likely = 0.5, hosts_count = 1.5;

static bool hosts_are_likely(const struct run_model *model)
{
    return model->past >= HOSTS_MIN_RUNS &&
           run_model_noise_weight(model, NOISE_HOSTS) > hosts_likely;
}

double run_model_p(const struct run_model *model, double shift)
{
    const struct run_explanation *likeliest = &model->items[0];
    double alone = stats_t_upper((likeliest->change + shift) / likeliest->error, likeliest->df);
    double p = fmax(alone, averaged_counts(run_model_below(model, -shift)));
    if (hosts_are_likely(model))
        p = fmax(p, below_of(model, NOISE_HOSTS, -shift) / hosts_count);
    return p;
}

double run_model_low(const struct run_model *model, double p)
{
    const struct run_explanation *likeliest = &model->items[0];
    double alone = likeliest->change + stats_t_quantile(p, likeliest->df) * likeliest->error;
    double low = fmin(alone, run_model_quantile(model, averaged_of(p)));
    if (hosts_are_likely(model) && hosts_count * p < 1)
        low = fmin(low, quantile_of(model, NOISE_HOSTS, hosts_count * p));
    return low;
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
