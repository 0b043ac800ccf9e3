/* stepledger capture-env: what a profile does not say, read beside the job. */
#include "ops/flow/collect/collect.h"
#include "ops/cli/cli.h"

enum { DOCUMENT_MAX_BYTES = 4 << 20 };

static bool capture_print(struct cli *cli, struct err *err)
{
    struct capture_env capture;
    const struct capture_env_request request = {.repository = cli_text(cli, "repo"),
                                                .python = cli_text(cli, "python"),
                                                .config_file = cli_text(cli, "config-file"),
                                                .asks_ci =
                                                    conf_bool(&cli->conf, CONF_origin_from_ci)};
    if (!capture_env_collect(&request, &cli->arena, &capture, err))
        return false;
    scoped_json *document = capture_env_to_json(&capture);
    scoped_text text;
    text_init(&text, DOCUMENT_MAX_BYTES);
    json_print(document, JSON_STYLE_INDENTED, &text);
    return cli_emit(cli_text(cli, "output"), &text, err);
}

static const struct cli_option options[] = {
    {"repo", CLI_TEXT, "DIR", ".", "git repository of the job's code, when it is one"},
    {"python", CLI_TEXT, "PROGRAM", "python3", "asked for versions (its metadata alone)"},
    {"config-file", CLI_TEXT, "FILE", NULL,
     "the job's configuration (YAML, JSON): its hash, batch, ..."},
    {"output", CLI_TEXT, "FILE", NULL, "write the document there and print the path"},
    CLI_END,
};

const struct cli_command cmd_capture_env = {
    .name = "capture-env",
    .line = "what profiles do not say, read beside the job, for --env-file",
    .operands = "",
    .options = options,
    .details =
        "Run it on the job's hosts, with the job's environment:\n\n"
        "  stepledger capture-env > env.json\n\n"
        "and give the file to `ingest --env-file env.json`, `gate` or `queue add` (several hosts:\n"
        "several --env-file). It holds flags and versions that decide whether two runs can be\n"
        "compared, each with where it was read, the commit as the repository and a CI system's\n"
        "variables say it, and what the scheduler calls the job. Only variables on a list are\n"
        "kept, so that no secret is (`stepledger help capture` shows the list); others of their\n"
        "kind are named without their value.\n\n"
        "exit: 0 done · 2 usage · 6 no such file",
    .run = capture_print,
};
