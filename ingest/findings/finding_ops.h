/* Sums over the ops of a profile that findings are about.
 */
#ifndef INGEST_FINDINGS_FINDING_OPS_H
#define INGEST_FINDINGS_FINDING_OPS_H

#include "schema/documents/summary.h"

/* Ops that something holds of, in steady steps where there are any. */
struct ops_share {
    double share;           /* of the whole; more than 1 where many run side by side */
    struct opt_f64 time_us; /* per step and device */
    struct opt_f64 count;   /* the same */
    const struct op_row *most;
};

typedef bool op_holds_fn(const struct op_row *op);

enum { OPS_APART_MOST = 3 };

/* What a sum is over. */
struct ops_asked {
    op_holds_fn *holds;
    op_holds_fn *apart[OPS_APART_MOST]; /* but not what these hold of; NULL: no more of them */
    bool of_kernels; /* of GPUs: by their names, and not as programs tell what they do */
    double whole_us; /* what the share is of: a step of a device … */
    size_t spans;    /* … or as many captures of devices without steady steps */
};

/* Of the ops of a summary that are not beside others. */
struct ops_share ops_share_of(const struct summary *summary, const struct ops_asked *asked);

op_holds_fn op_is_recomputed, op_formats_data, op_pads, op_shuffles_data, op_is_tiny_kernel,
    op_is_compute, op_hides_names, op_prints, op_copies_across, op_copies_on_device,
    op_waits_for_copy, op_waits_for_cores, op_multiplies_wide;

/* The share of flops of ops none of whose operands has 16 bits or less; absent where those of most
 * of the time are not known. */
struct opt_f64 wide_flops_share(const struct summary *summary, const struct op_row **ret_most);

/* The share that ops with an array of 16 bits or less have of the own time of those that compute
 * and tell their bits (ingest/hlo/precision.h); absent where these are not most of what computes.
 */
struct opt_f64 narrow_time_share(const struct summary *summary);

#endif
