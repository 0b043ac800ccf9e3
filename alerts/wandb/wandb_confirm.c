/* Reads a committed version back: its number, its aliases, its manifest.
 */
#include "alerts/wandb/wandb_commit.h"
#include "ops/net/fetch/fetch.h"

#include <string.h>

enum { MANIFEST_MAX_BYTES = 16 << 20 };

static const char *text_at(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static bool has_alias(const json_t *artifact, const char *collection, const char *alias)
{
    size_t i;
    json_t *item;
    json_array_foreach (json_object_get(artifact, "aliases"), i, item) {
        const char *name = text_at(item, "alias");
        const char *owner = text_at(json_object_get(item, "artifactCollection"), "name");
        if (name != NULL && strcmp(name, alias) == 0 &&
            (owner == NULL || strcmp(owner, collection) == 0))
            return true;
    }
    return false;
}

/* A version that was there before keeps aliases of its own, but does not get `latest` by itself. */
static bool aliases_complete(struct wandb_draft *draft, const json_t *artifact, struct err *err)
{
    const char *collection = draft->publication->artifact_name;
    scoped_json *missing = json_array();
    for (size_t i = 0; i < draft->aliases.count; i++) {
        if (!has_alias(artifact, collection, draft->aliases.items[i]))
            (void)json_array_append_new(
                missing,
                json_pack("{s:s, s:s, s:s, s:s}", "alias", draft->aliases.items[i],
                          "artifactCollectionName", collection, "entityName",
                          draft->client->entity.text, "projectName", draft->client->project.text));
    }
    scoped_json *data = NULL;
    return json_array_size(missing) == 0 ||
           wandb_call(draft->client, &W_add_aliases,
                      json_pack("{s:s, s:O}", "artifactID", draft->artifact_id, "aliases", missing),
                      &data, err);
}

static bool read_back(struct wandb_draft *draft, json_t **ret_artifact, struct err *err)
{
    scoped_json *data = NULL;
    if (!wandb_call(draft->client, &W_artifact_by_id, json_pack("{s:s}", "id", draft->artifact_id),
                    &data, err))
        return false;
    json_t *artifact = json_object_get(data, "artifact");
    *ret_artifact = json_incref(artifact);
    return json_is_object(artifact) ||
           wandb_absent(draft->client, "the artifact that was committed", err);
}

bool wandb_draft_confirm(struct wandb_draft *draft, const char **ret_version, struct err *err)
{
    scoped_json *artifact = NULL;
    if (!read_back(draft, &artifact, err))
        return false;
    const char *state = text_at(artifact, "state");
    const json_t *version = json_object_get(artifact, "versionIndex");
    if (state == NULL || strcmp(state, "COMMITTED") != 0 || !json_is_integer(version))
        return err_set(err, ERR_UNAVAILABLE,
                       "artifact %s was committed, but W&B shows it as %s; publish again later",
                       draft->publication->artifact_name, state == NULL ? "nothing" : state);
    *ret_version = arena_printf(draft->arena, "v%lld", (long long)json_integer_value(version));
    return aliases_complete(draft, artifact, err);
}

bool wandb_draft_verify(struct wandb_draft *draft, struct err *err)
{
    scoped_json *artifact = NULL;
    if (!read_back(draft, &artifact, err))
        return false;
    const json_t *manifest = json_object_get(artifact, "currentManifest");
    const struct wandb_config *config = draft->client->config;
    const struct fetch_ask ask = {
        .name = "the manifest of the new version",
        .policy = &config->policy,
        .retry = &config->retry,
        .gate = &draft->gate,
        .place = {.url = text_at(json_object_get(manifest, "file"), "directUrl")}};
    if (ask.place.url == NULL)
        return err_set(err, ERR_INPUT, "W&B lists the new version without its manifest");
    scoped_text text;
    text_init(&text, MANIFEST_MAX_BYTES);
    char digest[MD5_BASE64_BYTES];
    if (!fetch_text(&ask, &text, err) ||
        !wandb_file_digest(text_string(&text), text.length, digest, err))
        return false;
    return strcmp(digest, draft->manifest_digest) == 0 ||
           err_set(err, ERR_INPUT, "the manifest of the new version is not the one that was sent");
}
