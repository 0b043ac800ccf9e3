/* See figures.h. What people state of a step comes first, then what the run's own facts say, then
 * what was measured. */
#include "schema/documents/figures.h"

#include "schema/documents/told_ops.h"

#include "ops/runtime/text.h"

#include <math.h>
#include <string.h>

static const double us_per_s = 1e6;
static const double told_share_least = 0.5; /* of the time, below which sums would mislead */

#define NO_STEADY_STEP "no steady step was found, whose time it is of"
#define NOT_MEASURED \
    "the summary does not hold what it is made of (it is an older one, or of tables alone): read " \
    "the files of the profile"

static const enum measure measures[FIGURE_COUNT] = {
#define FIGURE_MEASURE(name, words) [FIGURE_##name] = MEASURE_##name,
    FIGURES(FIGURE_MEASURE)
#undef FIGURE_MEASURE
};

const char *const figure_names[FIGURE_COUNT] = {
#define FIGURE_WORDS(name, words) words,
    FIGURES(FIGURE_WORDS)
#undef FIGURE_WORDS
};

/* ---- what is stated -------------------------------------------------------------------------- */

bool figure_is_made_of(const char *name)
{
    static const char *const names[] = {"model_flops_per_step", "tokens_per_step", "batch",
                                        "device_batch", "sequence"};
    return text_is_one(name, names);
}

/* A fact that is a number above 0. */
static struct opt_f64 fact_number(const struct summary *summary, const char *name)
{
    const struct fact *fact = environment_fact(&summary->environment, name);
    double value;
    bool known = fact != NULL && text_parse_double(fact->value, &value) && value > 0;
    return known ? some_f64(value) : (struct opt_f64){0};
}

/* Whether something is stated that is no such number. */
static bool fact_is_wrong(const struct summary *summary, const char *name)
{
    return environment_fact(&summary->environment, name) != NULL && !fact_number(summary, name).set;
}

static double device_total(const struct summary *summary)
{
    const struct opt_i64 count = summary->environment.device_count;
    return count.set ? (double)count.value : (double)summary->device_count;
}

/* What the job gets done in a while: by the time from step to step, for it pays the time between
 * steps too; where that is not known by the time of a step. */
struct work_time {
    double s; /* 0: not known */
    bool from_step_to_step;
};

static struct work_time work_time_of(const struct summary *summary)
{
    const struct opt_f64 period = steps_period_us(&summary->steps);
    const struct opt_f64 step = summary->steps.steady_median_us;
    if (period.set && period.value > 0)
        return (struct work_time){period.value / us_per_s, true};
    return (struct work_time){step.set && step.value > 0 ? step.value / us_per_s : 0, false};
}

/* What a figure is of, by which time: words[work_time.from_step_to_step]. */
#define OF_TIME(before, after) \
    { \
        before "median time of steady steps" after, before "median time from step to step" after \
    }

/* Tokens of a step of the whole job. */
static struct opt_f64 tokens_of(const struct summary *summary, const struct figure_basis *basis,
                                const char *const **ret_of)
{
    static const char *const as_stated[] = OF_TIME("tokens per step as stated, ", ", devices");
    static const char *const of_batch[] =
        OF_TIME("the run's batch and sequence length, ", ", devices");
    static const char *const of_device_batch[] =
        OF_TIME("the run's batch of a device and sequence length, ", "");
    const struct opt_f64 stated = basis->tokens_per_step.set
                                      ? basis->tokens_per_step
                                      : fact_number(summary, "tokens_per_step");
    const struct opt_f64 batch = fact_number(summary, "batch");
    const struct opt_f64 device_batch = fact_number(summary, "device_batch");
    const struct opt_f64 sequence = fact_number(summary, "sequence");
    *ret_of = as_stated;
    if (stated.set || !sequence.set || !(batch.set || device_batch.set))
        return stated;
    *ret_of = batch.set ? of_batch : of_device_batch;
    return some_f64(sequence.value *
                    (batch.set ? batch.value : device_batch.value * device_total(summary)));
}

/* ---- figures --------------------------------------------------------------------------------- */

static void tokens_figure(const struct summary *summary, const struct figure_basis *basis,
                          struct summary_figure *figure)
{
    const struct work_time step = work_time_of(summary);
    const double devices = device_total(summary);
    const char *const *of;
    const struct opt_f64 tokens = tokens_of(summary, basis, &of);
    if (!tokens.set && fact_is_wrong(summary, "tokens_per_step")) {
        figure->absent = "what is stated as tokens_per_step is no number above 0";
    } else if (!tokens.set) {
        figure->absent = "a profile does not know tokens: state --tokens-per-step, also where it "
                         "is taken in";
    } else if (!(step.s > 0) || !(devices > 0)) {
        figure->absent = NO_STEADY_STEP;
    } else {
        figure->value = some_f64(tokens.value / step.s / devices);
        figure->of = of[step.from_step_to_step];
    }
}

/* Operations per step and device, as measured. */
static struct opt_f64 measured_flops(const struct summary *summary, const char **ret_absent)
{
    const struct measured *measured = &summary->measured;
    const double spans = (double)summary->steps.steady_spans;
    *ret_absent = NULL;
    if (!summary->has_measured)
        *ret_absent = NOT_MEASURED;
    else if (!(spans > 0))
        *ret_absent = NO_STEADY_STEP;
    else if (!measured->model_flops.set || !(measured->model_flops.value > 0) ||
             (double)measured->told_ps < work_told_least * (double)measured->own_ps)
        *ret_absent = measured->model_flops_absent != NULL
                          ? measured->model_flops_absent
                          : "ops of more than half of the time do not tell their operations: "
                            "state --model-flops-per-step, also where the profile is taken in";
    return *ret_absent == NULL ? some_f64(measured->model_flops.value / spans)
                               : (struct opt_f64){0};
}

struct opt_f64 work_told_share(const struct summary *summary)
{
    const struct measured *measured = &summary->measured;
    const bool known = summary->has_measured && measured->own_ps > 0;
    return (struct opt_f64){known,
                            known ? (double)measured->told_ps / (double)measured->own_ps : 0};
}

static bool some_hide(const struct summary *summary)
{
    const struct opt_f64 told = work_told_share(summary);
    return told.set && told.value < work_told_nearly_all;
}

static void mfu_figure(const struct summary *summary, const struct figure_basis *basis,
                       struct summary_figure *figure)
{
    static const char *const as_stated[] =
        OF_TIME("model flops per step as stated, ", ", devices and their peak");
    static const char *const of_ops[] = OF_TIME(
        "operations of the steady steps' ops without recomputation, ", ", and the devices' peak");
    static const char *const of_programs_beside[] =
        OF_TIME("operations of the steady steps' ops without recomputation, as programs in files "
                "beside the profile tell them, ",
                ", and the devices' peak");
    static const char *const at_least[] = OF_TIME(
        "at least: operations of the steady steps' ops without recomputation, which some of them "
        "do not tell (custom calls, kernels of one's own; told_us of own_us), ",
        ", and the devices' peak");
    const struct work_time step = work_time_of(summary);
    const double devices = device_total(summary);
    const struct device_limits own = device_limits_of(&summary->environment);
    const struct opt_f64 peak =
        basis->peaks.flops_per_s.set ? basis->peaks.flops_per_s : own.flops_per_s;
    const struct opt_f64 stated = basis->model_flops_per_step.set
                                      ? basis->model_flops_per_step
                                      : fact_number(summary, "model_flops_per_step");
    struct opt_f64 flops = stated;
    if (stated.set && devices > 0)
        flops.value /= devices;
    else
        flops = measured_flops(summary, &figure->absent);
    if (!stated.set && fact_is_wrong(summary, "model_flops_per_step"))
        figure->absent = "what is stated as model_flops_per_step is no number above 0";
    if (!peak.set || !(peak.value > 0))
        figure->absent = "nothing is known of what the devices can do at most: `table roofline` "
                         "takes it from --peaks FILE";
    else if (figure->absent == NULL && !(step.s > 0))
        figure->absent = NO_STEADY_STEP;
    if (figure->absent == NULL && flops.value / step.s > peak.value)
        figure->absent = stated.set ? "it would be above 100 %: model_flops_per_step is not what "
                                      "is stated, or the peak is another (`table` takes --peaks)"
                                    : "it would be above 100 %: the peak of the devices is not "
                                      "that of these operations (`table` takes --peaks)";
    if (figure->absent != NULL)
        return;
    figure->value = some_f64(flops.value / step.s / peak.value);
    figure->of = (stated.set                                 ? as_stated
                  : some_hide(summary)                       ? at_least
                  : summary->measured.model_flops_are_beside ? of_programs_beside
                                                             : of_ops)[step.from_step_to_step];
}

/* What was measured as it is, `of` what; `absent`: why it was not. */
static void bytes_figure(const struct summary *summary, struct opt_i64 bytes, const char *of,
                         const char *absent, struct summary_figure *figure)
{
    if (!summary->has_measured)
        figure->absent = NOT_MEASURED;
    else if (!bytes.set)
        figure->absent = absent;
    else {
        figure->value = some_f64((double)bytes.value);
        figure->of = of;
    }
}

static void communication_figure(const struct summary *summary, struct summary_figure *figure)
{
    double window = 0, exposed = 0;
    for (size_t i = 0; i < summary->device_count; i++) {
        window += (double)summary->devices[i].window_ps;
        exposed += (double)summary->devices[i].exposed_comm_ps;
    }
    if (!(window > 0) || summary_tells_copies_alone(summary)) {
        figure->absent =
            window > 0 ? "devices recorded copies alone" : "no device recorded what it did";
        return;
    }
    figure->value = some_f64(exposed / window);
    figure->of = "collectives while nothing computes, of the devices' time from first to last op";
}

static void recompute_figure(const struct summary *summary, struct summary_figure *figure)
{
    const struct phase_times times = phase_times_of(summary);
    const double again = times.us[PHASE_recompute];
    const double all = summary->steps.steady_spans > 0 ? times.all_us : 0;
    const double told = all - times.us[PHASE_unattributed];
    if (!(all > 0)) {
        figure->absent = "no op of a device lies in a steady step";
    } else if (told < told_share_least * all && again < all - told) {
        figure->absent = "ops of more than half of the time do not tell which part of the program "
                         "they are of (no name stack of JAX)";
    } else {
        figure->value = some_f64(again / all);
        figure->of = summary->has_program_ops
                         ? "own time of ops that are computed again for the backward pass, as "
                           "programs tell them, of that of all ops of steady steps"
                         : "own time of ops that are computed again for the backward pass, of that "
                           "of all ops of steady steps";
    }
}

static bool counts_as_steady(const struct step_table *steps, const struct step_row *row)
{
    return !row->warmup || steps->steady_count == 0;
}

/* Of n steps n - 1 are followed, and tell what passes between them: the last one counts only where
 * it is all there is. */
static void input_figure(const struct summary *summary, struct summary_figure *figure)
{
    const struct step_table *steps = &summary->steps;
    double waited = 0, all = 0;
    if (!summary->has_measured) {
        figure->absent = NOT_MEASURED;
        return;
    }
    figure->absent = summary->measured.input_wait_absent;
    bool followed = false;
    for (size_t i = 0; i < steps->count; i++)
        followed |= counts_as_steady(steps, &steps->rows[i]) && steps->rows[i].has_period;
    for (size_t i = 0; i < steps->count; i++) {
        const struct step_row *row = &steps->rows[i];
        if (!counts_as_steady(steps, row) || (followed && !row->has_period))
            continue;
        const bool apart = row->has_period && row->period_ps > row->max_ps;
        all += (double)(apart ? row->period_ps : row->max_ps);
        waited += row->has_input_wait ? (double)row->input_wait_ps : 0;
    }
    if (figure->absent == NULL && !(all > 0))
        figure->absent = NO_STEADY_STEP;
    if (figure->absent != NULL)
        return;
    figure->value = some_f64(waited / all);
    figure->of =
        summary->capture.host_count > 1
            ? "time in which the slowest device of the host that waited longest in a steady step "
              "did so for input, up to the next step, of the time from step to step, over steps "
              "that another one follows"
            : "time in which the slowest device of each steady step waited for input, up to the "
              "next step, of the time from step to step, over steps that another one follows";
}

void figures_compute(const struct summary *summary, const struct figure_basis *basis,
                     struct summary_figure *figures)
{
    for (size_t i = 0; i < FIGURE_COUNT; i++) {
        const struct measure_row *measure = &measure_rows[measures[i]];
        figures[i] = (struct summary_figure){.measure = measure->name, .unit = measure->unit};
    }
    mfu_figure(summary, basis, &figures[FIGURE_mfu]);
    tokens_figure(summary, basis, &figures[FIGURE_tokens_per_second_per_device]);
    const struct measured *measured = &summary->measured;
    bytes_figure(summary, measured->hbm_peak_bytes,
                 "the most that an allocator of a device says is in use during the capture",
                 measured->hbm_peak_absent != NULL ? measured->hbm_peak_absent
                                                   : "no event of an allocator tells it",
                 &figures[FIGURE_hbm_peak]);
    bytes_figure(summary, measured->program_memory_bytes,
                 measured->program_memory_is_beside
                     ? "buffers that the program of most of the time holds at once, as its "
                       "compiler has assigned them, by a file beside the profile"
                     : "buffers that the program of most of the time holds at once, as its "
                       "compiler has assigned them",
                 measured->program_memory_absent != NULL ? measured->program_memory_absent
                                                         : "the profile holds no program",
                 &figures[FIGURE_program_memory]);
    communication_figure(summary, &figures[FIGURE_exposed_communication_share]);
    recompute_figure(summary, &figures[FIGURE_recompute_share]);
    input_figure(summary, &figures[FIGURE_input_wait_share]);
    for (size_t i = 0; i < FIGURE_COUNT; i++) { /* profiles say what they like */
        struct summary_figure *figure = &figures[i];
        if (figure->value.set && !isfinite(figure->value.value))
            *figure = (struct summary_figure){.measure = figure->measure,
                                              .unit = figure->unit,
                                              .absent = "the profile's numbers are too large"};
    }
}

/* As recorded: a document may say less than it should, and nothing else of the unit. */
static struct summary_figure told_whole(const struct summary_figure *recorded,
                                        const struct summary_figure *computed)
{
    struct summary_figure figure = *recorded;
    figure.measure = computed->measure;
    figure.unit = computed->unit;
    if (figure.value.set && figure.of == NULL)
        figure.of = "the summary does not say of what";
    if (!figure.value.set && figure.absent == NULL)
        figure.absent = "the summary does not say why";
    return figure;
}

void figures_of(const struct summary *summary, struct summary_figure *figures)
{
    const struct figure_basis nothing = {0};
    figures_compute(summary, &nothing, figures);
    for (size_t i = 0; i < FIGURE_COUNT; i++)
        for (size_t k = 0; summary->has_figures && k < summary->figure_count; k++)
            if (strcmp(summary->figures[k].measure, figures[i].measure) == 0)
                figures[i] = told_whole(&summary->figures[k], &figures[i]);
}

/* As it was recorded; NULL: it was not, or the measure is no figure. */
static const struct summary_figure *figure_find(const struct summary *summary, enum measure measure)
{
    for (size_t i = 0; i < summary->figure_count; i++) {
        if (strcmp(summary->figures[i].measure, measure_rows[measure].name) == 0)
            return &summary->figures[i];
    }
    return NULL;
}

const char *figure_source(const struct summary *summary, enum measure measure)
{
    const struct summary_figure *figure = figure_find(summary, measure);
    return figure != NULL && figure->value.set ? figure->of : NULL;
}

const char *figure_absent(const struct summary *summary, enum measure measure)
{
    const struct summary_figure *figure = figure_find(summary, measure);
    return figure != NULL && !figure->value.set ? figure->absent : NULL;
}

bool figures_record(struct summary *summary, struct arena *arena, struct err *err)
{
    const struct figure_basis nothing = {0};
    summary->has_figures = false;
    if (!summary->has_ours || summary_is_memory(summary))
        return true;
    summary->figures = arena_array(arena, struct summary_figure, FIGURE_COUNT);
    figures_compute(summary, &nothing, summary->figures);
    summary->has_figures = true;
    summary->figure_count = FIGURE_COUNT;
    return arena_ok(arena, "the figures of a step", err);
}
