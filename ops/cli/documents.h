/* Summaries from files, and documents to stdout or --output: what the drop-in commands share. */
#ifndef OPS_CLI_DOCUMENTS_H
#define OPS_CLI_DOCUMENTS_H

#include "ops/cli/cli.h"
#include "ops/runtime/json.h"
#include "schema/summary.h"

/* Reads a profile_summary.v1 file. ERR_MISSING, ERR_INPUT naming file, place and member. */
bool document_read_summary(const char *path, struct arena *arena, struct summary *ret_summary,
                           struct err *err);

/* Prints a document with the reference's --output rule; takes the reference; false when root is
 * NULL. */
bool document_print(const char *output_path, json_t *root, struct err *err);

#endif
