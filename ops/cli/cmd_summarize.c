/* stepledger summarize: one profile in, profile_summary.v1 out; no database. */
#include "ops/cli/commands.h"
#include "ops/cli/summarize.h"
#include "ops/runtime/json.h"

enum { DOCUMENT_MAX_BYTES = 1 << 30 };

/* The reference's order when several are given: the file wins over the directory. */
static bool find_profile(struct cli *cli, struct profile_files *ret_profile, struct err *err)
{
    const char *file = cli_text(cli, "xplane-file");
    const char *directory = cli_text(cli, "profile-dir");
    if (file != NULL)
        return ingest_xplane_file(file, &cli->arena, ret_profile, err);
    if (directory == NULL)
        return err_set(err, ERR_INPUT, "give --xplane-file FILE or --profile-dir DIR");
    struct profile_list list;
    if (!ingest_discover(directory, &cli->arena, &list, err))
        return false;
    if (list.count > 1)
        return err_set(err, ERR_INPUT,
                       "'%s' holds %zu captures; name one, for example --profile-dir '%s'",
                       directory, list.count, list.items[0].path);
    *ret_profile = list.items[0];
    return true;
}

static bool summarize(struct cli *cli, struct err *err)
{
    struct profile_files profile;
    struct ingest_options options;
    if (!find_profile(cli, &profile, err) || !summarize_options(cli, &options, err))
        return false;
    options.hot_op_limit = cli_int(cli, "hot-op-limit");
    scoped_arena arena;
    arena_init(&arena, cli_budget(cli));
    struct summary summary;
    if (!summarize_profile(cli, &profile, &options, &arena, &summary, err))
        return false;
    scoped_json *document = summary_to_json(&summary, err);
    if (document == NULL)
        return false;
    scoped_text text;
    text_init(&text, DOCUMENT_MAX_BYTES);
    json_print(document, JSON_STYLE_INDENTED, &text);
    return cli_emit(cli_text(cli, "output"), &text, err);
}

static int run_summarize(struct cli *cli)
{
    struct err err = {0};
    return summarize(cli, &err) ? EXIT_OK : cli_fail(cli, &err);
}

static const struct cli_option options[] = {
    {"xplane-file", CLI_TEXT, "FILE", NULL, "one XPlane file (.xplane.pb)", false},
    {"profile-dir", CLI_TEXT, "DIR", NULL, "a directory with one capture, one file per host",
     false},
    CLI_WARMUP,
    {"hot-op-limit", CLI_INT, "N", "25", "rows of hot_ops", false},
    CLI_MODE,
    CLI_META,
    CLI_STRICT_INPUT,
    CLI_PROGRESS,
    {"output", CLI_TEXT, "FILE", NULL, "write the summary there and print the path", false},
    CLI_END,
};

const struct cli_command cmd_summarize = {
    .name = "summarize",
    .line = "read a profile, print its summary as JSON",
    .operands = "",
    .options = options,
    .details = "Prints profile_summary.v1 with the members that stepledger adds beside it\n"
               "(producer, environment, steps, devices, ops, coverage, sources). Needs no\n"
               "database.\n\n"
               "exit: 0 done · 1 error · 2 usage",
    .run = run_summarize,
    .compatible = true,
};
