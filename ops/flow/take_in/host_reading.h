/* One host's file read on the way into the ledger, by a command or of a job: the same file, or of a
 * broken one the trace beside it, wherever the bytes lie.
 */
#ifndef OPS_FLOW_TAKE_IN_HOST_READING_H
#define OPS_FLOW_TAKE_IN_HOST_READING_H

#include "ingest/captures.h"

/* A file whose bytes lie elsewhere than where it is known to lie: they came with a job. */
struct file_copy {
    const char *path, *lies_at;
};

/* How profiles are read, and who shows how far that is. */
struct reading {
    struct ingest_options options;
    bool was_asked; /* for a way of reading: then known bytes are read anew */
    /* Around each file, which may set the progress of the options; NULL: nobody shows it. */
    void (*begin)(void *context, const char *path, struct ingest_options *options);
    void (*end)(void *context);
    void *context;
    struct arena *memory; /* the arena of what is read of a file lies within it */
    const struct file_copy *copies;
    size_t copy_count;
};

/* Adds what place->files[index] tells to the set. Of one that is broken the trace of its host that
 * was left aside is read, unless options are strict, and that is said; where that one cannot be
 * read either, the error says both. Errors as of ingest_host and captures_add. */
bool host_reading_take(const struct reading *reading, const struct profile_files *place,
                       size_t index, struct capture_set *set, struct err *err);

/* Whether a failure is of the file itself: others of a folder need not wait for it. */
bool host_reading_is_own(enum err_kind kind);

#endif
