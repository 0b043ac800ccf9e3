/* Implements the checks and the redaction of URLs on libcurl's URL interface. */
#include "ops/net/url.h"
#include "ops/net/url_handle.h"
#include "ops/runtime/digest.h"
#include "ops/runtime/text.h"

#include <ctype.h>
#include <string.h>

enum { URL_MAX_BYTES = 8 << 10, TAG_CHARS = 8, REDACTED_BYTES = 512 };

static const char url_form[] = "is no URL; write it as https://host/path";

/* ---- handles ---- */

static bool done(CURLUcode code)
{
    if (code == CURLUE_OUT_OF_MEMORY)
        memory_end();
    return code == CURLUE_OK;
}

CURLU *url_parsed(const char *url, unsigned flags)
{
    CURLU *handle = memory_given(curl_url());
    if (url_part_set(handle, CURLUPART_URL, url, flags))
        return handle;
    curl_url_cleanup(handle);
    return NULL;
}

char *url_part(CURLU *handle, CURLUPart which)
{
    char *part = NULL;
    return done(curl_url_get(handle, which, &part, 0)) ? part : NULL;
}

bool url_part_set(CURLU *handle, CURLUPart which, const char *value, unsigned flags)
{
    return done(curl_url_set(handle, which, value, flags));
}

bool url_same_origin(CURLU *a, CURLU *b)
{
    static const CURLUPart origin[] = {CURLUPART_SCHEME, CURLUPART_HOST, CURLUPART_PORT};
    bool same = true;
    for (size_t i = 0; same && i < sizeof origin / sizeof origin[0]; i++) {
        scoped_part *left = NULL, *right = NULL;
        same = done(curl_url_get(a, origin[i], &left, CURLU_DEFAULT_PORT)) &&
               done(curl_url_get(b, origin[i], &right, CURLU_DEFAULT_PORT)) &&
               strcmp(left, right) == 0; /* another spelling is no reason to trust */
    }
    return same;
}

/* The whole URL, kept where it is wiped. */
static bool url_keep(CURLU *handle, struct secret *ret_url)
{
    scoped_part *whole = url_part(handle, CURLUPART_URL);
    if (whole == NULL)
        return false;
    *ret_url = (struct secret){memory_strdup(whole), strlen(whole)};
    explicit_bzero(whole, strlen(whole));
    return true;
}

/* ---- words ---- */

static void redacted_add(struct text *out, const char *url)
{
    scoped_url *handle = url_parsed(url, 0);
    if (handle != NULL) {
        scoped_part *scheme = url_part(handle, CURLUPART_SCHEME);
        scoped_part *host = url_part(handle, CURLUPART_HOST);
        scoped_part *port = url_part(handle, CURLUPART_PORT);
        if (scheme != NULL && host != NULL)
            text_addf(out, "%s://%.255s%s%s/… ", scheme, host, port == NULL ? "" : ":",
                      port == NULL ? "" : port);
    }
    char hex[SHA256_HEX_BYTES];
    sha256_hex(url, strlen(url), hex);
    text_addf(out, "(url %.*s)", TAG_CHARS, hex);
}

char *url_redacted(struct arena *arena, const char *url)
{
    scoped_text shown;
    text_init(&shown, REDACTED_BYTES);
    redacted_add(&shown, url);
    return text_keep_start(&shown, arena);
}

/* ---- checks ---- */

/* Parses; NULL with both results, or what is wrong. `form` says how it is written. */
static const char *parts_fault(const char *url, const char *form, CURLU **ret_handle,
                               char **ret_scheme)
{
    *ret_handle = strlen(url) > URL_MAX_BYTES ? NULL : url_parsed(url, 0);
    if (*ret_handle == NULL)
        return form;
    scoped_part *user = url_part(*ret_handle, CURLUPART_USER);
    scoped_part *password = url_part(*ret_handle, CURLUPART_PASSWORD);
    if (user != NULL || password != NULL)
        return "holds a user name or password; put the credential into the secret";
    *ret_scheme = url_part(*ret_handle, CURLUPART_SCHEME);
    return *ret_scheme == NULL ? form : NULL;
}

const char *url_fault(const char *url, bool allow_http, CURLU **ret_handle)
{
    scoped_part *scheme = NULL;
    const char *fault = parts_fault(url, url_form, ret_handle, &scheme);
    if (fault != NULL)
        return fault;
    bool plain = strcmp(scheme, "http") == 0;
    if (plain && !allow_http)
        return "is http, which sends everything in the clear; use https or set allow_http = yes";
    return plain || strcmp(scheme, "https") == 0 ? NULL : "has a scheme other than https";
}

static bool fault_name(const char *url, const char *fault, struct err *err)
{
    scoped_text shown;
    text_init(&shown, REDACTED_BYTES);
    redacted_add(&shown, url);
    return err_set(err, ERR_USAGE, "the URL %s %s", text_shown(&shown), fault);
}

bool url_check(const char *url, bool allow_http, struct err *err)
{
    scoped_url *handle = NULL;
    const char *fault = url_fault(url, allow_http, &handle);
    return fault == NULL || fault_name(url, fault, err);
}

bool url_mail_check(const char *url, bool *ret_smtps, struct err *err)
{
    scoped_url *handle = NULL;
    scoped_part *scheme = NULL;
    const char *fault =
        parts_fault(url, "is no URL of a mail server; write it as smtps://host or smtp://host:587",
                    &handle, &scheme);
    if (fault != NULL)
        return fault_name(url, fault, err);
    *ret_smtps = strcmp(scheme, "smtps") == 0;
    return *ret_smtps || strcmp(scheme, "smtp") == 0 ||
           fault_name(url, "has a scheme other than smtps and smtp", err);
}

/* ---- other URLs ---- */

/* "https://h/api" + "/x" -> path "/api/x"; a slash too many is none of ours. */
bool url_extend(const char *url, const char *path, const char *query, struct secret *ret_url,
                struct err *err)
{
    scoped_url *handle = url_parsed(url, 0);
    scoped_part *old = handle == NULL ? NULL : url_part(handle, CURLUPART_PATH);
    scoped_text whole;
    text_init(&whole, SIZE_MAX);
    if (old != NULL) {
        size_t length = strlen(old);
        while (length > 0 && old[length - 1] == '/')
            length--;
        text_addn(&whole, old, length);
        text_add(&whole, path == NULL ? "" : path);
    }
    return (old != NULL &&
            (path == NULL || url_part_set(handle, CURLUPART_PATH, text_string(&whole), 0)) &&
            (query == NULL || url_part_set(handle, CURLUPART_QUERY, query, CURLU_APPENDQUERY)) &&
            url_keep(handle, ret_url)) ||
           err_set(err, ERR_USAGE, "the URL %s", url_form);
}

bool url_follow(const char *url, const char *location, struct secret *ret_url)
{
    scoped_url *from = url_parsed(url, 0), *to = url_parsed(url, 0);
    if (from == NULL || to == NULL || !url_part_set(to, CURLUPART_URL, location, 0))
        return false;
    scoped_part *user = url_part(to, CURLUPART_USER);
    scoped_part *password = url_part(to, CURLUPART_PASSWORD);
    return user == NULL && password == NULL && url_same_origin(from, to) && url_keep(to, ret_url);
}

const char *url_base(const char *url, struct arena *arena)
{
    size_t length = strlen(url);
    while (length > 0 && url[length - 1] == '/')
        length--;
    return arena_strndup(arena, url, length);
}

const char *url_escape(const char *text, bool keep_slash, struct arena *arena)
{
    static const char hex[] = "0123456789ABCDEF";
    char *escaped = arena_alloc(arena, 3 * strlen(text) + 1), *out = escaped;
    for (const unsigned char *p = (const unsigned char *)text; *p != 0; p++) {
        if (isalnum(*p) || strchr("-._~", *p) != NULL || (*p == '/' && keep_slash)) {
            *out++ = (char)*p;
            continue;
        }
        *out++ = '%';
        *out++ = hex[*p >> 4];
        *out++ = hex[*p & 15];
    }
    *out = '\0';
    return escaped;
}

bool url_host_is(const char *url, const char *const *hosts, size_t count)
{
    scoped_url *handle = url_parsed(url, 0);
    scoped_part *host = handle == NULL ? NULL : url_part(handle, CURLUPART_HOST);
    for (size_t i = 0; host != NULL && i < count; i++) {
        const char *tail = hosts[i] + (hosts[i][0] == '*');
        size_t length = strlen(host), least = strlen(tail);
        if (tail == hosts[i] ? strcasecmp(host, tail) == 0
                             : length > least && strcasecmp(host + length - least, tail) == 0)
            return true;
    }
    return false;
}
