/* Commands that run in turns: the order of the rounds, and one turn.
 *
 * What drifts with time (temperature, neighbours, a cluster that fills up) hits both sides alike
 * when they take turns, and the difference within a round is free of it. Which side goes first is
 * drawn, balanced over the rounds, so that going first is no advantage of one side.
 */
#ifndef OPS_CLI_JUDGING_INTERLEAVE_H
#define OPS_CLI_JUDGING_INTERLEAVE_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum interleave_side { SIDE_BASELINE, SIDE_CANDIDATE, SIDE_COUNT };
extern const char *const interleave_side_names[SIDE_COUNT]; /* baseline candidate */

/* Fills first[round_count], the side that goes first in each round: as often one as the other, one
 * more when they are odd. The same seed gives the same order. */
void interleave_order(uint64_t seed, size_t round_count, enum interleave_side *first);

/* A seed that nobody chose. ERR_BUG: the system has none. */
bool interleave_seed(uint64_t *ret_seed, struct err *err);

struct interleave_turn {
    const char *const *argv; /* ended by NULL */
    enum interleave_side side;
    size_t round;         /* from 1 */
    const char *folder;   /* empty: STEPLEDGER_CAPTURE_DIR */
    const char *env_file; /* not there yet: STEPLEDGER_ENV_FILE */
};

/* Runs the command to its end, with STEPLEDGER_SIDE and STEPLEDGER_ROUND besides these; its stdout
 * goes to our stderr. ERR_INPUT: it failed, or left its folder empty. ERR_MISSING: there is no such
 * program. ERR_LIMIT. */
bool interleave_turn_run(const struct interleave_turn *turn, struct err *err);

#endif
