/* Tests of what a watcher is told: it ascends, stays within the total, and ends at it, whatever way
 * the file is read.
 */
#include "ingest/wire/progress.h"
#include "tests/support/bytes_summary.h"
#include "tests/support/xplane_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { ARENA_BYTES = 256 << 20, EVENTS = 120000 };

/* A host and a device with more than 1 MB of events each; the device's are unsorted if asked for.
 */
static void space_make(struct text *space, bool unsorted)
{
    static const char *const planes[] = {"/host:CPU", "/device:TPU:0"};
    static const char *const lines[] = {"main", "XLA Ops"};
    text_init(space, XPLANE_BYTES_MOST);
    for (size_t p = 0; p < 2; p++) {
        scoped_text plane, line;
        plane_begin(&plane, planes[p]);
        name_put(&plane, PLANE_EVENT_NAME, 1, "fusion.1");
        line_begin(&line, 1, lines[p], 1000);
        for (int64_t i = 0; i < EVENTS; i++)
            event_put(&line, 1, 10 * (unsorted && p == 1 ? EVENTS - i : i), 7);
        bytes_put(&plane, PLANE_LINE, &line);
        bytes_put(space, SPACE_PLANE, &plane);
    }
}

struct watcher {
    int calls;
    int64_t done, total;
    bool is_odd; /* done went back, or beyond the total */
};

static void watch(void *context, int64_t done, int64_t total)
{
    struct watcher *watcher = context;
    watcher->calls++;
    watcher->is_odd = watcher->is_odd || done < watcher->done || done > total;
    watcher->done = done;
    watcher->total = total;
}

static struct watcher watch_file(const struct text *space, struct ingest_options *options)
{
    struct err err = {0};
    struct watcher watcher = {0};
    struct summary summary;
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    options->progress = watch;
    options->progress_context = &watcher;
    if (!bytes_summarize(space, options, &arena, &summary, &err))
        fail_msg("%s", err.text);
    return watcher;
}

static void progress_ends_where_it_said(void **state)
{
    (void)state;
    for (unsigned way = 0; way < 16; way++) {
        const bool unsorted = way & 1, quick = way & 2, exact = way & 4, threads = way & 8;
        scoped_text space;
        struct ingest_options options;
        ingest_options_init(&options);
        options.threads = threads ? 2 : 1;
        options.exact_events = exact ? INT64_MAX : 0;
        options.skip_file_bytes = quick ? 0 : INT64_MAX;
        space_make(&space, unsorted);
        const int64_t file_bytes = (int64_t)space.length;
        struct watcher watcher = watch_file(&space, &options);
        int64_t times = 1 + !quick + !threads;
        if (watcher.is_odd || watcher.done != watcher.total || watcher.calls < 3 ||
            watcher.done < times * (file_bytes - 2 * PROGRESS_BYTES))
            fail_msg("way %u: %d calls, %lld of %lld, a file of %lld", way, watcher.calls,
                     (long long)watcher.done, (long long)watcher.total, (long long)file_bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(progress_ends_where_it_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
