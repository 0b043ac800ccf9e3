/* What a command learns about profiles besides what stands in them: the options for it, and their
 * reading. */
#ifndef OPS_CLI_COLLECT_H
#define OPS_CLI_COLLECT_H

#include "ops/cli/cli.h"
#include "ops/cli/code_origin.h"

/* Of every command that takes profiles in. */
#define CLI_COLLECT \
    { \
        "repo", CLI_TEXT, "DIR", NULL, "git repository that the job's code came from", false \
    }

/* The origin of profiles with this commit and branch of options (NULL: not given); what was not
 * agreed on is logged. The command's table holds CLI_COLLECT. */
bool collect_origin(struct cli *cli, const char *commit, const char *branch,
                    struct code_origin *ret_origin, struct err *err);

#endif
