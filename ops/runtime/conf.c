/* Implements the configuration: the table of tunables, the sources in order, and the places that
 * errors name. */
#include "ops/runtime/conf.h"
#include "ops/runtime/json_memory.h"
#include "ops/runtime/file.h"
#include "ops/runtime/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum conf_type { TYPE_TEXT, TYPE_INT, TYPE_BOOL };

struct tunable {
    const char *name;
    enum conf_type type;
    const char *standard;
    int64_t min, max;
    const char *help;
};

static const struct tunable tunables[CONF_KEY_COUNT] = {
#define CONF_TUNABLE(name, type, standard, min, max, help) \
    {#name, TYPE_##type, standard, min, max, help},
    CONF_TUNABLES(CONF_TUNABLE)
#undef CONF_TUNABLE
};

static const char *const names[CONF_KEY_COUNT] = {
#define CONF_NAME(name, type, standard, min, max, help) #name,
    CONF_TUNABLES(CONF_NAME)
#undef CONF_NAME
};

static bool value_check(const struct tunable *tunable, const char *value, const char *source,
                        struct err *err)
{
    int64_t number;
    switch (tunable->type) {
    case TYPE_INT:
        if (!text_parse_i64(value, &number) || number < tunable->min || number > tunable->max)
            return err_set(err, ERR_USAGE, "%s: %s = '%s' must be a whole number from %lld to %lld",
                           source, tunable->name, value, (long long)tunable->min,
                           (long long)tunable->max);
        return true;
    case TYPE_BOOL:
        if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
            return err_set(err, ERR_USAGE, "%s: %s = '%s' must be yes or no", source, tunable->name,
                           value);
        return true;
    default:
        return true;
    }
}

bool conf_set(struct conf *conf, enum conf_key key, const char *value, const char *source,
              struct err *err)
{
    if (!value_check(&tunables[key], value, source, err))
        return false;
    conf->values[key] = (struct conf_value){value, source};
    return true;
}

static bool unknown_key(const struct conf_entry *entry, struct err *err)
{
    return err_set(err, ERR_USAGE, "%s:%d: unknown key '%s'%s", entry->file, entry->line,
                   entry->key, text_suggestion(entry->key, names, CONF_KEY_COUNT).words);
}

/* Top-level entries set tunables; entries of a section are kept as they are for the folder that
 * owns the section. */
static bool entry_apply(struct conf *conf, const struct conf_entry *entry, struct err *err)
{
    if (entry->section[0] != '\0') {
        struct conf_file *kept = &conf->sections;
        struct conf_entry *grown =
            arena_grow(conf->arena, kept->entries, kept->count, &kept->capacity, sizeof *grown);
        if (grown == NULL)
            return arena_failed(conf->arena, "the configuration", err);
        kept->entries = grown;
        kept->entries[kept->count++] = *entry;
        return true;
    }
    for (size_t key = 0; key < CONF_KEY_COUNT; key++) {
        if (strcmp(names[key], entry->key) != 0)
            continue;
        const char *source = arena_printf(conf->arena, "%s:%d", entry->file, entry->line);
        if (source == NULL)
            return arena_failed(conf->arena, "the configuration", err);
        return conf_set(conf, (enum conf_key)key, entry->value, source, err);
    }
    return unknown_key(entry, err);
}

static bool file_apply(struct conf *conf, const char *path, bool required, struct err *err)
{
    if (path == NULL || (!required && access(path, F_OK) != 0))
        return true;
    struct conf_file file = {0};
    if (!conf_file_read(path, conf->arena, &file, err))
        return false;
    for (size_t i = 0; i < file.count; i++) {
        if (!entry_apply(conf, &file.entries[i], err))
            return false;
    }
    return true;
}

static bool environment_apply(struct conf *conf, struct err *err)
{
    for (size_t key = 0; key < CONF_KEY_COUNT; key++) {
        char *variable = arena_printf(conf->arena, "STEPLEDGER_%s", names[key]);
        char *source = arena_printf(conf->arena, "environment STEPLEDGER_%s", names[key]);
        if (variable == NULL || source == NULL)
            return arena_failed(conf->arena, "the configuration", err);
        const size_t prefix = strlen("environment ");
        for (size_t i = 0; variable[i] != '\0'; i++) {
            variable[i] = (char)toupper((unsigned char)variable[i]);
            source[prefix + i] = variable[i];
        }
        const char *value = getenv(variable);
        if (value != NULL && (value = arena_strdup(conf->arena, value)) == NULL)
            return arena_failed(conf->arena, "the configuration", err);
        if (value != NULL && !conf_set(conf, (enum conf_key)key, value, source, err))
            return false;
    }
    return true;
}

static const char *user_path(struct arena *arena)
{
    const char *base = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    if (base != NULL && base[0] == '/')
        return path_join(arena, base, "stepledger/config");
    return home == NULL ? NULL : path_join(arena, home, ".config/stepledger/config");
}

bool conf_load(struct conf *conf, struct arena *arena, const char *extra_file, struct err *err)
{
    *conf = (struct conf){.arena = arena};
    for (size_t key = 0; key < CONF_KEY_COUNT; key++)
        conf->values[key] = (struct conf_value){tunables[key].standard, "default"};
    const char *usual = getenv(CONF_USUAL_VARIABLE);
    bool alone = usual != NULL && strcmp(usual, "no") == 0;
    return (alone || (file_apply(conf, CONF_SYSTEM_PATH, false, err) &&
                      file_apply(conf, user_path(arena), false, err))) &&
           file_apply(conf, extra_file, true, err) && environment_apply(conf, err);
}

const char *conf_text(const struct conf *conf, enum conf_key key)
{
    return conf->values[key].text;
}

static int64_t number_of(const char *text)
{
    int64_t number = 0;
    (void)text_parse_i64(text, &number);
    return number;
}

int64_t conf_int(const struct conf *conf, enum conf_key key)
{
    return number_of(conf->values[key].text);
}

size_t conf_memory_bytes(const struct conf *conf)
{
    return (size_t)conf_int(conf, CONF_max_memory_mb) << 20;
}

void conf_memory_arena(const struct conf *conf, struct arena *arena)
{
    json_memory_arena(arena, conf_memory_bytes(conf));
}

bool conf_bool(const struct conf *conf, enum conf_key key)
{
    return strcmp(conf->values[key].text, "yes") == 0;
}

const char *conf_key_standard(enum conf_key key)
{
    return tunables[key].standard;
}

int64_t conf_standard_int(enum conf_key key)
{
    return number_of(tunables[key].standard);
}

enum conf_key conf_key_find(const char *name)
{
    for (size_t key = 0; key < CONF_KEY_COUNT; key++) {
        size_t i = 0;
        while (name[i] != '\0' && names[key][i] == (name[i] == '-' ? '_' : name[i]))
            i++;
        if (name[i] == '\0' && names[key][i] == '\0')
            return (enum conf_key)key;
    }
    return CONF_KEY_COUNT;
}

const char *conf_key_name(enum conf_key key)
{
    return tunables[key].name;
}

const char *conf_key_help(enum conf_key key)
{
    return tunables[key].help;
}

const char *conf_key_range(enum conf_key key, char *buffer)
{
    const struct tunable *tunable = &tunables[key];
    if (tunable->type == TYPE_INT && tunable->max == INT64_MAX)
        (void)snprintf(buffer, CONF_RANGE_BYTES, "%lld or more", (long long)tunable->min);
    else if (tunable->type == TYPE_INT)
        (void)snprintf(buffer, CONF_RANGE_BYTES, "%lld to %lld", (long long)tunable->min,
                       (long long)tunable->max);
    else
        (void)snprintf(buffer, CONF_RANGE_BYTES, "%s",
                       tunable->type == TYPE_BOOL ? "yes or no" : "");
    return buffer;
}
