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

/* The field in which a value is kept. */
enum section_kind {
    SECTION_OWN,       /* none: the function keeps it */
    SECTION_TEXT,      /* const char *, as it stands */
    SECTION_REFERENCE, /* const char *: where a secret is kept (ops/net/secret.h), never the secret
                        */
    SECTION_NUMBER,    /* int64_t: a whole number within bounds, times the scale */
    SECTION_FLAG       /* bool: yes or no */
};

struct section_key {
    const char *name;
    const char *help; /* what it is for, one line */
    enum section_kind kind;
    size_t offset; /* of the field in the struct that the section fills */
    int64_t min, max, scale;
    /* Checks the value when it is kept, or keeps it itself; NULL: there is nothing to check. The
     * message of its ERR_USAGE goes behind the place and the key. */
    bool (*check)(void *target, const struct conf_entry *entry, struct arena *arena,
                  struct err *err);
};

/* Rows of a table: SECTION_KEY_TEXT("branch", struct route, branch, "shell pattern"), and behind
 * the help `.check =` what checks it, if anything does. */
#define SECTION_KEY(key, text, ...) \
    { \
        .name = key, .help = text, __VA_ARGS__ \
    }
#define SECTION_KEY_OWN(key, function, text) \
    SECTION_KEY(key, text, .kind = SECTION_OWN, .check = (function))
#define SECTION_KEY_TEXT(key, type, field, text, ...) \
    SECTION_KEY(key, text, .kind = SECTION_TEXT, .offset = FIELD_AT(type, field, const char *), \
                __VA_ARGS__)
#define SECTION_KEY_REFERENCE(key, type, field, text) \
    SECTION_KEY(key, text, .kind = SECTION_REFERENCE, .offset = FIELD_AT(type, field, const char *))
#define SECTION_KEY_NUMBER(key, type, field, least, most, factor, text) \
    SECTION_KEY(key, text, .kind = SECTION_NUMBER, .offset = FIELD_AT(type, field, int64_t), \
                .min = (least), .max = (most), .scale = (factor))
#define SECTION_KEY_FLAG(key, type, field, text) \
    SECTION_KEY(key, text, .kind = SECTION_FLAG, .offset = FIELD_AT(type, field, bool))

/* Keys of one kind of section. */
struct section_keys {
    const struct section_key *items;
    size_t count; /* at most 16 */
};
#define SECTION_KEYS(table) ((struct section_keys){table, sizeof(table) / sizeof *(table)})

/* The keys of a policy that every section with a network has. */
struct section_keys section_policy_keys(void);

/* The row of a key, among those of a section and, with `has_network`, of every policy. NULL with
 * ERR_USAGE that names file, line, section (`what`) and the nearest key. */
const struct section_key *section_key_find(struct section_keys keys, bool has_network,
                                           const char *what, const struct conf_entry *entry,
                                           struct err *err);

struct section {
    const char *what; /* for messages: "destination 'x'" */
    struct section_keys keys;
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
