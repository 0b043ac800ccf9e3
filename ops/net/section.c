/* Implements the keys of a policy, one function each, and the reading of an entry by tables. */
#include "ops/net/section.h"
#include "ops/runtime/text.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

enum { TIMEOUT_MIN_MS = 100, PORT_MAX = 65535, PORTS_MAX = 16, KEYS_MAX = 16 };

static bool addresses_set(void *target, const char *value, struct arena *arena, struct err *err)
{
    struct http_policy *policy = target;
    return cidr_list_parse(value, arena, &policy->allowed, err);
}

static bool ports_set(void *target, const char *value, struct arena *arena, struct err *err)
{
    struct http_policy *policy = target;
    uint16_t *ports = arena_array(arena, uint16_t, PORTS_MAX);
    if (ports == NULL)
        return arena_failed(arena, "allow_ports", err);
    size_t count = 0;
    for (const char *p = value; *p != '\0';) {
        size_t part = strcspn(p, ","), length = part;
        const char *start = p;
        text_strip(&start, &length);
        const char *item = arena_strndup(arena, start, length);
        if (item == NULL)
            return arena_failed(arena, "allow_ports", err);
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

/* "yes" or "no", else ERR_USAGE. */
static bool section_flag(const char *value, bool *ret_flag, struct err *err)
{
    *ret_flag = strcmp(value, "yes") == 0;
    return *ret_flag || strcmp(value, "no") == 0 ||
           err_set(err, ERR_USAGE, "'%s' must be yes or no", value);
}

bool section_number(const char *value, int64_t min, int64_t max, int64_t *ret_number,
                    struct err *err)
{
    return (text_parse_i64(value, ret_number) && *ret_number >= min && *ret_number <= max) ||
           err_set(err, ERR_USAGE, "'%s' must be a whole number from %lld to %lld", value,
                   (long long)min, (long long)max);
}

static bool http_set(void *target, const char *value, struct arena *arena, struct err *err)
{
    (void)arena;
    struct http_policy *policy = target;
    return section_flag(value, &policy->allow_http, err);
}

static bool authority_set(void *target, const char *value, struct arena *arena, struct err *err)
{
    (void)arena;
    struct http_policy *policy = target;
    policy->ca_file = value;
    return access(value, R_OK) == 0 || err_set_errno(err, ERR_USAGE, "cannot read '%s'", value);
}

static bool timeout_set(void *target, const char *value, struct arena *arena, struct err *err)
{
    (void)arena;
    struct http_policy *policy = target;
    return section_number(value, TIMEOUT_MIN_MS, SECTION_TIMEOUT_MAX_MS, &policy->timeout_ms, err);
}

static const struct section_key policy_keys[] = {
    {"allow_addresses", addresses_set,
     "reachable although private, such as 10.1.0.0/16; default: public ones only"},
    {"allow_ports", ports_set, "of public addresses, beside the usual one"},
    {"allow_http", http_set, "yes: unencrypted, to listed addresses alone; default: no"},
    {"ca_file", authority_set, "authorities of TLS; default: the system's"},
    {"timeout_ms", timeout_set, "of one exchange; default: 20000"},
};
enum { POLICY_KEY_COUNT = sizeof policy_keys / sizeof policy_keys[0] };

struct section_keys section_policy_keys(void)
{
    return (struct section_keys){policy_keys, POLICY_KEY_COUNT};
}

/* ---- entries ---- */

static const struct section_key *key_find(const struct section_key *keys, size_t count,
                                          const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(keys[i].name, name) == 0)
            return &keys[i];
    }
    return NULL;
}

bool section_apply(const struct section *section, const struct conf_entry *entry,
                   struct arena *arena, struct err *err)
{
    const struct section_key *own = key_find(section->keys, section->key_count, entry->key);
    const struct section_key *key = own != NULL || section->policy == NULL
                                        ? own
                                        : key_find(policy_keys, POLICY_KEY_COUNT, entry->key);
    if (key == NULL) {
        const char *names[KEYS_MAX + POLICY_KEY_COUNT];
        assert(section->key_count <= KEYS_MAX);
        size_t count = 0;
        for (size_t i = 0; i < section->key_count; i++)
            names[count++] = section->keys[i].name;
        for (size_t i = 0; section->policy != NULL && i < POLICY_KEY_COUNT; i++)
            names[count++] = policy_keys[i].name;
        return err_set(err, ERR_USAGE, "%s:%d: %s: unknown key '%s'%s", entry->file, entry->line,
                       section->what, entry->key, text_suggestion(entry->key, names, count).words);
    }
    struct err fault = {0};
    void *target = own != NULL ? section->target : section->policy;
    if (entry->value[0] == '\0')
        (void)err_set(&fault, ERR_USAGE, "has no value; leave the line out");
    else if (key->set(target, entry->value, arena, &fault))
        return true;
    bool lacks = fault.kind == ERR_LIMIT || fault.kind == ERR_FULL;
    return err_set(err, lacks ? fault.kind : ERR_USAGE, "%s:%d: %s: %s: %s", entry->file,
                   entry->line, section->what, entry->key, fault.text);
}
