/* Events that are kept aside come back as they were, from memory and from the temporary file. */
#include "ingest/order/order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { LINES = 7, ARENA_BYTES = 32 << 20 };

/* Event number `index` of a line: with and without a note, with times that follow from picoseconds
 * and with others, in no order. */
static struct event event_of(double base_us, int line, int64_t index, struct event_note *note)
{
    const int64_t offset = (index * 7919 % 100003 - 50000) * (index % 11 == 0 ? 1000000007 : 13);
    struct event event = {.offset_ps = offset,
                          .duration_ps = 1 + index * line,
                          .op = (int32_t)(index % 5000),
                          .has_note = index % 3 == 0};
    event.start_us = base_us + (double)event.offset_ps / 1e6 + (index % 17 == 0 ? 0.25 : 0);
    event.duration_us = (double)event.duration_ps / 1e6;
    *note = (struct event_note){0};
    if (index % 2 == 0)
        note->run_id = (struct run_id){true, index % 4 == 0 ? 77 : 0, index % 4 == 0 ? 0 : -index};
    if (index % 5 == 0)
        note->step = some_i64(index * (line - 3));
    if (index % 7 == 0)
        note->correlation = some_i64(INT64_MAX - index);
    note->is_root = index % 6 == 0;
    return event;
}

static void check_note(const struct event_note *note, const struct event_note *wanted)
{
    assert_int_equal(note->run_id.set, wanted->run_id.set);
    assert_int_equal(note->run_id.text, wanted->run_id.text);
    assert_int_equal(note->run_id.number, wanted->run_id.number);
    assert_int_equal(note->step.set, wanted->step.set);
    assert_int_equal(note->step.value, wanted->step.value);
    assert_int_equal(note->correlation.set, wanted->correlation.set);
    assert_int_equal(note->correlation.value, wanted->correlation.value);
    assert_int_equal(note->is_root, wanted->is_root);
}

static void check_line(const struct event_store *store, struct stored_reader *reader, int line,
                       int64_t count)
{
    static struct event_batch batch;
    const struct event *events = batch.events;
    struct err err = {0};
    int64_t read = 0;
    stored_reader_open(reader, store, line);
    for (;;) {
        size_t got = 0;
        assert_true(stored_reader_next(reader, &batch, &got, &err));
        if (got == 0)
            break;
        for (size_t i = 0; i < got; i++, read++) {
            struct event_note note;
            struct event wanted = event_of(store->base_us, line, read, &note);
            assert_true(events[i].start_us == wanted.start_us);
            assert_true(events[i].duration_us == wanted.duration_us);
            assert_int_equal(events[i].offset_ps, wanted.offset_ps);
            assert_int_equal(events[i].duration_ps, wanted.duration_ps);
            assert_int_equal(events[i].op, wanted.op);
            assert_int_equal(events[i].has_note, wanted.has_note);
            if (wanted.has_note)
                check_note(&batch.notes[i], &note);
        }
    }
    assert_int_equal(read, count);
    assert_int_equal(stored_reader_offset(reader), event_store_bytes(store, line));
}

static void check_store(int64_t count, double base_us)
{
    struct err err = {0};
    struct event_store store;
    struct stored_reader reader = {0};
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    event_store_init(&store, &arena);
    store.base_us = base_us;
    for (int line = 0; line < LINES; line++)
        assert_int_equal(event_store_line(&store), line);
    for (int64_t i = 0; i < count; i++) {
        for (int line = 1; line < LINES; line++) { /* one line stays empty */
            struct event_note note;
            struct event event = event_of(base_us, line, i, &note);
            assert_true(event_store_add(&store, line, &event, &note, &err));
        }
    }
    assert_true(event_store_finish(&store, &err));
    assert_true(store.held_bytes < 8 << 20);
    for (int line = 0; line < LINES; line++)
        check_line(&store, &reader, line, line == 0 ? 0 : count);
    stored_reader_done(&reader);
    event_store_done(&store);
}

static void few_events_stay_in_memory(void **state)
{
    (void)state;
    check_store(0, 0);
    check_store(1, 0);
    check_store(300, 1.5e15);
}

static void many_come_back_from_the_temporary_file(void **state)
{
    (void)state;
    check_store(100000, 0);
    check_store(50000, 1719853884123456.0);
}

/* However many lines a file has, what they hold in memory is bounded. */
static void many_lines_hold_little(void **state)
{
    enum { MANY = 60000 };
    (void)state;
    struct err err = {0};
    struct event_store store;
    struct event_note note = {0};
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    event_store_init(&store, &arena);
    for (int32_t line = 0; line < MANY; line++) {
        struct event event = {.offset_ps = line, .duration_ps = 1, .duration_us = 1e-6};
        event.start_us = (double)line / 1e6;
        assert_int_equal(event_store_line(&store), line);
        assert_true(event_store_add(&store, line, &event, &note, &err));
        assert_true(store.held_bytes < 5 << 20);
    }
    assert_true(event_store_finish(&store, &err));
    struct stored_reader reader = {0};
    for (int32_t line = 0; line < MANY; line += 999) {
        static struct event_batch batch;
        size_t count = 0;
        stored_reader_open(&reader, &store, line);
        assert_true(stored_reader_next(&reader, &batch, &count, &err));
        assert_int_equal(count, 1);
        assert_int_equal(batch.events[0].offset_ps, line);
    }
    stored_reader_done(&reader);
    event_store_done(&store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_events_stay_in_memory),
        cmocka_unit_test(many_come_back_from_the_temporary_file),
        cmocka_unit_test(many_lines_hold_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
