/* The name by which we greet a mail server (EHLO, RFC 5321 §4.1.1.1): relays refuse one that is no
 * full domain name, nor an address in brackets. */
#ifndef ALERTS_MAIL_MAIL_NAME_H
#define ALERTS_MAIL_MAIL_NAME_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"

#include <stdbool.h>

/* A full domain name (ledger.example.com), or [192.0.2.7], or [IPv6:2001:db8::7]. */
bool mail_name_fits(const char *name);

/* The URL of the mail server with our name as its path, where libcurl looks for it: the configured
 * one (NULL = none), else that of the URL itself, else this machine's full name, else the address
 * from which it reaches the server, in brackets. Asks the resolver; sends nothing else. ERR_LIMIT.
 */
bool mail_name_put(const char *configured, const char *url, struct arena *arena,
                   const char **ret_url, const char **ret_name, struct err *err);

#endif
