/* Whether ops that explain the change of the step work on numbers of another type. Internal to
 * compare/. */
#ifndef COMPARE_OPS_PRECISION_H
#define COMPARE_OPS_PRECISION_H

#include "compare/ops/op_series.h"

/* "f32 in place of bf16", where ops whose shapes differ in that type, and in no other, explain at
 * least half of what the step gained; in the arena. NULL: none do, or the arena is used up, which
 * the judgement is told. */
const char *precision_change(struct gate_state *judgement, const struct op_table *table,
                             double gain_us);

#endif
