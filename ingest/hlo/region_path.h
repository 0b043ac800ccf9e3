/* Region paths: where in the program an op belongs, as a list of scopes (profile_summary.v1 §12).
 *
 * Built once per distinct op, from its framework path, else from its name.
 */
#ifndef INGEST_HLO_REGION_PATH_H
#define INGEST_HLO_REGION_PATH_H

#include "ingest/lookup/lookup.h"

#include <stdbool.h>
#include <stdint.h>

struct region_path {
    uint32_t *parts;   /* texts */
    uint32_t count;    /* at least 1 */
    bool is_framework; /* made of tf_op alone: that of all ops which have it */
};

/* What a path is made from. */
struct path_source {
    const char *name, *canonical;
    const char *tf_op; /* may be NULL */
};

/* Parts are added to strings, arrays come from its arena, scratch is rewound. */
void region_path_build(const struct path_source *source, struct strings *strings,
                       struct arena *scratch, struct region_path *ret_path);

#endif
