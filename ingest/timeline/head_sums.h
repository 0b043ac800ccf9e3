/* What the ops of one device did in each of its first steps, apart from the steps behind.
 *
 * Where ops themselves tell how long a step took, nobody knows which of the first steps are warm-up
 * before all ops were read. Sums of an op in one step lie in pages, so that a step costs what ran
 * in it.
 */
#ifndef INGEST_TIMELINE_HEAD_SUMS_H
#define INGEST_TIMELINE_HEAD_SUMS_H

#include "ops/runtime/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HEAD_WINDOWS = 16, HEAD_PAGE_BITS = 8, HEAD_PAGE_OPS = 1 << HEAD_PAGE_BITS };

/* Of one op in one step. */
struct op_sum {
    int64_t count, self_ps;
};

struct head_sums {
    struct head_window {
        struct op_sum **pages; /* by op >> HEAD_PAGE_BITS; NULL = none of them ran */
        size_t page_count;
    } windows[HEAD_WINDOWS];
};

/* The sum of an op in the first step number `head` (from 1). */
struct op_sum *head_sum(struct head_sums *sums, uint8_t head, int32_t op, struct arena *arena);

#endif
