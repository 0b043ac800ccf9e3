/* Joins a store, its section, its listing and the download. */
#include "ops/net/fetch/fetch_bucket.h"
#include "ops/net/fetch/fetch_store.h"
#include "ops/net/fetch/fetch_text.h"
#include "ops/net/url.h"

#include <stdlib.h>
#include <string.h>

enum {
    PAGE_MAX_BYTES = 16 << 20,
    PAGES_MAX = 1000,
    STALL_S = 60,
    CONNECTIONS = 4,
    TIMEOUT_MS = 30000
};

static const struct retry_policy retries = {
    .base_ms = 2000, .cap_ms = 60000, .max_attempts = 10, .deadline_ms = 300000};

static const struct fetch_store *const stores[] = {
#define FETCH_STORE_ENTRY(scheme) &fetch_store_##scheme,
    FETCH_STORES(FETCH_STORE_ENTRY)
#undef FETCH_STORE_ENTRY
};

struct directory {
    const struct fetch_store *store;
    struct fetch_bucket bucket;
};

static const struct fetch_store *store_of(const char *url)
{
    for (size_t i = 0; i < sizeof stores / sizeof stores[0]; i++) {
        size_t length = strlen(stores[i]->scheme);
        if (strncmp(url, stores[i]->scheme, length) == 0 && strncmp(url + length, "://", 3) == 0)
            return stores[i];
    }
    return NULL;
}

bool fetch_bucket_serves(const char *url)
{
    return store_of(url) != NULL;
}

/* ---- what stores share ---- */

bool fetch_bucket_add(struct fetch_bucket *bucket, const char *key, int64_t size_bytes,
                      const uint8_t *md5, struct arena *arena, struct err *err)
{
    size_t skip = strlen(bucket->prefix), length = strlen(key);
    if (length <= skip || strncmp(key, bucket->prefix, skip) != 0 || key[length - 1] == '/')
        return true;
    if (bucket->count == FETCH_FILES_MAX)
        return err_set(err, ERR_LIMIT, "there are more than %d objects below '%s'", FETCH_FILES_MAX,
                       bucket->prefix);
    bucket->items = arena_grow(arena, bucket->items, bucket->count, &bucket->item_capacity,
                               sizeof *bucket->items);
    struct fetch_item *item = &bucket->items[bucket->count++];
    *item = (struct fetch_item){
        .path = arena_strdup(arena, key) + skip, .size_bytes = size_bytes, .has_md5 = md5 != NULL};
    if (md5 != NULL)
        memcpy(item->md5, md5, MD5_BYTES);
    return true;
}

/* ---- one directory ---- */

static bool directory_open(struct directory *directory, const struct conf *conf, const char *url,
                           struct arena *arena, struct err *err)
{
    struct fetch_bucket *bucket = &directory->bucket;
    directory->store = store_of(url);
    bucket->policy.timeout_ms = TIMEOUT_MS;
    if (directory->store == NULL)
        return err_set(err, ERR_INPUT, "'%.200s' is of no store that can be read", url);
    directory->store->prepare(bucket);
    const char *defaults[FETCH_STORE_SECRETS];
    memcpy(defaults, bucket->secret_refs, sizeof defaults);
    const char *name = url + strlen(directory->store->scheme) + 3;
    size_t length = strcspn(name, "/");
    const char *prefix = name + length + strspn(name + length, "/");
    size_t left = strlen(prefix);
    while (left > 0 && prefix[left - 1] == '/')
        left--;
    bucket->name = arena_strndup(arena, name, length);
    bucket->prefix = arena_printf(arena, "%.*s%s", (int)left, prefix, left > 0 ? "/" : "");
    if (length <= 0)
        return err_set(err, ERR_INPUT, "'%.200s' names no bucket; write %s://BUCKET/PATH", url,
                       directory->store->scheme);
    const char *scheme = directory->store->scheme;
    const struct section section = {.what = arena_printf(arena, "[%s]", scheme),
                                    .keys = directory->store->keys,
                                    .target = bucket,
                                    .policy = &bucket->policy};
    for (size_t i = 0; i < conf->sections.count; i++) {
        const struct conf_entry *entry = &conf->sections.entries[i];
        if (strcmp(entry->section, scheme) == 0 && !section_apply(&section, entry, arena, err))
            return false;
    }
    /* A variable that a default names may be unset: that means an anonymous request. */
    for (int i = 0; i < FETCH_STORE_SECRETS; i++) {
        const char *reference = bucket->secret_refs[i];
        const char *variable = reference != NULL && reference == defaults[i] ? reference + 4 : NULL;
        const char *value = variable == NULL ? NULL : getenv(variable);
        bool absent = reference == NULL || (variable != NULL && (value == NULL || *value == '\0'));
        if (!absent && !secret_read(reference, "the credential", SECRET_LITERAL_REFUSED,
                                    &bucket->secrets[i], err))
            return false;
    }
    if (!directory->store->authorize(bucket, arena, err))
        return false;
    bucket->base_url = url_base(bucket->base_url, arena);
    return url_check(bucket->base_url, bucket->policy.allow_http, err) ||
           err_prefix(err, "[%s] base_url", scheme);
}

static void directory_done(struct directory *directory)
{
    for (int i = 0; i < FETCH_STORE_SECRETS; i++)
        secret_done(&directory->bucket.secrets[i]);
    for (int i = 0; i < FETCH_PLACE_HEADERS && directory->bucket.access.headers[i] != NULL; i++)
        explicit_bzero(directory->bucket.access.headers[i],
                       strlen(directory->bucket.access.headers[i]));
}

static bool object_locate(void *context, size_t index, bool is_refused, struct arena *arena,
                          struct fetch_place *ret_place, struct err *err)
{
    (void)is_refused, (void)err; /* an object has one place */
    const struct directory *directory = context;
    const struct fetch_bucket *bucket = &directory->bucket;
    *ret_place = bucket->access;
    ret_place->url = directory->store->object_url(
        bucket, bucket->items[index].path - strlen(bucket->prefix), arena);
    return true;
}

bool fetch_bucket(const struct conf *conf, const char *url, const struct fetch_target *target,
                  struct arena *arena, struct fetch_report *ret_report, struct err *err)
{
    __attribute__((cleanup(directory_done))) struct directory directory = {0};
    if (!directory_open(&directory, conf, url, arena, err))
        return false;
    struct pace_gate gate = {0};
    struct fetch_bucket *bucket = &directory.bucket;
    const char *token = NULL;
    struct fetch_ask ask = {.name = arena_printf(arena, "the listing of %s", url),
                            .policy = &bucket->policy,
                            .retry = &retries,
                            .gate = &gate,
                            .place = bucket->access};
    for (int page = 0; page == 0 || (token != NULL && page < PAGES_MAX); page++) {
        scoped_text text;
        text_init(&text, PAGE_MAX_BYTES);
        ask.place.url = directory.store->page_url(bucket, token, arena);
        if (!fetch_text(&ask, &text, err) ||
            !directory.store->page_read(bucket, &text, arena, &token, err) ||
            !arena_ok(arena, "a listing", err))
            return false;
    }
    if (bucket->count <= 0)
        return err_set(err, ERR_MISSING, "there is nothing below %s", url);
    const struct fetch_source source = {.name = url,
                                        .items = directory.bucket.items,
                                        .count = directory.bucket.count,
                                        .policy = &directory.bucket.policy,
                                        .retry = &retries,
                                        .stall_s = STALL_S,
                                        .connections = CONNECTIONS,
                                        .locate = object_locate,
                                        .context = &directory};
    return fetch_all(&source, target, ret_report, err);
}
