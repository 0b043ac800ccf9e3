/* Ops by the framework's path, which several instructions or kernels may share; and those of most
 * time, as an overview tells them.
 */
#ifndef INGEST_OP_TABLES_FRAMEWORK_OPS_H
#define INGEST_OP_TABLES_FRAMEWORK_OPS_H

#include "ingest/op_tables/op_list.h"

struct framework_op {
    const char *operation, *type;
    const char *opcode; /* of one of its instructions */
    bool unnamed;       /* a kernel of which nothing tells the op: the operation is its name */
    struct op_sums sums;
};

/* The ops that keep a device busy, most own time first, in the arena. */
struct framework_op *framework_ops_join(const struct op_list *list, struct arena *arena,
                                        size_t *ret_count);

enum { TOP_OPS_MOST = 10 };

/* The ops of most own time, and what all of them do. */
struct top_ops {
    const struct framework_op *ops;
    size_t count; /* of ops, all there are */
    int64_t own_ps;
    int64_t compute_ps;         /* own time of what computes … */
    int64_t narrow_ps, wide_ps; /* … in 16 bits and fewer, in more */
};

/* Of all ops of the list. */
struct top_ops top_ops_find(const struct op_list *list, struct arena *arena);

/* Own time in 16 bits, or in more, of that in either; not set where no op tells. */
struct opt_f64 top_ops_narrow_share(const struct top_ops *top);

#endif
