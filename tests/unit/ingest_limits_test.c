/* Tests of the bounds of hostile input: each is named when a file goes beyond it, and a file right
 * at it is read.
 */
#include "tests/support/bytes_summary.h"
#include "tests/support/xplane_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_BYTES = 64 << 20 };

/* What a file is made of. */
struct scale {
    int64_t planes, lines, names, events;
};

static void space_make(const struct scale *scale, struct text *space)
{
    text_init(space, XPLANE_BYTES_MOST);
    for (int64_t p = 0; p < scale->planes; p++) {
        scoped_text plane;
        plane_begin(&plane, "/device:TPU:0");
        for (int64_t i = 1; i <= scale->names; i++)
            name_put(&plane, PLANE_EVENT_NAME, i, "fusion");
        for (int64_t i = 0; i < scale->lines; i++) {
            scoped_text line;
            line_begin(&line, 1 + i, "XLA Ops", 0);
            for (int64_t e = 0; e < scale->events; e++)
                event_put(&line, 1, e, 2 * (scale->events - e));
            bytes_put(&plane, PLANE_LINE, &line);
        }
        bytes_put(space, SPACE_PLANE, &plane);
    }
}

/* Summarizes; NULL when that succeeds, else the error's text, which stays until the next call. */
static const char *refusal(const struct text *space, const struct ingest_limits *limits)
{
    static struct err err;
    struct summary summary;
    struct ingest_options options;
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    ingest_options_init(&options);
    options.limits = *limits;
    err = (struct err){0};
    if (bytes_summarize(space, &options, &arena, &summary, &err))
        return NULL;
    assert_int_equal(err.kind, ERR_LIMIT);
    return err.text;
}

/* The file is read at the bound, and refused below it, by name and number. */
static void bound_check(const struct scale *scale, struct ingest_limits at,
                        struct ingest_limits below, const char *name)
{
    scoped_text space;
    space_make(scale, &space);
    const char *text = refusal(&space, &at);
    if (text != NULL)
        fail_msg("at the bound: %s", text);
    text = refusal(&space, &below);
    if (text == NULL)
        fail_msg("%s is not kept", name);
    char option[64] = "--max-";
    const size_t prefix = strlen("max_"), length = strcspn(name, " ");
    (void)snprintf(option + strlen(option), sizeof option - strlen(option), "%.*s ",
                   (int)(length - prefix), name + prefix);
    const char *const parts[] = {name, option, "/proc/self/fd/"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strstr(text, parts[i]) == NULL)
            fail_msg("'%s' does not say '%s'", text, parts[i]);
    }
}

static void every_bound_is_kept_and_named(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        struct scale scale;
        struct ingest_limits at, below;
    } cases[] = {
        {"max_planes = 2", {3, 1, 1, 1}, {.max_planes = 3}, {.max_planes = 2}},
        {"max_lines = 5", {2, 3, 1, 1}, {.max_lines = 6}, {.max_lines = 5}},
        {"max_events = 11", {2, 3, 1, 2}, {.max_events = 12}, {.max_events = 11}},
        {"max_metadata = 6", {1, 1, 7, 1}, {.max_metadata = 7}, {.max_metadata = 6}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        bound_check(&cases[i].scale, cases[i].at, cases[i].below, cases[i].text);
}

static void zero_means_the_default(void **state)
{
    (void)state;
    static const struct scale scale = {2, 2, 3, 2};
    static const struct ingest_limits none = {0};
    scoped_text space;
    space_make(&scale, &space);
    assert_null(refusal(&space, &none));
}

static void events_may_be_nested_so_deeply_and_no_deeper(void **state)
{
    (void)state;
    /* Each event lies in the one before; the depth is looked at once per batch of 256 events. */
    static const struct scale flat = {1, 1, 1, 2000};
    scoped_text space;
    space_make(&flat, &space);
    static const struct ingest_limits deep = {.max_depth = 2000}, shallow = {.max_depth = 1000};
    assert_null(refusal(&space, &deep));
    const char *text = refusal(&space, &shallow);
    assert_non_null(text);
    assert_non_null(strstr(text, "max_depth = 1000"));
}

static void a_long_event_is_refused_by_name(void **state)
{
    (void)state;
    enum { LONG_BYTES = 600 * 1024 };
    char *long_text = malloc(LONG_BYTES + 1);
    assert_non_null(long_text);
    memset(long_text, 'x', LONG_BYTES);
    long_text[LONG_BYTES] = '\0';
    scoped_text space, plane, line, event, stat;
    text_init(&space, XPLANE_BYTES_MOST);
    text_init(&event, XPLANE_BYTES_MOST);
    text_init(&stat, XPLANE_BYTES_MOST);
    plane_begin(&plane, "/device:TPU:0");
    name_put(&plane, PLANE_EVENT_NAME, 1, "fusion");
    name_put(&plane, PLANE_STAT_NAME, 1, "long_name");
    line_begin(&line, 1, "XLA Ops", 0);
    number_put(&stat, STAT_ID, 1);
    string_put(&stat, STAT_STRING_VALUE, long_text);
    number_put(&event, EVENT_ID, 1);
    number_put(&event, EVENT_OFFSET_PS, 0);
    number_put(&event, EVENT_DURATION_PS, 5);
    bytes_put(&event, EVENT_STAT, &stat);
    bytes_put(&line, LINE_EVENT, &event);
    bytes_put(&plane, PLANE_LINE, &line);
    bytes_put(&space, SPACE_PLANE, &plane);
    free(long_text);
    static const struct ingest_limits enough = {.max_string_bytes = LONG_BYTES + 100};
    static const struct ingest_limits few = {.max_string_bytes = LONG_BYTES};
    assert_null(refusal(&space, &enough));
    const char *text = refusal(&space, &few);
    assert_non_null(text);
    assert_non_null(strstr(text, "max_string_bytes = 614400"));
}

/* Lengths that promise more than any file holds are no reason to ask for so much memory. */
static void promised_lengths_cost_nothing(void **state)
{
    (void)state;
    static const char *const files[] = {
        "\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F",     /* a plane of 2^63 - 1 bytes */
        "\x1A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", /* a warning of 2^64 - 1 bytes */
        "\x0A\x0D\x1A\x0B\x22\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", /* an event of as many */
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct err err = {0};
        struct summary summary;
        struct ingest_options options;
        scoped_arena arena;
        scoped_text space;
        arena_init(&arena, ARENA_BYTES);
        ingest_options_init(&options);
        text_init(&space, XPLANE_BYTES_MOST);
        text_add(&space, files[i]);
        assert_false(bytes_summarize(&space, &options, &arena, &summary, &err));
        assert_int_equal(err.kind, ERR_INPUT);
        assert_true(arena.peak_bytes < 1 << 20);
    }
}

/* One message of many parts ends where the budget does, not only once it is unpacked. */
static void a_message_of_many_parts_keeps_to_the_budget(void **state)
{
    (void)state;
    enum { PARTS = 2000000, BUDGET_BYTES = 16 << 20, ENTRY_STAT = 5 };
    scoped_text space, plane, entry, name, none;
    text_init(&space, XPLANE_BYTES_MOST);
    text_init(&entry, XPLANE_BYTES_MOST);
    text_init(&name, XPLANE_BYTES_MOST);
    text_init(&none, XPLANE_BYTES_MOST);
    plane_begin(&plane, "/device:TPU:0");
    for (size_t i = 0; i < PARTS; i++)
        bytes_put(&name, ENTRY_STAT, &none);
    number_put(&entry, 1, 1);
    bytes_put(&entry, 2, &name);
    bytes_put(&plane, PLANE_EVENT_NAME, &entry);
    bytes_put(&space, SPACE_PLANE, &plane);
    struct err err = {0};
    struct summary summary;
    struct ingest_options options;
    scoped_arena arena;
    arena_init(&arena, BUDGET_BYTES);
    ingest_options_init(&options);
    assert_false(bytes_summarize(&space, &options, &arena, &summary, &err));
    assert_int_equal(err.kind, ERR_LIMIT);
    assert_true(arena.peak_bytes <= BUDGET_BYTES);
}

/* What is no XPlane file is refused with a word on what it seems to be. */
static void other_files_are_refused_with_a_hint(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *hint;
    } cases[] = {
        {"\x1F\x8B\x08\x01\x02\x03\x04\x05", "gzip"},
        {"PK\x03\x04 and so on", "zip"},
        {"{\"rows\": 1}", "JSON"},
        {"SQLite format 3", "SQLite"},
        {"version https://git-lfs.github.com/spec/v1", "Git LFS"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct err err = {0};
        struct summary summary;
        struct ingest_options options;
        scoped_arena arena;
        scoped_text space;
        arena_init(&arena, ARENA_BYTES);
        ingest_options_init(&options);
        text_init(&space, XPLANE_BYTES_MOST);
        text_add(&space, cases[i].bytes);
        assert_false(bytes_summarize(&space, &options, &arena, &summary, &err));
        assert_int_equal(err.kind, ERR_INPUT);
        if (strstr(err.text, cases[i].hint) == NULL)
            fail_msg("'%s' says nothing of %s", err.text, cases[i].hint);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bound_is_kept_and_named),
        cmocka_unit_test(zero_means_the_default),
        cmocka_unit_test(events_may_be_nested_so_deeply_and_no_deeper),
        cmocka_unit_test(a_long_event_is_refused_by_name),
        cmocka_unit_test(promised_lengths_cost_nothing),
        cmocka_unit_test(a_message_of_many_parts_keeps_to_the_budget),
        cmocka_unit_test(other_files_are_refused_with_a_hint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
