/* What a kind of device could do at most, by what its makers publish: for profiles that do not say
 * it themselves. Dense figures, of one device as a profile names it.
 */
#ifndef SCHEMA_DOCUMENTS_CHIP_PEAKS_H
#define SCHEMA_DOCUMENTS_CHIP_PEAKS_H

#include "schema/documents/summary.h"

#include <stddef.h>

struct chip_peak {
    const char *name;       /* found in a device's type: "TPU v5p", "H100" */
    double tflops;          /* bf16, dense; 0: of several products */
    double hbm_gb_per_s;    /* 10^9 bytes; 0 likewise */
    double flops_per_cycle; /* of one core (SM, CU), bf16 dense; 0 where tflops tells */
    const char *source;     /* where the figures are from */
};

extern const struct chip_peak chip_peaks[];
extern const size_t chip_peak_count;

/* The row for a device type; NULL: none is known, or several would fit. type may be NULL. */
const struct chip_peak *chip_peak_find(const char *type);

#define PEAK_OF_FILE "plane_stat"

/* The peaks of one device, and where each is from: PEAK_OF_FILE, else the source of a row above. */
enum { ON_CHIP_MEMORIES = 4 }; /* CMEM and VMEM of TPUs, read and written */
struct device_limits {
    struct opt_f64 flops_per_s, bytes_per_s;
    struct opt_f64 on_chip_bytes_per_s[ON_CHIP_MEMORIES];
    const char *flops_source, *bytes_source; /* NULL: not known */
};

/* What the profile says of its devices, else what is published of their kind: of the memory of
 * AMD's the other way round (chip_peaks.c). */
struct device_limits device_limits_of(const struct environment *environment);

/* Puts in what somebody states, as far as it is set. */
void device_limits_state(struct device_limits *limits, const struct device_limits *stated);

#endif
