#include "ops/flow/take_in/host_reading.h"

#include "ops/runtime/log.h"

#include <string.h>

static const char *lies_at(const struct reading *reading, const char *path)
{
    for (size_t i = 0; i < reading->copy_count; i++) {
        if (strcmp(reading->copies[i].path, path) == 0)
            return reading->copies[i].lies_at;
    }
    return path;
}

/* The options for one file, with the memory profiles where they lie. */
static struct ingest_options options_for(const struct reading *reading,
                                         const struct profile_files *place, size_t index,
                                         struct arena *arena)
{
    struct ingest_options options = ingest_options_of(&reading->options, place, index);
    const char **memory = arena_array(arena, const char *, options.memory_beside_count);
    for (size_t i = 0; i < options.memory_beside_count; i++)
        memory[i] = lies_at(reading, options.memory_beside[i]);
    options.memory_beside = memory;
    options.may_be_empty = options.may_be_empty && !place->is_loose;
    return options;
}

/* So is what failed. */
static bool failure_rename(const struct reading *reading, const char *path, struct err *err)
{
    const char *copy = lies_at(reading, path), *found = strstr(err->text, copy);
    struct err told = *err;
    if (copy != path && found != NULL)
        (void)err_set(&told, err->kind, "%.*s%s%s", (int)(found - err->text), err->text, path,
                      found + strlen(copy));
    *err = told;
    return false;
}

bool host_reading_is_own(enum err_kind kind)
{
    return kind == ERR_INPUT || kind == ERR_LIMIT || kind == ERR_MISSING || kind == ERR_IO;
}

static bool file_take(const struct reading *reading, const struct profile_files *place,
                      size_t index, struct capture_set *set, struct err *err)
{
    scoped_arena arena;
    arena_init_within(&arena, reading->memory);
    struct summary host;
    struct ingest_options options = options_for(reading, place, index, &arena);
    const char *path = place->files[index];
    if (reading->begin != NULL)
        reading->begin(reading->context, path, &options);
    bool read = ingest_host(lies_at(reading, path), &options, &arena, &host, err);
    if (reading->end != NULL)
        reading->end(reading->context);
    if ((!read && !failure_rename(reading, path, err)) ||
        (!options.strict_input && !ingest_tells(place, index, &host, err)))
        return false;
    /* Files of a copy are known by the paths that they were submitted under. */
    for (size_t i = 0; host.has_memory && i < host.memory.source_count; i++) {
        struct source_file *source = &host.memory.sources[i];
        for (size_t c = 0; c < reading->copy_count; c++) {
            if (strcmp(source->path, reading->copies[c].lies_at) == 0)
                source->path = reading->copies[c].path;
        }
    }
    if (reading->copy_count != 0)
        ingest_host_move(&host, path, &arena);
    return captures_add(set, &host,
                        &(struct capture_origin){.from = place, .lies_at = lies_at(reading, path)},
                        err);
}

bool host_reading_take(const struct reading *reading, const struct profile_files *place,
                       size_t index, struct capture_set *set, struct err *err)
{
    struct err broken;
    if (file_take(reading, place, index, set, err))
        return true;
    broken = *err;
    struct profile_files *other = arena_new(set->arena, struct profile_files);
    if (reading->options.strict_input)
        return false;
    if (!ingest_instead(place, index, &broken, set->arena, other)) {
        if (!captures_leave_broken(set, place->files[index], &broken))
            return false;
    } else if (!file_take(reading, other, 0, set, err)) {
        return ingest_failed_both(&broken, err);
    }
    log_event(LOG_WARN, LOG_input_warning, "file", place->files[index], "why", broken.text, NULL);
    return true;
}
