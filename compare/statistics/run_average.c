/* Implements the questions to a model of runs: each explanation answers with its t distribution,
 * and the answers are averaged by weight. */
#include "compare/statistics/run_model.h"
#include "compare/statistics/stats.h"

#include <math.h>

/* Explanations that answer together. */
struct group {
    const struct run_explanation *items;
    size_t count;
    bool (*takes)(const struct group *group, const struct run_explanation *item); /* NULL: all */
    enum run_doubt doubt;
};

static bool by_hosts(const struct group *group, const struct run_explanation *item)
{
    (void)group;
    return item->noise == NOISE_HOSTS;
}

static bool of_doubt(const struct group *group, const struct run_explanation *item)
{
    return run_doubt_is_of(group->doubt, item);
}

static struct group everything(const struct run_model *model)
{
    return (struct group){.items = model->items, .count = model->count};
}

static struct group hosts_group(const struct run_model *model)
{
    return (struct group){.items = model->items, .count = model->count, .takes = by_hosts};
}

static struct group doubt_group(const struct run_model *model, enum run_doubt doubt)
{
    return (struct group){model->all, model->all_count, of_doubt, doubt};
}

static double below_of(const struct group *group, double x)
{
    double sum = 0, weights = 0;
    for (size_t i = 0; i < group->count; i++) {
        const struct run_explanation *item = &group->items[i];
        if (group->takes != NULL && !group->takes(group, item))
            continue;
        sum += item->weight * stats_t_upper((item->change - x) / item->error, item->df);
        weights += item->weight;
    }
    return sum / weights;
}

double run_model_below(const struct run_model *model, double x)
{
    struct group all = everything(model);
    return below_of(&all, x);
}

/* By false position, with Illinois' halving of the end that stays (Dowell and Jarratt 1971), from
 * the likeliest explanation's quantile outwards. */
static double quantile_of(const struct group *group, double p)
{
    enum { ROUNDS = 60 };
    static const double near = 1e-10; /* of a logarithm of times */
    const struct run_explanation *likeliest = &group->items[0];
    double low = likeliest->change + stats_t_quantile(p, likeliest->df) * likeliest->error;
    double high = low, step = likeliest->error / 4;
    double below = below_of(group, low) - p, above = below;
    for (; below > 0 && group->count > 1; step *= 2) {
        high = low;
        above = below;
        low -= step;
        below = below_of(group, low) - p;
    }
    for (; above < 0 && group->count > 1; step *= 2) {
        low = high;
        below = above;
        high += step;
        above = below_of(group, high) - p;
    }
    int kept = 0; /* which end stayed the last time */
    for (int i = 0; i < ROUNDS && high - low > near && above > below; i++) {
        double x = fmin(fmax(low - below * (high - low) / (above - below), low), high);
        double excess = below_of(group, x) - p;
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
    struct group all = everything(model);
    return quantile_of(&all, p);
}

double run_model_change(const struct run_model *model)
{
    double sum = 0;
    for (size_t i = 0; i < model->count; i++)
        sum += model->items[i].weight * model->items[i].change;
    return sum;
}

/* How much of a p counts: a part of it while it is little, the whole from `whole` on, and a
 * straight line between. */
static const double whole = 0.05;

struct counting {
    double part, little;
};

static double counting_of(struct counting counting, double p)
{
    double part = counting.part, little = counting.little;
    if (p >= whole)
        return p;
    return p <= little ? part * p
                       : whole - (whole - part * little) * (whole - p) / (whole - little);
}

/* The p that counts as `counted`. */
static double counting_undo(struct counting counting, double counted)
{
    double part = counting.part, little = counting.little;
    if (counted >= whole)
        return counted;
    return counted <= part * little
               ? counted / part
               : whole - (whole - little) * (whole - counted) / (whole - part * little);
}

/* Of what all explanations say together a third. */
static const struct counting averaged = {1.0 / 3, 0.03};

static struct counting calibrated(const struct run_model *model)
{
    static const double little = 0.025;
    double level = model->calibration.level;
    return (struct counting){level > 0 ? level : 1, little};
}

double run_model_uncounted(const struct run_model *model, double p)
{
    return counting_undo(calibrated(model), p);
}

/* Where so many past runs hold it this likely that hosts matter, what the explanations by hosts say
 * together counts too, five sixths of it: which amount is the likeliest is luck. Fewer runs
 * do not tell hosts from luck, and believing them would hide losses. */
enum { HOSTS_MIN_RUNS = 20 };
static const double hosts_likely = 0.5, hosts_count = 1.2;

static bool hosts_are_likely(const struct run_model *model)
{
    return model->past >= HOSTS_MIN_RUNS &&
           run_model_noise_weight(model, NOISE_HOSTS) > hosts_likely;
}

double run_model_p(const struct run_model *model, double shift)
{
    const struct run_explanation *likeliest = &model->items[0];
    double alone = stats_t_upper((likeliest->change + shift) / likeliest->error, likeliest->df);
    double p = fmax(alone, counting_of(averaged, run_model_below(model, -shift)));
    struct group hosts = hosts_group(model);
    if (hosts_are_likely(model))
        p = fmax(p, below_of(&hosts, -shift) / hosts_count);
    p = counting_of(calibrated(model), p);
    for (enum run_doubt i = 0; i < DOUBT_COUNT; i++) {
        struct group doubters = doubt_group(model, i);
        double part = model->calibration.doubts[i];
        if (part > 0)
            p = fmax(p, part * below_of(&doubters, -shift));
    }
    return p;
}

double run_model_low(const struct run_model *model, double p)
{
    const struct run_explanation *likeliest = &model->items[0];
    double raw = run_model_uncounted(model, p);
    double alone = likeliest->change + stats_t_quantile(raw, likeliest->df) * likeliest->error;
    double low = fmin(alone, run_model_quantile(model, counting_undo(averaged, raw)));
    struct group hosts = hosts_group(model);
    if (hosts_are_likely(model) && hosts_count * raw < 1)
        low = fmin(low, quantile_of(&hosts, hosts_count * raw));
    for (enum run_doubt i = 0; i < DOUBT_COUNT; i++) {
        struct group doubters = doubt_group(model, i);
        double part = model->calibration.doubts[i];
        if (part > p) /* else they say no more than that */
            low = fmin(low, quantile_of(&doubters, p / part));
    }
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
