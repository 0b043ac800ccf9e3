/* Do the candidate's runs stand higher among all runs than luck would put them?
 *
 * The rank sum test of Wilcoxon (1945), exact also with ties: every choice of as many runs out of
 * all is equally likely where nothing changed, whatever the values' distribution is. Slow steps
 * that come by themselves are rare and large, which the t distribution does not know. Internal to
 * compare/.
 */
#ifndef COMPARE_STATISTICS_RANK_TEST_H
#define COMPARE_STATISTICS_RANK_TEST_H

#include "ops/runtime/arena.h"

#include <stdbool.h>
#include <stddef.h>

struct rank_test {
    double p;        /* one-sided: of a rank sum as high or higher */
    double smallest; /* that so many runs could show at all */
};

/* values[past + candidates], the past's first; neither is 0. */
void rank_test_make(const double *values, size_t past, size_t candidates, struct arena *arena,
                    struct rank_test *ret_test);

/* p that `marked` runs are all the candidate's, where every choice of `candidates` out of `runs` is
 * equally likely. */
double rank_events_p(size_t runs, size_t candidates, size_t marked);

#endif
