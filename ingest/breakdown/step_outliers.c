/* See step_outliers.h. Thresholds are those of ingest/README.md. */
#include "ingest/breakdown/step_outliers.h"

#include "ingest/step_table/step_table.h"

#include <math.h>

enum { STEPS_LEAST = 5, FEW = 5 };
static const double LONGER = 1.5, FAR = 6, ps_per_us = 1e6;

/* Steps that count, the slowest device of each, with room for their statistics. */
struct counted_steps {
    const struct listed_step **steps;
    struct step_value *values;
    double *scratch;
    size_t count;
};

static bool steps_count(const struct step_list *list, bool to_next, struct counted_steps *counted)
{
    bool steady = false;
    counted->steps = arena_array(list->arena, const struct listed_step *, list->count);
    counted->values = arena_array(list->arena, struct step_value, list->count);
    counted->scratch = arena_array(list->arena, double, list->count);
    for (size_t i = 0; i < list->count; i++)
        steady = steady || list->items[i].warmup == NULL;
    for (size_t i = 0; i < list->count; i = step_list_next(list, i)) {
        const struct listed_step *step = &list->items[i];
        if (!step->times.numbered || (steady && step->warmup != NULL))
            continue;
        const int64_t ps = to_next ? step_to_step_ps(step) : step->times.duration_ps;
        counted->values[counted->count].number = step->times.number;
        counted->values[counted->count].duration_us = (double)ps / ps_per_us;
        counted->steps[counted->count++] = step;
    }
    return counted->count > 0;
}

struct opt_f64 step_list_middle_us(const struct step_list *list)
{
    struct counted_steps counted = {0};
    return steps_count(list, false, &counted)
               ? duration_stats_of(counted.values, counted.count, counted.scratch).median
               : (struct opt_f64){0};
}

/* What it takes of each part, in it and behind it; nobody tells of the rest behind it. */
static void parts_add(const struct listed_step *step, double sign, double us[STEP_PART_COUNT],
                      double *saved_us)
{
    const struct device_step *times = &step->times;
    int64_t rest_ps = step_to_step_ps(step) - times->duration_ps;
    for (int part = 0; part < STEP_PART_COUNT; part++) {
        const int64_t behind_ps = part == STEP_IDLE ? rest_ps : times->behind_ps[part];
        us[part] += sign * (double)(times->ps[part] + behind_ps) / ps_per_us;
        rest_ps -= behind_ps < rest_ps ? behind_ps : rest_ps;
    }
    *saved_us += sign * (double)(times->save_ps + times->save_behind_ps) / ps_per_us;
}

struct step_outliers step_list_outliers(const struct step_list *list)
{
    struct step_outliers outliers = {0};
    struct counted_steps counted = {0};
    if (!steps_count(list, true, &counted) || counted.count < STEPS_LEAST)
        return outliers;
    const double middle_us =
        duration_stats_of(counted.values, counted.count, counted.scratch).median.value;
    struct step_value *away = arena_array(list->arena, struct step_value, counted.count);
    for (size_t i = 0; i < counted.count; i++)
        away[i].duration_us = fabs(counted.values[i].duration_us - middle_us);
    const double far_us =
        FAR * duration_stats_of(away, counted.count, counted.scratch).median.value;
    const double least_us = middle_us + fmax(far_us, (LONGER - 1) * middle_us);
    double sum_us = 0;
    for (size_t i = 0; i < counted.count; i++) {
        if (counted.values[i].duration_us <= least_us)
            continue;
        if (outliers.count < OUTLIERS_NAMED)
            outliers.first[outliers.count] = counted.values[i].number;
        sum_us += counted.values[i].duration_us;
        outliers.count++;
    }
    if (outliers.count == 0 || outliers.count * FEW > counted.count)
        return (struct step_outliers){0};
    outliers.of = counted.count;
    outliers.middle_us = middle_us;
    outliers.least_us = least_us;
    outliers.average_us = sum_us / (double)outliers.count;
    outliers.more_us = (sum_us - (double)outliers.count * middle_us) / (double)counted.count;
    /* What the outliers have more of than the others. */
    double us[STEP_PART_COUNT] = {0}, saved_us = 0;
    const double others = (double)(counted.count - outliers.count);
    for (size_t i = 0; i < counted.count; i++) {
        const bool is_one = counted.values[i].duration_us > least_us;
        parts_add(counted.steps[i], is_one ? 1 / (double)outliers.count : -1 / others, us,
                  &saved_us);
    }
    for (int part = 0; part < STEP_PART_COUNT; part++)
        if (us[part] > us[outliers.part])
            outliers.part = (enum step_part)part;
    outliers.saves = outliers.part == STEP_HOST_COMPUTE && saved_us > us[outliers.part] / 2;
    return outliers;
}
