/* Tests of summarizing what nobody should have to read: lengths that lie, endless nesting, options
 * that contradict the file, too small a budget. Cut-off files, bounds and failing allocations have
 * tests of their own.
 */
#include "ingest/ingest.h"
#include "ops/runtime/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FILE_MOST_BYTES = 1 << 20, MEMORY_BYTES = 64 << 20 };

/* A copy of a made input in a file without a name. */
struct fixture {
    char *bytes;
    size_t length;
    int fd;
    char path[32];
    struct arena arena;
};

static int fixture_make(void **state, const char *path)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct err err = {0};
    arena_init(&fixture->arena, FILE_MOST_BYTES);
    assert_true(file_read(path, FILE_MOST_BYTES / 2, &fixture->arena, &fixture->bytes,
                          &fixture->length, &err));
    fixture->fd = memfd_create("input", MFD_CLOEXEC);
    assert_true(fixture->fd >= 0);
    (void)snprintf(fixture->path, sizeof fixture->path, "/proc/self/fd/%d", fixture->fd);
    *state = fixture;
    return 0;
}

static int nesting_make(void **state)
{
    return fixture_make(state, "tests/golden/made/nesting.xplane.pb");
}

static int rules_make(void **state)
{
    return fixture_make(state, "tests/golden/made/protobuf_rules.xplane.pb");
}

static int fixture_drop(void **state)
{
    struct fixture *fixture = *state;
    (void)close(fixture->fd);
    arena_done(&fixture->arena);
    free(fixture);
    return 0;
}

static void fixture_write(struct fixture *fixture, const void *bytes, size_t length)
{
    assert_int_equal(ftruncate(fixture->fd, 0), 0);
    assert_int_equal(pwrite(fixture->fd, bytes, length, 0), (ssize_t)length);
}

/* Summarizes the fixture's file within a budget. */
static bool summarize(const struct fixture *fixture, const struct ingest_options *options,
                      size_t budget, struct arena *arena, struct summary *ret_summary,
                      struct err *err)
{
    struct profile_files files;
    arena_init(arena, budget);
    *err = (struct err){0};
    return ingest_file(fixture->path, arena, &files, err) &&
           ingest_summarize(&files, options, arena, ret_summary, err);
}

static void a_length_that_lies_is_no_cut(void **state)
{
    struct fixture *fixture = *state;
    /* A message whose length goes beyond the one around it, which is whole. */
    static const struct {
        uint8_t bytes[12];
        size_t length;
    } cases[] = {
        {{0x0A, 0x04, 0x1A, 0x09, 0x08, 0x01, 0x12, 0x01, 'e'}, 9}, /* a line in its plane */
        {{0x0A, 0x06, 0x1A, 0x04, 0x22, 0x00, 0x22, 0x09}, 8},      /* an event in its line */
        {{0x0A, 0x06, 0x1A, 0x02, 0x22, 0x00, 0x12, 0x03}, 8},      /* a name in its plane */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ingest_options options;
        scoped_arena arena;
        struct summary summary;
        struct err err;
        ingest_options_init(&options);
        fixture_write(fixture, cases[i].bytes, cases[i].length);
        assert_false(summarize(fixture, &options, MEMORY_BYTES, &arena, &summary, &err));
        assert_int_equal(err.kind, ERR_INPUT);
        assert_non_null(strstr(err.text, "past the end"));
    }
}

static void groups_nested_ten_thousand_deep_are_refused(void **state)
{
    struct fixture *fixture = *state;
    enum { DEPTH = 10000 };
    static const uint8_t begin[] = {0x83, 0x01}, end[] = {0x84, 0x01}; /* of a group, field 16 */
    uint8_t bytes[2 * 2 * DEPTH];
    struct ingest_options options;
    scoped_arena arena;
    struct summary summary;
    struct err err;
    ingest_options_init(&options);
    for (size_t i = 0; i < 2 * DEPTH; i++)
        memcpy(bytes + 2 * i, i < DEPTH ? begin : end, 2);
    fixture_write(fixture, bytes, sizeof bytes);
    assert_false(summarize(fixture, &options, MEMORY_BYTES, &arena, &summary, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_non_null(strstr(err.text, "too deeply"));
}

static void refuses_to_pass_its_budget(void **state)
{
    struct fixture *fixture = *state;
    bool done = false;
    int refusals = 0;
    fixture_write(fixture, fixture->bytes, fixture->length);
    for (size_t budget = 1024; !done; budget += budget / 4) {
        struct ingest_options options;
        scoped_arena arena;
        struct summary summary;
        struct err err;
        ingest_options_init(&options);
        options.mode = refusals % 2 == 0 ? BREAKDOWN_PER_TRACK : BREAKDOWN_GLOBAL;
        done = summarize(fixture, &options, budget, &arena, &summary, &err);
        refusals += !done;
        assert_true(done || err.kind == ERR_LIMIT);
        assert_true(arena.peak_bytes <= budget);
        assert_true(budget < MEMORY_BYTES);
    }
    assert_true(refusals > 5);
}

static void contradictions_between_option_and_file_name_both(void **state)
{
    struct fixture *fixture = *state;
    static const struct fact wrong = {"device_count", "7", "option"};
    static const struct fact odd = {"device_count", "many", "option"};
    static const struct fact *const metas[] = {&wrong, &odd};
    fixture_write(fixture, fixture->bytes, fixture->length);
    for (size_t i = 0; i < 2; i++) {
        struct ingest_options options;
        scoped_arena arena;
        struct summary summary;
        struct err err;
        ingest_options_init(&options);
        options.meta = metas[i];
        options.meta_count = 1;
        assert_false(summarize(fixture, &options, MEMORY_BYTES, &arena, &summary, &err));
        assert_int_equal(err.kind, ERR_INPUT);
        assert_non_null(strstr(err.text, "device_count="));
    }
}

#define FILE_TEST(name, make) cmocka_unit_test_setup_teardown(name, make, fixture_drop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FILE_TEST(a_length_that_lies_is_no_cut, rules_make),
        FILE_TEST(groups_nested_ten_thousand_deep_are_refused, rules_make),
        FILE_TEST(refuses_to_pass_its_budget, nesting_make),
        FILE_TEST(contradictions_between_option_and_file_name_both, nesting_make),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
