/* How far the reading of a profile is, for whoever watches.
 *
 * Counted in bytes of the files, as often as they are read: by the index where it looks at events,
 * by streaming, by hashing when that has no thread of its own. Any thread counts; one at a time
 * tells, the others go on.
 */
#ifndef INGEST_WIRE_PROGRESS_H
#define INGEST_WIRE_PROGRESS_H

#include "ingest/ingest.h"

#include <stdatomic.h>
#include <stdint.h>

/* Counting so many bytes at once is neither too coarse for a bar nor felt by the reading. */
enum { PROGRESS_BYTES = 1024 * 1024 };

struct progress {
    void (*report)(void *context, int64_t bytes_done, int64_t bytes_total); /* NULL = none */
    void *context;
    atomic_int_fast64_t done, total;
    atomic_flag told;
};

/* Nothing done, nothing expected. */
void progress_init(struct progress *progress, const struct ingest_options *options);

/* More bytes are to be read, or fewer (below 0). */
void progress_expect(struct progress *progress, int64_t bytes);

/* So many were; tells, unless another thread is about to. */
void progress_add(struct progress *progress, int64_t bytes);

/* Tells how things stand. */
void progress_tell(struct progress *progress);

#endif
