/* See hlo_programs.h. They lie in the metadata of the plane `/host:metadata`. */
#include "ingest/hlo_proto/hlo_programs.h"

#include "ingest/steps/steps.h"
#include "ingest/timeline/timeline.h"
#include "ingest/xplane/xplane.h"

#include <string.h>

/* The id stands behind the name: `jit_f(123)`. */
static bool program_add(struct hlo_programs *programs, const struct program_entry *entry)
{
    size_t length;
    uint64_t id;
    if (!entry->has_proto || !module_split(entry->name, &length, &id))
        return true;
    if (id_map_find(&programs->by_id, (int64_t)id) != ID_MAP_ABSENT)
        return true;
    struct stored_program *grown = arena_grow(programs->arena, programs->items, programs->count,
                                              &programs->capacity, sizeof *grown);
    if (grown == NULL || !id_map_set(&programs->by_id, (int64_t)id, (int32_t)programs->count))
        return false;
    programs->items = grown;
    grown[programs->count++] =
        (struct stored_program){.id = id, .begin = entry->begin, .end = entry->end};
    return true;
}

bool hlo_programs_open(struct profile *profile, struct arena *arena,
                       struct hlo_programs *ret_programs, struct err *err)
{
    struct hlo_programs programs = {.arena = arena};
    struct program_list found = {0};
    const struct xplane *holder = NULL;
    id_map_init(&programs.by_id, arena);
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        if (strcmp(plane->name, "/host:metadata") != 0 || plane->run_count == 0)
            continue;
        holder = plane;
        if (!programs_find(plane, &profile->options->limits, arena, &found, err))
            return false;
    }
    if (holder != NULL && !cursor_init(&programs.cursor, &holder->space->input,
                                       profile->options->limits.max_string_bytes, err))
        return false;
    *ret_programs = programs;
    for (size_t i = 0; i < found.count; i++) {
        if (!program_add(ret_programs, &found.items[i]))
            return arena_failed(arena, "the programs of a profile", err);
    }
    return true;
}

void hlo_programs_done(struct hlo_programs *programs)
{
    if (programs->cursor.buffer != NULL)
        cursor_done(&programs->cursor);
}

bool hlo_programs_find(struct hlo_programs *programs, uint64_t id,
                       const struct hlo_module **ret_module, struct err *err)
{
    int32_t i = id_map_find(&programs->by_id, (int64_t)id);
    *ret_module = NULL;
    if (i == ID_MAP_ABSENT)
        return true;
    struct stored_program *program = &programs->items[i];
    if (program->state == PROGRAM_UNREAD) {
        struct err fault = {0};
        bool read = hlo_module_read(&programs->cursor, program->begin, program->end,
                                    programs->arena, &program->module, &fault);
        if (!read && fault.kind != ERR_INPUT) {
            *err = fault;
            return false;
        }
        program->state = read ? PROGRAM_READ : PROGRAM_BROKEN;
        programs->broken_count += !read;
    }
    *ret_module = program->state == PROGRAM_READ ? &program->module : NULL;
    return true;
}
