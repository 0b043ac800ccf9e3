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
    const char *format; /* NULL: an XPlane file */
    int rank, count;    /* of its process, which it says where there are some */
};

struct join_case {
    const char *name;
    struct given files[FILES_MOST];
    const char *wanted; /* the group of each file, by letters */
    bool noted;         /* something was not joined, and that is said */
};

#define XPLANE NULL, 0, 0
#define TRACE "perfetto_trace_json"
#define EXPORT "nsight_sqlite"
#define SESSION(process, time, host) \
    "/job/process_" process "/plugins/profile/2026_01_02_03_" time "/" host ".xplane.pb"

static const struct join_case cases[] = {
    {"one folder",
     {{"/j/plugins/profile/a/h0.xplane.pb", "h0", 100, 5, NULL, NULL, XPLANE},
      {"/j/plugins/profile/a/h1.xplane.pb", "h1", 100, 5, NULL, NULL, XPLANE}},
     "aa",
     false},
    {"a folder for each process, times of their own, no clock",
     {{SESSION("0", "04_00", "w"), "w", NO_TIME, 5, NULL, NULL, XPLANE},
      {SESSION("1", "09_00", "w"), "w", NO_TIME, 5, NULL, NULL, XPLANE},
      {SESSION("2", "14_00", "w"), "w", NO_TIME, 5, NULL, NULL, XPLANE}},
     "aaa",
     false},
    {"copied anywhere",
     {{"/x/h0.xplane.pb", "h0", 100, 5, NULL, NULL, XPLANE},
      {"/y/z/h1.xplane.pb", "h1", 100, 5, NULL, NULL, XPLANE}},
     "aa",
     false},
    {"clocks some seconds apart, steps agree",
     {{"/x/h0.xplane.pb", "h0", 100, 5, NULL, NULL, XPLANE},
      {"/y/h1.xplane.pb", "h1", 104, 5, NULL, NULL, XPLANE}},
     "aa",
     false},
    {"clocks some seconds apart, no steps",
     {{"/x/h0.xplane.pb", "h0", 100, NO_STEPS, NULL, NULL, XPLANE},
      {"/y/h1.xplane.pb", "h1", 104, NO_STEPS, NULL, NULL, XPLANE}},
     "ab",
     false},
    {"other times",
     {{"/x/h0.xplane.pb", "h0", 100, 5, NULL, NULL, XPLANE},
      {"/y/h1.xplane.pb", "h1", 900, 5, NULL, NULL, XPLANE}},
     "ab",
     false},
    {"other steps",
     {{"/x/h0.xplane.pb", "h0", 100, 5, NULL, NULL, XPLANE},
      {"/y/h1.xplane.pb", "h1", 100, 500, NULL, NULL, XPLANE}},
     "ab",
     false},
    {"the same host twice",
     {{"/x/h0.xplane.pb", "h0", 100, 5, NULL, NULL, XPLANE},
      {"/y/h0.xplane.pb", "h0", 100, 5, NULL, NULL, XPLANE}},
     "ab",
     false},
    {"loose files without times",
     {{"/x/h0.xplane.pb", "h0", NO_TIME, 5, NULL, NULL, XPLANE},
      {"/x/h1.xplane.pb", "h1", NO_TIME, 5, NULL, NULL, XPLANE}},
     "ab",
     true},
    {"loose files without times, of one run",
     {{"/x/h0.xplane.pb", "h0", NO_TIME, 5, NULL, "r", XPLANE},
      {"/x/h1.xplane.pb", "h1", NO_TIME, 5, NULL, "r", XPLANE}},
     "aa",
     false},
    {"loose files without times, of one capture",
     {{"/x/h0.xplane.pb", "h0", NO_TIME, 5, "k", NULL, XPLANE},
      {"/y/h1.xplane.pb", "h1", NO_TIME, 5, "k", NULL, XPLANE}},
     "aa",
     false},
    {"times that meet, of two captures",
     {{"/x/h0.xplane.pb", "h0", 100, 5, "k", NULL, XPLANE},
      {"/y/h1.xplane.pb", "h1", 100, 5, "l", NULL, XPLANE}},
     "ab",
     false},
    {"two captures of a job by their times",
     {{SESSION("0", "04_00", "w"), "w", 100, 5, NULL, NULL, XPLANE},
      {SESSION("0", "44_00", "w"), "w", 900, 5, NULL, NULL, XPLANE},
      {SESSION("1", "04_01", "w"), "w", 100, 5, NULL, NULL, XPLANE},
      {SESSION("1", "44_01", "w"), "w", 900, 5, NULL, NULL, XPLANE}},
     "abab",
     false},
    {"two captures of a job by their steps",
     {{SESSION("0", "04_00", "w"), "w", NO_TIME, 5, NULL, NULL, XPLANE},
      {SESSION("0", "44_00", "w"), "w", NO_TIME, 500, NULL, NULL, XPLANE},
      {SESSION("1", "09_01", "w"), "w", NO_TIME, 5, NULL, NULL, XPLANE},
      {SESSION("1", "49_01", "w"), "w", NO_TIME, 500, NULL, NULL, XPLANE}},
     "abab",
     false},
    {"two captures of a job by their sessions' times",
     {{SESSION("0", "04_00", "w"), "w", NO_TIME, NO_STEPS, NULL, NULL, XPLANE},
      {SESSION("0", "44_00", "w"), "w", NO_TIME, NO_STEPS, NULL, NULL, XPLANE},
      {SESSION("1", "04_02", "w"), "w", NO_TIME, NO_STEPS, NULL, NULL, XPLANE},
      {SESSION("1", "44_02", "w"), "w", NO_TIME, NO_STEPS, NULL, NULL, XPLANE}},
     "abab",
     false},
    {"two captures of a job that nothing tells apart",
     {{SESSION("0", "04_00", "w"), "w", NO_TIME, NO_STEPS, NULL, NULL, XPLANE},
      {SESSION("0", "44_00", "w"), "w", NO_TIME, NO_STEPS, NULL, NULL, XPLANE},
      {SESSION("1", "09_00", "w"), "w", NO_TIME, NO_STEPS, NULL, NULL, XPLANE},
      {SESSION("1", "49_00", "w"), "w", NO_TIME, NO_STEPS, NULL, NULL, XPLANE}},
     "abcd",
     true},
    {"ranks of two jobs of other sizes",
     {{"/x/a.pt.trace.json", NULL, 100, 5, NULL, NULL, TRACE, 0, 2},
      {"/x/b.pt.trace.json", NULL, 100, 5, NULL, NULL, TRACE, 1, 8}},
     "ab",
     true},
    {"ranks of one job",
     {{"/x/a.pt.trace.json", NULL, 100, 5, NULL, NULL, TRACE, 0, 2},
      {"/y/b.pt.trace.json", NULL, 100, 5, NULL, NULL, TRACE, 1, 2}},
     "aa",
     false},
    {"a job of one process has no other host",
     {{"/x/a.pt.trace.json", "h0", 100, 5, NULL, NULL, TRACE, 0, 1},
      {"/x/b.pt.trace.json", "h1", 100, 5, NULL, NULL, TRACE, 0, 0}},
     "ab",
     true},
    {"a rank that the job cannot have",
     {{"/x/a.pt.trace.json", NULL, 100, 5, NULL, NULL, TRACE, 0, 2},
      {"/x/rank5.pt.trace.json", NULL, 100, 5, NULL, NULL, TRACE, 0, 0}},
     "ab",
     true},
    {"traces that only their names tell apart",
     {{"/x/a.pt.trace.json", NULL, 100, 5, NULL, NULL, TRACE, 0, 0},
      {"/x/b.pt.trace.json", NULL, 100, 5, NULL, NULL, TRACE, 0, 0}},
     "ab",
     true},
    {"the same, one after the other",
     {{"/x/a.pt.trace.json", NULL, 100, 5, NULL, NULL, TRACE, 0, 0},
      {"/x/b.pt.trace.json", NULL, 102, 5, NULL, NULL, TRACE, 0, 0}},
     "ab",
     false},
    {"the same, given as one capture",
     {{"/x/a.pt.trace.json", NULL, 100, 5, "k", NULL, TRACE, 0, 0},
      {"/x/b.pt.trace.json", NULL, 100, 5, "k", NULL, TRACE, 0, 0}},
     "aa",
     false},
    {"two machines by the names that PyTorch's handler gives",
     {{"/x/m0_11.1700000000.pt.trace.json.gz", NULL, 100, 5, NULL, NULL, TRACE, 0, 0},
      {"/x/m1_11.1700000001.pt.trace.json.gz", NULL, 100, 5, NULL, NULL, TRACE, 0, 0}},
     "aa",
     false},
    {"two processes of one machine by those names",
     {{"/x/m0_11.1700000000.pt.trace.json.gz", NULL, 100, 5, NULL, NULL, TRACE, 0, 0},
      {"/x/m0_12.1700000001.pt.trace.json.gz", NULL, 100, 5, NULL, NULL, TRACE, 0, 0}},
     "ab",
     true},
    {"two captures of one process by those names",
     {{"/x/m0_11.1700000000.pt.trace.json.gz", NULL, 100, 5, NULL, NULL, TRACE, 0, 0},
      {"/x/m0_11.1700000003.pt.trace.json.gz", NULL, 103, 5, NULL, NULL, TRACE, 0, 0}},
     "ab",
     false},
    {"exports of ranks by their names",
     {{"/x/report_rank0.sqlite", "m", 100, 5, NULL, NULL, EXPORT, 0, 0},
      {"/x/report_rank1.sqlite", "m", 100, 5, NULL, NULL, EXPORT, 0, 0},
      {"/x/other_rank2.sqlite", "m", 100, 5, NULL, NULL, EXPORT, 0, 0}},
     "aab",
     true},
    {"two jobs of ranks at once, that their names tell apart",
     {{"/x/a_rank0.pt.trace.json", NULL, 100, 5, NULL, NULL, TRACE, 0, 2},
      {"/x/a_rank1.pt.trace.json", NULL, 100, 5, NULL, NULL, TRACE, 1, 2},
      {"/x/b_rank0.pt.trace.json", NULL, 100, 5, NULL, NULL, TRACE, 0, 2},
      {"/x/b_rank1.pt.trace.json", NULL, 100, 5, NULL, NULL, TRACE, 1, 2}},
     "aabb",
     false},
    {"two jobs of ranks at once, that nothing tells apart",
     {{"/x/a.pt.trace.json", NULL, 100, 5, NULL, NULL, TRACE, 0, 2},
      {"/x/b.pt.trace.json", NULL, 100, 5, NULL, NULL, TRACE, 1, 2},
      {"/x/c.pt.trace.json", NULL, 100, 5, NULL, NULL, TRACE, 0, 2},
      {"/x/d.pt.trace.json", NULL, 100, 5, NULL, NULL, TRACE, 1, 2}},
     "abcd",
     true},
    {"exports of one machine at one time",
     {{"/x/report1.sqlite", "m", 100, 5, NULL, NULL, EXPORT, 0, 0},
      {"/x/report2.sqlite", "m", 100, 5, NULL, NULL, EXPORT, 0, 0}},
     "ab",
     true},
    {"the same, given as one capture",
     {{"/x/report1.sqlite", "m", 100, 5, "k", NULL, EXPORT, 0, 0},
      {"/x/report2.sqlite", "m", 100, 5, "k", NULL, EXPORT, 0, 0}},
     "aa",
     false},
    {"containers of one name in a session",
     {{"/j/plugins/profile/a/rank-a.xplane.pb", "localhost", 100, 5, NULL, NULL, XPLANE},
      {"/j/plugins/profile/a/rank-b.xplane.pb", "localhost", 100, 5, NULL, NULL, XPLANE}},
     "aa",
     false},
    {"containers of one name, told by rank",
     {{"/x/rank_0.xplane.pb", "localhost", 100, 5, NULL, NULL, XPLANE},
      {"/y/rank_1.xplane.pb", "localhost", 100, 5, NULL, NULL, XPLANE}},
     "aa",
     false},
    {"two jobs at the same hosts' different times, hosts in between",
     {{"/x/h0.xplane.pb", "h0", 100, NO_STEPS, NULL, NULL, XPLANE},
      {"/y/h1.xplane.pb", "h1", 100, NO_STEPS, NULL, NULL, XPLANE},
      {"/z/h0.xplane.pb", "h0", 300, NO_STEPS, NULL, NULL, XPLANE},
      {"/u/h1.xplane.pb", "h1", 300, NO_STEPS, NULL, NULL, XPLANE}},
     "aabb",
     false},
};

static struct join_file file_make(const struct given *given, size_t index, struct arena *arena)
{
    static const int64_t second_ns = INT64_C(1000000000);
    struct join_file file = {.path = given->path,
                             .host = given->host,
                             .sha256 = arena_printf(arena, "%064zu", index),
                             .format = given->format == NULL ? "xplane_pb" : given->format,
                             .key = given->key,
                             .run = given->run};
    file.place = file_place_of(given->path, arena);
    file.process = given->count > 0 ? some_i64(given->rank) : file.place.process;
    if (given->count > 0)
        file.process_count = some_i64(given->count);
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
                                          {{"/x/h0.xplane.pb", "h0", 100, 5, "k", NULL, XPLANE},
                                           {"/y/h0.xplane.pb", "h0", 100, 5, "k", NULL, XPLANE}},
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
    static const struct join_case item = {
        "",
        {{SESSION("10", "04_00", "a"), "a", 100, 5, NULL, NULL, XPLANE},
         {SESSION("2", "04_00", "c"), "c", 100, 5, NULL, NULL, XPLANE},
         {SESSION("1", "04_00", "b"), "b", 100, 5, NULL, NULL, XPLANE}},
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

static void places_tell_runs_machines_and_ranks(void **state)
{
    (void)state;
    static const struct {
        const char *path, *host, *run, *machine, *unranked; /* NULL: none */
        int64_t rank;
    } places[] = {
        {"/l/node-7_11.1700400000.pt.trace.json.gz", "node-7_11", "/l/node-7_11", "node-7", NULL,
         0},
        {"/l/node_b_11.1700400000.pt.trace.json", "node_b_11", "/l/node_b_11", "node_b", NULL, 0},
        {"/l/rank0.1700400000.pt.trace.json", "rank0", "/l", NULL, "rank", 0},
        {"/l/trace.pt.trace.json", "trace", NULL, NULL, NULL, 0},
        {"/l/step_12.pt.trace.json", "step_12", NULL, NULL, NULL, 0},
        {"/l/h_11.1700400000.trace.json.gz", "h_11.1700400000", NULL, NULL, NULL, 0},
        {"/j/rank2/h_11.1700400000.pt.trace.json", "h_11", "/j", "h", NULL, 0},
        {"/l/report_rank12.sqlite", "report_rank12.sqlite", NULL, NULL, "report_rank.sqlite", 12},
        {"/l/report.Rank-3.of4.sqlite", "report.Rank-3.of4.sqlite", NULL, NULL,
         "report.Rank-.of4.sqlite", 3},
        {"/l/lowrank4.sqlite", "lowrank4.sqlite", NULL, NULL, NULL, 0},
        {"/l/rank4b_rank5.sqlite", "rank4b_rank5.sqlite", NULL, NULL, "rank4b_rank.sqlite", 5},
    };
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct file_place place;
        scoped_arena arena;
        arena_init(&arena, ARENA_BYTES);
        place = file_place_of(places[i].path, &arena);
        const char *const wanted[] = {places[i].host, places[i].run, places[i].machine,
                                      places[i].unranked};
        const char *const got[] = {place.host, place.run, place.machine, place.unranked};
        for (size_t t = 0; t < sizeof got / sizeof got[0]; t++) {
            if ((got[t] == NULL) != (wanted[t] == NULL) ||
                (got[t] != NULL && strcmp(got[t], wanted[t]) != 0))
                fail_msg("%s: %zu is %s, wanted %s", places[i].path, t, got[t], wanted[t]);
        }
        assert_int_equal(place.rank.set, places[i].unranked != NULL);
        assert_int_equal(place.rank.value, places[i].rank);
    }
}

/* A file with steps that last `steps_ps`, and events as many as they. */
static struct join_file steps_of(const int64_t *numbers, const int64_t *steps_ps, size_t count,
                                 int64_t end_ns)
{
    return (struct join_file){.path = "/x/a.pt.trace.json",
                              .format = TRACE,
                              .place = {.folder = "/x", .host = "a", .session_s = -1},
                              .begin_ns = some_i64(1000),
                              .end_ns = some_i64(end_ns),
                              .steps = numbers,
                              .steps_ps = steps_ps,
                              .row_count = count,
                              .event_count = (int64_t)count};
}

static void a_copy_is_known_by_its_times_and_steps(void **state)
{
    (void)state;
    static const int64_t numbers[] = {5, 6, 7, 8}, ps[] = {10, 11, 12, 13}, cut[] = {10, 11, 4},
                         other[] = {10, 11, 12, 14};
    const struct join_file whole = steps_of(numbers, ps, 4, 2000);
    struct join_file file = steps_of(numbers, ps, 4, 2000);
    assert_true(join_is_copy(&file, &whole));
    file.end_ns = some_i64(1999);
    assert_false(join_is_copy(&file, &whole));
    file = steps_of(numbers, other, 4, 2000);
    assert_false(join_is_copy(&file, &whole));
    file = steps_of(numbers, cut, 3, 1500);
    assert_false(join_is_copy(&file, &whole)); /* it is whole itself */
    file.is_cut = true;
    assert_true(join_is_copy(&file, &whole));
    assert_false(join_is_copy(&whole, &file));
    file.begin_ns = some_i64(1001);
    assert_false(join_is_copy(&file, &whole));
    file = steps_of(numbers, cut, 2, 1500);
    file.is_cut = true; /* one step is surely whole: too few */
    assert_false(join_is_copy(&file, &whole));
    file = steps_of(numbers, ps, 0, 1500);
    assert_false(join_is_copy(&file, &whole));
    file = whole;
    file.ops[3] = 1;
    assert_false(join_is_copy(&file, &whole));
    file = whole;
    file.format = "xplane_pb";
    assert_false(join_is_copy(&file, &whole));
    file = whole;
    struct join_file rank = whole;
    file.process = some_i64(1);
    rank.process = some_i64(0);
    assert_false(join_is_copy(&file, &rank));
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
        struct file_place place;
        scoped_arena arena;
        arena_init(&arena, ARENA_BYTES);
        place = file_place_of(places[i].path, &arena);
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
        cmocka_unit_test(places_tell_runs_machines_and_ranks),
        cmocka_unit_test(a_copy_is_known_by_its_times_and_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
