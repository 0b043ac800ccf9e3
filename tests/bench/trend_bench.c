/* A trend of every workload of a project, and a report of its last week: 200 workloads of 400 runs,
 * every other of which tells its MFU, beside a COPY of the rows that it is made of (time, processor
 * time of the process and of the server behind it, memory of the process). A report is to take 10 s
 * and 128 MiB at most. WORKLOADS and RUNS in the environment say otherwise; to fill the ledger
 * takes minutes.
 */
#include "ops/flow/reports/reports.h"
#include "ops/flow/trends/trends.h"

#include "ops/runtime/clock.h"
#include "ops/runtime/text.h"
#include "tests/support/cluster.h"
#include "tests/support/ledger_fixture.h"
#include "tests/support/year_fixture.h"

#include <inttypes.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKLOADS = 200, RUNS = 400, NAME_BYTES = 32, FILL_BYTES = 256 << 20, READ_BYTES = 1 << 30 };

_Noreturn static void give_up(const char *what, const char *why)
{
    (void)fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static int number_of(const char *variable, int usual)
{
    int64_t number;
    const char *text = getenv(variable);
    bool is_number = text != NULL && text_parse_i64(text, &number) && number > 0;
    return is_number ? (int)number : usual;
}

static void ledger_fill(const char *conninfo, int workloads, int runs)
{
    struct arena arena;
    struct db *db = ledger_open(conninfo);
    arena_init(&arena, FILL_BYTES);
    for (int i = 0; i < workloads; i++) {
        char name[NAME_BYTES];
        struct arena_mark mark = arena_mark(&arena);
        const struct year_change change = {runs / 2, "fusion.1", i % 10 == 0 ? 600 : 0};
        (void)snprintf(name, sizeof name, "workload-%d", i);
        const struct year_plan plan = {.project = "bench",
                                       .workload = name,
                                       .days = runs,
                                       .sd = .01,
                                       .changes = &change,
                                       .change_count = 1,
                                       .rows_from = runs, /* ops tell their work, as most do */
                                       .knows_flops = true,
                                       .mfu = i % 2 == 0 ? .4 : 0,
                                       .seed = (uint64_t)i + 1};
        year_append(db, &arena, &plan);
        arena_rewind(&arena, mark);
    }
    db_close(db);
    arena_done(&arena);
}

static void trend_read(const char *conninfo)
{
    struct err err = {0};
    struct arena arena;
    struct trend trend;
    struct db *db = ledger_open(conninfo);
    const struct trends_request request = {.project = "bench",
                                           .branch = "main",
                                           .measure = "steady_step_median",
                                           .group = TRENDS_BY_WORKLOAD,
                                           .shown = TRENDS_RUNS};
    arena_init(&arena, READ_BYTES);
    if (!trends_read(db, &request, &arena, &trend, &err))
        give_up("trend", err.text);
    db_close(db);
}

/* Of the last seven days of the runs. */
static void report_read(const char *conninfo)
{
    struct err err = {0};
    struct arena arena;
    struct trend_report report;
    struct db *db = ledger_open(conninfo);
    int64_t until_us = YEAR_FIRST_US + number_of("RUNS", RUNS) * YEAR_DAY_US;
    const struct report_request request = {.project = "bench",
                                           .branch = "main",
                                           .measure = "steady_step_median",
                                           .since_us = until_us - 7 * YEAR_DAY_US,
                                           .until_us = until_us,
                                           .made_us = until_us,
                                           .canary_count = REPORT_CANARIES};
    arena_init(&arena, READ_BYTES);
    if (!report_make(db, &request, &arena, &report, &err))
        give_up("report", err.text);
    db_close(db);
}

/* What a trend rests on: the measure of each run, when it was, its facts. */
static void rows_copy(const char *conninfo)
{
    static const char statement[] =
        "COPY (SELECT p.id, p.run, p.recorded_at, m.value, f.name, f.value FROM profiles p "
        "JOIN measures m ON m.profile_id = p.id AND m.series_id = p.series_id AND m.measure = "
        "(SELECT min(measure) FROM measures) LEFT JOIN profile_facts f ON f.profile_id = p.id) "
        "TO STDOUT";
    PGconn *connection = PQconnectdb(conninfo);
    PGresult *result = PQexec(connection, statement);
    char *row;
    if (PQresultStatus(result) != PGRES_COPY_OUT)
        give_up("copy", PQerrorMessage(connection));
    while (PQgetCopyData(connection, &row, 0) > 0)
        PQfreemem(row);
    PQclear(result);
    PQfinish(connection);
}

/* Seconds of the processor that the server's processes took which have ended. */
static double server_seconds(const char *conninfo)
{
    enum { BEFORE_TIMES = 15, REAPING_MS = 200 };
    char path[64], line[4096] = "";
    char *number =
        sql_text(conninfo, "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)");
    (void)snprintf(path, sizeof path, "/proc/%s/stat", number);
    free(number);
    clock_sleep_ms(REAPING_MS);
    FILE *file = fopen(path, "r");
    if (file == NULL || fgets(line, sizeof line, file) == NULL)
        give_up("the server's processor time", path);
    (void)fclose(file);
    const char *at = line;
    for (int i = 0; i < BEFORE_TIMES && at != NULL; i++)
        at = strchr(at + 1, ' ');
    char *next = NULL;
    long user = at == NULL ? 0 : strtol(at, &next, 10);
    long system = at == NULL ? 0 : strtol(next, NULL, 10);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

/* Seconds of the best of three, each a process of its own. */
static double measure(const char *name, void (*read_all)(const char *),
                      const struct test_database *database)
{
    double best = 0;
    struct rusage used = {0};
    enum { ROUNDS = 3 };
    const char *conninfo = database->app;
    double before = server_seconds(database->admin);
    for (int round = 0; round < ROUNDS; round++) {
        int status;
        int64_t began = clock_monotonic_ms();
        pid_t child = fork();
        if (child == 0) {
            read_all(conninfo);
            _exit(0);
        }
        if (child < 0 || wait4(child, &status, 0, &used) != child || status != 0)
            give_up(name, "failed");
        double seconds = (double)(clock_monotonic_ms() - began) / 1e3;
        best = round == 0 || seconds < best ? seconds : best;
    }
    double processor = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    double server = (server_seconds(database->admin) - before) / ROUNDS;
    printf("%-28s %7.2f s  client %5.2f s  server %5.2f s  peak %4ld MiB\n", name, best, processor,
           server, used.ru_maxrss / 1024);
    return best;
}

int main(void)
{
    struct test_database database;
    int workloads = number_of("WORKLOADS", WORKLOADS), runs = number_of("RUNS", RUNS);
    test_database_make(&database);
    ledger_fill(database.app, workloads, runs);
    printf("%d workloads of %d runs\n", workloads, runs);
    double bare = measure("COPY of their rows", rows_copy, &database);
    double read = measure("trend --group-by workload", trend_read, &database);
    printf("%-28s %7.1f x\n", "ratio", read / bare);
    (void)measure("report --period week", report_read, &database);
    return 0;
}
