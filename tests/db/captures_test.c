/* Which captures of a workload are held against one that comes, and which of them are read. */
#include "history/profiles/capture_hosts.h"
#include "tests/support/cluster.h"
#include "tests/support/ledger_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { APPENDED = 3, WINDOW_NS = 1000 };

struct job_scene {
    struct arena arena;
    struct db *db;
    int64_t ids[APPENDED]; /* of one job: one at 0, one at 10 windows, one that says no time */
};

static const char job[] = "/runs/long 1:2";

static struct capture_query query_at(int64_t begin_ns)
{
    return (struct capture_query){.project = "llm",
                                  .workload = "pretrain",
                                  .job = job,
                                  .begin_ns = {true, begin_ns},
                                  .end_ns = {true, begin_ns + WINDOW_NS},
                                  .timed = true};
}

static int64_t capture_append(struct job_scene *scene, int number, struct opt_i64 begin_ns)
{
    struct err err;
    struct profile_receipt receipt;
    struct capture_host host = {.begin_ns = begin_ns,
                                .end_ns = {begin_ns.set, begin_ns.value + WINDOW_NS}};
    const struct host_record record = {.job = job};
    const struct profile_identity identity = {
        .project = "llm", .workload = "pretrain", .branch = "main", .hosts = &record};
    struct summary *summary = ledger_summary(&scene->arena, number, 1);
    host.sha256 = summary->trace_provenance.trace_sha256;
    summary->capture = (struct capture){.hosts = &host, .host_count = 1};
    if (!ledger_append_profile(scene->db, &identity, summary, &scene->arena, &receipt, &err))
        fail_msg("%s", err.text);
    return receipt.id;
}

static int set_up(void **state)
{
    static struct job_scene scene;
    struct test_database database;
    test_database_make(&database);
    arena_init(&scene.arena, 64 << 20);
    scene.db = ledger_open(database.app);
    scene.ids[0] = capture_append(&scene, 1, (struct opt_i64){true, 0});
    scene.ids[1] = capture_append(&scene, 2, (struct opt_i64){true, 10 * WINDOW_NS});
    scene.ids[2] = capture_append(&scene, 3, (struct opt_i64){0});
    *state = &scene;
    return 0;
}

static int tear_down(void **state)
{
    struct job_scene *scene = *state;
    db_close(scene->db);
    arena_done(&scene->arena);
    return 0;
}

/* All of the job are named; the documents are those of `read[]`. */
static void neighbours_expect(struct job_scene *scene, const struct capture_query *query,
                              bool documents, const bool read[APPENDED])
{
    struct err err;
    struct neighbour_list list;
    if (!ledger_capture_neighbours(scene->db, query, documents, &scene->arena, &list, &err))
        fail_msg("%s", err.text);
    assert_int_equal(list.count, APPENDED);
    for (size_t i = 0; i < APPENDED; i++) {
        assert_int_equal(list.items[i].profile_id, scene->ids[i]);
        assert_true(list.items[i].in_job);
        assert_int_equal(list.items[i].document != NULL, read[i]);
    }
}

static void reads_only_captures_of_a_long_job_whose_windows_meet(void **state)
{
    const struct capture_query near_first = query_at(WINDOW_NS / 2),
                               near_second = query_at(10 * WINDOW_NS + WINDOW_NS / 2),
                               near_none = query_at(100 * WINDOW_NS);
    neighbours_expect(*state, &near_first, true, (bool[]){true, false, true});
    neighbours_expect(*state, &near_second, true, (bool[]){false, true, true});
    neighbours_expect(*state, &near_none, true, (bool[]){false, false, true});
}

static void reads_all_of_the_job_for_a_capture_without_times(void **state)
{
    struct capture_query query = query_at(0);
    query.begin_ns.set = query.end_ns.set = query.timed = false;
    neighbours_expect(*state, &query, true, (bool[]){true, true, true});
}

static void reads_none_where_only_names_are_asked_for(void **state)
{
    const struct capture_query query = query_at(0);
    neighbours_expect(*state, &query, false, (bool[]){false, false, false});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_only_captures_of_a_long_job_whose_windows_meet),
        cmocka_unit_test(reads_all_of_the_job_for_a_capture_without_times),
        cmocka_unit_test(reads_none_where_only_names_are_asked_for),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
