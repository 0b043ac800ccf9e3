/* Chooses the database and opens it. */
#include "ops/cli/operand/connect.h"

#include "history/cluster/cluster.h"

const char *connect_configured(const struct cli *cli)
{
    const char *option = cli_text(cli, "db");
    const char *configured = option != NULL ? option : conf_text(&cli->conf, CONF_db);
    return configured[0] == '\0' ? NULL : configured;
}

bool connect_ledger(struct cli *cli, struct db **ret_db, struct err *err)
{
    const char *conninfo = connect_configured(cli);
    return conninfo != NULL ? db_open(conninfo, ret_db, err)
                            : cluster_open(&cli->arena, ret_db, err);
}

bool connect_reader(struct cli *cli, struct db **ret_db, struct err *err)
{
    const char *replica = conf_text(&cli->conf, CONF_db_read);
    bool meant = cli_given(cli, "db-read") || cli_text(cli, "db") == NULL;
    if (meant && replica[0] != '\0')
        return db_open(replica, ret_db, err);
    return connect_ledger(cli, ret_db, err);
}

bool connect_owner(struct cli *cli, const char **ret_conninfo, struct err *err)
{
    struct cluster_status status;
    *ret_conninfo = connect_configured(cli);
    if (*ret_conninfo != NULL)
        return true;
    if (!cluster_ensure(&cli->arena, &status, err))
        return false;
    *ret_conninfo = status.owner_url;
    return true;
}

struct flow connect_flow(struct cli *cli, struct db *db)
{
    return (struct flow){&cli->conf, db, &cli->arena, cli->memory};
}
