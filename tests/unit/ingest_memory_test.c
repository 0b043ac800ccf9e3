/* Torture: every allocation of a summary fails once, one after the other, until none is left to
 * fail. Each failure is one clear error and leaks nothing (the sanitizers see to that), and what
 * comes after it succeeds.
 *
 * Link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
 */
#include "ops/runtime/json.h"
#include "tests/support/bytes_summary.h"
#include "tests/support/xplane_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include <dirent.h>
#include <unistd.h>
#include <string.h>

enum { ARENA_BYTES = 64 << 20, ROUNDS_MAX = 20000, STACK_DEPTH = 80, STEPS = 8 };

static long allocations_left = -1; /* below 0: all succeed */
static bool fails_for_good;        /* from then on, or just once */
static bool has_failed;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static bool is_refused(void)
{
    if (allocations_left < 0)
        return false;
    if (allocations_left > 0) {
        allocations_left--;
        return false;
    }
    has_failed = true;
    allocations_left = fails_for_good ? 0 : -1;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return is_refused() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return is_refused() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return is_refused() ? NULL : __real_realloc(memory, size);
}

/* ---- a file that needs all kinds of memory --------------------------------------------------- */

static void names_put(struct text *plane)
{
    static const char *const names[] = {"%fusion.1 = f32[8,8]{1,0} fusion(f32[8] %p)",
                                        "all-reduce.2", "copy-start.3", "iota.4", "jit_step(77)"};
    for (int64_t i = 0; i < 5; i++)
        name_put(plane, PLANE_EVENT_NAME, 1 + i, names[i]);
    for (int64_t i = 0; i < STEPS; i++)
        name_put(plane, PLANE_EVENT_NAME, 100 + i, (char[]){(char)('1' + i), '\0'});
    name_put(plane, PLANE_STAT_NAME, 1, "run_id");
    name_put(plane, PLANE_STAT_NAME, 2, "flops");
    name_put(plane, PLANE_STAT_NAME, 3, "step_num");
}

/* Deeply nested, with stats that make variants. */
static void ops_put(struct text *plane)
{
    scoped_text ops, flights;
    line_begin(&ops, 1, "XLA Ops", 5);
    for (int64_t i = 0; i < STACK_DEPTH; i++)
        counted_event_put(&ops, 1 + i % 4, (int64_t[]){i, 1000 - i}, (int64_t[]){1 + i % 2, i});
    for (int64_t i = 0; i < STEPS; i++)
        event_put(&ops, 1 + i % 4, 2000 + 100 * i, 70);
    bytes_put(plane, PLANE_LINE, &ops);
    line_begin(&flights, 3, "Async XLA Ops", 5);
    event_put(&flights, 3, 10, 500);
    bytes_put(plane, PLANE_LINE, &flights);
}

/* Out of order, so that it must be sorted. */
static void unsorted_put(struct text *plane)
{
    scoped_text unsorted;
    line_begin(&unsorted, 2, "Stream #1", 5);
    event_put(&unsorted, 2, 5000000, 10);
    event_put(&unsorted, 1, 0, 10);
    bytes_put(plane, PLANE_LINE, &unsorted);
}

static void marks_put(struct text *plane)
{
    scoped_text steps, modules;
    line_begin(&steps, 4, "Steps", 5);
    line_begin(&modules, 5, "XLA Modules", 5);
    for (int64_t i = 0; i < STEPS; i++) {
        event_put(&steps, 100 + i, 2000 + 100 * i, 90);
        counted_event_put(&modules, 5, (int64_t[]){2000 + 100 * i, 80}, (int64_t[]){1, i});
    }
    bytes_put(plane, PLANE_LINE, &steps);
    bytes_put(plane, PLANE_LINE, &modules);
}

static void space_make(struct text *space)
{
    text_init(space, XPLANE_BYTES_MOST);
    for (int device = 0; device < 2; device++) {
        scoped_text plane;
        plane_begin(&plane, device == 0 ? "/device:TPU:0" : "/device:TPU:1");
        names_put(&plane);
        ops_put(&plane);
        marks_put(&plane);
        if (device == 0)
            unsorted_put(&plane);
        bytes_put(space, SPACE_PLANE, &plane);
    }
    scoped_text host, line;
    plane_begin(&host, "/host:CPU");
    name_put(&host, PLANE_EVENT_NAME, 1, "train");
    name_put(&host, PLANE_STAT_NAME, 1, "step_num");
    line_begin(&line, 1, "main", 5);
    for (int64_t i = 0; i < STEPS; i++)
        counted_event_put(&line, 1, (int64_t[]){100 * i, 90}, (int64_t[]){1, i});
    bytes_put(&host, PLANE_LINE, &line);
    bytes_put(space, SPACE_PLANE, &host);
    string_put(space, SPACE_WARNING, "a warning of the profiler");
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static int descriptors_open(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;
    assert_non_null(folder);
    while (readdir(folder) != NULL)
        count++;
    (void)closedir(folder);
    return count;
}

struct torture {
    char path[BYTES_PATH_MOST];
    struct ingest_options options;
    json_t *whole; /* the document when nothing fails */
    int silent;    /* failures that nobody noticed, and that changed the document */
};

static json_t *document_make(const struct torture *torture, struct err *err)
{
    struct profile_files files;
    struct summary summary;
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    bool summarized = ingest_file(torture->path, &arena, &files, err) &&
                      ingest_summarize(&files, &torture->options, &arena, &summary, err);
    allocations_left = -1;
    return summarized ? summary_to_json(&summary, err) : NULL;
}

/* One summary while the allocation behind the next `left` fails; true when it got all it wanted. */
static bool round_run(struct torture *torture, long left)
{
    struct err err = {0};
    has_failed = false;
    allocations_left = left;
    scoped_json *document = document_make(torture, &err);
    if (document != NULL && !json_equal(document, torture->whole)) {
        print_error("allocation %ld failed: another document, and no error\n", left);
        torture->silent++;
    }
    if (document == NULL &&
        (!has_failed || strstr(err.text, "the machine has none left") == NULL)) {
        print_error("allocation %ld: kind %s, '%s'\n", left, err_kind_name(err.kind), err.text);
        torture->silent++;
    }
    return !has_failed;
}

static void rounds_run(enum breakdown_mode mode)
{
    struct err err;
    struct torture torture = {.silent = 0};
    scoped_text space;
    space_make(&space);
    ingest_options_init(&torture.options);
    torture.options.mode = mode;
    int fd = bytes_file_open(space.data, space.length, torture.path);
    torture.whole = document_make(&torture, &err);
    assert_non_null(torture.whole);
    int open_before = descriptors_open();
    long round = 0;
    while (round < ROUNDS_MAX && !round_run(&torture, round))
        round++;
    json_decref(torture.whole);
    assert_in_range(round, 30, ROUNDS_MAX - 1);
    assert_int_equal(torture.silent, 0);
    assert_int_equal(descriptors_open(), open_before);
    assert_int_equal(close(fd), 0);
}

static void every_failure_is_an_error_per_track(void **state)
{
    (void)state;
    fails_for_good = false;
    rounds_run(BREAKDOWN_PER_TRACK);
}

static void an_error_stays_one_when_memory_stays_away(void **state)
{
    (void)state;
    fails_for_good = true;
    rounds_run(BREAKDOWN_PER_TRACK);
}

static void every_failure_is_an_error_on_the_global_timeline(void **state)
{
    (void)state;
    fails_for_good = false;
    rounds_run(BREAKDOWN_GLOBAL);
}

/* The same with the arena's budget: each is too small until one is enough. */
static void every_budget_that_is_too_small_is_named(void **state)
{
    (void)state;
    enum { BUDGET_STEP = 4096, BUDGETS_MAX = 8 << 20 };
    scoped_text space;
    struct ingest_options options;
    ingest_options_init(&options);
    space_make(&space);
    bool summarized = false;
    size_t budget = 0;
    for (; budget < BUDGETS_MAX && !summarized; budget += BUDGET_STEP) {
        struct err err = {0};
        struct summary summary;
        scoped_arena arena;
        arena_init(&arena, budget);
        summarized = bytes_summarize(&space, &options, &arena, &summary, &err);
        if (!summarized) {
            assert_int_equal(err.kind, ERR_LIMIT);
            assert_true(strlen(err.text) > 0);
        }
        assert_true(arena.peak_bytes <= budget);
    }
    assert_true(summarized);
    assert_in_range(budget, 3 * BUDGET_STEP, BUDGETS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failure_is_an_error_per_track),
        cmocka_unit_test(an_error_stays_one_when_memory_stays_away),
        cmocka_unit_test(every_failure_is_an_error_on_the_global_timeline),
        cmocka_unit_test(every_budget_that_is_too_small_is_named),
    };
    if (setenv("SOURCE_DATE_EPOCH", "1700000000", 1) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
