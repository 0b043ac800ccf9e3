/* The memory profiles of one host: which of them count, and the member of its summary. */
#include "ingest/memory/memory.h"

#include "ingest/source/source.h"
#include "ingest/wire/wire.h"
#include "ops/runtime/file.h"

#include <string.h>

bool memory_open(const char *path, const struct index_options *index, struct arena *arena,
                 struct xspace *ret_space, struct err *err)
{
    (void)arena;
    return xspace_open_empty(path, index, ret_space, err);
}

/* A file that was read. */
struct memory_file {
    struct memory_summary memory;
    struct source_file source;
};

struct memory_choice {
    struct arena *arena;
    struct notes notes;
    struct memory_file *files; /* no two of one device */
    size_t count;
};

static bool file_read_whole(const char *path, struct arena *arena, struct memory_file *ret_file,
                            struct err *err)
{
    const char *paths[] = {path};
    const struct profile_files files = {.path = path, .files = paths, .file_count = 1};
    struct hash_job job = {0};
    scoped_grouped rows = {0};
    grouped_init(&rows, &table_kinds[DATA_TABLE_allocations], arena);
    if (!memory_profile_read(path, &rows, err) || !memory_summary_of(&rows, &ret_file->memory, err))
        return false;
    hash_start(&job, &files, false, arena);
    if (!hash_finish(&job, NULL, err))
        return false;
    ret_file->source = (struct source_file){path, NULL, job.digests[0], job.sizes[0]};
    return true;
}

/* Whether both tell of one device, or neither of any: then they are of two moments of one process.
 */
static bool overlap(const struct memory_summary *a, const struct memory_summary *b)
{
    bool any = false;
    for (size_t i = 0; i < a->device_count; i++) {
        const char *name = a->devices[i].name;
        any = any || name[0] != '\0';
        for (size_t k = 0; k < b->device_count && name[0] != '\0'; k++)
            if (strcmp(b->devices[k].name, name) == 0)
                return true;
    }
    return !any;
}

/* The file takes the place of one that tells less of the same devices, or stands beside the others,
 * or is left aside. */
static void file_choose(struct memory_choice *choice, const struct memory_file *file)
{
    for (size_t i = 0; i < choice->count; i++) {
        struct memory_file *held = &choice->files[i];
        if (!overlap(&file->memory, &held->memory))
            continue;
        bool more = file->memory.bytes > held->memory.bytes;
        NOTE(&choice->notes,
             "Memory is that of '%s': '%s' tells of the same devices with less in use, and was "
             "left aside.",
             path_base(more ? file->source.path : held->source.path),
             path_base(more ? held->source.path : file->source.path));
        if (more)
            *held = *file;
        return;
    }
    choice->files[choice->count++] = *file;
}

/* "GPU" of "/device:GPU:0" and "cuda:0", "TPU" of "TPU_0(process=0,(0,0,0,0))"; NULL: another. */
static const char *device_kind(const char *name)
{
    static const char *const words[][2] = {
        {"TPU", "TPU"}, {"GPU", "GPU"}, {"CUDA", "GPU"}, {"ROCM", "GPU"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasestr(name, words[i][0]) != NULL)
            return words[i][1];
    return NULL;
}

/* ERR_INPUT: all that it tells of are devices of another kind than the profile's, as those of
 * another machine are. */
static bool is_of_profile(const struct memory_file *file, const struct summary *summary,
                          struct err *err)
{
    const char *other = NULL;
    for (size_t i = 0; i < file->memory.device_count; i++) {
        const char *name = file->memory.devices[i].name, *kind = device_kind(name);
        if (kind == NULL)
            continue;
        for (size_t k = 0; k < summary->device_count; k++) {
            const char *own = device_kind(summary->devices[k].name);
            if (own == NULL || strcmp(own, kind) == 0)
                return true;
        }
        other = other != NULL ? other : name;
    }
    return other == NULL || summary->device_count == 0 ||
           err_set(err, ERR_INPUT,
                   "'%s' is of other devices: it tells of '%s', and the profile of '%s'; give "
                   "the one that its job saved",
                   file->source.path, other, summary->devices[0].name);
}

static bool files_read(const struct memory_files *files, const struct summary *summary,
                       struct memory_choice *choice, struct err *err)
{
    for (size_t i = 0; i < files->count; i++) {
        struct memory_file file;
        struct err failure = {0};
        if (file_read_whole(files->paths[i], choice->arena, &file, &failure) &&
            is_of_profile(&file, summary, &failure)) {
            file_choose(choice, &file);
            continue;
        }
        const bool is_of_file =
            failure.kind == ERR_INPUT || failure.kind == ERR_MISSING || failure.kind == ERR_IO;
        if (files->strict || !is_of_file) {
            *err = failure;
            return false;
        }
        NOTE(&choice->notes, "No memory was taken from beside the profile: %s.", failure.text);
    }
    return true;
}

bool memory_take(const struct memory_files *files, struct arena *arena, struct summary *summary,
                 struct err *err)
{
    struct memory_summary *memory = &summary->memory;
    struct memory_choice choice = {.arena = arena,
                                   .notes = {.arena = arena},
                                   .files = arena_array(arena, struct memory_file, files->count)};
    if (summary->has_memory || files->count == 0)
        return true;
    const struct string_list *held = &summary->coverage.warnings;
    for (size_t i = 0; i < held->count; i++)
        note_add(&choice.notes, held->items[i]);
    if (!files_read(files, summary, &choice, err))
        return false;
    summary->has_memory = choice.count > 0;
    if (summary->has_memory) { /* what the chosen files tell, added up */
        scoped_grouped rows = {0};
        struct source_file *sources = arena_array(arena, struct source_file, choice.count);
        grouped_init(&rows, &table_kinds[DATA_TABLE_allocations], arena);
        for (size_t i = 0; i < choice.count; i++) {
            sources[i] = choice.files[i].source;
            if (!memory_rows_add(&choice.files[i].memory, &rows, err))
                return false;
        }
        if (!memory_summary_of(&rows, memory, err))
            return false;
        memory->sources = sources;
        memory->source_count = choice.count;
    }
    if (memory->unknown_count > 0)
        NOTE(&choice.notes,
             "%lld of %lld allocations in memory have no known size: they are counted, and add no "
             "bytes.",
             (long long)memory->unknown_count, (long long)memory->count);
    summary->coverage.warnings = notes_list(&choice.notes);
    return true;
}
