/* Tests of ingest/wire/cursor: what lies across the edge of a read window, and where messages end.
 */
#include "ingest/wire/cursor.h"
#include "ingest/wire/limits.h"
#include "tests/support/bytes_summary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>
#include <unistd.h>

enum { MAX_BYTES = 1 << 20, EDGE_MOST = 12 };

struct opened {
    char path[BYTES_PATH_MOST];
    int fd;
    struct input input;
    struct cursor cursor;
};

/* A cursor over all of bytes[length], as a file. */
static void opened_init(struct opened *opened, const void *bytes, size_t length)
{
    struct err err;
    opened->fd = bytes_file_open(bytes, length, opened->path);
    assert_true(input_open(opened->path, &opened->input, &err));
    cursor_init(&opened->cursor, &opened->input, MAX_BYTES);
    cursor_seek(&opened->cursor, 0, (int64_t)length);
}

static void opened_done(struct opened *opened)
{
    cursor_done(&opened->cursor);
    input_close(&opened->input);
    (void)close(opened->fd);
}

static uint8_t file[2 * WINDOW_BYTES];

static void numbers_across_the_edge_of_a_window_are_whole(void **state)
{
    (void)state;
    static const uint8_t largest[] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01};
    struct err err;
    for (size_t before = 0; before <= EDGE_MOST; before++) {
        struct opened opened;
        uint64_t value = 0;
        memset(file, 1, sizeof file);
        memcpy(file + WINDOW_BYTES - before, largest, sizeof largest);
        opened_init(&opened, file, sizeof file);
        assert_true(cursor_varint(&opened.cursor, &value, &err)); /* fills the first window */
        assert_true(cursor_skip(&opened.cursor, WINDOW_BYTES - before - 1, &err));
        assert_true(cursor_varint(&opened.cursor, &value, &err));
        assert_true(value == UINT64_MAX);
        assert_int_equal(cursor_offset(&opened.cursor), WINDOW_BYTES - before + sizeof largest);
        opened_done(&opened);
    }
}

static void a_field_larger_than_the_window_is_held_whole(void **state)
{
    (void)state;
    struct opened opened;
    struct err err;
    for (size_t i = 0; i < sizeof file; i++)
        file[i] = (uint8_t)(i % 251);
    opened_init(&opened, file, sizeof file);
    assert_true(cursor_skip(&opened.cursor, 7, &err));
    assert_true(cursor_need(&opened.cursor, WINDOW_BYTES + 100, &err));
    assert_memory_equal(opened.cursor.p, file + 7, WINDOW_BYTES + 100);
    opened_done(&opened);
}

static void a_field_beyond_the_bound_is_a_limit(void **state)
{
    (void)state;
    struct opened opened;
    struct err err = {0};
    opened_init(&opened, file, sizeof file);
    opened.cursor.max_bytes = WINDOW_BYTES;
    assert_false(cursor_need(&opened.cursor, WINDOW_BYTES + 1, &err));
    assert_int_equal(err.kind, ERR_LIMIT);
    assert_non_null(strstr(err.text, "max_string_bytes"));
    opened_done(&opened);
}

static void skipping_reads_nothing_and_stops_at_the_end(void **state)
{
    (void)state;
    struct opened opened;
    struct err err = {0};
    opened_init(&opened, file, sizeof file);
    assert_true(cursor_skip(&opened.cursor, sizeof file, &err));
    assert_true(cursor_at_end(&opened.cursor));
    assert_int_equal(opened.cursor.filled, 0);
    assert_true(cursor_skip(&opened.cursor, 0, &err));
    assert_false(cursor_skip(&opened.cursor, 1, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_true(opened.cursor.ran_out);
    opened_done(&opened);
}

static void a_message_ends_where_its_length_says(void **state)
{
    (void)state;
    /* A message of two bytes, and a number that would run on behind it. */
    static const uint8_t bytes[] = {0x02, 0x05, 0x80, 0x01, 0x07};
    struct opened opened;
    struct err err = {0};
    uint64_t length, value;
    opened_init(&opened, bytes, sizeof bytes);
    assert_true(cursor_length(&opened.cursor, &length, &err));
    int64_t outer = cursor_enter(&opened.cursor, length);
    assert_true(cursor_varint(&opened.cursor, &value, &err));
    assert_int_equal(value, 5);
    assert_false(cursor_varint(&opened.cursor, &value, &err)); /* though 0x01 follows in the file */
    assert_non_null(strstr(err.text, "byte 2"));
    assert_true(cursor_skip(&opened.cursor, 1, &err));
    assert_true(cursor_at_end(&opened.cursor));
    cursor_leave(&opened.cursor, outer);
    assert_false(cursor_at_end(&opened.cursor));
    assert_true(cursor_varint(&opened.cursor, &value, &err));
    assert_int_equal(value, 1);
    opened_done(&opened);
}

static void lengths_beyond_the_message_are_refused(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, 0};
    struct opened opened;
    struct err err = {0};
    uint64_t length;
    opened_init(&opened, bytes, sizeof bytes);
    assert_false(cursor_length(&opened.cursor, &length, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_true(opened.cursor.ran_out);
    opened_done(&opened);
}

static void a_file_that_shrinks_is_an_error(void **state)
{
    (void)state;
    struct opened opened;
    struct err err = {0};
    opened_init(&opened, file, sizeof file);
    assert_int_equal(ftruncate(opened.fd, 10), 0);
    assert_true(cursor_need(&opened.cursor, 10, &err));
    assert_false(cursor_need(&opened.cursor, 11, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_non_null(strstr(err.text, "shorter"));
    opened_done(&opened);
}

static void only_regular_files_are_opened(void **state)
{
    (void)state;
    struct input input;
    struct err err = {0};
    assert_false(input_open("/tmp", &input, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_false(input_open("/dev/zero", &input, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_false(input_open("/nowhere/x.xplane.pb", &input, &err));
    assert_int_equal(err.kind, ERR_MISSING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_across_the_edge_of_a_window_are_whole),
        cmocka_unit_test(a_field_larger_than_the_window_is_held_whole),
        cmocka_unit_test(a_field_beyond_the_bound_is_a_limit),
        cmocka_unit_test(skipping_reads_nothing_and_stops_at_the_end),
        cmocka_unit_test(a_message_ends_where_its_length_says),
        cmocka_unit_test(lengths_beyond_the_message_are_refused),
        cmocka_unit_test(a_file_that_shrinks_is_an_error),
        cmocka_unit_test(only_regular_files_are_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
