/* The JSONL history of track records. */
#ifndef OPS_CLI_HISTORY_FILE_H
#define OPS_CLI_HISTORY_FILE_H

#include "ops/runtime/json.h"

/* Appends one line, under a lock, flushed to disk; makes the folders. A torn line at the end of the
 * file, left by a writer that was killed, is taken out first, with a warning. */
bool history_file_append(const char *path, const json_t *record, struct err *err);

#endif
