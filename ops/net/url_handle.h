/* URLs as libcurl holds them, for the files that speak with libcurl themselves. */
#ifndef OPS_NET_URL_HANDLE_H
#define OPS_NET_URL_HANDLE_H

#include <curl/curl.h>
#include <stdbool.h>

/* Parses a URL, with libcurl's flags; NULL when it is none. */
CURLU *url_parsed(const char *url, unsigned flags);

/* A part of it, for curl_free; NULL when it has none. */
char *url_part(CURLU *handle, CURLUPart which);

/* Sets a part, with libcurl's flags; false when it does not fit. */
bool url_part_set(CURLU *handle, CURLUPart which, const char *value, unsigned flags);

/* Both are of one scheme, host and port. */
bool url_same_origin(CURLU *a, CURLU *b);

/* Parses the URL and checks it for a request: https (or http with allow_http), a host, no user
 * name, no password. NULL with *ret_handle when it is fit, else constant text that says what is
 * wrong and goes after "the URL ". */
const char *url_fault(const char *url, bool allow_http, CURLU **ret_handle);

static inline void url_cleanup(CURLU **handle)
{
    curl_url_cleanup(*handle);
}
#define scoped_url __attribute__((cleanup(url_cleanup))) CURLU

static inline void url_part_cleanup(char **part)
{
    curl_free(*part);
}
#define scoped_part __attribute__((cleanup(url_part_cleanup))) char

#endif
