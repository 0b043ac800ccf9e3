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
#include "ops/present/query/chip_peaks.h"

#include <ctype.h>
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
