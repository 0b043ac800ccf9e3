/* Profiles that are elsewhere: what `summarize --artifact`, `--run-target` and the run targets of
 * `bundle` have in common. */
#ifndef OPS_CLI_FILES_REMOTE_H
#define OPS_CLI_FILES_REMOTE_H

#include "ops/cli/cli.h"
#include "ops/net/wandb/wandb.h"

#define CLI_REMOTE \
    CLI_OPTION("entity", CLI_TEXT, "NAME", NULL, \
               "W&B entity (default: WANDB_ENTITY, W&B's files)"), \
        CLI_OPTION("project", CLI_TEXT, "NAME", NULL, \
                   "W&B project (default: WANDB_PROJECT, W&B's files)"), \
        CLI_OPTION("download-root", CLI_TEXT, "DIR", NULL, \
                   "download to there (default: below XDG_CACHE_HOME, kept for the next time)")

/* A profile that is here now. */
struct remote_profile {
    const char *path; /* of the folder that holds it */
    struct wandb_origin origin;
    struct wandb_run run; /* zeroed when the run is not known */
    bool has_run;
};

/* Fetches the artifact that is named; a run that made it but cannot be read is a warning. Errors as
 * wandb_artifact_find and fetch_all. */
bool remote_artifact(struct cli *cli, const char *reference, struct remote_profile *ret_profile,
                     struct err *err);

/* Fetches the profile of a run: from the directory that its configuration names, else from its own
 * artifact; a log line says from where. ERR_MISSING: neither has one. */
bool remote_run(struct cli *cli, const char *target, struct remote_profile *ret_profile,
                struct err *err);

/* Writes what is known of run and artifact into the summary; of a zeroed profile nothing. */
bool remote_describe(const struct remote_profile *profile, struct arena *arena,
                     struct summary *summary, struct err *err);

/* Accepts a zeroed struct. */
void remote_done(struct remote_profile *profile);

#define scoped_remote __attribute__((cleanup(remote_done))) struct remote_profile

#endif
