/* Tests of slow devices and hosts: alone, in a slow run, another one in each run, or all alike. */
#include "schema/documents/verdict_words.h"

#include "tests/support/gate_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void says(const struct verdict *verdict, struct arena *arena, const char *part)
{
    const char *sentence = verdict_sentence(verdict, arena);
    if (strstr(sentence, part) == NULL)
        fail_msg("'%s' lacks '%s'", sentence, part);
}

/* 16 devices of 4 hosts; the mean device hides what one of them does. */
static struct scene *sixteen_devices(struct scene *scene)
{
    static const char *const hosts[] = {"a", "b", "c", "d"};
    scene_init(scene);
    for (int after = 0; after <= 1; after++) {
        struct planned_op op = {"dot", "dot", NULL, 9000};
        struct summary_plan plan;
        summary_plan_default(&plan);
        plan.device_count = 16;
        plan.host_count = 4;
        plan.ops = &op;
        plan.op_count = 1;
        struct scene_side *side = after == 1 ? &scene->candidate : &scene->baseline;
        scene_add(scene, side, &plan, NULL);
        struct device_row *devices = side->profiles[0].summary->devices;
        for (size_t i = 0; i < 16; i++)
            devices[i].host = hosts[i / 4];
        if (after == 0)
            scene_add_history(scene, &plan);
    }
    return scene;
}

/* A device that takes so much longer over its work, and over its step when it does not make the
 * others wait. */
static void run_slow_down(const struct gate_profile *run, size_t device, double factor,
                          bool others_wait)
{
    struct summary *summary = (struct summary *)run->summary;
    for (size_t i = 0; i < summary->device_count; i++) {
        struct device_row *row = &summary->devices[i];
        double longer = (factor - 1) * (double)row->busy_ps;
        if (i != device && !others_wait)
            continue;
        row->window_ps += (int64_t)longer;
        row->busy_ps += (int64_t)longer;
        row->exposed_comm_ps += i == device ? 0 : (int64_t)longer;
        row->steady_step_median_ps = row->window_ps / summary->steps.steady_count;
    }
    for (size_t i = 0; i < summary->steps.count; i++)
        summary->steps.rows[i].max_ps = summary->devices[device].steady_step_median_ps;
    summary->steps.steady_median_us =
        some_f64((double)summary->devices[device].steady_step_median_ps / 1e6);
}

static void slow_down(struct scene *scene, size_t device, double factor, bool others_wait)
{
    run_slow_down(&scene->candidate.profiles[0], device, factor, others_wait);
}

/* A bad machine has another rank in each run: no median over the runs shows a device that is slow,
 * and that all of them are, or none, would be said. */
static void blames_a_device_that_is_another_one_in_each_run(void **state)
{
    enum { MOST = 5 };
    (void)state;
    static const struct {
        size_t runs, devices[MOST];
        bool wait;
        const char *kind, *says;
    } cases[] = {
        {3,
         {5, 9, 2},
         true,
         "moving",
         "in 3 of 3 runs one host or device is slow, and not the same one (/device:TPU:5, "
         "/device:TPU:9, /device:TPU:2): +22."},
        {3, {5, 9, 2}, false, "moving", "in 3 of 3 runs one host or device is slow"},
        {4, {5, 9, 5, 9}, true, "moving", "one (/device:TPU:5, /device:TPU:9): +"},
        {5, {5, 9, 2, 1, 0}, true, "moving", ":5, /device:TPU:9, /device:TPU:2 and others): +"},
        {3, {5, 5, 2}, true, "device", "/device:TPU:5 "},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        static const char *const ids[MOST] = {"p90", "p91", "p92", "p93", "p94"};
        struct scene scene, others[MOST];
        sixteen_devices(&scene);
        for (size_t run = 0; run < cases[i].runs; run++) {
            sixteen_devices(&others[run]);
            struct gate_profile *profile = &scene.candidate.profiles[run];
            *profile = others[run].candidate.profiles[0];
            profile->profile_id = ids[run];
            run_slow_down(profile, cases[i].devices[run], 1.2, cases[i].wait);
        }
        scene.candidate.count = cases[i].runs;
        struct verdict verdict = scene_judge(&scene);
        assert_int_equal(verdict.status, VERDICT_FAIL);
        assert_string_equal(verdict.cause.kind, cases[i].kind);
        says(&verdict, &scene.arena, cases[i].says);
        bool moves = strcmp(cases[i].kind, "moving") == 0;
        assert_int_equal(strstr(verdict.slow_devices, "and not the same one: ") != NULL, moves);
        assert_non_null(verdict_reason_text(&verdict, "devices_differ"));
        scene_done(&scene);
        for (size_t run = 0; run < cases[i].runs; run++)
            scene_done(&others[run]);
    }
}

static void blames_the_device_that_is_slow_alone(void **state)
{
    (void)state;
    for (int waits = 0; waits <= 1; waits++) {
        struct scene scene;
        slow_down(sixteen_devices(&scene), 5, 1.2, waits == 1);
        struct verdict verdict = scene_judge(&scene);
        assert_int_equal(verdict.status, VERDICT_FAIL);
        assert_string_equal(verdict.cause.kind, "device");
        assert_string_equal(verdict.cause.name, "/device:TPU:5");
        assert_int_equal(verdict.cause.count, 1);
        assert_int_equal(verdict.cause.of_count, 16);
        assert_null(verdict_reason_text(&verdict, "device_not_slower"));
        says(&verdict, &scene.arena, "1 of 16 devices ");
        says(&verdict, &scene.arena, "/device:TPU:5 ");
        scene_done(&scene);
    }
}

/* All are 3 % slower, as runs are now and then; the slow one is it beside that. */
static void blames_the_device_that_is_slow_in_a_slow_run(void **state)
{
    (void)state;
    for (int waits = 0; waits <= 1; waits++) {
        struct scene scene;
        sixteen_devices(&scene);
        for (size_t i = 0; i < 16; i++)
            slow_down(&scene, i, 1.03, false);
        slow_down(&scene, 5, 1.2, waits == 1);
        struct verdict verdict = scene_judge(&scene);
        assert_string_equal(verdict.cause.kind, "device");
        assert_string_equal(verdict.cause.name, "/device:TPU:5");
        assert_int_equal(verdict.cause.count, 1);
        assert_true(verdict.cause.change_pct.value > 20);
        assert_non_null(
            strstr(verdict.slow_devices, waits == 1 ? "1 of 16 devices works longer than the others"
                                                    : "1 of 16 devices is slower than the others"));
        assert_non_null(strstr(verdict.slow_devices, ", the median device +"));
        scene_done(&scene);
    }
}

static void blames_no_device_when_all_are_slow_alike(void **state)
{
    (void)state;
    struct scene scene;
    sixteen_devices(&scene);
    for (size_t i = 0; i < 16; i++)
        slow_down(&scene, i, i % 2 == 0 ? 1.05 : 1.06, false);
    struct verdict verdict = scene_judge(&scene);
    assert_true(verdict.cause.kind == NULL || strcmp(verdict.cause.kind, "device") != 0);
    assert_string_equal(verdict.slow_devices, "All 16 devices are slower, by 4.5 to 5.4 %.");
    scene_done(&scene);
    sixteen_devices(&scene); /* one is a hair over the limit, the others a hair below it */
    for (size_t i = 0; i < 16; i++)
        slow_down(&scene, i, i == 7 ? 1.0223 : 1.0221, false);
    verdict = scene_judge(&scene);
    assert_true(verdict.cause.kind == NULL || strcmp(verdict.cause.kind, "device") != 0);
    assert_null(verdict_reason_text(&verdict, "devices_differ"));
    assert_non_null(strstr(verdict.slow_devices, "1 of 16 devices is slower"));
    scene_done(&scene);
}

static void blames_the_host_whose_devices_are_all_slow(void **state)
{
    (void)state;
    struct scene scene;
    sixteen_devices(&scene);
    for (size_t i = 8; i < 12; i++)
        slow_down(&scene, i, 1.2, false);
    struct verdict verdict = scene_judge(&scene);
    assert_string_equal(verdict.cause.kind, "host");
    assert_string_equal(verdict.cause.name, "c");
    says(&verdict, &scene.arena, "host c ");
    scene_done(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blames_a_device_that_is_another_one_in_each_run),
        cmocka_unit_test(blames_the_device_that_is_slow_alone),
        cmocka_unit_test(blames_the_device_that_is_slow_in_a_slow_run),
        cmocka_unit_test(blames_no_device_when_all_are_slow_alike),
        cmocka_unit_test(blames_the_host_whose_devices_are_all_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
