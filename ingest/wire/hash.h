/* Hashing of the input files on a thread of its own, beside the reading.
 *
 * SHA-256 of every byte is a quarter of all work; on the other core it costs no time.
 */
#ifndef INGEST_WIRE_HASH_H
#define INGEST_WIRE_HASH_H

#include "ingest/ingest.h"
#include "ops/runtime/digest.h"

#include <pthread.h>
#include <stdatomic.h>

struct progress;

struct hash_job {
    const struct profile_files *files;
    char (*digests)[SHA256_HEX_BYTES]; /* by file */
    int64_t *sizes;
    pthread_t thread;
    bool running;
    atomic_bool cancelled;
    bool done;
    struct progress *progress; /* told while the caller waits; NULL = nobody */
    struct err err;
};

/* Starts hashing; without a thread the work is done in hash_finish. files must outlive the job. */
void hash_start(struct hash_job *job, const struct profile_files *files, bool on_thread,
                struct arena *arena);

/* Waits for the digests, or makes them and tells progress, which may be NULL. ERR_INPUT or
 * ERR_MISSING when a file cannot be read. */
bool hash_finish(struct hash_job *job, struct progress *progress, struct err *err);

/* Ends a job that nobody waits for any more; accepts a zeroed job. */
void hash_cancel(struct hash_job *job);

#endif
