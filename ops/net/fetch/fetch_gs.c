/* Google Cloud Storage over its JSON API: objects.list, and objects.get with alt=media. A token is
 * an OAuth access token, sent as bearer. */
#include "ops/net/fetch/fetch_store.h"
#include "ops/net/url.h"
#include "ops/runtime/json.h"

enum { TOKEN };

static const struct section_key keys[] = {
    SECTION_KEY_TEXT("base_url", struct fetch_bucket, base_url,
                     "the store; default: https://storage.googleapis.com"),
    SECTION_KEY_REFERENCE("token", struct fetch_bucket, secret_refs[TOKEN],
                          "as env:NAME or file:/PATH; default: GOOGLE_OAUTH_ACCESS_TOKEN"),
};

static void prepare(struct fetch_bucket *bucket)
{
    bucket->base_url = "https://storage.googleapis.com";
    bucket->secret_refs[TOKEN] = "env:GOOGLE_OAUTH_ACCESS_TOKEN";
}

static bool authorize(struct fetch_bucket *bucket, struct arena *arena, struct err *err)
{
    (void)arena, (void)err;
    const char *token = bucket->secrets[TOKEN].text;
    if (token != NULL)
        bucket->access.credential = (struct http_credential){HTTP_BEARER, NULL, token, NULL};
    return true;
}

static const char *page_url(const struct fetch_bucket *bucket, const char *token,
                            struct arena *arena)
{
    return arena_printf(
        arena,
        "%s/storage/v1/b/%s/o?fields=items(name,size,md5Hash),nextPageToken"
        "&prefix=%s%s%s",
        bucket->base_url, url_escape(bucket->name, false, arena),
        url_escape(bucket->prefix, false, arena),
        token == NULL ? "" : "&pageToken=", token == NULL ? "" : url_escape(token, false, arena));
}

static bool page_read(struct fetch_bucket *bucket, const struct text *page, struct arena *arena,
                      const char **ret_token, struct err *err)
{
    scoped_json *root = json_parse(text_string(page), page->length, "the listing of a bucket", err);
    if (root == NULL)
        return false;
    size_t i;
    json_t *object;
    json_array_foreach (json_object_get(root, "items"), i, object) {
        const char *name = json_string_value(json_object_get(object, "name"));
        const char *size = json_string_value(json_object_get(object, "size"));
        const char *digest = json_string_value(json_object_get(object, "md5Hash"));
        uint8_t md5[MD5_BYTES];
        int64_t bytes = -1;
        if (name == NULL || (size != NULL && (!text_parse_i64(size, &bytes) || bytes < 0)))
            return err_set(err, ERR_INPUT, "the listing holds an object without a name or size");
        bool digested = digest != NULL && md5_base64_read(digest, md5);
        if (!fetch_bucket_add(bucket, name, bytes, digested ? md5 : NULL, arena, err))
            return false;
    }
    *ret_token = arena_strdup(arena, json_string_value(json_object_get(root, "nextPageToken")));
    return true;
}

static const char *object_url(const struct fetch_bucket *bucket, const char *key,
                              struct arena *arena)
{
    return arena_printf(arena, "%s/storage/v1/b/%s/o/%s?alt=media", bucket->base_url,
                        url_escape(bucket->name, false, arena), url_escape(key, false, arena));
}

const struct fetch_store fetch_store_gs = {
    .scheme = "gs",
    .keys = {keys, sizeof keys / sizeof keys[0]},
    .prepare = prepare,
    .authorize = authorize,
    .page_url = page_url,
    .page_read = page_read,
    .object_url = object_url,
};
