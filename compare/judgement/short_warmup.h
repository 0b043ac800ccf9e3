/* Warm-up of captures that are too short to tell it themselves.
 *
 * Of two steps the first may be warm-up or the second one lucky, and of five the first three may be
 * warm-up or the last two another kind: one capture cannot say (ingest/step_table/warmup.h). Other
 * runs can: they tell how much steps of this job differ within a capture. First steps that are
 * apart from the rest by many times that are warm-up, on either side. Where heavy steps come back
 * in other runs, these differ much themselves, and nothing is left out.
 */
#ifndef COMPARE_JUDGEMENT_SHORT_WARMUP_H
#define COMPARE_JUDGEMENT_SHORT_WARMUP_H

#include "compare/judgement/gate_input.h"

/* How much steady steps of one capture differ, as the standard deviation of their logarithms, in
 * the middle of past runs; -1 where too few tell. *ret_known is false beyond the budget. */
double steps_noise(const struct gate_side *past, const struct step_table *wanted,
                   struct arena *arena, bool *ret_known);

/* How many of the first rows are warm-up by that noise; 0 where the capture is long, or has told
 * its warm-up. */
size_t short_warmup(const struct step_table *table, double noise);

#endif
