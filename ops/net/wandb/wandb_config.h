/* Which W&B, as whom, how: the settings with the source of each.
 *
 * Sources, later wins: W&B's own settings file of the user, the one of the working folder, section
 * [wandb] of our configuration, the environment (WANDB_*), options. The working folder may belong
 * to someone else's code, so its file names no host: a key would go there.
 *
 *     [wandb]
 *     base_url = https://api.wandb.ai
 *     entity = my-team
 *     project = pretraining
 *     api_key = file:/etc/stepledger/wandb-key  # as ops/net/secret.h; default: WANDB_API_KEY,
 *                                               # then netrc
 *     attempts = 20                    # of one call; base_ms, cap_ms: its backoff
 *     deadline_ms = 300000             # of one call with its retries
 *     stall_s = 60                     # a transfer slower than 1 kB/s for so long is broken
 *     connections = 4                  # files in flight
 *
 * and the keys of ops/net/section.h: a server on a private address needs allow_addresses.
 */
#ifndef OPS_NET_WANDB_WANDB_CONFIG_H
#define OPS_NET_WANDB_WANDB_CONFIG_H

#include "ops/net/http.h"
#include "ops/net/secret.h"
#include "ops/net/section.h"
#include "ops/runtime/conf.h"
#include "ops/runtime/retry.h"

struct wandb_value {
    const char *text;   /* NULL = not known */
    const char *source; /* "environment WANDB_ENTITY", "option --entity" */
};

struct wandb_config {
    struct wandb_value base_url; /* without a final '/' */
    struct wandb_value app_url;  /* of pages for people */
    struct wandb_value entity, project;
    struct wandb_value key; /* the text says where it is kept; NULL = the usual places */
    struct http_policy policy;
    struct retry_policy retry;
    int64_t stall_s, connections;
};

/* Collects the settings; the options are those of the command line, NULL = not given. ERR_USAGE
 * names the source of what is wrong; ERR_LIMIT. The result lives in the arena and in *conf. */
bool wandb_config_load(const struct conf *conf, const char *entity_option,
                       const char *project_option, struct arena *arena,
                       struct wandb_config *ret_config, struct err *err);

/* A place that a destination names, without any other source. */
struct wandb_place {
    const char *base_url, *key_ref;
    const char *path; /* "entity/project" */
    const struct http_policy *policy;
};

/* The settings for one attempt at it: nothing is tried twice, and no exchange lasts longer than the
 * policy's timeout. ERR_USAGE as above. */
bool wandb_config_of_place(const struct wandb_place *place, struct arena *arena,
                           struct wandb_config *ret_config, struct err *err);

/* Reads the API key; *ret_source ("environment WANDB_API_KEY") is fit to be shown. ERR_MISSING says
 * where a key may stand; ERR_USAGE, ERR_INPUT: a reference or key of the wrong form, which no
 * message quotes. The caller ends it with secret_done. */
bool wandb_key_read(const struct wandb_config *config, struct arena *arena, struct secret *ret_key,
                    const char **ret_source, struct err *err);

/* netrc is read by ourselves: libcurl would send the credential also to storage behind signed URLs.
 * Where in text the password of `machine` ("host" or "host:port") stands. false when there is no
 * entry of just that name, or it has no password, or the text is malformed before it: that is no
 * error, the file is other programs' too. `default` entries do not count. */
bool netrc_find(const char *text, const char *machine, const char **ret_start, size_t *ret_length);

/* "api.wandb.ai" or "host:8080": scheme and path taken off. */
char *wandb_netloc(struct arena *arena, const char *url);

/* The keys of its section, for those who explain them. */
struct section_keys wandb_section_keys(void);

#endif
