/* Tests of ingest/source/join and ingest/source/place: which files are one capture, as a table. */
#include "ingest/source/join.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MOST = 8, STEPS = 10, ARENA_BYTES = 1 << 20, NO_TIME = -1, NO_STEPS = -1 };

/* A file: seconds since 1970 (or NO_TIME) of a window of one second, its first step of ten. */
struct given {
    const char *path, *host;
    int begin_s, first_step;
    const char *key, *run;
};

struct join_case {
    const char *name;
    struct given files[FILES_MOST];
    const char *wanted; /* the group of each file, by letters */
    bool noted;         /* something was not joined, and that is said */
};

#define SESSION(process, time, host) \
    "/job/process_" process "/plugins/profile/2026_01_02_03_" time "/" host ".xplane.pb"

static const struct join_case cases[] = {
    {"one folder",
     {{"/j/plugins/profile/a/h0.xplane.pb", "h0", 100, 5, NULL, NULL},
      {"/j/plugins/profile/a/h1.xplane.pb", "h1", 100, 5, NULL, NULL}},
     "aa",
     false},
    {"a folder for each process, times of their own, no clock",
     {{SESSION("0", "04_00", "w"), "w", NO_TIME, 5, NULL, NULL},
      {SESSION("1", "09_00", "w"), "w", NO_TIME, 5, NULL, NULL},
      {SESSION("2", "14_00", "w"), "w", NO_TIME, 5, NULL, NULL}},
     "aaa",
     false},
    {"copied anywhere",
     {{"/x/h0.xplane.pb", "h0", 100, 5, NULL, NULL},
      {"/y/z/h1.xplane.pb", "h1", 100, 5, NULL, NULL}},
     "aa",
     false},
    {"clocks some seconds apart, steps agree",
     {{"/x/h0.xplane.pb", "h0", 100, 5, NULL, NULL}, {"/y/h1.xplane.pb", "h1", 104, 5, NULL, NULL}},
     "aa",
     false},
    {"clocks some seconds apart, no steps",
     {{"/x/h0.xplane.pb", "h0", 100, NO_STEPS, NULL, NULL},
      {"/y/h1.xplane.pb", "h1", 104, NO_STEPS, NULL, NULL}},
     "ab",
     false},
    {"other times",
     {{"/x/h0.xplane.pb", "h0", 100, 5, NULL, NULL}, {"/y/h1.xplane.pb", "h1", 900, 5, NULL, NULL}},
     "ab",
     false},
    {"other steps",
     {{"/x/h0.xplane.pb", "h0", 100, 5, NULL, NULL},
      {"/y/h1.xplane.pb", "h1", 100, 500, NULL, NULL}},
     "ab",
     false},
    {"the same host twice",
     {{"/x/h0.xplane.pb", "h0", 100, 5, NULL, NULL}, {"/y/h0.xplane.pb", "h0", 100, 5, NULL, NULL}},
     "ab",
     false},
    {"loose files without times",
     {{"/x/h0.xplane.pb", "h0", NO_TIME, 5, NULL, NULL},
      {"/x/h1.xplane.pb", "h1", NO_TIME, 5, NULL, NULL}},
     "ab",
     true},
    {"loose files without times, of one run",
     {{"/x/h0.xplane.pb", "h0", NO_TIME, 5, NULL, "r"},
      {"/x/h1.xplane.pb", "h1", NO_TIME, 5, NULL, "r"}},
     "aa",
     false},
    {"loose files without times, of one capture",
     {{"/x/h0.xplane.pb", "h0", NO_TIME, 5, "k", NULL},
      {"/y/h1.xplane.pb", "h1", NO_TIME, 5, "k", NULL}},
     "aa",
     false},
    {"times that meet, of two captures",
     {{"/x/h0.xplane.pb", "h0", 100, 5, "k", NULL}, {"/y/h1.xplane.pb", "h1", 100, 5, "l", NULL}},
     "ab",
     false},
    {"two captures of a job by their times",
     {{SESSION("0", "04_00", "w"), "w", 100, 5, NULL, NULL},
      {SESSION("0", "44_00", "w"), "w", 900, 5, NULL, NULL},
      {SESSION("1", "04_01", "w"), "w", 100, 5, NULL, NULL},
      {SESSION("1", "44_01", "w"), "w", 900, 5, NULL, NULL}},
     "abab",
     false},
    {"two captures of a job by their steps",
     {{SESSION("0", "04_00", "w"), "w", NO_TIME, 5, NULL, NULL},
      {SESSION("0", "44_00", "w"), "w", NO_TIME, 500, NULL, NULL},
      {SESSION("1", "09_01", "w"), "w", NO_TIME, 5, NULL, NULL},
      {SESSION("1", "49_01", "w"), "w", NO_TIME, 500, NULL, NULL}},
     "abab",
     false},
    {"two captures of a job by their sessions' times",
     {{SESSION("0", "04_00", "w"), "w", NO_TIME, NO_STEPS, NULL, NULL},
      {SESSION("0", "44_00", "w"), "w", NO_TIME, NO_STEPS, NULL, NULL},
      {SESSION("1", "04_02", "w"), "w", NO_TIME, NO_STEPS, NULL, NULL},
      {SESSION("1", "44_02", "w"), "w", NO_TIME, NO_STEPS, NULL, NULL}},
     "abab",
     false},
    {"two captures of a job that nothing tells apart",
     {{SESSION("0", "04_00", "w"), "w", NO_TIME, NO_STEPS, NULL, NULL},
      {SESSION("0", "44_00", "w"), "w", NO_TIME, NO_STEPS, NULL, NULL},
      {SESSION("1", "09_00", "w"), "w", NO_TIME, NO_STEPS, NULL, NULL},
      {SESSION("1", "49_00", "w"), "w", NO_TIME, NO_STEPS, NULL, NULL}},
     "abcd",
     true},
    {"containers of one name in a session",
     {{"/j/plugins/profile/a/rank-a.xplane.pb", "localhost", 100, 5, NULL, NULL},
      {"/j/plugins/profile/a/rank-b.xplane.pb", "localhost", 100, 5, NULL, NULL}},
     "aa",
     false},
    {"containers of one name, told by rank",
     {{"/x/rank_0.xplane.pb", "localhost", 100, 5, NULL, NULL},
      {"/y/rank_1.xplane.pb", "localhost", 100, 5, NULL, NULL}},
     "aa",
     false},
    {"two jobs at the same hosts' different times, hosts in between",
     {{"/x/h0.xplane.pb", "h0", 100, NO_STEPS, NULL, NULL},
      {"/y/h1.xplane.pb", "h1", 100, NO_STEPS, NULL, NULL},
      {"/z/h0.xplane.pb", "h0", 300, NO_STEPS, NULL, NULL},
      {"/u/h1.xplane.pb", "h1", 300, NO_STEPS, NULL, NULL}},
     "aabb",
     false},
};

static struct join_file file_make(const struct given *given, size_t index, struct arena *arena)
{
    static const int64_t second_ns = INT64_C(1000000000);
    struct err err = {0};
    struct join_file file = {.path = given->path,
                             .host = given->host,
                             .sha256 = arena_printf(arena, "%064zu", index),
                             .key = given->key,
                             .run = given->run};
    assert_true(file_place_of(given->path, arena, &file.place, &err));
    file.process = file.place.process;
    if (given->begin_s != NO_TIME) {
        file.begin_ns = some_i64(given->begin_s * second_ns);
        file.end_ns = some_i64((given->begin_s + 1) * second_ns);
    }
    int64_t *steps = arena_array(arena, int64_t, STEPS);
    for (int i = 0; i < STEPS; i++)
        steps[i] = given->first_step + i;
    file.steps = steps;
    file.step_count = given->first_step == NO_STEPS ? 0 : STEPS;
    return file;
}

static size_t files_make(const struct join_case *item, struct arena *arena, struct join_file *files)
{
    size_t count = 0;
    for (; count < FILES_MOST && item->files[count].path != NULL; count++)
        files[count] = file_make(&item->files[count], count, arena);
    return count;
}

/* The groups as letters, by the first file of each; files[order[i]] was given as the i-th. */
static void letters_make(const struct join_result *result, const size_t *order, size_t count,
                         char *letters)
{
    char next = 'a';
    size_t group_of[FILES_MOST];
    for (size_t g = 0; g < result->count; g++) {
        for (size_t i = 0; i < result->groups[g].count; i++)
            group_of[order[result->groups[g].files[i]]] = g;
    }
    for (size_t i = 0; i < count; i++) {
        size_t first = 0;
        while (group_of[first] != group_of[i])
            first++;
        letters[i] = first < i ? letters[first] : next++;
    }
    letters[count] = '\0';
}

static void case_check(const struct join_case *item, unsigned shift, bool backwards)
{
    struct err err = {0};
    struct join_result result;
    struct join_file files[FILES_MOST], given[FILES_MOST];
    size_t order[FILES_MOST];
    char letters[FILES_MOST + 1];
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    size_t count = files_make(item, &arena, files);
    for (size_t i = 0; i < count; i++) {
        order[i] = (i + shift) % count;
        order[i] = backwards ? count - 1 - order[i] : order[i];
        given[i] = files[order[i]];
    }
    if (!join_files(given, count, &arena, &result, &err))
        fail_msg("%s: %s", item->name, err.text);
    letters_make(&result, order, count, letters);
    if (strcmp(letters, item->wanted) != 0)
        fail_msg("%s: groups are %s, wanted %s", item->name, letters, item->wanted);
    if ((result.notes.count > 0) != item->noted)
        fail_msg("%s: %zu notes (%s)", item->name, result.notes.count,
                 result.notes.count > 0 ? result.notes.items[0] : "");
}

static void files_are_joined_by_what_they_say_in_any_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (unsigned shift = 0; shift < 4; shift++) {
            case_check(&cases[i], shift, false);
            case_check(&cases[i], shift, true);
        }
    }
}

static void a_key_of_two_files_of_one_host_is_refused(void **state)
{
    (void)state;
    static const struct join_case item = {"",
                                          {{"/x/h0.xplane.pb", "h0", 100, 5, "k", NULL},
                                           {"/y/h0.xplane.pb", "h0", 100, 5, "k", NULL}},
                                          "",
                                          false};
    struct err err = {0};
    struct join_result result;
    struct join_file files[FILES_MOST];
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    assert_false(join_files(files, files_make(&item, &arena, files), &arena, &result, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_non_null(strstr(err.text, "both are of host h0"));
}

static void hosts_stand_by_rank_then_name(void **state)
{
    (void)state;
    static const struct join_case item = {"",
                                          {{SESSION("10", "04_00", "a"), "a", 100, 5, NULL, NULL},
                                           {SESSION("2", "04_00", "c"), "c", 100, 5, NULL, NULL},
                                           {SESSION("1", "04_00", "b"), "b", 100, 5, NULL, NULL}},
                                          "",
                                          false};
    struct err err = {0};
    struct join_result result;
    struct join_file files[FILES_MOST];
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    assert_true(join_files(files, files_make(&item, &arena, files), &arena, &result, &err));
    assert_int_equal(result.count, 1);
    assert_int_equal(result.groups[0].files[0], 2);
    assert_int_equal(result.groups[0].files[1], 1);
    assert_int_equal(result.groups[0].files[2], 0);
}

static void places_tell_job_session_and_rank(void **state)
{
    (void)state;
    static const struct {
        const char *path, *job, *host;
        int64_t process; /* -1: none */
        bool timed;
    } places[] = {
        {"/r/profiler/plugins/profile/2026_01_02_03_04_05/h.xplane.pb", "/r/profiler", "h", -1,
         true},
        {SESSION("3", "04_05", "h"), "/job", "h", 3, true},
        {"/job/process_7/h.xplane.pb", "/job", "h", 7, false},
        {"/flat/process_2.xplane.pb", NULL, "process_2", 2, false},
        {"/flat/processing.xplane.pb", NULL, "processing", -1, false},
        {"/flat/h.name", NULL, "h.name", -1, false},
    };
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct err err = {0};
        struct file_place place;
        scoped_arena arena;
        arena_init(&arena, ARENA_BYTES);
        assert_true(file_place_of(places[i].path, &arena, &place, &err));
        assert_int_equal(place.job == NULL, places[i].job == NULL);
        if (place.job != NULL)
            assert_string_equal(place.job, places[i].job);
        assert_string_equal(place.host, places[i].host);
        assert_int_equal(place.process.set ? place.process.value : -1, places[i].process);
        assert_int_equal(place.session_s >= 0, places[i].timed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_joined_by_what_they_say_in_any_order),
        cmocka_unit_test(a_key_of_two_files_of_one_host_is_refused),
        cmocka_unit_test(hosts_stand_by_rank_then_name),
        cmocka_unit_test(places_tell_job_session_and_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
