/* Implements the choice of steps that the sides have in common. */
#include "compare/judgement/step_methods.h"

#include "compare/judgement/usual_warmup.h"
#include "compare/statistics/statistics.h"
#include "schema/documents/measures.h"

#include <stdlib.h>
#include <string.h>

enum step_method step_method_common(const struct summary *a, const struct summary *b)
{
    for (int m = STEPS_NONE + 1; m < STEP_METHOD_COUNT; m++) {
        const struct step_table *left = summary_steps_by(a, (enum step_method)m);
        const struct step_table *right = summary_steps_by(b, (enum step_method)m);
        if (left != NULL && right != NULL && step_tables_alike(left, right))
            return (enum step_method)m;
    }
    return STEPS_NONE;
}

/* ---- choosing -------------------------------------------------------------------------------- */

/* The steps of a summary that are steps of the wanted kind; NULL when it has none, or none are
 * wanted. */
static const struct step_table *steps_like(const struct summary *summary,
                                           const struct step_table *wanted)
{
    const struct step_table *table =
        wanted == NULL ? NULL : summary_steps_by(summary, wanted->method);
    return table != NULL && step_tables_alike(table, wanted) ? table : NULL;
}

static size_t side_has(const struct gate_side *side, const struct step_table *wanted)
{
    size_t count = 0;
    for (size_t i = 0; i < side->profile_count; i++)
        count += steps_like(side->profiles[i].summary, wanted) != NULL;
    return count;
}

/* As the candidate's first profile has them; NULL when nothing is in common. */
static const struct step_table *steps_choose(const struct gate_input *input)
{
    const struct step_table *best = NULL;
    size_t most = 0;
    for (int m = STEPS_NONE + 1; m < STEP_METHOD_COUNT; m++) {
        const struct step_table *table =
            summary_steps_by(input->candidate.profiles[0].summary, (enum step_method)m);
        size_t past = side_has(&input->baseline, table);
        if (side_has(&input->candidate, table) == input->candidate.profile_count && past > most) {
            most = past;
            best = table;
        }
    }
    return best;
}

/* ---- the figures of steps that are left ------------------------------------------------------ */

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void steady_figures(struct step_table *table, struct arena *arena)
{
    double *values = arena_array(arena, double, table->count);
    size_t count = 0;
    table->steady_spans = 0;
    for (size_t i = 0; i < table->count; i++) {
        if (table->rows[i].warmup)
            continue;
        values[count++] = (double)table->rows[i].max_ps / 1e6;
        table->steady_spans += (int64_t)table->rows[i].span_count;
    }
    table->steady_count = (int64_t)count;
    table->steady_median_us = table->steady_p90_us = (struct opt_f64){0};
    if (count == 0)
        return;
    qsort(values, count, sizeof *values, compare_doubles);
    table->steady_median_us = some_f64(stats_quantile(values, count, 0.5));
    table->steady_p90_us = some_f64(stats_quantile(values, count, 0.9));
}

/* The median of the steady steps of a device; -1 when it has none. */
static int64_t device_median(const struct step_table *table, uint32_t device, double *values)
{
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct step_row *row = &table->rows[i];
        for (size_t s = 0; !row->warmup && s < row->span_count; s++) {
            if (row->spans[s].device == device)
                values[count++] = (double)row->spans[s].duration_ps;
        }
    }
    if (count == 0)
        return -1;
    qsort(values, count, sizeof *values, compare_doubles);
    return (int64_t)stats_quantile(values, count, 0.5);
}

static void device_medians(struct summary *view, struct arena *arena)
{
    struct device_row *rows = arena_array(arena, struct device_row, view->device_count);
    struct arena_mark mark = arena_mark(arena);
    size_t spans = 0;
    for (size_t i = 0; i < view->steps.count; i++)
        spans += view->steps.rows[i].span_count;
    double *values = arena_array(arena, double, spans);
    for (size_t d = 0; d < view->device_count; d++) {
        rows[d] = view->devices[d];
        rows[d].steady_step_median_ps = device_median(&view->steps, (uint32_t)d, values);
    }
    arena_rewind(arena, mark);
    view->devices = view->device_count == 0 ? NULL : rows;
}

/* ---- views ----------------------------------------------------------------------------------- */

/* How the sides are seen. */
struct step_view {
    const struct step_table *wanted;
    double fixed;                    /* warm-up steps by number; below 0: as was read */
    struct usual_warmup usual;       /* what the captures tell of warm-up together */
    bool of_candidate;               /* which side is seen */
    size_t refixed_count;            /* profiles with other warm-up steps than were read: fixed */
    size_t told[WARMUP_BY_LEAD + 1]; /* and told by others */
};

/* Marks the rows numbered below as warm-up, and no other but a last one that was cut. Returns
 * whether that changes any. */
static bool rows_fix(struct step_table *table, int64_t below, struct step_row *rows)
{
    const size_t whole = steps_whole(table);
    bool changed = false;
    for (size_t i = 0; i < table->count; i++) {
        rows[i] = table->rows[i];
        if (i >= whole)
            continue;
        rows[i].warmup = rows[i].number < below;
        rows[i].warmup_reason = rows[i].warmup ? WARMUP_NUMBER : NULL;
        changed = changed || rows[i].warmup != table->rows[i].warmup;
    }
    table->rows = rows;
    return changed;
}

/* A profile whose rows are not there tells its measures alone: nothing of it can be made anew. */
static bool has_rows(const struct step_table *table)
{
    return table->count > 0;
}

/* The summary as it is seen; the summary itself when nothing differs. */
static const struct summary *view_make(const struct summary *summary, struct step_view *how,
                                       struct arena *arena)
{
    const struct step_table *table = steps_like(summary, how->wanted);
    bool other = table != NULL && table != &summary->steps;
    bool fix = how->fixed >= 0 && table != NULL && step_method_has_numbers(table->method);
    if (table == NULL || !has_rows(table))
        return summary;
    struct told_warmup told = {0};
    if (!fix && !summary->producer.warmup_fixed)
        usual_warmup_of(&how->usual, table, how->of_candidate, arena, &told);
    if (!other && !fix && told.first == 0)
        return summary;
    struct summary *view = arena_new(arena, struct summary);
    struct step_row *rows = arena_array(arena, struct step_row, table->count);
    *view = *summary;
    view->steps = *table;
    bool changed = fix && rows_fix(&view->steps, (int64_t)how->fixed, rows);
    /* Marks the first rows as warm-up. */
    if (told.first > 0) {
        for (size_t i = 0; i < view->steps.count; i++) {
            rows[i] = view->steps.rows[i];
            if (i >= told.first || rows[i].warmup)
                continue;
            rows[i].warmup = true;
            rows[i].warmup_reason = WARMUP_APART;
        }
        view->steps.rows = rows;
    }
    how->refixed_count += changed;
    how->told[told.source]++;
    if (!other && !changed && told.first == 0)
        return summary;
    steady_figures(&view->steps, arena);
    device_medians(view, arena);
    /* Figures per step of ops and of idle time are of the summary's own steady steps. */
    view->steps.steady_spans = 0;
    view->ops = NULL;
    view->op_count = 0;
    return view;
}

static void side_view(struct gate_side *side, struct step_view *how, struct arena *arena)
{
    struct gate_profile *profiles = arena_array(arena, struct gate_profile, side->profile_count);
    for (size_t i = 0; i < side->profile_count; i++) {
        profiles[i] = side->profiles[i];
        profiles[i].summary = view_make(side->profiles[i].summary, how, arena);
        /* Measures of a profile that tells them alone, where its steps are others now. */
        if (profiles[i].measures != NULL && profiles[i].summary != side->profiles[i].summary) {
            static const enum measure of_steps[] = {
                MEASURE_steady_step_median, MEASURE_steady_step_p90, MEASURE_steady_step_period,
                MEASURE_steady_step_mean};
            struct opt_f64 told[MEASURE_END];
            struct opt_f64 *measures = arena_array(arena, struct opt_f64, MEASURE_END);
            measures_take(profiles[i].summary, told);
            memcpy(measures, profiles[i].measures, MEASURE_END * sizeof *measures);
            for (size_t j = 0; j < sizeof of_steps / sizeof of_steps[0]; j++)
                measures[of_steps[j]] = told[of_steps[j]];
            profiles[i].measures = measures;
        }
    }
    side->profiles = profiles;
}

/* How many profiles of the side have other steps first. */
static size_t side_others(const struct gate_side *side, const struct step_table *wanted)
{
    size_t count = 0;
    for (size_t i = 0; i < side->profile_count; i++) {
        const struct summary *summary = side->profiles[i].summary;
        const struct step_table *table = steps_like(summary, wanted);
        count += table != NULL && table != &summary->steps;
    }
    return count;
}

/* Says so where neither the policy nor the profiles treat both sides alike. */
static void warmup_differs(const struct gate_policy *policy, struct arena *arena,
                           struct step_choice *choice)
{
    size_t counts[2] = {0, 0};
    /* Whole summaries of both sides whose warm-up was fixed by number, and read from the
     * data. */
    const struct gate_side *sides[] = {&choice->input.baseline, &choice->input.candidate};
    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++) {
        for (size_t i = 0; i < sides[s]->profile_count; i++) {
            const struct gate_profile *profile = &sides[s]->profiles[i];
            if (profile->measures == NULL && profile->summary->has_ours)
                counts[profile->summary->producer.warmup_fixed]++;
        }
    }
    if (policy->warmup_steps >= 0 || counts[false] == 0 || counts[true] == 0)
        return;
    choice->warmup_text = arena_printf(
        arena,
        "Warm-up was fixed by number in %zu and read from the data in %zu profiles: warmup_steps "
        "in the policy treats them alike.",
        counts[true], counts[false]);
}

void step_choice_make(const struct gate_input *input, const struct gate_policy *policy,
                      struct arena *arena, struct step_choice *ret_choice)
{
    const struct step_table *wanted = steps_choose(input);
    struct step_choice choice = {.input = *input};
    size_t others = side_others(&input->baseline, wanted) + side_others(&input->candidate, wanted);
    if (others > 0) {
        size_t past = side_has(&input->baseline, wanted), count = input->baseline.profile_count;
        choice.method_text = arena_printf(
            arena,
            "Steps are compared by %s, the method that both sides have in common: the candidate "
            "and %zu of %zu baseline profile%s; the ops of %zu profile%s are of other steps and "
            "are not compared.",
            step_method_names[wanted->method], past, count, count == 1 ? "" : "s", others,
            others == 1 ? "" : "s");
    }
    struct step_view how = {.wanted = wanted, .fixed = policy->warmup_steps};
    usual_warmup_read(input, wanted, arena, &how.usual);
    side_view(&choice.input.baseline, &how, arena);
    side_view(&choice.input.history, &how, arena);
    how.of_candidate = true;
    side_view(&choice.input.candidate, &how, arena);
    /* Says which warm-up is another than was read. */
    static const char *const why[] = {
        [WARMUP_BY_NOISE] = "they are longer than the rest by far more than steps of past runs "
                            "differ",
        [WARMUP_BY_MOST] = "most past captures that begin at the same step leave out as many",
        [WARMUP_BY_LEAD] = "they are longer than the later ones by far more than steps of past "
                           "runs differ, and few past captures begin so",
    };
    const char *text = NULL;
    if (how.refixed_count > 0)
        text = arena_printf(arena,
                            "The policy fixes warm-up to the steps below %.0f, other steps than "
                            "some profiles were read with: their ops are not compared.",
                            how.fixed);
    for (size_t i = WARMUP_BY_NOISE; how.refixed_count == 0 && i <= WARMUP_BY_LEAD; i++) {
        if (how.told[i] == 0)
            continue;
        text = arena_printf(arena,
                            "%s%sThe first steps of %zu %scapture%s are left out as warm-up: %s; "
                            "the ops of these captures are not compared.",
                            text != NULL ? text : "", text != NULL ? " " : "", how.told[i],
                            i == WARMUP_BY_NOISE  ? "short "
                            : i == WARMUP_BY_LEAD ? "of the candidate's "
                                                  : "",
                            how.told[i] == 1 && i != WARMUP_BY_LEAD ? "" : "s", why[i]);
    }
    choice.warmup_text = text;
    if (choice.warmup_text == NULL)
        warmup_differs(policy, arena, &choice);
    *ret_choice = choice;
}
