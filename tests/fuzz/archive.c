/* Fuzz target: the file of a month that left the ledger (`verify --archive`, `import`).
 *
 * A hash that must agree would end every reading at the first profile: the hashes of profiles are
 * set right before the file is read, those of rows are compared behind the rows anyway.
 */
#include "history/archive/archive_read.h"
#include "ops/runtime/file.h"
#include "ops/runtime/json.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { TEXT_BYTES = 16 << 20, PATH_BYTES = 40, PART_BYTES_MAX = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* ---- hashes ---- */

static size_t section_named(const char *name)
{
    size_t i = 0;
    while (name != NULL && i < PROFILE_SECTION_COUNT &&
           strcmp(entry_kinds[ENTRY_PROFILE].sections[i].name, name) != 0)
        i++;
    return name == NULL ? PROFILE_SECTION_COUNT : i;
}

static void sections_read(const json_t *line, struct section_digest *sections)
{
    const json_t *list = json_object_get(line, "sections");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        size_t section = section_named(json_string_value(json_object_get(item, "name")));
        const char *hex = json_string_value(json_object_get(item, "sha256"));
        if (section == PROFILE_SECTION_COUNT || hex == NULL || strlen(hex) != 2 * SHA256_BYTES)
            continue;
        sections[section].rows = json_integer_value(json_object_get(item, "rows"));
        for (size_t k = 0; k < SHA256_BYTES; k++)
            (void)sscanf(&hex[2 * k], "%2hhx", &sections[section].sha256[k]);
    }
}

static void profile_mend(const uint8_t *line, size_t length, struct text *out)
{
    struct err err;
    uint8_t digest[SHA256_BYTES];
    char hex[SHA256_HEX_BYTES];
    struct section_digest sections[PROFILE_SECTION_COUNT] = {0};
    scoped_json *root = json_parse((const char *)line, length, "fuzz", &err);
    if (root == NULL || !json_is_object(root)) {
        text_addn(out, (const char *)line, length);
        return;
    }
    sections_read(root, sections);
    content_digest(ENTRY_PROFILE, sections, digest);
    text_hex(digest, SHA256_BYTES, hex);
    (void)json_object_set_new(root, "content_sha256", json_string(hex));
    json_print(root, JSON_STYLE_LINE, out);
}

static void file_mend(const uint8_t *bytes, size_t length, struct text *out)
{
    while (length > 0) {
        const uint8_t *end = memchr(bytes, '\n', length);
        size_t line = end == NULL ? length : (size_t)(end - bytes);
        if (line > 0 && bytes[0] == '{' && memmem(bytes, line, "\"content_sha256\"", 16) != NULL)
            profile_mend(bytes, line, out);
        else
            text_addn(out, (const char *)bytes, line);
        if (end != NULL)
            text_addc(out, '\n');
        line += end != NULL;
        bytes += line;
        length -= line;
    }
}

/* ---- what a reader may rely on ---- */

struct watch {
    int64_t profiles, rows, last_id;
    bool in_row;
};

static bool profile_watch(void *context, const struct archive_profile *profile, struct err *err)
{
    struct watch *watch = context;
    (void)err;
    assert(profile->id > watch->last_id && !watch->in_row);
    watch->last_id = profile->id;
    watch->profiles++;
    return true;
}

static bool rows_watch(void *context, int64_t profile_id, enum profile_section section,
                       struct err *err)
{
    struct watch *watch = context;
    (void)err;
    assert(profile_id > 0 && profile_id <= watch->last_id && !watch->in_row);
    assert(entry_kinds[ENTRY_PROFILE].sections[section].monthly);
    return true;
}

static bool row_watch(void *context, int column_count, struct err *err)
{
    struct watch *watch = context;
    (void)err;
    assert(column_count > 0 && !watch->in_row);
    watch->in_row = true;
    return true;
}

static bool bytes_watch(void *context, const void *bytes, size_t length, struct err *err)
{
    struct watch *watch = context;
    (void)err;
    assert(watch->in_row && bytes != NULL && length > 0 && length <= PART_BYTES_MAX);
    return true;
}

static bool row_end_watch(void *context, struct err *err)
{
    struct watch *watch = context;
    (void)err;
    assert(watch->in_row);
    watch->in_row = false;
    watch->rows++;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct err err = {0};
    struct archive_file file;
    struct watch watch = {0};
    const struct archive_sink sink = {&watch,    profile_watch, rows_watch,
                                      row_watch, bytes_watch,   row_end_watch};
    char path[PATH_BYTES];
    scoped_text text;
    text_init(&text, TEXT_BYTES);
    file_mend(bytes, length, &text);
    if (text.failed)
        return 0;
    scoped_fd fd = memfd_create("archive", MFD_CLOEXEC);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert(fd >= 0 && file_write_all(fd, text_string(&text), text.length, path, &err));
    bool done = archive_read(path, &sink, &file, &err);
    assert(done || err.kind == ERR_INPUT);
    assert(!done || (file.profile_count == watch.profiles && file.row_count == watch.rows &&
                     file.bytes == (int64_t)text.length && !watch.in_row));
    assert(!done || archive_recognize(path));
    return 0;
}
