/* How runs of a series vary in time, and how much longer the candidate's take: generalised least
 * squares under a short list of explanations, averaged by how well each explains the runs.
 *
 * A run's value is the logarithm of its step time. In every explanation
 *
 *     value = level + slope * place  or  level + jump * (place >= k)  or  level alone
 *             + change * (it is a candidate's) + other * (it is of another baseline) + noise,
 *
 * and the noise has one covariance up to its scale: runs independent of each other; or each like
 * the run before (first-order autoregression); or the candidate's with a wider spread than past
 * ones (Welch's question); or runs of the same hosts with an effect in common. Given one of them
 * the change has Student's t distribution about the weighted estimate (Aitken 1936). The weight of
 * an explanation is its prior times its marginal likelihood: of the covariance the restricted
 * likelihood (Patterson and Thompson 1971), of a slope or jump the Bayes factor of a g-prior with g
 * = number of past runs (Zellner 1986). Averaging (Hoeting et al. 1999) instead of choosing keeps
 * the doubt whether a past of twelve runs drifts, or fell, or just varies, in the result; what is
 * much less likely than the best is left out (Madigan and Raftery 1994), or a doubt that the runs
 * themselves have settled would hide every loss. Internal to compare/.
 */
#ifndef COMPARE_STATISTICS_RUN_MODEL_H
#define COMPARE_STATISTICS_RUN_MODEL_H

#include "ops/runtime/arena.h"

#include <stdbool.h>
#include <stddef.h>

enum run_role {
    RUN_PAST,  /* the candidate is compared with it */
    RUN_OTHER, /* of another baseline: it only tells how runs vary */
    RUN_CANDIDATE
};

struct run_point {
    enum run_role role;
    double value;    /* logarithm */
    double variance; /* by its steps, in those of a typical past run; 1 when captures are alike */
    size_t hosts;    /* equal: ran on the same hosts; each its own where they are not known */
    size_t pair;     /* equal: ran in turns; 0: it has no partner */
};

/* Runs in the order of time. */
struct run_series {
    struct run_point *points;
    size_t count;
    double wider; /* so many times as much the candidate's steps differ, surely; 0: not known */
};

enum run_course { COURSE_LEVEL, COURSE_DRIFT, COURSE_JUMP, COURSE_COUNT };
enum run_noise { NOISE_ALIKE, NOISE_CORRELATED, NOISE_NOISIER, NOISE_HOSTS };

struct run_explanation {
    enum run_course course;
    enum run_noise noise;
    double amount; /* of the noise: correlation, ratio of variances, hosts' variance in the runs' */
    size_t place;  /* of the jump: the first run behind it */
    double trend;  /* slope per run, or the jump */
    double weight; /* of 1 */
    double change, error, df; /* of the candidate */
    double sd;                /* of one run */
};

/* Kinds of explanations that are asked apart (run_calibration.c). */
enum run_doubt {
    DOUBT_CORRELATED,
    DOUBT_NOISIER,
    DOUBT_DRIFT,
    DOUBT_LEVEL,
    DOUBT_JUMP,
    DOUBT_COUNT
};

/* What p counts, so that as few unchanged candidates fail as the policy promises. */
struct run_calibration {
    double level;               /* so many times a small p; 0: as it is */
    double doubts[DOUBT_COUNT]; /* p is at least this part of what the kind says; 0: not asked */
};

struct run_model {
    struct run_explanation *items; /* the most likely first */
    size_t count;
    struct run_explanation *all; /* with those that are left out, whose doubt still may count */
    size_t all_count;
    double courses[COURSE_COUNT]; /* weights, also of those that are left out */
    double candidates, past;      /* runs; of the past: all that tell how runs vary */
    struct run_calibration calibration;
};

/* Degrees of freedom that one run of the candidate has at most: what it averages is its own tail.
 */
extern const double run_lone_df;

/* false: the runs leave no degree of freedom, or there is no candidate or nothing to compare it
 * with. */
bool run_model_make(const struct run_series *series, struct arena *arena,
                    struct run_model *ret_model);

/* The same explanations with the errors that other runs would leave; their values are not looked
 * at. Were nothing slower, the change is what these runs' luck would still be worth: of two
 * weighted estimates, one of runs that the other has too, the covariance is the variance of the
 * better one. false: none can be fitted to them. */
bool run_model_plan(const struct run_model *model, const struct run_series *planned,
                    struct arena *arena, struct run_model *ret_plan);

/* Fills model->calibration by the table of run_calibration.c. margin: the smallest change that
 * matters, a logarithm. Pairs are their own baseline and need none. */
void run_model_calibrate(struct run_model *model, double margin);

/* The explanations of that doubt: may `item` be one? */
bool run_doubt_is_of(enum run_doubt doubt, const struct run_explanation *item);

/* P(change <= x), averaged. */
double run_model_below(const struct run_model *model, double x);

/* The x with P(change <= x) = p, 0 < p < 1. */
double run_model_quantile(const struct run_model *model, double p);

/* The averaged change. */
double run_model_change(const struct run_model *model);

/* One-sided p of "not slower", were every change larger by `shift`: that of the likeliest
 * explanation, at least a third of what all say together (above 3 %: more of it, above 5 % all),
 * and what those by hosts say where the runs hold these likely; of this what the calibration
 * counts, and at least what it counts of each doubt. A doubt that is left may raise it, and a lucky
 * choice does not hide one. */
double run_model_p(const struct run_model *model, double shift);

/* The same test from its other side: run_model_p(model, -x) is p. What is larger has a smaller p,
 * so the change is above it as surely as p says. */
double run_model_low(const struct run_model *model, double p);

/* The p of one explanation alone that counts as p. */
double run_model_uncounted(const struct run_model *model, double p);

/* Weight of the explanations with this noise. */
double run_model_noise_weight(const struct run_model *model, enum run_noise noise);

/* The likeliest explanation with this course; NULL: none is left. */
const struct run_explanation *run_model_course(const struct run_model *model,
                                               enum run_course course);

#endif
