/* Large XPlane files for the benchmarks: TPU-like, of any size, written at the speed of the disk.
 *
 * Its own encoder; canonical varints, as real writers make them. Every message is generated twice:
 * once to learn its length, once to write it, so nothing is held in memory.
 */
#ifndef TESTS_SUPPORT_XPLANE_LARGE_H
#define TESTS_SUPPORT_XPLANE_LARGE_H

#include <stdbool.h>
#include <stdint.h>

struct xplane_large {
    int64_t size_bytes; /* about this many */
    int devices;
    bool unsorted; /* one device line is written in blocks of reversed order */
};

/* Writes the file; *ret_events is the number of its events. false with errno set. */
bool xplane_large_write(const char *path, const struct xplane_large *plan, int64_t *ret_events);

#endif
