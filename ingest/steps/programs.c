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

static bool program_add(struct gathering *gathering, uint32_t name, const char *fingerprint)
{
    struct program *items = arena_grow(gathering->profile->arena, gathering->items,
                                       gathering->count, &gathering->capacity, sizeof *items);
    if (items == NULL || name == STRING_NONE || gathering->count > INT32_MAX ||
        (id_map_find(&gathering->known, name) == ID_MAP_ABSENT &&
         !id_map_set(&gathering->known, name, (int32_t)gathering->count)))
        return false;
    gathering->items = items;
    items[gathering->count++] = (struct program){name, fingerprint, 0};
    return true;
}

/* Metadata also holds symbol maps and the like, which have neither a proto nor a program's id. */
static bool is_program(const struct program_entry *entry)
{
    size_t length;
    uint64_t id;
    return entry->has_proto || module_split(entry->name, &length, &id);
}

static bool protos_gather(struct gathering *gathering, const struct program_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const char *name = list->items[i].name;
        if (!is_program(&list->items[i]))
            continue;
        uint32_t text = strings_add(&gathering->profile->catalog.strings, name, strlen(name));
        if (!program_add(gathering, text, list->items[i].fingerprint))
            return false;
    }
    return true;
}

/* Programs that ran but have no proto have no fingerprint. */
static bool runs_gather(struct gathering *gathering, const struct plane_state *state)
{
    for (size_t i = 0; i < state->marks.count; i++) {
        const struct step_mark *mark = &state->marks.items[i];
        if (mark->kind != MARK_MODULE)
            continue;
        uint32_t name = gathering->profile->catalog.names[mark->name].name;
        if (id_map_find(&gathering->known, name) == ID_MAP_ABSENT &&
            !program_add(gathering, name, NULL))
            return false;
        gathering->items[id_map_find(&gathering->known, name)].runs++;
    }
    return true;
}

/* Each host counts its own runs: ids of programs may differ from host to host, or agree. */
static bool space_gather(struct gathering *gathering, const struct xspace *space, struct err *err)
{
    struct profile *profile = gathering->profile;
    struct program_list list = {0};
    id_map_init(&gathering->known, profile->arena);
    for (size_t i = 0; i < space->plane_count; i++) {
        if (strcmp(space->planes[i].name, "/host:metadata") == 0 &&
            !fingerprint_plane(&space->planes[i], &profile->options->limits, profile->arena, &list,
                               err))
            return false;
    }
    bool gathered = protos_gather(gathering, &list);
    for (size_t i = 0; i < space->plane_count && gathered; i++)
        gathered = runs_gather(gathering, &profile->planes[space->planes[i].pid - 1]);
    return gathered || arena_failed(profile->arena, "the programs of a profile", err);
}

static int compare_texts(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        return (a != NULL) - (b != NULL);
    return strcmp(a, b);
}

static int program_identity_order(const void *a, const void *b)
{
    const struct hlo_program *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    return order != 0 ? order : compare_texts(left->fingerprint, right->fingerprint);
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

static bool row_fill(const struct gathering *gathering, const struct program *program,
                     struct hlo_program *ret_row)
{
    const char *name = catalog_text(&gathering->profile->catalog, program->name);
    size_t length = strlen(name);
    uint64_t id;
    (void)module_split(name, &length, &id);
    *ret_row = (struct hlo_program){arena_strndup(gathering->profile->arena, name, length),
                                    program->fingerprint, program->runs};
    return ret_row->name != NULL;
}

static bool rows_fill(const struct gathering *gathering, struct environment *environment)
{
    struct hlo_program *rows =
        arena_array(gathering->profile->arena, struct hlo_program, gathering->count);
    if (rows == NULL)
        return false;
    for (size_t i = 0; i < gathering->count; i++) {
        if (!row_fill(gathering, &gathering->items[i], &rows[i]))
            return false;
    }
    program_rows_unite(environment, rows, gathering->count);
    return true;
}

bool programs_build(struct profile *profile, struct environment *environment, struct err *err)
{
    struct gathering gathering = {.profile = profile};
    for (size_t i = 0; i < profile->space_count; i++) {
        if (!space_gather(&gathering, &profile->spaces[i], err))
            return false;
    }
    return rows_fill(&gathering, environment) ||
           arena_failed(profile->arena, "the programs of a profile", err);
}
