/* The whole ledger as lines of JSON: export.v1. */
#ifndef OPS_CLI_ARCHIVE_EXPORT_LINES_H
#define OPS_CLI_ARCHIVE_EXPORT_LINES_H

#include "ops/cli/archive/export.h"

/* Writes all lines, in the caller's snapshot. ERR_FULL, ERR_LIMIT, ERR_UNAVAILABLE; ERR_INPUT: the
 * key that signs is none. */
bool export_lines(struct export *export, struct err *err);

#endif
