/* How the runs of a comparable series went: changes of level, slow drifts, noise. A trend tells it,
 * and the gate takes the levels of its past from it (runs/past.h).
 *
 * The changes are those of changes_find, in both tiers, with what the gate's model of runs makes of
 * them (run_levels.h): the newest level may be short, of fewer than a hundred runs a change counts
 * where the model holds it likely, of more where runs do not rather wander. A drift that began
 * somewhere would be a staircase of them: where a straight line explains the values better
 * (pieces.h), and block medians of its values keep rising or falling (Mann-Kendall), it is a drift,
 * by Theil's and Sen's slope, and the steps of the staircase are none. A drift of few runs that
 * only the gate's model holds likely (stretch.h) is told as such. Deterministic.
 */
#ifndef COMPARE_CHANGES_COURSE_H
#define COMPARE_CHANGES_COURSE_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"

#include <stdbool.h>
#include <stddef.h>

/* A newest level that is confirmed holds so many runs, in a short series fewer
 * (level_min_count). */
#define COURSE_NEWEST_RUNS 6

enum { COURSE_RULE_VERSION = 12 }; /* goes up when the same values would give another answer */

struct course_shift {
    size_t index;       /* the first value of the new level */
    size_t first, last; /* the change lies from first to last, 95 % */
    bool confirmed;     /* stands out of noise as correlated as this series' is, and lasts; the
                           newest level six runs */
    bool went_away;     /* the next confirmed change takes at least three quarters of it back, or
                           a later one leads back to the level before it */
    size_t takes_back;  /* the number of the change from whose old level the new one is a quarter of
                           the way at most, and which all levels between were beyond; own number:
                           none. Of a confirmed one that is a confirmed one */
    double before, after, confidence;
    double margin; /* half of the 95 % interval of after - before */
};

struct course_slope {
    size_t first, end;    /* values[first..end) */
    double before, after; /* at its ends */
    double p;             /* two-sided, of Mann and Kendall: that nothing drifts */
    bool is_sure;         /* by p and by what the values leave; else the gate's model holds it
                             likelier than not, of the newest level */
};

struct course_findings {
    struct course_shift *shifts; /* by index */
    size_t shift_count;
    struct course_slope *slopes; /* by first */
    size_t slope_count;
    double noise_ratio; /* third quartile and three times the quartile range of what neighbours
                           differ by, less what a drift adds, of the value: what a single run may
                           be off by */
};

/* Of values[count], finite, oldest first. ERR_LIMIT. */
bool course_find(const double *values, size_t count, struct arena *arena,
                 struct course_findings *ret_findings, struct err *err);

#endif
