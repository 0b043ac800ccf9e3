/* Speed of the ledger: profiles of 500 ops stored per second with 1, 4 and 8 connections, beside a
 * bare COPY of the same rows in the same run (the goal is 60 % of it); processor time and memory of
 * one of each; WAL per profile; verifying;
 * the last 200 points of a measure among 1 and 10 million. On an embedded cluster of its own,
 * durable as it is for users.
 */
#include "history/cluster/cluster.h"
#include "history/verify/verify.h"
#include "ops/runtime/clock.h"
#include "tests/support/bare_copy.h"
#include "tests/support/cluster.h"
#include "tests/support/folder.h"
#include "tests/support/ledger_fixture.h"

#include <inttypes.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OPS = 500, CONNECTIONS_MAX = 8, ROUNDS = 3, POINT_READS = 501 };
static const int64_t ROUND_MS = 3000;

static char url[400], owner_url[400];
static int64_t postmaster;

_Noreturn static void give_up(const char *what, const char *why)
{
    (void)fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static void cluster_make(void)
{
    struct err err;
    struct cluster_status status;
    struct arena arena;
    const struct passwd *user = geteuid() == 0 ? getpwnam("postgres") : getpwuid(geteuid());
    char *folder = test_folder_make();
    arena_init(&arena, 1 << 20);
    if (user == NULL || chown(folder, user->pw_uid, user->pw_gid) != 0 ||
        setenv("XDG_DATA_HOME", folder, 1) != 0)
        give_up(folder, "cannot be the cluster's");
    if (!cluster_ensure(&arena, &status, &err))
        give_up("cluster", err.text);
    (void)snprintf(url, sizeof url, "%s", status.url);
    (void)snprintf(owner_url, sizeof owner_url, "%s", status.owner_url);
    postmaster = status.pid;
    arena_done(&arena);
}

/* ---- writers ---- */

/* Stores profiles until the time is over; returns how many. */
typedef int64_t writer(int number, int64_t until_ms);

static int64_t profiles_write(int number, int64_t until_ms)
{
    struct err err;
    int64_t count = 0;
    char workload[40], sha256[65];
    struct arena summary_arena, arena;
    arena_init(&summary_arena, 64 << 20);
    struct summary *summary = ledger_summary(&summary_arena, 1, OPS);
    summary->trace_provenance.trace_sha256 = sha256;
    (void)snprintf(workload, sizeof workload, "w%d", number);
    const struct profile_identity identity = {
        .project = "bench", .workload = workload, .branch = "main"};
    struct db *db = ledger_open(url);
    for (; clock_monotonic_ms() < until_ms; count++) {
        struct profile_receipt receipt;
        (void)snprintf(sha256, sizeof sha256, "%08x%08x%048" PRIx64, (unsigned)getpid(),
                       (unsigned)number, count);
        arena_init(&arena, 64 << 20);
        if (!ledger_append_profile(db, &identity, summary, &arena, &receipt, &err))
            give_up("append", err.text);
        arena_done(&arena);
    }
    db_close(db);
    return count;
}

static int64_t copies_write(enum bare_rows rows, int64_t until_ms)
{
    int64_t count = 0;
    struct bare_copy *copy = bare_copy_open(owner_url, rows);
    for (; clock_monotonic_ms() < until_ms; count++)
        bare_copy_write(copy);
    bare_copy_close(copy);
    return count;
}

static int64_t all_rows_write(int number, int64_t until_ms)
{
    (void)number;
    return copies_write(BARE_ALL_ROWS, until_ms);
}

static int64_t op_rows_write(int number, int64_t until_ms)
{
    (void)number;
    return copies_write(BARE_OP_ROWS, until_ms);
}

static double seconds_of(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

/* What a round of writers did and took. */
struct round {
    int64_t profiles;
    double client_s;
    long peak_kib; /* of the largest writer */
};

static struct round round_of(writer *write_rows, int connections)
{
    int results[2];
    struct rusage usage;
    struct round round = {0};
    int64_t part, until_ms = clock_monotonic_ms() + ROUND_MS;
    if (pipe(results) != 0)
        give_up("pipe", "failed");
    pid_t writers[CONNECTIONS_MAX];
    for (int i = 0; i < connections; i++) {
        writers[i] = fork();
        if (writers[i] == 0) {
            part = write_rows(i, until_ms);
            _exit(write(results[1], &part, sizeof part) == sizeof part ? 0 : 1);
        }
    }
    (void)close(results[1]);
    while (read(results[0], &part, sizeof part) == sizeof part)
        round.profiles += part;
    (void)close(results[0]);
    for (int i = 0; i < connections; i++) {
        if (wait4(writers[i], NULL, 0, &usage) != writers[i])
            give_up("a writer", "is gone");
        round.client_s += seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime);
        if (usage.ru_maxrss > round.peak_kib)
            round.peak_kib = usage.ru_maxrss;
    }
    return round;
}

/* Per second, by so many writers at once. */
static double rate_of(writer *write_rows, int connections)
{
    return (double)round_of(write_rows, connections).profiles * 1000 / (double)ROUND_MS;
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return values[count / 2];
}

static void writers_compare(int connections)
{
    double ledger[ROUNDS], all_rows[ROUNDS], op_rows[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        ledger[round] = rate_of(profiles_write, connections);
        all_rows[round] = rate_of(all_rows_write, connections);
        op_rows[round] = rate_of(op_rows_write, connections);
    }
    double rate = median(ledger, ROUNDS), all = median(all_rows, ROUNDS);
    double ops = median(op_rows, ROUNDS);
    printf("%d connections: %6.0f profiles/s; bare COPY of the same rows %6.0f/s: %3.0f %%; of the "
           "op rows alone %6.0f/s: %3.0f %%\n",
           connections, rate, all, 100 * rate / all, ops, 100 * rate / ops);
}

/* Processor time of all server processes that have ended, as their parent counts it. */
static double server_seconds(void)
{
    enum { FIELD_OF_CHILDREN = 16 }; /* proc(5): cutime, cstime behind it */
    char path[40], line[2000] = "";
    (void)snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", postmaster);
    FILE *file = fopen(path, "r");
    if (file == NULL || fgets(line, sizeof line, file) == NULL)
        give_up(path, "cannot be read");
    (void)fclose(file);
    char *at = strrchr(line, ')'), *end;
    for (int field = 2; at != NULL && field < FIELD_OF_CHILDREN; field++)
        at = strchr(at + 1, ' ');
    if (at == NULL)
        give_up(path, "has another form");
    long user = strtol(at, &end, 10), system = strtol(end, NULL, 10);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

/* Milliseconds of a writer and its server for each profile; the writer's peak memory. */
static double cost_of(writer *write_rows, long *ret_peak_kib)
{
    double costs[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        double before = server_seconds();
        struct round round = round_of(write_rows, 1);
        while (sql_number(owner_url, "SELECT count(*) FROM pg_stat_activity WHERE backend_type = "
                                     "'client backend'") > 1)
            (void)usleep(10000);
        costs[i] = 1e3 * (round.client_s + server_seconds() - before) / (double)round.profiles;
        *ret_peak_kib = round.peak_kib;
    }
    return median(costs, ROUNDS);
}

static void cost_compare(void)
{
    long ledger_kib, bare_kib;
    double ledger = cost_of(profiles_write, &ledger_kib), bare = cost_of(all_rows_write, &bare_kib);
    printf("processor time: %.2f ms a profile, %.1f x that of the bare COPY (%.2f ms); peak of the "
           "writer %ld MiB, of the COPY's %ld MiB\n",
           ledger, ledger / bare, bare, ledger_kib >> 10, bare_kib >> 10);
}

/* ---- the rest ---- */

static void wal_measure(void)
{
    static const char position[] = "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint";
    int64_t profiles = sql_number(owner_url, "SELECT count(*) FROM profiles");
    int64_t before = sql_number(owner_url, position);
    (void)rate_of(profiles_write, 1);
    int64_t bytes = sql_number(owner_url, position) - before;
    profiles = sql_number(owner_url, "SELECT count(*) FROM profiles") - profiles;
    printf("WAL: %.0f KiB per profile\n", (double)bytes / 1024 / (double)profiles);
}

static void verify_measure(void)
{
    struct err err;
    struct arena arena;
    struct verify_report *report;
    arena_init(&arena, 64 << 20);
    struct db *db = ledger_open(url);
    int64_t from = clock_monotonic_ms();
    if (!ledger_verify(db, NULL, &arena, &report, &err))
        give_up("verify", err.text);
    double s = (double)(clock_monotonic_ms() - from) / 1000;
    printf("verify: %" PRId64 " entries in %.1f s: %.0f entries/s, %" PRId64 " findings\n",
           report->entry_count, s, (double)report->entry_count / s, report->finding_count);
    db_close(db);
    arena_done(&arena);
}

static void points_measure(int64_t millions)
{
    char fill[400];
    double ms[POINT_READS];
    (void)snprintf(fill, sizeof fill,
                   "INSERT INTO measures (series_id, measure, profile_id, value) "
                   "SELECT 1000000 + %" PRId64 " * 100 + n %% 50, n %% 20, n, n "
                   "FROM generate_series(1, %" PRId64 ") AS n",
                   millions, millions * 1000000);
    sql_do(owner_url, fill);
    PGconn *conn = PQconnectdb(url);
    PQclear(PQexec(conn, "SET search_path = stepledger"));
    PQclear(PQexec(conn, "PREPARE points AS SELECT profile_id, value FROM measures WHERE series_id "
                         "= $1 AND measure = $2 ORDER BY profile_id DESC LIMIT 200"));
    (void)snprintf(fill, sizeof fill, "EXECUTE points (%" PRId64 ", 5)",
                   1000000 + millions * 100 + 5);
    for (int i = 0; i < POINT_READS; i++) {
        struct timespec from, to;
        (void)clock_gettime(CLOCK_MONOTONIC, &from);
        PQclear(PQexec(conn, fill));
        (void)clock_gettime(CLOCK_MONOTONIC, &to);
        ms[i] = (double)(to.tv_sec - from.tv_sec) * 1e3 + (double)(to.tv_nsec - from.tv_nsec) / 1e6;
    }
    PQfinish(conn);
    printf("last 200 points of a measure among %" PRId64 " M: %.2f ms (median of %d)\n", millions,
           median(ms, POINT_READS), POINT_READS);
}

int main(void)
{
    struct err err;
    struct utsname machine;
    static const int connections[] = {1, 4, CONNECTIONS_MAX};
    (void)uname(&machine);
    cluster_make();
    printf("%s, %ld processors; %d ops per profile; medians of %d rounds of %d s\n",
           machine.machine, sysconf(_SC_NPROCESSORS_ONLN), OPS, ROUNDS, (int)(ROUND_MS / 1000));
    (void)fflush(stdout);
    (void)rate_of(profiles_write, 1);
    bare_tables_make(owner_url);
    for (size_t i = 0; i < sizeof connections / sizeof connections[0]; i++) {
        writers_compare(connections[i]);
        (void)fflush(stdout);
    }
    cost_compare();
    wal_measure();
    verify_measure();
    (void)fflush(stdout);
    points_measure(1);
    points_measure(10);
    return cluster_stop(&err) ? 0 : 1;
}
