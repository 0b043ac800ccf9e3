/* Reads one file of the `key = value` grammar through inih. */
#include "ops/runtime/conf.h"
#include "ops/runtime/file.h"
#include "ops/runtime/text.h"

#include <ini.h>
#include <string.h>

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
    bool no_memory;
};

/* inih (as Debian builds it) tells no line: find the next line that begins with this key. */
static int line_of(struct collector *collector, const char *key)
{
    size_t length = strlen(key);
    for (const char *p = collector->at; *p != '\0';) {
        size_t rest = strcspn(p, "\n");
        const char *start = p + strspn(p, " \t");
        collector->line++;
        p += rest + (p[rest] == '\n');
        collector->at = p;
        if (strncmp(start, key, length) == 0 && strchr(" \t=:", start[length]) != NULL)
            break;
    }
    return collector->line;
}

static int collect(void *user, const char *section, const char *key, const char *value)
{
    struct collector *collector = user;
    struct conf_file *out = collector->out;
    struct conf_entry *entries =
        arena_grow(collector->arena, out->entries, out->count, &out->capacity, sizeof *entries);
    if (entries == NULL) {
        collector->no_memory = true;
        return 0;
    }
    out->entries = entries;
    struct conf_entry entry = {
        .section = arena_strdup(collector->arena, section),
        .key = arena_strdup(collector->arena, key),
        .value = arena_strdup(collector->arena, value),
        .file = collector->path,
        .line = line_of(collector, key),
    };
    if (entry.section == NULL || entry.key == NULL || entry.value == NULL) {
        collector->no_memory = true;
        return 0;
    }
    entries[out->count++] = entry;
    return 1;
}

/* Takes the blanks off the front of each line, in place: inih would join an indented line to the
 * value before it, and people indent what stands under a section. Refuses lines that inih would cut
 * in two. */
static bool lines_prepare(char *data, const char *path, struct err *err)
{
    char *to = data;
    int number = 1;
    for (const char *from = data; *from != '\0'; number++) {
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
    if (!lines_prepare(data, name, err))
        return false;
    struct collector collector = {
        .arena = arena, .out = out, .path = arena_strdup(arena, name), .data = data, .at = data};
    int bad_line = collector.path == NULL ? -1 : ini_parse_string(data, collect, &collector);
    if (collector.no_memory || bad_line < 0)
        return arena_failed(arena, name, err);
    if (bad_line > 0)
        return err_set(err, ERR_USAGE, "%s:%d: expected `key = value` or `[section]`", name,
                       bad_line);
    return true;
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
    char *data = arena_strdup(arena, text);
    return data == NULL ? arena_failed(arena, name, err) : data_read(data, name, arena, out, err);
}
