/* Artifacts at W&B, read: found by name or as the output of a run, their creator, their files. */
#ifndef OPS_NET_WANDB_WANDB_ARTIFACT_H
#define OPS_NET_WANDB_WANDB_ARTIFACT_H

#include "ops/net/fetch/fetch.h"
#include "ops/net/wandb/wandb_client.h"
#include "ops/net/wandb/wandb_target.h"

/* The type under which training jobs log profiles. */
#define WANDB_PROFILE_TYPE "jax_profile"

struct wandb_artifact {
    const char *id; /* the service's own, opaque */
    const char *entity, *project, *collection, *type;
    int64_t version; /* 3 for "v3" */
    const char *ref; /* "entity/project/collection:v3" */
};

/* Finds a committed artifact by name; fills in the key's default entity where the name has none.
 * ERR_MISSING: not there or no access; ERR_INPUT: it is of another type than `type` (NULL = any);
 * else as wandb_call. */
bool wandb_artifact_find(struct wandb_client *client, const struct wandb_artifact_name *name,
                         const char *type, struct arena *arena, struct wandb_artifact *ret_artifact,
                         struct err *err);

/* The profile among a run's own outputs: of type jax_profile, the one that bears `alias`, else the
 * one that was updated last. Never another run's newest, as the collection's alias may be.
 * ERR_MISSING: the run has none. */
bool wandb_artifact_of_run(struct wandb_client *client, const struct wandb_run_name *run,
                           const char *alias, struct arena *arena,
                           struct wandb_artifact *ret_artifact, struct err *err);

/* The run that made it. *ret_known false: the service does not say. */
bool wandb_artifact_creator(struct wandb_client *client, const struct wandb_artifact *artifact,
                            struct arena *arena, bool *ret_known, struct wandb_run_name *ret_name,
                            struct err *err);

/* Downloads all its files. As fetch_all; an entry that only refers to another store is ERR_INPUT,
 * never skipped. */
bool wandb_artifact_fetch(struct wandb_client *client, const struct wandb_artifact *artifact,
                          const struct fetch_target *target, struct arena *arena,
                          struct fetch_report *ret_report, struct err *err);

#endif
