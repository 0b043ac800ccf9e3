/* Paths are resolved and bytes are read here; the queue only stores them. */
#include "ops/flow/submit/submission.h"

#include "ops/runtime/file.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

static const char *path_real(const char *path, struct arena *arena, struct err *err)
{
    char real[PATH_MAX];
    if (realpath(path, real) != NULL)
        return arena_strdup(arena, real);
    (void)err_set_errno(err, ERR_INPUT, "cannot read '%s'", path);
    return NULL;
}

/* What is of a capture, in the order of its parts. */
struct part {
    const char *const *paths;
    size_t count;
    enum queue_part part;
};

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

/* Whether the bytes of the file travel, too: of what was left aside those of a trace that is read
 * where its host's file is broken, if there is room for them. */
static bool has_to_travel(const struct submission *submission, const struct profile_files *capture,
                          const struct queue_file *file, size_t left_bytes)
{
    struct stat info;
    if (!submission->with_bytes || file->part == FILE_UNREAD)
        return false;
    return file->part != FILE_ASIDE ||
           (ingest_stands_in(capture, file->path) && stat(file->path, &info) == 0 &&
            (size_t)info.st_size <= left_bytes);
}

bool submission_add(const struct submission *submission, const struct profile_files *capture,
                    struct arena *arena, int64_t *ret_id, struct err *err)
{
    const size_t count =
        capture->file_count + capture->memory_count + capture->aside_count + capture->unread_count;
    struct queue_file *files = arena_array(arena, struct queue_file, count);
    struct queue_entry entry = {
        .identity = submission->identity,
        .path = path_real(capture->path, arena, err),
        .options = submission->options,
        .dedupe_key = submission->dedupe_key,
        .max_attempts = (int)conf_int(submission->conf, CONF_queue_attempts),
        .judge = submission->judge,
        .files = files,
        .file_count = count,
    };
    if (entry.path == NULL)
        return false;
    const struct part parts[] = {{capture->files, capture->file_count, FILE_HOST},
                                 {capture->memory, capture->memory_count, FILE_MEMORY},
                                 {capture->aside, capture->aside_count, FILE_ASIDE},
                                 {capture->unread, capture->unread_count, FILE_UNREAD}};
    size_t left_bytes = (size_t)conf_int(submission->conf, CONF_queue_max_bytes);
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
        for (size_t i = 0; i < parts[p].count; i++, files++) {
            *files = (struct queue_file){.path = parts[p].paths[i], .part = parts[p].part};
            bool travels = has_to_travel(submission, capture, files, left_bytes);
            files->path = path_real(files->path, arena, err);
            if (files->path == NULL ||
                (travels && !bytes_read(submission, files, &left_bytes, arena, err)))
                return false;
        }
    }
    return queue_add(submission->db, &entry, ret_id, err);
}
