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

/* inih (as Debian builds it) tells no line and no empty section, and cuts a section's name after 49
 * bytes: both are read here, in step with it. */
static bool header_add(struct collector *collector, const char *start, size_t length)
{
    struct conf_file *out = collector->out;
    const char *end = memchr(start, ']', length);
    if (end == NULL) /* inih refuses a line without the bracket */
        return true;
    struct conf_header *headers = arena_grow(collector->arena, out->headers, out->header_count,
                                             &out->header_capacity, sizeof *headers);
    if (headers == NULL)
        return false;
    out->headers = headers;
    struct conf_header *header = &headers[out->header_count++];
    *header = (struct conf_header){
        .name = arena_strndup(collector->arena, start + 1, (size_t)(end - start) - 1),
        .file = collector->path,
        .line = collector->line,
    };
    return header->name != NULL;
}

/* Walks on to the next line that begins with this key, NULL: to the end. false without memory. */
static bool lines_walk(struct collector *collector, const char *key)
{
    size_t length = key == NULL ? 0 : strlen(key);
    while (*collector->at != '\0') {
        const char *start = collector->at;
        size_t rest = strcspn(start, "\n");
        collector->line++;
        collector->at += rest + (start[rest] == '\n');
        if (*start == '[' && !header_add(collector, start, rest))
            return false;
        if (key != NULL && strncmp(start, key, length) == 0 &&
            strchr(" \t=:", start[length]) != NULL)
            return true;
    }
    return true;
}

/* The header that the walk stands under; NULL before the first. */
static struct conf_header *header_last(const struct conf_file *file)
{
    return file->header_count == 0 ? NULL : &file->headers[file->header_count - 1];
}

static int collect(void *user, const char *section, const char *key, const char *value)
{
    struct collector *collector = user;
    struct conf_file *out = collector->out;
    if (collector->no_memory) /* inih goes on behind an entry that was refused */
        return 0;
    struct conf_entry *entries =
        arena_grow(collector->arena, out->entries, out->count, &out->capacity, sizeof *entries);
    collector->no_memory = entries == NULL || !lines_walk(collector, key);
    if (collector->no_memory)
        return 0;
    out->entries = entries;
    struct conf_header *header = section[0] == '\0' ? NULL : header_last(out);
    struct conf_entry entry = {
        .section = header == NULL ? "" : header->name,
        .key = arena_strdup(collector->arena, key),
        .value = arena_strdup(collector->arena, value),
        .file = collector->path,
        .line = collector->line,
    };
    collector->no_memory = entry.key == NULL || entry.value == NULL;
    if (collector->no_memory)
        return 0;
    if (header != NULL)
        header->entry_count++;
    entries[out->count++] = entry;
    return 1;
}

/* Takes the blanks off the front of each line, in place: inih would join an indented line to the
 * value before it, and people indent what stands under a section. Refuses lines that inih would cut
 * in two. */
static bool lines_prepare(char *data, const char *path, struct err *err)
{
    static const char mark[] = "\xef\xbb\xbf"; /* some editors put it before the first line */
    char *to = data;
    int number = 1;
    const char *first = strncmp(data, mark, sizeof mark - 1) == 0 ? data + sizeof mark - 1 : data;
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
    if (!lines_prepare(data, name, err))
        return false;
    struct collector collector = {
        .arena = arena, .out = out, .path = arena_strdup(arena, name), .data = data, .at = data};
    int bad_line = collector.path == NULL ? -1 : ini_parse_string(data, collect, &collector);
    if (collector.no_memory || bad_line < 0 || !lines_walk(&collector, NULL))
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
