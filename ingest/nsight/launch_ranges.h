/* Which program and op of XLA a kernel is of: that of the ranges that were open on the thread that
 * launched it, when it did.
 *
 * Ranges come first, then the calls of CUDA's API with their correlation ids, then the kernels with
 * the same ids. Only files that have ranges of XLA pay for it.
 */
#ifndef INGEST_NSIGHT_LAUNCH_RANGES_H
#define INGEST_NSIGHT_LAUNCH_RANGES_H

#include "ingest/lookup/lookup.h"
#include "ingest/nsight/range_names.h"
#include "ops/runtime/arena.h"

#include <stdint.h>

/* Program and op of a launch; texts are numbers of the catalog. */
struct launch_context {
    uint32_t module, op, path; /* STRING_NONE: not said */
    uint32_t prefix;           /* of the paths of the module's ops */
    struct opt_i64 program;
};

enum { NO_CONTEXT = 0, NO_RUN = 0 };

/* Where a launch comes from. */
struct launch_origin {
    uint32_t context;
    uint32_t run; /* which time of a program running it belongs to, from 1 */
};

struct open_range;
struct thread_ranges;
struct known_launch;

struct launch_ranges {
    struct arena *arena;
    struct strings *strings;
    struct launch_context *contexts; /* [NO_CONTEXT] is empty */
    size_t context_count, context_capacity;
    struct id_map context_by_text; /* of a module or an op alone, by the text of its range */
    struct id_map context_by_pair; /* of an op within a module */
    struct thread_ranges *threads;
    size_t thread_count, thread_capacity;
    struct id_map thread_by_id;
    struct known_launch *launches; /* ascending once they are settled */
    size_t launch_count, launch_capacity;
    bool is_settled;
    uint32_t run_count;
};

/* No ranges yet. */
void launch_ranges_init(struct launch_ranges *ranges, struct strings *strings, struct arena *arena);

/* When a range was open, and on which thread. */
struct range_place {
    int64_t thread, start, end;
};

/* Takes a range of XLA; text is its name's number. */
void launch_ranges_add(struct launch_ranges *ranges, const struct range_place *place, uint32_t text,
                       const struct range_name *name);

/* All ranges are there. */
void launch_ranges_nest(struct launch_ranges *ranges);

/* Takes a call that may have launched something. */
void launch_add(struct launch_ranges *ranges, int64_t thread, int64_t start, int64_t correlation);

/* Where what was launched by this id, if it has one, comes from. */
struct launch_origin launch_origin_of(struct launch_ranges *ranges, struct opt_i64 correlation);

#endif
