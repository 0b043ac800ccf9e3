/* Implements the draft, its round (create, manifest, files, manifest again, commit) and what is
 * read back of it. */
#include "alerts/wandb/wandb_commit.h"
#include "ops/net/fetch/fetch.h"
#include "ops/net/wandb/wandb.h"
#include "ops/runtime/text.h"

#include <string.h>

enum { MANIFEST_MAX_BYTES = 16 << 20, UPLOAD_ROUNDS = 5, BATCH = 50 };

static const char manifest_name[] = "wandb_manifest.json";

static const char *text_at(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static bool answer_lacks(const struct wandb_operation *asked, const char *what, struct err *err)
{
    return err_set(err, ERR_INPUT, "%s: the answer of W&B has no %s", asked->name, what);
}

/* ---- what it is known by: the same for every attempt ---- */

static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";

/* 128 characters of [a-z0-9], made from hashes of the draft's place, content and a label: random to
 * everyone else, and the same in every attempt. */
static void client_id_make(const struct wandb_draft *draft, const char *label,
                           char out[WANDB_CLIENT_ID_BYTES])
{
    const char *const parts[] = {draft->client->entity.text,
                                 draft->client->project.text,
                                 draft->publication->artifact_type,
                                 draft->publication->artifact_name,
                                 draft->digest,
                                 draft->run,
                                 label};
    for (size_t made = 0; made < WANDB_CLIENT_ID_BYTES - 1; made += SHA256_BYTES) {
        uint8_t raw[SHA256_BYTES], block = (uint8_t)made;
        scoped_sha256 *state = sha256_new();
        sha256_add(state, &block, 1);
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
            sha256_add(state, parts[i], strlen(parts[i]) + 1);
        sha256_finish(state, raw);
        for (size_t i = 0; i < SHA256_BYTES; i++)
            out[made + i] = letters[raw[i] % (sizeof letters - 1)];
    }
    out[WANDB_CLIENT_ID_BYTES - 1] = '\0';
}

bool wandb_draft_make(struct wandb_draft *draft, struct err *err)
{
    const struct wandb_publication *publication = draft->publication;
    size_t count = publication->document_count;
    draft->entries = arena_array(draft->arena, struct wandb_entry, count);
    draft->birth_ids = arena_array(draft->arena, const char *, count);
    for (size_t i = 0; i < count; i++) {
        const struct wandb_document *document = &publication->documents[i];
        char digest[MD5_BASE64_BYTES];
        if (!wandb_file_digest(document->bytes, document->length, digest, err))
            return false;
        draft->entries[i].path = document->name;
        draft->entries[i].digest = arena_strdup(draft->arena, digest);
    }
    if (!wandb_artifact_digest(draft->entries, count, draft->arena, draft->digest, err))
        return false;
    const struct string_list *asked = &publication->aliases;
    const char **items = arena_array(draft->arena, const char *, asked->count + 1);
    draft->aliases = (struct string_list){items, 0};
    for (size_t i = 0; i <= asked->count; i++) {
        const char *alias = i < asked->count ? asked->items[i] : "latest";
        if (text_index(alias, items, draft->aliases.count) == draft->aliases.count)
            items[draft->aliases.count++] = alias;
    }
    client_id_make(draft, "artifact", draft->client_id);
    client_id_make(draft, "sequence", draft->sequence_id);
    return true;
}

/* ---- create ---- */

static json_t *create_input(const struct wandb_draft *draft, struct err *err)
{
    const struct wandb_publication *publication = draft->publication;
    scoped_text metadata;
    text_init(&metadata, MANIFEST_MAX_BYTES);
    if (publication->metadata != NULL)
        json_print(publication->metadata, JSON_STYLE_LINE, &metadata);
    else
        text_add(&metadata, "{}");
    if (!text_ok(&metadata, "the artifact's metadata", err))
        return NULL;
    json_t *aliases = json_array();
    for (size_t i = 0; i < draft->aliases.count; i++)
        (void)json_array_append_new(aliases, json_pack("{s:s, s:o}", "artifactCollectionName",
                                                       publication->artifact_name, "alias",
                                                       json_text(draft->aliases.items[i])));
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:s, s:b, s:s, s:s}", "entityName",
                     draft->client->entity.text, "projectName", draft->client->project.text,
                     "artifactTypeName", publication->artifact_type, "artifactCollectionName",
                     publication->artifact_name, "runName", draft->run, "digest", draft->digest,
                     "digestAlgorithm", "MANIFEST_MD5", "aliases", aliases, "metadata",
                     text_string(&metadata), "enableDigestDeduplication", 1, "clientID",
                     draft->client_id, "sequenceClientID", draft->sequence_id);
}

static bool create(struct wandb_draft *draft, bool *ret_committed, struct err *err)
{
    json_t *input = create_input(draft, err);
    scoped_json *data = NULL;
    if (input == NULL || !wandb_call(draft->client, &W_create_artifact,
                                     json_pack("{s:o}", "input", input), &data, err))
        return false;
    const json_t *artifact = json_object_get(json_object_get(data, "createArtifact"), "artifact");
    const json_t *sequence = json_object_get(artifact, "artifactSequence");
    const char *id = text_at(artifact, "id"), *state = text_at(artifact, "state");
    if (id == NULL || state == NULL)
        return answer_lacks(&W_create_artifact, "artifact", err);
    *ret_committed = strcmp(state, "COMMITTED") == 0;
    draft->artifact_id = arena_strdup(draft->arena, id);
    draft->base_id =
        arena_strdup(draft->arena, text_at(json_object_get(sequence, "latestArtifact"), "id"));
    return true;
}

/* ---- manifest ---- */

/* digest "" opens the manifest; with one, *ret_file says where its bytes go. */
static bool manifest_declare(struct wandb_draft *draft, const char *digest, json_t **ret_file,
                             struct err *err)
{
    json_t *variables =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:b}", "artifactID", draft->artifact_id, "name",
                  manifest_name, "digest", digest, "entity", draft->client->entity.text, "project",
                  draft->client->project.text, "run", draft->run, "withUpload", digest[0] != '\0');
    if (draft->base_id != NULL)
        (void)json_object_set_new(variables, "baseArtifactID", json_string(draft->base_id));
    scoped_json *data = NULL;
    if (!wandb_call(draft->client, &W_create_artifact_manifest, variables, &data, err))
        return false;
    const json_t *manifest =
        json_object_get(json_object_get(data, "createArtifactManifest"), "artifactManifest");
    if (text_at(manifest, "id") == NULL)
        return answer_lacks(&W_create_artifact_manifest, "manifest", err);
    *ret_file = json_incref(json_object_get(manifest, "file"));
    draft->manifest_id = arena_strdup(draft->arena, text_at(manifest, "id"));
    return true;
}

static bool manifest_send(struct wandb_draft *draft, struct err *err)
{
    json_t *contents = json_object();
    for (size_t i = 0; i < draft->publication->document_count; i++) {
        const struct wandb_document *document = &draft->publication->documents[i];
        json_t *entry =
            json_pack("{s:s, s:s, s:I}", "digest", draft->entries[i].digest, "birthArtifactID",
                      draft->birth_ids[i], "size", (json_int_t)document->length);
        (void)json_object_set_new(contents, document->name, entry);
    }
    scoped_json *manifest = json_pack("{s:i, s:s, s:{s:s}, s:o}", "version", 1, "storagePolicy",
                                      "wandb-storage-policy-v1", "storagePolicyConfig",
                                      "storageLayout", "V2", "contents", contents);
    scoped_text text;
    text_init(&text, MANIFEST_MAX_BYTES);
    json_print(manifest, JSON_STYLE_LINE, &text);
    if (!text_ok(&text, "the artifact's manifest", err) ||
        !wandb_file_digest(text_string(&text), text.length, draft->manifest_digest, err))
        return false;
    const struct wandb_upload upload = {manifest_name, text_string(&text), text.length};
    for (int round = 0;; round++) {
        scoped_json *file = NULL;
        bool refused = false;
        if (!manifest_declare(draft, draft->manifest_digest, &file, err))
            return false;
        if (wandb_upload_put(draft->client, &draft->gate, file, &upload, &refused, err))
            return true;
        if (!refused || round == UPLOAD_ROUNDS)
            return false;
    }
}

/* ---- files ---- */

struct pending {
    size_t items[BATCH]; /* documents that are not known to be stored */
    size_t count;
};

/* Asks where the files go. *ret_edges are in the order of `pending`. */
static bool files_ask(struct wandb_draft *draft, const struct pending *pending, json_t **ret_edges,
                      struct err *err)
{
    scoped_json *data = NULL;
    json_t *list = json_array();
    for (size_t i = 0; i < pending->count; i++) {
        const struct wandb_document *document = &draft->publication->documents[pending->items[i]];
        (void)json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s}", "artifactID",
                                                    draft->artifact_id, "artifactManifestID",
                                                    draft->manifest_id, "name", document->name,
                                                    "md5", draft->entries[pending->items[i]].digest,
                                                    "mimetype", document->mimetype));
    }
    json_t *variables = json_pack("{s:o}", "files", list);
    if (!wandb_call(draft->client, &W_create_artifact_files, variables, &data, err))
        return false;
    const json_t *made = json_object_get(data, "createArtifactFiles");
    json_t *edges = json_object_get(json_object_get(made, "files"), "edges");
    if (json_array_size(edges) != pending->count)
        return answer_lacks(&W_create_artifact_files, "place for each file", err);
    *ret_edges = json_incref(edges);
    return true;
}

/* Sends one file; *ret_stored false: the URL was refused, and a new one is wanted. */
static bool file_send(struct wandb_draft *draft, size_t index, const json_t *node, bool *ret_stored,
                      struct err *err)
{
    const struct wandb_document *document = &draft->publication->documents[index];
    const struct wandb_upload upload = {document->name, document->bytes, document->length};
    const char *birth = text_at(json_object_get(node, "artifact"), "id");
    bool refused = false;
    draft->birth_ids[index] =
        birth == NULL ? draft->artifact_id : arena_strdup(draft->arena, birth);
    *ret_stored = text_at(node, "uploadUrl") == NULL ||
                  wandb_upload_put(draft->client, &draft->gate, node, &upload, &refused, err);
    return *ret_stored || refused;
}

static bool batch_send(struct wandb_draft *draft, struct pending *pending, struct err *err)
{
    for (int round = 0; pending->count > 0; round++) {
        scoped_json *edges = NULL;
        struct pending left = {.count = 0};
        if (!files_ask(draft, pending, &edges, err))
            return false;
        for (size_t i = 0; i < pending->count; i++) {
            const json_t *node = json_object_get(json_array_get(edges, i), "node");
            bool stored = false;
            if (!file_send(draft, pending->items[i], node, &stored, err))
                return false;
            if (!stored)
                left.items[left.count++] = pending->items[i];
        }
        if (round == UPLOAD_ROUNDS && left.count > 0)
            return false; /* *err is that of the last refusal */
        *pending = left;
    }
    return true;
}

static bool files_send(struct wandb_draft *draft, struct err *err)
{
    size_t count = draft->publication->document_count;
    for (size_t from = 0; from < count;) {
        struct pending pending = {.count = 0};
        while (from < count && pending.count < BATCH)
            pending.items[pending.count++] = from++;
        if (!batch_send(draft, &pending, err))
            return false;
    }
    return true;
}

/* ---- commit ---- */

bool wandb_draft_commit(struct wandb_draft *draft, bool *ret_unchanged, struct err *err)
{
    scoped_json *file = NULL, *data = NULL;
    if (!create(draft, ret_unchanged, err))
        return false;
    return *ret_unchanged ||
           (manifest_declare(draft, "", &file, err) && files_send(draft, err) &&
            manifest_send(draft, err) &&
            wandb_call(draft->client, &W_commit_artifact,
                       json_pack("{s:s}", "artifactID", draft->artifact_id), &data, err));
}

/* ---- read back: its number, its aliases, its manifest ---- */

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
