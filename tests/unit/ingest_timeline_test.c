/* Tests of what is done with times: nesting, gaps, interval unions. */
#include "ingest/intervals/exclusive.h"
#include "ingest/intervals/intervals.h"
#include "ingest/timeline/gaps.h"
#include "tests/support/assert_number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

/* ---- nesting --------------------------------------------------------------------------------- */

enum { NEST_MOST = 8 };

struct nest_event {
    double start, duration;
    double exclusive; /* wanted */
};

static void nest_check(const struct nest_event *events, size_t count)
{
    double exclusive[NEST_MOST];
    struct stack_us stack = {0};
    uint32_t tag;
    double value;
    for (size_t i = 0; i < count; i++) {
        double end = events[i].start + events[i].duration;
        while (stack_us_pop(&stack, events[i].start, end, &tag, &value))
            exclusive[tag] = value;
        stack_us_push(&stack, end, events[i].duration, (uint32_t)i);
    }
    while (stack_us_pop(&stack, INFINITY, INFINITY, &tag, &value))
        exclusive[tag] = value;
    free(stack.frames);
    for (size_t i = 0; i < count; i++)
        assert_number(exclusive[i], events[i].exclusive, 0);
}

static void parents_lose_their_direct_children(void **state)
{
    (void)state;
    static const struct nest_event events[] = {
        {0, 100, 60}, {10, 30, 20}, {10, 10, 10}, {40, 10, 10}, {100, 5, 5}};
    nest_check(events, 5);
}

static void equal_intervals_nest_the_first_around_the_second(void **state)
{
    (void)state;
    static const struct nest_event events[] = {{0, 10, 0}, {0, 10, 10}};
    nest_check(events, 2);
}

static void events_that_partly_overlap_are_siblings(void **state)
{
    (void)state;
    /* The second ends behind the first: both keep all their time, and both are children of none. */
    static const struct nest_event events[] = {{0, 10, 10}, {5, 10, 10}, {6, 2, 2}};
    static const struct nest_event inside[] = {{0, 20, 0}, {0, 10, 10}, {5, 10, 10}};
    nest_check(events, 2);
    nest_check(inside, 3);
}

/* ---- gaps ------------------------------------------------------------------------------------ */

enum { OP_A, OP_B, OP_MARK, GAP_OPS };

struct gap_input {
    double start, end;
    int32_t op;
};

static struct gap_list gaps_run(const struct gap_input *events, size_t count, struct arena *arena)
{
    static struct op_traits traits[GAP_OPS] = {[OP_MARK] = {.is_marker = true}};
    const struct plane_ops plane = {.traits = traits, .capacity = GAP_OPS};
    struct gap_list list;
    struct gap_tracker tracker = {.list = &list, .ops = &plane};
    arena_init(arena, 1 << 20);
    gap_list_init(&list, arena, true);
    for (size_t i = 0; i < count; i++)
        gap_tracker_add(&tracker, events[i].start, events[i].end, events[i].op);
    gap_tracker_finish(&tracker);
    return list;
}

static void gap_check(const struct gap *gap, int32_t payload, int32_t marker, double length)
{
    assert_int_equal(gap->payload, payload);
    assert_int_equal(gap->marker, marker);
    assert_number(gap->total_us, length, 0);
}

static void a_gap_is_charged_to_the_op_behind_it(void **state)
{
    (void)state;
    static const struct gap_input events[] = {{0, 10, OP_A}, {15, 20, OP_B}, {20, 30, OP_A}};
    scoped_arena arena;
    struct gap_list list = gaps_run(events, 3, &arena);
    assert_int_equal(list.count, 1);
    gap_check(&list.items[0], OP_B, OP_B, 5);
}

static void a_nested_op_does_not_end_the_busy_time(void **state)
{
    (void)state;
    static const struct gap_input events[] = {
        {0, 10, OP_A}, {1, 2, OP_B}, {9, 9.5, OP_B}, {10, 11, OP_A}};
    scoped_arena arena;
    struct gap_list list = gaps_run(events, 4, &arena);
    assert_int_equal(list.count, 0);
}

static void a_marker_passes_its_gap_on_to_the_next_real_op(void **state)
{
    (void)state;
    static const struct gap_input events[] = {
        {0, 10, OP_A}, {15, 16, OP_MARK}, {16, 17, OP_MARK}, {17, 20, OP_B}};
    scoped_arena arena;
    struct gap_list list = gaps_run(events, 4, &arena);
    assert_int_equal(list.count, 1);
    gap_check(&list.items[0], OP_B, OP_MARK, 5);
}

static void a_marker_whose_chain_breaks_keeps_its_gap(void **state)
{
    (void)state;
    static const struct gap_input events[] = {{0, 10, OP_A}, {15, 16, OP_MARK}, {17, 20, OP_B}};
    scoped_arena arena;
    struct gap_list list = gaps_run(events, 3, &arena);
    assert_int_equal(list.count, 2);
    gap_check(&list.items[0], OP_MARK, OP_MARK, 5);
    gap_check(&list.items[1], OP_B, OP_B, 1);
}

static void a_marker_looks_at_eight_events_and_no_more(void **state)
{
    (void)state;
    for (int markers = 8; markers <= 9; markers++) {
        struct gap_input events[12] = {{0, 10, OP_A}};
        for (int i = 0; i < markers; i++)
            events[1 + i] = (struct gap_input){15 + i, 16 + i, OP_MARK};
        events[1 + markers] = (struct gap_input){15 + markers, 30, OP_B};
        scoped_arena arena;
        struct gap_list list = gaps_run(events, (size_t)markers + 2, &arena);
        assert_int_equal(list.count, 1);
        gap_check(&list.items[0], markers == 8 ? OP_B : OP_MARK, OP_MARK, 5);
    }
}

static void among_equal_starts_the_shortest_is_the_marker(void **state)
{
    (void)state;
    /* Written longest first, as (start, -end) asks. */
    static const struct gap_input events[] = {{0, 10, OP_A}, {15, 30, OP_A}, {15, 20, OP_B}};
    scoped_arena arena;
    struct gap_list list = gaps_run(events, 3, &arena);
    assert_int_equal(list.count, 1);
    gap_check(&list.items[0], OP_B, OP_B, 5);
}

static void many_equal_starts_keep_their_end(void **state)
{
    (void)state;
    struct gap_input events[40] = {{0, 10, OP_A}};
    for (int i = 0; i < 30; i++)
        events[1 + i] = (struct gap_input){15, 100 - i, OP_A};
    events[31] = (struct gap_input){99.5, 120, OP_B}; /* within the longest */
    events[32] = (struct gap_input){121, 122, OP_B};
    scoped_arena arena;
    struct gap_list list = gaps_run(events, 33, &arena);
    assert_int_equal(list.count, 2);
    gap_check(&list.items[0], OP_A, OP_A, 5);
    gap_check(&list.items[1], OP_B, OP_B, 1);
}

/* ---- unions ---------------------------------------------------------------------------------- */

struct masks {
    int64_t time[1 << 3];
};

static void mask_add(void *context, int64_t start, int64_t end, unsigned classes)
{
    struct masks *masks = context;
    masks->time[classes & 7] += end - start;
}

static void a_sweep_tells_who_was_active(void **state)
{
    (void)state;
    struct err err;
    struct spill spill;
    struct interval_list lists[2];
    spill_init(&spill);
    for (int i = 0; i < 2; i++)
        interval_list_init(&lists[i], &spill, NULL);
    static const struct interval first[] = {{0, 10}, {5, 8}, {10, 12}, {20, 30}};
    static const struct interval second[] = {{9, 22}};
    for (size_t i = 0; i < 4; i++)
        assert_true(interval_list_add(&lists[0], first[i].start, first[i].end, &err));
    assert_true(interval_list_add(&lists[1], second[0].start, second[0].end, &err));
    assert_int_equal(lists[0].count, 2); /* what touches is one */
    struct sweep_input inputs[] = {{&lists[0], 0}, {&lists[1], 1}};
    struct masks masks = {{0}};
    struct sweep sweep = {.segment = mask_add, .context = &masks};
    assert_true(sweep_begin(&sweep, inputs, 2, (struct interval){1, 40}, &err));
    assert_true(sweep_add(&sweep, 2, 35, 50, &err)); /* comes on its own, is cut at 40 */
    assert_true(sweep_end(&sweep, &err));
    assert_int_equal(masks.time[1], 8 + 8); /* 1-9, 22-30 */
    assert_int_equal(masks.time[3], 3 + 2); /* 9-12, 20-22 */
    assert_int_equal(masks.time[2], 8);     /* 12-20 */
    assert_int_equal(masks.time[0], 5);     /* 30-35 */
    assert_int_equal(masks.time[4], 5);     /* 35-40 */
    for (int i = 0; i < 2; i++)
        interval_list_done(&lists[i]);
    spill_done(&spill);
}

static void long_lists_go_to_a_file_and_come_back(void **state)
{
    (void)state;
    enum { INTERVALS = 100000 };
    struct err err;
    struct spill spill;
    struct interval_list list;
    spill_init(&spill);
    interval_list_init(&list, &spill, NULL);
    for (int64_t i = 0; i < INTERVALS; i++)
        assert_true(interval_list_add(&list, 10 * i, 10 * i + 3, &err));
    assert_true(spill.fd >= 0);
    assert_true(list.count < INTERVALS / 4);
    for (int round = 0; round < 2; round++) { /* can be read again */
        struct sweep_input input = {&list, 0};
        struct masks masks = {{0}};
        struct sweep sweep = {.segment = mask_add, .context = &masks};
        assert_true(sweep_begin(&sweep, &input, 1, (struct interval){0, 10 * INTERVALS}, &err));
        assert_true(sweep_end(&sweep, &err));
        assert_int_equal(masks.time[1], 3 * INTERVALS);
        assert_int_equal(masks.time[0], 7 * INTERVALS);
    }
    interval_list_done(&list);
    spill_done(&spill);
}

static void ticks_of_doubles_keep_their_order(void **state)
{
    (void)state;
    static const double values[] = {-1e300, -1.5, -1e-320, 0, 1e-320, 0.1, 1.5, 1.7e15, 1e300};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        assert_number(us_of_tick(tick_of_us(values[i])), values[i], 0);
        if (i > 0)
            assert_true(tick_of_us(values[i - 1]) < tick_of_us(values[i]));
    }
    assert_int_equal(tick_of_us(-0.0), tick_of_us(0.0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parents_lose_their_direct_children),
        cmocka_unit_test(equal_intervals_nest_the_first_around_the_second),
        cmocka_unit_test(events_that_partly_overlap_are_siblings),
        cmocka_unit_test(a_gap_is_charged_to_the_op_behind_it),
        cmocka_unit_test(a_nested_op_does_not_end_the_busy_time),
        cmocka_unit_test(a_marker_passes_its_gap_on_to_the_next_real_op),
        cmocka_unit_test(a_marker_whose_chain_breaks_keeps_its_gap),
        cmocka_unit_test(a_marker_looks_at_eight_events_and_no_more),
        cmocka_unit_test(among_equal_starts_the_shortest_is_the_marker),
        cmocka_unit_test(many_equal_starts_keep_their_end),
        cmocka_unit_test(a_sweep_tells_who_was_active),
        cmocka_unit_test(long_lists_go_to_a_file_and_come_back),
        cmocka_unit_test(ticks_of_doubles_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
