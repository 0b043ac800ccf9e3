/* What a name says about an event: the part of the breakdown, the kind of collective, whether it
 * only marks a place (profile_summary.v1 §5.1, §11).
 *
 * Called once per distinct name, never per event.
 */
#ifndef INGEST_HLO_CLASSIFY_H
#define INGEST_HLO_CLASSIFY_H

#include "ops/runtime/arena.h"
#include "schema/documents/summary.h"

#include <stdbool.h>

enum { COLLECTIVE_NONE = -1, COLLECTIVE_KIND_COUNT = 8 };

/* "all-reduce", ... in the order in which they are tried. */
extern const char *const collective_kind_names[COLLECTIVE_KIND_COUNT];

struct name_class {
    enum breakdown_part op_part; /* of a hot op: stall, communication or compute */
    bool is_communication;       /* by name; stalls may be, too */
    int collective;              /* kind, COLLECTIVE_NONE when it is no communication */
};

/* Looks at a name. Scratch memory comes from the arena. */
void name_classify(const char *name, struct arena *scratch, struct name_class *ret_class);

/* The part of the breakdown on a plane (§5.1: stall, host, communication, compute, other). */
enum breakdown_part part_on_plane(const struct name_class *name_class, bool is_host,
                                  bool is_device);

/* true when an op of this canonical name only marks that something else begins (§11). */
bool name_is_marker(const char *canonical_lower);

#endif
