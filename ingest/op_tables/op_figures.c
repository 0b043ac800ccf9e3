#include "ingest/op_tables/op_figures.h"

#include <math.h>
#include <string.h>

static const double ps_per_ns = 1e3, ns_per_s = 1e9, bytes_per_gib = 1024.0 * 1024.0 * 1024.0;

/* amount / divisor, times scale; absent where one of them is not known. */
static struct opt_f64 ratio(struct opt_f64 amount, double divisor, double scale)
{
    return (struct opt_f64){amount.set && divisor > 0,
                            divisor > 0 ? amount.value / divisor * scale : 0};
}

_Static_assert(ON_CHIP_MEMORIES == MEMORY_KINDS - 1, "all memories but HBM are on the chip");

/* The memory whose peak is come nearest to, as xprof calls it; fills how near that is. */
static const char *memory_nearest(struct op_figures *figures, const struct device_limits *limits)
{
    static const char *const names[MEMORY_KINDS] = {[MEMORY_HBM] = "HBM",
                                                    [MEMORY_CMEM_READ] = "CMEM Read",
                                                    [MEMORY_CMEM_WRITE] = "CMEM Write",
                                                    [MEMORY_VMEM_READ] = "VMEM Read",
                                                    [MEMORY_VMEM_WRITE] = "VMEM Write"};
    int nearest = MEMORY_HBM;
    figures->most_memory_share = figures->memory_share;
    for (int i = MEMORY_HBM + 1; i < MEMORY_KINDS; i++) {
        const struct opt_f64 peak = limits->on_chip_bytes_per_s[i - 1];
        const struct opt_f64 share =
            ratio(figures->memory_bandwidth[i], peak.set ? peak.value : 0, bytes_per_gib);
        if (!share.set || share.value <= figures->most_memory_share.value)
            continue;
        figures->most_memory_share = share;
        nearest = i;
    }
    return names[nearest];
}

struct op_figures op_figures_of(const struct op_sums *all, int64_t time_ps, const char *opcode,
                                const struct device_limits *limits)
{
    const double ns = (double)time_ps / ps_per_ns;
    const struct op_sums sums = op_sums_told(all);
    struct op_figures figures = {
        .flop_rate = ratio(sums.flops, ns, 1),
        .model_flop_rate = ratio(sums.model_flops, ns, 1),
        .intensity = ratio(sums.flops, sums.bytes_accessed.set ? sums.bytes_accessed.value : 0, 1),
        .hbm_intensity =
            ratio(sums.flops, sums.traffic[MEMORY_HBM].set ? sums.traffic[MEMORY_HBM].value : 0, 1),
        .bound_by = "Unknown",
    };
    if (opcode_is_half(opcode))
        return figures; /* its bytes move in other time than its own */
    figures.bandwidth = ratio(sums.bytes_accessed, ns, ns_per_s / bytes_per_gib);
    for (int i = 0; i < MEMORY_KINDS; i++)
        figures.memory_bandwidth[i] = ratio(sums.traffic[i], ns, ns_per_s / bytes_per_gib);
    if (limits->flops_per_s.set)
        figures.compute_share = ratio(figures.flop_rate, limits->flops_per_s.value, ns_per_s);
    if (limits->bytes_per_s.set)
        figures.memory_share =
            ratio(figures.memory_bandwidth[MEMORY_HBM], limits->bytes_per_s.value, bytes_per_gib);
    const char *memory_name = memory_nearest(&figures, limits);
    const double compute = figures.compute_share.value, memory = figures.most_memory_share.value;
    const bool known = figures.compute_share.set && figures.memory_share.set;
    if (opcode != NULL && device_class_of(opcode, NULL, opcode) == DEVICE_COMMUNICATION) {
        figures.bound_by = "Communication";
    } else if (known && fmax(compute, memory) > 0) {
        figures.bound_by = compute >= memory ? "Compute" : memory_name;
        figures.efficiency = some_f64(fmax(compute, memory));
        figures.optimal_flop_rate = ratio(figures.flop_rate, figures.efficiency.value, 1);
    }
    return figures;
}

struct op_figures op_item_figures(const struct op_item *op, const struct device_limits *limits)
{
    return op_figures_of(&op->sums, op->sums.total_ps, op->opcode == NULL ? op->name : op->opcode,
                         limits);
}
