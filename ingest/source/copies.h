/* The files that are joined, and which of them are copies of others: two runs, or two hosts, are
 * none.
 */
#ifndef INGEST_SOURCE_COPIES_H
#define INGEST_SOURCE_COPIES_H

#include "ingest/source/join.h"

struct profile_files;

/* Where a summary comes from. */
struct capture_origin {
    const struct profile_files *from; /* where its file was found; NULL: it was joined before … */
    int64_t together;                 /* … as in join_file; else 0 */
    const char *lies_at;              /* its bytes, where there was a file */
};

struct captured_file {
    struct join_file facts;
    const struct profile_files *from; /* as in capture_origin */
    const char *lies_at;
    int64_t at; /* its summary in the temporary file */
    size_t length;
    bool is_left;           /* it takes no part: it tells nothing, or … */
    bool is_copy;           /* … a file of the set holds the same, or more: … */
    size_t copy_of;         /* … this one */
    const char *copy_words; /* how, where the bytes differ; NULL */
};

/* What a file begins with, and how long it is. */
struct file_head {
    const char *path;
    int64_t size;
    size_t length;
    char bytes[512];
};

/* Of a file that cannot be read the length is 0. */
void file_head_read(const char *path, struct file_head *ret_head);

/* Whether a file holds the bytes that the other begins with, or all of them. */
bool file_is_beginning(const struct file_head *part, const struct file_head *of);

/* Marks of files[count] that are new those that have the bytes of one before them, that are the
 * beginning of one, or that hold the same capture packed in another way. ERR_LIMIT. */
void copies_find(struct captured_file *files, size_t count, struct arena *arena);

#endif
