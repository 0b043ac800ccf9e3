/* An export in the making: its lines, and the manifest that vouches for them. */
#ifndef OPS_CLI_ARCHIVE_EXPORT_H
#define OPS_CLI_ARCHIVE_EXPORT_H

#include "history/db.h"
#include "ops/runtime/conf.h"
#include "ops/runtime/digest.h"
#include "schema/documents/export_end.h"

#include <stddef.h>
#include <stdint.h>

struct export_manifest {
    struct arena *arena;   /* of the parts */
    struct export_end end; /* counts are the writers'; parts and signature are filled here */
    size_t part_capacity;
    struct sha256 *state; /* of the last part; NULL = none is open */
};

struct export
{
    struct db *db;
    const char *path; /* NULL = standard output */
    int fd;
    struct arena *memory; /* whose budget counts for one line */
    const struct conf *conf;
    struct export_manifest manifest; /* arena: the caller's; the rest is filled */
};

/* Writes one line of that type, which the table describes. */
bool export_line(struct export *export, const char *type, const struct record *record,
                 const void *value, struct err *err);

/* Writes the last line, the manifest, signed when `checkpoint_key` is configured. ERR_INPUT: the
 * key that signs is none. */
bool export_end_line(struct export *export, struct err *err);

/* Writes the whole ledger as lines, export.v1, in the caller's snapshot. ERR_FULL, ERR_LIMIT,
 * ERR_UNAVAILABLE; ERR_INPUT: the key that signs is none. */
bool export_lines(struct export *export, struct err *err);

/* Frees what the manifest holds; accepts a zeroed one. */
void export_done(struct export *export);

#endif
