/* Tests of databases that no sound profiler wrote: what is amiss is counted and told, nothing of
 * the file is run, and no file takes long or much memory. */
#include "ingest/ingest.h"
#include "ops/runtime/file.h"
#include "tests/support/export_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ARENA_BYTES = 64 << 20, ERR_TEXT_BYTES = 1000 };

static bool try_read(bool strict, struct arena *arena, struct summary *ret_summary, struct err *err)
{
    struct profile_files files;
    struct ingest_options options;
    ingest_options_init(&options);
    options.strict_input = strict;
    arena_init(arena, ARENA_BYTES);
    *err = (struct err){0};
    return ingest_file(export_path, arena, &files, err) &&
           ingest_summarize(&files, &options, arena, ret_summary, err);
}

static void assert_refused(const char *part)
{
    scoped_arena arena;
    struct summary summary;
    struct err err;
    if (try_read(false, &arena, &summary, &err))
        fail_msg("read, but not: %s", part);
    assert_int_equal(err.kind, ERR_INPUT);
    if (strstr(err.text, part) == NULL || strstr(err.text, export_path) == NULL)
        fail_msg("%s", err.text);
}

static struct summary read_it(struct arena *arena)
{
    struct summary summary;
    struct err err;
    if (!try_read(false, arena, &summary, &err))
        fail_msg("%s", err.text);
    return summary;
}

static const char texts[] = "INSERT INTO StringIds VALUES (1, 'relu')";
#define SOUND_KERNEL \
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId," \
    " demangledName, shortName) VALUES (10, 20, 0, 1, 7, 1, 1)"

static int64_t op_count(const struct summary *summary)
{
    int64_t count = 0;
    for (size_t i = 0; i < summary->op_count; i++)
        count += summary->ops[i].count;
    return count;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void counts_rows_that_make_no_sense(void **state)
{
    (void)state;
    scoped_arena arena;
    EXPORT_MAKE(
        export_path, export_texts, texts, export_kernels, export_ranges, SOUND_KERNEL,
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId,"
        " demangledName, shortName) VALUES (30, 20, 0, 1, 7, 1, 1), (40, 40, 0, 1, 7, 1, 1),"
        " ('soon', 50, 0, 1, 7, 1, 1), (50, x'00', 0, 1, 7, 1, 1),"
        " (60, 70, 'gpu', 1, 7, 1, 1), (60, 70, -1, 1, 7, 1, 1),"
        " (60, 70, 99999999, 1, 7, 1, 1), (1.5, 70, 0, 1, 7, 1, 1),"
        " (-9223372036854775807, 9223372036854775807, 0, 1, 7, 1, 1),"
        " (9223372036854775800, 9223372036854775807, 0, 1, 7, 1, 1),"
        " (80, 90, 0, 1, 7, 777, 778), (90, 95, 0, 1, 7, 'name', 'x')",
        "INSERT INTO NVTX_EVENTS (start, end, eventType, text) VALUES (1, NULL, 59, 'open'),"
        " (1, NULL, 34, 'mark'), (1, NULL, 75, 'domain'), (1, 2, 'what', x'ff00')");
    struct summary summary = read_it(&arena);
    assert_int_equal(op_count(&summary), 3);
    assert_int_equal(summary.coverage.events_dropped_zero, 1);
    assert_warned(&summary, "1 end before they begin");
    assert_warned(&summary, "6 hold values of another type than the format has");
    assert_warned(&summary, "2 lie too far");
    assert_warned(&summary, "1 are ranges that had not ended");
    assert_warned(&summary, "1 mark a moment");
    assert_warned(&summary, "3 events have a name that the table StringIds lacks");
}

static void reads_without_any_texts(void **state)
{
    (void)state;
    scoped_arena arena;
    EXPORT_MAKE(export_path, export_kernels, SOUND_KERNEL);
    struct summary summary = read_it(&arena);
    assert_int_equal(op_count(&summary), 1);
    assert_warned(&summary, "1 event has a name that the table StringIds lacks");
}

static void leaves_out_rows_that_are_too_large(void **state)
{
    (void)state;
    scoped_arena arena;
    EXPORT_MAKE(export_path, export_texts, texts, export_ranges, export_kernels, SOUND_KERNEL,
                "INSERT INTO StringIds VALUES (2, CAST(zeroblob(5000000) AS TEXT))",
                "INSERT INTO NVTX_EVENTS (start, end, eventType, text) VALUES (1, 2, 59, 'a'),"
                " (2, 3, 59, CAST(randomblob(5000000) AS TEXT)), (3, 4, 59, 'b'),"
                " (4, 5, 59, CAST(randomblob(3000000) AS TEXT))",
                "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId,"
                " demangledName, shortName) VALUES (30, 40, 0, 1, 7, 2, 2)");
    struct summary summary = read_it(&arena);
    assert_int_equal(op_count(&summary), 2);
    assert_warned(&summary, "1 are larger than can be read at once");
    assert_warned(&summary, "was cut");
    assert_int_equal(summary.trace_overview.num_events_total, 5);
}

static void refuses_tables_without_what_makes_them(void **state)
{
    (void)state;
    scoped_arena arena;
    EXPORT_MAKE(export_path, export_texts, texts, export_kernels, SOUND_KERNEL,
                "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, deviceId INTEGER)",
                "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1, 0)");
    struct summary summary = read_it(&arena);
    assert_warned(&summary, "Table CUPTI_ACTIVITY_KIND_MEMCPY has no column end");
}

/* ---- what would run -------------------------------------------------------------------------- */

/* Each of them would be a kernel of 1 s if it was believed. */
static void runs_nothing_of_the_file(void **state)
{
    (void)state;
    static const char *const instead[] = {
        "CREATE VIEW CUPTI_ACTIVITY_KIND_MEMCPY AS SELECT 1 AS start, 1000000001 AS end,"
        " 0 AS deviceId, 1 AS contextId, 7 AS streamId, 8 AS copyKind",
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, deviceId INTEGER,"
        " end INTEGER GENERATED ALWAYS AS (start + length(printf('%.*c', 1000000, 'x'))));"
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1, 0)",
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER PRIMARY KEY, end INTEGER,"
        " deviceId INTEGER, streamId INTEGER) WITHOUT ROWID;"
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1, 1000000001, 0, 7)",
        "CREATE VIRTUAL TABLE CUPTI_ACTIVITY_KIND_MEMCPY USING rtree(id, start, end)",
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1, 1000000001, 0);"
        "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = 'CREATE VIEW"
        " CUPTI_ACTIVITY_KIND_MEMCPY AS SELECT 1 AS start, 1000000001 AS end, 0 AS deviceId'"
        " WHERE name = 'CUPTI_ACTIVITY_KIND_MEMCPY'",
    };
    for (size_t i = 0; i < sizeof instead / sizeof instead[0]; i++) {
        scoped_arena arena;
        EXPORT_MAKE(export_path, export_texts, texts, export_kernels, SOUND_KERNEL, instead[i]);
        struct summary summary;
        struct err err;
        if (!try_read(false, &arena, &summary, &err)) { /* a schema that contradicts itself */
            assert_int_equal(err.kind, ERR_INPUT);
            continue;
        }
        assert_int_equal(op_count(&summary), 1);
        assert_warned(&summary, "CUPTI_ACTIVITY_KIND_MEMCPY");
    }
}

static void believes_no_view_that_names_things(void **state)
{
    (void)state;
    scoped_arena arena;
    EXPORT_MAKE(export_path, "CREATE VIEW StringIds AS SELECT 1 AS id, 'made up' AS value",
                export_kernels, SOUND_KERNEL);
    struct summary summary = read_it(&arena);
    assert_int_equal(summary.op_count, 1);
    assert_string_equal(summary.ops[0].name, "(unnamed)");
}

static void writes_nothing_beside_the_file(void **state)
{
    (void)state;
    scoped_arena arena;
    struct stat before, after;
    EXPORT_MAKE(export_path, "PRAGMA journal_mode=WAL", export_texts, texts, export_kernels,
                SOUND_KERNEL);
    char beside[EXPORT_PATH_BYTES + 8];
    (void)snprintf(beside, sizeof beside, "%s-wal", export_path);
    (void)unlink(beside);
    assert_int_equal(stat(export_path, &before), 0);
    struct summary summary = read_it(&arena);
    assert_int_equal(op_count(&summary), 1);
    assert_int_equal(stat(export_path, &after), 0);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    assert_int_not_equal(access(beside, F_OK), 0);
}

/* ---- broken files ---------------------------------------------------------------------------- */

static void says_what_is_no_export(void **state)
{
    (void)state;
    EXPORT_MAKE(export_path, "CREATE TABLE runs (id INTEGER)");
    assert_refused("without a table of events");
    EXPORT_MAKE(export_path, export_texts, texts);
    assert_refused("without a table of events");
    int fd = open(export_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    char bytes[4096] = "SQLite format 3";
    assert_int_equal(write(fd, bytes, sizeof bytes), (ssize_t)sizeof bytes);
    (void)close(fd);
    assert_refused("export it again");
}

/* A file with so many kernels that its tables take many pages. */
static void many_make(void)
{
    EXPORT_MAKE(
        export_path, export_texts, texts, export_ranges, export_kernels,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)"
        " INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId,"
        " demangledName, shortName) SELECT i * 100, i * 100 + 50, 0, 1, 7, 1, 1 FROM n",
        "INSERT INTO NVTX_EVENTS (start, end, eventType, text) VALUES (1, 2, 59, 'a')");
}

/* A database knows how many pages it has. */
static void refuses_a_file_that_was_cut(void **state)
{
    (void)state;
    enum { PAGE = 4096 };
    struct stat info;
    many_make();
    assert_int_equal(stat(export_path, &info), 0);
    for (off_t size = info.st_size - PAGE; size >= 16; size = size * 3 / 4) {
        assert_int_equal(truncate(export_path, size), 0);
        assert_refused("is a broken SQLite database");
    }
}

/* Begins of pages are overwritten, one after the other: what is read is a part, and said to be. */
static void reads_what_stands_before_a_broken_page(void **state)
{
    (void)state;
    enum { PAGE = 4096, BROKEN_BYTES = 64 };
    struct stat info;
    static const uint8_t broken[BROKEN_BYTES] = {0xff};
    int parts = 0;
    many_make();
    assert_int_equal(stat(export_path, &info), 0);
    for (off_t page = 1; page < info.st_size / PAGE; page++) {
        scoped_arena arena;
        struct summary summary;
        struct err err;
        many_make();
        int fd = open(export_path, O_WRONLY | O_CLOEXEC);
        assert_int_equal(pwrite(fd, broken, sizeof broken, page * PAGE), (ssize_t)sizeof broken);
        (void)close(fd);
        if (!try_read(false, &arena, &summary, &err)) {
            assert_int_equal(err.kind, ERR_INPUT);
        } else if (op_count(&summary) < 3000) {
            scoped_arena strictly;
            parts++;
            assert_warned(&summary, "CUPTI_ACTIVITY_KIND_KERNEL is broken behind its first");
            assert_false(try_read(true, &strictly, &summary, &err));
            assert_non_null(strstr(err.text, "--strict-input"));
        }
    }
    assert_true(parts > 5);
}

/* A tree of pages that leads back to itself ends. */
static void ends_where_pages_lead_in_a_circle(void **state)
{
    (void)state;
    enum { PAGE = 4096 };
    uint8_t page[PAGE], other[PAGE];
    many_make();
    int64_t root = export_ask(export_path, "SELECT rootpage FROM sqlite_schema"
                                           " WHERE name = 'CUPTI_ACTIVITY_KIND_KERNEL'");
    int fd = open(export_path, O_RDWR | O_CLOEXEC);
    assert_int_equal(pread(fd, page, PAGE, (root - 1) * PAGE), PAGE);
    assert_int_equal(page[0], 5); /* an inner page: its cells begin with the number of another */
    const unsigned cells = (unsigned)page[3] << 8 | page[4];
    const unsigned first = (unsigned)page[12] << 8 | page[13];
    memcpy(other, page, PAGE);
    for (unsigned i = 0; i < cells; i++) { /* all lead to the first child */
        unsigned at = (unsigned)page[12 + 2 * i] << 8 | page[13 + 2 * i];
        memcpy(other + at, page + first, 4);
    }
    memcpy(other + 8, page + first, 4);
    assert_int_equal(pwrite(fd, other, PAGE, (root - 1) * PAGE), PAGE);
    scoped_arena arena;
    struct summary summary;
    struct err err;
    bool repeated = try_read(false, &arena, &summary, &err);
    assert_true(repeated || err.kind == ERR_INPUT);
    const uint8_t self[4] = {(uint8_t)(root >> 24), (uint8_t)(root >> 16), (uint8_t)(root >> 8),
                             (uint8_t)root};
    memcpy(page + first, self, sizeof self);
    assert_int_equal(pwrite(fd, page, PAGE, (root - 1) * PAGE), PAGE);
    (void)close(fd);
    scoped_arena again;
    if (try_read(false, &again, &summary, &err))
        assert_warned(&summary, "is broken");
    else
        assert_int_equal(err.kind, ERR_INPUT);
}

static int folder_begin(void **state)
{
    (void)state;
    return export_folder_begin("hostile.sqlite");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_rows_that_make_no_sense),
        cmocka_unit_test(reads_without_any_texts),
        cmocka_unit_test(leaves_out_rows_that_are_too_large),
        cmocka_unit_test(refuses_tables_without_what_makes_them),
        cmocka_unit_test(runs_nothing_of_the_file),
        cmocka_unit_test(believes_no_view_that_names_things),
        cmocka_unit_test(writes_nothing_beside_the_file),
        cmocka_unit_test(says_what_is_no_export),
        cmocka_unit_test(refuses_a_file_that_was_cut),
        cmocka_unit_test(reads_what_stands_before_a_broken_page),
        cmocka_unit_test(ends_where_pages_lead_in_a_circle),
    };
    return cmocka_run_group_tests(tests, folder_begin, export_folder_end);
}
