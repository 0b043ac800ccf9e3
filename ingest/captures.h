/* The hosts' files of a command or a job, summarized one by one, then joined to captures.
 *
 * What tells files apart stays in memory; the summaries wait in a temporary file, so that a folder
 * of thousands of captures needs no more memory than one of them. Files that were joined before may
 * stand among them (join_file.together).
 */
#ifndef INGEST_CAPTURES_H
#define INGEST_CAPTURES_H

#include "ingest/ingest.h"
#include "ingest/source/source.h"
#include "ingest/wire/wire.h"

struct capture_set {
    struct arena *arena; /* of what stays */
    const struct ingest_options *options;
    const char *run; /* that was given for all; NULL */
    struct captured_file *files;
    size_t count, capacity;
    struct join_result joined;        /* indexes of files */
    struct left_file *left;           /* files of no capture … */
    size_t left_count, left_capacity; /* … and why */
    struct spill summaries;
};

/* arena and options outlive the set. captures_done accepts a zeroed set. */
void captures_init(struct capture_set *set, const struct ingest_options *options,
                   struct arena *arena);
void captures_done(struct capture_set *set);

/* Takes the summary of one file. What `origin` points to outlives the set, but for the text.
 * ERR_FULL, ERR_LIMIT. */
bool captures_add(struct capture_set *set, const struct summary *host,
                  const struct capture_origin *origin, struct err *err);

/* Whether a file that cannot be read gives way to what was added of its folder: an export of
 * another profiler, which any database may be called like, beside files in other formats. Then it
 * is left, and the captures of the folder say why (failure). false: the failure stands. */
bool captures_leave_broken(struct capture_set *set, const char *path, const struct err *failure);

/* Fills set->joined. Of a file that is there twice, also cut or packed in another way, one takes
 * part, and captures of its folder say so. A file without steps and work of a device is left where
 * files in other formats in its folder have some. Errors as of join_files. */
bool captures_join(struct capture_set *set, struct err *err);

/* Whether the places of two groups of set->joined tell that they are captures of one run. */
bool captures_are_one_run(const struct capture_set *set, const struct join_group *a,
                          const struct join_group *b);

/* The summary of one group of set->joined, in the arena. Errors as of ingest_capture. */
bool captures_summarize(struct capture_set *set, const struct join_group *group,
                        struct arena *arena, struct summary *ret_summary, struct err *err);

/* The document of one file of the set, as the ledger keeps it; in the arena. */
bool captures_document(struct capture_set *set, size_t file, struct arena *arena,
                       const char **ret_document, struct err *err);

/* Whether the files are of one capture, unless that is known, for who reads them without their
 * summaries: each is summarized for it. One that cannot be read says nothing: who reads it next
 * tells why. Errors as of join_check. */
bool capture_check(const struct profile_files *files, const struct ingest_options *options,
                   struct arena *arena, struct err *err);

#endif
