/* Sorted arrays: the orders of numbers, for qsort, and where a stretch of items ends. */
#ifndef INGEST_LOOKUP_SORTED_H
#define INGEST_LOOKUP_SORTED_H

#include <stddef.h>
#include <stdint.h>

static inline int i64_order(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static inline int f64_order(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* How many of the first items hold a condition on the one `at` a place, which none behind them
 * does. */
#define sorted_count(count, at, holds) \
    ({ \
        size_t low_ = 0, high_ = (count); \
        while (low_ < high_) { \
            const size_t at = low_ + (high_ - low_) / 2; \
            if (holds) \
                low_ = at + 1; \
            else \
                high_ = at; \
        } \
        low_; \
    })

#endif
