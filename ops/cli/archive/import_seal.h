/* Whether an export is whole and as it was written, found before a line of it is stored. */
#ifndef OPS_CLI_ARCHIVE_IMPORT_SEAL_H
#define OPS_CLI_ARCHIVE_IMPORT_SEAL_H

#include "ops/runtime/conf.h"
#include "ops/runtime/file.h"

/* Of an export that was found whole: the hash of each of its lines, so that a file which is changed
 * while it is stored is not stored. */
struct import_seal {
    bool is_export; /* its first line is that of one; nothing is asked of other files */
    struct import_line_hash *hashes;
    size_t count, capacity; /* 0: nothing is known of its lines */
};

/* Reads the lines from their beginning to their end, and leaves them at their beginning; hashes
 * live in the arena. ERR_INPUT: an export that has no manifest, is cut off, was changed, or is not
 * signed as `checkpoint_trust` asks; ERR_LIMIT: one with a line beyond the budget. */
bool import_seal_check(struct file_lines *lines, const struct conf *conf, struct arena *arena,
                       struct import_seal *ret_seal, struct err *err);

/* Whether the present line is the one that was checked. ERR_INPUT. */
bool import_seal_line(const struct import_seal *seal, const struct file_lines *lines,
                      struct err *err);

#endif
