/* The rules of what the device could do at most. Thresholds are xprof's. Shares follow from what
 * ops do, and not from counters: what ops do of which nothing is known may be as much as the device
 * can. */
#include "ingest/findings/rules.h"

#include "ingest/op_tables/op_tables.h"

#include <string.h>

static const double NEAR_PEAK = .70, FAR_FROM_PEAK = .50, SPARSE_LEAST = .10, ps_per_us = 1e6;

/* Of the time from the first op to the last. */
struct roof {
    struct opt_f64 compute, memory; /* of the peaks: operations, HBM; by all that is known */
    double compute_unknown, memory_unknown; /* more of it, at most */
    double sparse;                          /* in which a SparseCore is at work, on average */
};

static double sparse_us(const struct profile *profile)
{
    double us = 0;
    size_t cores = 0;
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        if (!plane_is_sparse_core(plane))
            continue;
        cores++;
        for (size_t i = 0; i < plane->line_count; i++)
            for (int part = 0; part < PART_COUNT && line_is_sparse_core_ops(&plane->lines[i]);
                 part++)
                us += profile->lines[plane->lines[i].ordinal].parts[part];
    }
    return cores > 0 ? us / (double)cores : 0;
}

static bool roof_read(struct profile *profile, const struct summary *summary, struct roof *ret_roof,
                      struct err *err)
{
    const struct op_list *ops;
    struct device_limits limits = device_limits_of(&summary->environment);
    const int64_t window_ps = summary_window_ps(summary);
    device_limits_state(&limits, &profile->options->peaks);
    *ret_roof = (struct roof){0};
    if (!limits.flops_per_s.set || !limits.bytes_per_s.set || window_ps <= 0)
        return true;
    if (!op_list_of(profile, &ops, err))
        return false;
    struct op_sums total = op_list_total(ops);
    total.flops_untold_ps = total.bytes_untold_ps = 0; /* counted apart */
    const struct op_figures figures = op_figures_of(&total, window_ps, NULL, &limits);
    ret_roof->compute = figures.compute_share;
    ret_roof->memory = figures.memory_share;
    /* programs tell no work of custom calls, sorts and loops; exchanging data is none */
    for (size_t i = 0; i < ops->count; i++) {
        const struct op_item *op = &ops->items[i];
        const struct op_sums own = op_own_sums(op);
        const double share = (double)own.self_ps / (double)window_ps;
        if (op->asynchronous || op->container || op->collective != NULL)
            continue;
        const bool hides = op_hides_work(op), moves = own.bytes_accessed.value > 0;
        if (hides && (!moves || op_is_custom(op->opcode, op->category)))
            ret_roof->compute_unknown += share;
        if (!own.bytes_accessed.set || (hides && !moves))
            ret_roof->memory_unknown += share;
    }
    ret_roof->sparse =
        sparse_us(profile) * ps_per_us * (double)summary->device_count / (double)window_ps;
    return true;
}

static void rule_pick(const struct roof *roof, struct finding *finding)
{
    const double compute = roof->compute.value, memory = roof->memory.value;
    const bool computes_little = compute + roof->compute_unknown < FAR_FROM_PEAK;
    const bool moves_little = memory + roof->memory_unknown < FAR_FROM_PEAK;
    if (compute > NEAR_PEAK && moves_little) {
        finding->rule = "compute_bound";
        finding->remedy = "the device is used well, and its operations are what takes the time: "
                          "ask for fewer of them (less recomputation, no masked or padded work), "
                          "of a lower precision, or spread them over more devices";
    } else if (memory > NEAR_PEAK && computes_little) {
        finding->rule = "memory_bound";
        finding->remedy = "move fewer bytes: fuse ops that read the same arrays, smaller dtypes, "
                          "larger batches (more operations for each byte of weights), no "
                          "intermediate results that are written only to be read once";
    } else if (computes_little && moves_little && roof->sparse > SPARSE_LEAST) {
        finding->rule = "sparse_core_bound";
        finding->remedy = "spread embedding tables evenly over SparseCores, make their batches "
                          "larger, and overlap them with what TensorCores do";
    }
}

bool roof_bound_find(struct profile *profile, const struct summary *summary, struct arena *arena,
                     struct finding *finding, struct err *err)
{
    struct roof roof;
    finding->rule = NULL;
    if (!roof_read(profile, summary, &roof, err))
        return false;
    /* more than all says that the work or the peaks are not what they are taken for */
    if (!roof.compute.set || !roof.memory.set || roof.compute.value > 1 || roof.memory.value > 1)
        return true;
    rule_pick(&roof, finding);
    if (finding->rule == NULL)
        return true;
    finding->evidence = arena_printf(
        arena,
        "from the first op to the last the device does %.1f %% of the operations that it could "
        "do, and moves %.1f %% of the bytes that its memory could",
        100 * roof.compute.value, 100 * roof.memory.value);
    if (roof.sparse > SPARSE_LEAST)
        finding->evidence =
            arena_printf(arena, "%s; a SparseCore is at work in %.1f %% of that time on average",
                         finding->evidence, 100 * roof.sparse);
    return true;
}
