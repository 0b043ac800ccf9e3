/* Tests of schema/documents/chip_peaks: which row a device's name means, and what a row holds. */
#include "schema/documents/chip_peaks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* The longest name that fits, whole; the peaks that a file tells come first. */
static void knows_what_chips_can_do(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        double tflops, flops_per_cycle; /* both 0: unknown */
    } cases[] = {
        {"TPU v5p", 459, 0},
        {"TPU v5", 459, 0},
        {"TPU v5 lite", 197, 0},
        {"TPU v6 Lite", 918, 0},
        {"NVIDIA H100 80GB HBM3", 989, 0},
        {"Nvidia GPU (Hopper)", 0, 4096},
        {"Nvidia GPU (Ampere)", 0, 0},
        {"Nvidia GPU (Blackwell)", 0, 8192},
        {"Nvidia GPU (Blackwell RTX)", 0, 0},
        {"NVIDIA H100 PCIe", 756, 0},
        {"TPU v50", 0, 0},
        {NULL, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct chip_peak *chip = chip_peak_find(cases[i].type);
        assert_int_equal(chip != NULL, cases[i].tflops + cases[i].flops_per_cycle > 0);
        if (chip != NULL &&
            (chip->tflops != cases[i].tflops || chip->flops_per_cycle != cases[i].flops_per_cycle))
            fail_msg("%s: %g", cases[i].type, chip->tflops);
    }
}

/* Each row has its source and figures of one kind, and its name means this row alone. */
static void tells_the_source_of_each_peak(void **state)
{
    (void)state;
    for (size_t i = 0; i < chip_peak_count; i++) {
        const struct chip_peak *chip = &chip_peaks[i];
        if (chip_peak_find(chip->name) != chip)
            fail_msg("'%s' is another row", chip->name);
        assert_true(chip->source != NULL && strlen(chip->source) > strlen("the data sheet of "));
        bool whole = chip->tflops > 0 && chip->hbm_gb_per_s > 0 && chip->flops_per_cycle == 0;
        bool of_cores = chip->tflops == 0 && chip->hbm_gb_per_s == 0 && chip->flops_per_cycle > 0;
        if (whole == of_cores)
            fail_msg("%s: figures of two kinds, or of none", chip->name);
        if (whole) /* operations a byte: no maker's balance is outside of this */
            assert_in_range(chip->tflops * 1e3 / chip->hbm_gb_per_s, 50, 700);
    }
}

/* Cores and memory tell a product where its name is missing; a clock changes nothing then. What
 * AMD's driver says of bandwidth is not its memory's. */
static void tells_products_by_cores_and_memory(void **state)
{
    (void)state;
    static const struct {
        const char *type, *vendor, *cores, *clock_khz, *memory;
        double tflops, gb_per_s; /* 0: unknown */
        const char *source;      /* of what is published: of operations, and AMD's memory */
    } cases[] = {
        {"Nvidia GPU (Hopper)", "Nvidia", "132", "1980000", "84929347584", 989, 3000,
         "the data sheet of H100, told by 132 cores and 80 GB"},
        {"Nvidia GPU (Hopper)", "Nvidia", "114", "1755000", "84929347584", 756, 3000,
         "the data sheet of H100 PCIe, told by 114 cores and 80 GB"},
        {"Nvidia GPU (Hopper)", "Nvidia", "132", "1980000", "0", 1070.530560, 3000,
         "what a core of H100 does in a cycle, by cores and highest clock"},
        {"NVIDIA H100 80GB HBM3", "Nvidia", "132", "1980000", "84929347584", 989, 3000,
         "the data sheet of H100"},
        {"Nvidia GPU (Ampere)", "Nvidia", "108", "1410000", "85097971712", 312, 3000,
         "the data sheet of A100, told by 108 cores and 80 GB"},
        {"Nvidia GPU (Ampere)", "Nvidia", "84", "1695000", "25000000000", 0, 3000, NULL},
        {"Nvidia GPU (Blackwell RTX)", "Nvidia", "188", "2617000", "102000000000", 0, 3000, NULL},
        {"AMD GPU (gfx94)", "AMD", "304", "2100000", "206141652992", 1307, 5300,
         "the data sheet of MI300X, told by 304 cores and 192 GB"},
        {"AMD Instinct MI300X", "AMD", "304", "2100000", "206141652992", 1307, 5300,
         "the data sheet of MI300X"},
        {"AMD GPU (gfx94)", "AMD", "228", "2100000", "137000000000", 980.5824, 3000,
         "what a core of MI300X does in a cycle, by cores and highest clock"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fact facts[] = {{"clock_rate_khz", cases[i].clock_khz, PEAK_OF_FILE},
                               {"core_count", cases[i].cores, PEAK_OF_FILE},
                               {"device_vendor", cases[i].vendor, PEAK_OF_FILE},
                               {"memory_bytes", cases[i].memory, PEAK_OF_FILE}};
        struct device_peak peak = {.device = "0", .hbm_gb_per_s = some_f64(3000)};
        struct environment environment = {.device_type = cases[i].type,
                                          .facts = facts,
                                          .fact_count = 4,
                                          .peaks = &peak,
                                          .peak_count = 1};
        const struct device_limits limits = device_limits_of(&environment);
        assert_true(fabs(limits.flops_per_s.value / 1e12 - cases[i].tflops) < 1e-6);
        assert_true(fabs(limits.bytes_per_s.value / 1e9 - cases[i].gb_per_s) < 1e-6);
        if (cases[i].source == NULL)
            assert_null(limits.flops_source);
        else
            assert_string_equal(limits.flops_source, cases[i].source);
        assert_string_equal(limits.bytes_source,
                            cases[i].gb_per_s == 3000 ? PEAK_OF_FILE : cases[i].source);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_what_chips_can_do),
        cmocka_unit_test(tells_the_source_of_each_peak),
        cmocka_unit_test(tells_products_by_cores_and_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
