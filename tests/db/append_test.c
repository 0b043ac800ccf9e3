/* Appending under force: writers that are killed, writers that do the same at once. */
#include "ops/runtime/clock.h"
#include "tests/support/cluster.h"
#include "tests/support/ledger_fixture.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { KILLS = 40, OPS = 4000, WRITERS = 4, ROUNDS = 10, SAME_ROUNDS = 15 };

static struct test_database database;

static int set_up(void **state)
{
    (void)state;
    test_database_make(&database);
    return 0;
}

static const struct profile_identity identity = {
    .project = "llm", .workload = "pretrain", .branch = "main"};

/* Where writers wait for the same moment: each says `ready`, all see the end of `go`. */
struct gate {
    int ready[2], go[2];
};

static void gate_make(struct gate *gate)
{
    assert_int_equal(pipe(gate->ready), 0);
    assert_int_equal(pipe(gate->go), 0);
}

/* Waits until `count` writers stand there, then lets them go. */
static void gate_open(struct gate *gate, int count)
{
    char byte;
    (void)close(gate->ready[1]); /* a writer that dies early is an end of file, not a hang */
    for (int i = 0; i < count; i++)
        assert_int_equal(read(gate->ready[0], &byte, 1), 1);
    (void)close(gate->go[1]);
    (void)close(gate->go[0]);
    (void)close(gate->ready[0]);
}

/* In a child: appends one profile and says by its exit status whether it was new. */
_Noreturn static void writer_run(int number, size_t ops, struct gate *gate)
{
    char byte = 0;
    struct err err = {0};
    struct arena arena;
    struct profile_receipt receipt;
    arena_init(&arena, 512 << 20);
    struct summary *summary = ledger_summary(&arena, number, ops);
    struct db *db = ledger_open(database.app);
    (void)close(gate->go[1]);
    (void)!write(gate->ready[1], &byte, 1);
    (void)!read(gate->go[0], &byte, 1);
    bool done = ledger_append_profile(db, &identity, summary, &arena, &receipt, &err);
    if (!done)
        (void)fprintf(stderr, "%s\n", err.text);
    _exit(done ? receipt.duplicate : 100);
}

static pid_t writer_start(int number, size_t ops, struct gate *gate)
{
    pid_t pid = fork();
    if (pid == 0)
        writer_run(number, ops, gate);
    assert_true(pid > 0);
    return pid;
}

/* One writer alone; returns its exit status. */
static int writer_finish(int number, int64_t *ret_ms)
{
    struct gate gate;
    int status;
    gate_make(&gate);
    pid_t pid = writer_start(number, OPS, &gate);
    gate_open(&gate, 1);
    int64_t from = clock_monotonic_ms();
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    *ret_ms = clock_monotonic_ms() - from;
    return WEXITSTATUS(status);
}

static const char broken_profiles[] =
    "SELECT (SELECT count(*) FROM profiles p WHERE "
    "(SELECT count(*) FROM op_rows o WHERE o.profile_id = p.id) <> 4000 "
    "OR (SELECT count(*) FROM profile_steps t WHERE t.profile_id = p.id) <> 8 "
    "OR (SELECT count(*) FROM step_spans t WHERE t.profile_id = p.id) <> 32 "
    "OR (SELECT count(*) FROM profile_events e WHERE e.profile_id = p.id) <> 1 "
    "OR NOT EXISTS (SELECT FROM summaries d WHERE d.profile_id = p.id)) "
    "+ (SELECT count(*) FROM op_rows WHERE profile_id NOT IN (SELECT id FROM profiles)) "
    "+ (SELECT count(*) FROM step_spans WHERE profile_id NOT IN (SELECT id FROM profiles))";

static void stores_all_or_nothing_when_the_writer_is_killed(void **state)
{
    (void)state;
    int64_t whole_ms, ignored_ms;
    int killed = 0;
    assert_int_equal(OPS, 4000); /* the number in broken_profiles */
    assert_int_equal(writer_finish(1, &whole_ms), 0);
    for (int i = 0; i < KILLS; i++) {
        struct gate gate;
        int status;
        gate_make(&gate);
        pid_t pid = writer_start(100 + i, OPS, &gate);
        gate_open(&gate, 1);
        clock_sleep_ms(whole_ms * i / KILLS);
        (void)kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        killed += WIFSIGNALED(status);
        assert_int_equal(sql_number(database.admin, broken_profiles), 0);
    }
    print_message("# %d of %d writers were killed in mid-append (an append takes %d ms)\n", killed,
                  KILLS, (int)whole_ms);
    assert_true(killed > KILLS / 4);
    /* What was not stored can be appended now, and what was is known. */
    for (int i = 0; i < KILLS; i++)
        assert_true(writer_finish(100 + i, &ignored_ms) <= 1);
    assert_int_equal(sql_number(database.admin, "SELECT count(*) FROM profiles"), KILLS + 1);
    assert_int_equal(sql_number(database.admin, broken_profiles), 0);
}

/* Starts the writers together; returns how many said that theirs was new. */
static int together(const int numbers[WRITERS])
{
    struct gate gate;
    int fresh = 0;
    pid_t writers[WRITERS];
    gate_make(&gate);
    for (int i = 0; i < WRITERS; i++)
        writers[i] = writer_start(numbers[i], 50, &gate);
    gate_open(&gate, WRITERS);
    for (int i = 0; i < WRITERS; i++) {
        int status;
        assert_int_equal(waitpid(writers[i], &status, 0), writers[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
        fresh += WEXITSTATUS(status) == 0;
    }
    return fresh;
}

static void makes_one_profile_of_the_same_bytes_at_once(void **state)
{
    (void)state;
    for (int round = 0; round < SAME_ROUNDS; round++) {
        int number = 1000 + round;
        assert_int_equal(together((int[WRITERS]){number, number, number, number}), 1);
    }
    assert_int_equal(
        sql_number(database.admin, "SELECT count(*) - count(DISTINCT trace_sha256) FROM profiles"),
        0);
}

static void stores_different_profiles_at_once(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        int number = 2000 + 10 * round;
        assert_int_equal(together((int[WRITERS]){number, number + 1, number + 2, number + 3}),
                         WRITERS);
    }
}

/* In a child: appends to a workload; its exit status is the profile's id. */
static pid_t appender_start(const char *workload, int number)
{
    pid_t pid = fork();
    if (pid == 0) {
        struct arena arena;
        struct profile_identity other = identity;
        other.workload = workload;
        arena_init(&arena, 64 << 20);
        struct db *db = ledger_open(database.app);
        _exit((int)ledger_append(db, &arena, &other, number).id);
    }
    assert_true(pid > 0);
    return pid;
}

/* Ids are given in commit order within a workload: a baseline "before p12" means one thing for
 * ever. */
static void makes_appends_of_one_workload_wait_for_each_other(void **state)
{
    (void)state;
    int status;
    struct err err = {0};
    struct arena arena;
    struct profile_receipt first;
    test_database_make(&database);
    arena_init(&arena, 64 << 20);
    struct db *db = ledger_open(database.app);
    ledger_append(db, &arena, &identity, 9); /* a new project would make everybody wait */
    assert_true(db_begin(db, &err));
    assert_true(ledger_append_profile_within(db, &identity, ledger_summary(&arena, 1, 3), &arena,
                                             &first, &err));
    pid_t same = appender_start("pretrain", 2), other = appender_start("finetune", 3);
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) > 0);
    clock_sleep_ms(100);
    assert_int_equal(waitpid(same, &status, WNOHANG), 0);
    assert_true(db_commit(db, &err));
    assert_int_equal(waitpid(same, &status, 0), same);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) > first.id);
    db_close(db);
    arena_done(&arena);
}

/* The first row of a profile finds room, a later one does not. */
static void says_that_the_disk_is_full(void **state)
{
    static const char full[] =
        "CREATE FUNCTION stepledger.no_room() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN "
        "RAISE EXCEPTION 'no space' USING ERRCODE = 'disk_full'; END$$; "
        "CREATE TRIGGER no_room BEFORE INSERT ON stepledger.summaries "
        "FOR EACH ROW EXECUTE FUNCTION stepledger.no_room()";
    (void)state;
    struct err err = {0};
    struct arena arena;
    struct profile_receipt receipt;
    test_database_make(&database);
    sql_do(database.owner, full);
    arena_init(&arena, 64 << 20);
    struct db *db = ledger_open(database.app);
    assert_false(
        ledger_append_profile(db, &identity, ledger_summary(&arena, 1, 3), &arena, &receipt, &err));
    assert_int_equal(err.kind, ERR_FULL);
    assert_string_equal(err.sqlstate, "53100");
    db_close(db);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores_all_or_nothing_when_the_writer_is_killed),
        cmocka_unit_test(makes_one_profile_of_the_same_bytes_at_once),
        cmocka_unit_test(stores_different_profiles_at_once),
        cmocka_unit_test(makes_appends_of_one_workload_wait_for_each_other),
        cmocka_unit_test(says_that_the_disk_is_full),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
