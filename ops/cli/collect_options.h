/* Options for what is learned about profiles besides what stands in them (ops/flow/collect).
 *
 * Nothing is taken from around without being asked: a runner that only gates has flags and versions
 * of its own, which say nothing of the job. */
#ifndef OPS_CLI_COLLECT_OPTIONS_H
#define OPS_CLI_COLLECT_OPTIONS_H

#include "ops/cli/cli.h"
#include "ops/flow/collect/collect.h"

#define COLLECT_ENV_FILE \
    { \
        "env-file", CLI_LIST, "FILE", NULL, "what `capture-env` found on a host of the job", false \
    }
#define COLLECT_ENV \
    { \
        "env", CLI_CHOICE, "none|here", "none", \
            "here: this command runs beside the job, in its environment", false \
    }
#define COLLECT_CONFIG \
    { \
        "config-file", CLI_TEXT, "FILE", NULL, \
            "the job's configuration (YAML, JSON): its hash, batch, ...", false \
    }
#define COLLECT_WANDB \
    { \
        "wandb-run", CLI_TEXT, "RUN", NULL, "ENTITY/PROJECT/RUN at Weights & Biases", false \
    }
#define COLLECT_REPO \
    { \
        "repo", CLI_TEXT, "DIR", NULL, "git repository that the job's code came from", false \
    }
/* Of every command that takes profiles in. */
#define CLI_COLLECT COLLECT_ENV_FILE, COLLECT_ENV, COLLECT_CONFIG, COLLECT_WANDB, COLLECT_REPO

/* Collects what the options name; the command's table holds CLI_COLLECT. Errors of
 * collect_facts. */
bool collect_of_options(struct cli *cli, struct collection *ret_collection, struct err *err);

/* The origin of profiles with this commit and branch (NULL: not given) and what was collected, as
 * collect_origin. */
bool origin_of_options(struct cli *cli, const struct collection *collection, const char *commit,
                       const char *branch, struct code_origin *ret_origin, struct err *err);

#endif
