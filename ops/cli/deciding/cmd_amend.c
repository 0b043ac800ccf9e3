/* stepledger amend: what a profile is called was wrong. */
#include "ops/cli/cli.h"
#include "ops/cli/deciding/correct.h"
#include "ops/cli/operand/operand.h"

static bool amend(struct cli *cli, struct err *err)
{
    const struct amendment amendment = {
        .action = AMEND_amend,
        .workload = cli_text(cli, "workload"),
        .branch = cli_text(cli, "branch"),
        .commit = cli_text(cli, "commit"),
        .run = cli_text(cli, "run"),
        .label = cli_text(cli, "label"),
    };
    if (amendment.workload == NULL && amendment.branch == NULL && amendment.commit == NULL &&
        amendment.run == NULL && amendment.label == NULL)
        return err_set(err, ERR_USAGE,
                       "nothing to amend: give --workload, --branch, --commit, --run or --label");
    return correct_profiles(cli, &amendment, err);
}

static const struct cli_option options[] = {
    {"workload", CLI_TEXT, "W", NULL, "the workload that it is of"},
    {"branch", CLI_TEXT, "B", NULL, "the branch, instead of all that were said"},
    {"commit", CLI_TEXT, "SHA", NULL, "the commit, instead of all that were said"},
    {"run", CLI_TEXT, "RUN", NULL, "the run that it is a sample of"},
    {"label", CLI_TEXT, "L", NULL, "the label, instead of all that were said"},
    CLI_REASON,
    {"project", CLI_TEXT, "P", NULL, "refuse profiles of other projects"},
    CLI_DB,
    CLI_END,
};

const struct cli_command cmd_amend = {
    .name = "amend",
    .line = "correct what profiles are called",
    .operands = "PROFILE...",
    .operand_min = 1,
    .operand_max = -1,
    .options = options,
    .required = "reason",
    .details =
        "PROFILE is p12, or a run, label or commit that only one profile has. Appends a\n"
        "correction; nothing is changed. From then on baselines, trends, lists and names follow\n"
        "it: with another workload the profile goes to the series of that workload that is\n"
        "otherwise the same. Verdicts of before keep what they were made from. A profile of\n"
        "another project is retracted and ingested again.\n\n"
        "When it was captured, and its other facts, are told anew with its file: `ingest` it\n"
        "again with --captured-at and --reason (or --meta KEY=VALUE); what this appends takes\n"
        "the place of the profile of before.\n\n"
        "exit: 0 appended, all of them · 2 usage · 6 no such profile · 65 it cannot be said of it\n"
        "      (nothing would change, it was retracted or superseded, ...) · 69 database away",
    .run = amend,
};
