/* Sections of the configuration that lead to a network: their keys as tables, read in one place.
 *
 * Beside the keys of its own, every such section has those of its policy:
 *
 *     allow_addresses = 10.1.0.0/16    # reachable although private; default: public ones only
 *     allow_ports = 8443               # of public addresses, beside 443
 *     allow_http = no                  # yes: plain http, and only to addresses listed above
 *     ca_file = /etc/ssl/our-ca.pem    # default: the system's authorities
 *     timeout_ms = 20000               # of one exchange
 */
#ifndef OPS_NET_SECTION_H
#define OPS_NET_SECTION_H

#include "ops/net/http.h"
#include "ops/runtime/conf.h"

/* The longest timeout_ms, for those who must wait longer than any exchange (a lease). */
enum { SECTION_TIMEOUT_MAX_MS = 60000, SECTION_TIMEOUT_DEFAULT_MS = 20000 };

struct section_key {
    const char *name;
    /* Checks and keeps the value in the struct that the section fills. The message of its ERR_USAGE
     * goes behind the place and the key. */
    bool (*set)(void *target, const char *value, struct arena *arena, struct err *err);
    const char *help; /* what it is for, one line */
};

/* Keys of one kind of section, for those who explain them. */
struct section_keys {
    const struct section_key *items;
    size_t count;
};

/* The keys of a policy that every section with a network has. */
struct section_keys section_policy_keys(void);

struct section {
    const char *what; /* for messages: "destination 'x'" */
    const struct section_key *keys;
    size_t key_count;           /* at most 16 */
    void *target;               /* what the keys fill */
    struct http_policy *policy; /* NULL: a section without a network */
};

/* Applies one `key = value`. ERR_USAGE names file, line, section and key, and for an unknown key
 * the nearest one; ERR_LIMIT. */
bool section_apply(const struct section *section, const struct conf_entry *entry,
                   struct arena *arena, struct err *err);

/* A whole number within bounds, else ERR_USAGE that names them. */
bool section_number(const char *value, int64_t min, int64_t max, int64_t *ret_number,
                    struct err *err);

#endif
