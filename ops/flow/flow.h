/* What a use case works with.
 *
 * A use case takes this, a request, and gives a result; it neither parses options nor prints.
 */
#ifndef OPS_FLOW_FLOW_H
#define OPS_FLOW_FLOW_H

#include "history/db.h"
#include "ops/runtime/arena.h"
#include "ops/runtime/conf.h"

struct flow {
    const struct conf *conf;
    struct db *db;
    struct arena *arena;  /* results lie here */
    struct arena *memory; /* the budget of max_memory_mb: arenas for what is read lie within it */
};

#endif
