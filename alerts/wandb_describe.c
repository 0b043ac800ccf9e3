/* What a run tells about a profile, as tables: the members of run_metadata, and the places of a
 * configuration where training jobs write the facts that decide comparability.
 *
 * Where run_metadata comes from is the reference tool's (spec/wire.md §1.5); the places of facts
 * are those of Levanter's configurations and of the common names of environment variables. */
#include "alerts/loose_json.h"
#include "alerts/wandb_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES_MAX = 8 };

static const char source[] = "wandb";

static const struct {
    const char *fact;
    const char *places[PLACES_MAX]; /* in the configuration; the first that is there counts */
} fact_places[] = {
    {"xla_flags",
     {"XLA_FLAGS", "xla_flags", "env.XLA_FLAGS", "env_vars.XLA_FLAGS", "environment.XLA_FLAGS",
      "trainer.xla_flags", "resources.env_vars.XLA_FLAGS", "trainer.resources.env_vars.XLA_FLAGS"}},
    {"libtpu_init_args",
     {"LIBTPU_INIT_ARGS", "libtpu_init_args", "env.LIBTPU_INIT_ARGS", "env_vars.LIBTPU_INIT_ARGS",
      "environment.LIBTPU_INIT_ARGS"}},
    {"jax_version", {"jax_version", "versions.jax"}},
    {"jaxlib_version", {"jaxlib_version", "versions.jaxlib"}},
    {"precision", {"trainer.mp", "mp", "precision"}},
    {"batch", {"trainer.train_batch_size", "train_batch_size", "batch_size"}},
    {"sequence", {"train_seq_len", "trainer.train_seq_len", "model.seq_len"}},
};
enum { FACT_COUNT = sizeof fact_places / sizeof fact_places[0] };

/* The value at "a.b.c"; NULL when there is none. */
static const json_t *value_at(const json_t *object, const char *place, struct arena *arena)
{
    for (const char *p = place; object != NULL && *p != '\0';) {
        size_t length = strcspn(p, ".");
        const char *part = arena_strndup(arena, p, length);
        object = part == NULL ? NULL : json_object_get(object, part);
        p += length + (p[length] == '.');
    }
    return object;
}

static const char *text_of(const json_t *value)
{
    const char *text = json_string_value(value);
    return text != NULL && loose_json_literal(value) == NULL ? text : NULL;
}

/* The first non-empty string among members of an object, copied; NULL when there is none. */
static const char *first_text(const json_t *object, const char *const *names, size_t count,
                              struct arena *arena)
{
    for (size_t i = 0; i < count; i++) {
        const char *text = text_of(json_object_get(object, names[i]));
        if (text != NULL && text[0] != '\0')
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
    const json_t *resources = value_at(run->config, "trainer.resources", arena);
    metadata->run_path = arena_strdup(arena, run->path);
    metadata->run_id = arena_strdup(arena, run->name);
    metadata->hardware_type = first_text(run->summary, kinds, 2, arena);
    metadata->mesh_or_topology = first_text(resources, topologies, 3, arena);
    metadata->git_sha = first_text(run->config, commits, 2, arena);
    metadata->num_devices = whole_in(run, "num_devices");
    metadata->num_hosts = whole_in(run, "num_hosts");
    if (metadata->run_path == NULL || metadata->run_id == NULL)
        return arena_failed(arena, "a run's metadata", err);
    return wandb_run_config_hash(run, arena, &metadata->config_hash, err);
}

/* ---- facts ---- */

/* A scalar as text; NULL for all else. */
static const char *scalar_text(const json_t *value, struct arena *arena)
{
    char number[TEXT_DOUBLE_BYTES];
    const char *literal = loose_json_literal(value), *text = text_of(value);
    if (literal != NULL || text != NULL)
        return arena_strdup(arena, literal != NULL ? literal : text);
    if (json_is_integer(value))
        return arena_printf(arena, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    if (json_is_real(value))
        return arena_strdup(arena, text_double(json_real_value(value), number));
    return NULL;
}

static const char *fact_text(const struct wandb_run *run, const char *const *places,
                             struct arena *arena)
{
    for (size_t i = 0; i < PLACES_MAX && places[i] != NULL; i++) {
        const char *text = scalar_text(value_at(run->config, places[i], arena), arena);
        if (text != NULL && text[0] != '\0')
            return text;
    }
    return NULL;
}

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

static bool facts_add(const struct wandb_run *run, const char *config_hash, const char *version,
                      struct arena *arena, struct environment *environment)
{
    struct fact *facts = arena_array(arena, struct fact, environment->fact_count + FACT_COUNT + 2);
    if (facts == NULL)
        return false;
    if (environment->fact_count > 0)
        memcpy(facts, environment->facts, environment->fact_count * sizeof *facts);
    environment->facts = facts;
    for (size_t i = 0; run != NULL && i < FACT_COUNT; i++)
        fact_add(environment, fact_places[i].fact, fact_text(run, fact_places[i].places, arena));
    fact_add(environment, "config_hash", config_hash);
    fact_add(environment, "wandb_artifact", version);
    qsort(facts, environment->fact_count, sizeof *facts, fact_order);
    return true;
}

static void environment_fill(const struct run_metadata *metadata, struct environment *environment)
{
    if (environment->device_type == NULL)
        environment->device_type = metadata->hardware_type;
    if (environment->topology == NULL)
        environment->topology = metadata->mesh_or_topology;
    if (!environment->device_count.set)
        environment->device_count = metadata->num_devices;
    if (!environment->host_count.set)
        environment->host_count = metadata->num_hosts;
}

/* Copies into the arena; *ret_copy stays NULL for NULL. */
static bool copy(const char *text, struct arena *arena, const char **ret_copy, struct err *err)
{
    *ret_copy = arena_strdup(arena, text);
    return text == NULL || *ret_copy != NULL || arena_failed(arena, "a run's metadata", err);
}

bool wandb_run_describe(const struct wandb_run *run, const struct wandb_origin *origin,
                        struct arena *arena, struct summary *summary, struct err *err)
{
    struct run_metadata *metadata = &summary->run_metadata;
    const char *version;
    if (!copy(origin->ref, arena, &metadata->artifact_ref, err) ||
        !copy(origin->name, arena, &metadata->artifact_name, err) ||
        !copy(origin->version, arena, &version, err) ||
        (run != NULL && !metadata_fill(run, arena, metadata, err)))
        return false;
    if (!summary->has_ours)
        return true;
    if (run != NULL)
        environment_fill(metadata, &summary->environment);
    const char *config_hash = run == NULL ? NULL : metadata->config_hash;
    return facts_add(run, config_hash, version, arena, &summary->environment) ||
           arena_failed(arena, "the facts of a run", err);
}
