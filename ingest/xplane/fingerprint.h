/* Fingerprints of compiled programs, from the HLO protos in `/host:metadata`.
 *
 * SHA-256 over the instructions of all computations in order: opcodes, shapes, attributes, backend
 * configurations. Left out is what differs between compilations and runs of the same program:
 * names, ids, operand ids, channels, source lines, and constants, which change no time.
 * Source of the layout: ingest/README.md and the field numbers of xla.HloProto. Protos are read
 * through the file window, however large they are.
 */
#ifndef INGEST_XPLANE_FINGERPRINT_H
#define INGEST_XPLANE_FINGERPRINT_H

#include "ingest/xplane/xspace.h"
#include "ops/runtime/digest.h"

struct program_entry {
    const char *name;        /* "jit_train_step(123)" */
    const char *fingerprint; /* NULL when the entry holds no readable proto */
    bool has_proto;          /* readable or not … */
    int64_t begin, end;      /* … and where it lies in the file */
};

struct program_list {
    struct program_entry *items;
    size_t count, capacity;
};

/* Appends the named entries of a plane's metadata, without fingerprints. */
bool programs_find(const struct xplane *plane, const struct ingest_limits *limits,
                   struct arena *arena, struct program_list *list, struct err *err);

/* The same with them. What is malformed inside a proto costs its
 * fingerprint only. */
bool fingerprint_plane(const struct xplane *plane, const struct ingest_limits *limits,
                       struct arena *arena, struct program_list *list, struct err *err);

#endif
