/* From matched ops to the verdict: tests, names of changes, order, balance. Internal to compare/.
 */
#ifndef COMPARE_OPS_OP_ROWS_H
#define COMPARE_OPS_OP_ROWS_H

#include "compare/ops/op_series.h"

/* Tests every op of the family: all but the smallest, which together take no time that matters,
 * chosen before any difference is looked at; false discovery rate over all of them, and no op is a
 * discovery that goes no further than ops of past runs do. Needs enough past runs. */
void op_table_test(struct gate_state *judgement, struct op_table *table);

/* Writes the verdict's ops, culprits first, and their reasons; judges the watched ones. */
void op_rows_judge(struct gate_state *judgement, const struct op_table *table);

/* op deltas + idle delta + residual = step delta. */
void balance_fill(struct gate_state *judgement, const struct op_table *table);

#endif
