/* Implements the checks and the redaction of URLs on libcurl's URL interface. */
#include "alerts/url.h"
#include "ops/runtime/digest.h"
#include "ops/runtime/text.h"

#include <string.h>

enum { URL_MAX_BYTES = 8 << 10, TAG_CHARS = 8, REDACTED_BYTES = 512 };

static inline void part_cleanup(char **part)
{
    curl_free(*part);
}
#define scoped_part __attribute__((cleanup(part_cleanup))) char

/* NULL when the URL has no such part. */
static char *part_of(CURLU *handle, CURLUPart which)
{
    char *part = NULL;
    return curl_url_get(handle, which, &part, 0) == CURLUE_OK ? part : NULL;
}

static void tag_add(struct text *out, const char *url)
{
    char hex[SHA256_HEX_BYTES];
    if (sha256_hex(url, strlen(url), hex, NULL))
        text_addf(out, "(url %.*s)", TAG_CHARS, hex);
    else
        text_add(out, "(url)");
}

static void redacted_add(struct text *out, const char *url)
{
    scoped_url *handle = curl_url();
    if (handle != NULL && curl_url_set(handle, CURLUPART_URL, url, 0) == CURLUE_OK) {
        scoped_part *scheme = part_of(handle, CURLUPART_SCHEME);
        scoped_part *host = part_of(handle, CURLUPART_HOST);
        scoped_part *port = part_of(handle, CURLUPART_PORT);
        if (scheme != NULL && host != NULL)
            text_addf(out, "%s://%.255s%s%s/… ", scheme, host, port == NULL ? "" : ":",
                      port == NULL ? "" : port);
    }
    tag_add(out, url);
}

char *url_redacted(struct arena *arena, const char *url)
{
    scoped_text shown;
    text_init(&shown, REDACTED_BYTES);
    redacted_add(&shown, url);
    return shown.failed ? NULL : arena_strdup(arena, text_string(&shown));
}

const char *url_fault(CURLU *handle, const char *url, bool allow_http)
{
    if (strlen(url) > URL_MAX_BYTES || curl_url_set(handle, CURLUPART_URL, url, 0) != CURLUE_OK)
        return "is no URL; write it as https://host/path";
    scoped_part *scheme = part_of(handle, CURLUPART_SCHEME);
    scoped_part *user = part_of(handle, CURLUPART_USER);
    scoped_part *password = part_of(handle, CURLUPART_PASSWORD);
    if (user != NULL || password != NULL)
        return "holds a user name or password; put the credential into the secret";
    bool plain = scheme != NULL && strcmp(scheme, "http") == 0;
    if (plain && !allow_http)
        return "is http, which sends everything in the clear; use https or set allow_http = yes";
    return plain || (scheme != NULL && strcmp(scheme, "https") == 0)
               ? NULL
               : "has a scheme other than https";
}

bool url_check(const char *url, bool allow_http, struct err *err)
{
    scoped_url *handle = curl_url();
    if (handle == NULL)
        return err_set(err, ERR_LIMIT, "no memory for a URL");
    const char *fault = url_fault(handle, url, allow_http);
    if (fault == NULL)
        return true;
    scoped_text shown;
    text_init(&shown, REDACTED_BYTES);
    redacted_add(&shown, url);
    return err_set(err, ERR_USAGE, "the URL %s %s", text_string(&shown), fault);
}
