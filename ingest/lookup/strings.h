/* Every text of a profile once: equal texts have equal numbers.
 *
 * Names, paths, sources and shapes are compared and counted by number while events stream by.
 * Numbers depend on the order of arrival and never reach a document.
 */
#ifndef INGEST_LOOKUP_STRINGS_H
#define INGEST_LOOKUP_STRINGS_H

#include "ops/runtime/arena.h"

#include <stddef.h>
#include <stdint.h>

enum { STRING_NONE = 0 }; /* no text, which is not the empty text */

struct strings {
    struct arena *arena;
    const char **texts; /* by number; texts[STRING_NONE] is NULL */
    uint32_t *hashes;
    uint32_t count, capacity;
    uint32_t *slots; /* numbers; 0 = free */
    uint32_t mask;
};

/* An empty table in the arena. */
void strings_init(struct strings *strings, struct arena *arena);

/* Room for so many texts, for what the table outgrows stays in the arena. */
void strings_expect(struct strings *strings, size_t count);

/* The number of a text, never STRING_NONE. Bytes after a NUL are dropped. */
uint32_t strings_add(struct strings *strings, const char *text, size_t length);

/* The text of a number, NULL for STRING_NONE. */
static inline const char *strings_text(const struct strings *strings, uint32_t number)
{
    return strings->texts[number];
}

/* A hash for tables in memory; never stored. */
uint64_t bytes_hash(const void *bytes, size_t length);

#endif
