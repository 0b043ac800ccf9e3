/* URLs as libcurl holds them, for the files that speak with libcurl themselves. */
#ifndef OPS_NET_URL_HANDLE_H
#define OPS_NET_URL_HANDLE_H

#include <curl/curl.h>
#include <stdbool.h>

/* Parses the URL into the handle and checks it for a request: https (or http with allow_http), a
 * host, no user name, no password. NULL when it is fit, else constant text that says what is wrong
 * and goes after "the URL "; url_no_memory says nothing of the URL. */
extern const char url_no_memory[];
const char *url_fault(CURLU *handle, const char *url, bool allow_http);

static inline void url_cleanup(CURLU **handle)
{
    curl_url_cleanup(*handle);
}
#define scoped_url __attribute__((cleanup(url_cleanup))) CURLU

#endif
