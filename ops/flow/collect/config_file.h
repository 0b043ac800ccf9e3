/* The configuration file of a training job: its hash, and the facts in it that decide whether two
 * profiles can be compared (ops/net/wandb/config_facts.h).
 *
 * JSON is read whole. Of YAML only mappings in block style with plain or quoted scalars are read,
 * which is how jobs write sizes and names; lists, flow style, block scalars, anchors, tags and
 * interpolations are passed over: a fact is what stands there literally, or it is not known.
 */
#ifndef OPS_FLOW_COLLECT_CONFIG_FILE_H
#define OPS_FLOW_COLLECT_CONFIG_FILE_H

#include "ops/net/wandb/wandb.h"
#include "ops/runtime/err.h"

enum { CONFIG_FILE_FACTS_MAX = CONFIG_FACTS_MAX + 1 };

/* Reads the facts, config_hash (the SHA-256 of the file's bytes) first, each with the path as
 * source. A file of another kind has its hash alone. ERR_MISSING: there is no such file; ERR_INPUT,
 * ERR_LIMIT. */
bool config_file_facts(const char *path, struct arena *arena, struct fact *ret_facts,
                       size_t *ret_count, struct err *err);

#endif
