/* How people name things at W&B: runs and artifacts, as they are typed or pasted. Pure. */
#ifndef OPS_NET_WANDB_WANDB_TARGET_H
#define OPS_NET_WANDB_WANDB_TARGET_H

#include "ops/net/wandb/wandb_config.h"
#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"

struct wandb_run_name {
    struct wandb_value entity, project;
    const char *run;  /* the run's id */
    const char *path; /* "entity/project/run" */
};

/* Parses "RUN" (entity and project come from the settings), "ENTITY/PROJECT/RUN",
 * "ENTITY/PROJECT/runs/RUN", or the URL of the run's page. What follows the run in a URL is
 * ignored. ERR_INPUT: none of these; ERR_USAGE: a URL of another host than the configured one
 * (which is never asked), or entity or project of a bare id is not known. */
bool wandb_run_name_parse(const char *target, const struct wandb_config *config,
                          struct arena *arena, struct wandb_run_name *ret_name, struct err *err);

struct wandb_artifact_name {
    struct wandb_value entity; /* text NULL: the key's default entity */
    struct wandb_value project;
    const char *collection, *alias; /* alias or "v3" */
};

/* Parses "[[ENTITY/]PROJECT/]NAME[:ALIAS]"; the alias is latest when none is given, the project
 * that of the settings, else uncategorized. ERR_INPUT. */
bool wandb_artifact_name_parse(const char *reference, const struct wandb_config *config,
                               struct arena *arena, struct wandb_artifact_name *ret_name,
                               struct err *err);

#endif
