#include "ingest/step_table/step_stats.h"

#include "ingest/lookup/lookup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPLIT_STEPS_LEAST = 6, SPLIT_ROUNDS = 40, PERIOD_STEPS_LEAST = 3, PERIOD_GAPS_LEAST = 2 };
static const double split_spread_least = 1.25; /* max / min */
static const double split_share_least = 0.1;   /* of the smaller group */
static const double split_median_ratio = 1.5;
static const double split_settled = 1e-9; /* a centre that moves less stands still */

/* ---- statistics ------------------------------------------------------------------------------ */

double quantile(const double *values, size_t count, double q)
{
    if (count == 1)
        return values[0];
    double position = (double)(count - 1) * q;
    size_t lower = (size_t)position, upper = lower + 1 < count ? lower + 1 : count - 1;
    double weight = position - (double)lower;
    return values[lower] * (1 - weight) + values[upper] * weight;
}

struct duration_stats duration_stats_of(const struct step_value *steps, size_t count,
                                        double *scratch)
{
    struct duration_stats stats = {.count = (int64_t)count};
    if (count == 0)
        return stats;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        scratch[i] = steps[i].duration_us;
    qsort(scratch, count, sizeof *scratch, f64_order);
    for (size_t i = 0; i < count; i++)
        sum += scratch[i]; /* the reference adds in ascending order */
    stats.mean = some_f64(sum / (double)count);
    stats.median = some_f64(quantile(scratch, count, 0.5));
    stats.p90 = some_f64(quantile(scratch, count, 0.9));
    stats.min = some_f64(scratch[0]);
    stats.max = some_f64(scratch[count - 1]);
    return stats;
}

/* ---- two groups ------------------------------------------------------------------------------ */

/* Splits log durations around two centres; labels[count] tell the group. false when it has no two
 * groups. */
static bool labels_settle(const double *logs, size_t count, bool *labels)
{
    double low = logs[0], high = logs[0];
    for (size_t i = 1; i < count; i++) {
        low = logs[i] < low ? logs[i] : low;
        high = logs[i] > high ? logs[i] : high;
    }
    memset(labels, 0, count * sizeof *labels);
    for (int round = 0; round < SPLIT_ROUNDS; round++) {
        bool changed = false;
        double sums[2] = {0, 0};
        size_t counts[2] = {0, 0};
        for (size_t i = 0; i < count; i++) {
            bool label = !(fabs(logs[i] - low) <= fabs(logs[i] - high));
            changed = changed || label != labels[i];
            labels[i] = label;
            sums[label] += logs[i];
            counts[label]++;
        }
        if (counts[0] == 0 || counts[1] == 0)
            return false;
        double new_low = sums[0] / (double)counts[0], new_high = sums[1] / (double)counts[1];
        bool settled = fabs(new_low - low) < split_settled && fabs(new_high - high) < split_settled;
        low = new_low;
        high = new_high;
        if (settled && !changed)
            break;
    }
    return true;
}

/* ---- classes --------------------------------------------------------------------------------- */

/* It is represented by the step whose duration is nearest to the median. */
static struct step_class class_of(const char *name, const struct step_value *steps, size_t count,
                                  size_t total, double *scratch)
{
    struct step_class class = {.name = name, .count = (int64_t)count};
    const struct step_value *best = &steps[0];
    class.fraction_of_steady = (double)count / (double)total;
    class.stats = duration_stats_of(steps, count, scratch);
    for (size_t i = 1; i < count; i++) {
        double distance = fabs(steps[i].duration_us - class.stats.median.value);
        double best_distance = fabs(best->duration_us - class.stats.median.value);
        if (distance < best_distance ||
            (distance == best_distance && steps[i].number < best->number))
            best = &steps[i];
    }
    class.representative_step = some_i64(best->number);
    class.representative_duration = some_f64(best->duration_us);
    return class;
}

/* The most frequent distance above 1 between neighbours; the smaller among equals. steps ascend;
 * distances has room for as many. */
static struct opt_i64 periodicity_of(const struct step_value *steps, size_t count,
                                     int64_t *distances)
{
    size_t kept = 0, best_count = 1;
    struct opt_i64 best = {0};
    for (size_t i = 1; i < count; i++) {
        int64_t distance;
        if (!__builtin_sub_overflow(steps[i].number, steps[i - 1].number, &distance) &&
            distance > 1)
            distances[kept++] = distance;
    }
    if (count < PERIOD_STEPS_LEAST || kept < PERIOD_GAPS_LEAST)
        return best;
    qsort(distances, kept, sizeof *distances, i64_order);
    for (size_t i = 0, next; i < kept; i = next) {
        for (next = i + 1; next < kept && distances[next] == distances[i];)
            next++;
        if (next - i > best_count) {
            best_count = next - i;
            best = some_i64(distances[i]);
        }
    }
    return best;
}

struct groups {
    struct step_value *low, *high;
    size_t low_count, high_count;
    double *scratch; /* of all */
    int64_t *distances;
};

/* true when the steps fall into two groups, which then are filled. */
static bool groups_split(const struct step_value *steps, size_t count, bool *labels,
                         struct groups *groups)
{
    double min = INFINITY, max = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        min = steps[i].duration_us < min ? steps[i].duration_us : min;
        max = steps[i].duration_us > max ? steps[i].duration_us : max;
    }
    if (count < SPLIT_STEPS_LEAST || !(min > 0 && max / min >= split_spread_least))
        return false;
    for (size_t i = 0; i < count; i++)
        groups->scratch[i] = log(steps[i].duration_us);
    if (!labels_settle(groups->scratch, count, labels))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (labels[i])
            groups->high[groups->high_count++] = steps[i];
        else
            groups->low[groups->low_count++] = steps[i];
    }
    const size_t smaller =
        groups->low_count < groups->high_count ? groups->low_count : groups->high_count;
    if (smaller < 2 || (double)smaller / (double)count < split_share_least)
        return false;
    double low = duration_stats_of(groups->low, groups->low_count, groups->scratch).median.value;
    double high = duration_stats_of(groups->high, groups->high_count, groups->scratch).median.value;
    return low > 0 && high / low >= split_median_ratio;
}

void step_classes_build(const struct step_value *steps, size_t count, struct arena *arena,
                        struct step_class **ret_classes, size_t *ret_count)
{
    struct step_class *classes = arena_array(arena, struct step_class, 2);
    bool *labels = arena_array(arena, bool, count);
    struct groups groups = {
        .low = arena_array(arena, struct step_value, count),
        .high = arena_array(arena, struct step_value, count),
        .scratch = arena_array(arena, double, count),
        .distances = arena_array(arena, int64_t, count),
    };
    *ret_classes = count == 0 ? NULL : classes;
    *ret_count = count == 0 ? 0 : 1;
    if (count == 0)
        return;
    if (!groups_split(steps, count, labels, &groups)) {
        classes[0] = class_of("typical", steps, count, count, groups.scratch);
        return;
    }
    classes[0] = class_of("light", groups.low, groups.low_count, count, groups.scratch);
    classes[1] = class_of("heavy", groups.high, groups.high_count, count, groups.scratch);
    classes[1].periodicity = periodicity_of(groups.high, groups.high_count, groups.distances);
    *ret_count = 2;
}
