/* Tests of how steps spread on both sides: every steady step is counted once, in its bin. */
#include "tests/support/gate_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void counts_every_steady_step_once(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct scene scene;
        scene_fill_noisy(&scene, seed, 0.1, NULL);
        const struct verdict verdict = scene_judge(&scene);
        int64_t before = 0, after = 0;
        assert_true(verdict.step_bin_count > 1);
        for (size_t i = 0; i < verdict.step_bin_count; i++) {
            const struct verdict_step_bin *bin = &verdict.step_bins[i];
            before += bin->baseline;
            after += bin->candidate;
            assert_true(!bin->until_us.set || bin->until_us.value > bin->from_us);
            if (i > 0 && bin->until_us.set)
                assert_true(bin->from_us == verdict.step_bins[i - 1].until_us.value);
        }
        assert_int_equal(before, verdict.baseline.step_count);
        assert_int_equal(after, verdict.candidate.step_count);
        scene_done(&scene);
    }
}

/* The candidate is a tenth slower: its median lies bins behind the baseline's. */
static void puts_steps_where_they_belong(void **state)
{
    (void)state;
    struct scene scene;
    scene_fill_noisy(&scene, 3, 0.1, NULL);
    const struct verdict verdict = scene_judge(&scene);
    int64_t below_before = 0, below_after = 0;
    for (size_t i = 0; i < verdict.step_bin_count; i++) {
        const struct verdict_step_bin *bin = &verdict.step_bins[i];
        if (!bin->until_us.set || bin->until_us.value > verdict.candidate.step_median_us.value)
            continue;
        below_before += bin->baseline;
        below_after += bin->candidate;
    }
    assert_true(below_before > verdict.baseline.step_count * 9 / 10);
    assert_true(below_after < verdict.candidate.step_count * 6 / 10);
    scene_done(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_every_steady_step_once),
        cmocka_unit_test(puts_steps_where_they_belong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
