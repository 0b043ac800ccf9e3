/* Counts of texts and numbers, and their order: highest count first, ties by first appearance.
 *
 * That is the order of the reference's Counter (profile_summary.v1 §0).
 */
#ifndef INGEST_LOOKUP_COUNTER_H
#define INGEST_LOOKUP_COUNTER_H

#include "ingest/lookup/id_map.h"
#include "ops/runtime/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct count {
    int64_t key;
    int64_t count;
    uint64_t first_seen;
};

struct counter {
    struct arena *arena;
    struct count *items; /* in order of arrival */
    size_t item_count, capacity;
    struct id_map index;
};

/* An empty counter in the arena. */
void counter_init(struct counter *counter, struct arena *arena);

/* Adds `count` of a key that was first seen at a place. */
void counter_add(struct counter *counter, int64_t key, int64_t count, uint64_t first_seen);

/* The count of a key; not to be asked once the counter is sorted. */
int64_t counter_count(const struct counter *counter, int64_t key);

/* Sorts items: highest count first, then by first_seen. Nothing can be added afterwards. */
void counter_sort(struct counter *counter);

/* The key with the highest count, the first seen among equals; `absent` of an empty counter. */
int64_t counter_top(const struct counter *counter, int64_t absent);

#endif
