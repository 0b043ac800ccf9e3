/* pprof profiles (profile.proto), the part that tells of memory: samples with a number and a size,
 * who allocated, two labels.
 */
#ifndef INGEST_MEMORY_PPROF_H
#define INGEST_MEMORY_PPROF_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"

#include <stdbool.h>
#include <stdint.h>

struct pprof_sample {
    int64_t count, bytes;        /* bytes below 0: unknown */
    const char *device, *kind;   /* labels; "" when they are absent */
    const char *file, *function; /* of the frame that is meant (memory.h); "" when there is none */
    int64_t line;
};

/* Texts live until the call returns. */
typedef bool pprof_sample_fn(void *context, const struct pprof_sample *sample, struct err *err);

/* Hands over every sample of a file, compressed with gzip or not, that is read into the arena. */
bool pprof_read(const char *path, struct arena *arena, pprof_sample_fn *take, void *context,
                struct err *err);

#endif
