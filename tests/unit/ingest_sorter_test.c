/* Tests of sorting a line that is out of order, in whatever way: both orders are what qsort makes
 * of them, stable, notes stay with their events, and what cannot be sorted within a window, or
 * within ties as it is read, says so.
 */
#include "ingest/order/sorter.h"
#include "ingest/order/ties.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* A time since 1970, at which doubles tell quarters of a µs. */
static const double EPOCH_US = 1.7e15;

enum { NEAR = 32 * 1024, WINDOW = 64 * 1024, TIED = 128 * 1024 }; /* of the sorter */

/* ---- lines ----------------------------------------------------------------------------------- */

typedef int64_t start_of(int64_t place, int64_t count, uint64_t random);

static int64_t ascending(int64_t place, int64_t count, uint64_t random)
{
    (void)count;
    (void)random;
    return 100 * place;
}

static int64_t descending(int64_t place, int64_t count, uint64_t random)
{
    (void)random;
    return 100 * (count - place);
}

/* Runs of 1,000 in which eight blocks are written in reverse. */
static int64_t blocks_reversed(int64_t place, int64_t count, uint64_t random)
{
    (void)count;
    (void)random;
    int64_t run = place / 1000, block = place % 1000 / 125, within = place % 125;
    return 50000 * (1000 * run + 125 * (7 - block) + within);
}

static int64_t jittered(int64_t place, int64_t count, uint64_t random)
{
    (void)count;
    return 40000 * place + (int64_t)(random % 1000000) - 500000;
}

static int64_t at_random(int64_t place, int64_t count, uint64_t random)
{
    (void)place;
    (void)count;
    return (int64_t)(random >> 24) - (INT64_C(1) << 39);
}

/* Few different starts: many events begin together. */
static int64_t crowded(int64_t place, int64_t count, uint64_t random)
{
    (void)count;
    return 1000000 * (place / 50) + (int64_t)(random % 5) * 1000;
}

static int64_t first_comes_last(int64_t place, int64_t count, uint64_t random)
{
    (void)random;
    return place == count - 1 ? -5 : 100 * place;
}

static int64_t constant(int64_t place, int64_t count, uint64_t random)
{
    (void)place;
    (void)count;
    (void)random;
    return 77;
}

/* ---- checking -------------------------------------------------------------------------------- */

struct line {
    struct event *events; /* op is the place as written */
    int64_t count;
    double base_us;
};

static struct line line_make(start_of *start, int64_t count, double base_us)
{
    struct line line = {calloc((size_t)count + 1, sizeof *line.events), count, base_us};
    uint64_t random = 7;
    assert_non_null(line.events);
    for (int64_t i = 0; i < count; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        int64_t offset = start(i, count, random >> 1), duration = 1 + (int64_t)(random >> 61);
        line.events[i] = (struct event){.start_us = base_us + (double)offset / 1e6,
                                        .duration_us = (double)duration / 1e6,
                                        .offset_ps = offset,
                                        .duration_ps = duration,
                                        .op = (int32_t)i,
                                        .has_note = i % 3 == 0};
    }
    return line;
}

static int by_place(const struct event *a, const struct event *b)
{
    return (a->op > b->op) - (a->op < b->op);
}

static int compare_us(const void *a, const void *b)
{
    const struct event *left = a, *right = b;
    double left_end = left->start_us + left->duration_us;
    double right_end = right->start_us + right->duration_us;
    if (left->start_us != right->start_us)
        return left->start_us < right->start_us ? -1 : 1;
    if (left_end != right_end)
        return left_end > right_end ? -1 : 1;
    return by_place(left, right);
}

static int compare_ps(const void *a, const void *b)
{
    const struct event *left = a, *right = b;
    if (left->offset_ps != right->offset_ps)
        return left->offset_ps < right->offset_ps ? -1 : 1;
    if (left->duration_ps != right->duration_ps)
        return left->duration_ps > right->duration_ps ? -1 : 1;
    return by_place(left, right);
}

static struct event *sorted_copy(const struct line *line,
                                 int (*compare)(const void *, const void *))
{
    size_t bytes = (size_t)line->count * sizeof *line->events;
    struct event *copy = malloc(bytes + 1);
    assert_non_null(copy);
    memcpy(copy, line->events, bytes);
    qsort(copy, (size_t)line->count, sizeof *copy, compare);
    return copy;
}

/* A note tells whose it is. */
static void batch_check(const struct event_batch *batch, const struct event *wanted, size_t count)
{
    const struct event *got = batch->events;
    for (size_t i = 0; i < count; i++) {
        if (got[i].op != wanted[i].op || got[i].has_note != wanted[i].has_note ||
            got[i].start_us != wanted[i].start_us || got[i].duration_us != wanted[i].duration_us ||
            got[i].offset_ps != wanted[i].offset_ps || got[i].duration_ps != wanted[i].duration_ps)
            fail_msg("event %d where %d should be", got[i].op, wanted[i].op);
        if (got[i].has_note && batch->notes[i].correlation.value != got[i].op)
            fail_msg("event %d has the note of %lld", got[i].op,
                     (long long)batch->notes[i].correlation.value);
    }
}

/* Reads into the batch from a place on, as a line is read. */
static size_t batch_fill(struct event_batch *batch, size_t from, const struct line *line,
                         int64_t *at)
{
    for (; from < BATCH_EVENTS && *at < line->count; from++, ++*at) {
        batch->events[from] = line->events[*at];
        batch->notes[from] = (struct event_note){.correlation = some_i64(line->events[*at].op)};
    }
    return from;
}

/* Feeds the sorter until it is ready, late, or fails. */
static bool sorter_feed(struct sorter *sorter, const struct line *line, int64_t *at,
                        struct err *err)
{
    while (sorter_state(sorter) == SORTER_FILLING) {
        struct event_batch batch;
        const size_t count = batch_fill(&batch, 0, line, at);
        if (count == 0 ? !sorter_end(sorter, err) : !sorter_add(sorter, &batch, count, err))
            return false;
    }
    return true;
}

struct outcome {
    bool failed, differed;
    struct err err;
};

/* Sorts the line and compares both orders with what qsort makes. */
static struct outcome sort_check(const struct line *line, bool is_far)
{
    struct outcome outcome = {0};
    static struct two_orders orders;
    struct sorter *sorter = NULL;
    sorter_begin(&sorter, line->base_us, is_far);
    struct event *in_us = sorted_copy(line, compare_us), *in_ps = sorted_copy(line, compare_ps);
    int64_t at = 0, seen = 0;
    size_t count = 1;
    while (count > 0) {
        outcome.failed = !sorter_feed(sorter, line, &at, &outcome.err);
        if (outcome.failed)
            break;
        assert_int_equal(sorter_state(sorter), SORTER_READY);
        outcome.failed = !sorter_next(sorter, &orders, &outcome.err);
        count = orders.count;
        if (outcome.failed)
            break;
        batch_check(&orders.us, in_us + seen, count);
        outcome.differed = outcome.differed || orders.differs;
        batch_check(orders_ps(&orders), in_ps + seen, count);
        seen += (int64_t)count;
    }
    if (!outcome.failed)
        assert_int_equal(seen, line->count);
    bool same = memcmp(in_us, line->events, (size_t)line->count * sizeof *in_us) == 0;
    if (seen == line->count)
        assert_int_equal(sorter_saw_disorder_us(sorter), !same);
    free(in_us);
    free(in_ps);
    sorter_free(sorter);
    return outcome;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static const int64_t counts[] = {
    0, 1, 2, 255, 257, 3000, NEAR - 256, NEAR, WINDOW - 256, WINDOW, 3 * WINDOW + 5};
static const double bases[] = {0, 1.7e15};

static void disorder_nearby_is_sorted_in_a_window(void **state)
{
    (void)state;
    static start_of *const starts[] = {ascending, blocks_reversed, jittered, crowded};
    for (size_t s = 0; s < sizeof starts / sizeof starts[0]; s++) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            struct line line = line_make(starts[s], counts[c], bases[(s + c) % 2]);
            struct outcome outcome = sort_check(&line, false);
            assert_false(outcome.failed);
            free(line.events);
        }
    }
}

static void disorder_anywhere_is_sorted_altogether(void **state)
{
    (void)state;
    static start_of *const starts[] = {ascending,        descending, blocks_reversed, jittered,
                                       first_comes_last, at_random,  crowded};
    for (size_t s = 0; s < sizeof starts / sizeof starts[0]; s++) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            struct line line = line_make(starts[s], counts[c], bases[(s + c) % 2]);
            struct outcome outcome = sort_check(&line, true);
            assert_false(outcome.failed);
            free(line.events);
        }
    }
}

static void orders_differ_only_where_times_round_to_the_same(void **state)
{
    (void)state;
    struct line exact = line_make(crowded, 3000, 0), rounded = line_make(crowded, 3000, EPOCH_US);
    assert_false(sort_check(&exact, false).differed);
    assert_true(sort_check(&rounded, false).differed);
    free(exact.events);
    free(rounded.events);
}

/* Whether the sorter finds out that its window is too small, whatever it hands over until then. */
static bool is_late(start_of *start, int64_t count)
{
    struct err err;
    static struct two_orders orders;
    struct line line = line_make(start, count, 0);
    struct sorter *sorter = NULL;
    sorter_begin(&sorter, 0, false);
    int64_t at = 0;
    size_t got = 1;
    assert_true(sorter_feed(sorter, &line, &at, &err));
    while (sorter_state(sorter) == SORTER_READY && got > 0) {
        assert_true(sorter_next(sorter, &orders, &err));
        got = orders.count;
        assert_true(sorter_feed(sorter, &line, &at, &err));
    }
    bool late = sorter_state(sorter) == SORTER_LATE;
    sorter_free(sorter);
    free(line.events);
    return late;
}

static void an_event_that_is_later_than_the_window_is_noticed(void **state)
{
    (void)state;
    assert_true(is_late(first_comes_last, 2 * WINDOW));
    assert_true(is_late(descending, 2 * WINDOW));
    assert_true(is_late(constant, 2 * WINDOW));
    assert_false(is_late(first_comes_last, NEAR / 2));
    assert_false(is_late(ascending, 2 * WINDOW));
}

static void more_than_fits_at_one_time_is_refused(void **state)
{
    (void)state;
    struct line line = line_make(constant, TIED + 1, 0);
    struct outcome outcome = sort_check(&line, true);
    assert_true(outcome.failed);
    assert_int_equal(outcome.err.kind, ERR_LIMIT);
    assert_non_null(strstr(outcome.err.text, "begin at the same time"));
    line.count = TIED;
    assert_false(sort_check(&line, true).failed);
    line.count = NEAR / 2;
    assert_false(sort_check(&line, false).failed);
    free(line.events);
}

/* ---- ties ------------------------------------------------------------------------------------ */

/* Puts the line in order of picoseconds, which then counts as the one in which it is written. */
static void line_sort(struct line *line)
{
    qsort(line->events, (size_t)line->count, sizeof *line->events, compare_ps);
    for (int64_t i = 0; i < line->count; i++)
        line->events[i].op = (int32_t)i;
}

/* Orders a line as it is read; false: it is late. in_us is what comes out where it is not. */
static bool ties_pass(const struct line *line, const struct event *in_us, bool *ret_any)
{
    static struct ties ties;
    static struct two_orders orders;
    int64_t at = 0, seen = 0;
    size_t count = 1;
    ties_begin(&ties);
    while (count > 0) {
        ties_resume(&ties, &orders);
        const size_t from = orders.count;
        orders.count = batch_fill(&orders.us, from, line, &at);
        if (!ties_order(&ties, from, &orders))
            return false;
        count = orders.count;
        if (in_us != NULL) {
            batch_check(&orders.us, in_us + seen, count);
            batch_check(orders_ps(&orders), line->events + seen, count);
        }
        seen += (int64_t)count;
    }
    assert_int_equal(seen, line->count);
    *ret_any = ties.any;
    return true;
}

/* Compares both orders with what qsort makes. */
static void ties_check(const struct line *line)
{
    bool any;
    struct event *in_us = sorted_copy(line, compare_us);
    assert_true(ties_pass(line, in_us, &any));
    assert_int_equal(any, memcmp(in_us, line->events, (size_t)line->count * sizeof *in_us) != 0);
    free(in_us);
}

static bool ties_are_late(const struct line *line)
{
    bool any;
    return !ties_pass(line, NULL, &any);
}

static void what_ties_in_us_is_put_in_order_as_it_is_read(void **state)
{
    (void)state;
    static start_of *const starts[] = {jittered, at_random, crowded};
    for (size_t s = 0; s < sizeof starts / sizeof starts[0]; s++) {
        for (size_t c = 0; c < 6; c++) {
            for (size_t b = 0; b < sizeof bases / sizeof bases[0]; b++) {
                struct line line = line_make(starts[s], counts[c], bases[b]);
                line_sort(&line);
                ties_check(&line);
                free(line.events);
            }
        }
    }
}

/* As many as there may be, where they are in order. */
static void ties_of_more_than_a_batch_are_late_only_out_of_order(void **state)
{
    (void)state;
    struct line line = line_make(constant, 2000, EPOCH_US);
    line_sort(&line);
    ties_check(&line);
    line.events[1999].offset_ps++;
    line.events[1999].duration_us = 1;
    line.events[1999].duration_ps = 1000000;
    assert_true(ties_are_late(&line));
    free(line.events);
}

static void what_is_not_in_order_of_picoseconds_is_late(void **state)
{
    (void)state;
    static start_of *const starts[] = {descending, blocks_reversed, jittered, first_comes_last};
    for (size_t s = 0; s < sizeof starts / sizeof starts[0]; s++) {
        struct line line = line_make(starts[s], 3000, bases[s % 2]);
        assert_true(ties_are_late(&line));
        free(line.events);
    }
    struct line line = line_make(ascending, 3000, 0); /* doubles of its own, as a trace may have */
    line.events[2000].start_us = line.events[1998].start_us;
    assert_true(ties_are_late(&line));
    free(line.events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disorder_nearby_is_sorted_in_a_window),
        cmocka_unit_test(disorder_anywhere_is_sorted_altogether),
        cmocka_unit_test(orders_differ_only_where_times_round_to_the_same),
        cmocka_unit_test(an_event_that_is_later_than_the_window_is_noticed),
        cmocka_unit_test(more_than_fits_at_one_time_is_refused),
        cmocka_unit_test(what_ties_in_us_is_put_in_order_as_it_is_read),
        cmocka_unit_test(ties_of_more_than_a_batch_are_late_only_out_of_order),
        cmocka_unit_test(what_is_not_in_order_of_picoseconds_is_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
