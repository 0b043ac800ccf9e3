/* What a command learns about profiles besides what stands in them: the options for it, and their
 * reading.
 *
 * Nothing is taken from around without being asked: a runner that only gates has flags and versions
 * of its own, which say nothing of the job. */
#ifndef OPS_CLI_COLLECT_H
#define OPS_CLI_COLLECT_H

#include "ops/cli/cli.h"
#include "ops/cli/code_origin.h"

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

struct collection {
    struct fact *facts; /* each with its source; the first of a name counts */
    size_t count;
    const char *run; /* of --wandb-run, else the scheduler's job, else the run that W&B's variable
                        names; NULL: none is known, or several are */
};

/* Reads what the options name, in the order of the table above. The command's table holds
 * CLI_COLLECT. ERR_MISSING, ERR_INPUT, and what W&B may fail with. */
bool collect_facts(struct cli *cli, struct collection *ret_collection, struct err *err);

/* Adds the facts of a file of `capture-env`; each says which file of which host it is from. */
bool collect_env_file(struct cli *cli, const char *path, struct collection *into, struct err *err);

/* Adds facts behind those that there are; the list before stays as it is. ERR_LIMIT. */
bool collect_add(struct cli *cli, const struct fact *facts, size_t count, struct collection *into,
                 struct err *err);

/* The origin of profiles with this commit and branch of options (NULL: not given), those facts and
 * a CI system's variables; what was not agreed on is logged. */
bool collect_origin(struct cli *cli, const struct collection *collection, const char *commit,
                    const char *branch, struct code_origin *ret_origin, struct err *err);

#endif
