/* URLs of receivers: parsed by libcurl alone, checked, and shown without what makes them secret. */
#ifndef OPS_NET_URL_H
#define OPS_NET_URL_H

#include "ops/net/secret.h"
#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"

#include <stdbool.h>

/* Checks the URL of a request: https (or http with allow_http), a host, no user name, no password.
 * ERR_USAGE names the URL in its redacted form. */
bool url_check(const char *url, bool allow_http, struct err *err);

/* The check of a mail server's URL: smtps or smtp, a host, no user name, no password. */
bool url_mail_check(const char *url, bool *ret_smtps, struct err *err);

/* "https://host/… (url 1a2b3c4d)": scheme, host, port when one is written, and the first 8 hex
 * digits of the URL's SHA-256, by which two messages about the same URL can be matched. "(url
 * 1a2b3c4d)" alone when it cannot be parsed. */
char *url_redacted(struct arena *arena, const char *url);

/* The URL with path segments behind its path and parameters behind its query (both already encoded;
 * either NULL = nothing). ERR_USAGE: it cannot be parsed. */
bool url_extend(const char *url, const char *path, const char *query, struct secret *ret_url,
                struct err *err);

/* A part of a URL or of a form: all but unreserved characters percent-encoded, and '/' unless
 * keep_slash. */
const char *url_escape(const char *text, bool keep_slash, struct arena *arena);

/* A base address without its final '/'. */
const char *url_base(const char *url, struct arena *arena);

/* Where an answer's Location leads from the URL, in *ret_url; false unless that is on the same
 * origin (scheme, host, port), without user name or password. */
bool url_follow(const char *url, const char *location, struct secret *ret_url);

/* The host is one of these or below one of them: "slack.com", "*.logic.azure.com". false when the
 * URL cannot be parsed. */
bool url_host_is(const char *url, const char *const *hosts, size_t count);

#endif
