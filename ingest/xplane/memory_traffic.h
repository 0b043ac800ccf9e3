/* Through which memories the bytes of an op go, as libtpu breaks them down in the stat
 * `memory_access_breakdown` of its metadata.
 */
#ifndef INGEST_XPLANE_MEMORY_TRAFFIC_H
#define INGEST_XPLANE_MEMORY_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEMORY_TRAFFIC_STAT "memory_access_breakdown"

enum memory_kind {
    MEMORY_HBM, /* read and written */
    MEMORY_CMEM_READ,
    MEMORY_CMEM_WRITE,
    MEMORY_VMEM_READ,
    MEMORY_VMEM_WRITE,
    MEMORY_KINDS
};

struct memory_traffic {
    bool told;
    double bytes[MEMORY_KINDS]; /* of one event */
};

/* Reads the stat's bytes; of memories that it does not know, and of malformed ones, it tells
 * nothing. */
struct memory_traffic memory_traffic_read(const uint8_t *bytes, size_t length);

#endif
