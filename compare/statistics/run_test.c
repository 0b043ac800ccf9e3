/* Implements the pooled t test on runs. */
#include "compare/statistics/run_test.h"
#include "compare/statistics/stats.h"

#include <math.h>

static double freedom(const struct run_values *group)
{
    return group->count == 0 ? 0 : (double)group->count - 1;
}

bool run_test_make(const struct run_values *history, const struct run_values *a,
                   const struct run_values *b, struct run_test *ret_test)
{
    double df = freedom(history) + freedom(a) + freedom(b);
    if (a->count == 0 || b->count == 0 || df < 1)
        return false;
    double squares = stats_squares(history->values, history->count) +
                     stats_squares(a->values, a->count) + stats_squares(b->values, b->count);
    double sd = sqrt(squares / df);
    double change = stats_mean(b->values, b->count) - stats_mean(a->values, a->count);
    double error = sd * sqrt(1 / (double)a->count + 1 / (double)b->count);
    /* Runs that agree to the last bit leave no noise: any change is then certain. */
    double t = error > 0 ? change / error : change > 0 ? INFINITY : change < 0 ? -INFINITY : 0;
    *ret_test = (struct run_test){change, error, df, sd, stats_t_upper(t, df)};
    return true;
}
