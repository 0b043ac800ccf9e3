/* See gunzip.h. The length that gzip notes behind the data is taken for a promise only: it says how
 * much room to ask for, and what does not keep it is broken. */
#include "ingest/wire/gunzip.h"

#include "ops/runtime/text.h"

#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <string.h>

enum { GZIP_LEAST_BYTES = 18, LENGTH_BYTES = 4 };

/* Whether the data are whole. */
static bool inflate(const uint8_t *bytes, size_t length, uint8_t *out, size_t out_length)
{
    struct inflate_state *state = memory_alloc(sizeof *state);
    isal_inflate_init(state);
    state->crc_flag = ISAL_GZIP;
    state->next_in = (uint8_t *)(uintptr_t)bytes; /* read only; the library lacks the const */
    state->avail_in = (uint32_t)length;
    state->next_out = out;
    state->avail_out = (uint32_t)out_length;
    bool whole = isal_inflate_stateless(state) == ISAL_DECOMP_OK && state->total_out == out_length;
    free(state);
    return whole;
}

bool gunzip_text(const uint8_t *bytes, size_t length, size_t most, struct arena *arena,
                 const char **ret_text)
{
    uint32_t promised;
    *ret_text = NULL;
    if (length < GZIP_LEAST_BYTES || length > UINT32_MAX)
        return true;
    memcpy(&promised, bytes + length - LENGTH_BYTES, sizeof promised); /* little-endian, as we */
    if (promised > most)
        return true;
    if (!arena_fits(arena, (size_t)promised + 1, 1))
        return false;
    uint8_t *out = arena_alloc(arena, (size_t)promised + 1);
    if (inflate(bytes, length, out, promised))
        *ret_text = text_utf8_repair(arena, (const char *)out, promised);
    return true;
}
