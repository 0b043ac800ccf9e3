/* Whether a receiver can be reached: its name, the address policy, the connection, TLS. Nothing is
 * asked of it.
 */
#ifndef OPS_NET_REACH_H
#define OPS_NET_REACH_H

#include "ops/net/http.h"

/* Connects and lets go. *ret_why is NULL when that worked, else one sentence without a secret. The
 * URL (checked, never shown) is of http, https, smtp or smtps. ERR_BUG. */
bool reach(const struct http_policy *policy, const char *url, struct arena *arena,
           const char **ret_why, struct err *err);

#endif
