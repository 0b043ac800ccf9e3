/* A summary within budgets from small to enough: it fails with ERR_LIMIT, whatever it lacks memory
 * for, or is the one that any larger budget gives. It never takes much more than its budget.
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

enum { ARENA_BYTES = 64 << 20, STACK_DEPTH = 80, STEPS = 8 };

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

/* The summary of the file as a document; NULL where the budget is too small. */
static json_t *document_make(const char *path, enum breakdown_mode mode, size_t budget)
{
    enum { SPARE_BYTES = 4 << 20 };
    struct err err = {0};
    struct ingest_options options;
    struct profile_files files;
    struct summary summary;
    scoped_arena arena;
    ingest_options_init(&options);
    options.mode = mode;
    arena_init(&arena, budget);
    if (ingest_file(path, &arena, &files, &err) &&
        ingest_summarize(&files, &options, &arena, &summary, &err)) {
        assert_true(arena.used_bytes <= budget);
        json_t *document = summary_to_json(&summary);
        assert_non_null(document);
        return document;
    }
    assert_int_equal(err.kind, ERR_LIMIT);
    assert_non_null(strstr(err.text, "max_memory_mb"));
    assert_true(arena.used_bytes <= budget + SPARE_BYTES);
    return NULL;
}

static void budgets_try(enum breakdown_mode mode)
{
    enum { BUDGET_STEP = 4096, BUDGETS_MAX = 8 << 20 };
    char path[BYTES_PATH_MOST];
    scoped_text space;
    space_make(&space);
    int fd = bytes_file_open(space.data, space.length, path);
    scoped_json *whole = document_make(path, mode, ARENA_BYTES);
    assert_non_null(whole);
    const int open_before = descriptors_open();
    bool summarized = false;
    size_t budget = 0;
    for (; budget < BUDGETS_MAX && !summarized; budget += BUDGET_STEP) {
        scoped_json *document = document_make(path, mode, budget);
        summarized = document != NULL;
        if (summarized)
            assert_true(json_equal(document, whole));
    }
    assert_true(summarized);
    assert_in_range(budget, 3 * BUDGET_STEP, BUDGETS_MAX);
    assert_int_equal(descriptors_open(), open_before);
    assert_int_equal(close(fd), 0);
}

static void every_budget_that_is_too_small_is_named(void **state)
{
    (void)state;
    budgets_try(BREAKDOWN_PER_TRACK);
}

static void so_it_is_on_the_global_timeline(void **state)
{
    (void)state;
    budgets_try(BREAKDOWN_GLOBAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_budget_that_is_too_small_is_named),
        cmocka_unit_test(so_it_is_on_the_global_timeline),
    };
    if (setenv("SOURCE_DATE_EPOCH", "1700000000", 1) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
