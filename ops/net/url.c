/* Implements the checks and the redaction of URLs on libcurl's URL interface. */
#include "ops/net/url.h"
#include "ops/net/url_handle.h"
#include "ops/runtime/digest.h"
#include "ops/runtime/text.h"

#include <ctype.h>
#include <string.h>

enum { URL_MAX_BYTES = 8 << 10, TAG_CHARS = 8, REDACTED_BYTES = 512 };

static inline void part_cleanup(char **part)
{
    curl_free(*part);
}
#define scoped_part __attribute__((cleanup(part_cleanup))) char

static const char url_form[] = "is no URL; write it as https://host/path";
const char url_no_memory[] = "cannot be read: no memory";

/* NULL when the URL has no such part. */
static char *part_of(CURLU *handle, CURLUPart which)
{
    char *part = NULL;
    return curl_url_get(handle, which, &part, 0) == CURLUE_OK ? part : NULL;
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
    char hex[SHA256_HEX_BYTES];
    if (sha256_hex(url, strlen(url), hex, NULL))
        text_addf(out, "(url %.*s)", TAG_CHARS, hex);
    else
        text_add(out, "(url)");
}

char *url_redacted(struct arena *arena, const char *url)
{
    scoped_text shown;
    text_init(&shown, REDACTED_BYTES);
    redacted_add(&shown, url);
    return text_keep(&shown, arena);
}

/* Parses; NULL with *ret_scheme (curl_free), or what is wrong. `form` says how it is written. */
static const char *parts_fault(CURLU *handle, const char *url, const char *form, char **ret_scheme)
{
    scoped_part *user = NULL, *password = NULL;
    CURLUcode parsed = strlen(url) > URL_MAX_BYTES ? CURLUE_MALFORMED_INPUT
                                                   : curl_url_set(handle, CURLUPART_URL, url, 0);
    if (parsed != CURLUE_OK)
        return parsed == CURLUE_OUT_OF_MEMORY ? url_no_memory : form;
    CURLUcode has_user = curl_url_get(handle, CURLUPART_USER, &user, 0);
    CURLUcode has_password = curl_url_get(handle, CURLUPART_PASSWORD, &password, 0);
    CURLUcode has_scheme = curl_url_get(handle, CURLUPART_SCHEME, ret_scheme, 0);
    if (has_user == CURLUE_OUT_OF_MEMORY || has_password == CURLUE_OUT_OF_MEMORY ||
        has_scheme == CURLUE_OUT_OF_MEMORY)
        return url_no_memory;
    if (user != NULL || password != NULL)
        return "holds a user name or password; put the credential into the secret";
    return *ret_scheme == NULL ? form : NULL;
}

const char *url_fault(CURLU *handle, const char *url, bool allow_http)
{
    scoped_part *scheme = NULL;
    const char *fault = parts_fault(handle, url, url_form, &scheme);
    if (fault != NULL)
        return fault;
    bool plain = strcmp(scheme, "http") == 0;
    if (plain && !allow_http)
        return "is http, which sends everything in the clear; use https or set allow_http = yes";
    return plain || strcmp(scheme, "https") == 0 ? NULL : "has a scheme other than https";
}

static const char *mail_fault(CURLU *handle, const char *url, bool *ret_smtps)
{
    scoped_part *scheme = NULL;
    const char *fault = parts_fault(
        handle, url, "is no URL of a mail server; write it as smtps://host or smtp://host:587",
        &scheme);
    if (fault != NULL)
        return fault;
    *ret_smtps = strcmp(scheme, "smtps") == 0;
    return *ret_smtps || strcmp(scheme, "smtp") == 0 ? NULL
                                                     : "has a scheme other than smtps and smtp";
}

static bool fault_name(const char *url, const char *fault, struct err *err)
{
    if (fault == url_no_memory)
        return err_set_memory(err, "no memory for a URL");
    scoped_text shown;
    text_init(&shown, REDACTED_BYTES);
    redacted_add(&shown, url);
    return err_set(err, ERR_USAGE, "the URL %s %s", text_shown(&shown), fault);
}

bool url_check(const char *url, bool allow_http, struct err *err)
{
    scoped_url *handle = curl_url();
    if (handle == NULL)
        return err_set_memory(err, "no memory for a URL");
    const char *fault = url_fault(handle, url, allow_http);
    return fault == NULL || fault_name(url, fault, err);
}

bool url_mail_check(const char *url, bool *ret_smtps, struct err *err)
{
    scoped_url *handle = curl_url();
    if (handle == NULL)
        return err_set_memory(err, "no memory for a URL");
    const char *fault = mail_fault(handle, url, ret_smtps);
    return fault == NULL || fault_name(url, fault, err);
}

/* "https://h/api" + "/x" -> path "/api/x"; a slash too many is none of ours. */
static CURLUcode path_append(CURLU *handle, const char *path)
{
    char *old = NULL;
    CURLUcode code = curl_url_get(handle, CURLUPART_PATH, &old, 0);
    if (code != CURLUE_OK)
        return code;
    size_t length = strlen(old);
    while (length > 0 && old[length - 1] == '/')
        length--;
    scoped_text whole;
    text_init(&whole, SIZE_MAX);
    text_addn(&whole, old, length);
    text_add(&whole, path);
    curl_free(old);
    return whole.failed ? CURLUE_OUT_OF_MEMORY
                        : curl_url_set(handle, CURLUPART_PATH, text_string(&whole), 0);
}

bool url_extend(const char *url, const char *path, const char *query, struct secret *ret_url,
                struct err *err)
{
    char *whole = NULL;
    scoped_url *handle = curl_url();
    if (handle == NULL)
        return err_set_memory(err, "no memory for a URL");
    CURLUcode code = curl_url_set(handle, CURLUPART_URL, url, 0);
    if (code == CURLUE_OK && path != NULL)
        code = path_append(handle, path);
    if (code == CURLUE_OK && query != NULL)
        code = curl_url_set(handle, CURLUPART_QUERY, query, CURLU_APPENDQUERY);
    if (code == CURLUE_OK)
        code = curl_url_get(handle, CURLUPART_URL, &whole, 0);
    if (code == CURLUE_OUT_OF_MEMORY)
        return err_set_memory(err, "no memory for a URL");
    if (code != CURLUE_OK)
        return err_set(err, ERR_USAGE, "the URL %s", url_form);
    *ret_url = (struct secret){strdup(whole), strlen(whole)};
    explicit_bzero(whole, strlen(whole));
    curl_free(whole);
    return ret_url->text != NULL || err_set_memory(err, "no memory for a URL");
}

static bool part_same(CURLU *a, CURLU *b, CURLUPart which)
{
    char *left = NULL, *right = NULL;
    bool same = curl_url_get(a, which, &left, CURLU_DEFAULT_PORT) == CURLUE_OK &&
                curl_url_get(b, which, &right, CURLU_DEFAULT_PORT) == CURLUE_OK &&
                strcasecmp(left, right) == 0;
    curl_free(left);
    curl_free(right);
    return same;
}

bool url_follow(const char *url, const char *location, struct secret *ret_url)
{
    scoped_url *from = curl_url(), *to = curl_url();
    char *whole = NULL;
    if (from == NULL || to == NULL || curl_url_set(from, CURLUPART_URL, url, 0) != CURLUE_OK ||
        curl_url_set(to, CURLUPART_URL, url, 0) != CURLUE_OK ||
        curl_url_set(to, CURLUPART_URL, location, 0) != CURLUE_OK)
        return false;
    scoped_part *user = part_of(to, CURLUPART_USER);
    scoped_part *password = part_of(to, CURLUPART_PASSWORD);
    if (user != NULL || password != NULL || !part_same(from, to, CURLUPART_SCHEME) ||
        !part_same(from, to, CURLUPART_HOST) || !part_same(from, to, CURLUPART_PORT) ||
        curl_url_get(to, CURLUPART_URL, &whole, 0) != CURLUE_OK)
        return false;
    *ret_url = (struct secret){strdup(whole), strlen(whole)};
    explicit_bzero(whole, strlen(whole));
    curl_free(whole);
    return ret_url->text != NULL;
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
    for (const unsigned char *p = (const unsigned char *)text; escaped != NULL && *p != 0; p++) {
        if (isalnum(*p) || strchr("-._~", *p) != NULL || (*p == '/' && keep_slash)) {
            *out++ = (char)*p;
            continue;
        }
        *out++ = '%';
        *out++ = hex[*p >> 4];
        *out++ = hex[*p & 15];
    }
    if (escaped != NULL)
        *out = '\0';
    return escaped;
}

bool url_host_is(const char *url, const char *const *hosts, size_t count)
{
    scoped_url *handle = curl_url();
    char *host = NULL;
    bool fits = false;
    if (handle == NULL || curl_url_set(handle, CURLUPART_URL, url, 0) != CURLUE_OK ||
        curl_url_get(handle, CURLUPART_HOST, &host, 0) != CURLUE_OK)
        return false;
    for (size_t i = 0; i < count && !fits; i++) {
        const char *tail = hosts[i] + (hosts[i][0] == '*');
        size_t length = strlen(host), least = strlen(tail);
        fits = tail == hosts[i] ? strcasecmp(host, tail) == 0
                                : length > least && strcasecmp(host + length - least, tail) == 0;
    }
    curl_free(host);
    return fits;
}
