/* S3 and stores that speak it: ListObjectsV2 and GetObject, signed by libcurl (Signature Version
 * 4). The listing's XML is read by the few elements that matter; ETags are no digests (they are not
 * the MD5 of encrypted or multipart objects), so that only sizes are checked. */
#include "ops/net/fetch/fetch_store.h"
#include "ops/net/url.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ACCESS_KEY, SECRET_KEY, SESSION_TOKEN };

/* S3 wants the hash of the body as a signed header, which libcurl 7.88 leaves out: the SHA-256 of
 * nothing. */
static const char empty_body[] =
    "x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

static bool region_check(void *target, const struct conf_entry *entry, struct arena *arena,
                         struct err *err)
{
    (void)target, (void)arena;
    const char *value = entry->value;
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    return value[strspn(value, allowed)] == '\0' ||
           err_set(err, ERR_USAGE, "'%s' must be lower-case letters, digits and -", value);
}

static const struct section_key keys[] = {
    SECTION_KEY_TEXT("base_url", struct fetch_bucket, base_url,
                     "the store; default: that of AWS in the region"),
    SECTION_KEY_REFERENCE("access_key", struct fetch_bucket, secret_refs[ACCESS_KEY],
                          "as env:NAME or file:/PATH; default: AWS_ACCESS_KEY_ID"),
    SECTION_KEY_REFERENCE("secret_key", struct fetch_bucket, secret_refs[SECRET_KEY],
                          "likewise; default: AWS_SECRET_ACCESS_KEY"),
    SECTION_KEY_REFERENCE("session_token", struct fetch_bucket, secret_refs[SESSION_TOKEN],
                          "likewise; default: AWS_SESSION_TOKEN"),
    SECTION_KEY_TEXT("region", struct fetch_bucket, region, "default: AWS_REGION, else us-east-1",
                     .check = region_check),
};

static const char *variable(const char *first, const char *second, const char *standard)
{
    const char *value = getenv(first);
    if (value == NULL || value[0] == '\0')
        value = getenv(second);
    return value == NULL || value[0] == '\0' ? standard : value;
}

static void prepare(struct fetch_bucket *bucket)
{
    bucket->region = variable("AWS_REGION", "AWS_DEFAULT_REGION", "us-east-1");
    bucket->base_url = variable("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", NULL);
    bucket->secret_refs[ACCESS_KEY] = "env:AWS_ACCESS_KEY_ID";
    bucket->secret_refs[SECRET_KEY] = "env:AWS_SECRET_ACCESS_KEY";
    bucket->secret_refs[SESSION_TOKEN] = "env:AWS_SESSION_TOKEN";
}

static bool authorize(struct fetch_bucket *bucket, struct arena *arena, struct err *err)
{
    /* The default address follows from the region, which the section may have set. */
    if (bucket->base_url == NULL)
        bucket->base_url = arena_printf(arena, "https://s3.%s.amazonaws.com", bucket->region);
    const char *access = bucket->secrets[ACCESS_KEY].text;
    const char *secret = bucket->secrets[SECRET_KEY].text;
    const char *session = bucket->secrets[SESSION_TOKEN].text;
    if ((access == NULL) != (secret == NULL))
        return err_set(err, ERR_USAGE, "S3: %s is given without %s",
                       access != NULL ? "an access key" : "a secret key",
                       access != NULL ? "its secret key" : "its access key");
    if (access == NULL)
        return true;
    const char *scope = arena_printf(arena, "aws:amz:%s:s3", bucket->region);
    bucket->access.credential = (struct http_credential){HTTP_SIGV4, access, secret, scope};
    bucket->access.headers[0] = arena_strdup(arena, empty_body);
    if (session != NULL)
        bucket->access.headers[1] = arena_printf(arena, "x-amz-security-token: %s", session);
    return true;
}

/* Parameters stand in the order in which they are signed. */
static const char *page_url(const struct fetch_bucket *bucket, const char *token,
                            struct arena *arena)
{
    return arena_printf(arena, "%s/%s?%s%s%slist-type=2&prefix=%s", bucket->base_url,
                        url_escape(bucket->name, false, arena),
                        token == NULL ? "" : "continuation-token=",
                        token == NULL ? "" : url_escape(token, false, arena),
                        token == NULL ? "" : "&", url_escape(bucket->prefix, false, arena));
}

/* ---- XML ---- */

/* The text of the first <name>…</name> in [*p, end), copied without entities; *p moves behind it.
 * NULL when there is none. */
static char *element(const char **p, const char *end, const char *name, struct arena *arena)
{
    char open[64], close[64];
    (void)snprintf(open, sizeof open, "<%s>", name);
    (void)snprintf(close, sizeof close, "</%s>", name);
    const char *start = memmem(*p, (size_t)(end - *p), open, strlen(open));
    if (start == NULL)
        return NULL;
    start += strlen(open);
    const char *stop = memmem(start, (size_t)(end - start), close, strlen(close));
    if (stop == NULL)
        return NULL;
    *p = stop + strlen(close);
    return arena_strndup(arena, start, (size_t)(stop - start));
}

/* Replaces entities in place; what is none stays. */
static char *entities_resolve(char *text)
{
    static const struct {
        const char *name;
        char value;
    } named[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    char *out = text;
    for (const char *p = text; *p != '\0';) {
        size_t i = 0;
        while (i < 5 && strncmp(p, named[i].name, strlen(named[i].name)) != 0)
            i++;
        char *rest = NULL;
        bool numeric = p[0] == '&' && p[1] == '#';
        bool hex = numeric && p[2] == 'x';
        unsigned long c = numeric ? strtoul(p + (hex ? 3 : 2), &rest, hex ? 16 : 10) : 0;
        if (i < 5) {
            *out++ = named[i].value;
            p += strlen(named[i].name);
        } else if (numeric && *rest == ';' && c > 0 && c <= 0x10FFFF) {
            out += text_utf8_put((uint32_t)c, out);
            p = rest + 1;
        } else {
            *out++ = *p++;
        }
    }
    *out = '\0';
    return text;
}

static bool page_read(struct fetch_bucket *bucket, const struct text *page, struct arena *arena,
                      const char **ret_token, struct err *err)
{
    const char *p = text_string(page), *end = p + page->length, *whole = p;
    if (memmem(p, page->length, "<ListBucketResult", strlen("<ListBucketResult")) == NULL)
        return err_set(err, ERR_INPUT, "the listing of a bucket is no ListBucketResult");
    for (const char *contents; (contents = element(&p, end, "Contents", arena)) != NULL;) {
        const char *at = contents, *from = contents, *stop = contents + strlen(contents);
        char *key = element(&at, stop, "Key", arena);
        const char *size = element(&from, stop, "Size", arena);
        int64_t bytes;
        if (key == NULL || size == NULL || !text_parse_i64(size, &bytes) || bytes < 0)
            return err_set(err, ERR_INPUT, "the listing holds an object without a key or size");
        if (!fetch_bucket_add(bucket, entities_resolve(key), bytes, NULL, arena, err))
            return false;
    }
    char *token = element(&whole, end, "NextContinuationToken", arena);
    *ret_token = token == NULL ? NULL : entities_resolve(token);
    return true;
}

static const char *object_url(const struct fetch_bucket *bucket, const char *key,
                              struct arena *arena)
{
    return arena_printf(arena, "%s/%s/%s", bucket->base_url, url_escape(bucket->name, false, arena),
                        url_escape(key, true, arena));
}

const struct fetch_store fetch_store_s3 = {
    .scheme = "s3",
    .keys = {keys, sizeof keys / sizeof keys[0]},
    .prepare = prepare,
    .authorize = authorize,
    .page_url = page_url,
    .page_read = page_read,
    .object_url = object_url,
};
