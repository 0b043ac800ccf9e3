/* The options as a request. */
#include "ops/cli/collect_options.h"

#include <string.h>

bool collect_of_options(struct cli *cli, struct collection *ret_collection, struct err *err)
{
    const struct cli_value *files = cli_value(cli, "env-file");
    const struct collect_request request = {
        .env_files = {files->list, files->count},
        .here = strcmp(cli_text(cli, "env"), "here") == 0,
        .config_file = cli_text(cli, "config-file"),
        .wandb_run = cli_text(cli, "wandb-run"),
        .repository = cli_text(cli, "repo"),
    };
    return collect_facts(&cli->conf, &request, &cli->arena, ret_collection, err);
}

bool origin_of_options(struct cli *cli, const struct collection *collection, const char *commit,
                       const char *branch, struct code_origin *ret_origin, struct err *err)
{
    const struct origin_request asked = {
        .commit = commit, .branch = branch, .asks_ci = conf_bool(&cli->conf, CONF_origin_from_ci)};
    return collect_origin(collection, &asked, &cli->arena, ret_origin, err);
}
