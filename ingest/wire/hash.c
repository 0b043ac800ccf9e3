#include "ingest/wire/hash.h"
#include "ingest/wire/cursor.h"
#include "ingest/wire/progress.h"

#include "ops/runtime/file.h"
#include "ops/runtime/text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ_BYTES = 256 * 1024 };

static void buffer_cleanup(void **buffer)
{
    free(*buffer);
}

static bool file_hash(struct hash_job *job, size_t index, struct err *err)
{
    const char *path = job->files->files[index];
    __attribute__((cleanup(buffer_cleanup))) void *buffer = memory_alloc(READ_BYTES);
    scoped_sha256 *state = sha256_new();
    scoped_input input = {.fd = -1};
    if (!input_open(path, &input, err))
        return false;
    (void)posix_fadvise(input.fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    while (!job->cancelled) {
        size_t got;
        if (!file_read_some(input.fd, buffer, READ_BYTES, path, &got, err))
            return false;
        if (got == 0)
            break;
        sha256_add(state, buffer, got);
        job->sizes[index] += (int64_t)got;
        if (job->progress != NULL)
            progress_add(job->progress, (int64_t)got);
    }
    uint8_t digest[SHA256_BYTES];
    sha256_finish(state, digest);
    text_hex(digest, sizeof digest, job->digests[index]);
    return true;
}

static void *hash_run(void *context)
{
    struct hash_job *job = context;
    job->done = true;
    for (size_t i = 0; i < job->files->file_count && job->done; i++)
        job->done = file_hash(job, i, &job->err);
    return NULL;
}

void hash_start(struct hash_job *job, const struct profile_files *files, bool on_thread,
                struct arena *arena)
{
    *job = (struct hash_job){.files = files};
    job->digests = arena_zalloc(arena, files->file_count, sizeof *job->digests);
    job->sizes = arena_array(arena, int64_t, files->file_count);
    job->running = on_thread && pthread_create(&job->thread, NULL, hash_run, job) == 0;
}

static void job_join(struct hash_job *job)
{
    if (job->running)
        (void)pthread_join(job->thread, NULL);
    job->running = false;
}

bool hash_finish(struct hash_job *job, struct progress *progress, struct err *err)
{
    if (job->running) {
        job_join(job);
    } else {
        job->progress = progress;
        (void)hash_run(job);
    }
    if (!job->done)
        *err = job->err;
    return job->done;
}

void hash_cancel(struct hash_job *job)
{
    job->cancelled = true;
    job_join(job);
}
