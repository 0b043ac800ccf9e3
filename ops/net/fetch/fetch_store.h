/* An object store as a source of downloads: what differs between stores, as a table of functions
 * (ops/net/fetch/fetch_bucket.c joins it with the rest). To add one: write
 * ops/net/fetch/fetch_SCHEME.c with a `const struct fetch_store fetch_store_SCHEME`, and add SCHEME
 * to FETCH_STORES. */
#ifndef OPS_NET_FETCH_FETCH_STORE_H
#define OPS_NET_FETCH_FETCH_STORE_H

#include "ops/net/fetch/fetch_folder.h"
#include "ops/net/secret.h"
#include "ops/net/section.h"
#include "ops/runtime/text.h"

enum { FETCH_STORE_SECRETS = 3 };

/* One directory of a store. */
struct fetch_bucket {
    const char *name, *prefix; /* prefix is "" or ends with '/' */
    const char *base_url, *region;
    const char *secret_refs[FETCH_STORE_SECRETS]; /* "env:NAME", "file:PATH"; NULL = none */
    struct secret secrets[FETCH_STORE_SECRETS];   /* text NULL = none */
    struct http_policy policy;
    struct fetch_place access; /* credential and header of every request; url unused */
    struct fetch_item *items;  /* their paths end the objects' keys, behind the prefix */
    size_t count, item_capacity;
};

struct fetch_store {
    const char *scheme; /* "gs"; the section of the configuration is called so too */
    struct section_keys keys;
    /* Fills in defaults before the section is read. */
    void (*prepare)(struct fetch_bucket *bucket);
    /* Makes `access` from the secrets, after the section was read. */
    bool (*authorize)(struct fetch_bucket *bucket, struct arena *arena, struct err *err);
    /* The URL of a page of the listing; token NULL for the first. */
    const char *(*page_url)(const struct fetch_bucket *bucket, const char *token,
                            struct arena *arena);
    /* Adds the page's objects with fetch_bucket_add; *ret_token NULL at the end. */
    bool (*page_read)(struct fetch_bucket *bucket, const struct text *page, struct arena *arena,
                      const char **ret_token, struct err *err);
    /* The URL of an object's bytes. */
    const char *(*object_url)(const struct fetch_bucket *bucket, const char *key,
                              struct arena *arena);
};

#define FETCH_STORES(X) X(gs) X(s3)
#define FETCH_STORE_DECLARE(scheme) extern const struct fetch_store fetch_store_##scheme;
FETCH_STORES(FETCH_STORE_DECLARE)
#undef FETCH_STORE_DECLARE

/* Adds an object of a listing: its key, size (-1 = not told), MD5 (NULL = not told). Markers of
 * folders are left out. ERR_LIMIT: there are too many. */
bool fetch_bucket_add(struct fetch_bucket *bucket, const char *key, int64_t size_bytes,
                      const uint8_t *md5, struct arena *arena, struct err *err);

#endif
