/* Implements the fitness checks on the steady steps of each profile.
 *
 * Steps of one run are serially correlated, so their number says little: the effective number
 * N(1 - rho)/(1 + rho) is reported. See compare/README.md.
 */
#include "compare/runs/fitness.h"
#include "compare/runs/notices.h"
#include "compare/statistics/statistics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Below these counts the check says more about chance than about the profile. */
enum { CORRELATION_MIN_STEPS = 20, MODES_MIN_STEPS = 10 };
/* With a smaller second mode than this the median stays in the first. */
static const double mode_min_share = 0.3;
/* The best cut of few values finds two heaps in plain noise: of 200,000 draws (normal, also as an
 * autoregression of .6, and Student's t with 3 degrees of freedom) none of 36 or more was 5 apart,
 * none of 20 was 9 and none of 10 was 18. */
static const double mode_sure_steps = 36;
/* Where Student's t is the normal distribution, for whom max_drift_t is meant: of eight steps of
 * plain noise one in 160 has a trend of t > 4, as in Student's t with 6 degrees of freedom. */
static const double many_steps = 1e6;

/* What is known of one profile's steps. */
struct step_health {
    size_t count;
    double autocorrelation, effective;
    struct stats_trend trend; /* of logarithms: a relative change */
    bool two_modes;
};

/* Sum and sum of squares of a stretch of values, each taken from `origin` to keep their digits. */
struct stretch {
    double count, sum, squares;
};

static void stretch_add(struct stretch *stretch, double value, double sign)
{
    stretch->count += sign;
    stretch->sum += sign * value;
    stretch->squares += sign * value * value;
}

/* Sum of squared distances from the stretch's own mean. */
static double stretch_spread(const struct stretch *stretch)
{
    return stretch->squares - stretch->sum * stretch->sum / stretch->count;
}

/* The best cut of sorted values in two, each part at least mode_min_share of them: are the parts'
 * means further apart than what matters, and than mode_distance times the noise inside them, or as
 * much more as few values need? */
static bool modes_are_two(const struct gate_policy *policy, const double *sorted, size_t count)
{
    double origin = stats_mean(sorted, count), smallest = INFINITY, apart = 0;
    double least = ceil(mode_min_share * (double)count);
    struct stretch low = {0}, high = {0};
    if (count < MODES_MIN_STEPS)
        return false;
    for (size_t i = 0; i < count; i++)
        stretch_add(&high, sorted[i] - origin, 1);
    for (size_t i = 0; high.count > least; i++) {
        stretch_add(&low, sorted[i] - origin, 1);
        stretch_add(&high, sorted[i] - origin, -1);
        double inside = fmax(stretch_spread(&low) + stretch_spread(&high), 0);
        if (low.count < least || inside >= smallest)
            continue;
        smallest = inside;
        apart = high.sum / high.count - low.sum / low.count;
    }
    return apart > log1p(policy->min_effect_pct / 100) &&
           apart > policy->mode_distance * fmax(1, mode_sure_steps / (double)count) *
                       sqrt(smallest / ((double)count - 2));
}

static struct step_health health_of(struct gate_state *judgement, const struct summary *summary)
{
    struct step_health health = {0};
    struct arena_mark mark = arena_mark(judgement->arena);
    /* Logarithms of the steady steps in step order; count 0 when there are none of ours. */
    size_t count = 0;
    double *values = arena_array(judgement->arena, double, summary->steps.count);
    for (size_t i = 0; i < summary->steps.count; i++) {
        const struct step_row *row = &summary->steps.rows[i];
        if (!row->warmup && row->max_ps > 0)
            values[count++] = log((double)row->max_ps);
    }
    health.count = count;
    if (health.count > 0) {
        health.autocorrelation = stats_autocorrelation(values, health.count);
        health.effective = stats_effective_count(health.count, health.autocorrelation);
        health.trend = stats_trend(values, health.count);
        stats_sort(values, health.count);
        health.two_modes = modes_are_two(judgement->policy, values, health.count);
    }
    arena_rewind(judgement->arena, mark);
    return health;
}

/* ---- one profile ----------------------------------------------------------------------------- */

enum { FAULT_TEXT_BYTES = 200 };

/* What a check looks at. */
struct examination {
    const struct gate_policy *policy;
    const struct summary *summary;
    struct step_health health;
    bool modes_are_usual; /* two modes are how this job runs */
};

/* Each writes why the profile is unfit; false when it finds nothing. */

/* Who runs the job knows it (`--meta throttled=REASON`): profilers record the largest clock rate,
 * not the present one. */
static bool find_throttling(const struct examination *examination, char *fault)
{
    static const char *const denials[] = {"no", "none", "false", "0", ""};
    char reason[NAME_TEXT_BYTES];
    const struct fact *fact = environment_fact(&examination->summary->environment, "throttled");
    if (fact == NULL || fact->value == NULL)
        return false;
    for (size_t i = 0; i < sizeof denials / sizeof denials[0]; i++) {
        if (strcasecmp(fact->value, denials[i]) == 0)
            return false;
    }
    (void)snprintf(fault, FAULT_TEXT_BYTES, "ran on a throttled device (%s)",
                   name_text(fact->value, reason));
    return true;
}

static bool find_memory(const struct examination *examination, char *fault)
{
    if (!summary_is_memory(examination->summary))
        return false;
    (void)snprintf(fault, FAULT_TEXT_BYTES,
                   "is a device memory profile, which tells no times (--memory-profile, or its "
                   "place in the capture's directory, adds it to a capture)");
    return true;
}

static int64_t steady_count(const struct summary *summary)
{
    return summary->has_ours ? summary->steps.steady_count
                             : summary->step_time.steady_state_steps.count;
}

static const char fault_unmarked[] = "has no steps, for nothing marks them";

static bool find_few_steps(const struct examination *examination, char *fault)
{
    long long steps = steady_count(examination->summary);
    if ((double)steps >= examination->policy->min_steps)
        return false;
    if (summary_is_unmarked(examination->summary))
        (void)snprintf(fault, FAULT_TEXT_BYTES, "%s", fault_unmarked);
    else if (steps == 0)
        (void)snprintf(fault, FAULT_TEXT_BYTES, "has no steady steps");
    else
        (void)snprintf(fault, FAULT_TEXT_BYTES, "has %lld steady step%s, fewer than %.0f", steps,
                       steps == 1 ? "" : "s", examination->policy->min_steps);
    return true;
}

/* So few that those which were left out later on, where the host compiled, do not help. */
static bool find_few_seen(const struct examination *examination, char *fault)
{
    const struct step_table *steps = &examination->summary->steps;
    size_t seen = steps->count - steps_first_warmup(steps);
    return (seen == 0 || (double)seen < examination->policy->min_steps) &&
           find_few_steps(examination, fault);
}

/* What is cut off may be a device: the slowest of those that are left says less. */
static bool find_cut_devices(const struct examination *examination, char *fault)
{
    const struct summary *summary = examination->summary;
    size_t seen = 0;
    for (size_t i = 0; i < summary->device_count; i++)
        seen += summary->devices[i].steady_step_median_ps > 0;
    if (!profile_is_truncated(summary) || seen == summary->device_count)
        return false;
    (void)snprintf(fault, FAULT_TEXT_BYTES,
                   "is truncated and holds the steps of %zu of %zu devices", seen,
                   summary->device_count);
    return true;
}

static bool find_drift(const struct examination *examination, char *fault)
{
    const struct stats_trend *trend = &examination->health.trend;
    double drift = 100 * expm1(trend->total_change), steps = (double)examination->health.count;
    if (fabs(drift) <= examination->policy->min_effect_pct || steps <= 2 ||
        stats_t_upper(fabs(trend->t), steps - 2) >=
            stats_t_upper(examination->policy->max_drift_t, many_steps))
        return false;
    (void)snprintf(fault, FAULT_TEXT_BYTES, "drifts by %+.1f %% from its first to its last step",
                   drift);
    return true;
}

static bool find_correlation(const struct examination *examination, char *fault)
{
    const struct step_health *health = &examination->health;
    if (health->count < CORRELATION_MIN_STEPS ||
        health->autocorrelation <= examination->policy->max_autocorrelation)
        return false;
    (void)snprintf(fault, FAULT_TEXT_BYTES, "has steps that follow each other (correlation %.2f)",
                   health->autocorrelation);
    return true;
}

static bool find_modes(const struct examination *examination, char *fault)
{
    if (!examination->health.two_modes || examination->modes_are_usual)
        return false;
    (void)snprintf(fault, FAULT_TEXT_BYTES, "has steps of two kinds that mix in its median");
    return true;
}

struct fitness_check {
    const char *code;
    bool (*find)(const struct examination *examination, char *fault);
    bool is_uneven; /* its steps differ among themselves, and all of them are there */
};

/* The first fault, whose text is written; NULL: the profile is fit. */
static const struct fitness_check *fault_find(struct gate_state *judgement,
                                              const struct summary *summary, bool modes_are_usual,
                                              char *fault)
{
    static const struct fitness_check checks[] = {
        {"device_throttled", find_throttling, false}, {"memory_alone", find_memory, false},
        {"steps_too_few", find_few_seen, false},      {"devices_cut_off", find_cut_devices, false},
        {"steps_too_few", find_few_steps, true},      {"steps_drift", find_drift, true},
        {"steps_correlated", find_correlation, true}, {"steps_bimodal", find_modes, true}};
    const struct examination examination = {judgement->policy, summary,
                                            health_of(judgement, summary), modes_are_usual};
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        if (checks[i].find(&examination, fault))
            return &checks[i];
    }
    return NULL;
}

/* ---- the sides ------------------------------------------------------------------------------- */

/* Those that are not fit stand behind the others, in order; *ret_seen: the fit and the uneven. */
static void set_filter_fit(struct gate_state *judgement, const char *side, bool modes_are_usual,
                           struct profile_set *set, struct profile_set *ret_seen)
{
    size_t kept = 0, unfit = 0, all = set->count;
    const struct gate_profile **gone =
        arena_array(judgement->arena, const struct gate_profile *, all);
    *ret_seen =
        (struct profile_set){arena_array(judgement->arena, const struct gate_profile *, all), 0};
    for (size_t i = 0; i < all; i++) {
        const struct gate_profile *profile = set->items[i];
        char fault[FAULT_TEXT_BYTES];
        const struct fitness_check *check =
            fault_find(judgement, profile->summary, modes_are_usual, fault);
        if (check == NULL || check->is_uneven)
            ret_seen->items[ret_seen->count++] = profile;
        if (check == NULL) {
            set->items[kept++] = profile;
            continue;
        }
        gone[unfit++] = profile;
        if (side != NULL)
            fault_add(judgement, &judgement->faults, check->code,
                      arena_printf(judgement->arena, "%s %s %s", side, profile->profile_id, fault));
    }
    if (unfit > 0)
        memcpy(set->items + kept, gone, unfit * sizeof *gone);
    set->count = kept;
}

static const char drifts_longer[] = "drifts by +";
static const char ending_rerun[] = ": run it again.",
                  ending_marks[] = ": mark them (`stepledger help capture`), and run it again.",
                  ending_left_out[] = "; it is left out.",
                  ending_each[] = ": so does each of its runs, and another would too.";

static const char *fault_finish(struct gate_state *judgement, const char *fault, const char *end)
{
    const size_t length = strlen(fault), words = sizeof fault_unmarked - 1;
    const bool lacks_marks = end == ending_rerun && length > words &&
                             strcmp(fault + length - words, fault_unmarked) == 0;
    return arena_printf(judgement->arena, "%s%s", fault, lacks_marks ? ending_marks : end);
}

/* Each run of the side drifts the same way, which no accident of one explains. */
static bool is_of_each(const struct gate_state *judgement, const struct profile_set *set,
                       size_t first)
{
    const struct fault_list *faults = &judgement->faults;
    bool several = false;
    for (size_t i = 1; i < set->count; i++)
        several |= strcmp(gate_run_id(set->items[i]), gate_run_id(set->items[0])) != 0;
    for (size_t i = first; i < faults->count; i++)
        several &= strcmp(faults->items[i].code, "steps_drift") == 0 &&
                   (strstr(faults->items[i].text, drifts_longer) != NULL) ==
                       (strstr(faults->items[first].text, drifts_longer) != NULL);
    return several;
}

/* true: none of the side is fit, so all of it stays. */
static bool side_filter(struct gate_state *judgement, const char *side, bool modes_are_usual,
                        struct profile_set *set, struct profile_set *ret_seen)
{
    size_t all = set->count, first = judgement->faults.count;
    set_filter_fit(judgement, side, modes_are_usual, set, ret_seen);
    bool unfit = set->count == 0;
    if (unfit)
        set->count = all;
    /* What is true of each is said once, where the side as a whole is sent back. */
    const char *end = !unfit                              ? ending_left_out
                      : is_of_each(judgement, set, first) ? ending_each
                                                          : ending_rerun;
    struct fault_list *faults = &judgement->faults;
    if (first < faults->count && end != ending_left_out && judgement->rerun_text == NULL)
        judgement->rerun_text = fault_finish(judgement, faults->items[first].text, end);
    for (size_t i = first; i < faults->count; i++)
        faults->items[i].text =
            fault_finish(judgement, faults->items[i].text, end == ending_each ? "." : end);
    return unfit;
}

static bool run_is_in(const struct profile_set *set, const char *run)
{
    for (size_t i = 0; i < set->count; i++) {
        if (strcmp(gate_run_id(set->items[i]), run) == 0)
            return true;
    }
    return false;
}

/* The uneven ones of the profiles that were seen. */
static struct profile_set uneven_of(struct gate_state *judgement, const struct profile_set *seen,
                                    bool modes_are_usual)
{
    struct profile_set uneven = {
        arena_array(judgement->arena, const struct gate_profile *, seen->count), 0};
    for (size_t i = 0; i < seen->count; i++) {
        char fault[FAULT_TEXT_BYTES];
        if (fault_find(judgement, seen->items[i]->summary, modes_are_usual, fault) != NULL)
            uneven.items[uneven.count++] = seen->items[i];
    }
    return uneven;
}

void fitness_filter(struct gate_state *judgement, struct profile_sets *sets,
                    struct seen_profiles *ret_seen)
{
    struct profile_sets *seen = &ret_seen->sets;
    /* Half or more of the baseline's profiles have two modes. */
    size_t two = 0;
    for (size_t i = 0; i < sets->baseline.count; i++)
        two += health_of(judgement, sets->baseline.items[i]->summary).two_modes;
    bool usual = 2 * two >= sets->baseline.count;
    /* Effective steps of all candidate profiles, and the largest autocorrelation among them. */
    struct verdict_statistics *out = &judgement->verdict->statistics;
    double effective = 0, rho = -1;
    for (size_t i = 0; i < sets->candidate.count; i++) {
        struct step_health health = health_of(judgement, sets->candidate.items[i]->summary);
        if (health.count < 3)
            continue;
        effective += health.effective;
        rho = fmax(rho, health.autocorrelation);
        out->effective_steps = some_f64(effective);
        out->autocorrelation = some_f64(rho);
    }
    judgement->candidate_unfit =
        side_filter(judgement, "Candidate", usual, &sets->candidate, &seen->candidate);
    size_t first = judgement->faults.count;
    judgement->baseline_unfit =
        side_filter(judgement, "Baseline", usual, &sets->baseline, &seen->baseline);
    /* Names the runs of which nothing is left; the faults from `first` are those of the profiles
     * behind the set's end. */
    if (!judgement->baseline_unfit) {
        for (size_t j = first; j < judgement->faults.count; j++) {
            const struct gate_profile *profile =
                sets->baseline.items[sets->baseline.count + j - first];
            const struct verdict_reason *fault = &judgement->faults.items[j];
            if (!run_is_in(&sets->baseline, gate_run_id(profile)))
                set_aside_add(judgement, gate_run_id(profile), &profile, 1, fault);
        }
    }
    set_filter_fit(judgement, NULL, usual, &sets->history, &seen->history);
    ret_seen->uneven = uneven_of(judgement, &seen->candidate, usual);
    ret_seen->are_judged_already = !judgement->candidate_unfit && !judgement->baseline_unfit &&
                                   seen->candidate.count == sets->candidate.count &&
                                   seen->baseline.count == sets->baseline.count &&
                                   seen->history.count == sets->history.count;
}

/* "... drifts by +8.1 % from its first to its last step: run it again." without the advice. */
static const char *advice_cut(struct gate_state *judgement, const char *text)
{
    if (!text_ends_with(text, ending_rerun))
        return text;
    const size_t kept = strlen(text) - (sizeof ending_rerun - 1);
    return fault_finish(judgement, arena_printf(judgement->arena, "%.*s", (int)kept, text), ".");
}

void rerun_unsay(struct gate_state *judgement)
{
    struct verdict *verdict = judgement->verdict;
    size_t kept = 0;
    if (verdict->status != VERDICT_FAIL)
        return;
    for (size_t i = 0; i < verdict->reason_count; i++) {
        struct verdict_reason *reason = &verdict->reasons[kept];
        *reason = verdict->reasons[i];
        reason->text = advice_cut(judgement, reason->text);
        kept += strcmp(reason->code, "rerun_needed") != 0;
    }
    verdict->reason_count = kept;
}

void fitness_reasons(struct gate_state *judgement)
{
    fault_reasons(judgement, &judgement->faults);
}
