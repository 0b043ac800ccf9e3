/* Destinations: the [destination NAME] sections of the configuration, read, checked and turned into
 * a policy.
 *
 *     [destination team-hook]
 *     kind = webhook                      # alerts/channels.c lists the kinds
 *     url = env:TEAM_HOOK_URL             # env:NAME, file:/PATH (mode 0600), or the URL itself
 * when it is no secret secret = file:/etc/stepledger/hook  # signing key; leave out for unsigned
 * messages allow_addresses = 10.1.0.0/16       # reachable although private; default: public
 * addresses only allow_ports = 8443                  # of public addresses, beside 443 allow_http =
 * no                     # yes: plain http, and only to addresses listed above ca_file =
 * /etc/ssl/our-ca.pem       # default: the system's authorities timeout_ms = 20000
 *
 * Secrets are not read here: a wrong reference shows when it is used.
 */
#ifndef ALERTS_DESTINATION_H
#define ALERTS_DESTINATION_H

#include "alerts/http.h"
#include "alerts/section.h"
#include "ops/runtime/arena.h"
#include "ops/runtime/conf.h"
#include "ops/runtime/err.h"

#include <stdbool.h>

/* The longest timeout_ms, for those who must wait longer than any delivery (a lease). */
enum { DESTINATION_TIMEOUT_MAX_MS = SECTION_TIMEOUT_MAX_MS };

struct destination {
    const char *name;
    const char *kind;
    const char *url_ref;    /* "env:NAME", "file:PATH" or a literal URL */
    const char *secret_ref; /* "env:NAME" or "file:PATH"; NULL = unsigned */
    struct http_policy policy;
};

/* Fills *ret_destination from the configuration; later entries win over earlier ones. ERR_USAGE
 * when it is unknown, incomplete or has a bad entry: names file and line, and what was probably
 * meant. Values of url and secret are never quoted. */
bool destination_find(const struct conf *conf, const char *name, struct arena *arena,
                      struct destination *ret_destination, struct err *err);

#endif
