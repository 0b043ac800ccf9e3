/* The table. Sources: Google's documentation of Cloud TPU (system architecture, a page a version),
 * and the data sheets of Nvidia (V100, A100, H100, H200, B200 as SXM) and AMD (MI250X, MI300X).
 *
 * A device of TPU v2 and v3 is a core, half of a chip; one of v4 and v5p is a chip. A device of
 * MI250X is one of its two dies. The types that profiles give by compute capability alone ("Nvidia
 * GPU (Hopper)") are of several products: cores and memory tell the common ones. Others share what
 * one core does in a cycle; the profile has the number of cores and their highest clock, which is
 * above the clock of the data sheets (an H100 would come out at 1070 TFLOP/s, not 989). Ampere and
 * Blackwell RTX are missing there: their products do not share it.
 *
 * What a profile says of the memory's bandwidth is computed: twice the memory's clock times the
 * width of its bus. On AMD that is half and less of what is published (MI300X: 2662 GB/s of 5300),
 * and ops would reach more than 100 % of it: there the published figure comes first.
 */
#include "schema/documents/chip_peaks.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TPU "Google's documentation of Cloud TPU"
#define SHEET(product) "the data sheet of " product
#define PER_CYCLE(product) "what a core of " product " does in a cycle, by cores and highest clock"
#define TOLD(product, cores, memory) SHEET(product) ", told by " cores " cores and " memory

const struct chip_peak chip_peaks[] = {
    {"TPU v2", 23, 350, 0, TPU},
    {"TPU v3", 61.5, 450, 0, TPU},
    {"TPU v4", 275, 1228, 0, TPU},
    {"TPU v5e", 197, 819, 0, TPU},
    {"TPU v5 lite", 197, 819, 0, TPU},
    {"TPU v5p", 459, 2765, 0, TPU},
    {"TPU v5", 459, 2765, 0, TPU},
    {"TPU v6e", 918, 1640, 0, TPU},
    {"TPU v6 lite", 918, 1640, 0, TPU},
    {"V100", 125, 900, 0, SHEET("V100")},
    {"A100-SXM4-40GB", 312, 1555, 0, SHEET("A100")},
    {"A100-SXM4-80GB", 312, 2039, 0, SHEET("A100")},
    {"H100 80GB HBM3", 989, 3350, 0, SHEET("H100")},
    {"H100 SXM", 989, 3350, 0, SHEET("H100")},
    {"H100 PCIe", 756, 2039, 0, SHEET("H100 PCIe")},
    {"H200", 989, 4800, 0, SHEET("H200")},
    {"B200", 2250, 8000, 0, SHEET("B200")},
    {"MI250X", 191.5, 1638, 0, SHEET("MI250X")},
    {"MI300X", 1307, 5300, 0, SHEET("MI300X")},
    {"MI325X", 1307, 6000, 0, SHEET("MI325X")},
    {"Nvidia GPU (Blackwell)", 0, 0, 8192, PER_CYCLE("B200")},
    {"Nvidia GPU (Hopper)", 0, 0, 4096, PER_CYCLE("H100")},
    {"Nvidia GPU (Ada)", 0, 0, 1024, PER_CYCLE("L40S")},
    {"Nvidia GPU (Turing)", 0, 0, 1024, PER_CYCLE("T4")},
    {"Nvidia GPU (Volta)", 0, 0, 1024, PER_CYCLE("V100")},
    {"AMD GPU (gfx94)", 0, 0, 2048, PER_CYCLE("MI300X")},
};
const size_t chip_peak_count = sizeof chip_peaks / sizeof chip_peaks[0];

/* Products of one type, told by what profiles say of them: drivers keep a part of the memory. */
static const struct {
    const char *type, *name;
    double cores, memory_gb_least, memory_gb_most; /* 10^9 bytes */
    const char *source;
} products[] = {
    {"Nvidia GPU (Blackwell)", "B200", 148, 175, 205, TOLD("B200", "148", "180 GB")},
    {"Nvidia GPU (Hopper)", "H100 SXM", 132, 80, 87, TOLD("H100", "132", "80 GB")},
    {"Nvidia GPU (Hopper)", "H100 PCIe", 114, 80, 87, TOLD("H100 PCIe", "114", "80 GB")},
    {"Nvidia GPU (Hopper)", "H200", 132, 140, 153, TOLD("H200", "132", "141 GB")},
    {"Nvidia GPU (Ampere)", "A100-SXM4-40GB", 108, 39, 44, TOLD("A100", "108", "40 GB")},
    {"Nvidia GPU (Ampere)", "A100-SXM4-80GB", 108, 79, 87, TOLD("A100", "108", "80 GB")},
    {"AMD GPU (gfx94)", "MI300X", 304, 190, 208, TOLD("MI300X", "304", "192 GB")},
    {"AMD GPU (gfx94)", "MI325X", 304, 250, 277, TOLD("MI325X", "304", "256 GB")},
};

/* The name ends where it is found: "TPU v5" is not in "TPU v5p". */
static int names(const char *type, const char *name)
{
    size_t length = strlen(name);
    for (const char *p = type; *p != '\0'; p++) {
        if (strncasecmp(p, name, length) == 0 &&
            (name[length - 1] == ')' || !isalnum((unsigned char)p[length])))
            return 1;
    }
    return 0;
}

const struct chip_peak *chip_peak_find(const char *type)
{
    const struct chip_peak *found = NULL;
    for (size_t i = 0; type != NULL && i < chip_peak_count; i++) {
        if (names(type, chip_peaks[i].name) &&
            (found == NULL || strlen(chip_peaks[i].name) > strlen(found->name)))
            found = &chip_peaks[i];
    }
    return found;
}

static double fact_number(const struct environment *environment, const char *name)
{
    const struct fact *fact = environment_fact(environment, name);
    return fact == NULL ? 0 : strtod(fact->value, NULL);
}

/* What of the table is known of the devices: one of its rows, with where it is from. */
static struct chip_peak published(const struct environment *environment)
{
    const struct chip_peak *found = chip_peak_find(environment->device_type);
    struct chip_peak chip = found == NULL ? (struct chip_peak){0} : *found;
    const double cores = fact_number(environment, "core_count");
    const double memory_gb = fact_number(environment, "memory_bytes") / 1e9;
    for (size_t i = 0; environment->device_type != NULL && chip.tflops == 0 &&
                       i < sizeof products / sizeof products[0];
         i++) {
        if (!names(environment->device_type, products[i].type) || products[i].cores != cores ||
            memory_gb < products[i].memory_gb_least || memory_gb > products[i].memory_gb_most)
            continue;
        chip = *chip_peak_find(products[i].name);
        chip.source = products[i].source;
    }
    return chip;
}

struct device_limits device_limits_of(const struct environment *environment)
{
    struct device_limits limits = {0};
    const struct chip_peak chip = published(environment);
    const struct fact *vendor = environment_fact(environment, "device_vendor");
    const bool misstates =
        vendor != NULL && strcmp(vendor->value, "AMD") == 0 && chip.hbm_gb_per_s > 0;
    for (size_t i = 0; i < environment->peak_count; i++) {
        const struct device_peak *peak = &environment->peaks[i];
        if (peak->tflops.set && !limits.flops_per_s.set)
            limits.flops_per_s = some_f64(peak->tflops.value * 1e12);
        if (peak->hbm_gb_per_s.set && !limits.bytes_per_s.set && !misstates)
            limits.bytes_per_s = some_f64(peak->hbm_gb_per_s.value * 1e9);
    }
    limits.flops_source = limits.flops_per_s.set ? PEAK_OF_FILE : NULL;
    limits.bytes_source = limits.bytes_per_s.set ? PEAK_OF_FILE : NULL;
    double cycles =
        1e3 * fact_number(environment, "core_count") * fact_number(environment, "clock_rate_khz");
    double flops = fmax(chip.tflops * 1e12, chip.flops_per_cycle * cycles);
    if (flops > 0 && !limits.flops_per_s.set) {
        limits.flops_per_s = some_f64(flops);
        limits.flops_source = chip.source;
    }
    if (chip.hbm_gb_per_s > 0 && !limits.bytes_per_s.set) {
        limits.bytes_per_s = some_f64(chip.hbm_gb_per_s * 1e9);
        limits.bytes_source = chip.source;
    }
    return limits;
}

void device_limits_state(struct device_limits *limits, const struct device_limits *stated)
{
    if (stated->flops_per_s.set) {
        limits->flops_per_s = stated->flops_per_s;
        limits->flops_source = stated->flops_source;
    }
    if (stated->bytes_per_s.set) {
        limits->bytes_per_s = stated->bytes_per_s;
        limits->bytes_source = stated->bytes_source;
    }
}
