/* Implements the configuration: the table of tunables, the sources in order, and the places that
 * errors name. */
#include "ops/runtime/conf.h"

#include "ops/runtime/file.h"
#include "ops/runtime/json.h"
#include "ops/runtime/text.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* Top-level entries set tunables; entries of a section are kept as they are for the folder that
 * owns the section. */
static bool file_apply(struct conf *conf, const char *path, bool required, struct err *err)
{
    /* Nothing has that name, or it is where we may not look. A link that leads nowhere is there:
     * what was meant to hold would be passed over in silence. */
    struct stat info;
    if (path == NULL || (!required && lstat(path, &info) != 0 &&
                         (errno == ENOENT || errno == ENOTDIR || errno == EACCES)))
        return true;
    struct conf_file file = {0}, *kept = &conf->sections;
    if (!conf_file_read(path, conf->arena, &file, err))
        return false;
    for (size_t i = 0; i < file.count; i++) {
        const struct conf_entry *entry = &file.entries[i];
        if (entry->section[0] != '\0') {
            kept->entries = arena_grow(conf->arena, kept->entries, kept->count, &kept->capacity,
                                       sizeof *kept->entries);
            kept->entries[kept->count++] = *entry;
            continue;
        }
        const size_t key = text_index(entry->key, names, CONF_KEY_COUNT);
        if (key == CONF_KEY_COUNT)
            return err_set(err, ERR_USAGE, "%s:%d: unknown key '%s'%s", entry->file, entry->line,
                           entry->key, text_suggestion(entry->key, names, CONF_KEY_COUNT).words);
        if (!conf_set(conf, (enum conf_key)key, entry->value,
                      arena_printf(conf->arena, "%s:%d", entry->file, entry->line), err))
            return false;
    }
    return true;
}

static bool environment_apply(struct conf *conf, struct err *err)
{
    for (size_t key = 0; key < CONF_KEY_COUNT; key++) {
        char *variable = arena_printf(conf->arena, "STEPLEDGER_%s", names[key]);
        char *source = arena_printf(conf->arena, "environment STEPLEDGER_%s", names[key]);
        const size_t prefix = strlen("environment ");
        for (size_t i = 0; variable[i] != '\0'; i++) {
            variable[i] = (char)toupper((unsigned char)variable[i]);
            source[prefix + i] = variable[i];
        }
        const char *value = arena_strdup(conf->arena, getenv(variable));
        if (value != NULL && !conf_set(conf, (enum conf_key)key, value, source, err))
            return false;
    }
    return true;
}

bool conf_load(struct conf *conf, struct arena *arena, const char *extra_file, struct err *err)
{
    *conf = (struct conf){.arena = arena};
    for (size_t key = 0; key < CONF_KEY_COUNT; key++)
        conf->values[key] = (struct conf_value){tunables[key].standard, "default"};
    const char *usual = getenv(CONF_USUAL_VARIABLE);
    const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    const char *own = base != NULL && base[0] == '/' ? path_join(arena, base, "stepledger/config")
                      : home != NULL ? path_join(arena, home, ".config/stepledger/config")
                                     : NULL;
    bool alone = usual != NULL && strcmp(usual, "no") == 0;
    return (alone || (file_apply(conf, CONF_SYSTEM_PATH, false, err) &&
                      file_apply(conf, own, false, err))) &&
           file_apply(conf, extra_file, true, err) && environment_apply(conf, err) &&
           arena_ok(arena, "the configuration", err);
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

/* Reads one file of the `key = value` grammar through inih. */

enum {
    FILE_MAX_BYTES = 1 << 20,
    LINE_MAX_BYTES = 199 /* what inih, as Debian builds it, reads at once; the rest would count as
                            another line */
};

struct collector {
    struct arena *arena;
    struct conf_file *out;
    const char *path;
    const char *data, *at; /* the text, and the place up to which entries were matched: inih gives
                              no line numbers */
    int line;
};

/* inih (as Debian builds it) tells no line and no empty section, and cuts a section's name after 49
 * bytes: both are read here, in step with it. Walks on to the next line that begins with this key,
 * NULL: to the end. */
static void lines_walk(struct collector *collector, const char *key)
{
    struct conf_file *out = collector->out;
    size_t length = key == NULL ? 0 : strlen(key);
    while (*collector->at != '\0') {
        const char *start = collector->at;
        size_t rest = strcspn(start, "\n");
        collector->line++;
        collector->at += rest + (start[rest] == '\n');
        /* inih refuses a line without the bracket */
        const char *end = *start == '[' ? memchr(start, ']', rest) : NULL;
        if (end != NULL) {
            out->headers = arena_grow(collector->arena, out->headers, out->header_count,
                                      &out->header_capacity, sizeof *out->headers);
            out->headers[out->header_count++] = (struct conf_header){
                .name = arena_strndup(collector->arena, start + 1, (size_t)(end - start) - 1),
                .file = collector->path,
                .line = collector->line,
            };
        }
        if (key != NULL && strncmp(start, key, length) == 0 &&
            strchr(" \t=:", start[length]) != NULL)
            return;
    }
}

static int collect(void *user, const char *section, const char *key, const char *value)
{
    struct collector *collector = user;
    struct conf_file *out = collector->out;
    lines_walk(collector, key);
    out->entries = arena_grow(collector->arena, out->entries, out->count, &out->capacity,
                              sizeof *out->entries);
    struct conf_header *header = NULL; /* that the walk stands under; none before the first */
    if (section[0] != '\0' && out->header_count > 0)
        header = &out->headers[out->header_count - 1];
    out->entries[out->count++] = (struct conf_entry){
        .section = header == NULL ? "" : header->name,
        .key = arena_strdup(collector->arena, key),
        .value = arena_strdup(collector->arena, value),
        .file = collector->path,
        .line = collector->line,
    };
    if (header != NULL)
        header->entry_count++;
    return 1;
}

/* Takes the blanks off the front of each line, in place: inih would join an indented line to the
 * value before it, and people indent what stands under a section. Refuses lines that inih would cut
 * in two. */
static bool lines_prepare(char *data, const char *path, struct err *err)
{
    char *to = data;
    int number = 1;
    const char *first = data + text_utf8_mark(data, strlen(data));
    for (const char *from = first; *from != '\0'; number++) {
        from += strspn(from, " \t");
        size_t length = strcspn(from, "\n");
        if (length > LINE_MAX_BYTES)
            return err_set(
                err, ERR_USAGE,
                "%s:%d: the line has %zu bytes, more than %d (a long value can come from "
                "an environment variable, a long secret from a file)",
                path, number, length, LINE_MAX_BYTES);
        length += from[length] == '\n';
        memmove(to, from, length);
        to += length;
        from += length;
    }
    *to = '\0';
    return true;
}

/* Reads data, which is changed. */
static bool data_read(char *data, const char *name, struct arena *arena, struct conf_file *out,
                      struct err *err)
{
    *out = (struct conf_file){0};
    if (!lines_prepare(data, name, err))
        return false;
    struct collector collector = {
        .arena = arena, .out = out, .path = arena_strdup(arena, name), .data = data, .at = data};
    int bad_line = ini_parse_string(data, collect, &collector);
    if (bad_line < 0)
        memory_end();
    lines_walk(&collector, NULL);
    if (bad_line > 0)
        return err_set(err, ERR_USAGE, "%s:%d: expected `key = value` or `[section]`", name,
                       bad_line);
    return arena_ok(arena, name, err);
}

bool conf_file_read(const char *path, struct arena *arena, struct conf_file *out, struct err *err)
{
    char *data;
    size_t length;
    if (!file_read(path, FILE_MAX_BYTES, arena, &data, &length, err))
        return false;
    if (strlen(data) != length || text_utf8_valid(data, length) != length)
        return err_set(err, ERR_INPUT, "'%s' is not a text file in UTF-8", path);
    return data_read(data, path, arena, out, err);
}

bool conf_text_read(const char *text, const char *name, struct arena *arena, struct conf_file *out,
                    struct err *err)
{
    return data_read(arena_strdup(arena, text), name, arena, out, err);
}

bool conf_entry_once(const struct conf_file *file, size_t index, struct err *err)
{
    const struct conf_entry *entry = &file->entries[index];
    for (size_t i = 0; i < index; i++) {
        const struct conf_entry *first = &file->entries[i];
        if (strcmp(first->section, entry->section) == 0 && strcmp(first->key, entry->key) == 0)
            return err_set(err, ERR_USAGE,
                           "%s:%d: '%s' stands twice in this section, first in line %d: remove one",
                           entry->file, entry->line, entry->key, first->line);
    }
    return true;
}

bool conf_sections_check(const struct conf_file *file, struct err *err)
{
    for (size_t i = 0; i < file->header_count; i++) {
        const struct conf_header *header = &file->headers[i];
        if (header->entry_count == 0)
            return err_set(err, ERR_USAGE,
                           "%s:%d: nothing stands under [%s]: give it a key, or remove it",
                           header->file, header->line, header->name);
    }
    return true;
}
