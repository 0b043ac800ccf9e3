/* Warm-up of captures that are too short to tell it themselves.
 *
 * Of two steps the first may be warm-up or the second one lucky, and of five the first three may be
 * warm-up or the last two another kind: one capture cannot say (ingest/step_table/warmup.h). Other
 * runs can: they tell how much steps of this job differ within a capture. First steps that are
 * apart from the rest by many times that are warm-up, on either side. Where heavy steps come back
 * in other runs, these differ much themselves, and nothing is left out. What three of four past
 * captures begin with is no accident of some: there the steps behind it tell the noise.
 */
#ifndef COMPARE_JUDGEMENT_SHORT_WARMUP_H
#define COMPARE_JUDGEMENT_SHORT_WARMUP_H

#include "compare/judgement/gate_input.h"

/* What past captures tell of their steps. */
struct short_past {
    double noise;    /* within a capture, the deviation of logarithms in the middle of captures; -1:
                        too few tell */
    double level;    /* of steps that settled, a logarithm of ps */
    bool last_alone; /* they settle with their last step */
};

/* Where most past captures begin with steps that are apart from the last ones, which agree, the
 * noise is that of the last ones. */
void short_past_read(const struct gate_side *past, const struct step_table *wanted,
                     struct arena *arena, struct short_past *ret);

/* How many of the first rows are warm-up by that, those that are marked already among them; 0: no
 * more than these. All of them, where none but the last is at the past's level and the others are
 * apart from it: the capture ended before the steps settled. */
size_t short_warmup(const struct step_table *table, const struct short_past *past);

#endif
