/* Finds, downloads, and says from where. */
#include "ops/cli/files/remote.h"

#include "ops/net/fetch/fetch.h"
#include "ops/net/wandb/wandb.h"
#include "ops/runtime/file.h"
#include "ops/runtime/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void remote_done(struct remote_profile *profile)
{
    wandb_run_done(&profile->run);
}

bool remote_describe(const struct remote_profile *profile, struct arena *arena,
                     struct summary *summary, struct err *err)
{
    return profile->path == NULL || wandb_run_describe(profile->has_run ? &profile->run : NULL,
                                                       &profile->origin, arena, summary, err);
}

static bool client_open(struct cli *cli, struct wandb_config *config, struct wandb_client *client,
                        struct err *err)
{
    return wandb_config_load(&cli->conf, cli_text(cli, "entity"), cli_text(cli, "project"),
                             &cli->arena, config, err) &&
           wandb_open(config, &cli->arena, client, err);
}

/* Where downloads of this name go without --download-root: the same place every time, so that what
 * is there is not fetched again. Names come from a server, so they are checked as paths. */
static bool cache_folder(struct cli *cli, const char *name, const char **ret_folder,
                         struct err *err)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool given = cache != NULL && cache[0] == '/';
    const char *fault = fetch_path_fault(name);
    if (fault != NULL)
        return err_set(err, ERR_INPUT,
                       "'%.200s' %s, so it cannot name a folder; give "
                       "--download-root",
                       name, fault);
    if (!given && (home == NULL || home[0] != '/'))
        return err_set(err, ERR_USAGE,
                       "neither XDG_CACHE_HOME nor HOME is set; give "
                       "--download-root");
    *ret_folder = arena_printf(&cli->arena, "%s%s/stepledger/%s", given ? cache : home,
                               given ? "" : "/.cache", name);
    return true;
}

static void fetched_log(const char *from, const char *folder, const struct fetch_report *report)
{
    char total[32], moved[32], kept[32], resumed[32];
    (void)snprintf(total, sizeof total, "%lld", (long long)report->bytes_total);
    (void)snprintf(moved, sizeof moved, "%lld", (long long)report->bytes_moved);
    (void)snprintf(kept, sizeof kept, "%zu", report->files_kept);
    (void)snprintf(resumed, sizeof resumed, "%zu", report->files_resumed);
    log_event(LOG_INFO, LOG_remote_fetched, "from", from, "to", folder, "bytes", total,
              "bytes_moved", moved, "files_kept", kept, "files_resumed", resumed, NULL);
}

static void warning_log(const char *why)
{
    log_event(LOG_WARN, LOG_remote_warning, "why", why, NULL);
}

static struct fetch_target target_of(const char *folder, struct progress_bar *bar)
{
    bool shown = isatty(STDERR_FILENO);
    return (struct fetch_target){.folder = folder,
                                 .progress = shown ? bar_draw : NULL,
                                 .progress_context = shown ? bar : NULL};
}

/* ---- artifacts ---- */

static bool artifact_fetch(struct cli *cli, struct wandb_client *client,
                           const struct wandb_artifact *artifact, const char *folder,
                           struct err *err)
{
    struct progress_bar bar = {.name = artifact->ref};
    struct fetch_target target = target_of(folder, &bar);
    struct fetch_report report;
    bool fetched = wandb_artifact_fetch(client, artifact, &target, &cli->arena, &report, err);
    bar_clear(&bar);
    if (fetched)
        fetched_log(artifact->ref, folder, &report);
    return fetched;
}

static const char *artifact_folder_name(struct cli *cli, const struct wandb_artifact *artifact)
{
    return arena_printf(&cli->arena, "wandb/%s/%s/%s/v%lld", artifact->entity, artifact->project,
                        artifact->collection, (long long)artifact->version);
}

/* What the run tells is worth much, but not the profile itself. */
static void creator_read(struct cli *cli, struct wandb_client *client,
                         const struct wandb_artifact *artifact, struct remote_profile *profile)
{
    struct wandb_run_name name;
    struct err failure = {0};
    bool known = false;
    profile->has_run =
        wandb_artifact_creator(client, artifact, &cli->arena, &known, &name, &failure) && known &&
        wandb_run_read(client, &name, &cli->arena, &profile->run, &failure);
    if (!profile->has_run)
        warning_log(failure.kind == ERR_NONE ? "W&B does not say which run made the artifact"
                                             : failure.text);
}

bool remote_artifact(struct cli *cli, const char *reference, struct remote_profile *ret_profile,
                     struct err *err)
{
    struct wandb_config config;
    struct wandb_artifact_name name;
    scoped_wandb client = {0};
    struct wandb_artifact artifact;
    struct remote_profile profile = {0};
    if (!client_open(cli, &config, &client, err) ||
        !wandb_artifact_name_parse(reference, &config, &cli->arena, &name, err) ||
        !wandb_artifact_find(&client, &name, WANDB_PROFILE_TYPE, &cli->arena, &artifact, err))
        return false;
    const char *root = cli_text(cli, "download-root"),
               *cache = artifact_folder_name(cli, &artifact);
    profile.path = root;
    if ((root == NULL && !cache_folder(cli, cache, &profile.path, err)) ||
        !artifact_fetch(cli, &client, &artifact, profile.path, err))
        return false;
    profile.origin = (struct wandb_origin){reference, artifact.collection, artifact.ref};
    creator_read(cli, &client, &artifact, &profile);
    *ret_profile = profile;
    return true;
}

/* ---- runs ---- */

/* DOWNLOAD_ROOT/RUN/profiler, as the reference tool lays it out. */
static bool run_folder(struct cli *cli, const struct wandb_run_name *name, const char *cache,
                       const char **ret_folder, struct err *err)
{
    const char *root = cli_text(cli, "download-root");
    if (root == NULL)
        return cache_folder(cli, cache, ret_folder, err);
    const char *fault = fetch_path_fault(name->run);
    if (fault != NULL)
        return err_set(err, ERR_INPUT, "the run's id '%.200s' %s", name->run, fault);
    *ret_folder = arena_printf(&cli->arena, "%s/%s/profiler", root, name->run);
    return true;
}

/* The directory of trainer.log_dir: read where it is when this machine has it, else downloaded. */
static bool place_fetch(struct cli *cli, const struct wandb_run_name *name, const char *place,
                        struct remote_profile *profile, struct err *err)
{
    const char *local = strncmp(place, "file://", 7) == 0 ? place + 7 : place;
    profile->origin = (struct wandb_origin){place, "profiler", NULL};
    profile->path = local;
    if (strstr(local, "://") == NULL && access(local, R_OK) == 0) {
        log_event(LOG_INFO, LOG_remote_fetched, "from", place, "to", local, NULL);
        return true;
    }
    if (strstr(local, "://") == NULL)
        return err_set(err, ERR_MISSING,
                       "the profiler directory '%s' of run %s is not on this machine", local,
                       name->path);
    if (!fetch_bucket_serves(place))
        return err_set(err, ERR_MISSING,
                       "the profiler directory '%s' of run %s has a scheme that "
                       "cannot be read",
                       place, name->path);
    const char *cache = arena_printf(&cli->arena, "runs/%s/profiler", name->path);
    struct progress_bar bar = {.name = name->path};
    struct fetch_report report;
    if (!run_folder(cli, name, cache, &profile->path, err))
        return false;
    struct fetch_target target = target_of(profile->path, &bar);
    bool fetched = fetch_bucket(&cli->conf, place, &target, &cli->arena, &report, err);
    bar_clear(&bar);
    if (fetched)
        fetched_log(place, profile->path, &report);
    return fetched;
}

static bool output_fetch(struct cli *cli, struct wandb_client *client,
                         const struct wandb_run_name *name, struct remote_profile *profile,
                         struct err *err)
{
    struct wandb_artifact artifact;
    if (!wandb_artifact_of_run(client, name, "latest", &cli->arena, &artifact, err))
        return false;
    const char *cache = artifact_folder_name(cli, &artifact);
    profile->origin = (struct wandb_origin){artifact.ref, artifact.collection, artifact.ref};
    return run_folder(cli, name, cache, &profile->path, err) &&
           artifact_fetch(cli, client, &artifact, profile->path, err);
}

static bool run_fetch(struct cli *cli, struct wandb_client *client,
                      const struct wandb_run_name *name, struct remote_profile *profile,
                      struct err *err)
{
    const char *place;
    struct err failure = {0}, second = {0};
    if (wandb_run_profile_place(&profile->run, &cli->arena, &place, &failure) &&
        place_fetch(cli, name, place, profile, &failure))
        return true;
    /* Troubles of this machine end it; what is not there, or not for us, may be among the outputs.
     */
    if (failure.kind != ERR_MISSING && failure.kind != ERR_INPUT)
        return err_set(err, failure.kind, "%s", failure.text);
    warning_log(failure.text);
    if (output_fetch(cli, client, name, profile, &second))
        return true;
    return second.kind == ERR_MISSING
               ? err_set(err, ERR_MISSING, "%s; and %s", failure.text, second.text)
               : err_set(err, second.kind, "%s", second.text);
}

bool remote_run(struct cli *cli, const char *target, struct remote_profile *ret_profile,
                struct err *err)
{
    struct wandb_config config;
    struct wandb_run_name name;
    scoped_wandb client = {0};
    scoped_remote profile = {0};
    if (!client_open(cli, &config, &client, err) ||
        !wandb_run_name_parse(target, &config, &cli->arena, &name, err) ||
        !wandb_run_read(&client, &name, &cli->arena, &profile.run, err))
        return false;
    profile.has_run = true;
    if (!run_fetch(cli, &client, &name, &profile, err))
        return false;
    *ret_profile = profile;
    profile = (struct remote_profile){0};
    return true;
}
