/* Paths in, ledger entries out: what `ingest` does and `gate` does first. */
#ifndef OPS_CLI_INTAKE_H
#define OPS_CLI_INTAKE_H

#include "history/ledger.h"
#include "ops/cli/summarize.h"

struct intake_item {
    const char *path;
    bool stored; /* stored or known already; false: failure says why */
    struct profile_receipt receipt;
    struct err failure;
};

struct intake {
    struct cli *cli;
    struct db *db;
    struct profile_identity identity;
    struct ingest_options options;
    struct intake_item *items; /* in the command's arena */
    size_t count, capacity;
    size_t rejected_count;
};

/* Reads every profile below the path and appends it. A profile that cannot be read becomes an item
 * with its failure, and the next one is tried; false only when going on makes no sense (database
 * away, disk full, bug, memory). */
bool intake_path(struct intake *intake, const char *path, struct err *err);

/* The items as JSON: {"profiles": […], "rejected": […]}; new reference, NULL without memory. */
json_t *intake_to_json(const struct intake *intake);

/* EXIT_OK, or the code of the first failure. */
int intake_exit_code(const struct intake *intake);

#endif
