/* Fuzz target: the rules that read texts of ops (shapes, instructions, name stacks, region paths).
 * The input is one text; results must keep what the headers promise.
 */
#include "ingest/hlo/hlo_text.h"
#include "ingest/hlo/phase.h"
#include "ingest/hlo/shape.h"
#include "ingest/xplane/catalog.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_BYTES = 16 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool promise)
{
    if (!promise)
        abort();
}

static void check_shapes(const char *input, size_t length, struct arena *arena)
{
    scoped_text signature;
    text_init(&signature, MEMORY_BYTES);
    shape_signature(input, length, &signature);
    require(!signature.failed && signature.length <= length);
    struct hlo_text text;
    hlo_text_parse(input, length, arena, &text);
    if (text.opcode != NULL)
        require(strlen(text.opcode) > 0 && strlen(text.shapes) <= length);
}

static void check_names(const char *input, struct arena *arena)
{
    char *family = hlo_name_family(input, arena);
    char *path = phase_path_canonical(input, arena);
    require(family != NULL && strlen(family) <= strlen(input));
    require(path != NULL && strlen(path) <= strlen(input));
    require(phase_of(input, input) != NULL);
}

static void check_catalog(const char *input, struct arena *arena)
{
    scoped_catalog catalog;
    catalog_init(&catalog, arena);
    int32_t name = catalog_name(&catalog, input, strlen(input));
    require(name == catalog_name(&catalog, input, strlen(input)));
    uint32_t text = strings_add(&catalog.strings, input, strlen(input));
    int32_t path = catalog_path(&catalog, &catalog.names[name], text);
    require(path >= 0 && catalog.paths[path].count >= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scoped_arena arena;
    arena_init(&arena, MEMORY_BYTES);
    char *input = text_utf8_repair(&arena, (const char *)data, size);
    if (input == NULL)
        return 0;
    check_shapes(input, strlen(input), &arena);
    check_names(input, &arena);
    check_catalog(input, &arena);
    return 0;
}
