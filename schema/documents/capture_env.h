/* What `capture-env` found beside a job: capture_env.v1. Facts that a profile does not say by
 * itself, each with where it was read.
 */
#ifndef SCHEMA_DOCUMENTS_CAPTURE_ENV_H
#define SCHEMA_DOCUMENTS_CAPTURE_ENV_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"
#include "schema/documents/record.h"
#include "schema/documents/summary.h"

#include <jansson.h>

struct capture_env {
    const char *schema_version; /* "capture_env.v1" */
    const char *captured_at_utc, *host;
    struct fact *facts; /* sorted by name */
    size_t fact_count;
    struct string_list left_out; /* names of variables that are set and not on the list: their
                                    values are not kept */
};

/* The table of its members, which the JSON schema is checked against. */
extern const struct record capture_env_record;

/* The JSON form; a new reference. */
json_t *capture_env_to_json(const struct capture_env *capture);

/* ERR_INPUT names the member that is wrong. */
bool capture_env_from_json(const json_t *root, const char *name, struct arena *arena,
                           struct capture_env *ret_capture, struct err *err);

#endif
