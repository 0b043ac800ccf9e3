/* Which of a profile's first steps are warm-up, read from the steps themselves.
 *
 * Two kinds of evidence. The host compiled while the step ran, or before it began: that alone
 * makes the first steps warm-up, of however few, up to the first one without; a later step in which
 * a program is compiled again stays. Or the first steps are apart from all that follow, by more
 * than those differ among themselves: that needs three steps at least. A first step that is merely
 * the slowest one stays, and no later step is ever left out (but a last one that was cut, which is
 * no whole step): it is part of what the job does. A job that compiles in most of its steps has no
 * warm-up but a fault, and keeps them all.
 *
 * Thresholds are set by simulation (tests/unit/ingest_warmup_test.c holds the rates). Equal steps
 * lose one in at most 1 of 100 captures of 3 to 50, AR(.6) with a deviation up to 10 % and t3
 * alike. Where heavy steps come back, the only one of a short capture cannot be told from warm-up
 * when it is the first (20 of 100 captures of 4 or 5 steps whose fifth is half as heavy again, 10
 * where half of all steps are); the median over steps hardly minds (-.1 %, at worst -.7 %).
 */
#ifndef INGEST_STEP_TABLE_WARMUP_H
#define INGEST_STEP_TABLE_WARMUP_H

#include "ops/runtime/arena.h"
#include "schema/documents/summary.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No more than so many steps are warm-up by the data. */
enum { WARMUP_STEPS_MOST = 8 };

/* What is known of a step. */
struct warmup_step {
    int64_t duration_ps; /* on the slowest device */
    int64_t compile_ps;  /* in which the host compiled, since the step before */
    int64_t idle_ps;     /* in which that device did nothing; -1 = not known */
};

/* Whether the host compiled for a part of the step that matters. */
bool warmup_has_compiled(const struct warmup_step *step);

/* Fills reasons[count] (WARMUP_…, or NULL for a steady step) for steps[count], ascending numbers.
 * Only the first `most` may be warm-up. */
void warmup_find(const struct warmup_step *steps, size_t count, size_t most, struct arena *arena,
                 const char **reasons);

#endif
