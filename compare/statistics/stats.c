/* Implements the order statistics, the false discovery rate and the serial correlation of stats.h;
 * Student's t is in stats_t.c. */
#include "compare/statistics/stats.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { TREND_MIN_COUNT = 8 };
static const double rounding_steps = 8;

static int double_order(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

void stats_sort(double *values, size_t count)
{
    if (count > 1)
        qsort(values, count, sizeof *values, double_order);
}

double stats_quantile(const double *sorted, size_t count, double q)
{
    double position = (double)(count - 1) * q;
    size_t lower = (size_t)position;
    size_t upper = lower + 1 < count ? lower + 1 : lower;
    double weight = position - (double)lower;
    return sorted[lower] * (1 - weight) + sorted[upper] * weight;
}

double stats_mean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return count == 0 ? 0 : sum / (double)count;
}

double stats_percent(double logarithm)
{
    return 100 * expm1(logarithm);
}

double stats_squares(const double *values, size_t count)
{
    double mean = stats_mean(values, count), sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return sum;
}

static int discovery_order(const void *left, const void *right)
{
    const struct stats_discovery *a = left, *b = right;
    if (a->p != b->p)
        return a->p < b->p ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

void stats_false_discovery(struct stats_discovery *tests, size_t count)
{
    if (count > 1)
        qsort(tests, count, sizeof *tests, discovery_order);
    double smallest = 1;
    for (size_t rank = count; rank > 0; rank--) {
        struct stats_discovery *test = &tests[rank - 1];
        smallest = fmin(smallest, test->p * (double)count / (double)rank);
        test->q = smallest;
    }
}

double stats_autocorrelation(const double *values, size_t count)
{
    double squares = stats_squares(values, count), mean = stats_mean(values, count), sum = 0;
    double rounding = rounding_steps * DBL_EPSILON * mean; /* of one value that equals the mean */
    if (count < 3 || squares <= (double)count * rounding * rounding)
        return 0;
    for (size_t i = 1; i < count; i++)
        sum += (values[i - 1] - mean) * (values[i] - mean);
    return sum / squares;
}

double stats_effective_count(size_t count, double rho)
{
    if (count < 2 || rho <= 0)
        return (double)count;
    double effective = (double)count * (1 - rho) / (1 + rho);
    return effective < 1 ? 1 : effective;
}

/* Sum of squared residuals of the line, and of the products of neighbouring ones. */
static void residual_sums(const double *values, size_t count, double slope, double sums[2])
{
    double mean = stats_mean(values, count), centre = (double)(count - 1) / 2, before = 0;
    sums[0] = sums[1] = 0;
    for (size_t i = 0; i < count; i++) {
        double residual = values[i] - mean - slope * ((double)i - centre);
        sums[0] += residual * residual;
        sums[1] += i == 0 ? 0 : before * residual;
        before = residual;
    }
}

struct stats_trend stats_trend(const double *values, size_t count)
{
    struct stats_trend trend = {0, 0};
    if (count < TREND_MIN_COUNT)
        return trend;
    double n = (double)count, centre = (n - 1) / 2, products = 0;
    double spread = n * (n * n - 1) / 12; /* sum of (i - centre)^2 */
    for (size_t i = 0; i < count; i++)
        products += ((double)i - centre) * values[i];
    double slope = products / spread, sums[2];
    residual_sums(values, count, slope, sums);
    trend.total_change = slope * (n - 1);
    if (sums[0] <= 0)
        return trend; /* a perfect line: its t is left at 0, there is no noise to compare it with */
    /* Correlated residuals carry less: their variance grows by n / effective count. */
    double rho = sums[1] / sums[0];
    double inflation = n / stats_effective_count(count, rho);
    trend.t = slope / sqrt(sums[0] / (n - 2) * inflation / spread);
    return trend;
}
