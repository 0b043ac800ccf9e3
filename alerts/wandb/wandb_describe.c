/* What a run tells about a profile, as tables: the members of run_metadata (from where the
 * reference tool takes them), and the facts of its configuration (config_facts.h). */
#include "ops/net/wandb/wandb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = "wandb";

/* The first non-empty string among members of an object, copied; NULL when there is none. */
static const char *first_text(const json_t *object, const char *const *names, size_t count,
                              struct arena *arena)
{
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_object_get(object, names[i]);
        const char *text = json_string_value(value);
        if (text != NULL && text[0] != '\0' && loose_json_literal(value) == NULL)
            return arena_strdup(arena, text);
    }
    return NULL;
}

/* As Python's int() of a number: cut towards zero; a bool is no number. */
static struct opt_i64 whole_of(const json_t *value)
{
    if (json_is_integer(value))
        return some_i64(json_integer_value(value));
    double real = json_is_real(value) ? trunc(json_real_value(value)) : (double)NAN;
    return fabs(real) < 0x1p63 ? some_i64((int64_t)real) : (struct opt_i64){0};
}

static struct opt_i64 whole_in(const struct wandb_run *run, const char *name)
{
    struct opt_i64 number = whole_of(json_object_get(run->summary, name));
    return number.set ? number : whole_of(json_object_get(run->config, name));
}

static bool metadata_fill(const struct wandb_run *run, struct arena *arena,
                          struct run_metadata *metadata, struct err *err)
{
    static const char *const kinds[] = {"throughput/device_kind", "device_kind"};
    static const char *const topologies[] = {"topology", "tpu_topology", "mesh_shape"};
    static const char *const commits[] = {"git_commit", "git_sha"};
    const json_t *resources = config_value_at(run->config, "trainer.resources", arena);
    metadata->run_path = arena_strdup(arena, run->path);
    metadata->run_id = arena_strdup(arena, run->name);
    metadata->hardware_type = first_text(run->summary, kinds, 2, arena);
    metadata->mesh_or_topology = first_text(resources, topologies, 3, arena);
    metadata->git_sha = first_text(run->config, commits, 2, arena);
    metadata->num_devices = whole_in(run, "num_devices");
    metadata->num_hosts = whole_in(run, "num_hosts");
    return wandb_run_config_hash(run, arena, &metadata->config_hash, err);
}

/* ---- facts ---- */

static int fact_order(const void *a, const void *b)
{
    return strcmp(((const struct fact *)a)->name, ((const struct fact *)b)->name);
}

/* Room for one more is there; a fact that the profile says itself stays as it is. */
static void fact_add(struct environment *environment, const char *name, const char *value)
{
    if (value != NULL && environment_fact(environment, name) == NULL)
        environment->facts[environment->fact_count++] = (struct fact){name, value, source};
}

static void facts_add(const struct wandb_run *run, const char *config_hash, const char *version,
                      struct arena *arena, struct environment *environment)
{
    struct fact *facts =
        arena_array(arena, struct fact, environment->fact_count + CONFIG_FACTS_MAX + 2);
    struct fact told[CONFIG_FACTS_MAX];
    size_t told_count = 0;
    if (run != NULL)
        told_count = config_facts_find(run->config, source, arena, told);
    if (environment->fact_count > 0)
        memcpy(facts, environment->facts, environment->fact_count * sizeof *facts);
    environment->facts = facts;
    for (size_t i = 0; i < told_count; i++)
        fact_add(environment, told[i].name, told[i].value);
    fact_add(environment, "config_hash", config_hash);
    fact_add(environment, "wandb_artifact", version);
    qsort(facts, environment->fact_count, sizeof *facts, fact_order);
}

bool wandb_run_describe(const struct wandb_run *run, const struct wandb_origin *origin,
                        struct arena *arena, struct summary *summary, struct err *err)
{
    struct run_metadata *metadata = &summary->run_metadata;
    metadata->artifact_ref = arena_strdup(arena, origin->ref);
    metadata->artifact_name = arena_strdup(arena, origin->name);
    const char *version = arena_strdup(arena, origin->version);
    if (run != NULL && !metadata_fill(run, arena, metadata, err))
        return false;
    if (!summary->has_ours)
        return true;
    if (run != NULL) {
        struct environment *environment = &summary->environment;
        if (environment->device_type == NULL)
            environment->device_type = metadata->hardware_type;
        if (environment->topology == NULL)
            environment->topology = metadata->mesh_or_topology;
        if (!environment->device_count.set)
            environment->device_count = metadata->num_devices;
        if (!environment->host_count.set)
            environment->host_count = metadata->num_hosts;
    }
    const char *config_hash = run == NULL ? NULL : metadata->config_hash;
    facts_add(run, config_hash, version, arena, &summary->environment);
    return arena_ok(arena, "the facts of a run", err);
}
