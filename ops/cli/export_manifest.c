/* A part begins where the type of lines changes. */
#include "ops/cli/export_manifest.h"

#include "ops/flow/trust/trust.h"

#include <string.h>

enum { STATEMENT_BYTES_MAX = 1 << 20 };

static bool part_end(struct export_manifest *manifest, struct err *err)
{
    uint8_t sha256[SHA256_BYTES];
    char hex[SHA256_HEX_BYTES];
    if (manifest->state == NULL)
        return true;
    bool done = sha256_finish(manifest->state, sha256, err);
    manifest_done(manifest);
    if (!done)
        return false;
    text_hex(sha256, sizeof sha256, hex);
    struct export_part *part = &manifest->end.parts[manifest->end.part_count - 1];
    part->sha256 = arena_strdup(manifest->arena, hex);
    return part->sha256 != NULL || arena_failed(manifest->arena, "the manifest", err);
}

static bool part_begin(struct export_manifest *manifest, const char *type, struct err *err)
{
    struct export_end *end = &manifest->end;
    if (!part_end(manifest, err))
        return false;
    struct export_part *parts = arena_grow(manifest->arena, end->parts, end->part_count,
                                           &manifest->part_capacity, sizeof *parts);
    const char *name = arena_strdup(manifest->arena, type);
    if (parts == NULL || name == NULL)
        return arena_failed(manifest->arena, "the manifest", err);
    end->parts = parts;
    parts[end->part_count++] = (struct export_part){.type = name};
    manifest->state = sha256_new(err);
    return manifest->state != NULL;
}

bool manifest_add(struct export_manifest *manifest, const char *type, const struct text *line,
                  struct err *err)
{
    const struct export_end *end = &manifest->end;
    bool goes_on = end->part_count > 0 && strcmp(end->parts[end->part_count - 1].type, type) == 0;
    if (!goes_on && !part_begin(manifest, type, err))
        return false;
    end->parts[end->part_count - 1].lines++;
    sha256_add(manifest->state, line->data, line->length);
    return true;
}

bool manifest_seal(struct export_manifest *manifest, const struct conf *conf, struct err *err)
{
    struct seal seal = {0};
    scoped_text statement;
    const char *key = conf_text(conf, CONF_checkpoint_key);
    text_init(&statement, STATEMENT_BYTES_MAX);
    if (!part_end(manifest, err))
        return false;
    export_end_statement(&manifest->end, &statement);
    if (!text_ok(&statement, "the manifest", err) ||
        (key[0] != '\0' && !seal_make(key, &statement, manifest->arena, &seal, err)))
        return false;
    manifest->end.type = "end";
    manifest->end.signature = seal.signature;
    manifest->end.public_key = seal.public_key;
    return true;
}

void manifest_done(struct export_manifest *manifest)
{
    sha256_free(manifest->state);
    manifest->state = NULL;
}
