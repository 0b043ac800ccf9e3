/* Random runs for measuring how often the gate is right.
 *
 * Runs of 50 steps with run-to-run sd 1 %, step sd 2 % and autocorrelation .4, and waits of 2 % of
 * a step between them that vary by a third from run to run; 20 past runs and R runs a side; with
 * ops, 300 of them of sd 2 %, of which the first ten are slowed by 10 % when the candidate is
 * slower at all. The same seed gives the same draw.
 */
#ifndef TESTS_SUPPORT_GATE_DRAWS_H
#define TESTS_SUPPORT_GATE_DRAWS_H

#include "tests/support/gate_fixture.h"

enum {
    DRAW_HISTORY_RUNS = 20,
    DRAW_MOST_RUNS = 5,
    DRAW_STEPS = 50,
    DRAW_OPS = 300,
    DRAW_SLOWED_OPS = 10
};
#define DRAW_OP_SD 0.02

struct draw_plan {
    uint64_t seed;
    size_t runs;   /* a side */
    double effect; /* of the candidate's step time, 0.03 = 3 % slower */
    bool with_ops;
};

struct draw {
    struct arena arena;
    uint64_t state;
    size_t runs;
    struct gate_profile history[DRAW_HISTORY_RUNS], before[DRAW_MOST_RUNS], after[DRAW_MOST_RUNS];
    int next_id;
};

/* Draws; arena_done(&draw->arena) frees. Ops are called "op0", "op1", ... */
void draw_start(struct draw *draw, const struct draw_plan *plan);

/* Judges it with the default policy; ends the process when the gate cannot. */
struct verdict draw_judge(struct draw *draw);

#endif
