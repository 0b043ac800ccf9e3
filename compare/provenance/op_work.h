/* Whether two profiles did the same work in a step: half the batch is not a faster program.
 *
 * Ops are matched by what survives another batch or sequence: opcode, category, phase, source path
 * and the form of their shapes without the numbers. A pair's work is the ratio of its dimensions
 * (one ratio, or it says nothing) times the ratio of its runs per step. The work is another one
 * when pairs that agree on one ratio other than 1 hold a good part of the step, and the floating
 * point operations of the step changed by more than a tenth in the same direction; without these
 * the shapes of most of the time must agree. A ratio near 1 is another work too when it is that of
 * what the arrays count (the dimensions before the last: batch, sequence), hardly any op says
 * otherwise, and the operations follow. So another sharding (dimensions move between ops, the
 * operations stay), a padded vocabulary, a fusion or a loop that was unrolled are not other work.
 * Profiles without shapes tell nothing. Internal to compare/.
 */
#ifndef COMPARE_PROVENANCE_OP_WORK_H
#define COMPARE_PROVENANCE_OP_WORK_H

#include "ops/runtime/arena.h"
#include "schema/documents/optional.h"
#include "schema/documents/summary.h"

struct op_work_cell {
    const struct op_row *row;
    double us, runs; /* per step and device */
};

/* The ops of a profile that take most time, in the order in which they are matched. */
struct op_work {
    struct op_work_cell *cells;
    size_t count;
    double us;            /* of the cells */
    struct opt_f64 flops; /* per step and device, when the ops of most of the time tell theirs */
};

/* A profile without ops has none. */
void op_work_read(const struct summary *summary, struct arena *arena, struct op_work *ret_work);

struct op_work_change {
    bool differs;
    const struct op_work_cell *before, *after; /* the largest pair of the common ratio */
};

/* The answer for two profiles; none without ops on both sides. */
struct op_work_change op_work_compare(const struct op_work *before, const struct op_work *after);

/* "bf16[8,1024,2048] x 24, 9.11 TFLOP a step" */
const char *op_work_text(const struct op_work *work, const struct op_work_cell *cell,
                         struct arena *arena);

#endif
