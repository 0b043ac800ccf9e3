/* Ops of all runs, matched: one series per op with its time in every run. Internal to compare/.
 *
 * Matching is by stable signature. An op that disappears and one that appears in its place (same op
 * path, else same parent path) are one series, a cost shift: a fusion that took other operands, a
 * kernel that was replaced. A fusion that came also takes in the ops that went from beside it.
 * Names that take turns in the runs of one side (some runs are of a program that calls the op
 * otherwise) are one series, too.
 */
#ifndef COMPARE_OPS_OP_SERIES_H
#define COMPARE_OPS_OP_SERIES_H

#include "compare/judgement/judgement.h"

struct op_series {
    const char *signature;
    const struct op_row *before, *after; /* an example of each side; NULL when it never ran there */
    double *us; /* per step and device: baseline runs, candidate runs, history runs; 0 = not run */
    /* Means over the runs of a side that run it: the others say nothing of its time … */
    double before_us, after_us;
    size_t before_runs, after_runs; /* … and how many those are */
    bool shifted;                   /* before and after are different signatures */
    struct opt_f64 p, q;            /* one-sided, of its direction; absent when it was not tested */
};

struct op_table {
    struct op_series *items; /* by signature */
    size_t count;
    size_t baseline_runs, candidate_runs, history_runs;
    bool per_call;  /* as judgement->op_sides has it */
    double step_us; /* mean baseline span: what shares are of; 0 when unknown */
};

/* Matches the ops of all runs; asynchronous ops are left out, they take no device time of their
 * own. Without our op table (older documents) the result is empty. */
void op_series_build(struct gate_state *judgement, struct op_table *ret_table);

/* How many runs each series of the table has a time of. */
size_t op_table_runs(const struct op_table *table);

/* Makes the means of a series whose times changed. */
void op_series_close(const struct op_table *table, struct op_series *series);

/* Merges cost shifts. */
void op_table_pair_shifts(struct gate_state *judgement, struct op_table *table);

#endif
