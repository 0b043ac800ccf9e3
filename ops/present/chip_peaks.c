/* The table. Sources: Google's documentation of Cloud TPU (system architecture, a page a version),
 * and the data sheets of Nvidia (V100, A100, H100, H200, B200 as SXM) and AMD (MI250X, MI300X).
 *
 * A device of TPU v2 and v3 is a core, half of a chip; one of v4 and v5p is a chip. The types that
 * profiles give by compute capability alone ("Nvidia GPU (Hopper)") are of several products, which
 * share what one core does in a cycle; the profile has the number of cores and their highest clock,
 * which is above the clock of the data sheets, so that an H100 comes out at 1070 TFLOP/s, not 989.
 * Ampere is missing there: its products do not share it.
 */
#include "ops/present/chip_peaks.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

static const struct chip_peak peaks[] = {
    {"TPU v2", 23, 350, 0},
    {"TPU v3", 61.5, 450, 0},
    {"TPU v4", 275, 1228, 0},
    {"TPU v5e", 197, 819, 0},
    {"TPU v5 lite", 197, 819, 0},
    {"TPU v5p", 459, 2765, 0},
    {"TPU v5", 459, 2765, 0},
    {"TPU v6e", 918, 1640, 0},
    {"TPU v6 lite", 918, 1640, 0},
    {"V100", 125, 900, 0},
    {"A100-SXM4-40GB", 312, 1555, 0},
    {"A100-SXM4-80GB", 312, 2039, 0},
    {"H100 80GB HBM3", 989, 3350, 0},
    {"H100 SXM", 989, 3350, 0},
    {"H200", 989, 4800, 0},
    {"B200", 2250, 8000, 0},
    {"MI250X", 383, 3277, 0},
    {"MI300X", 1307, 5300, 0},
    {"Nvidia GPU (Blackwell)", 0, 0, 8192},
    {"Nvidia GPU (Hopper)", 0, 0, 4096},
    {"Nvidia GPU (Ada)", 0, 0, 1024},
    {"Nvidia GPU (Turing)", 0, 0, 1024},
    {"Nvidia GPU (Volta)", 0, 0, 1024},
    {"AMD GPU (gfx94)", 0, 0, 2048},
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
    for (size_t i = 0; type != NULL && i < sizeof peaks / sizeof peaks[0]; i++) {
        if (names(type, peaks[i].name) &&
            (found == NULL || strlen(peaks[i].name) > strlen(found->name)))
            found = &peaks[i];
    }
    return found;
}
