/* Speed of the queue: jobs claimed and ended per second by 1, 4 and 8 workers, and the time from a
 * hint to the committed claim. `make bench T=queue` prints the table.
 *
 * Real PostgreSQL, but without fsync and on a Unix socket (tests/support/cluster.h): the figures
 * say what the queue costs, not what the disk does. "bare" is one UPDATE by primary key per claim
 * and end, in the same run: what any queue in a table has to pay.
 */
#include "history/lease/queue_admin.h"
#include "ops/runtime/clock.h"
#include "tests/support/cluster.h"
#include "tests/support/ledger_fixture.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { JOBS = 3000, ROUNDS = 3, HINTS = 300, WORKERS_MAX = 8, LEASE_MS = 60000 };

static struct test_database database;

_Noreturn static void give_up(const char *what, const struct err *err)
{
    (void)fprintf(stderr, "queue_bench: %s: %s\n", what, err->text);
    exit(1);
}

static double now_s(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void job_add(struct db *db)
{
    int64_t id;
    struct err err = {0};
    const struct queue_entry entry = {.identity = {.project = "bench", .workload = "w"},
                                      .path = "/x",
                                      .options = "{}",
                                      .max_attempts = 3};
    if (!queue_add(db, &entry, &id, &err))
        give_up("add", &err);
}

static void jobs_refill(void)
{
    char text[400];
    (void)snprintf(text, sizeof text,
                   "TRUNCATE queue CASCADE; INSERT INTO queue (project, workload, path, options, "
                   "max_attempts) SELECT 'bench', 'w', '/x', '{}', 3 "
                   "FROM generate_series(1, %d); ANALYZE queue",
                   JOBS);
    sql_do(database.admin, text);
}

/* Claims a job and ends it without a profile, as far as the queue is concerned the same work;
 * false when none is left. */
static bool claim_and_end(struct db *db, struct arena *arena)
{
    bool found, aside;
    struct err err = {0};
    struct queue_job job;
    const struct queue_lease lease = {"bench:1", LEASE_MS};
    const struct queue_failure failure = {QUEUE_SET_ASIDE, "bench", "ended", 0};
    struct arena_mark mark = arena_mark(arena);
    if (!queue_claim(db, &lease, arena, &job, &found, &err) ||
        (found && !queue_fail(db, &job, &failure, &aside, &err)))
        give_up("claim", &err);
    arena_rewind(arena, mark);
    return found;
}

_Noreturn static void worker_run(void)
{
    struct arena arena;
    arena_init(&arena, 16 << 20);
    struct db *db = ledger_open(database.app);
    while (claim_and_end(db, &arena))
        ;
    db_close(db);
    _exit(0);
}

/* Seconds in which the workers end all jobs, their start included. */
static double workers_measure(int count)
{
    pid_t workers[WORKERS_MAX];
    jobs_refill();
    double begin = now_s();
    for (int i = 0; i < count; i++) {
        workers[i] = fork();
        if (workers[i] == 0)
            worker_run();
    }
    for (int i = 0; i < count; i++) {
        int status;
        if (waitpid(workers[i], &status, 0) != workers[i] || status != 0)
            exit(1);
    }
    return now_s() - begin;
}

/* The same number of statements by primary key, in one session. */
static double bare_measure(void)
{
    char text[400];
    jobs_refill();
    (void)snprintf(text, sizeof text,
                   "CREATE OR REPLACE PROCEDURE bare() LANGUAGE plpgsql AS $$ DECLARE i bigint; "
                   "BEGIN FOR i IN SELECT id FROM queue LOOP "
                   "UPDATE queue SET fence = fence + 1 WHERE id = i; COMMIT; "
                   "UPDATE queue SET fence = fence + 1 WHERE id = i; COMMIT; END LOOP; END $$");
    sql_do(database.admin, text);
    double begin = now_s();
    sql_do(database.admin, "CALL bare()");
    return now_s() - begin;
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median_rate(double (*measure)(int), int count)
{
    double seconds[ROUNDS];
    for (int i = 0; i < ROUNDS; i++)
        seconds[i] = measure(count);
    qsort(seconds, ROUNDS, sizeof *seconds, by_value);
    return JOBS / seconds[ROUNDS / 2];
}

static double bare_of(int count)
{
    (void)count;
    return bare_measure();
}

/* Microseconds from before the hint is sent, by one connection, to the committed claim by another.
 */
static double hint_measure(struct db *sender, struct db *listener, struct arena *arena)
{
    bool hinted = false;
    struct err err = {0};
    job_add(sender);
    double begin = now_s();
    if (!queue_hint(sender, &err))
        give_up("hint", &err);
    while (!hinted) {
        struct pollfd wait = {.fd = queue_socket(listener), .events = POLLIN};
        (void)poll(&wait, 1, 1000);
        if (!queue_hints_take(listener, &hinted, &err))
            give_up("hints", &err);
    }
    if (!claim_and_end(listener, arena))
        exit(1);
    return (now_s() - begin) * 1e6;
}

static void hints_print(void)
{
    double us[HINTS];
    struct err err = {0};
    struct arena arena;
    arena_init(&arena, 16 << 20);
    sql_do(database.admin, "TRUNCATE queue CASCADE");
    struct db *sender = ledger_open(database.app), *listener = ledger_open(database.app);
    if (!queue_listen(listener, &err))
        give_up("listen", &err);
    for (int i = 0; i < HINTS; i++)
        us[i] = hint_measure(sender, listener, &arena);
    qsort(us, HINTS, sizeof *us, by_value);
    printf("hint to claimed and ended   p50 %.2f ms   p99 %.2f ms   (%d hints)\n",
           us[HINTS / 2] / 1000, us[HINTS * 99 / 100] / 1000, HINTS);
    db_close(sender);
    db_close(listener);
    arena_done(&arena);
}

int main(void)
{
    static const int counts[] = {1, 4, 8};
    struct utsname machine = {0};
    (void)uname(&machine);
    test_database_make(&database);
    printf("machine %s %s, %ld cores; %d jobs, median of %d\n", machine.machine, machine.release,
           sysconf(_SC_NPROCESSORS_ONLN), JOBS, ROUNDS);
    double bare = median_rate(bare_of, 1);
    printf("bare, two UPDATEs by key    %6.0f jobs/s\n", bare);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        double rate = median_rate(workers_measure, counts[i]);
        printf("claim and end, %d worker%s   %6.0f jobs/s   %.2f of bare\n", counts[i],
               counts[i] > 1 ? "s" : " ", rate, rate / bare);
    }
    hints_print();
    return 0;
}
