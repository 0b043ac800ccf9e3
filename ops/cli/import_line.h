/* One JSON document from a file into the ledger: what it is, and how it is stored. */
#ifndef OPS_CLI_IMPORT_LINE_H
#define OPS_CLI_IMPORT_LINE_H

#include "history/interchange.h"
#include "history/ledger.h"
#include "ops/cli/cli.h"

#include <jansson.h>

/* A profile of the exporting ledger and its number here. */
struct import_pair {
    int64_t theirs, ours;
};

struct import {
    struct cli *cli;
    struct db *db;
    struct profile_identity
        identity; /* of documents that do not say theirs; project NULL: unknown */
    size_t budget;
    struct arena *arena; /* of the command */
    struct import_pair *pairs;
    size_t pair_count, pair_capacity;
    int64_t profiles, verdicts, tracks, known; /* stored, and known already */
    int64_t months;                            /* brought back */
    int64_t left_out;      /* not stored: their contents were not in the export */
    bool in_export, ended; /* an export began; its last line was read */
};

/* Stores one document: a line of export.v1, a profile_summary.v1, or a record of `track`. name is
 * "file:line". ERR_INPUT names what is wrong with it. */
bool import_line(struct import *import, const json_t *line, const char *name, struct err *err);

#endif
