/* The facts that decide whether two profiles can be compared, as the configurations of training
 * jobs write them: a table of places.
 *
 * The places are those of Levanter, MaxText and Hugging Face's trainer, and common names of
 * environment variables. A fact that stands in none is not known; nothing is computed.
 */
#ifndef OPS_NET_WANDB_CONFIG_FACTS_H
#define OPS_NET_WANDB_CONFIG_FACTS_H

#include "ops/runtime/arena.h"
#include "schema/documents/summary.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { CONFIG_FACTS_MAX = 16 };

/* The value at "a.b.c", or under that whole name; NULL when there is none. */
const json_t *config_value_at(const json_t *object, const char *place, struct arena *arena);

/* Fills the facts that a configuration (objects and scalars, marked literals as in loose_json.h)
 * holds;
 * how many they are. */
size_t config_facts_find(const json_t *config, const char *source, struct arena *arena,
                         struct fact *ret_facts /* CONFIG_FACTS_MAX */);

#endif
