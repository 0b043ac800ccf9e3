/* Implements what p counts, by what the runs look like.
 *
 * Which explanation is the likeliest, and with which correlation or spread, is itself estimated
 * from the runs, and p does not know how uncertain that is: where runs are correlated, drift, or
 * only seem to drift or to change their level, more unchanged candidates fail than alpha says;
 * where the margin decides, or one level of two has few runs behind it, fewer fail than may, and
 * losses are missed. The numbers here make the promise hold in the worlds of
 * tests/accuracy/worlds_accuracy.c. How they were chosen and confirmed: compare/README.md.
 */
#include "compare/statistics/run_model.h"

#include <math.h>

/* Fewer past runs tell no kind from luck, and one run of the candidate has heavy tails instead
 * (run_lone_df). */
enum { CALIBRATED_MIN_RUNS = 10, CALIBRATED_MIN_CANDIDATES = 2 };

/* 0 at `from`, 1 at `whole` and beyond. */
static double ramp(double x, double from, double whole)
{
    return fmin(fmax((x - from) / (whole - from), 0), 1);
}

/* ---- doubts ---------------------------------------------------------------------------------- */

/* Kinds whose p counts though another is likelier: none of it at the weight `from`, all of it at
 * `whole`, which is that of WHOLE_RUNS runs of the candidate and goes with a power of their number:
 * more runs make up for what runs have in common, and not for where a drift may lead. A level that
 * changed within few runs, or only seems to, is compared with less of the past than there is; and
 * the line that a drift goes on with leads away from a level that changed once. */
enum { WHOLE_RUNS = 3 };

static const struct doubt_case {
    bool of_course; /* else of noise */
    enum run_course course;
    enum run_noise noise;
    double from, whole, power;
    double least_past, least_candidates; /* runs; fewer do not tell the kind */
    bool also_likeliest;                 /* asked even where the likeliest is of the kind */
    bool of_drifts;                      /* asked only where the likeliest is a drift */
} doubt_cases[DOUBT_COUNT] = {
    [DOUBT_CORRELATED] = {.noise = NOISE_CORRELATED, .whole = 0.54, .power = 1.5, .least_past = 20},
    [DOUBT_NOISIER] = {.noise = NOISE_NOISIER,
                       .from = 0.15,
                       .whole = 0.6,
                       .least_candidates = 4,
                       .also_likeliest = true},
    [DOUBT_DRIFT] = {.of_course = true, .course = COURSE_DRIFT, .whole = 1, .power = -0.5},
    [DOUBT_LEVEL] = {.of_course = true, .course = COURSE_LEVEL, .whole = 0.4, .least_past = 20},
    [DOUBT_JUMP] = {.of_course = true, .course = COURSE_JUMP, .whole = 2, .of_drifts = true},
};

bool run_doubt_is_of(enum run_doubt doubt, const struct run_explanation *item)
{
    const struct doubt_case *row = &doubt_cases[doubt];
    return row->of_course ? item->course == row->course : item->noise == row->noise;
}

static double doubt_part(const struct run_model *model, enum run_doubt doubt)
{
    const struct doubt_case *row = &doubt_cases[doubt];
    double weight = 0;
    if (model->past < row->least_past || model->candidates < row->least_candidates ||
        (!row->also_likeliest && run_doubt_is_of(doubt, &model->items[0])) ||
        (row->of_drifts && model->items[0].course != COURSE_DRIFT))
        return 0;
    for (size_t i = 0; i < model->all_count; i++)
        weight += run_doubt_is_of(doubt, &model->all[i]) ? model->all[i].weight : 0;
    return ramp(weight, row->from, row->whole * pow(model->candidates / WHOLE_RUNS, row->power));
}

/* ---- the level ------------------------------------------------------------------------------- */

/* Where p decides alone it counts as it is; with more than WHOLE_RUNS runs of the candidate a power
 * of their number more, for they err together by what is wrong with the explanation. So many times
 * it counts where the margin decides, or a change of level is likely, and never less. */
static const double more_runs_power = 0.5, least_level = 0.32;

/* What a fail asks for, z(.99) standard errors, in margins: below the first the margin decides,
 * above the second p does. With few past runs it is a part of that, past / (past + few_runs): the
 * t of few degrees of freedom asks for more already. */
static const double z99 = 2.326, margin_decides = 0.75, p_decides = 1, few_runs = 4.5;

/* Weights from which on a change of level counts, and hosts take the leniency away: runs on the
 * same hosts are fewer than they seem. */
static const double jump_from = 0.25, jump_whole = 0.5, hosts_from = 0.2, hosts_whole = 0.5;

void run_model_calibrate(struct run_model *model, double margin)
{
    if (model->past < CALIBRATED_MIN_RUNS || model->candidates < CALIBRATED_MIN_CANDIDATES)
        return;
    double asked = z99 * model->items[0].error / margin * model->past / (model->past + few_runs);
    double by_hosts = 0;
    for (size_t i = 0; i < model->count; i++)
        by_hosts += model->items[i].noise == NOISE_HOSTS ? model->items[i].weight : 0;
    double hosts = ramp(by_hosts, hosts_from, hosts_whole);
    double lenient = (1 - ramp(asked, margin_decides, p_decides)) * (1 - hosts);
    double jump = ramp(model->courses[COURSE_JUMP], jump_from, jump_whole);
    double whole = fmax(more_runs_power * log(model->candidates / WHOLE_RUNS), 0);
    double level = whole + lenient * (log(least_level) - whole);
    model->calibration.level = exp(fmax(level + jump * log(least_level), log(least_level)));
    for (enum run_doubt i = 0; i < DOUBT_COUNT; i++)
        model->calibration.doubts[i] = doubt_part(model, i);
}
