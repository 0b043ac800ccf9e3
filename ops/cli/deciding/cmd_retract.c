/* stepledger retract: a profile must not count. */
#include "ops/cli/cli.h"
#include "ops/cli/deciding/correct.h"
#include "ops/cli/operand/operand.h"

static bool retract(struct cli *cli, struct err *err)
{
    const struct amendment amendment = {
        .action = cli_given(cli, "undo") ? AMEND_restore : AMEND_retract,
    };
    return correct_profiles(cli, &amendment, err);
}

static const struct cli_option options[] = {
    CLI_REASON,
    {"undo", CLI_FLAG, NULL, NULL, "take a retraction back: the profiles count again"},
    {"project", CLI_TEXT, "P", NULL, "refuse profiles of other projects"},
    CLI_DB,
    CLI_END,
};

const struct cli_command cmd_retract = {
    .name = "retract",
    .line = "say that profiles must not count",
    .operands = "PROFILE...",
    .operand_min = 1,
    .operand_max = -1,
    .options = options,
    .required = "reason",
    .details =
        "PROFILE is p12, or a run, label or commit that only one profile has. Appends a\n"
        "retraction; nothing is removed. From then on no baseline, trend or name leads to the\n"
        "profile (its id still does), its bytes are not taken in again in that workload, and\n"
        "verdicts that rest on it say so when they are shown. Where it had taken the place of\n"
        "another profile, --undo of that one lets it count again.\n\n"
        "exit: 0 appended, all of them · 2 usage · 6 no such profile · 65 it was retracted or\n"
        "      superseded already · 69 database away",
    .run = retract,
};
