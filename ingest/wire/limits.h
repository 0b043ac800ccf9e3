/* Bounds of hostile input, and the sizes that the reader works with.
 *
 * The bounds are tunables (CONF_LIMITS): exceeding one is ERR_LIMIT and names it.
 */
#ifndef INGEST_WIRE_LIMITS_H
#define INGEST_WIRE_LIMITS_H

#include "ingest/ingest.h"

enum {
    /* One read window; it fits the second-level cache, and larger ones do not read faster. */
    WINDOW_BYTES = 256 * 1024,
    /* Values of type `bytes` beyond this are not loaded (whole HLO programs lie in such stats). */
    BYTES_VALUE_MAX = 64 * 1024,
    /* Longer texts are cut as they are read, and counted: texts of instructions, which list their
       operands and stay below 100 kB, and names and paths, of which one is shown many times. */
    TEXT_MAX_BYTES = 128 * 1024,
    NAME_MAX_BYTES = 4 * 1024,
    /* In files and lines beyond these sizes the index steps over all events at once; defaults of
       struct ingest_options. */
    SKIP_FILE_BYTES = 128 * 1024 * 1024,
    SKIP_LINE_BYTES = 1024 * 1024,
    /* Lines of ops beyond it are worth a thread that reads them ahead; another default. */
    AHEAD_LINE_BYTES = 1024 * 1024,
    /* Up to so many events sums are made in the reference's order; another default. */
    EXACT_EVENTS = 1000000,
    /* The same where events lie in a store: every gap of a profile is kept for such sums, and a
       trace whose text is of hundreds of MB is read within 32 MiB. */
    STORED_EXACT_EVENTS = 150000,
    /* Events that a reader hands over at once: 12 KiB stay in the first-level cache. */
    BATCH_EVENTS = 256,
};

/* Replaces members that are 0 by their defaults. */
void limits_complete(struct ingest_limits *limits);

/* How much of a text stays: all of it, or whole characters of at most max_bytes. Counts what is
 * cut.
 */
size_t limit_text(const char *text, size_t length, size_t max_bytes, int64_t *cut_count);

/* false with ERR_LIMIT when value is over the bound; name is the member's. */
#define limit_check(limits, name, value, path, err) \
    ((value) <= (limits)->name || limit_exceeded(#name, (limits)->name, (path), (err)))

/* Fills *err; returns false. name is a key of CONF_LIMITS. */
bool limit_exceeded(const char *name, int64_t bound, const char *path, struct err *err);

#endif
