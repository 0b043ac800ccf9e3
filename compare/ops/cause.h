/* What made the step longer or shorter: verdict.cause. Internal to compare/. */
#ifndef COMPARE_OPS_CAUSE_H
#define COMPARE_OPS_CAUSE_H

#include "compare/ops/op_rows.h"

/* Fills the verdict's cause from the op table, the balance and the moved ops, unless a slow device
 * or host has been found already. Needs op_rows_judge and balance_fill. */
void cause_find(struct gate_state *judgement, const struct op_table *table);

#endif
