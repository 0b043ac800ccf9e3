/* Tests of lines out of order as a whole: however the events of a profile are written, its document
 * is that of the same events in order, but for what it says about the disorder.
 */
#include "ops/runtime/json.h"
#include "tests/support/bytes_summary.h"
#include "tests/support/xplane_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>

enum { ARENA_BYTES = 512 << 20, STEP_EVENTS = 1000, SPACING_PS = 2000000 };
static const int64_t EPOCH_NS = INT64_C(1700000000000000000);

/* Where event number `index` of count comes from. */
typedef int64_t source_of(int64_t index, int64_t count);

static int64_t in_order(int64_t index, int64_t count)
{
    (void)count;
    return index;
}

static int64_t reversed(int64_t index, int64_t count)
{
    return count - 1 - index;
}

static int64_t pairs_swapped(int64_t index, int64_t count)
{
    return (index ^ 1) < count ? index ^ 1 : index;
}

static int64_t last_first(int64_t index, int64_t count)
{
    return index == 0 ? count - 1 : index - 1;
}

/* A device's ops and its host's steps; nested in part, with gaps. */
static void space_make(struct text *space, source_of *source, int64_t count)
{
    scoped_text device, host, ops, main_line;
    text_init(space, XPLANE_BYTES_MOST);
    plane_begin(&device, "/device:GPU:0");
    name_put(&device, PLANE_EVENT_NAME, 1, "fusion.1");
    name_put(&device, PLANE_EVENT_NAME, 2, "all-reduce.2");
    name_put(&device, PLANE_STAT_NAME, 1, "run_id");
    line_begin(&ops, 1, "Stream #1", EPOCH_NS);
    for (int64_t i = 0; i < count; i++) {
        int64_t at = source(i, count);
        int64_t duration = at % 10 == 0 ? 5 * SPACING_PS : SPACING_PS / (1 + at % 3);
        if (at % 7 == 0)
            counted_event_put(&ops, 2, (int64_t[]){at * SPACING_PS, duration},
                              (int64_t[]){1, at % 5});
        else
            event_put(&ops, 1, at * SPACING_PS, duration);
    }
    bytes_put(&device, PLANE_LINE, &ops);
    bytes_put(space, SPACE_PLANE, &device);
    plane_begin(&host, "/host:CPU");
    name_put(&host, PLANE_EVENT_NAME, 1, "train");
    name_put(&host, PLANE_STAT_NAME, 1, "step_num");
    line_begin(&main_line, 1, "main", EPOCH_NS);
    int64_t steps = count / STEP_EVENTS;
    for (int64_t i = 0; i < steps; i++) {
        int64_t at = source(i, steps);
        counted_event_put(&main_line, 1,
                          (int64_t[]){at * STEP_EVENTS * SPACING_PS, 900 * SPACING_PS},
                          (int64_t[]){1, at});
    }
    bytes_put(&host, PLANE_LINE, &main_line);
    bytes_put(space, SPACE_PLANE, &host);
}

/* The document without what depends on how it was written. */
static json_t *document_make(source_of *source, int64_t count, const struct ingest_options *options,
                             int64_t *ret_unsorted)
{
    struct err err = {0};
    struct summary summary;
    scoped_arena arena;
    scoped_text space;
    arena_init(&arena, ARENA_BYTES);
    space_make(&space, source, count);
    if (!bytes_summarize(&space, options, &arena, &summary, &err))
        fail_msg("%s", err.text);
    *ret_unsorted = summary.coverage.unsorted_lines;
    summary.coverage.unsorted_lines = 0;
    summary.coverage.warnings = summary.trace_overview.quality_warnings =
        (struct string_list){NULL, 0};
    summary.trace_provenance.trace_sha256 = summary.sources[0].sha256 = "";
    summary.sources[0].path = summary.source_path = "";
    summary.capture.hosts[0].sha256 = "";
    return summary_to_json(&summary);
}

static void order_check(int64_t count, const struct ingest_options *options)
{
    static source_of *const sources[] = {reversed, pairs_swapped, last_first};
    int64_t unsorted;
    scoped_json *wanted = document_make(in_order, count, options, &unsorted);
    assert_int_equal(unsorted, 0);
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        scoped_json *got = document_make(sources[i], count, options, &unsorted);
        assert_int_equal(unsorted, 2);
        if (!json_equal(wanted, got))
            fail_msg("disorder %zu of %lld events makes another document", i, (long long)count);
    }
}

static void the_order_of_writing_does_not_matter(void **state)
{
    (void)state;
    for (unsigned way = 0; way < 8; way++) {
        struct ingest_options options;
        ingest_options_init(&options);
        options.exact_events = way & 1 ? INT64_MAX : 0;
        options.mode = way & 2 ? BREAKDOWN_GLOBAL : BREAKDOWN_PER_TRACK;
        options.threads = way & 4 ? 2 : 1;
        order_check(20 * STEP_EVENTS, &options);
    }
}

/* More than the window of the sorter. */
static void nor_does_it_in_long_lines(void **state)
{
    (void)state;
    for (unsigned way = 0; way < 2; way++) {
        struct ingest_options options;
        ingest_options_init(&options);
        options.exact_events = way & 1 ? INT64_MAX : 0;
        order_check(300 * STEP_EVENTS, &options);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_writing_does_not_matter),
        cmocka_unit_test(nor_does_it_in_long_lines),
    };
    if (setenv("SOURCE_DATE_EPOCH", "1700000000", 1) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
