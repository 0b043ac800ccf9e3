/* One op out of names and stats: the rules of profile_summary.v1 §3 and of stable signatures. */
#ifndef INGEST_XPLANE_OP_BUILD_H
#define INGEST_XPLANE_OP_BUILD_H

#include "ingest/xplane/plane_ops.h"

struct op_source {
    const char *name;                /* as shown: display_name, else name */
    const char *metadata_name;       /* NULL for variants: what follows from it is in base_detail */
    const struct stat_value *values; /* [STAT_KIND_COUNT], metadata overridden by event */
    const struct stat_value *own_values;  /* the same with compressed texts, for our figures */
    const struct op *base;                /* the op that this is a variant of; NULL */
    const struct op_detail *base_detail;  /* of it, on device planes */
    const struct memory_traffic *traffic; /* NULL for variants: that of base_detail */
    bool overrides_long_name;             /* a variant whose event has a long_name of its own */
};

/* Fills *ret_op and, on device planes, *ret_detail. Called with the catalog locked or while one
 * thread runs. */
void op_build(const struct plane_ops *ops, const struct op_source *source, struct op *ret_op,
              struct op_detail *ret_detail);

/* Run id and step out of values; *ret_not_finite tells of NaN and infinities. Locks the catalog for
 * run ids that are no numbers, and counts in *texts_cut those that are cut. */
void op_note_build(struct catalog *catalog, const struct stat_value values[STAT_KIND_COUNT],
                   int64_t *texts_cut, struct event_note *ret_note, bool *ret_not_finite);

#endif
