/* The little linear algebra that weighted least squares need: columns of numbers, and the factor of
 * a covariance that makes them comparable. Internal to compare/. */
#ifndef COMPARE_STATISTICS_COLUMNS_H
#define COMPARE_STATISTICS_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

/* The sum of products. */
double column_dot(const double *a, const double *b, size_t count);

/* a -= factor * b */
void column_subtract(double *a, double factor, const double *b, size_t count);

/* Makes the column a unit vector; returns the logarithm of its squared length. A column of nothing
 * stays. */
double column_unit(double *column, size_t count);

/* Cholesky's lower factor L of a matrix[count * count], by rows, in its place;
 * *ret_log_determinant of the matrix. false: it is not positive definite. */
bool columns_factor(double *matrix, size_t count, double *ret_log_determinant);

/* values = L^-1 values */
void column_whiten(const double *factor, size_t count, double *values);

#endif
