/* Implements the keys of a policy, and the reading of an entry by tables. */
#include "ops/net/section.h"
#include "ops/net/secret.h"
#include "ops/runtime/text.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

enum { TIMEOUT_MIN_MS = 100, PORT_MAX = 65535, PORTS_MAX = 16, KEYS_MAX = 16 };

static bool addresses_set(void *target, const struct conf_entry *entry, struct arena *arena,
                          struct err *err)
{
    struct http_policy *policy = target;
    return cidr_list_parse(entry->value, arena, &policy->allowed, err);
}

static bool ports_set(void *target, const struct conf_entry *entry, struct arena *arena,
                      struct err *err)
{
    const char *value = entry->value;
    struct http_policy *policy = target;
    uint16_t *ports = arena_array(arena, uint16_t, PORTS_MAX);
    size_t count = 0;
    for (const char *p = value; *p != '\0';) {
        size_t part = strcspn(p, ","), length = part;
        const char *start = p;
        text_strip(&start, &length);
        const char *item = arena_strndup(arena, start, length);
        int64_t port = 0;
        if (count == PORTS_MAX || !text_parse_i64(item, &port) || port < 1 || port > PORT_MAX)
            return err_set(err, ERR_USAGE, "'%s' must be at most %d ports from 1 to %d", value,
                           PORTS_MAX, PORT_MAX);
        ports[count++] = (uint16_t)port;
        p += part + (p[part] == ',');
    }
    policy->ports = ports;
    policy->port_count = count;
    return true;
}

bool section_number(const char *value, int64_t min, int64_t max, int64_t *ret_number,
                    struct err *err)
{
    return (text_parse_i64(value, ret_number) && *ret_number >= min && *ret_number <= max) ||
           err_set(err, ERR_USAGE, "'%s' must be a whole number from %lld to %lld", value,
                   (long long)min, (long long)max);
}

static bool authority_check(void *target, const struct conf_entry *entry, struct arena *arena,
                            struct err *err)
{
    (void)target, (void)arena;
    return access(entry->value, R_OK) == 0 ||
           err_set_errno(err, ERR_USAGE, "cannot read '%s'", entry->value);
}

static const struct section_key policy_keys[] = {
    SECTION_KEY_OWN("allow_addresses", addresses_set,
                    "reachable although private, such as 10.1.0.0/16; default: public ones only"),
    SECTION_KEY_OWN("allow_ports", ports_set, "of public addresses, beside the usual one"),
    SECTION_KEY_FLAG("allow_http", struct http_policy, allow_http,
                     "yes: unencrypted, to listed addresses alone; default: no"),
    SECTION_KEY_TEXT("ca_file", struct http_policy, ca_file,
                     "authorities of TLS; default: the system's", .check = authority_check),
    SECTION_KEY_NUMBER("timeout_ms", struct http_policy, timeout_ms, TIMEOUT_MIN_MS,
                       SECTION_TIMEOUT_MAX_MS, 1, "of one exchange; default: 20000"),
};

struct section_keys section_policy_keys(void)
{
    return SECTION_KEYS(policy_keys);
}

/* ---- entries ---- */

const struct section_key *section_key_find(struct section_keys keys, bool has_network,
                                           const char *what, const struct conf_entry *entry,
                                           struct err *err)
{
    const struct section_keys tables[] = {keys, section_policy_keys()};
    const char *names[KEYS_MAX + sizeof policy_keys / sizeof policy_keys[0]];
    size_t count = 0;
    assert(keys.count <= KEYS_MAX);
    for (size_t k = 0; k < 1 + (size_t)has_network; k++)
        for (size_t i = 0; i < tables[k].count; i++) {
            names[count++] = tables[k].items[i].name;
            if (strcmp(names[count - 1], entry->key) == 0)
                return &tables[k].items[i];
        }
    (void)err_set(err, ERR_USAGE, "%s:%d: %s: unknown key '%s'%s", entry->file, entry->line, what,
                  entry->key, text_suggestion(entry->key, names, count).words);
    return NULL;
}

static bool value_keep(const struct section_key *key, const char *value, void *field,
                       struct err *err)
{
    bool yes = strcmp(value, "yes") == 0;
    int64_t number;
    switch (key->kind) {
    case SECTION_OWN:
        return true;
    case SECTION_TEXT:
        *(const char **)field = value;
        return true;
    case SECTION_REFERENCE:
        *(const char **)field = value;
        return secret_is_reference(value) ||
               err_set(err, ERR_USAGE, "say where the secret is kept, as " SECRET_FORMS);
    case SECTION_NUMBER:
        if (!section_number(value, key->min, key->max, &number, err))
            return false;
        *(int64_t *)field = number * key->scale;
        return true;
    case SECTION_FLAG:
        *(bool *)field = yes;
        return yes || strcmp(value, "no") == 0 ||
               err_set(err, ERR_USAGE, "'%s' must be yes or no", value);
    }
    return err_set(err, ERR_BUG, "a key without a kind");
}

bool section_apply(const struct section *section, const struct conf_entry *entry,
                   struct arena *arena, struct err *err)
{
    const struct section_key *key =
        section_key_find(section->keys, section->policy != NULL, section->what, entry, err);
    if (key == NULL)
        return false;
    bool is_own = key >= section->keys.items && key < section->keys.items + section->keys.count;
    void *target = is_own ? section->target : section->policy;
    struct err fault = {0};
    if (entry->value[0] == '\0')
        (void)err_set(&fault, ERR_USAGE, "has no value; leave the line out");
    else if (value_keep(key, entry->value, (char *)target + key->offset, &fault) &&
             (key->check == NULL || key->check(target, entry, arena, &fault)))
        return true;
    bool lacks = fault.kind == ERR_LIMIT || fault.kind == ERR_FULL;
    return err_set(err, lacks ? fault.kind : ERR_USAGE, "%s:%d: %s: %s: %s", entry->file,
                   entry->line, section->what, entry->key, fault.text);
}
