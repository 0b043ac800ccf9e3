/* A run at W&B: read whole, its profiler directory, and what it tells about a profile. */
#ifndef OPS_NET_WANDB_WANDB_RUN_H
#define OPS_NET_WANDB_WANDB_RUN_H

#include "ops/net/wandb/wandb_client.h"
#include "ops/net/wandb/wandb_target.h"
#include "schema/documents/summary.h"

struct wandb_run {
    const char *path; /* "entity/project/run" */
    const char *name; /* the run's id in that path */
    const char *id;   /* the service's own, opaque */
    const char *state;
    json_t *config;  /* object, values unwrapped; marked literals (ops/net/wandb/loose_json.h) */
    json_t *summary; /* object, likewise */
    json_t *tags;    /* array of strings */
};

/* Reads a run. ERR_MISSING: not there or no access; ERR_INPUT: its configuration is no JSON; else
 * as wandb_call. wandb_run_done accepts a zeroed struct. */
bool wandb_run_read(struct wandb_client *client, const struct wandb_run_name *name,
                    struct arena *arena, struct wandb_run *ret_run, struct err *err);
void wandb_run_done(struct wandb_run *run);

/* The directory that the training job wrote its profile to: config trainer.log_dir, joined with
 * trainer.id (else the run's id) and `profiler`: a path of a file system or a URL (gs://, s3://).
 * ERR_MISSING: the configuration says none; ERR_INPUT: two schemes. */
bool wandb_run_profile_place(const struct wandb_run *run, struct arena *arena,
                             const char **ret_place, struct err *err);

/* First 16 hex digits of the SHA-256 over the configuration as Python's json.dumps with sorted keys
 * prints it. ERR_LIMIT, ERR_BUG. */
bool wandb_run_config_hash(const struct wandb_run *run, struct arena *arena, const char **ret_hash,
                           struct err *err);

/* Where a profile was found. */
struct wandb_origin {
    const char *ref, *name; /* run_metadata.artifact_ref and artifact_name; NULL = none */
    const char *version;    /* "entity/project/name:v3", which no alias can move; NULL = none */
};

/* Writes what is known of run and origin into the summary: run_metadata, and facts of the
 * environment (source "wandb") that the profile does not say itself. What both say stays as the
 * profile says it. run may be NULL. ERR_LIMIT, ERR_BUG. */
bool wandb_run_describe(const struct wandb_run *run, const struct wandb_origin *origin,
                        struct arena *arena, struct summary *summary, struct err *err);

#define scoped_wandb_run __attribute__((cleanup(wandb_run_done))) struct wandb_run

#endif
