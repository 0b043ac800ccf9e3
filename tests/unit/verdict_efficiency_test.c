/* Tests of what stands behind the sentence of a verdict: MFU and throughput, as messages say it. */
#include "alerts/message.h"
#include "schema/documents/verdict_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct message_bounds bounds = {5, 4, 10, 400};

static void says_first_what_managers_ask_for(void **state)
{
    (void)state;
    struct verdict_reason reason = {"gate_step_slower", "the median step grew"};
    struct verdict verdict = {.status = VERDICT_FAIL,
                              .project = "llm",
                              .workload = "pretrain",
                              .reasons = &reason,
                              .reason_count = 1};
    struct verdict_measure measures[] = {
        {.name = "mfu",
         .unit = "share",
         .before = some_f64(0.412),
         .after = some_f64(0.398),
         .status = "ok"},
        {.name = "tokens_per_second_per_device",
         .unit = "per_s",
         .after = some_f64(2710.4),
         .status = "unknown"},
    };
    verdict.measures = measures;
    verdict.measure_count = 2;
    scoped_text out;
    text_init(&out, 4096);
    message_reasons_add(&verdict, &bounds, &out);
    assert_non_null(strstr(text_string(&out),
                           "MFU 39.8 % (was 41.2 %, -1.4 pp), tokens per device 2710/s (before: "
                           "not known)\n"));
    assert_ptr_equal(strstr(text_string(&out), "MFU"), text_string(&out));
    measures[0].before = some_f64(0.000051);
    measures[0].after = some_f64(0.000046);
    out.length = 0;
    message_reasons_add(&verdict, &bounds, &out);
    assert_non_null(strstr(text_string(&out), "MFU 0.0046 % (was 0.0051 %), tokens"));
    measures[0].before = some_f64(0.412);
    measures[0].after.set = measures[1].after.set = false;
    out.length = 0;
    message_reasons_add(&verdict, &bounds, &out);
    assert_non_null(strstr(text_string(&out), "MFU not known (was 41.2 %)\n"));
    verdict.status = VERDICT_INCOMPARABLE;
    out.length = 0;
    message_reasons_add(&verdict, &bounds, &out);
    assert_null(strstr(text_string(&out), "MFU"));
}

static const char *efficiency_of(struct verdict *verdict, struct arena *arena)
{
    const char *text = verdict_efficiency(verdict, arena);
    assert_non_null(text);
    return text;
}

/* What was made of other things is not compared. */
static void says_that_a_figure_is_of_another_source(void **state)
{
    (void)state;
    struct verdict_reason reason = {"figure_sources_differ", "mfu is not compared"};
    struct verdict_measure measure = {
        .name = "mfu", .unit = "share", .after = some_f64(0.5), .status = "unknown"};
    struct verdict verdict = {
        .reasons = &reason, .reason_count = 1, .measures = &measure, .measure_count = 1};
    scoped_arena arena;
    arena_init(&arena, 1 << 16);
    assert_string_equal(efficiency_of(&verdict, &arena), "MFU 50.0 % (before: not comparable)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_first_what_managers_ask_for),
        cmocka_unit_test(says_that_a_figure_is_of_another_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
