/* See memory_traffic.h. The message has a list = 1 of `operation_type` = 1 (1 reads, 2 writes),
 * `memory_space` = 2 (1 HBM, 2 CMEM, 3 VMEM) and `bytes_accessed` = 3. */
#include "ingest/xplane/memory_traffic.h"

#include "ingest/wire/wire.h"

enum { ACCESS = 1 };
enum { OPERATION = 1, SPACE, BYTES, FIELDS };
enum { READS = 1, WRITES };
enum { SPACE_HBM = 1, SPACE_CMEM, SPACE_VMEM };

/* NULL: malformed. */
static const uint8_t *access_read(const uint8_t *p, const uint8_t *end, struct memory_traffic *out)
{
    uint64_t values[FIELDS] = {0}, tag;
    while (p != NULL && p < end) {
        p = varint_read(p, end, &tag);
        if (p == NULL)
            return NULL;
        const uint64_t field = tag >> 3;
        if (field < FIELDS && field > 0 && tag == WIRE_TAG(field, WIRE_VARINT))
            p = varint_read(p, end, &values[field]);
        else
            p = tag <= UINT32_MAX ? wire_skip(p, end, (uint32_t)tag) : NULL;
    }
    const bool writes = values[OPERATION] == WRITES;
    const double bytes = (double)values[BYTES];
    if (p == NULL || (values[OPERATION] != READS && !writes))
        return p;
    if (values[SPACE] == SPACE_HBM)
        out->bytes[MEMORY_HBM] += bytes;
    else if (values[SPACE] == SPACE_CMEM)
        out->bytes[writes ? MEMORY_CMEM_WRITE : MEMORY_CMEM_READ] += bytes;
    else if (values[SPACE] == SPACE_VMEM)
        out->bytes[writes ? MEMORY_VMEM_WRITE : MEMORY_VMEM_READ] += bytes;
    else
        return p;
    out->told = true;
    return p;
}

struct memory_traffic memory_traffic_read(const uint8_t *bytes, size_t length)
{
    static const struct memory_traffic nothing;
    struct memory_traffic traffic = {0};
    if (length == 0)
        return nothing;
    const uint8_t *p = bytes, *end = bytes + length;
    while (p != NULL && p < end) {
        uint64_t tag, size;
        p = varint_read(p, end, &tag);
        if (p != NULL && tag == WIRE_TAG(ACCESS, WIRE_BYTES)) {
            p = varint_read(p, end, &size);
            p = p == NULL || size > (uint64_t)(end - p) ? NULL : access_read(p, p + size, &traffic);
        } else if (p != NULL) {
            p = tag <= UINT32_MAX ? wire_skip(p, end, (uint32_t)tag) : NULL;
        }
    }
    return p == NULL ? nothing : traffic;
}
