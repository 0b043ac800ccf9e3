/* Implements the model of runs. Every fit is: the covariance's Cholesky factor, all columns
 * whitened by it, then plain least squares by projection, one column after the other. */
#include "compare/statistics/run_model.h"
#include "compare/statistics/columns.h"
#include "compare/statistics/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Courses other than a level need this many past runs, and a jump this many on each side. */
enum { COURSE_MIN_RUNS = 6, JUMP_MIN_RUNS = 3 };

/* What is held likely before runs are seen. Measured on simulated pasts (tests/accuracy): a jump
 * that is held less likely is missed where it halves the baseline's worth, a drift that is held
 * more likely costs power where there is none. */
static const double course_prior[COURSE_COUNT] = {0.45, 0.15, 0.40};
static const double correlated_prior = 0.20, noisier_prior = 0.10, hosts_prior = 0.75;

/* Where the candidate's steps surely differ this many times as much as past ones, its runs are held
 * to differ more this likely; up to there in proportion to the logarithm. One run, whose own spread
 * tells nothing, as likely as not. */
static const double much_wider = 1.5, wider_prior = 0.3, wider_one_prior = 0.5;

/* Step times have long tails: with one run the t of few degrees of freedom, whatever the past. */
const double run_lone_df = 6;

/* A course this much less likely than the likeliest is left out. */
static const double course_window = 0.2;
/* And so is what adds less than this to any probability. */
static const double least_weight = 1e-3;
/* As a doubt (run_calibration.c) less counts. */
static const double least_doubt = 1e-4;

/* Pairs share a level of their own: this many times the variance of a run, so that only their
 * differences are left. */
static const double pair_variance = 1e4;

/* Runs that agree to the last bit leave no noise; step times are not known better than this. */
static const double least_sd = 1e-9;

struct noise_case {
    enum run_noise noise;
    double amount, prior; /* prior: inside its kind */
};

/* Amounts that cover what is met; between them the weights do. */
static const struct noise_case noise_cases[] = {
    {NOISE_ALIKE, 0, 1},           {NOISE_CORRELATED, 0.3, 0.5}, {NOISE_CORRELATED, 0.6, 0.35},
    {NOISE_CORRELATED, 0.8, 0.15}, {NOISE_NOISIER, 4, 0.5},      {NOISE_NOISIER, 9, 0.35},
    {NOISE_NOISIER, 36, 0.15},     {NOISE_HOSTS, 0.3, 0.3},      {NOISE_HOSTS, 1, 0.3},
    {NOISE_HOSTS, 3, 0.2},         {NOISE_HOSTS, 9, 0.2},
};
enum { NOISE_CASES = sizeof noise_cases / sizeof noise_cases[0] };

/* ---- one covariance -------------------------------------------------------------------------- */

/* What of a series decides which explanations there are. */
struct series_shape {
    size_t past, others, candidates; /* past: all but candidates */
    size_t pairs;
    bool hosts_tell; /* some runs share hosts, some do not */
    double wider;    /* of the series */
};

static double noise_prior(const struct series_shape *shape, const struct noise_case *noise)
{
    bool enough = shape->past >= COURSE_MIN_RUNS;
    double correlated = enough ? correlated_prior : 0;
    /* That the candidate's runs differ more: by experience, which one run tells nothing of,
     * and by its steps. Pairs tell by their differences how much these differ. */
    bool several = shape->candidates > 1;
    double usual = several ? noisier_prior : 0, wide = several ? wider_prior : wider_one_prior;
    double told = shape->pairs > 0 ? 0 : log(fmax(shape->wider, 1)) / log(much_wider);
    double noisier = usual + fmin(told, 1) * (wide - usual);
    double hosts = enough && shape->hosts_tell && shape->pairs == 0 ? hosts_prior : 0;
    switch (noise->noise) {
    case NOISE_CORRELATED:
        return correlated * (1 - hosts) * noise->prior;
    case NOISE_NOISIER:
        return noisier * (1 - hosts) * noise->prior;
    case NOISE_HOSTS:
        return hosts * noise->prior;
    default:
        return (1 - correlated - noisier) * (1 - hosts);
    }
}

static double covariance(const struct run_series *series, const struct noise_case *noise, size_t i,
                         size_t j)
{
    const struct run_point *a = &series->points[i], *b = &series->points[j];
    double sd = sqrt(a->variance * b->variance), shared = i == j ? sd : 0;
    if (noise->noise == NOISE_CORRELATED)
        shared = sd * pow(noise->amount, fabs((double)i - (double)j));
    if (noise->noise == NOISE_NOISIER && i == j && a->role == RUN_CANDIDATE)
        shared *= noise->amount;
    if (noise->noise == NOISE_HOSTS && a->hosts == b->hosts)
        shared += noise->amount;
    if (a->pair != 0 && a->pair == b->pair)
        shared += pair_variance;
    return shared;
}

/* Whitened columns of one covariance, each orthogonal to those before it. */
struct fit {
    const struct run_series *series;
    struct series_shape shape;
    const struct noise_case *noise;
    double *factor, *ones, *other, *candidate, *values, *column;
    double *apart, *mean; /* what candidate runs differ by; the candidate without it */
    size_t apart_count;
    double log_evidence;                                       /* of the level */
    double candidate_square, candidate_value, residual_square; /* of the level */
    double mean_square, mean_value;                            /* the same of the mean */
    double candidate_variance;                                 /* mean of its points' */
    double df;
};

static void fit_open(struct fit *fit, const struct run_series *series, struct arena *arena)
{
    size_t count = series->count;
    struct series_shape shape = {.wider = series->wider};
    bool shared = false, apart = false;
    for (size_t i = 0; i < series->count; i++) {
        const struct run_point *point = &series->points[i];
        shape.candidates += point->role == RUN_CANDIDATE;
        shape.others += point->role == RUN_OTHER;
        shape.pairs += point->role == RUN_CANDIDATE && point->pair != 0;
        for (size_t j = 0; j < i; j++) {
            shared |= point->hosts == series->points[j].hosts;
            apart |= point->hosts != series->points[j].hosts;
        }
    }
    shape.past = series->count - shape.candidates;
    shape.hosts_tell = shared && apart;
    *fit = (struct fit){.series = series, .shape = shape};
    double *room = arena_array(arena, double, count *(count + 6 + fit->shape.candidates));
    fit->factor = room;
    fit->ones = room + count * count;
    fit->other = fit->ones + count;
    fit->candidate = fit->other + count;
    fit->values = fit->candidate + count;
    fit->column = fit->values + count;
    fit->mean = fit->column + count;
    fit->apart = fit->mean + count;
    bool has_other = fit->shape.others > 0 && fit->shape.others < fit->shape.past;
    fit->df = (double)count - 2 - has_other;
    fit->df -= fit->shape.pairs > 1 ? (double)fit->shape.pairs - 1 : 0; /* their own levels */
    for (size_t i = 0; i < count; i++) {
        if (series->points[i].role == RUN_CANDIDATE)
            fit->candidate_variance += series->points[i].variance / (double)fit->shape.candidates;
    }
}

/* Takes the level, and that of the other baseline, out of a column. */
static void level_remove(const struct fit *fit, double *column)
{
    size_t count = fit->series->count;
    column_subtract(column, column_dot(fit->ones, column, count), fit->ones, count);
    if (fit->shape.others > 0)
        column_subtract(column, column_dot(fit->other, column, count), fit->other, count);
}

/* Takes what candidate runs differ by out of a column. */
static void apart_remove(const struct fit *fit, double *column)
{
    size_t count = fit->series->count;
    for (size_t i = 0; i < fit->apart_count; i++) {
        const double *unit = fit->apart + i * count;
        column_subtract(column, column_dot(unit, column, count), unit, count);
    }
}

/* The candidate is the mean of its runs. Where each run is like the one before it, or a slope goes
 * on, the best weights hang on the first runs behind the baseline: what these took would be told
 * of all, however many others there are. So what candidate runs differ by is a column each, which
 * takes no part in the change. Runs of the same hosts count for less, and pairs by their
 * differences: there the best weights stand. */
static void mean_make(struct fit *fit)
{
    const struct run_point *points = fit->series->points;
    size_t count = fit->series->count, last = count;
    bool alike = fit->noise->noise != NOISE_HOSTS && fit->shape.pairs == 0;
    memcpy(fit->mean, fit->candidate, count * sizeof *fit->mean);
    fit->apart_count = 0;
    for (size_t i = 0; alike && i < count; i++) {
        if (points[i].role != RUN_CANDIDATE)
            continue;
        double *column = fit->apart + fit->apart_count * count;
        memset(column, 0, count * sizeof *column);
        column[i] = points[i].variance;
        if (last < count) {
            column[last] = -points[last].variance;
            column_whiten(fit->factor, count, column);
            level_remove(fit, column);
            apart_remove(fit, column);
            column_unit(column, count);
            fit->apart_count++;
        }
        last = i;
    }
    apart_remove(fit, fit->mean);
    fit->mean_square = column_dot(fit->mean, fit->mean, count);
    fit->mean_value = column_dot(fit->mean, fit->values, count);
}

/* Everything that the courses share under one covariance. false: nothing can be said under it. */
static bool fit_noise(struct fit *fit, const struct noise_case *noise)
{
    const struct run_point *points = fit->series->points;
    size_t count = fit->series->count;
    double log_determinant;
    fit->noise = noise;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j <= i; j++)
            fit->factor[i * count + j] = covariance(fit->series, noise, i, j);
        fit->ones[i] = 1;
        fit->other[i] = points[i].role == RUN_OTHER;
        fit->candidate[i] = points[i].role == RUN_CANDIDATE;
        fit->values[i] = points[i].value;
    }
    if (!columns_factor(fit->factor, count, &log_determinant))
        return false;
    column_whiten(fit->factor, count, fit->ones);
    column_whiten(fit->factor, count, fit->other);
    column_whiten(fit->factor, count, fit->candidate);
    column_whiten(fit->factor, count, fit->values);
    double log_squares = column_unit(fit->ones, count);
    column_subtract(fit->other, column_dot(fit->ones, fit->other, count), fit->ones, count);
    if (fit->shape.others > 0 && fit->shape.others < fit->shape.past)
        log_squares += column_unit(fit->other, count);
    else
        memset(fit->other, 0, count * sizeof *fit->other);
    level_remove(fit, fit->candidate);
    level_remove(fit, fit->values);
    fit->candidate_square = column_dot(fit->candidate, fit->candidate, count);
    if (fit->candidate_square <= 0)
        return false;
    fit->candidate_value = column_dot(fit->candidate, fit->values, count);
    double change = fit->candidate_value / fit->candidate_square;
    fit->residual_square =
        fmax(column_dot(fit->values, fit->values, count) - change * fit->candidate_value,
             fit->df * least_sd * least_sd);
    fit->log_evidence = -0.5 * (log_determinant + log_squares + log(fit->candidate_square) +
                                fit->df * log(fit->residual_square));
    mean_make(fit);
    return fit->mean_square > 0;
}

/* ---- courses --------------------------------------------------------------------------------- */

static bool place_is_jump(const struct fit *fit, size_t place, size_t past_before)
{
    return fit->series->points[place].role != RUN_CANDIDATE && past_before >= JUMP_MIN_RUNS &&
           fit->shape.past - past_before >= JUMP_MIN_RUNS;
}

static size_t jump_count(const struct fit *fit)
{
    size_t past_before = 0, count = 0;
    for (size_t i = 0; i < fit->series->count; i++) {
        count += place_is_jump(fit, i, past_before);
        past_before += fit->series->points[i].role != RUN_CANDIDATE;
    }
    return count;
}

/* What the error is worth. A wider spread of the candidate is known from its own few runs alone,
 * the rest from all (Welch 1938, Satterthwaite 1946). One run averages nothing: the tails of its
 * noise are not taken to be lighter than those of run_lone_df. */
static double error_df(const struct fit *fit, double df, double candidate_square)
{
    double runs = (double)fit->shape.candidates;
    if (runs < 2)
        return fmin(df, run_lone_df);
    if (fit->noise->noise != NOISE_NOISIER)
        return df;
    double own = fmin(fit->noise->amount * fit->candidate_variance / runs * candidate_square, 1);
    return 1 / (own * own / (runs - 1) + (1 - own) * (1 - own) / df);
}

static struct run_explanation level_explain(const struct fit *fit)
{
    double sd = sqrt(fit->residual_square / fit->df);
    return (struct run_explanation){
        .course = COURSE_LEVEL,
        .noise = fit->noise->noise,
        .amount = fit->noise->amount,
        .weight = fit->log_evidence,
        .change = fit->mean_value / fit->mean_square,
        .error = sd / sqrt(fit->mean_square),
        .df = error_df(fit, fit->df, fit->mean_square),
        .sd = sd,
    };
}

/* The level with one column more: a slope, or a jump. false: the runs cannot tell it from the
 * change. */
static bool course_explain(struct fit *fit, enum run_course course, size_t place,
                           struct run_explanation *ret_explanation)
{
    static const double least_part = 1e-9; /* of a column that is not the candidate's */
    size_t count = fit->series->count;
    double *column = fit->column;
    for (size_t i = 0; i < count; i++)
        column[i] = course == COURSE_DRIFT ? (double)i : i >= place;
    column_whiten(fit->factor, count, column);
    level_remove(fit, column);
    double square = column_dot(column, column, count);
    double shared = column_dot(column, fit->candidate, count),
           value = column_dot(column, fit->values, count);
    double own = square - shared * shared / fit->candidate_square;
    if (own <= least_part * square)
        return false;
    double own_value = value - shared * fit->candidate_value / fit->candidate_square;
    double explained = fmin(own_value * own_value / own / fit->residual_square, 1);
    double prior_runs = (double)fit->shape.past;
    double df = fit->df - 1, sd = sqrt(fit->residual_square * (1 - explained) / df);
    *ret_explanation = level_explain(fit);
    ret_explanation->course = course;
    ret_explanation->place = place;
    ret_explanation->trend = own_value / own;
    /* Zellner's g-prior: (1 + g)^((n - 1) / 2) / (1 + g (1 - R^2))^(n / 2), n = df of the level */
    ret_explanation->weight += 0.5 * (fit->df - 1) * log1p(prior_runs) -
                               0.5 * fit->df * log1p(prior_runs * (1 - explained));
    apart_remove(fit, column);
    square = column_dot(column, column, count);
    shared = column_dot(column, fit->mean, count);
    double left = fit->mean_square - shared * shared / square;
    ret_explanation->df = error_df(fit, df, left);
    ret_explanation->sd = fmax(sd, least_sd);
    ret_explanation->change =
        (fit->mean_value - shared * column_dot(column, fit->values, count) / square) / left;
    ret_explanation->error = ret_explanation->sd / sqrt(left);
    return true;
}

/* Appends the explanations of one covariance; weights are logarithms. What drifts or jumps hits
 * both runs of a pair: a course of pairs could only explain their differences away. */
static void courses_explain(struct fit *fit, double prior, struct run_model *model)
{
    struct run_explanation *next = &model->all[model->all_count];
    bool courses = fit->shape.pairs == 0 && fit->shape.past >= COURSE_MIN_RUNS && fit->df >= 3;
    *next = level_explain(fit);
    next->weight += log(prior) + (courses ? log(course_prior[COURSE_LEVEL]) : 0);
    model->all_count++;
    if (!courses)
        return;
    if (course_explain(fit, COURSE_DRIFT, 0, &model->all[model->all_count]))
        model->all[model->all_count++].weight += log(prior * course_prior[COURSE_DRIFT]);
    size_t past_before = 0, jumps = jump_count(fit);
    for (size_t i = 0; i < fit->series->count; i++) {
        if (place_is_jump(fit, i, past_before) &&
            course_explain(fit, COURSE_JUMP, i, &model->all[model->all_count]))
            model->all[model->all_count++].weight +=
                log(prior * course_prior[COURSE_JUMP] / (double)jumps);
        past_before += fit->series->points[i].role != RUN_CANDIDATE;
    }
}

/* ---- the average ----------------------------------------------------------------------------- */

static int weight_order(const void *left, const void *right)
{
    const struct run_explanation *a = left, *b = right;
    if (a->weight > b->weight || a->weight < b->weight)
        return a->weight > b->weight ? -1 : 1;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return (a->course > b->course) - (a->course < b->course);
}

static void weights_scale(struct run_explanation *items, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += items[i].weight;
    for (size_t i = 0; i < count; i++)
        items[i].weight /= sum;
}

/* Keeps what the predicate of weights says: courses inside the window, and no crumbs. */
static void model_close(struct run_model *model)
{
    struct run_explanation *all = model->all;
    qsort(all, model->all_count, sizeof *all, weight_order);
    double most = all[0].weight, best = 0;
    for (size_t i = 0; i < model->all_count; i++)
        all[i].weight = exp(all[i].weight - most);
    weights_scale(all, model->all_count);
    for (size_t i = 0; i < model->all_count; i++)
        model->courses[all[i].course] += all[i].weight;
    for (enum run_course i = 0; i < COURSE_COUNT; i++)
        best = fmax(best, model->courses[i]);
    size_t kept = 0;
    for (size_t i = 0; i < model->all_count; i++) {
        const struct run_explanation *item = &all[i];
        if (model->courses[item->course] >= course_window * best && item->weight >= least_weight)
            model->items[model->count++] = *item;
        if (item->weight >= least_doubt)
            all[kept++] = *item;
    }
    model->all_count = kept;
    weights_scale(model->items, model->count);
}

bool run_model_make(const struct run_series *series, struct arena *arena,
                    struct run_model *ret_model)
{
    struct fit fit;
    size_t most = NOISE_CASES * (series->count + 2);
    struct run_model model = {.items = arena_array(arena, struct run_explanation, most),
                              .all = arena_array(arena, struct run_explanation, most)};
    fit_open(&fit, series, arena);
    if (fit.df < 1 || fit.shape.candidates == 0 || fit.shape.past == fit.shape.others)
        return false;
    for (size_t i = 0; i < NOISE_CASES; i++) {
        double prior = noise_prior(&fit.shape, &noise_cases[i]);
        if (prior > 0 && fit_noise(&fit, &noise_cases[i]))
            courses_explain(&fit, prior, &model);
    }
    if (model.all_count == 0)
        return false;
    model_close(&model);
    model.candidates = (double)fit.shape.candidates;
    model.past = (double)fit.shape.past;
    *ret_model = model;
    return true;
}

bool run_model_plan(const struct run_model *model, const struct run_series *planned,
                    struct arena *arena, struct run_model *ret_plan)
{
    struct fit fit;
    struct run_model plan = *model;
    plan.items = arena_array(arena, struct run_explanation, model->count);
    plan.count = 0;
    fit_open(&fit, planned, arena);
    for (size_t i = 0; i < NOISE_CASES; i++) {
        bool fitted = false;
        for (size_t j = 0; j < model->count; j++) {
            struct run_explanation item = model->items[j], other;
            if (item.noise != noise_cases[i].noise || item.amount < noise_cases[i].amount ||
                item.amount > noise_cases[i].amount)
                continue;
            if (!fitted && !fit_noise(&fit, &noise_cases[i]))
                break;
            fitted = true;
            other = level_explain(&fit);
            if (item.course != COURSE_LEVEL &&
                !course_explain(&fit, item.course, item.place, &other))
                continue;
            double error = item.sd * other.error / other.sd;
            item.change *= error * error / (item.error * item.error);
            item.error = error;
            item.df = other.df;
            plan.items[plan.count++] = item;
        }
    }
    weights_scale(plan.items, plan.count);
    plan.candidates = (double)fit.shape.candidates;
    plan.past = (double)fit.shape.past;
    *ret_plan = plan;
    return plan.count > 0;
}
