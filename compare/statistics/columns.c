/* Implements columns: the textbook's loops, row by row. */
#include "compare/statistics/columns.h"

#include <math.h>

double column_dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

void column_subtract(double *a, double factor, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] -= factor * b[i];
}

bool columns_factor(double *matrix, size_t count, double *ret_log_determinant)
{
    *ret_log_determinant = 0;
    for (size_t j = 0; j < count; j++) {
        double *row = matrix + j * count;
        double left = row[j] - column_dot(row, row, j);
        if (left <= 0)
            return false;
        row[j] = sqrt(left);
        *ret_log_determinant += 2 * log(row[j]);
        for (size_t i = j + 1; i < count; i++) {
            double *below = matrix + i * count;
            below[j] = (below[j] - column_dot(below, row, j)) / row[j];
        }
    }
    return true;
}

void column_whiten(const double *factor, size_t count, double *values)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (values[i] - column_dot(factor + i * count, values, i)) / factor[i * count + i];
}

double column_unit(double *column, size_t count)
{
    double square = column_dot(column, column, count);
    if (square <= 0)
        return 0;
    for (size_t i = 0; i < count; i++)
        column[i] /= sqrt(square);
    return log(square);
}
