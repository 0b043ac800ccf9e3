/* The middle of the steps of a list, and the few that take much longer than it.
 */
#ifndef INGEST_BREAKDOWN_STEP_OUTLIERS_H
#define INGEST_BREAKDOWN_STEP_OUTLIERS_H

#include "ingest/breakdown/step_list.h"

enum { OUTLIERS_NAMED = 3 };

/* Steady steps that take half as long again as the middle one, and are six times as far from it as
 * half of all are: a fifth of them at most. By what passes to the next step (step_to_step_ps). */
struct step_outliers {
    size_t count, of;           /* of so many steady steps */
    double middle_us, least_us; /* of all of them; outliers take more than the latter */
    double average_us;          /* of the outliers */
    double more_us;             /* what they take beyond the middle, spread over all steps */
    enum step_part part;        /* what most of that is, between steps too … */
    bool saves;                 /* … or that the host saved */
    int64_t first[OUTLIERS_NAMED];
};

/* None of fewer than five steps. The list is settled. */
struct step_outliers step_list_outliers(const struct step_list *list);

/* The median of steady steps' own times (of all where none is), µs; absent without steps. */
struct opt_f64 step_list_middle_us(const struct step_list *list);

#endif
