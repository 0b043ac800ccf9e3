/* What is learned about profiles besides what stands in them.
 *
 * Nothing is taken from around without being asked: a runner that only gates has flags and versions
 * of its own, which say nothing of the job. */
#ifndef OPS_FLOW_COLLECT_COLLECT_H
#define OPS_FLOW_COLLECT_COLLECT_H

#include "ops/flow/collect/capture_env.h"
#include "ops/flow/collect/code_origin.h"
#include "ops/flow/collect/program.h"
#include "ops/runtime/conf.h"

struct collection {
    struct fact *facts; /* each with its source; the first of a name counts */
    size_t count;
    const char *run; /* of --wandb-run, else the scheduler's job, else the run that W&B's variable
                        names; NULL: none is known, or several are */
};

/* What is to be read; NULL, empty: nothing. */
struct collect_request {
    struct string_list env_files; /* of `capture-env` */
    bool here;                    /* this process runs beside the job, in its environment */
    const char *config_file, *wandb_run, *repository;
};

/* Reads what is named, in this order. ERR_MISSING, ERR_INPUT, and what W&B may fail with. */
bool collect_facts(const struct conf *conf, const struct collect_request *request,
                   struct arena *arena, struct collection *ret_collection, struct err *err);

/* Adds the facts of a file of `capture-env`; each says which file of which host it is from. */
bool collect_env_file(const char *path, struct arena *arena, struct collection *into,
                      struct err *err);

/* Adds facts behind those that there are; the list before stays as it is. */
void collect_add(const struct fact *facts, size_t count, struct arena *arena,
                 struct collection *into);

/* The origin of profiles with the commit and branch of options, what was collected and a CI
 * system's variables; what was not agreed on is logged. asked: its facts are those of the
 * collection. */
bool collect_origin(const struct collection *collection, const struct origin_request *asked,
                    struct arena *arena, struct code_origin *ret_origin, struct err *err);

#endif
