/* The manifest of an export in the making: each part is hashed while its lines are written. */
#ifndef OPS_CLI_EXPORT_MANIFEST_H
#define OPS_CLI_EXPORT_MANIFEST_H

#include "ops/runtime/conf.h"
#include "ops/runtime/digest.h"
#include "schema/export_end.h"

struct export_manifest {
    struct arena *arena;   /* of the parts */
    struct export_end end; /* counts are the writers'; parts and signature are filled here */
    size_t part_capacity;
    struct sha256 *state; /* of the last part; NULL = none is open */
};

/* Takes a line of that type, with its end, into account. ERR_BUG, ERR_LIMIT. */
bool manifest_add(struct export_manifest *manifest, const char *type, const struct text *line,
                  struct err *err);

/* Ends the last part, and signs when `checkpoint_key` is configured. ERR_INPUT: no such key. */
bool manifest_seal(struct export_manifest *manifest, const struct conf *conf, struct err *err);

/* Accepts a zeroed one. */
void manifest_done(struct export_manifest *manifest);

#endif
