/* The manifest stands in the last line (schema/documents/export_end.h). It is read first; then
 * every line before it is hashed. Nothing that is hashed is parsed: what a changed line says does
 * not matter. The lines are read again to be stored, by when the file may be another.
 */
#include "ops/cli/archive/import.h"

#include "ops/runtime/digest.h"
#include "ops/flow/trust/trust.h"
#include "schema/documents/export_end.h"

#include <inttypes.h>
#include <string.h>

enum { HEADER_BYTES_MAX = 4096, END_BYTES_MAX = 65536, STATEMENT_BYTES_MAX = 1 << 20 };

struct import_line_hash {
    uint8_t sha256[SHA256_BYTES];
};

struct export_file {
    struct file_lines *lines;
    FILE *stream;
    const char *path; /* both of the lines */
    struct arena *arena;
    struct import_seal *seal;
    int64_t end_offset; /* where the last line begins */
};

static bool type_is(const json_t *line, const char *type)
{
    const char *own = json_string_value(json_object_get(line, "type"));
    return own != NULL && strcmp(own, type) == 0;
}

/* What is no JSON is told by the caller; why it could not be read at all is passed on. */
static bool unread_passes(const struct err *unread, struct err *err)
{
    if (unread->kind == ERR_NONE || unread->kind == ERR_INPUT)
        return true;
    *err = *unread;
    return false;
}

static bool header_is_there(const struct export_file *file, bool *ret_there, struct err *err)
{
    char header[HEADER_BYTES_MAX];
    struct err unread = {0};
    *ret_there = false;
    size_t length = fread(header, 1, sizeof header, file->stream);
    if (ferror(file->stream))
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot read %s", file->path);
    const char *end = memchr(header, '\n', length);
    if (end == NULL && length == sizeof header)
        return true;
    scoped_json *root =
        json_parse(header, end == NULL ? length : (size_t)(end - header), file->path, &unread);
    *ret_there = root != NULL && type_is(root, "export");
    return unread_passes(&unread, err);
}

/* The last line that is not blank, when it is of a size that the end of an export has. */
static bool last_line_read(struct export_file *file, char tail[END_BYTES_MAX + 1],
                           const char **ret_line, size_t *ret_length, struct err *err)
{
    off_t size;
    if (fseeko(file->stream, 0, SEEK_END) != 0 || (size = ftello(file->stream)) < 0)
        return err_set_errno(err, ERR_INPUT, "cannot read %s", file->path);
    off_t from = size > END_BYTES_MAX ? size - END_BYTES_MAX : 0;
    if (fseeko(file->stream, from, SEEK_SET) != 0)
        return err_set_errno(err, ERR_INPUT, "cannot read %s", file->path);
    size_t length = fread(tail, 1, END_BYTES_MAX, file->stream);
    while (length > 0 && memchr(" \t\r\n", tail[length - 1], 4) != NULL)
        length--;
    tail[length] = '\0';
    const char *before = memrchr(tail, '\n', length);
    *ret_line = before == NULL ? tail : before + 1;
    *ret_length = (size_t)(tail + length - *ret_line);
    file->end_offset = from + (*ret_line - tail);
    rewind(file->stream);
    return true;
}

static bool end_read(const struct export_file *file, const char *line, size_t length,
                     struct export_end *ret_end, struct err *err)
{
    struct err unread = {0};
    scoped_json *root = json_parse(line, length, file->path, &unread);
    if (!unread_passes(&unread, err))
        return false;
    if (root == NULL || !type_is(root, "end"))
        return err_set(err, ERR_INPUT,
                       "%s: the export is cut off: its last line is not there (--unsealed takes "
                       "what is left)",
                       file->path);
    if (!record_read(&export_end_record, root, file->path, file->arena, ret_end, err))
        return false;
    /* Types are part of what is signed, a line each: nothing in them may look like such a line. */
    bool plain = true;
    for (size_t i = 0; i < ret_end->part_count; i++) {
        const struct export_part *part = &ret_end->parts[i];
        plain &= part->lines > 0 &&
                 part->type[strspn(part->type, "abcdefghijklmnopqrstuvwxyz_")] == '\0' &&
                 strlen(part->sha256) == SHA256_HEX_BYTES - 1 &&
                 part->sha256[strspn(part->sha256, "0123456789abcdef")] == '\0';
    }
    if (!plain)
        return err_set(err, ERR_INPUT, "%s: the last line has parts of no export: it was changed",
                       file->path);
    return ret_end->part_count > 0 ||
           err_set(err, ERR_INPUT,
                   "%s: this export has no manifest: an older stepledger wrote it, or the manifest "
                   "was taken out, and nothing says whether the rest is whole "
                   "(--unsealed takes it as it is)",
                   file->path);
}

static bool changed(const struct export_file *file, const struct export_part *part, int64_t first,
                    struct err *err)
{
    return err_set(err, ERR_INPUT,
                   "%s: lines %" PRId64 " to %" PRId64
                   " (%s) are not what was exported: something was changed, taken out or put in",
                   file->path, first, first + part->lines - 1, part->type);
}

static void line_hash(const struct file_lines *lines, struct import_line_hash *ret_hash)
{
    scoped_sha256 *state = sha256_new();
    sha256_add(state, lines->line, lines->length);
    sha256_finish(state, ret_hash->sha256);
}

static bool hash_keep(struct export_file *file, struct err *err)
{
    struct import_seal *seal = file->seal;
    seal->hashes =
        arena_grow(file->arena, seal->hashes, seal->count, &seal->capacity, sizeof *seal->hashes);
    line_hash(file->lines, &seal->hashes[seal->count++]);
    return arena_ok(file->arena, "the hashes of lines", err);
}

/* The next part->lines lines. */
static bool part_check(struct export_file *file, const struct export_part *part, struct err *err)
{
    uint8_t sha256[SHA256_BYTES];
    char hex[SHA256_HEX_BYTES];
    int64_t first = (int64_t)file->lines->number + 1;
    bool found;
    scoped_sha256 *state = sha256_new();
    for (int64_t i = 0; i < part->lines; i++) {
        if (!file_lines_next(file->lines, &found, err))
            return false;
        if (!found)
            return changed(file, part, first, err);
        sha256_add(state, file->lines->line, file->lines->length);
        if (!hash_keep(file, err))
            return false;
    }
    sha256_finish(state, sha256);
    text_hex(sha256, sizeof sha256, hex);
    return strcmp(hex, part->sha256) == 0 || changed(file, part, first, err);
}

static bool export_check(struct export_file *file, const struct conf *conf, struct arena *arena,
                         struct err *err)
{
    size_t length = 0;
    const char *line = "";
    bool found;
    struct export_end end = {0};
    char *tail = arena_alloc(arena, END_BYTES_MAX + 1);
    if (!last_line_read(file, tail, &line, &length, err) ||
        !end_read(file, line, length, &end, err))
        return false;
    scoped_text statement;
    text_init(&statement, STATEMENT_BYTES_MAX);
    export_end_statement(&end, &statement);
    const struct seal seal = {end.signature, end.public_key};
    if (!text_ok(&statement, "the manifest", err) ||
        !seal_check(conf, file->path, &statement, &seal, err))
        return false;
    for (size_t i = 0; i < end.part_count; i++)
        if (!part_check(file, &end.parts[i], err))
            return false;
    if (ftello(file->stream) != file->end_offset)
        return err_set(err, ERR_INPUT,
                       "%s: behind line %zu are lines that the manifest does not name: they were "
                       "put in",
                       file->path, file->lines->number);
    return file_lines_next(file->lines, &found, err) && hash_keep(file, err);
}

bool import_seal_check(struct file_lines *lines, const struct conf *conf, struct arena *arena,
                       struct import_seal *ret_seal, struct err *err)
{
    struct import_seal seal = {0};
    struct export_file file = {.lines = lines,
                               .stream = lines->stream,
                               .path = lines->path,
                               .arena = arena,
                               .seal = &seal};
    bool done = header_is_there(&file, &seal.is_export, err);
    file_lines_rewind(lines);
    done = done && (!seal.is_export || export_check(&file, conf, arena, err));
    file_lines_rewind(lines);
    if (!done)
        seal.count = 0;
    *ret_seal = seal;
    return done;
}

bool import_seal_line(const struct import_seal *seal, const struct file_lines *lines,
                      struct err *err)
{
    struct import_line_hash hash;
    if (seal->count == 0)
        return true;
    line_hash(lines, &hash);
    return (lines->number <= seal->count &&
            memcmp(hash.sha256, seal->hashes[lines->number - 1].sha256, SHA256_BYTES) == 0) ||
           err_set(err, ERR_INPUT,
                   "this line is not what it was when the file was checked, a moment ago: somebody "
                   "is changing it. The lines before it were imported as they were exported; "
                   "import it again when it is whole");
}
