/* One JSON document from a file into the ledger: what it is, and how it is stored. */
#ifndef OPS_CLI_ARCHIVE_IMPORT_LINE_H
#define OPS_CLI_ARCHIVE_IMPORT_LINE_H

#include "ops/cli/archive/import.h"

/* Stores one document: a line of export.v1, a profile_summary.v1, or a record of `track`. name is
 * "file:line". ERR_INPUT names what is wrong with it. */
bool import_line(struct import *import, const json_t *line, const char *name, struct err *err);

#endif
