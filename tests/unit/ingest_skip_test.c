/* Tests of how large files are read: the quick index steps over the events of long lines, and a
 * thread of its own reads them ahead; documents are those of the careful way. Here the sizes from
 * which those ways are taken are set so low that every file takes them.
 */
#include "ops/runtime/file.h"
#include "ops/runtime/json.h"
#include "tests/support/bytes_summary.h"
#include "tests/support/xplane_bytes.h"

#include "ingest/xplane/xspace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_BYTES = 512 << 20, EVENTS = 40 };

static void skip_everything(struct ingest_options *options)
{
    options->skip_file_bytes = 0;
    options->skip_line_bytes = 0;
}

/* Where there are more threads than planes, the longest ones are read ahead. */
static void read_ahead(struct ingest_options *options)
{
    options->threads = 8;
    options->ahead_line_bytes = 0;
}

static json_t *document_make(const char *path, const struct ingest_options *options,
                             struct err *err)
{
    struct profile_files files;
    struct summary summary;
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    return ingest_file(path, &arena, &files, err) &&
                   ingest_summarize(&files, options, &arena, &summary, err)
               ? summary_to_json(&summary)
               : NULL;
}

/* The same documents but for the last digits of numbers. */
static bool json_is_near(const json_t *a, const json_t *b)
{
    const char *key;
    json_t *value;
    size_t i;
    if (json_is_number(a) && json_is_number(b)) {
        double left = json_number_value(a), right = json_number_value(b);
        return fabs(left - right) <= 1e-9 * fmax(fabs(left), fabs(right));
    }
    if (json_is_array(a) && json_is_array(b) && json_array_size(a) == json_array_size(b)) {
        json_array_foreach ((json_t *)(uintptr_t)a, i, value) {
            if (!json_is_near(value, json_array_get(b, i)))
                return false;
        }
        return true;
    }
    if (!json_is_object(a) || !json_is_object(b) || json_object_size(a) != json_object_size(b))
        return json_equal(a, b);
    json_object_foreach ((json_t *)(uintptr_t)a, key, value) {
        if (!json_is_near(value, json_object_get(b, key)))
            return false;
    }
    return true;
}

/* How many lines of the file the index steps over. */
static int64_t lines_skipped(const char *path, const struct ingest_options *options)
{
    struct err err = {0};
    struct xspace space;
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    const struct index_options index = {.options = options, .may_skip = true};
    if (!xspace_open(path, &index, &arena, &space, &err))
        return 0;
    int64_t count = space.skipped_count;
    xspace_close(&space);
    return count;
}

/* Numbers of quick sums differ from those in the reference's order by rounding only. */
static void near_check(const char *path, const struct ingest_options *options)
{
    struct err err;
    scoped_json *quick = document_make(path, options, &err);
    struct ingest_options exact = *options;
    exact.exact_events = INT64_MAX;
    scoped_json *reference = document_make(path, &exact, &err);
    if ((quick != NULL || reference != NULL) && !json_is_near(quick, reference))
        fail_msg("%s: not the reference's sums", path);
}

/* Reads the file each way; returns the lines that were stepped over. All add up in the order of
 * large files. */
static int64_t file_check(const char *path, enum breakdown_mode mode)
{
    struct err careful_err = {0}, quick_err = {0}, ahead_err = {0};
    struct ingest_options careful, quick, ahead;
    ingest_options_init(&careful);
    careful.mode = mode;
    careful.exact_events = -1;
    near_check(path, &careful);
    quick = careful;
    skip_everything(&quick);
    scoped_json *expected = document_make(path, &careful, &careful_err);
    scoped_json *got = document_make(path, &quick, &quick_err);
    if ((expected == NULL) != (got == NULL))
        fail_msg("%s: '%s' and '%s'", path, careful_err.text, quick_err.text);
    if (expected != NULL && !json_equal(expected, got))
        fail_msg("%s: another document when lines are stepped over", path);
    ahead = careful;
    read_ahead(&ahead);
    scoped_json *beside = document_make(path, &ahead, &ahead_err);
    if ((expected == NULL) != (beside == NULL) || strcmp(careful_err.text, ahead_err.text) != 0)
        fail_msg("%s: '%s' and '%s'", path, careful_err.text, ahead_err.text);
    if (expected != NULL && !json_equal(expected, beside))
        fail_msg("%s: another document when lines are read ahead", path);
    assert_int_equal(lines_skipped(path, &careful), 0);
    return lines_skipped(path, &quick);
}

static int64_t folder_check(const char *pattern)
{
    glob_t found;
    int64_t skipped = 0;
    if (glob(pattern, 0, NULL, &found) != 0)
        return 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        skipped += file_check(found.gl_pathv[i], BREAKDOWN_PER_TRACK);
        skipped += file_check(found.gl_pathv[i], BREAKDOWN_GLOBAL);
    }
    globfree(&found);
    return skipped;
}

static void made_files_read_the_same_each_way(void **state)
{
    (void)state;
    assert_true(folder_check("tests/golden/made/*.xplane.pb") > 100);
}

static void real_files_read_the_same_each_way(void **state)
{
    (void)state;
    const char *shared = getenv("STEPLEDGER_SHARED");
    scoped_text pattern;
    text_init(&pattern, 4096);
    text_addf(&pattern, "%s/profiles/xplane/*.xplane.pb", shared == NULL ? "../shared" : shared);
    if (folder_check(text_string(&pattern)) == 0) {
        print_message("no '%s'; set STEPLEDGER_SHARED\n", text_string(&pattern));
        text_done(&pattern); /* skip jumps over the end of the scope */
        skip();
    }
}

/* ---- what a line says behind its events ------------------------------------------------------ */

enum { LINE_DISPLAY_NAME = 11, LINE_DURATION_PS = 9 };

/* A device with one line of ops, which says something of itself behind its events. */
static void space_make(struct text *space, uint32_t late_field, const char *late_text)
{
    scoped_text plane, line;
    text_init(space, XPLANE_BYTES_MOST);
    plane_begin(&plane, "/device:TPU:0");
    name_put(&plane, PLANE_EVENT_NAME, 1, "fusion.1");
    line_begin(&line, 3, "Threads", 1000);
    for (int64_t i = 0; i < EVENTS; i++)
        event_put(&line, 1, 10 * i, 7);
    if (late_text != NULL)
        string_put(&line, late_field, late_text);
    else
        number_put(&line, late_field, 77);
    bytes_put(&plane, PLANE_LINE, &line);
    bytes_put(space, SPACE_PLANE, &plane);
}

static void what_stands_behind_the_events_still_counts(void **state)
{
    (void)state;
    static const struct {
        uint32_t field;
        const char *text;
        bool is_ops; /* what it says makes the line one of ops */
    } cases[] = {
        {LINE_DISPLAY_NAME, "XLA Ops", true}, {LINE_NAME, "XLA Ops", true},
        {LINE_TIMESTAMP_NS, NULL, false},     {LINE_ID, NULL, false},
        {LINE_DURATION_PS, NULL, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct err err;
        struct ingest_options options;
        char path[BYTES_PATH_MOST];
        scoped_text space;
        space_make(&space, cases[i].field, cases[i].text);
        scoped_fd fd = bytes_file_open(space.data, space.length, path);
        assert_true(fd >= 0);
        assert_int_equal(file_check(path, BREAKDOWN_PER_TRACK), 1);
        ingest_options_init(&options);
        skip_everything(&options);
        scoped_json *document = document_make(path, &options, &err);
        json_t *devices = json_object_get(document, "devices");
        assert_int_equal(json_array_size(devices), cases[i].is_ops ? 1 : 0);
    }
}

static void a_line_that_is_cut_off_is_looked_at(void **state)
{
    (void)state;
    scoped_text space;
    space_make(&space, LINE_DISPLAY_NAME, "XLA Ops");
    for (size_t cut = 1; cut < 60; cut++) {
        char path[BYTES_PATH_MOST];
        scoped_fd fd = bytes_file_open(space.data, space.length - cut, path);
        assert_true(fd >= 0);
        assert_int_equal(file_check(path, BREAKDOWN_PER_TRACK), 0);
    }
}

/* ---- ops that events make -------------------------------------------------------------------- */

enum { HLO_CATEGORY = 1, CATEGORIES = 5000, MANY_EVENTS = 60000 };

static void category_event_put(struct text *line, int64_t offset_ps, int64_t category)
{
    char name[32];
    scoped_text event, stat;
    text_init(&event, XPLANE_BYTES_MOST);
    text_init(&stat, XPLANE_BYTES_MOST);
    number_put(&event, EVENT_ID, 1);
    number_put(&event, EVENT_OFFSET_PS, offset_ps);
    number_put(&event, EVENT_DURATION_PS, 700 + category);
    (void)snprintf(name, sizeof name, "category %d", (int)category);
    number_put(&stat, STAT_ID, HLO_CATEGORY);
    string_put(&stat, STAT_STRING_VALUE, name);
    bytes_put(&event, EVENT_STAT, &stat);
    bytes_put(line, LINE_EVENT, &event);
}

/* A device whose events say what its ops are, so that they are made while others are added up; in
 * order, or with each pair of events swapped. */
static void categories_make(struct text *space, const char *line_name, bool swapped)
{
    scoped_text plane, line;
    text_init(space, XPLANE_BYTES_MOST);
    plane_begin(&plane, "/device:TPU:0");
    name_put(&plane, PLANE_EVENT_NAME, 1, "fusion.1");
    name_put(&plane, PLANE_STAT_NAME, HLO_CATEGORY, "hlo_category");
    line_begin(&line, 3, line_name, 1000);
    for (int64_t i = 0; i < MANY_EVENTS; i++) {
        const int64_t place = swapped ? i ^ 1 : i;
        category_event_put(&line, 10000 * place, place % 7 == 0 ? place / 7 % CATEGORIES : 0);
    }
    bytes_put(&plane, PLANE_LINE, &line);
    bytes_put(space, SPACE_PLANE, &plane);
}

static void ops_are_made_while_others_are_added_up(void **state)
{
    (void)state;
    static const char *const lines[] = {"XLA Ops", "Async XLA Ops"};
    for (int i = 0; i < 4; i++) {
        char path[BYTES_PATH_MOST];
        scoped_text space;
        categories_make(&space, lines[i / 2], i % 2);
        scoped_fd fd = bytes_file_open(space.data, space.length, path);
        assert_true(fd >= 0);
        assert_int_equal(file_check(path, BREAKDOWN_PER_TRACK), 1);
    }
}

/* ---- texts that are cut ---------------------------------------------------------------------- */

enum { RUN_ID = 2, LONG_BYTES = 5000, CUT_EACH = 100, TEXT_BYTES = 128 * 1024 };

/* A device whose events come in swapped pairs, so that the line is begun again; some have a run id
 * that is too long, the last a category. */
static void long_texts_make(struct text *space)
{
    scoped_text plane, line, event, stat, words;
    text_init(space, XPLANE_BYTES_MOST);
    text_init(&event, XPLANE_BYTES_MOST);
    text_init(&stat, XPLANE_BYTES_MOST);
    text_init(&words, XPLANE_BYTES_MOST);
    plane_begin(&plane, "/device:TPU:0");
    name_put(&plane, PLANE_EVENT_NAME, 1, "fusion.1");
    name_put(&plane, PLANE_STAT_NAME, HLO_CATEGORY, "hlo_category");
    name_put(&plane, PLANE_STAT_NAME, RUN_ID, "run_id");
    line_begin(&line, 3, "XLA Ops", 1000);
    while (words.length < LONG_BYTES)
        text_add(&words, "r");
    for (int64_t i = 0; i < MANY_EVENTS; i++) {
        const bool is_last = i == MANY_EVENTS - 1;
        event.length = stat.length = 0;
        number_put(&event, EVENT_ID, 1);
        number_put(&event, EVENT_OFFSET_PS, 10000 * (i ^ 1));
        number_put(&event, EVENT_DURATION_PS, 700);
        while (is_last && words.length <= TEXT_BYTES)
            text_add(&words, "r");
        number_put(&stat, STAT_ID, is_last ? HLO_CATEGORY : RUN_ID);
        string_put(&stat, STAT_STRING_VALUE, text_string(&words));
        if (is_last || i % CUT_EACH == 0)
            bytes_put(&event, EVENT_STAT, &stat);
        bytes_put(&line, LINE_EVENT, &event);
    }
    bytes_put(&plane, PLANE_LINE, &line);
    bytes_put(space, SPACE_PLANE, &plane);
}

/* The category is cut when it is read, and once more when it becomes that of an op. */
static void what_is_cut_is_counted_once_however_it_is_read(void **state)
{
    (void)state;
    struct err err;
    struct ingest_options options;
    char path[BYTES_PATH_MOST], expected[32];
    scoped_text space;
    long_texts_make(&space);
    scoped_fd fd = bytes_file_open(space.data, space.length, path);
    assert_true(fd >= 0);
    assert_int_equal(file_check(path, BREAKDOWN_PER_TRACK), 1);
    ingest_options_init(&options);
    scoped_json *document = document_make(path, &options, &err);
    char *told = json_dumps(document, 0);
    (void)snprintf(expected, sizeof expected, "\"%d names", MANY_EVENTS / CUT_EACH + 2);
    assert_non_null(strstr(told, expected));
    free(told);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_files_read_the_same_each_way),
        cmocka_unit_test(real_files_read_the_same_each_way),
        cmocka_unit_test(what_stands_behind_the_events_still_counts),
        cmocka_unit_test(a_line_that_is_cut_off_is_looked_at),
        cmocka_unit_test(ops_are_made_while_others_are_added_up),
        cmocka_unit_test(what_is_cut_is_counted_once_however_it_is_read),
    };
    if (setenv("SOURCE_DATE_EPOCH", "1700000000", 1) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
