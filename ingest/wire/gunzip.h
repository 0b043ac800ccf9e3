/* Texts that a profiler has compressed with gzip, one by one (XStat.compressed_str_value). */
#ifndef INGEST_WIRE_GUNZIP_H
#define INGEST_WIRE_GUNZIP_H

#include "ops/runtime/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The text of bytes[length] in the arena, invalid UTF-8 repaired; NULL when it is broken, no gzip,
 * or longer than `most`. false beyond the arena's budget. */
bool gunzip_text(const uint8_t *bytes, size_t length, size_t most, struct arena *arena,
                 const char **ret_text);

#endif
