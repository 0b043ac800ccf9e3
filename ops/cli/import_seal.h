/* Whether an export is whole and as it was written, found before a line of it is stored. */
#ifndef OPS_CLI_IMPORT_SEAL_H
#define OPS_CLI_IMPORT_SEAL_H

#include "ops/runtime/arena.h"
#include "ops/runtime/conf.h"
#include "ops/runtime/err.h"

#include <stdbool.h>
#include <stdio.h>

/* Of an export that was found whole: the hash of each of its lines, so that a file which is changed
 * while it is stored is not stored. */
struct import_seal {
    bool is_export; /* its first line is that of one; nothing is asked of other files */
    struct import_line_hash *hashes;
    size_t count, capacity; /* 0: nothing is known of its lines */
};

/* Reads the stream from its beginning to its end, and leaves it at its beginning; hashes live in
 * the arena. ERR_INPUT: an export that has no manifest, is cut off, was changed, or is not signed
 * as `checkpoint_trust` asks. */
bool import_seal_check(FILE *stream, const char *path, const struct conf *conf, struct arena *arena,
                       struct import_seal *ret_seal, struct err *err);

/* Whether a line, by its number from 1, is the one that was checked. ERR_INPUT. */
bool import_seal_line(const struct import_seal *seal, size_t number, const char *line,
                      size_t length, struct err *err);

#endif
