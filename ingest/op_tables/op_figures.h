/* What follows from an op's sums: rates, intensity, what bounds it, and how near it comes to that.
 *
 * Formulas: ingest/README.md, "Rates and the roof". All is of one device: sums over devices of work
 * are divided by sums over devices of time.
 */
#ifndef INGEST_OP_TABLES_OP_FIGURES_H
#define INGEST_OP_TABLES_OP_FIGURES_H

#include "ingest/op_tables/op_list.h"
#include "schema/documents/chip_peaks.h"

struct op_figures {
    struct opt_f64 flop_rate, model_flop_rate;     /* 10^9 a second */
    struct opt_f64 bandwidth;                      /* GiB a second, of all memories */
    struct opt_f64 memory_bandwidth[MEMORY_KINDS]; /* of each */
    struct opt_f64 intensity, hbm_intensity;       /* operations a byte, of all and of HBM's */
    struct opt_f64 compute_share, memory_share;    /* of the peaks: operations, HBM */
    struct opt_f64 most_memory_share;              /* of any memory whose peak is known */
    struct opt_f64 efficiency;                     /* the largest of all */
    struct opt_f64 optimal_flop_rate;              /* at this intensity, 10^9 a second */
    const char *bound_by; /* "Compute", "HBM", "VMEM Read" …, "Communication", "Unknown" */
};

/* Of sums, as far as they are told (op_sums_told). time_ps: in which the work was done. opcode may
 * be NULL: several ops. */
struct op_figures op_figures_of(const struct op_sums *all, int64_t time_ps, const char *opcode,
                                const struct device_limits *limits);

/* Of an op over all of its time. */
struct op_figures op_item_figures(const struct op_item *op, const struct device_limits *limits);

#endif
