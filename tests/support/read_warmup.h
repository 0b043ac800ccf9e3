/* Made step times, read as `ingest` reads those of a file: which of the first are warm-up, and the
 * figures of the others. */
#ifndef TESTS_SUPPORT_READ_WARMUP_H
#define TESTS_SUPPORT_READ_WARMUP_H

#include "ops/runtime/arena.h"
#include "schema/documents/summary.h"

/* Marks the rows of steps of one device by their max_ps, and sets everything else that is made of
 * these. Ends the program when memory runs out. */
void warmup_read(struct arena *arena, struct step_table *steps);

#endif
