/* Which database a command talks to: --db, the configuration, else the embedded cluster. */
#ifndef OPS_CLI_CONNECT_H
#define OPS_CLI_CONNECT_H

#include "history/db.h"
#include "ops/cli/cli.h"

/* Opens the ledger; brings the embedded cluster up when no database is configured. */
bool connect_ledger(struct cli *cli, struct db **ret_db, struct err *err);

/* The conninfo that --db, the environment or the configuration names; NULL = the embedded cluster.
 */
const char *connect_configured(const struct cli *cli);

#endif
