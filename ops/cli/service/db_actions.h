/* The actions of `stepledger db` that have a file of their own. */
#ifndef OPS_CLI_SERVICE_DB_ACTIONS_H
#define OPS_CLI_SERVICE_DB_ACTIONS_H

#include "ops/cli/cli.h"

/* Each takes the folder of the backup as its second operand. */
bool db_backup(struct cli *cli, struct err *err);
bool db_restore(struct cli *cli, struct err *err);

#endif
