/* The configuration's tables as a commented file: what is shipped as ops/deploy/stepledger.conf. */
#include "ops/cli/help/help.h"

#include "alerts/destination.h"
#include "alerts/route.h"
#include "ops/flow/reports/reports.h"
#include "ops/net/fetch/fetch.h"
#include "ops/net/wandb/wandb.h"

#include <stdio.h>
#include <string.h>

static const char preface[] =
    "# The configuration of stepledger: every key with its meaning and its default.\n"
    "#\n"
    "# Read in this order, the later wins: " CONF_SYSTEM_PATH ", ~/.config/stepledger/config\n"
    "# (or stepledger/config below XDG_CONFIG_HOME), the file of --config, the environment as\n"
    "# STEPLEDGER_KEY (STEPLEDGER_DB, STEPLEDGER_MAX_MEMORY_MB), a command's options.\n"
    "# " CONF_USUAL_VARIABLE "=no leaves out the first two. `stepledger check --show` prints what\n"
    "# holds and where it comes from, `stepledger check` finds what is wrong.\n"
    "#\n"
    "# Comments stand on lines of their own. A secret is never written here: env:NAME,\n"
    "# file:/PATH (mode 0600) or credential:NAME (systemd) says where it is kept.\n";

static const struct section_text {
    const char *header, *line;
    struct section_keys (*keys)(void);
    bool has_network; /* the keys of a policy belong to it too */
} sections[] = {
    {"destination NAME", "Who can be told of verdicts (`stepledger help alerts`).",
     destination_keys, true},
    {"route NAME", "Whom to tell of what; without routes, `notify` is one.", route_keys, false},
    {"report NAME", "What moved in a project, told when its time comes (`stepledger help alerts`).",
     report_section_keys, true},
    {"wandb", "Weights & Biases, to read profiles from and to publish to.", wandb_section_keys,
     true},
};

static void range_add(enum conf_key key, struct text *out)
{
    char range[CONF_RANGE_BYTES];
    if (conf_key_range(key, range)[0] != '\0')
        text_addf(out, " (%s)", range);
}

static void section_keys_add(struct section_keys keys, struct text *out)
{
    for (size_t i = 0; i < keys.count; i++)
        text_addf(out, "# %s\n#%s =\n", keys.items[i].help, keys.items[i].name);
}

/* ---- what stands there ------------------------------------------------------------------------
 */

/* The section's own keys; those of destinations and routes are checked with what they say. */
static bool store_keys(const char *section, struct section_keys *ret_keys)
{
#define STORE_KEYS(store) \
    if (strcmp(section, fetch_store_##store.scheme) == 0) { \
        *ret_keys = fetch_store_##store.keys; \
        return true; \
    }
    FETCH_STORES(STORE_KEYS)
#undef STORE_KEYS
    return false;
}

bool config_entry_check(const struct conf_entry *entry, struct err *err)
{
    enum { NAMES_MAX = 16, WHAT_BYTES = 64 };
    size_t count = 0;
    const char *names[NAMES_MAX];
    struct section_keys keys = {0};
    char what[WHAT_BYTES];
    (void)snprintf(what, sizeof what, "[%.40s]", entry->section);
    if (store_keys(entry->section, &keys))
        return section_key_find(keys, true, what, entry, err) != NULL;
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        size_t length = strcspn(sections[i].header, " ");
        bool is_named = sections[i].header[length] != '\0';
        names[count++] = sections[i].header;
        if (strncmp(entry->section, sections[i].header, length) != 0)
            continue;
        if (entry->section[length] == (is_named ? ' ' : '\0'))
            return is_named || section_key_find(sections[i].keys(), true, what, entry, err) != NULL;
        if (entry->section[length] == '\0')
            return err_set(err, ERR_MISSING, "%s:%d: a section [%s] lacks its name: [%s]",
                           entry->file, entry->line, entry->section, sections[i].header);
    }
#define STORE_NAME(store) names[count++] = fetch_store_##store.scheme;
    FETCH_STORES(STORE_NAME)
#undef STORE_NAME
    return err_set(err, ERR_MISSING, "%s:%d: nothing reads a section [%s]%s", entry->file,
                   entry->line, entry->section,
                   text_suggestion(entry->section, names, count).words);
}

/* ---- the file ---------------------------------------------------------------------------------
 */

void help_config(struct arena *arena, struct text *out)
{
    (void)arena;
    text_add(out, preface);
    for (enum conf_key key = 0; key < CONF_KEY_COUNT; key++) {
        const char *standard = conf_key_standard(key);
        text_addf(out, "\n# %s", conf_key_help(key));
        range_add(key, out);
        text_addf(out, "\n#%s =%s%s\n", conf_key_name(key), standard[0] != '\0' ? " " : "",
                  standard);
    }
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        text_addf(out, "\n# ---- %s\n#[%s]\n", sections[i].line, sections[i].header);
        section_keys_add(sections[i].keys(), out);
        if (sections[i].has_network)
            section_keys_add(section_policy_keys(), out);
    }
#define STORE(scheme) &fetch_store_##scheme,
    static const struct fetch_store *const stores[] = {FETCH_STORES(STORE)};
#undef STORE
    for (size_t i = 0; i < sizeof stores / sizeof stores[0]; i++) {
        text_addf(out, "\n# ---- Buckets of %s://, to read profiles from.\n#[%s]\n",
                  stores[i]->scheme, stores[i]->scheme);
        section_keys_add(stores[i]->keys, out);
        section_keys_add(section_policy_keys(), out);
    }
}

/* ---- what holds ------------------------------------------------------------------------------ */

/* A connection string may hold a password. */
const char *config_shown_value(enum conf_key key, const char *value)
{
    bool secret = key == CONF_db || key == CONF_db_read;
    return secret && (strstr(value, "password") != NULL || strstr(value, "://") != NULL)
               ? "(not shown: it may hold a password)"
               : value;
}

/* The address of a webhook is as good as a key. */
static bool may_be_secret(const struct conf_entry *entry)
{
    static const char *const forms[] = {"env:", "file:", "credential:"};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (strncmp(entry->value, forms[i], strlen(forms[i])) == 0)
            return false;
    }
    return strcmp(entry->key, "url") == 0 || strstr(entry->key, "secret") != NULL ||
           strstr(entry->key, "token") != NULL || strstr(entry->key, "key") != NULL;
}

void config_show(const struct conf *conf, struct text *out)
{
    const char *section = "";
    for (int key = 0; key < CONF_KEY_COUNT; key++) {
        const struct conf_value *value = &conf->values[key];
        bool is_default = strcmp(value->source, "default") == 0;
        text_addf(out, "# %s", conf_key_help((enum conf_key)key));
        range_add((enum conf_key)key, out);
        text_addf(out, "\n# from: %s\n%s%s = %s\n\n", value->source, is_default ? "#" : "",
                  conf_key_name((enum conf_key)key),
                  config_shown_value((enum conf_key)key, value->text));
    }
    for (size_t i = 0; i < conf->sections.count; i++) {
        const struct conf_entry *entry = &conf->sections.entries[i];
        if (strcmp(section, entry->section) != 0)
            text_addf(out, "[%s]\n", entry->section);
        section = entry->section;
        text_addf(out, "# from: %s:%d\n%s = %s\n", entry->file, entry->line, entry->key,
                  may_be_secret(entry) ? "(not shown: it may be a secret)" : entry->value);
    }
}
