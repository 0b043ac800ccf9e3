/* Calls of W&B: GraphQL operations with their retries, and the end of a run.
 *
 * The key goes to the host of base_url and nowhere else. Every mutation that is called through here
 * may be repeated: what it makes carries an id of ours.
 */
#ifndef OPS_NET_WANDB_WANDB_CLIENT_H
#define OPS_NET_WANDB_WANDB_CLIENT_H

#include "ops/net/pace.h"
#include "ops/net/wandb/wandb_config.h"
#include "ops/runtime/json.h"

struct wandb_client {
    const struct wandb_config *config;
    struct secret key;
    const char *key_source;
    struct wandb_value entity, project; /* what the calls are about, for messages */
    struct pace_gate gate;
    json_t *features; /* array of names; NULL = not asked yet */
    bool run_deleted; /* the last call was refused since its run was deleted: its id is never free
                         again */
};

/* W_name for each operations/name.graphql, made by the build. */
struct wandb_operation {
    const char *name, *document;
    enum pace_traffic traffic;
};
#include "wandb_operations.h"

/* Reads the key; sends nothing. The errors are those of wandb_key_read. The client is ended with
 * wandb_close, which accepts a zeroed one. */
bool wandb_open(const struct wandb_config *config, struct arena *arena,
                struct wandb_client *ret_client, struct err *err);
void wandb_close(struct wandb_client *client);

/* Performs an operation; takes the reference to variables (an object). *ret_data is the answer's
 * `data`, a new reference. ERR_UNAVAILABLE: not reached, busy, or failing after all retries;
 * ERR_MISSING: 404; ERR_CONFLICT: 409; ERR_INPUT: refused; ERR_USAGE: the address is refused by
 * policy. Texts name host, entity, project and key by their sources. Threads may share the client.
 */
bool wandb_call(struct wandb_client *client, const struct wandb_operation *operation,
                json_t *variables, json_t **ret_data, struct err *err);

/* Whether the server lists this feature; one that lists none is an old one. The first call asks,
 * so it is made before threads share the client. */
bool wandb_has_feature(struct wandb_client *client, const char *name);

/* The entity that the key belongs to, copied into the arena. ERR_INPUT: the key is not valid. */
bool wandb_default_entity(struct wandb_client *client, struct arena *arena, const char **ret_entity,
                          struct err *err);

/* Tells that a run has ended. Errors as wandb_call. */
bool wandb_run_end(struct wandb_client *client, const char *run, int exit_code, struct err *err);

/* The cursor of the page behind this one of a connection (its pageInfo), a new reference; NULL at
 * the end. */
json_t *wandb_cursor_next(const json_t *connection);

/* ERR_MISSING for an object that came back as null: what ("run acme/p/1") is not there or the key
 * may not see it; the service does not tell which. */
bool wandb_absent(const struct wandb_client *client, const char *what, struct err *err);

#define scoped_wandb __attribute__((cleanup(wandb_close))) struct wandb_client

#endif
