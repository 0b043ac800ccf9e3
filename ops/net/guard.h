/* What every transfer with libcurl has in common, whatever the protocol: a handle, the address
 * decided at connect time, TLS verified, no proxy, no netrc, no connection kept.
 */
#ifndef OPS_NET_GUARD_H
#define OPS_NET_GUARD_H

#include "ops/net/http.h"

#include <curl/curl.h>

enum { GUARD_WHY_BYTES = 512 };

/* Lives as long as the transfer. */
struct guard {
    const struct http_policy *policy;
    const uint16_t *ports; /* of public addresses, beside the policy's own */
    size_t port_count;
    const char *plain;               /* what goes in the clear ("http"), and so only to addresses
                                        that are listed; NULL = TLS is used */
    int permitted_count;             /* addresses that were tried */
    char forbidden[GUARD_WHY_BYTES]; /* why the last forbidden address is; "" = none was */
};

/* A new handle. The first one of a process hides its memory from crash files and from other
 * processes of its user. */
CURL *guard_handle_new(void);

/* An option as a row of a table: what libcurl takes as a number or a pointer. NULL is left out. */
struct guard_option {
    CURLoption option;
    intptr_t value;
};

/* Puts the guard before the connections of a handle; sets the options that all transfers have, and
 * then these. ERR_BUG: a libcurl that does not know one. */
bool guard_set(struct guard *guard, CURL *curl, const struct guard_option *options, size_t count,
               struct err *err);

/* No address was permitted: nothing was sent, and guard->forbidden says why. */
bool guard_refused(const struct guard *guard);

/* What a code of libcurl means after a transfer: a constant text, which quotes nothing. Of a
 * certificate that is refused it says why. */
const char *guard_says(CURL *curl, CURLcode code);

/* A list of texts for an option. */
struct curl_slist *guard_list(const char *const *items, size_t count);

static inline void guard_list_cleanup(struct curl_slist **list)
{
    curl_slist_free_all(*list);
}
#define scoped_curl_list __attribute__((cleanup(guard_list_cleanup))) struct curl_slist

static inline void guard_handle_cleanup(CURL **curl)
{
    curl_easy_cleanup(*curl);
}
#define scoped_curl __attribute__((cleanup(guard_handle_cleanup))) CURL

#endif
