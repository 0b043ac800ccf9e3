/* Programs are known from `/host:metadata` (with their protos) and from the runs on `XLA Modules`
 * lines; ids differ from run to run, so rows are by name and fingerprint.
 */
#include "ingest/steps/programs.h"
#include "ingest/xplane/xplane.h"

#include <stdlib.h>
#include <string.h>

bool module_split(const char *name, size_t *ret_length, uint64_t *ret_id)
{
    size_t length = strlen(name);
    const char *open = strrchr(name, '(');
    if (open == NULL || length < 3 || name[length - 1] != ')' ||
        strspn(open + 1, "0123456789") != length - (size_t)(open - name) - 2)
        return false;
    *ret_length = (size_t)(open - name);
    *ret_id = strtoull(open + 1, NULL, 10);
    return true;
}

/* A program before rows are made: its full name as a text number. */
struct program {
    uint32_t name;
    const char *fingerprint;
    int64_t runs;
};

struct gathering {
    struct profile *profile;
    struct program *items;
    size_t count, capacity;
    struct id_map known; /* names of the file at hand: the first program of that name */
};

static void program_add(struct gathering *gathering, uint32_t name, const char *fingerprint)
{
    if (id_map_find(&gathering->known, name) == ID_MAP_ABSENT)
        id_map_set(&gathering->known, name, (int32_t)gathering->count);
    gathering->items = arena_grow(gathering->profile->arena, gathering->items, gathering->count,
                                  &gathering->capacity, sizeof *gathering->items);
    gathering->items[gathering->count++] = (struct program){name, fingerprint, 0};
}

/* Each host counts its own runs: ids of programs may differ from host to host, or agree. Metadata
 * also holds symbol maps and the like, which have neither a proto nor a program's id. Programs that
 * ran but have no proto have no fingerprint. */
static bool space_gather(struct gathering *gathering, const struct xspace *space, struct err *err)
{
    struct profile *profile = gathering->profile;
    struct catalog *catalog = &profile->catalog;
    struct program_list list = {0};
    id_map_init(&gathering->known, profile->arena);
    for (size_t i = 0; i < space->plane_count; i++) {
        if (strcmp(space->planes[i].name, "/host:metadata") == 0 &&
            !fingerprint_plane(&space->planes[i], &profile->options->limits, profile->arena, &list,
                               err))
            return false;
    }
    for (size_t i = 0; i < list.count; i++) {
        const struct program_entry *entry = &list.items[i];
        size_t length;
        uint64_t id;
        if (entry->has_proto || module_split(entry->name, &length, &id))
            program_add(gathering, strings_add(&catalog->strings, entry->name, strlen(entry->name)),
                        entry->fingerprint);
    }
    for (size_t p = 0; p < space->plane_count; p++) {
        const struct mark_list *marks = &profile->planes[space->planes[p].pid - 1].marks;
        for (size_t i = 0; i < marks->count; i++) {
            if (marks->items[i].kind != MARK_MODULE)
                continue;
            const uint32_t name = catalog->names[marks->items[i].name].name;
            if (id_map_find(&gathering->known, name) == ID_MAP_ABSENT)
                program_add(gathering, name, NULL);
            gathering->items[id_map_find(&gathering->known, name)].runs++;
        }
    }
    return true;
}

static int program_identity_order(const void *a, const void *b)
{
    const struct hlo_program *left = a, *right = b;
    const char *mine = left->fingerprint, *other = right->fingerprint;
    const int order = strcmp(left->name, right->name);
    if (order != 0)
        return order;
    return mine == NULL || other == NULL ? (mine != NULL) - (other != NULL) : strcmp(mine, other);
}

static int program_order(const void *a, const void *b)
{
    const struct hlo_program *left = a, *right = b;
    if (left->run_count != right->run_count)
        return left->run_count > right->run_count ? -1 : 1;
    return program_identity_order(a, b);
}

void program_rows_unite(struct environment *environment, struct hlo_program *rows, size_t total)
{
    size_t count = 0;
    qsort(rows, total, sizeof *rows, program_identity_order);
    for (size_t i = 0; i < total; i++) {
        if (count > 0 && program_identity_order(&rows[count - 1], &rows[i]) == 0)
            rows[count - 1].run_count += rows[i].run_count;
        else
            rows[count++] = rows[i];
    }
    qsort(rows, count, sizeof *rows, program_order);
    environment->programs = count == 0 ? NULL : rows;
    environment->program_count = count;
}

bool programs_build(struct profile *profile, struct environment *environment, struct err *err)
{
    struct gathering gathering = {.profile = profile};
    for (size_t i = 0; i < profile->space_count; i++) {
        if (!space_gather(&gathering, &profile->spaces[i], err))
            return false;
    }
    struct hlo_program *rows = arena_array(profile->arena, struct hlo_program, gathering.count);
    for (size_t i = 0; i < gathering.count; i++) {
        const char *name = catalog_text(&profile->catalog, gathering.items[i].name);
        size_t length = strlen(name);
        uint64_t id;
        (void)module_split(name, &length, &id);
        rows[i] = (struct hlo_program){arena_strndup(profile->arena, name, length),
                                       gathering.items[i].fingerprint, gathering.items[i].runs};
    }
    program_rows_unite(environment, rows, gathering.count);
    return true;
}
