/* The statistics that verdicts rest on: order statistics, Student's t, false discovery rate, serial
 * correlation. Nothing here knows about profiles.
 */
#ifndef COMPARE_STATISTICS_STATS_H
#define COMPARE_STATISTICS_STATS_H

#include <stddef.h>

/* Of the median of absolute deviations to the standard deviation of a normal distribution. */
#define STATS_MAD_TO_SD 1.4826

/* Sorts ascending in place. Values are finite. */
void stats_sort(double *values, size_t count);

/* Quantile q in [0, 1] of sorted values[count], count > 0: linear between the two neighbours of
 * position (count - 1) * q. The median of an even count is the mean of the middle two. */
double stats_quantile(const double *sorted, size_t count, double q);

/* Sum over count of values[i] / count; 0 for none. */
double stats_mean(const double *values, size_t count);

/* Sum of squared distances from the mean; 0 for fewer than 2. */
double stats_squares(const double *values, size_t count);

/* By how many percent something grew whose logarithm did by so much. */
double stats_percent(double logarithm);

/* P(T > t) for Student's t with df > 0 degrees of freedom; relative error below 1e-12. */
double stats_t_upper(double t, double df);

/* The t with P(T <= t) = p, 0 < p < 1, df > 0; relative error below 1e-12. */
double stats_t_quantile(double p, double df);

/* One test of many: p goes in, q comes out. */
struct stats_discovery {
    double p, q;
    size_t index; /* the caller's, kept */
};

/* Benjamini and Hochberg (1995): sets each q to the smallest false discovery rate at which that
 * test is a discovery, over all count of them. Sorts by p, then index. */
void stats_false_discovery(struct stats_discovery *tests, size_t count);

/* Lag-1 autocorrelation about the mean; 0 for fewer than 3 values or none that differ. */
double stats_autocorrelation(const double *values, size_t count);

/* count * (1 - rho) / (1 + rho), at least 1 and at most count: how many independent values the
 * serially correlated ones are worth (first-order autoregression). Negative rho counts as 0. */
double stats_effective_count(size_t count, double rho);

/* A straight line through values[0..count): total_change = slope * (count - 1), and t = slope over
 * its standard error, with the residuals' own serial correlation allowed for. Both 0 below 8. */
struct stats_trend {
    double total_change, t;
};
struct stats_trend stats_trend(const double *values, size_t count);

#endif
