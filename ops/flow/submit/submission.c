/* Paths are resolved and bytes are read here; the queue only stores them. */
#include "ops/flow/submit/submission.h"

#include "ops/runtime/file.h"

#include <limits.h>
#include <stdlib.h>

static const char *path_absolute(const char *path, struct arena *arena, struct err *err)
{
    char real[PATH_MAX];
    if (realpath(path, real) == NULL) {
        (void)err_set_errno(err, ERR_INPUT, "cannot read '%s'", path);
        return NULL;
    }
    const char *kept = arena_strdup(arena, real);
    if (kept == NULL)
        (void)arena_failed(arena, "a path", err);
    return kept;
}

static bool bytes_read(const struct submission *submission, struct queue_file *file,
                       size_t *left_bytes, struct arena *arena, struct err *err)
{
    char *bytes;
    if (!file_read(file->path, *left_bytes, arena, &bytes, &file->length, err))
        return err_prefix(
            err,
            "a job with its bytes (at most queue_max_bytes = %s; without --bytes workers read "
            "the path)",
            conf_text(submission->conf, CONF_queue_max_bytes));
    file->bytes = bytes;
    *left_bytes -= file->length;
    return true;
}

static bool files_make(const struct submission *submission, const struct profile_files *capture,
                       struct arena *arena, struct queue_file *files, struct err *err)
{
    size_t left_bytes = (size_t)conf_int(submission->conf, CONF_queue_max_bytes);
    for (size_t i = 0; i < capture->file_count + capture->memory_count; i++) {
        const char *path =
            i < capture->file_count ? capture->files[i] : capture->memory[i - capture->file_count];
        files[i].path = path_absolute(path, arena, err);
        if (files[i].path == NULL)
            return false;
        if (submission->with_bytes && !bytes_read(submission, &files[i], &left_bytes, arena, err))
            return false;
    }
    return true;
}

bool submission_add(const struct submission *submission, const struct profile_files *capture,
                    struct arena *arena, int64_t *ret_id, struct err *err)
{
    const size_t count = capture->file_count + capture->memory_count;
    struct queue_file *files = arena_array(arena, struct queue_file, count);
    if (files == NULL)
        return arena_failed(arena, "a job", err);
    struct queue_entry entry = {
        .identity = submission->identity,
        .path = path_absolute(capture->path, arena, err),
        .options = submission->options,
        .dedupe_key = submission->dedupe_key,
        .max_attempts = (int)conf_int(submission->conf, CONF_queue_attempts),
        .judge = submission->judge,
        .files = files,
        .file_count = count,
    };
    return entry.path != NULL && files_make(submission, capture, arena, files, err) &&
           queue_add(submission->db, &entry, ret_id, err);
}
