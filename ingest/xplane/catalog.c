/* Numbers for names and paths; every rule that looks at a name is asked here, once. */
#include "ingest/xplane/catalog.h"
#include "ingest/wire/wire.h"

#include "ops/runtime/text.h"
#include "schema/documents/op_semantics.h"

#include <string.h>

/* Pages that are not looked at take no memory: what is not needed of room costs little. */
enum { EXPECTED_OPS = 64 * 1024, TEXTS_OF_OP = 2 };

void catalog_init(struct catalog *catalog, struct arena *arena)
{
    *catalog = (struct catalog){.arena = arena};
    (void)pthread_mutex_init(&catalog->lock, NULL);
    arena_init_within(&catalog->scratch, arena);
    id_map_init(&catalog->name_by_text, arena);
    id_map_init(&catalog->path_by_text, arena);
    strings_init(&catalog->strings, arena);
}

void catalog_done(struct catalog *catalog)
{
    if (catalog->arena == NULL)
        return;
    arena_done(&catalog->scratch);
    (void)pthread_mutex_destroy(&catalog->lock);
}

void catalog_expect(struct catalog *catalog, int64_t ops)
{
    const size_t expected = ops < EXPECTED_OPS ? (size_t)ops : EXPECTED_OPS;
    if (expected <= catalog->name_capacity)
        return;
    catalog->names = arena_expect(catalog->arena, catalog->names, &catalog->name_capacity, expected,
                                  sizeof *catalog->names);
    strings_expect(&catalog->strings, TEXTS_OF_OP * expected);
}

static void name_fill(struct catalog *catalog, struct op_name *name)
{
    const char *text = catalog_text(catalog, name->name);
    const char *canonical = op_canonical_name(&catalog->scratch, text);
    const char *lower = text_lower(&catalog->scratch, canonical);
    name_classify(text, &catalog->scratch, &name->class);
    name->canonical = strings_add(&catalog->strings, canonical, strlen(canonical));
    name->family = op_family(canonical);
    name->is_marker = name_is_marker(lower);
    name->is_train = strcmp(text, "train") == 0;
    name->word = host_word_of(text);
    name->number.set = text_python_int(text, strlen(text), &name->number.value);
}

int32_t catalog_name(struct catalog *catalog, const char *name, size_t length)
{
    length = limit_text(name, length, NAME_MAX_BYTES, &catalog->texts_cut);
    uint32_t text = strings_add(&catalog->strings, name, length);
    int32_t known = id_map_find(&catalog->name_by_text, text);
    if (known != ID_MAP_ABSENT)
        return known;
    struct op_name *names = arena_grow(catalog->arena, catalog->names, catalog->name_count,
                                       &catalog->name_capacity, sizeof *names);
    catalog->names = names;
    struct arena_mark mark = arena_mark(&catalog->scratch);
    names[catalog->name_count] = (struct op_name){.name = text};
    name_fill(catalog, &names[catalog->name_count]);
    arena_rewind(&catalog->scratch, mark);
    id_map_set(&catalog->name_by_text, text, (int32_t)catalog->name_count);
    return (int32_t)catalog->name_count++;
}

int32_t catalog_path(struct catalog *catalog, const struct op_name *name, uint32_t tf_op)
{
    const int64_t beside_name = (int64_t)name->name << 32 | tf_op;
    int32_t known = id_map_find(&catalog->path_by_text, tf_op);
    if (known == ID_MAP_ABSENT)
        known = id_map_find(&catalog->path_by_text, beside_name);
    if (known != ID_MAP_ABSENT)
        return known;
    catalog->paths = arena_grow(catalog->arena, catalog->paths, catalog->path_count,
                                &catalog->path_capacity, sizeof *catalog->paths);
    struct path_source source = {catalog_text(catalog, name->name),
                                 catalog_text(catalog, name->canonical),
                                 catalog_text(catalog, tf_op)};
    struct region_path *path = &catalog->paths[catalog->path_count];
    region_path_build(&source, &catalog->strings, &catalog->scratch, path);
    id_map_set(&catalog->path_by_text, path->is_framework ? tf_op : beside_name,
               (int32_t)catalog->path_count);
    return (int32_t)catalog->path_count++;
}

const char *catalog_keep(struct catalog *catalog, const char *text, size_t length)
{
    (void)pthread_mutex_lock(&catalog->lock);
    struct arena_mark mark = arena_mark(&catalog->scratch);
    const char *repaired = text_utf8_repair(&catalog->scratch, text, length);
    uint32_t number = strings_add(&catalog->strings, repaired, strlen(repaired));
    const char *kept = catalog_text(catalog, number);
    arena_rewind(&catalog->scratch, mark);
    (void)pthread_mutex_unlock(&catalog->lock);
    return kept;
}
