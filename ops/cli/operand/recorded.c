/* See recorded.h. Bytes are compared by their hash: another capture may have taken the place. */
#include "ops/cli/operand/recorded.h"

#include "ops/runtime/digest.h"
#include "ops/runtime/file.h"
#include "ops/runtime/text.h"
#include "schema/documents/figures.h"

#include <string.h>
#include <unistd.h>

enum { PART_BYTES = 256 * 1024 };

static bool file_hash(const char *path, char hex[SHA256_HEX_BYTES], struct err *err)
{
    uint8_t digest[SHA256_BYTES];
    scoped_fd fd = -1;
    if (!file_open(path, &fd, err))
        return false;
    scoped_sha256 *state = sha256_new();
    scoped_arena arena;
    arena_init(&arena, 2 * PART_BYTES);
    char *part = arena_alloc(&arena, PART_BYTES);
    for (size_t got = 1; got > 0;) {
        if (!file_read_some(fd, part, PART_BYTES, path, &got, err))
            return false;
        sha256_add(state, part, got);
    }
    sha256_finish(state, digest);
    text_hex(digest, sizeof digest, hex);
    return true;
}

/* Whether the file is what it was. Older entries, and summaries of files, have paths as they were
 * typed: another folder may hold another file of that name. */
static bool source_check(const struct source_file *source, struct err *err)
{
    char hex[SHA256_HEX_BYTES];
    const char *from = source->path[0] == '/'
                           ? ""
                           : ": the path is relative, as it was typed, and the folder that it "
                             "starts from was not recorded; call from there";
    if (access(source->path, F_OK) != 0)
        return err_set(err, ERR_MISSING, "'%s', which was read for it, is not there%s%s",
                       source->path, from[0] == '\0' ? " any more" : "", from);
    if (!file_hash(source->path, hex, err))
        return false;
    return strcmp(hex, source->sha256) == 0 ||
           err_set(err, ERR_INPUT, "'%s', which was read for it, holds other bytes%s%s",
                   source->path, from[0] == '\0' ? " now" : "", from);
}

bool recorded_files(const struct summary *summary, struct arena *arena,
                    struct profile_files *ret_profile, struct ingest_options *options,
                    struct err *err)
{
    const size_t memory_count = summary->has_memory ? summary->memory.source_count : 0;
    const char **files = arena_array(arena, const char *, summary->source_count);
    const char **memory = arena_array(arena, const char *, memory_count);
    struct err gone;
    if (summary->source_count == 0)
        return err_set(err, ERR_MISSING, "no file of it was recorded");
    *ret_profile = (struct profile_files){
        .path = summary->source_path, .files = files, .memory = memory, .is_known = true};
    for (size_t i = 0; i < summary->source_count; i++) {
        if (!source_check(&summary->sources[i], err))
            return false;
        files[ret_profile->file_count++] = summary->sources[i].path;
    }
    for (size_t i = 0; i < memory_count; i++) {
        if (source_check(&summary->memory.sources[i], &gone))
            memory[ret_profile->memory_count++] = summary->memory.sources[i].path;
    }
    const struct producer *producer = &summary->producer;
    if (producer->warmup_fixed)
        ingest_options_fix_warmup(options, producer->warmup_steps);
    if (producer->has_step_range && options->step_range == NULL)
        options->step_range = producer->step_range;
    /* What people said of it, and what its figures are made of: the files do not tell them. */
    const struct environment *environment = &summary->environment;
    struct fact *facts = arena_array(arena, struct fact, environment->fact_count + 1);
    options->meta = facts;
    options->meta_count = 0;
    for (size_t i = 0; i < environment->fact_count; i++) {
        const struct fact *fact = &environment->facts[i];
        if (strcmp(fact->source, "option") == 0 || figure_is_made_of(fact->name))
            facts[options->meta_count++] = *fact;
    }
    return true;
}
