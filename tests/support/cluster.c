/* Starts the throw-away cluster with the product's own way of running PostgreSQL's programs, but
 * without its durability: tests kill clients, not disks. */
#include "tests/support/cluster.h"

#include "history/cluster/cluster_process.h"
#include "history/migrate/migrate.h"
#include "ops/runtime/clock.h"
#include "tests/support/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SKIP_STATUS = 77, START_WAIT_MS = 60000, PATHS_BYTES = 1 << 20 };

static struct {
    bool started;
    int database_count;
    struct arena arena;
    struct cluster_place place;
    const char *binaries;
    pid_t server;
} cluster;

/* The first database that is made: migrated, for the others to be cloned from. */
static const char template_name[] = "test_1";

_Noreturn static void give_up(const char *what, const char *why)
{
    (void)fprintf(stderr, "test cluster: %s: %s\n", what, why);
    exit(1);
}

static const char *path_in(const char *folder, const char *name)
{
    return arena_printf(&cluster.arena, "%s/%s", folder, name);
}

static void place_make(void)
{
    struct cluster_place *place = &cluster.place;
    const struct passwd *user = geteuid() == 0 ? getpwnam("postgres") : getpwuid(geteuid());
    if (user == NULL) {
        puts("1..0 # SKIP there is no user postgres to run the server as");
        exit(SKIP_STATUS);
    }
    char *home = test_folder_make();
    if (chown(home, user->pw_uid, user->pw_gid) != 0)
        give_up(home, strerror(errno));
    place->home = place->parent = place->socket_dir = home;
    place->data = path_in(home, "data");
    place->log_file = path_in(home, "server.log");
    place->uid = user->pw_uid;
    place->gid = user->pw_gid;
    place->user = arena_strdup(&cluster.arena, user->pw_name);
}

static struct cluster_command command_for(const char *const *argv)
{
    return (struct cluster_command){
        .argv = argv, .folder = cluster.place.home, .log_file = cluster.place.log_file};
}

static void execute(const char *const *argv)
{
    struct err err;
    struct cluster_command command = command_for(argv);
    if (!cluster_execute(&cluster.place, &command, &err))
        give_up(argv[0], err.text);
}

static void data_make(void)
{
    const char *const argv[] = {path_in(cluster.binaries, "initdb"),
                                "-D",
                                cluster.place.data,
                                "-U",
                                "admin",
                                "-E",
                                "UTF8",
                                "--locale=C.UTF-8",
                                "-A",
                                "trust",
                                "--no-sync",
                                "--wal-segsize=4",
                                NULL};
    execute(argv);
}

static void conninfo_make(const char *role, const char *database, char out[CONNINFO_BYTES])
{
    (void)snprintf(out, CONNINFO_BYTES, "host=%s port=5432 user=%s dbname=%s",
                   cluster.place.socket_dir, role, database);
}

static void server_start(void)
{
    struct err err;
    char conninfo[CONNINFO_BYTES];
    const char *const argv[] = {path_in(cluster.binaries, "postgres"),
                                "-D",
                                cluster.place.data,
                                "-k",
                                cluster.place.socket_dir,
                                "-c",
                                "listen_addresses=",
                                "-c",
                                "fsync=off",
                                "-c",
                                "shared_buffers=32MB",
                                "-c",
                                "jit=off",
                                "-c",
                                "wal_compression=lz4",
                                NULL};
    struct cluster_command command = command_for(argv);
    if (!cluster_spawn(&cluster.place, &command, &cluster.server, &err))
        give_up("postgres", err.text);
    conninfo_make("admin", "postgres", conninfo);
    int64_t deadline = clock_monotonic_ms() + START_WAIT_MS;
    while (PQping(conninfo) != PQPING_OK) {
        if (waitpid(cluster.server, NULL, WNOHANG) == cluster.server ||
            clock_monotonic_ms() > deadline) {
            (void)cluster_log_error("postgres", cluster.place.log_file, &err);
            give_up("the server does not start", err.text);
        }
        clock_sleep_ms(10);
    }
}

static void database_create(const char *template, struct test_database *out)
{
    char admin[CONNINFO_BYTES], text[300];
    (void)snprintf(out->name, sizeof out->name, "test_%d", ++cluster.database_count);
    conninfo_make("admin", "postgres", admin);
    (void)snprintf(text, sizeof text, "CREATE DATABASE %s TEMPLATE %s OWNER stepledger_owner",
                   out->name, template);
    sql_do(admin, text);
    conninfo_make("stepledger", out->name, out->app);
    conninfo_make("stepledger_owner", out->name, out->owner);
    conninfo_make("admin", out->name, out->admin);
}

static void template_make(void)
{
    struct err err;
    struct test_database database;
    struct migration_report report;
    scoped_db *db = NULL;
    char admin[CONNINFO_BYTES];
    conninfo_make("admin", "postgres", admin);
    sql_do(admin, "CREATE ROLE stepledger LOGIN; CREATE ROLE stepledger_owner LOGIN; "
                  "CREATE ROLE stepledger_ingest; CREATE ROLE stepledger_compare; "
                  "CREATE ROLE stepledger_alert; CREATE ROLE stepledger_read; "
                  "GRANT stepledger_ingest, stepledger_compare, stepledger_alert, stepledger_read "
                  "TO stepledger");
    database_create("template0", &database);
    if (!db_open_raw(database.owner, &db, &err) || !migrate_run(db, &report, &err))
        give_up("migrations", err.text);
    if (strcmp(database.name, template_name) != 0)
        give_up(database.name, "it is not the first");
}

static void data_copy(const char *from, const char *to)
{
    const char *const argv[] = {"/bin/cp", "-a", from, to, NULL};
    execute(argv);
}

/* Makes the data that all programs of a run begin with, and keeps a copy of them. */
static void kept_make(const char *kept, const char *whole)
{
    const char *const argv[] = {"/bin/touch", whole, NULL};
    test_folder_remove(kept);
    if (mkdir(kept, 0755) != 0 || chown(kept, cluster.place.uid, cluster.place.gid) != 0)
        give_up(kept, strerror(errno));
    data_make();
    server_start();
    template_make();
    if (kill(cluster.server, SIGINT) != 0 || waitpid(cluster.server, NULL, 0) != cluster.server)
        give_up("the server does not stop", strerror(errno));
    data_copy(cluster.place.data, kept);
    execute(argv);
}

/* In a run of many test programs (`ledgers` is a folder of it) one makes the data, which takes ten
 * times as long as to copy them. */
static void data_take(const char *ledgers)
{
    const char *kept = path_in(ledgers, "cluster"), *whole = path_in(kept, "whole");
    int lock = open(path_in(ledgers, "cluster.lock"), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (lock < 0 || flock(lock, LOCK_EX) != 0)
        give_up("cluster.lock", strerror(errno));
    bool made = access(whole, F_OK) != 0;
    if (made)
        kept_make(kept, whole);
    (void)close(lock);
    if (!made)
        data_copy(path_in(kept, "data"), cluster.place.home);
    cluster.database_count = 1;
    server_start();
}

static void cluster_start(void)
{
    struct err err;
    if (cluster.started)
        return;
    cluster.started = true;
    arena_init(&cluster.arena, PATHS_BYTES);
    place_make();
    if (!cluster_binaries_find(&cluster.place, &cluster.arena, &cluster.binaries, &err)) {
        printf("1..0 # SKIP %s\n", err.text);
        exit(SKIP_STATUS);
    }
    const char *ledgers = getenv("TESTS_LEDGERS");
    if (ledgers != NULL) {
        data_take(ledgers);
        return;
    }
    data_make();
    server_start();
    template_make();
}

void test_database_make(struct test_database *ret_database)
{
    cluster_start();
    database_create(template_name, ret_database);
}

void test_database_make_empty(struct test_database *ret_database)
{
    cluster_start();
    database_create("template0", ret_database);
}

void test_database_clone(const struct test_database *original, struct test_database *ret_database)
{
    char name[sizeof original->name];
    (void)snprintf(name, sizeof name, "%s", original->name); /* the two may be one struct */
    database_create(name, ret_database);
}

/* A session that sees our tables, and its answer; the caller clears both. */
static PGresult *answer(const char *conninfo, const char *text, PGconn **ret_conn)
{
    PGconn *conn = PQconnectdb(conninfo);
    if (PQstatus(conn) != CONNECTION_OK)
        give_up(conninfo, PQerrorMessage(conn));
    PQclear(PQexec(conn, "SET search_path = stepledger, pg_temp; SET client_min_messages = error"));
    *ret_conn = conn;
    return PQexec(conn, text);
}

char *sql_text(const char *conninfo, const char *text)
{
    PGconn *conn;
    PGresult *result = answer(conninfo, text, &conn);
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        give_up(text, PQerrorMessage(conn));
    char *value = strdup(PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "");
    PQclear(result);
    PQfinish(conn);
    return value;
}

void sql_do(const char *conninfo, const char *text)
{
    free(sql_text(conninfo, text));
}

int64_t sql_number(const char *conninfo, const char *text)
{
    char *value = sql_text(conninfo, text);
    int64_t number = strtoll(value, NULL, 10);
    free(value);
    return number;
}

const char *sql_refusal(const char *conninfo, const char *text)
{
    static char sqlstate[6];
    PGconn *conn;
    PGresult *result = answer(conninfo, text, &conn);
    const char *said = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    (void)snprintf(sqlstate, sizeof sqlstate, "%s", said == NULL ? "" : said);
    PQclear(result);
    PQfinish(conn);
    return sqlstate;
}
