/* Reads the options of collecting. */
#include "ops/cli/collect.h"

#include "ops/runtime/log.h"

bool collect_origin(struct cli *cli, const char *commit, const char *branch,
                    struct code_origin *ret_origin, struct err *err)
{
    const struct origin_request request = {
        .commit = commit,
        .branch = branch,
        .repository = cli_text(cli, "repo"),
        .asks_ci = conf_bool(&cli->conf, CONF_origin_from_ci),
    };
    if (!code_origin_find(&request, &cli->arena, ret_origin, err))
        return false;
    for (size_t i = 0; i < ret_origin->conflicts.count; i++)
        log_event(LOG_WARN, LOG_origin_conflict, "why", ret_origin->conflicts.items[i], NULL);
    return true;
}
