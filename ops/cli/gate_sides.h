/* The two sides of a gate, from operands and options to ledger entries. */
#ifndef OPS_CLI_GATE_SIDES_H
#define OPS_CLI_GATE_SIDES_H

#include "compare/gate.h"
#include "history/ledger.h"
#include "ops/cli/cli.h"

struct gate_sides {
    const char *project, *workload, *series;
    struct gate_side baseline, candidate, history;
};

/* Ingests the candidate's paths, loads both sides from the ledger. ERR_MISSING: no baseline at all,
 * or an entry that was asked for does not exist; ERR_INPUT: a candidate that cannot be read. */
bool gate_sides_load(struct cli *cli, struct db *db, struct arena *arena,
                     struct gate_sides *ret_sides, struct err *err);

#endif
