/* What gaps are is said where a verdict lists them. */
#include "ops/present/page/page.h"
#include "ops/present/verdict/verdict_page.h"
#include "schema/documents/measures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { ARENA_BYTES = 8 << 20, OPS_ON_PAGE = 12 };

/* A stream of collectives waits most of a step, of which the device idles little. */
static void says_that_gaps_of_a_stream_are_no_idle_device(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        struct verdict_group group = {.kind = kind == 0 ? "gap" : "phase",
                                      .name = "ncclDevKernel",
                                      .before_us = 46780,
                                      .after_us = 42740,
                                      .delta_us = -4040};
        struct verdict_measure measures[MEASURE_device_idle_share] = {0};
        for (size_t i = 0; i < MEASURE_device_idle_share; i++)
            measures[i] = (struct verdict_measure){
                .name = measure_rows[i + 1].name, .unit = measure_rows[i + 1].unit, .status = "ok"};
        measures[MEASURE_device_idle_share - 1].before = some_f64(0.019);
        measures[MEASURE_device_idle_share - 1].after = some_f64(0.017);
        struct verdict_reason reason = {"step_median_equivalent", "Not slower."};
        const struct verdict verdict = {.reasons = &reason,
                                        .reason_count = 1,
                                        .groups = &group,
                                        .group_count = 1,
                                        .measures = measures,
                                        .measure_count = MEASURE_device_idle_share};
        scoped_arena arena;
        scoped_text out;
        struct page page;
        arena_init(&arena, ARENA_BYTES);
        text_init(&out, ARENA_BYTES);
        page_init(&page, &arena, "verdict");
        verdict_page_fill(&verdict, OPS_ON_PAGE, &page);
        page_print_html(&page, &out);
        const char *said = strstr(text_string(&out), "devices idled 1.9 % of their windows "
                                                     "before, 1.7 % after");
        assert_int_equal(said != NULL, kind == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_that_gaps_of_a_stream_are_no_idle_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
