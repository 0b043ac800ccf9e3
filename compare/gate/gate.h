/* The gate: a candidate against a baseline of past runs, and the verdict with every number behind
 * it.
 *
 * Provenance first, then the data, then one rule on step time (a model of how runs vary;
 * few of them pass nothing), then everything that explains it. Pure: no I/O, no clock, no
 * database; the same input gives the same verdict to the last bit.
 */
#ifndef COMPARE_GATE_GATE_H
#define COMPARE_GATE_GATE_H

#include "compare/gate/canary.h"
#include "compare/provenance/provenance.h"

/* Judges. Baseline and history profiles that cannot be compared with the candidate are left out and
 * named; the verdict is incomparable when none is left. The result points into the arena and into
 * the input. ERR_MISSING: a side has no profile; ERR_LIMIT: beyond the budget. */
bool gate_judge(const struct gate_input *input, struct arena *arena, struct verdict *ret_verdict,
                struct err *err);

#endif
