/* Whether an export is whole and as it was written, found before a line of it is stored. */
#ifndef OPS_CLI_IMPORT_SEAL_H
#define OPS_CLI_IMPORT_SEAL_H

#include "ops/runtime/arena.h"
#include "ops/runtime/conf.h"
#include "ops/runtime/err.h"

#include <stdbool.h>
#include <stdio.h>

/* Reads the stream from its beginning to its end, and leaves it at its beginning. *ret_is_export:
 * its first line is that of an export; nothing is asked of other files. ERR_INPUT: an export that
 * has no manifest, is cut off, was changed, or is not signed as `checkpoint_trust` asks. */
bool import_seal_check(FILE *stream, const char *path, const struct conf *conf, struct arena *arena,
                       bool *ret_is_export, struct err *err);

#endif
