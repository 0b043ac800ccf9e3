/* Tests of what files may cost that are made to be costly: memory grows with the file, not with
 * products of what is in it.
 */
#include "tests/support/bytes_summary.h"
#include "tests/support/xplane_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>

enum { ARENA_BYTES = 512 << 20, STEP_PS = 1000000 };

/* A host that annotates `steps` steps, and devices with an op in some of them. */
struct shape {
    int64_t steps, devices, ops_per_device;
    bool one_name; /* of all devices */
};

static void host_put(struct text *space, const struct shape *shape)
{
    scoped_text plane, line;
    plane_begin(&plane, "/host:CPU");
    name_put(&plane, PLANE_EVENT_NAME, 1, "train");
    name_put(&plane, PLANE_STAT_NAME, 1, "step_num");
    line_begin(&line, 1, "python", 0);
    for (int64_t i = 0; i < shape->steps; i++)
        counted_event_put(&line, 1, (int64_t[]){i * STEP_PS, STEP_PS}, (int64_t[]){1, i});
    bytes_put(&plane, PLANE_LINE, &line);
    bytes_put(space, SPACE_PLANE, &plane);
}

static void space_make(struct text *space, const struct shape *shape)
{
    text_init(space, XPLANE_BYTES_MOST);
    host_put(space, shape);
    for (int64_t d = 0; d < shape->devices; d++) {
        char name[48];
        scoped_text plane, line;
        (void)snprintf(name, sizeof name, "/device:GPU:%lld", (long long)(shape->one_name ? 0 : d));
        plane_begin(&plane, name);
        name_put(&plane, PLANE_EVENT_NAME, 65535, "k");
        line_begin(&line, 1, "Stream #1", 0);
        for (int64_t i = 0; i < shape->ops_per_device; i++)
            event_put(&line, 65535, (shape->steps - shape->ops_per_device + i) * STEP_PS, 9);
        bytes_put(&plane, PLANE_LINE, &line);
        bytes_put(space, SPACE_PLANE, &plane);
    }
}

struct cost {
    size_t file_bytes, peak_bytes;
};

static struct cost cost_of(const struct shape *shape)
{
    struct err err = {0};
    struct summary summary;
    struct ingest_options options;
    scoped_arena arena;
    scoped_text space;
    arena_init(&arena, ARENA_BYTES);
    ingest_options_init(&options);
    space_make(&space, shape);
    if (!bytes_summarize(&space, &options, &arena, &summary, &err))
        fail_msg("%s", err.text);
    assert_int_equal(summary.device_count, shape->devices);
    assert_int_equal(summary.steps.count, shape->ops_per_device);
    assert_int_equal(summary.steps.method, STEPS_ANNOTATION);
    return (struct cost){space.length, arena.peak_bytes};
}

/* A window of 48 bytes for each of 6,000 steps on each of 3,000 devices would be 864 MB. */
static void steps_of_a_host_are_not_kept_for_each_device(void **state)
{
    (void)state;
    static const struct shape shape = {6000, 3000, 1, false};
    struct cost cost = cost_of(&shape);
    assert_in_range(cost.file_bytes, 300000, 400000);
    assert_in_range(cost.peak_bytes, 1, 64 << 20);
}

/* Each device is looked at a few times, not once for each other device. */
static void many_devices_cost_what_each_does(void **state)
{
    (void)state;
    static const struct shape few = {4, 1000, 4, false}, many = {4, 10000, 4, false};
    struct cost small = cost_of(&few), large = cost_of(&many);
    assert_true(large.peak_bytes < 12 * small.peak_bytes);
}

/* The number behind a name is not sought from the first one on. */
static void devices_of_one_name_cost_what_others_do(void **state)
{
    (void)state;
    static const struct shape named = {4, 5000, 4, false}, alike = {4, 5000, 4, true};
    struct cost apart = cost_of(&named), same = cost_of(&alike);
    assert_true(same.peak_bytes < 2 * apart.peak_bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_of_a_host_are_not_kept_for_each_device),
        cmocka_unit_test(many_devices_cost_what_each_does),
        cmocka_unit_test(devices_of_one_name_cost_what_others_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
