/* What an op does on its device: computes, communicates, copies, or only holds other ops.
 *
 * By the HLO opcode or category where the file has one, by the kernel's name where not. Stricter
 * than the reference's substrings (§5.1), which take `transpose_permute` for a collective; used for
 * our members only. Names of kernels: ingest/README.md.
 */
#ifndef INGEST_HLO_DEVICE_CLASS_H
#define INGEST_HLO_DEVICE_CLASS_H

#include "ingest/hlo/hlo_text.h"
#include "schema/documents/copy_way.h"

/* What an op does on a device; bits of a mask of what is active. */
enum device_class {
    DEVICE_COMPUTE = 1,
    DEVICE_COMMUNICATION = 2,
    DEVICE_COPY = 4,
    DEVICE_CONTAINER = 8, /* holds other ops and does nothing itself: busy, but no class */
};

/* opcode and category may be NULL. */
enum device_class device_class_of(const char *opcode, const char *category, const char *name);

/* The class of that name; of an op that says none (NULL), or another, as above. */
enum device_class device_class_told(const char *told, const char *opcode, const char *category,
                                    const char *name);

/* Which way a copy goes: by its texts, which may be NULL, else by the memories of its arrays. */
enum copy_way copy_way_told(const char *name, const char *opcode, const char *category,
                            enum hlo_way way);

/* "compute", "communication", "copy", "container". */
const char *device_class_name(enum device_class device_class);

#endif
