/* Time: the wall clock that documents show and the monotonic clock that waits use.
 *
 * SOURCE_DATE_EPOCH (seconds since 1970) fixes the wall clock, so that the same inputs give the
 * same bytes.
 */
#ifndef OPS_RUNTIME_CLOCK_H
#define OPS_RUNTIME_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLOCK_ISO_BYTES = 32 };

/* Microseconds since 1970-01-01 UTC. */
int64_t clock_wall_us(void);

/* Milliseconds of a clock that never jumps back; only differences mean something. */
int64_t clock_monotonic_ms(void);

/* "2026-11-21T09:16:29.000123Z"; buffer holds CLOCK_ISO_BYTES. Returns buffer. */
const char *clock_iso(int64_t wall_us, char *buffer);

/* Reads what clock_iso writes. false: it is none. */
bool clock_read_iso(const char *text, int64_t *ret_wall_us);

/* "20261121-091629" in UTC; buffer holds CLOCK_ISO_BYTES. Returns buffer. */
const char *clock_compact(int64_t wall_us, char *buffer);

/* Sleeps for this long; returns early on a signal. */
void clock_sleep_ms(int64_t ms);

#endif
