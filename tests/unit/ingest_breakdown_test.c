/* Tests of where time goes, from file to summary, with figures worked out by hand: the reference's
 * two breakdowns (profile_summary.v1 §5, §6, §8) and the interval unions of ours. Times in µs.
 */
#include "ops/runtime/json.h"
#include "tests/support/assert_number.h"
#include "tests/support/bytes_summary.h"
#include "tests/support/xplane_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include <string.h>

enum { ARENA_BYTES = 32 << 20, PS_PER_US = 1000000, NAMES_MOST = 16 };

/* An event of a line, as a test plans it; planned lines end with a NULL name. */
struct planned_event {
    const char *name;
    int64_t start_us, end_us;
};

/* The plane under construction; equal names are one metadata entry. */
struct planned_plane {
    struct text bytes;
    const char *names[NAMES_MOST];
    int64_t name_count;
};

static void plan_begin(struct planned_plane *plane, const char *name)
{
    plane->name_count = 0;
    plane_begin(&plane->bytes, name);
}

static int64_t name_id(struct planned_plane *plane, const char *name)
{
    for (int64_t i = 0; i < plane->name_count; i++) {
        if (strcmp(plane->names[i], name) == 0)
            return i + 1;
    }
    assert_true(plane->name_count < NAMES_MOST);
    plane->names[plane->name_count++] = name;
    name_put(&plane->bytes, PLANE_EVENT_NAME, plane->name_count, name);
    return plane->name_count;
}

static void plan_line(struct planned_plane *plane, const char *name,
                      const struct planned_event *events)
{
    scoped_text line;
    line_begin(&line, 0, name, 0);
    for (; events->name != NULL; events++)
        event_put(&line, name_id(plane, events->name), events->start_us * PS_PER_US,
                  (events->end_us - events->start_us) * PS_PER_US);
    bytes_put(&plane->bytes, PLANE_LINE, &line);
}

static void plan_end(struct planned_plane *plane, struct text *space)
{
    bytes_put(space, SPACE_PLANE, &plane->bytes);
    text_done(&plane->bytes);
}

struct planned_line {
    const char *name; /* NULL ends the lines of a plane */
    const struct planned_event *events;
};

/* A file of one plane. */
static struct text space_planned(const char *name, const struct planned_line *lines)
{
    struct planned_plane plane;
    struct text space;
    text_init(&space, XPLANE_BYTES_MOST);
    plan_begin(&plane, name);
    for (; lines->name != NULL; lines++)
        plan_line(&plane, lines->name, lines->events);
    plan_end(&plane, &space);
    return space;
}

static struct summary summarize(const struct text *space, enum breakdown_mode mode, int threads,
                                struct arena *arena)
{
    struct err err = {0};
    struct summary summary;
    struct ingest_options options;
    ingest_options_init(&options);
    options.mode = mode;
    options.threads = threads;
    arena_init(arena, ARENA_BYTES);
    if (!bytes_summarize(space, &options, arena, &summary, &err))
        fail_msg("%s", err.text);
    return summary;
}

/* The breakdown of a file: total, then the parts in their order. */
static void breakdown_check(const struct text *space, enum breakdown_mode mode, double total,
                            const double parts[PART_COUNT])
{
    scoped_arena arena;
    struct summary summary = summarize(space, mode, 1, &arena);
    assert_number(summary.time_breakdown.total_duration, total, 1e-9);
    for (int part = 0; part < PART_COUNT; part++) {
        assert_number(summary.time_breakdown.part[part].total_duration, parts[part], 1e-9);
        assert_number(summary.time_breakdown.part[part].share_of_total,
                      total > 0 ? parts[part] / total : 0, 1e-9);
    }
}

static void a_module_hides_the_holes_between_its_ops(void **state)
{
    (void)state;
    /* Per track 100 of the module and 20 of the ops; the global timeline is covered by the module.
     * Ours is 20 busy of 100. */
    static const struct planned_event ops[] = {{"a.1", 0, 10}, {"b.2", 90, 100}, {0}};
    static const struct planned_event modules[] = {{"jit_f(1)", 0, 100}, {0}};
    scoped_arena arena;
    scoped_text space = space_planned(
        "/device:TPU:0", (struct planned_line[]){{"XLA Ops", ops}, {"XLA Modules", modules}, {0}});
    breakdown_check(&space, BREAKDOWN_PER_TRACK, 120, (double[PART_COUNT]){[PART_COMPUTE] = 120});
    breakdown_check(&space, BREAKDOWN_GLOBAL, 100, (double[PART_COUNT]){[PART_COMPUTE] = 100});
    struct summary summary = summarize(&space, BREAKDOWN_PER_TRACK, 1, &arena);
    assert_int_equal(summary.device_count, 1);
    assert_int_equal(summary.devices[0].window_ps, 100 * PS_PER_US);
    assert_int_equal(summary.devices[0].busy_ps, 20 * PS_PER_US);
    assert_int_equal(summary.devices[0].idle_ps, 80 * PS_PER_US);
}

static void communication_hides_compute_and_ours_tells_what_overlaps(void **state)
{
    (void)state;
    /* Compute 0-10 and 20-30, an all-reduce 5-25 on another stream. Global: communication 5-25 =
     * 20, compute 0-5 and 25-30 = 10. Ours: compute 20, exposed 10-20 = 10, overlapped 5-10 and
     * 20-25. */
    static const struct planned_event kernels[] = {{"gemm", 0, 10}, {"gemm", 20, 30}, {0}};
    static const struct planned_event collectives[] = {{"ncclAllReduce", 5, 25}, {0}};
    scoped_arena arena;
    scoped_text space =
        space_planned("/device:GPU:0", (struct planned_line[]){{"Stream #1(compute)", kernels},
                                                               {"Stream #2(nccl)", collectives},
                                                               {0}});
    static const double global[PART_COUNT] = {[PART_COMPUTE] = 10, [PART_COMMUNICATION] = 20};
    static const double track[PART_COUNT] = {[PART_COMPUTE] = 20, [PART_COMMUNICATION] = 20};
    breakdown_check(&space, BREAKDOWN_GLOBAL, 30, global);
    breakdown_check(&space, BREAKDOWN_PER_TRACK, 40, track);
    struct summary summary = summarize(&space, BREAKDOWN_PER_TRACK, 1, &arena);
    const struct device_row *row = &summary.devices[0];
    assert_int_equal(row->busy_ps, 30 * PS_PER_US);
    assert_int_equal(row->compute_ps, 20 * PS_PER_US);
    assert_int_equal(row->exposed_comm_ps, 10 * PS_PER_US);
    assert_int_equal(row->overlapped_comm_ps, 10 * PS_PER_US);
}

static void the_global_window_is_that_of_compute(void **state)
{
    (void)state;
    /* Compute 10-20 and 30-35 makes the window 10-35 of 25, and 0-5 and 40-50 lie outside: compute
     * 15, uncovered 10. With communication 18-32 as well: communication 14, compute 8 + 3. */
    static const struct planned_event ops[] = {{"dot", 10, 20}, {"dot", 30, 35}, {0}};
    static const struct planned_event far[] = {{"all-gather", 0, 5}, {"all-gather", 40, 50}, {0}};
    static const struct planned_event near[] = {{"psum", 18, 32}, {0}};
    for (int covered = 0; covered <= 1; covered++) {
        struct planned_plane plane;
        scoped_text space;
        text_init(&space, XPLANE_BYTES_MOST);
        plan_begin(&plane, "/device:TPU:0");
        plan_line(&plane, "XLA Ops", ops);
        plan_line(&plane, "Stream #1", far);
        if (covered)
            plan_line(&plane, "Stream #2", near);
        plan_end(&plane, &space);
        static const double with[PART_COUNT] = {[PART_COMPUTE] = 11, [PART_COMMUNICATION] = 14};
        static const double without[PART_COUNT] = {[PART_COMPUTE] = 15, [PART_STALL] = 10};
        breakdown_check(&space, BREAKDOWN_GLOBAL, 25, covered ? with : without);
    }
}

static void every_plane_has_its_part_and_steps_none(void **state)
{
    (void)state;
    /* Device: compute 10, stall 5 by name; host: all 7, collectives too; other planes: 3, and 4 of
     * communication. A line named `Steps` counts on no plane. */
    static const struct planned_event device[] = {{"dot", 0, 10}, {"wait.1", 10, 15}, {0}};
    static const struct planned_event steps[] = {{"1", 0, 1000}, {0}};
    static const struct planned_event host[] = {{"f", 0, 5}, {"all-reduce", 5, 7}, {0}};
    static const struct planned_event other[] = {{"x", 0, 3}, {"send", 3, 7}, {0}};
    static const struct {
        const char *plane, *line;
        const struct planned_event *events;
    } lines[] = {
        {"/device:TPU:0", "XLA Ops", device},
        {"/host:CPU", "main", host},
        {"/custom:x", "z", other},
    };
    scoped_text space;
    text_init(&space, XPLANE_BYTES_MOST);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct planned_plane plane;
        plan_begin(&plane, lines[i].plane);
        plan_line(&plane, lines[i].line, lines[i].events);
        plan_line(&plane, "Steps", steps);
        plan_end(&plane, &space);
    }
    static const double parts[PART_COUNT] = {[PART_COMPUTE] = 10,
                                             [PART_COMMUNICATION] = 4,
                                             [PART_HOST] = 7,
                                             [PART_STALL] = 5,
                                             [PART_OTHER] = 3};
    breakdown_check(&space, BREAKDOWN_PER_TRACK, 29, parts);
}

static const struct hot_op *hot_op_named(const struct summary *summary, const char *name)
{
    for (size_t i = 0; i < summary->hot_op_count; i++) {
        if (strcmp(summary->hot_ops[i].name, name) == 0)
            return &summary->hot_ops[i];
    }
    fail_msg("no hot op %s", name);
    return NULL;
}

static void children_are_taken_off_once_and_siblings_never(void **state)
{
    (void)state;
    /* while 0-100 holds body 10-60, which holds dot 20-30; cond 70-80 is a second child. Exclusive:
     * while 100 - 50 - 10 = 40, body 40, dot 10, cond 10. Then p 200-210 and q 205-215 overlap in
     * part: both keep 10. */
    static const struct planned_event ops[] = {{"while", 0, 100},
                                               {"body", 10, 60},
                                               {"dot", 20, 30},
                                               {"cond", 70, 80},
                                               {"p", 200, 210},
                                               {"q", 205, 215},
                                               {0}};
    static const struct {
        const char *name;
        double exclusive, total;
    } wanted[] = {{"while", 40, 100}, {"body", 40, 50}, {"dot", 10, 10},
                  {"cond", 10, 10},   {"p", 10, 10},    {"q", 10, 10}};
    scoped_arena arena;
    scoped_text space =
        space_planned("/device:TPU:0", (struct planned_line[]){{"XLA Ops", ops}, {0}});
    struct summary summary = summarize(&space, BREAKDOWN_PER_TRACK, 1, &arena);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        const struct hot_op *op = hot_op_named(&summary, wanted[i].name);
        assert_number(op->exclusive_duration, wanted[i].exclusive, 1e-9);
        assert_number(op->total_duration, wanted[i].total, 1e-9);
    }
    assert_int_equal(summary.devices[0].busy_ps, 115 * PS_PER_US); /* 0-100, 200-215 */
}

/* One gap of 5 before b (10-15); c begins where b ends. */
static const struct planned_event in_order[] = {
    {"a", 0, 10}, {"b", 15, 20}, {"c", 20, 30}, {"d", 22, 24}, {0}};
static const struct planned_event shuffled[] = {
    {"d", 22, 24}, {"b", 15, 20}, {"c", 20, 30}, {"a", 0, 10}, {0}};

static void lines_out_of_order_are_sorted_and_counted(void **state)
{
    (void)state;
    for (int is_shuffled = 0; is_shuffled <= 1; is_shuffled++) {
        scoped_arena arena;
        scoped_text space = space_planned(
            "/device:TPU:0",
            (struct planned_line[]){{"XLA Ops", is_shuffled ? shuffled : in_order}, {0}});
        struct summary summary = summarize(&space, BREAKDOWN_PER_TRACK, 1, &arena);
        assert_int_equal(summary.coverage.unsorted_lines, is_shuffled);
        assert_number(hot_op_named(&summary, "c")->exclusive_duration, 8, 1e-9);
        assert_int_equal(summary.gap_before_op_count, 1);
        assert_string_equal(summary.gap_before_ops[0].payload_op, "b");
        assert_number(summary.gap_before_ops[0].total_gap_duration, 5, 1e-9);
        assert_int_equal(summary.devices[0].busy_ps, 25 * PS_PER_US);
    }
}

static void flights_beside_the_ops_are_no_busy_time(void **state)
{
    (void)state;
    /* An all-gather in flight 5-45: overlapped with a (0-10) for 5, exposed for the other 35, of
     * which the device is busy with nothing. */
    static const struct planned_event ops[] = {{"a", 0, 10}, {"b", 50, 60}, {0}};
    static const struct planned_event flights[] = {{"all-gather-start", 5, 45}, {0}};
    scoped_arena arena;
    scoped_text space =
        space_planned("/device:TPU:0",
                      (struct planned_line[]){{"XLA Ops", ops}, {"Async XLA Ops", flights}, {0}});
    struct summary summary = summarize(&space, BREAKDOWN_PER_TRACK, 1, &arena);
    const struct device_row *row = &summary.devices[0];
    assert_int_equal(row->busy_ps, 20 * PS_PER_US);
    assert_int_equal(row->idle_ps, 40 * PS_PER_US);
    assert_int_equal(row->overlapped_comm_ps, 5 * PS_PER_US);
    assert_int_equal(row->exposed_comm_ps, 35 * PS_PER_US);
    assert_int_equal(row->op_count, 2);
}

static void the_number_of_threads_changes_no_byte(void **state)
{
    (void)state;
    static const char *const devices[] = {"/device:TPU:0", "/device:TPU:1", "/device:TPU:2"};
    scoped_text space;
    json_t *first = NULL;
    text_init(&space, XPLANE_BYTES_MOST);
    for (size_t i = 0; i < 3; i++) {
        struct planned_plane plane;
        plan_begin(&plane, devices[i]);
        plan_line(&plane, "XLA Ops", i == 1 ? shuffled : in_order);
        plan_end(&plane, &space);
    }
    for (int threads = 1; threads <= 4; threads++) {
        scoped_arena arena;
        struct summary summary = summarize(&space, BREAKDOWN_GLOBAL, threads, &arena);
        summary.source_path = "the same";
        summary.sources[0].path = "the same";
        scoped_json *document = summary_to_json(&summary);
        assert_non_null(document);
        if (first == NULL)
            first = json_incref(document);
        assert_true(json_equal(document, first));
    }
    json_decref(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_module_hides_the_holes_between_its_ops),
        cmocka_unit_test(communication_hides_compute_and_ours_tells_what_overlaps),
        cmocka_unit_test(the_global_window_is_that_of_compute),
        cmocka_unit_test(every_plane_has_its_part_and_steps_none),
        cmocka_unit_test(children_are_taken_off_once_and_siblings_never),
        cmocka_unit_test(lines_out_of_order_are_sorted_and_counted),
        cmocka_unit_test(flights_beside_the_ops_are_no_busy_time),
        cmocka_unit_test(the_number_of_threads_changes_no_byte),
    };
    if (setenv("SOURCE_DATE_EPOCH", "1700000000", 1) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
