/* One JSON document from a file into the ledger: what it is, and how it is stored. */
#ifndef OPS_CLI_IMPORT_LINE_H
#define OPS_CLI_IMPORT_LINE_H

#include "history/profiles/profiles.h"
#include "history/reading/reading.h"
#include "ops/cli/cli.h"

#include <jansson.h>

enum { IMPORT_LEFT_OUT = 0 }; /* in the place of our number */

/* A profile ('p') or verdict ('v') of the exporting ledger, and its number here. They ascend in an
 * export. */
struct import_pair {
    char letter;
    int64_t theirs, ours;
};

struct import {
    struct cli *cli;
    struct db *db;
    struct profile_identity
        identity;         /* of documents that do not say theirs; project NULL: unknown */
    struct arena *memory; /* whose budget counts for one line */
    struct arena *arena;  /* of the command */
    struct import_pair *pairs;
    size_t pair_count, pair_capacity;
    void *said;        /* a tree of what was said so far, and how often; import_done frees it */
    int64_t decisions; /* stored */
    int64_t profiles, verdicts, deliveries, tracks, known; /* stored, and known already */
    int64_t months;                                        /* brought back */
    int64_t documents;                                     /* of the file that is read, so far */
    int64_t left_out;    /* not stored: their contents were not in the export */
    bool takes_unsealed; /* exports that nothing vouches for, too */
    bool takes_lines;    /* of exports: this file is one, and its manifest vouches for them */
    bool tells_moves;    /* its lines say what became of alerts: verdicts do nothing to them */
};

/* Stores one document: a line of export.v1, a profile_summary.v1, or a record of `track`. name is
 * "file:line". ERR_INPUT names what is wrong with it. */
bool import_line(struct import *import, const json_t *line, const char *name, struct err *err);

/* When and by whom a line says that something was recorded; an export of before does not say it. */
struct origin import_origin(const json_t *line);

/* Our number of an entry of the exporting ledger ("p12", "v3"). ERR_INPUT: the export does not hold
 * it. */
bool import_find(const struct import *import, const char *id, const char *name, int64_t *ret_ours,
                 struct err *err);

/* Says that the line is not stored: what it rests on had left the other ledger with its month.
 * Returns true. */
bool import_left_out(struct import *import, const char *name, const json_t *line);

#endif
