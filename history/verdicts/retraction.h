/* Whether what a verdict rests on was retracted after it was made. */
#ifndef HISTORY_VERDICTS_RETRACTION_H
#define HISTORY_VERDICTS_RETRACTION_H

#include "history/db.h"
#include "ops/runtime/arena.h"

#include <stdint.h>

/* "p3 of the baseline (a noisy host), p9 of the candidate (...)" in the arena, of the profiles of
 * the verdict that were retracted, they or what took their place; NULL: all of them count. */
bool verdict_retraction(struct db *db, int64_t verdict_id, struct arena *arena,
                        const char **ret_text, struct err *err);

#endif
