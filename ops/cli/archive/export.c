/* The lines of an export and their manifest: each part is hashed while its lines are written, and
 * begins where the type of lines changes. */
#include "ops/cli/archive/export.h"

#include "ops/cli/cli.h"
#include "ops/flow/trust/trust.h"
#include "ops/runtime/file.h"

#include <string.h>

enum { STATEMENT_BYTES_MAX = 1 << 20 };

/* Accepts a zeroed one. */
static void manifest_done(struct export_manifest *manifest)
{
    sha256_free(manifest->state);
    manifest->state = NULL;
}

static void part_end(struct export_manifest *manifest)
{
    uint8_t sha256[SHA256_BYTES];
    char hex[SHA256_HEX_BYTES];
    if (manifest->state == NULL)
        return;
    sha256_finish(manifest->state, sha256);
    manifest_done(manifest);
    text_hex(sha256, sizeof sha256, hex);
    manifest->end.parts[manifest->end.part_count - 1].sha256 = arena_strdup(manifest->arena, hex);
}

static const size_t LINE_BYTES_MAX = (size_t)1 << 30;

static bool line_write(const struct export *export, const struct text *text, struct err *err)
{
    return export->path == NULL
               ? cli_write(text->data, text->length, err)
               : file_write_all(export->fd, text->data, text->length, export->path, err);
}

static bool line_print(const json_t *line, struct text *out, struct err *err)
{
    text_init(out, LINE_BYTES_MAX);
    json_print(line, JSON_STYLE_LINE, out);
    text_addc(out, '\n');
    return text_ok(out, "a line of the export", err);
}

bool export_line(struct export *export, const char *type, const struct record *record,
                 const void *value, struct err *err)
{
    scoped_json *line = record_to_json(record, value);
    scoped_text text = {0};
    (void)json_object_set_new(line, "type", json_text(type));
    if (!line_print(line, &text, err))
        return false;
    /* Takes a line of that type, with its end, into account. */
    struct export_manifest *manifest = &export->manifest;
    struct export_end *end = &manifest->end;
    bool goes_on = end->part_count > 0 && strcmp(end->parts[end->part_count - 1].type, type) == 0;
    if (!goes_on) {
        part_end(manifest);
        end->parts = arena_grow(manifest->arena, end->parts, end->part_count,
                                &manifest->part_capacity, sizeof *end->parts);
        end->parts[end->part_count++] =
            (struct export_part){.type = arena_strdup(manifest->arena, type)};
        manifest->state = sha256_new();
    }
    end->parts[end->part_count - 1].lines++;
    sha256_add(manifest->state, text.data, text.length);
    return line_write(export, &text, err);
}

bool export_end_line(struct export *export, struct err *err)
{
    scoped_text text = {0};
    /* Ends the last part, and signs when `checkpoint_key` is configured. */
    struct export_manifest *manifest = &export->manifest;
    struct seal seal = {0};
    scoped_text statement;
    const char *key = conf_text(export->conf, CONF_checkpoint_key);
    text_init(&statement, STATEMENT_BYTES_MAX);
    part_end(manifest);
    export_end_statement(&manifest->end, &statement);
    if (!text_ok(&statement, "the manifest", err) ||
        (key[0] != '\0' && !seal_make(key, &statement, manifest->arena, &seal, err)))
        return false;
    manifest->end.type = "end";
    manifest->end.signature = seal.signature;
    manifest->end.public_key = seal.public_key;
    scoped_json *end = record_to_json(&export_end_record, &export->manifest.end);
    return line_print(end, &text, err) && line_write(export, &text, err);
}

void export_done(struct export *export)
{
    manifest_done(&export->manifest);
}
