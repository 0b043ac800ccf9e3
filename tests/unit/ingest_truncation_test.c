/* Tests of files that end too early: a copy that broke off, at every byte that it can break off at.
 */
#include "tests/support/bytes_summary.h"
#include "tests/support/xplane_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

enum { ARENA_BYTES = 16 << 20 };

static void device_put(struct text *space)
{
    scoped_text plane, ops, steps;
    plane_begin(&plane, "/device:TPU:0");
    name_put(&plane, PLANE_STAT_NAME, 1, "run_id");
    name_put(&plane, PLANE_EVENT_NAME, 1, "fusion.1");
    name_put(&plane, PLANE_EVENT_NAME, 2, "7");
    line_begin(&ops, 1, "XLA Ops", 1000);
    event_put(&ops, 1, 0, 5000000);
    counted_event_put(&ops, 1, (int64_t[]){6000000, 300}, (int64_t[]){1, 42});
    bytes_put(&plane, PLANE_LINE, &ops);
    line_begin(&steps, 2, "Steps", 1000);
    event_put(&steps, 2, 0, 7000000);
    bytes_put(&plane, PLANE_LINE, &steps);
    bytes_put(space, SPACE_PLANE, &plane);
}

static void host_put(struct text *space)
{
    scoped_text plane, line;
    plane_begin(&plane, "/host:CPU");
    line_begin(&line, 1, "main", 1000);
    event_put(&line, 1, 10, 20);
    bytes_put(&plane, PLANE_LINE, &line);
    name_put(&plane, PLANE_EVENT_NAME, 1, "run");
    bytes_put(space, SPACE_PLANE, &plane);
}

/* A device and a host; *ret_first_end is where the device's plane ends. */
static void space_make(struct text *space, size_t *ret_first_end)
{
    text_init(space, XPLANE_BYTES_MOST);
    device_put(space);
    *ret_first_end = space->length;
    host_put(space);
}

struct outcome {
    bool summarized;
    struct err err;
    int64_t events, bytes_unread;
    bool says_so;
};

static bool has_warning(const struct string_list *warnings, const char *part)
{
    for (size_t i = 0; i < warnings->count; i++) {
        if (strstr(warnings->items[i], part) != NULL)
            return true;
    }
    return false;
}

static struct outcome outcome_of(const struct text *bytes, bool strict)
{
    struct outcome outcome = {0};
    struct ingest_options options;
    struct summary summary;
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    ingest_options_init(&options);
    options.strict_input = strict;
    outcome.summarized = bytes_summarize(bytes, &options, &arena, &summary, &outcome.err);
    if (outcome.summarized) {
        outcome.events = summary.trace_overview.num_events_total;
        outcome.bytes_unread = summary.coverage.bytes_unread;
        outcome.says_so = has_warning(&summary.coverage.warnings, "ends early");
    }
    return outcome;
}

/* The first `length` bytes of a file, cut off unless they are a file of their own. */
static void cut_check(const struct text *whole, size_t length, bool is_a_file)
{
    struct text part = *whole;
    part.length = length;
    struct outcome strict = outcome_of(&part, true), lenient = outcome_of(&part, false);
    if (strict.summarized != is_a_file)
        fail_msg("--strict-input: cut after %zu of %zu bytes", length, whole->length);
    if (!is_a_file) {
        assert_int_equal(strict.err.kind, ERR_INPUT);
        assert_non_null(strstr(strict.err.text, "cut off"));
    }
    if (!lenient.summarized) {
        assert_int_equal(lenient.err.kind, ERR_INPUT);
        assert_non_null(strstr(lenient.err.text, "cut off"));
        return;
    }
    if (lenient.says_so == is_a_file)
        fail_msg("not strict: cut after %zu of %zu bytes", length, whole->length);
    assert_true(lenient.says_so || lenient.bytes_unread == 0);
}

static void a_cut_anywhere_is_told(void **state)
{
    (void)state;
    size_t first_end;
    scoped_text space;
    space_make(&space, &first_end);
    for (size_t length = 1; length <= space.length; length++) /* an empty one is another case */
        cut_check(&space, length, length == first_end || length == space.length);
}

static void what_is_whole_before_the_cut_is_read(void **state)
{
    (void)state;
    size_t first_end;
    int64_t before = 0;
    scoped_text space;
    space_make(&space, &first_end);
    struct text part = space;
    for (part.length = 0; part.length <= space.length; part.length++) {
        struct outcome outcome = outcome_of(&part, false);
        if (!outcome.summarized)
            continue;
        assert_in_range(outcome.events, before, 4);
        before = outcome.events;
    }
    assert_int_equal(before, 4); /* two ops, a step, a host event */
}

static void a_file_cut_before_its_first_event_is_refused(void **state)
{
    (void)state;
    size_t first_end;
    scoped_text space;
    space_make(&space, &first_end);
    space.length = 20; /* within the names */
    struct outcome outcome = outcome_of(&space, false);
    assert_false(outcome.summarized);
    assert_int_equal(outcome.err.kind, ERR_INPUT);
    assert_non_null(strstr(outcome.err.text, "cut off at byte 20"));
}

/* Refused, strictly or not, and not because the file ends. */
static void broken_check(const struct text *space)
{
    struct outcome strict = outcome_of(space, true), lenient = outcome_of(space, false);
    assert_false(strict.summarized);
    assert_false(lenient.summarized);
    assert_int_equal(strict.err.kind, ERR_INPUT);
    assert_int_equal(lenient.err.kind, ERR_INPUT);
    assert_null(strstr(lenient.err.text, "cut off"));
}

/* A profiler never writes an event that is longer than its line, so the end of the file is not to
 * blame. */
static void what_is_longer_than_what_it_lies_in_is_not_cut_off_but_broken(void **state)
{
    (void)state;
    static const char name[] = "Steps", event[] = "\x08\x02\x10\x00";
    size_t first_end;
    scoped_text space;
    space_make(&space, &first_end);
    char *found = memmem(space.data, space.length, name, sizeof name - 1);
    assert_non_null(found);
    found[-1]++; /* the length in front: what follows the name reads as something else */
    broken_check(&space);
    found[-1]--;
    found = memmem(space.data, space.length, event, sizeof event - 1);
    assert_non_null(found);
    found[-1]++;
    broken_check(&space);
}

static void any_changed_byte_is_an_error_or_a_summary(void **state)
{
    (void)state;
    static const uint8_t masks[] = {0x01, 0x80, 0xFF};
    size_t first_end;
    scoped_text space;
    space_make(&space, &first_end);
    for (size_t i = 0; i < space.length; i++) {
        for (size_t m = 0; m < sizeof masks; m++) {
            space.data[i] = (char)(space.data[i] ^ masks[m]);
            struct outcome outcome = outcome_of(&space, false);
            space.data[i] = (char)(space.data[i] ^ masks[m]);
            if (!outcome.summarized)
                assert_true(outcome.err.kind == ERR_INPUT || outcome.err.kind == ERR_LIMIT);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cut_anywhere_is_told),
        cmocka_unit_test(what_is_whole_before_the_cut_is_read),
        cmocka_unit_test(a_file_cut_before_its_first_event_is_refused),
        cmocka_unit_test(what_is_longer_than_what_it_lies_in_is_not_cut_off_but_broken),
        cmocka_unit_test(any_changed_byte_is_an_error_or_a_summary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
