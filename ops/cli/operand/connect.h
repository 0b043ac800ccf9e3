/* Which database a command talks to: --db, the configuration, else the embedded cluster. */
#ifndef OPS_CLI_OPERAND_CONNECT_H
#define OPS_CLI_OPERAND_CONNECT_H

#include "history/db.h"
#include "ops/cli/cli.h"
#include "ops/flow/flow.h"

/* Opens the ledger; brings the embedded cluster up when no database is configured. */
bool connect_ledger(struct cli *cli, struct db **ret_db, struct err *err);

/* What a use case works with, on behalf of a command. */
struct flow connect_flow(struct cli *cli, struct db *db);

/* The same for a command that only reads (its table has CLI_DB_READ): the replica of --db-read, or
 * of `db_read` in the configuration unless --db is given. What a replica shows may be a moment old.
 */
bool connect_reader(struct cli *cli, struct db **ret_db, struct err *err);

/* The conninfo of the role that owns the schema: of the embedded cluster, which is brought up, or
 * what is configured (which must then name that role). */
bool connect_owner(struct cli *cli, const char **ret_conninfo, struct err *err);

/* The conninfo that --db, the environment or the configuration names; NULL = the embedded cluster.
 */
const char *connect_configured(const struct cli *cli);

#endif
