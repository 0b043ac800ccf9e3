/* `stepledger work compare`: judging what the queue stored, as `gate` would. */
#ifndef OPS_CLI_WORK_COMPARE_H
#define OPS_CLI_WORK_COMPARE_H

#include "ops/cli/cli.h"

/* Runs the worker; with --once all that is due, and prints what came of it. */
bool work_compare(struct cli *cli, struct err *err);

#endif
