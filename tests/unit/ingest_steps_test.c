/* Tests of step times from file to summary, with figures worked out by hand
 * (profile_summary.v1 §7, and the steps that we find ourselves).
 */
#include "tests/support/assert_number.h"
#include "tests/support/bytes_summary.h"
#include "tests/support/xplane_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>

enum { ARENA_BYTES = 32 << 20, PS_PER_US = 1000000, STEPS_MOST = 64 };

/* A step as a test plans it: times in µs. */
struct planned_step {
    int64_t number, start_us, duration_us;
};

static struct summary summarize(const struct text *space, struct arena *arena, int64_t warmup_steps)
{
    struct err err = {0};
    struct summary summary;
    struct ingest_options options;
    ingest_options_init(&options);
    ingest_options_fix_warmup(&options, warmup_steps);
    arena_init(arena, ARENA_BYTES);
    if (!bytes_summarize(space, &options, arena, &summary, &err))
        fail_msg("%s", err.text);
    return summary;
}

/* A device plane whose `Steps` line has these steps, each with one op that lasts as long. */
static void device_put(struct text *space, const char *name, const struct planned_step *steps,
                       size_t count)
{
    scoped_text plane, ops, marks;
    plane_begin(&plane, name);
    line_begin(&ops, 1, "XLA Ops", 0);
    line_begin(&marks, 2, "Steps", 0);
    name_put(&plane, PLANE_EVENT_NAME, 1, "fusion.1");
    for (size_t i = 0; i < count; i++) {
        char number[32];
        const int64_t start = steps[i].start_us * PS_PER_US,
                      length = steps[i].duration_us * PS_PER_US;
        (void)snprintf(number, sizeof number, "%lld", (long long)steps[i].number);
        name_put(&plane, PLANE_EVENT_NAME, 2 + (int64_t)i, number);
        event_put(&marks, 2 + (int64_t)i, start, length);
        event_put(&ops, 1, start, length);
    }
    bytes_put(&plane, PLANE_LINE, &ops);
    bytes_put(&plane, PLANE_LINE, &marks);
    bytes_put(space, SPACE_PLANE, &plane);
}

/* A host plane with one annotation per step, of this name. */
static void host_put(struct text *space, const char *name, const struct planned_step *steps,
                     size_t count)
{
    scoped_text plane, line;
    plane_begin(&plane, "/host:CPU");
    name_put(&plane, PLANE_EVENT_NAME, 1, name);
    name_put(&plane, PLANE_STAT_NAME, 1, "step_num");
    line_begin(&line, 1, "main", 0);
    for (size_t i = 0; i < count; i++) {
        const int64_t times[] = {steps[i].start_us * PS_PER_US, steps[i].duration_us * PS_PER_US};
        counted_event_put(&line, 1, times, (int64_t[]){1, steps[i].number});
    }
    bytes_put(&plane, PLANE_LINE, &line);
    bytes_put(space, SPACE_PLANE, &plane);
}

/* Consecutive steps from `first` on, back to back. */
static size_t steps_plan(struct planned_step *steps, int64_t first, const int64_t *durations_us,
                         size_t count)
{
    int64_t start = 0;
    for (size_t i = 0; i < count; i++) {
        steps[i] = (struct planned_step){first + (int64_t)i, start, durations_us[i]};
        start += durations_us[i];
    }
    return count;
}

static void a_step_lasts_as_long_as_the_mean_of_its_devices(void **state)
{
    (void)state;
    /* Step 5: (100 + 140) / 2 = 120; step 6: (100 + 100) / 2 = 100. Median 110, mean 110, p90:
     * place 0.9: 100 * 0.1 + 120 * 0.9 = 118. Ours is the slowest device: 140 and 100, median 120.
     */
    static const struct planned_step first[] = {{5, 0, 100}, {6, 200, 100}};
    static const struct planned_step second[] = {{5, 0, 140}, {6, 200, 100}};
    scoped_arena arena;
    scoped_text space;
    text_init(&space, XPLANE_BYTES_MOST);
    device_put(&space, "/device:TPU:0", first, 2);
    device_put(&space, "/device:TPU:1", second, 2);
    struct summary summary = summarize(&space, &arena, 5);
    const struct duration_stats *stats = &summary.step_time.steady_state_steps;
    assert_int_equal(stats->count, 2);
    assert_number(stats->mean.value, 110, 0);
    assert_number(stats->median.value, 110, 0);
    assert_number(stats->p90.value, 118, 1e-12);
    assert_number(stats->min.value, 100, 0);
    assert_number(stats->max.value, 120, 0);
    assert_int_equal(summary.steps.count, 2);
    assert_int_equal(summary.steps.rows[0].max_ps, 140 * PS_PER_US);
    assert_int_equal(summary.steps.rows[0].mean_ps, 120 * PS_PER_US);
    assert_int_equal(summary.steps.rows[0].slowest, 1);
    assert_number(summary.steps.steady_median_us.value, 120, 0);
}

/* The host compiles in step 6 before the device begins it. Without annotations the time since the
 * device's step before is the step's; an annotation of 7 that holds the compilation says that it
 * is of 7, though the device was still at 6. */
static void a_compilation_before_the_device_begins_is_of_the_step(void **state)
{
    (void)state;
    static const struct planned_step device[] = {{5, 0, 100}, {6, 300, 100}, {7, 400, 100}};
    static const struct planned_step compiling[] = {{0, 110, 180}};
    static const struct planned_step own[] = {{5, 0, 100}, {6, 105, 295}, {7, 400, 100}};
    static const struct planned_step ahead[] = {{5, 0, 50}, {6, 50, 50}, {7, 105, 200}};
    static const struct {
        const struct planned_step *annotated;
        int64_t number;
    } cases[] = {{NULL, 6}, {own, 6}, {ahead, 7}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scoped_arena arena;
        scoped_text space;
        text_init(&space, XPLANE_BYTES_MOST);
        device_put(&space, "/device:TPU:0", device, 3);
        host_put(&space, "backend_compile", compiling, 1);
        if (cases[i].annotated != NULL)
            host_put(&space, "train", cases[i].annotated, 3);
        struct summary summary = summarize(&space, &arena, 0);
        assert_int_equal(summary.steps.count, 3);
        for (size_t k = 0; k < 3; k++)
            assert_int_equal(summary.steps.rows[k].host_compiled,
                             summary.steps.rows[k].number == cases[i].number);
        assert_int_equal(steps_recompiled(&summary.steps), 1);
        assert_string_equal(summary.coverage.warnings.items[1],
                            "1 of 3 steps has the host compiling in it (recompilation); a "
                            "median over steps need not show what that costs.");
    }
}

static void warm_up_goes_by_number_not_by_place(void **state)
{
    (void)state;
    /* Numbers 3, 4, 5, 6 with warm-up 5 leave 5 and 6: 30 and 50, median 40. Those of 100 and 101
     * are all steady; with warm-up 102 none is left, and that is said. */
    static const int64_t durations[] = {10, 20, 30, 50};
    struct planned_step steps[4];
    for (int64_t warmup = 5; warmup <= 102; warmup += 97) {
        scoped_arena arena;
        scoped_text space;
        text_init(&space, XPLANE_BYTES_MOST);
        device_put(&space, "/device:TPU:0", steps,
                   steps_plan(steps, warmup == 5 ? 3 : 98, durations, 4));
        struct summary summary = summarize(&space, &arena, warmup);
        bool left = warmup == 5;
        assert_int_equal(summary.step_time.warmup_steps_ignored, warmup);
        assert_int_equal(summary.step_time.all_steps.count, 4);
        assert_int_equal(summary.step_time.steady_state_steps.count, left ? 2 : 0);
        assert_true(summary.step_time.steady_state_steps.median.set == left);
        assert_int_equal(summary.steps.steady_count, left ? 2 : 0);
        if (left)
            assert_number(summary.step_time.steady_state_steps.median.value, 40, 0);
        assert_int_equal(summary.step_time.class_count, left ? 1 : 0);
    }
}

static void step_names_are_numbers_as_python_reads_them(void **state)
{
    (void)state;
    /* int(" 7 ") = 7, int("1_0") = 10, int("+11") = 11, int("١٢") = 12; the rest are no steps. */
    static const char *const names[] = {" 7 ",  "1_0", "+11",   "\xD9\xA1\xD9\xA2", "7.0", "0x9",
                                        "1__0", "_1",  "step 8"};
    static const int64_t numbers[] = {7, 10, 11, 12};
    scoped_arena arena;
    scoped_text space, plane, line, ops;
    text_init(&space, XPLANE_BYTES_MOST);
    plane_begin(&plane, "/device:TPU:0");
    line_begin(&line, 1, "Steps", 0);
    line_begin(&ops, 2, "XLA Ops", 0);
    for (int64_t i = 0; i < 9; i++) {
        name_put(&plane, PLANE_EVENT_NAME, 1 + i, names[i]);
        event_put(&line, 1 + i, i * PS_PER_US, PS_PER_US);
        event_put(&ops, 1 + i, i * PS_PER_US, PS_PER_US);
    }
    bytes_put(&plane, PLANE_LINE, &line);
    bytes_put(&plane, PLANE_LINE, &ops);
    bytes_put(&space, SPACE_PLANE, &plane);
    struct summary summary = summarize(&space, &arena, 0);
    assert_int_equal(summary.step_time.all_steps.count, 4);
    assert_int_equal(summary.steps.count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(summary.steps.rows[i].number, numbers[i]);
}

static void the_host_counts_only_when_no_device_has_steps(void **state)
{
    (void)state;
    /* Host steps 0 and 1 of 70 and 90 µs: median 80. With a device's step of 40 only that counts.
     */
    static const struct planned_step host[] = {{0, 0, 70}, {1, 100, 90}}, device[] = {{1, 100, 40}};
    for (int has_device = 0; has_device <= 1; has_device++) {
        scoped_arena arena;
        scoped_text space;
        text_init(&space, XPLANE_BYTES_MOST);
        host_put(&space, "train", host, 2);
        if (has_device)
            device_put(&space, "/device:TPU:0", device, 1);
        struct summary summary = summarize(&space, &arena, 0);
        assert_int_equal(summary.step_time.all_steps.count, has_device ? 1 : 2);
        assert_number(summary.step_time.all_steps.median.value, has_device ? 40 : 80, 0);
        assert_int_equal(summary.steps.method, has_device ? STEPS_LINE : STEPS_HOST);
        assert_int_equal(summary.other_step_count, has_device ? 1 : 0);
    }
}

static void the_reference_knows_no_other_name_than_train(void **state)
{
    (void)state;
    static const struct planned_step host[] = {{0, 0, 70}, {1, 100, 90}};
    scoped_arena arena;
    scoped_text space;
    text_init(&space, XPLANE_BYTES_MOST);
    host_put(&space, "Train", host, 2);
    struct summary summary = summarize(&space, &arena, 0);
    assert_int_equal(summary.step_time.all_steps.count, 0);
    assert_false(summary.step_time.all_steps.median.set);
    assert_true(summary.coverage.warnings.count > 0);
}

static void every_third_step_is_heavy(void **state)
{
    (void)state;
    /* Steps 10 to 21; 12, 15, 18 and 21 take 300, the others 100. ln 100 = 4.61 and ln 300 = 5.70:
     * the first round already puts each at its centre. 300 / 100 = 3 >= 1.5; distances 3, 3, 3.
     * p90 of the light ones is 100. */
    int64_t durations[12];
    struct planned_step steps[12];
    for (int i = 0; i < 12; i++)
        durations[i] = i % 3 == 2 ? 300 : 100;
    scoped_arena arena;
    scoped_text space;
    text_init(&space, XPLANE_BYTES_MOST);
    device_put(&space, "/device:TPU:0", steps, steps_plan(steps, 10, durations, 12));
    struct summary summary = summarize(&space, &arena, 5);
    assert_int_equal(summary.step_time.class_count, 2);
    const struct step_class *light = &summary.step_time.classes[0];
    const struct step_class *heavy = &summary.step_time.classes[1];
    assert_string_equal(light->name, "light");
    assert_int_equal(light->count, 8);
    assert_int_equal(light->representative_step.value, 10);
    assert_false(light->periodicity.set);
    assert_string_equal(heavy->name, "heavy");
    assert_int_equal(heavy->count, 4);
    assert_number(heavy->fraction_of_steady, 4.0 / 12, 0);
    assert_number(heavy->stats.median.value, 300, 0);
    assert_int_equal(heavy->representative_step.value, 12);
    assert_int_equal(heavy->periodicity.value, 3);
}

static void two_means_move_their_centres_to_the_logs_means(void **state)
{
    (void)state;
    /* Durations 1, 1, 1, 1, 9, 81 in units of 100 µs; logs 0, 0, 0, 0, a, 2a with a = ln 9. The
     * centres start at 0 and 2a. 9 is equally far from both and goes with the low ones
     * (|v-low| <= |v-high|): low = a/5, high = 2a. Then |a - a/5| = 0.8a <= |a - 2a| = a: it stays.
     * So 81 is alone, one member is too few: one class. With 90 instead of 9 it is nearer to 81:
     * logs ln 90 = 4.50, ln 81 = 4.39, median(high) = 85.5, high / low = 85.5: two classes. */
    static const int64_t balanced[] = {100, 100, 100, 100, 900, 8100};
    static const int64_t apart[] = {100, 100, 100, 100, 9000, 8100};
    struct planned_step steps[6];
    for (int is_apart = 0; is_apart <= 1; is_apart++) {
        scoped_arena arena;
        scoped_text space;
        text_init(&space, XPLANE_BYTES_MOST);
        device_put(&space, "/device:TPU:0", steps,
                   steps_plan(steps, 5, is_apart ? apart : balanced, 6));
        struct summary summary = summarize(&space, &arena, 5);
        assert_int_equal(summary.step_time.class_count, is_apart ? 2 : 1);
        if (is_apart)
            assert_number(summary.step_time.classes[1].stats.median.value, 8550, 0);
    }
}

/* ---- clocks ---------------------------------------------------------------------------------- */

static void epoch_timestamps_do_not_change_durations(void **state)
{
    (void)state;
    /* 2023-11-14 in ns. A double of µs has steps of 0.25 there, but a duration never goes through
     * one: 123.456789 µs stay, and so do our picoseconds. */
    const int64_t epoch_ns = INT64_C(1700000000000000000), duration_ps = 123456789;
    scoped_arena arena;
    scoped_text space, plane, line, ops;
    text_init(&space, XPLANE_BYTES_MOST);
    plane_begin(&plane, "/device:TPU:0");
    name_put(&plane, PLANE_EVENT_NAME, 1, "5");
    name_put(&plane, PLANE_EVENT_NAME, 2, "6");
    line_begin(&line, 1, "Steps", epoch_ns);
    event_put(&line, 1, 0, duration_ps);
    event_put(&line, 2, 200 * PS_PER_US + 1, duration_ps);
    bytes_put(&plane, PLANE_LINE, &line);
    line_begin(&ops, 2, "XLA Ops", epoch_ns);
    event_put(&ops, 1, 0, duration_ps);
    event_put(&ops, 1, 200 * PS_PER_US + 1, duration_ps);
    bytes_put(&plane, PLANE_LINE, &ops);
    bytes_put(&space, SPACE_PLANE, &plane);
    struct summary summary = summarize(&space, &arena, 5);
    assert_number(summary.step_time.all_steps.median.value, 123.456789, 1e-12);
    assert_number(summary.trace_overview.profile_start_ts.value, 1.7e15, 0);
    assert_int_equal(summary.steps.count, 2);
    assert_int_equal(summary.steps.rows[0].max_ps, duration_ps);
    assert_true(summary.steps.rows[0].has_period);
    assert_int_equal(summary.steps.rows[0].period_ps, 200 * PS_PER_US + 1);
    assert_int_equal(summary.steps.rows[1].gap_before_ps, 200 * PS_PER_US + 1 - duration_ps);
    assert_int_equal(summary.devices[0].busy_ps, 2 * duration_ps);
    assert_int_equal(summary.devices[0].window_ps, 200 * PS_PER_US + 1 + duration_ps);
}

static void lines_of_different_timestamps_share_one_clock(void **state)
{
    (void)state;
    /* The step begins at 2000 ns, the op at 1000 ns + 1.5 µs = 2500 ns: inside it, and steady. */
    scoped_arena arena;
    scoped_text space, plane, line, ops;
    text_init(&space, XPLANE_BYTES_MOST);
    plane_begin(&plane, "/device:TPU:0");
    name_put(&plane, PLANE_EVENT_NAME, 1, "5");
    name_put(&plane, PLANE_EVENT_NAME, 2, "fusion");
    line_begin(&line, 1, "Steps", 2000);
    event_put(&line, 1, 0, 10 * PS_PER_US);
    bytes_put(&plane, PLANE_LINE, &line);
    line_begin(&ops, 2, "XLA Ops", 1000);
    event_put(&ops, 2, 1500000, 3 * PS_PER_US);
    event_put(&ops, 2, 11 * PS_PER_US, PS_PER_US); /* at 12000 ns: just behind the step */
    bytes_put(&plane, PLANE_LINE, &ops);
    bytes_put(&space, SPACE_PLANE, &plane);
    struct summary summary = summarize(&space, &arena, 5);
    assert_int_equal(summary.op_count, 1);
    assert_int_equal(summary.ops[0].count, 2);
    assert_int_equal(summary.ops[0].steady_count, 1);
    assert_int_equal(summary.ops[0].steady_self_ps, 3 * PS_PER_US);
    assert_number(summary.coverage.steady_idle_us_per_step, 7, 0); /* 10 µs - 3 µs */
}

static void steps_that_overlap_share_what_runs_in_both(void **state)
{
    (void)state;
    /* Step 5 lasts from 0 to 10 µs, step 6 from 4 to 10; ops take 2..3 and 5..8. Idle are
     * 10 - 1 - 3 = 6 and 6 - 3 = 3, in the mean 4.5. */
    scoped_arena arena;
    scoped_text space, plane, ops, marks;
    text_init(&space, XPLANE_BYTES_MOST);
    plane_begin(&plane, "/device:TPU:0");
    line_begin(&ops, 1, "XLA Ops", 0);
    line_begin(&marks, 2, "Steps", 0);
    name_put(&plane, PLANE_EVENT_NAME, 1, "fusion.1");
    name_put(&plane, PLANE_EVENT_NAME, 5, "5");
    name_put(&plane, PLANE_EVENT_NAME, 6, "6");
    event_put(&ops, 1, 2 * PS_PER_US, PS_PER_US);
    event_put(&ops, 1, 5 * PS_PER_US, 3 * PS_PER_US);
    event_put(&marks, 5, 0, 10 * PS_PER_US);
    event_put(&marks, 6, 4 * PS_PER_US, 6 * PS_PER_US);
    bytes_put(&plane, PLANE_LINE, &ops);
    bytes_put(&plane, PLANE_LINE, &marks);
    bytes_put(&space, SPACE_PLANE, &plane);
    struct summary summary = summarize(&space, &arena, 5);
    assert_number(summary.coverage.steady_idle_us_per_step, 4.5, 0);
}

static void sums_stay_within_64_bits(void **state)
{
    (void)state;
    /* Ops of 9e18 ps, one ends where the other starts; 2^63 ps are 9.22e18. */
    enum { EXA = 1000000000 };
    const int64_t length = (int64_t)9 * EXA * EXA;
    scoped_arena arena;
    scoped_text space, plane, ops;
    text_init(&space, XPLANE_BYTES_MOST);
    plane_begin(&plane, "/device:TPU:0");
    line_begin(&ops, 1, "XLA Ops", 0);
    name_put(&plane, PLANE_EVENT_NAME, 1, "fusion.1");
    name_put(&plane, PLANE_EVENT_NAME, 2, "dot.2");
    event_put(&ops, 1, -length, length);
    event_put(&ops, 2, 0, length);
    event_put(&ops, 2, length / 10, length / 2); /* more than its op's total can hold */
    bytes_put(&plane, PLANE_LINE, &ops);
    bytes_put(&space, SPACE_PLANE, &plane);
    struct summary summary = summarize(&space, &arena, 5);
    assert_int_equal(summary.device_count, 1);
    assert_int_equal(summary.devices[0].busy_ps, INT64_MAX);
    assert_int_equal(summary.devices[0].idle_ps, 0);
    assert_int_equal(summary.op_count, 2);
    for (size_t i = 0; i < summary.op_count; i++)
        assert_int_equal(summary.ops[i].total_ps, length);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_lasts_as_long_as_the_mean_of_its_devices),
        cmocka_unit_test(a_compilation_before_the_device_begins_is_of_the_step),
        cmocka_unit_test(warm_up_goes_by_number_not_by_place),
        cmocka_unit_test(step_names_are_numbers_as_python_reads_them),
        cmocka_unit_test(the_host_counts_only_when_no_device_has_steps),
        cmocka_unit_test(the_reference_knows_no_other_name_than_train),
        cmocka_unit_test(every_third_step_is_heavy),
        cmocka_unit_test(two_means_move_their_centres_to_the_logs_means),
        cmocka_unit_test(epoch_timestamps_do_not_change_durations),
        cmocka_unit_test(lines_of_different_timestamps_share_one_clock),
        cmocka_unit_test(steps_that_overlap_share_what_runs_in_both),
        cmocka_unit_test(sums_stay_within_64_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
