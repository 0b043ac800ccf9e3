/* Implements the table of places. */
#include "ops/net/wandb/config_facts.h"

#include "ops/net/wandb/loose_json.h"
#include "ops/runtime/text.h"

#include <string.h>

enum { PLACES_MAX = 12 };

static const struct {
    const char *fact;
    const char *places[PLACES_MAX]; /* the first that is there counts */
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
    {"batch",
     {"trainer.train_batch_size", "train_batch_size", "global_batch_size", "global_batch",
      "batch_size", "trainer.batch_size", "data.batch_size", "batch"}},
    {"device_batch", {"per_device_batch_size", "per_device_train_batch_size"}},
    {"sequence",
     {"train_seq_len", "trainer.train_seq_len", "model.seq_len", "model.max_seq_len",
      "max_target_length", "max_seq_length", "max_seq_len", "seq_len", "seq_length",
      "sequence_length", "sequence"}},
    {"model", {"model_name", "model_name_or_path", "model.name", "model.type", "model"}},
    {"mesh", {"mesh_shape", "trainer.mesh_shape", "mesh"}},
};
enum { FACT_COUNT = sizeof fact_places / sizeof fact_places[0] };
_Static_assert((int)FACT_COUNT <= (int)CONFIG_FACTS_MAX, "each has its place");

const json_t *config_value_at(const json_t *object, const char *place, struct arena *arena)
{
    const json_t *whole = json_object_get(object, place);
    for (const char *p = place; whole == NULL && object != NULL && *p != '\0';) {
        size_t length = strcspn(p, ".");
        object = json_object_get(object, arena_strndup(arena, p, length));
        p += length + (p[length] == '.');
    }
    return whole != NULL ? whole : object;
}

/* A scalar as text; NULL for all else. */
static const char *scalar_text(const json_t *value, struct arena *arena)
{
    char number[TEXT_DOUBLE_BYTES];
    const char *literal = loose_json_literal(value);
    if (literal != NULL || json_is_string(value))
        return arena_strdup(arena, literal != NULL ? literal : json_string_value(value));
    if (json_is_integer(value))
        return arena_printf(arena, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    if (json_is_real(value))
        return arena_strdup(arena, text_double(json_real_value(value), number));
    return NULL;
}

size_t config_facts_find(const json_t *config, const char *source, struct arena *arena,
                         struct fact *ret_facts)
{
    size_t count = 0;
    for (size_t i = 0; i < FACT_COUNT; i++) {
        const char *text = NULL;
        for (size_t p = 0; p < PLACES_MAX && fact_places[i].places[p] != NULL && text == NULL;
             p++) {
            text = scalar_text(config_value_at(config, fact_places[i].places[p], arena), arena);
            text = text != NULL && text[0] == '\0' ? NULL : text;
        }
        if (text != NULL)
            ret_facts[count++] = (struct fact){fact_places[i].fact, text, source};
    }
    return count;
}
