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

/* A new handle; NULL without memory. The first one of a process hides its memory from crash files
 * and from other processes of its user. */
CURL *guard_handle_new(void);

/* Sets the common options of a handle and puts the guard before its connections. false when
 * libcurl refuses one. */
bool guard_set(struct guard *guard, CURL *curl);

/* No address was permitted: nothing was sent, and guard->forbidden says why. */
bool guard_refused(const struct guard *guard);

/* What a code of libcurl means after a transfer: a constant text, which quotes nothing. Of a
 * certificate that is refused it says why. */
const char *guard_says(CURL *curl, CURLcode code);

/* Options as tables; values that are NULL are left out. false when libcurl refuses one. */
struct guard_long {
    CURLoption option;
    long value;
};
struct guard_string {
    CURLoption option;
    const char *value;
};
/* An option was not set: without memory, which leaves its mark in errno (0 before the first one),
 * or by a libcurl that does not know it (ERR_BUG). Returns false. */
bool guard_option_failed(struct err *err);
bool guard_longs_set(CURL *curl, const struct guard_long *options, size_t count);
bool guard_strings_set(CURL *curl, const struct guard_string *options, size_t count);

/* A list of texts for an option; *ret_list holds what was made so far also without memory (false).
 */
bool guard_list_make(const char *const *items, size_t count, struct curl_slist **ret_list);

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
