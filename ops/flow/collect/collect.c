/* Reads what stands beside a job. */
#include "ops/flow/collect/collect.h"

#include "ops/flow/collect/capture_env.h"
#include "ops/flow/collect/config_file.h"
#include "ops/runtime/json.h"
#include "ops/runtime/log.h"

#include <string.h>

enum { ENV_FILE_BYTES_MAX = 8 << 20 };

void collect_add(const struct fact *facts, size_t count, struct arena *arena,
                 struct collection *into)
{
    struct fact *grown = arena_array(arena, struct fact, into->count + count);
    if (into->count > 0)
        memcpy(grown, into->facts, into->count * sizeof *grown);
    if (count > 0)
        memcpy(grown + into->count, facts, count * sizeof *grown);
    into->facts = grown;
    into->count += count;
}

/* Each source says which file of which host it is from. */
bool collect_env_file(const char *path, struct arena *arena, struct collection *into,
                      struct err *err)
{
    struct capture_env capture;
    scoped_json *root = json_read_file(path, ENV_FILE_BYTES_MAX, err);
    if (root == NULL || !capture_env_from_json(root, path, arena, &capture, err))
        return err->kind == ERR_INPUT &&
               err_prefix(err, "not what `capture-env` writes (take it anew)");
    for (size_t i = 0; i < capture.fact_count; i++) {
        struct fact *fact = &capture.facts[i];
        fact->source = arena_printf(arena, "%s of %s (%s)", fact->source, capture.host, path);
    }
    collect_add(capture.facts, capture.fact_count, arena, into);
    return true;
}

/* What the run tells is what it would tell of a profile that says nothing itself. */
static bool wandb_add(const struct conf *conf, const char *target, struct arena *arena,
                      struct collection *into, struct err *err)
{
    struct wandb_config config;
    struct wandb_run_name name;
    scoped_wandb client = {0};
    scoped_wandb_run run = {0};
    const struct wandb_origin nowhere = {0};
    struct summary blank = {.has_ours = true};
    if (!wandb_config_load(conf, NULL, NULL, arena, &config, err) ||
        !wandb_open(&config, arena, &client, err) ||
        !wandb_run_name_parse(target, &config, arena, &name, err) ||
        !wandb_run_read(&client, &name, arena, &run, err) ||
        !wandb_run_describe(&run, &nowhere, arena, &blank, err))
        return false;
    const struct run_metadata *told = &blank.run_metadata;
    const struct fact named[] = {{ORIGIN_COMMIT_FACT, told->git_sha, "wandb"},
                                 {"run_path", told->run_path, "wandb"},
                                 {"run_id", told->run_id, "wandb"}};
    into->run = told->run_path;
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        if (named[i].value != NULL)
            collect_add(&named[i], 1, arena, into);
    }
    collect_add(blank.environment.facts, blank.environment.fact_count, arena, into);
    return true;
}

/* The value that all facts of this name have; NULL: none, or they differ, which is logged. */
static const char *told_by_all(const struct collection *collection, const char *name)
{
    static const char why[] = "what stands beside the job is of several jobs, and no run is taken "
                              "from it: give --run";
    const struct fact *first = NULL;
    for (size_t i = 0; i < collection->count; i++) {
        const struct fact *fact = &collection->facts[i];
        if (strcmp(fact->name, name) != 0)
            continue;
        if (first != NULL && strcmp(first->value, fact->value) != 0) {
            log_event(LOG_WARN, LOG_origin_conflict, "why", why, "fact", name, "first",
                      first->value, "other", fact->value, NULL);
            return NULL;
        }
        first = first == NULL ? fact : first;
    }
    return first == NULL ? NULL : first->value;
}

/* One job of a scheduler is one run, and another one when it was started again. */
static void run_find(struct arena *arena, struct collection *collection)
{
    static const struct {
        const char *fact, *restarts, *prefix;
    } sources[] = {{"slurm_job_id", "slurm_restart_count", "slurm-"},
                   {"pbs_job_id", NULL, "pbs-"},
                   {"lsf_job_id", NULL, "lsf-"},
                   {"flux_job_id", NULL, "flux-"},
                   {"wandb_run_id", NULL, "wandb-"}};
    for (size_t i = 0; i < sizeof sources / sizeof sources[0] && collection->run == NULL; i++) {
        const char *id = told_by_all(collection, sources[i].fact);
        const char *again =
            sources[i].restarts == NULL ? NULL : told_by_all(collection, sources[i].restarts);
        bool restarted = again != NULL && strcmp(again, "0") != 0;
        if (id == NULL)
            continue;
        collection->run = arena_printf(arena, "%s%s%s%s", sources[i].prefix, id,
                                       restarted ? "-restart-" : "", restarted ? again : "");
    }
}

bool collect_facts(const struct conf *conf, const struct collect_request *request,
                   struct arena *arena, struct collection *ret_collection, struct err *err)
{
    const struct capture_env_request around = {.python = "python3"};
    struct collection collection = {0};
    struct capture_env here = {0};
    struct fact of_file[CONFIG_FILE_FACTS_MAX], of_git[ORIGIN_GIT_FACTS];
    size_t file_count = 0, git_count = 0;
    for (size_t i = 0; i < request->env_files.count; i++) {
        if (!collect_env_file(request->env_files.items[i], arena, &collection, err))
            return false;
    }
    if ((request->here && !capture_env_collect(&around, arena, &here, err)) ||
        (request->config_file != NULL &&
         !config_file_facts(request->config_file, arena, of_file, &file_count, err)))
        return false;
    collect_add(here.facts, here.fact_count, arena, &collection);
    collect_add(of_file, file_count, arena, &collection);
    if ((request->wandb_run != NULL &&
         !wandb_add(conf, request->wandb_run, arena, &collection, err)) ||
        (request->repository != NULL &&
         !origin_of_repository(request->repository, arena, of_git, &git_count, err)))
        return false;
    if (request->repository != NULL && git_count == 0)
        return err_set(err, ERR_INPUT, "--repo %s: git knows no commit there", request->repository);
    collect_add(of_git, git_count, arena, &collection);
    run_find(arena, &collection);
    *ret_collection = collection;
    return arena_ok(arena, "the facts beside the job", err);
}

bool collect_origin(const struct collection *collection, const struct origin_request *asked,
                    struct arena *arena, struct code_origin *ret_origin, struct err *err)
{
    struct origin_request request = *asked;
    request.facts = collection->facts;
    request.fact_count = collection->count;
    if (!code_origin_find(&request, arena, ret_origin, err))
        return false;
    for (size_t i = 0; i < ret_origin->conflicts.count; i++)
        log_event(LOG_WARN, LOG_origin_conflict, "why", ret_origin->conflicts.items[i], NULL);
    return true;
}
