/* The table. Sources: Google's documentation of Cloud TPU (system architecture, a page a version),
 * and the data sheets of Nvidia (V100, A100, H100, H200, B200 as SXM) and AMD (MI250X, MI300X).
 *
 * A device of TPU v2 and v3 is a core, half of a chip; one of v4 and v5p is a chip. A device of
 * MI250X is one of its two dies. The types that profiles give by compute capability alone ("Nvidia
 * GPU (Hopper)") are of several products, which share what one core does in a cycle; the profile
 * has the number of cores and their highest clock, which is above the clock of the data sheets, so
 * that an H100 comes out at 1070 TFLOP/s, not 989. Ampere is missing there: its products do not
 * share it.
 */
#include "schema/documents/chip_peaks.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TPU "Google's documentation of Cloud TPU"
#define SHEET(product) "the data sheet of " product
#define PER_CYCLE(product) SHEET(product) ", by cores and highest clock"

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
    {"H200", 989, 4800, 0, SHEET("H200")},
    {"B200", 2250, 8000, 0, SHEET("B200")},
    {"MI250X", 191.5, 1638, 0, SHEET("MI250X")},
    {"MI300X", 1307, 5300, 0, SHEET("MI300X")},
    {"Nvidia GPU (Blackwell)", 0, 0, 8192, PER_CYCLE("B200")},
    {"Nvidia GPU (Hopper)", 0, 0, 4096, PER_CYCLE("H100")},
    {"Nvidia GPU (Ada)", 0, 0, 1024, PER_CYCLE("L40S")},
    {"Nvidia GPU (Turing)", 0, 0, 1024, PER_CYCLE("T4")},
    {"Nvidia GPU (Volta)", 0, 0, 1024, PER_CYCLE("V100")},
    {"AMD GPU (gfx94)", 0, 0, 2048, PER_CYCLE("MI300X")},
};
const size_t chip_peak_count = sizeof chip_peaks / sizeof chip_peaks[0];

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

struct device_limits device_limits_of(const struct environment *environment)
{
    struct device_limits limits = {0};
    const struct chip_peak *chip = chip_peak_find(environment->device_type);
    for (size_t i = 0; i < environment->peak_count; i++) {
        const struct device_peak *peak = &environment->peaks[i];
        if (peak->tflops.set && !limits.flops_per_s.set)
            limits.flops_per_s = some_f64(peak->tflops.value * 1e12);
        if (peak->hbm_gb_per_s.set && !limits.bytes_per_s.set)
            limits.bytes_per_s = some_f64(peak->hbm_gb_per_s.value * 1e9);
    }
    limits.flops_source = limits.flops_per_s.set ? PEAK_OF_FILE : NULL;
    limits.bytes_source = limits.bytes_per_s.set ? PEAK_OF_FILE : NULL;
    double cycles =
        1e3 * fact_number(environment, "core_count") * fact_number(environment, "clock_rate_khz");
    double flops = chip == NULL ? 0 : fmax(chip->tflops * 1e12, chip->flops_per_cycle * cycles);
    if (flops > 0 && !limits.flops_per_s.set) {
        limits.flops_per_s = some_f64(flops);
        limits.flops_source = chip->source;
    }
    if (chip != NULL && chip->hbm_gb_per_s > 0 && !limits.bytes_per_s.set) {
        limits.bytes_per_s = some_f64(chip->hbm_gb_per_s * 1e9);
        limits.bytes_source = chip->source;
    }
    return limits;
}
