/* See hlo_programs.h. They lie in the metadata of the plane `/host:metadata`. */
#include "ingest/hlo_proto/hlo_programs.h"
#include "ingest/hlo_proto/hlo_cost.h"

#include "ingest/steps/steps.h"
#include "ingest/timeline/timeline.h"
#include "ingest/xplane/xplane.h"

#include "ops/runtime/file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* One field of a program in a file of its own. */
enum { BESIDE_WINDOW_BYTES = 64 << 20 };

/* Of equal ids the first counts. */
static void program_keep(struct hlo_programs *programs, const struct stored_program *program)
{
    if (id_map_find(&programs->by_id, (int64_t)program->id) != ID_MAP_ABSENT)
        return;
    id_map_set(&programs->by_id, (int64_t)program->id, (int32_t)programs->count);
    programs->items = arena_grow(programs->arena, programs->items, programs->count,
                                 &programs->capacity, sizeof *programs->items);
    programs->items[programs->count++] = *program;
}

/* `jit_f(12).hlo_proto.pb`, and `module_0012.jit_f.….hlo.pb`: XLA numbers its dumps by the ids that
 * profilers call programs by. */
static void beside_add(struct hlo_programs *programs, const char *path)
{
    static const char dumped[] = "module_";
    struct stored_program program = {.path = path};
    const char *name = path_base(path), *end = strstr(name, ").hlo_proto.pb");
    const size_t mark = sizeof dumped - 1;
    size_t length;
    bool is_one = strncmp(name, dumped, mark) == 0 && name[mark] >= '0' && name[mark] <= '9';
    if (is_one)
        program.id = strtoull(name + mark, NULL, 10);
    else if (end != NULL)
        is_one = module_split(arena_strndup(programs->arena, name, (size_t)(end - name) + 1),
                              &length, &program.id);
    if (is_one)
        program_keep(programs, &program);
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
    if (holder != NULL)
        cursor_init(&programs.cursor, &holder->space->input,
                    profile->options->limits.max_string_bytes);
    *ret_programs = programs;
    for (size_t i = 0; i < found.count; i++) {
        const struct program_entry *entry = &found.items[i];
        struct stored_program program = {.begin = entry->begin, .end = entry->end};
        size_t length; /* the id stands behind the name: `jit_f(123)` */
        if (entry->has_proto && entry->end > entry->begin &&
            module_split(entry->name, &length, &program.id))
            program_keep(ret_programs, &program);
    }
    for (size_t i = 0; i < profile->options->program_count; i++)
        beside_add(ret_programs, profile->options->programs[i]);
    return arena_ok(arena, "the programs of a profile", err);
}

void hlo_programs_done(struct hlo_programs *programs)
{
    arena_done(&programs->held);
    if (programs->cursor.buffer != NULL)
        cursor_done(&programs->cursor);
}

/* In place of the module that was held. false: an error that is not the program's own. */
static bool program_read(struct hlo_programs *programs, struct stored_program *program,
                         struct err *err)
{
    struct err fault = {0};
    scoped_input input = {.fd = -1};
    scoped_cursor cursor = {0};
    arena_done(&programs->held);
    arena_init_within(&programs->held, programs->arena);
    programs->of = NULL;
    const bool read = program->path == NULL
                          ? hlo_module_read(&programs->cursor, program->begin, program->end,
                                            &programs->held, &programs->module, &fault)
                          : input_open(program->path, &input, &fault) &&
                                (cursor_init(&cursor, &input, (int64_t)BESIDE_WINDOW_BYTES),
                                 hlo_module_read(&cursor, 0, input.size_bytes, &programs->held,
                                                 &programs->module, &fault));
    if (!read && fault.kind != ERR_INPUT && fault.kind != ERR_MISSING) {
        *err = fault;
        return false;
    }
    programs->of = read ? program : NULL;
    programs->broken_count += !read;
    programs->beside_count += read && !program->was_read && program->path != NULL;
    program->is_broken = !read;
    program->was_read = true;
    return true;
}

/* Whether it may be read, which counts then. */
static bool is_within(struct hlo_programs *programs, const struct stored_program *program)
{
    struct stat info = {0};
    if (programs->bytes_most == 0 || (program->path != NULL && stat(program->path, &info) != 0))
        return true;
    const int64_t bytes = program->path != NULL ? info.st_size : program->end - program->begin;
    programs->bytes_over |= bytes > programs->bytes_most - programs->bytes_read;
    if (bytes > programs->bytes_most - programs->bytes_read)
        return false;
    programs->bytes_read += bytes;
    return true;
}

bool hlo_programs_find(struct hlo_programs *programs, uint64_t id, const char *name,
                       const struct hlo_module **ret_module, struct err *err)
{
    const int32_t i = id_map_find(&programs->by_id, (int64_t)id);
    *ret_module = NULL;
    if (i == ID_MAP_ABSENT || programs->items[i].is_broken)
        return true;
    struct stored_program *program = &programs->items[i];
    if (programs->of != program && !is_within(programs, program))
        return true;
    if (programs->of != program && !program_read(programs, program, err))
        return false;
    const char *own = programs->module.name == NULL ? "" : programs->module.name;
    if (programs->of == program &&
        (program->path == NULL || (name != NULL && strcmp(name, own) == 0)))
        *ret_module = &programs->module;
    return true;
}

bool hlo_programs_memory(struct hlo_programs *programs, uint64_t id, const char *name,
                         struct arena *arena, struct hlo_memory *ret_memory, struct err *err)
{
    const int32_t i = id_map_find(&programs->by_id, (int64_t)id);
    const struct hlo_module *module = NULL;
    const bool was_over = arena->over;
    scoped_input input = {.fd = -1};
    scoped_cursor cursor = {0};
    struct err fault = {0};
    *ret_memory = (struct hlo_memory){0};
    if (i == ID_MAP_ABSENT)
        return true;
    const struct stored_program *program = &programs->items[i];
    if (program->path != NULL && !hlo_programs_find(programs, id, name, &module, err))
        return false;
    if (program->path != NULL && module == NULL)
        return true;
    const struct arena_mark mark = arena_mark(arena);
    const bool read =
        program->path == NULL
            ? hlo_buffers_read(&programs->cursor, program->begin, program->end, arena, ret_memory,
                               &fault)
            : input_open(program->path, &input, &fault) &&
                  (cursor_init(&cursor, &input, (int64_t)BESIDE_WINDOW_BYTES),
                   hlo_buffers_read(&cursor, 0, input.size_bytes, arena, ret_memory, &fault));
    if (read) {
        ret_memory->program_id = id;
        ret_memory->program = name;
        return true;
    }
    *ret_memory = (struct hlo_memory){0};
    arena_rewind(arena, mark);
    if (!was_over)
        arena_forgive(arena);
    if (fault.kind == ERR_INPUT || fault.kind == ERR_LIMIT || fault.kind == ERR_MISSING)
        return true;
    *err = fault;
    return false;
}

/* The result alone, without the operands; NULL: it is too long. */
static const char *result_shape(const struct hlo_module *module,
                                const struct hlo_instruction *instruction, struct arena *arena)
{
    enum { SHAPES_MAX_BYTES = 1 << 20 };
    scoped_text text;
    text_init(&text, SHAPES_MAX_BYTES);
    hlo_shapes_add(module, instruction, &text);
    const char *whole = text_shown(&text);
    if (text.failed)
        return NULL;
    const size_t tuple = whole[0] == '(' ? strcspn(whole, ")") + 1 : strcspn(whole, "(");
    return arena_strndup(arena, whole, tuple < text.length ? tuple : text.length);
}

bool hlo_programs_held(struct hlo_programs *programs, const struct hlo_memory *memory, size_t count,
                       struct arena *arena, struct program_buffer **ret_buffers, struct err *err)
{
    const struct hlo_module *module;
    struct program_buffer *buffers = arena_array(arena, struct program_buffer, count);
    if (!hlo_programs_find(programs, memory->program_id, memory->program, &module, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct hlo_held *held = &memory->held[i];
        const struct hlo_instruction *instruction =
            module == NULL || held->instruction < 0 ? NULL : hlo_of_id(module, held->instruction);
        buffers[i] = (struct program_buffer){.kind = held->kind, .bytes = held->bytes};
        buffers[i].instruction =
            arena_strdup(arena, instruction != NULL ? instruction->name : held->name);
        if (instruction == NULL)
            continue;
        buffers[i].shapes = result_shape(module, instruction, arena);
        if (instruction->op_name != NULL && instruction->op_name[0] != '\0')
            buffers[i].op_path = arena_strdup(arena, instruction->op_name);
    }
    *ret_buffers = buffers;
    return arena_ok(arena, "the buffers of a program", err);
}
