/* Student's t distribution from the regularized incomplete beta function.
 *
 * P(|T| > t) = I_x(df/2, 1/2) with x = df / (df + t^2): NIST Digital Library of Mathematical
 * Functions (DLMF) 8.17 with its continued fraction 8.17.22, evaluated by Lentz's method as
 * modified by Thompson and Barnett (J. Comput. Phys. 64, 1986). B(a, 1/2) needs the ratio
 * gamma(a + 1/2) / gamma(a), which lgamma would give by cancelling large numbers; the asymptotic
 * series (Tricomi and Erdelyi 1951, DLMF 5.11.13) with upward recurrence keeps all digits.
 */
#include "compare/statistics/stats.h"

#include <math.h>

enum { FRACTION_MAX_TERMS = 500, NEWTON_MAX_ROUNDS = 200 };
static const double tiny = 1e-300;    /* stands for a zero denominator in Lentz's method */
static const double close = 1e-16;    /* relative change that ends an iteration */
static const double series_from = 30; /* the series below is good to 1e-17 from here on */

/* gamma(a + 1/2) / gamma(a), a > 0. */
static double gamma_half_ratio(double a)
{
    double down = 1;
    for (; a < series_from; a += 1)
        down *= a / (a + 0.5);
    double r = 1 / a;
    double series =
        1 + r * (-1.0 / 8 +
                 r * (1.0 / 128 +
                      r * (5.0 / 1024 + r * (-21.0 / 32768 + r * (-399.0 / 262144 +
                                                                  r * (869.0 / 4194304 +
                                                                       r * 39325.0 / 33554432))))));
    return down * sqrt(a) * series;
}

/* One factor of the fraction: *c and *d are Lentz's ratios. */
static double lentz_factor(double term, double *c, double *d)
{
    *d = 1 + term * *d;
    *c = 1 + term / *c;
    if (fabs(*d) < tiny)
        *d = tiny;
    if (fabs(*c) < tiny)
        *c = tiny;
    *d = 1 / *d;
    return *c * *d;
}

/* The continued fraction of I_x(a, b), good for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    if (fabs(d) < tiny)
        d = tiny;
    d = 1 / d;
    double value = d;
    for (int m = 1; m <= FRACTION_MAX_TERMS; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        value *= lentz_factor(even, &c, &d);
        double factor = lentz_factor(odd, &c, &d);
        value *= factor;
        if (fabs(factor - 1) < close)
            break;
    }
    return value;
}

/* I_x(a, 1/2) where y = 1 - x is given apart, so that neither is rounded away. */
static double beta_half(double a, double x, double y)
{
    if (x <= 0)
        return 0;
    if (y <= 0)
        return 1;
    /* x^a sqrt(y) / B(a, 1/2), B(a, 1/2) = sqrt(pi) gamma(a) / gamma(a + 1/2) */
    double power = x > 0.5 ? exp(a * log1p(-y)) : pow(x, a);
    double front = power * sqrt(y) * gamma_half_ratio(a) / sqrt(M_PI);
    if (x < (a + 1) / (a + 2.5))
        return front * beta_fraction(a, 0.5, x) / a;
    return 1 - front * beta_fraction(0.5, a, y) / 0.5;
}

double stats_t_upper(double t, double df)
{
    if (isinf(t))
        return t > 0 ? 0 : 1;
    double square = t * t;
    double both = isinf(square) ? 0 : beta_half(df / 2, df / (df + square), square / (df + square));
    return t >= 0 ? both / 2 : 1 - both / 2;
}

/* Density at t. */
static double t_density(double t, double df)
{
    return gamma_half_ratio(df / 2) / sqrt(df * M_PI) * exp(-(df + 1) / 2 * log1p(t * t / df));
}

/* The t >= 0 with P(T > t) = upper, upper in (0, 1/2]: Newton's steps inside a shrinking bracket.
 */
static double t_of_upper(double upper, double df)
{
    double low = 0, high = 1;
    while (stats_t_upper(high, df) > upper && high < 1e300) {
        low = high;
        high *= 2;
    }
    double t = (low + high) / 2;
    for (int round = 0; round < NEWTON_MAX_ROUNDS; round++) {
        double excess = stats_t_upper(t, df) - upper;
        if (excess > 0)
            low = t;
        else
            high = t;
        double next = t + excess / t_density(t, df);
        if (!(next > low && next < high))
            next = low + (high - low) / 2;
        if (fabs(next - t) <= close * 2 * fabs(t))
            return next;
        t = next;
    }
    return t;
}

double stats_t_quantile(double p, double df)
{
    if (p == 0.5)
        return 0;
    return p > 0.5 ? t_of_upper(1 - p, df) : -t_of_upper(p, df);
}
