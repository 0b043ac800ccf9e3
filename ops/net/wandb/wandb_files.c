/* Downloads an artifact: its manifest says which files with which digests, pages of signed URLs say
 * where they are. */
#include "ops/net/fetch/fetch.h"
#include "ops/net/url.h"
#include "ops/net/wandb/wandb_artifact.h"
#include "ops/net/wandb/wandb_digest.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    MANIFEST_MAX_BYTES = 16 << 20,
    MANIFEST_TRIES = 3,
    PAGE = 1000,
    PAGES_MAX = 100,
    URLS_MEMORY_BYTES = 256 << 20
};

/* An entry of the manifest, with where its bytes are as far as that was told. */
struct listed {
    const char *birth_id;
    const char *url;  /* in book.urls; NULL = the service gave none */
    unsigned url_age; /* the generation of URLs that was handed out last */
};

struct book {
    struct wandb_client *client;
    const struct wandb_artifact *artifact;
    bool layout_v2;
    const char *region;       /* where the bytes lie */
    struct fetch_item *items; /* by path */
    struct listed *listed;    /* beside items */
    size_t count;
    pthread_mutex_t lock; /* over all below, and listed */
    struct arena urls;
    unsigned generation; /* of URLs; 0 = never asked */
};

/* ---- the manifest ---- */

static bool manifest_url(struct wandb_client *client, const struct wandb_artifact *artifact,
                         struct arena *arena, const char **ret_url, struct err *err)
{
    scoped_json *data = NULL;
    if (!wandb_call(client, &W_artifact_manifest, json_pack("{s:s}", "id", artifact->id), &data,
                    err))
        return false;
    const json_t *manifest = json_object_get(json_object_get(data, "artifact"), "currentManifest");
    const json_t *file = json_object_get(manifest, "file");
    *ret_url = arena_strdup(arena, json_string_value(json_object_get(file, "directUrl")));
    return *ret_url != NULL ||
           wandb_absent(client, "the manifest of an artifact that is listed", err);
}

/* Asks for a new URL when the storage refuses one. */
static bool manifest_read(struct wandb_client *client, const struct wandb_artifact *artifact,
                          struct arena *arena, struct text *out, struct err *err)
{
    struct pace_gate gate = {0};
    struct fetch_ask ask = {.name =
                                arena_printf(arena, "the manifest of artifact %s", artifact->ref),
                            .policy = &client->config->policy,
                            .retry = &client->config->retry,
                            .gate = &gate};
    struct err failure = {0};
    for (int tries = 0; tries < MANIFEST_TRIES; tries++) {
        text_done(out);
        text_init(out, MANIFEST_MAX_BYTES);
        if (!manifest_url(client, artifact, arena, &ask.place.url, err))
            return false;
        if (fetch_text(&ask, out, &failure))
            return true;
        if (failure.kind != ERR_INPUT)
            break;
    }
    return err_set(err, failure.kind, "%s", failure.text);
}

static bool entry_take(struct book *book, const char *path, const json_t *entry,
                       struct arena *arena, struct err *err)
{
    const char *ref = json_string_value(json_object_get(entry, "ref"));
    const char *digest = json_string_value(json_object_get(entry, "digest"));
    const json_t *size = json_object_get(entry, "size");
    struct fetch_item *item = &book->items[book->count];
    if (ref != NULL)
        return err_set(err, ERR_INPUT,
                       "'%.200s' of artifact %s only refers to '%.200s', which W&B does not "
                       "store; fetch it from there",
                       path, book->artifact->ref, ref);
    *item = (struct fetch_item){
        .path = arena_strdup(arena, path),
        .size_bytes = json_is_integer(size) ? json_integer_value(size) : -1,
    };
    item->has_md5 = digest != NULL && md5_base64_read(digest, item->md5);
    const char *birth = json_string_value(json_object_get(entry, "birthArtifactID"));
    book->listed[book->count].birth_id =
        arena_strdup(arena, birth == NULL ? book->artifact->id : birth);
    if (!item->has_md5 || item->size_bytes < -1)
        return err_set(err, ERR_INPUT,
                       "the manifest of artifact %s lists '%.200s' without a proper digest or size",
                       book->artifact->ref, path);
    book->count++;
    return true;
}

/* Keys of the manifest in byte order, so that a name can be looked up. */
static int name_order(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool contents_take(struct book *book, const json_t *contents, struct arena *arena,
                          struct err *err)
{
    size_t count = json_object_size(contents), filled = 0;
    if (count > FETCH_FILES_MAX)
        return err_set(err, ERR_LIMIT, "artifact %s has %zu files; at most %d are fetched",
                       book->artifact->ref, count, FETCH_FILES_MAX);
    const char **names = arena_array(arena, const char *, count + 1);
    book->items = arena_array(arena, struct fetch_item, count + 1);
    book->listed = arena_array(arena, struct listed, count + 1);
    const char *name;
    json_t *entry;
    json_object_foreach ((json_t *)(uintptr_t)contents, name, entry)
        names[filled++] = name;
    qsort(names, filled, sizeof *names, name_order);
    for (size_t i = 0; i < filled; i++) {
        if (!entry_take(book, names[i], json_object_get(contents, names[i]), arena, err))
            return false;
    }
    return true;
}

static bool book_fill(struct book *book, struct arena *arena, struct err *err)
{
    scoped_text text = {0};
    if (!manifest_read(book->client, book->artifact, arena, &text, err))
        return false;
    char name[512];
    (void)snprintf(name, sizeof name, "manifest of artifact %s", book->artifact->ref);
    scoped_json *root = json_parse(text_string(&text), text.length, name, err);
    if (root == NULL)
        return false;
    const json_t *contents = json_object_get(root, "contents");
    const json_t *config = json_object_get(root, "storagePolicyConfig");
    const char *layout = json_string_value(json_object_get(config, "storageLayout"));
    const char *region = json_string_value(json_object_get(config, "storageRegion"));
    if (!json_is_object(contents))
        return err_set(err, ERR_INPUT, "the %s has no contents", name);
    book->layout_v2 = layout != NULL && strcmp(layout, "V2") == 0;
    book->region = arena_strdup(arena, region == NULL || region[0] == '\0' ? "default" : region);
    return contents_take(book, contents, arena, err) && arena_ok(arena, "a manifest", err);
}

/* ---- URLs ---- */

static int item_order(const void *name, const void *item)
{
    return strcmp(name, ((const struct fetch_item *)item)->path);
}

static bool page_ask(struct book *book, json_t **cursor, struct err *err)
{
    scoped_json *data = NULL;
    json_t *variables =
        json_pack("{s:s, s:O?, s:i}", "id", book->artifact->id, "cursor", *cursor, "perPage", PAGE);
    if (!wandb_call(book->client, &W_artifact_files, variables, &data, err))
        return false;
    const json_t *files = json_object_get(json_object_get(data, "artifact"), "files");
    size_t i;
    json_t *edge;
    json_array_foreach (json_object_get(files, "edges"), i, edge) {
        const json_t *node = json_object_get(edge, "node");
        const char *name = json_string_value(json_object_get(node, "name"));
        const char *url = json_string_value(json_object_get(node, "directUrl"));
        const struct fetch_item *item =
            name == NULL ? NULL
                         : bsearch(name, book->items, book->count, sizeof *book->items, item_order);
        if (item == NULL || url == NULL)
            continue;
        book->listed[item - book->items].url = arena_strdup(&book->urls, url);
    }
    json_decref(*cursor);
    *cursor = wandb_cursor_next(files);
    return arena_ok(&book->urls, "the URLs of an artifact", err);
}

/* A new generation of URLs for all files. */
static bool urls_ask(struct book *book, struct err *err)
{
    scoped_json *cursor = NULL;
    arena_done(&book->urls);
    arena_init(&book->urls, URLS_MEMORY_BYTES);
    for (size_t i = 0; i < book->count; i++)
        book->listed[i].url = NULL;
    for (int page = 0; page == 0 || (cursor != NULL && page < PAGES_MAX); page++) {
        if (!page_ask(book, &cursor, err))
            return false;
    }
    book->generation++;
    return true;
}

/* REGION/ENTITY/PROJECT/COLLECTION/[ARTIFACT/]BIRTH/MD5/NAME; servers that do not say that they
 * know the artifact's id take a path without it. */
static const char *path_v2(struct book *book, size_t index, const char *hex, struct arena *arena)
{
    const struct wandb_artifact *artifact = book->artifact;
    const char *path = book->items[index].path, *slash = strrchr(path, '/');
    bool with_id =
        wandb_has_feature(book->client, "ARTIFACT_V2_DOWNLOAD_HANDLER_SUPPORTS_ARTIFACT_ID");
    const char *parts[] = {book->region,
                           artifact->entity,
                           artifact->project,
                           artifact->collection,
                           with_id ? artifact->id : "",
                           book->listed[index].birth_id,
                           slash == NULL ? path : slash + 1};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        parts[i] = url_escape(parts[i], false, arena);
    return arena_printf(arena, "artifactsV2/%s/%s/%s/%s/%s%s%s/%s/%s", parts[0], parts[1], parts[2],
                        parts[3], parts[4], with_id ? "/" : "", parts[5], hex, parts[6]);
}

static bool place_find(struct book *book, size_t index, bool is_refused, struct arena *arena,
                       struct fetch_place *ret_place, struct err *err)
{
    const char *base = book->client->config->base_url.text;
    struct listed *listed = &book->listed[index];
    bool stale = is_refused && listed->url_age == book->generation;
    if ((book->generation == 0 || stale) && !urls_ask(book, err))
        return false;
    listed->url_age = book->generation;
    *ret_place = (struct fetch_place){.credential = {.kind = HTTP_ANONYMOUS}};
    if (listed->url != NULL) {
        ret_place->url =
            arena_printf(arena, "%s%s", listed->url[0] == '/' ? base : "", listed->url);
        return true;
    }
    /* A file without a URL is served by the API itself, to the key. */
    char hex[MD5_HEX_BYTES];
    text_hex(book->items[index].md5, sizeof book->items[index].md5, hex);
    const char *path = book->layout_v2
                           ? path_v2(book, index, hex, arena)
                           : arena_printf(arena, "artifacts/%s/%s",
                                          url_escape(book->artifact->entity, false, arena), hex);
    ret_place->url = arena_printf(arena, "%s/%s", base, path);
    ret_place->credential =
        (struct http_credential){HTTP_BASIC, "api", book->client->key.text, NULL};
    return true;
}

static bool place_locate(void *context, size_t index, bool is_refused, struct arena *arena,
                         struct fetch_place *ret_place, struct err *err)
{
    struct book *book = context;
    (void)pthread_mutex_lock(&book->lock);
    bool found = place_find(book, index, is_refused, arena, ret_place, err);
    (void)pthread_mutex_unlock(&book->lock);
    return found;
}

static void book_done(struct book *book)
{
    arena_done(&book->urls);
    (void)pthread_mutex_destroy(&book->lock);
}

bool wandb_artifact_fetch(struct wandb_client *client, const struct wandb_artifact *artifact,
                          const struct fetch_target *target, struct arena *arena,
                          struct fetch_report *ret_report, struct err *err)
{
    __attribute__((cleanup(book_done))) struct book book = {
        .client = client, .artifact = artifact, .lock = PTHREAD_MUTEX_INITIALIZER};
    if (!book_fill(&book, arena, err))
        return false;
    const struct wandb_config *config = client->config;
    const struct fetch_source source = {.name = arena_printf(arena, "artifact %s", artifact->ref),
                                        .items = book.items,
                                        .count = book.count,
                                        .policy = &config->policy,
                                        .retry = &config->retry,
                                        .stall_s = config->stall_s,
                                        .connections = config->connections,
                                        .locate = place_locate,
                                        .context = &book};
    return fetch_all(&source, target, ret_report, err);
}
