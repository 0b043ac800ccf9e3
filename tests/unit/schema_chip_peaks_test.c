/* Tests of schema/documents/chip_peaks: which row a device's name means, and what a row holds. */
#include "schema/documents/chip_peaks.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_what_chips_can_do),
        cmocka_unit_test(tells_the_source_of_each_peak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
