/* Bounds of hostile input, and the sizes that the reader works with.
 *
 * One table makes the defaults and the messages: exceeding a bound is ERR_LIMIT and names it. The
 * defaults lie far above what profilers write and far below what hurts a machine.
 */
#ifndef INGEST_LIMITS_H
#define INGEST_LIMITS_H

#include "ingest/ingest.h"

/* X(member of struct ingest_limits, default, what it bounds) */
#define INGEST_LIMITS(X) \
    X(max_events, INT64_C(4000000000), "events of one file") \
    X(max_metadata, INT64_C(5000000), "event and stat metadata entries, and distinct ops") \
    X(max_string_bytes, INT64_C(67108864), "bytes of one event or one string") \
    X(max_depth, INT64_C(1000000), "events nested in each other") \
    X(max_planes, INT64_C(100000), "planes of one file") \
    X(max_lines, INT64_C(1000000), "lines of one file")

enum {
    /* One read window; it fits the second-level cache, and larger ones do not read faster. */
    WINDOW_BYTES = 256 * 1024,
    /* Values of type `bytes` beyond this are not loaded (whole HLO programs lie in such stats). */
    BYTES_VALUE_MAX = 64 * 1024,
    /* In files and lines beyond these sizes the index steps over all events at once. */
    SKIP_FILE_BYTES = 128 * 1024 * 1024,
    SKIP_LINE_BYTES = 1024 * 1024,
    /* Events that a reader hands over at once: 12 KiB stay in the first-level cache. */
    BATCH_EVENTS = 256,
};

/* Replaces members that are 0 by their defaults. */
void limits_complete(struct ingest_limits *limits);

/* false with ERR_LIMIT when value is over the bound; name is the member's. */
#define limit_check(limits, name, value, path, err) \
    ((value) <= (limits)->name || limit_exceeded(#name, (limits)->name, (path), (err)))

/* Fills *err; returns false. */
bool limit_exceeded(const char *name, int64_t bound, const char *path, struct err *err);

#endif
