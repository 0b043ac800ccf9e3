/* The embedded cluster: found, made, started, stopped.
 *
 * A command that finds it answering takes no lock at all. Otherwise one process at a time, under a
 * file lock, makes what is missing; the lock ends with the process that holds it. The server is
 * started directly (pg_ctl would wait 0.1 s), in a session of its own, and outlives us.
 */
#include "history/cluster.h"

#include "history/cluster_create.h"
#include "history/cluster_place.h"
#include "history/cluster_process.h"
#include "history/migrate.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libpq-fe.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum {
    LOCK_WAIT_MS = 120000, /* somebody else's initdb and crash recovery */
    START_WAIT_MS = 90000,
    STOP_WAIT_MS = 60000,
    SOCKET_WAIT_MS = 5000, /* then a server without a socket is started again */
    POLL_MS = 10,
    LOG_BYTES_MAX = 16 << 20,
    PATHS_BUDGET_BYTES = 4 << 20,
};

static const char APPLICATION_ROLE[] = "stepledger";
static const char OWNER_ROLE[] = "stepledger_owner";

static bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static PGPing server_ping(const struct cluster_place *place)
{
    const char *const keywords[] = {"host", "port", "dbname", "user", "connect_timeout", NULL};
    const char *const values[] = {place->socket_dir, "5432", "stepledger",
                                  APPLICATION_ROLE,  "5",    NULL};
    return PQpingParams(keywords, values, 0);
}

static bool status_fill(const struct cluster_place *place, struct arena *arena,
                        struct cluster_status *status, struct err *err)
{
    status->exists = file_exists(place->data);
    status->pid = cluster_server_pid(place);
    status->running = status->pid != 0 && server_ping(place) == PQPING_OK;
    status->data_dir = place->data;
    status->socket_dir = place->socket_dir;
    status->log_file = place->log_file;
    status->url = cluster_place_url(place, APPLICATION_ROLE, arena);
    status->owner_url = cluster_place_url(place, OWNER_ROLE, arena);
    return (status->url != NULL && status->owner_url != NULL) ||
           arena_failed(arena, "the cluster's paths", err);
}

bool cluster_inspect(struct arena *arena, struct cluster_status *ret_status, struct err *err)
{
    struct cluster_place place;
    struct cluster_status status = {0};
    if (!cluster_place_find(arena, &place, err) || !status_fill(&place, arena, &status, err))
        return false;
    *ret_status = status;
    return true;
}

static bool lock_take(const struct cluster_place *place, int *ret_fd, struct err *err)
{
    if (!file_make_dirs(place->parent, err))
        return err_prefix(err, "no place for the embedded database (set XDG_DATA_HOME, or name a "
                               "database with --db)");
    int fd = open(place->lock_file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return err_set_errno(err, ERR_USAGE,
                             "cannot open %s (set XDG_DATA_HOME, or name a database with --db)",
                             place->lock_file);
    *ret_fd = fd;
    int64_t deadline = clock_monotonic_ms() + LOCK_WAIT_MS;
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return err_set_errno(err, ERR_UNAVAILABLE, "cannot lock %s", place->lock_file);
        if (clock_monotonic_ms() > deadline)
            return err_set(
                err, ERR_UNAVAILABLE,
                "another command has been making or starting the embedded database for %d s (%s)",
                LOCK_WAIT_MS / 1000, place->lock_file);
        clock_sleep_ms(POLL_MS);
    }
    return true;
}

/* A socket folder in /tmp must be ours alone: anybody can make one of that name first. */
static bool socket_dir_make(const struct cluster_place *place, struct err *err)
{
    struct stat info;
    if (strcmp(place->socket_dir, place->home) == 0)
        return true;
    if (mkdir(place->socket_dir, 0700) == 0) {
        if (geteuid() != place->uid && chown(place->socket_dir, place->uid, place->gid) != 0)
            return err_set_errno(err, ERR_UNAVAILABLE, "cannot give %s to user %s",
                                 place->socket_dir, place->user);
        return true;
    }
    if (errno != EEXIST || lstat(place->socket_dir, &info) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot make %s", place->socket_dir);
    if (!S_ISDIR(info.st_mode) || info.st_uid != place->uid || (info.st_mode & 077) != 0)
        return err_set(err, ERR_UNAVAILABLE, "%s is not a private folder of user %s: remove it",
                       place->socket_dir, place->user);
    return true;
}

/* PostgreSQL trusts a lock file whose process id is alive, and after a reboot that may be
 * anybody's. The caller knows that no server process is in the data folder. */
static void stale_locks_remove(const struct cluster_place *place)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/postmaster.pid", place->data);
    (void)unlink(path);
    (void)snprintf(path, sizeof path, "%s/.s.PGSQL.5432.lock", place->socket_dir);
    (void)unlink(path);
}

static void log_turn(const struct cluster_place *place)
{
    struct stat info;
    char old[4096];
    if (lstat(place->log_file, &info) != 0 || info.st_size < LOG_BYTES_MAX)
        return;
    (void)snprintf(old, sizeof old, "%s.1", place->log_file);
    (void)rename(place->log_file, old);
}

static bool server_spawn(const struct cluster_place *place, const char *program, pid_t *ret_pid,
                         struct err *err)
{
    const char *const argv[] = {
        program, "-D",   place->data, "-k", place->socket_dir, "-c", "listen_addresses=",
        "-p",    "5432", NULL};
    const struct cluster_command command = {
        .argv = argv, .folder = place->data, .log_file = place->log_file};
    stale_locks_remove(place);
    log_turn(place);
    return cluster_spawn(place, &command, ret_pid, err);
}

/* A server lives but its socket is gone, as when something tidied /tmp: nobody can reach it any
 * more. */
static void unreachable_stop(const struct cluster_place *place, int64_t waited_ms)
{
    char path[4096];
    pid_t pid = cluster_server_pid(place);
    (void)snprintf(path, sizeof path, "%s/.s.PGSQL.5432", place->socket_dir);
    if (waited_ms > SOCKET_WAIT_MS && pid != 0 && !file_exists(path))
        (void)kill(pid, SIGINT);
}

/* Waits until the server answers, or the one that we sent is gone. After kill -9 of a server its
 * orphans hold its shared memory for a moment: nothing is sent before they are gone. */
static bool server_start(const struct cluster_place *place, const char *program, bool *ret_started,
                         struct err *err)
{
    int64_t begin = clock_monotonic_ms();
    pid_t pid = 0;
    while (server_ping(place) != PQPING_OK) {
        int64_t waited_ms = clock_monotonic_ms() - begin;
        pid_t server = cluster_server_pid(place);
        if (server != 0 && !cluster_process_runs(server, err))
            return false;
        if (pid != 0 && waitpid(pid, NULL, WNOHANG) == pid)
            return cluster_log_error("the embedded database does not start", place->log_file, err);
        if (waited_ms > START_WAIT_MS)
            return cluster_log_error("the embedded database does not answer", place->log_file, err);
        if (pid == 0)
            unreachable_stop(place, waited_ms);
        if (pid == 0 && !cluster_folder_in_use(place->data)) {
            if (!server_spawn(place, program, &pid, err))
                return false;
            *ret_started = true;
        }
        clock_sleep_ms(POLL_MS);
    }
    return true;
}

/* On a cluster that was just made, or whose maker was killed before this. */
static bool schema_make(const struct cluster_place *place, struct arena *arena, struct err *err)
{
    struct migration_report report;
    scoped_db *db = NULL;
    char *url = cluster_place_url(place, OWNER_ROLE, arena);
    if (!file_exists(place->fresh_mark))
        return true;
    if (url == NULL)
        return arena_failed(arena, "the cluster's paths", err);
    if (!db_open_raw(url, &db, err) || !migrate_run(db, &report, err))
        return false;
    return unlink(place->fresh_mark) == 0 ||
           err_set_errno(err, ERR_UNAVAILABLE, "cannot remove %s", place->fresh_mark);
}

static bool bring_up(const struct cluster_place *place, struct arena *arena,
                     struct cluster_status *status, struct err *err)
{
    const char *binaries, *program;
    if (!cluster_binaries_find(place, arena, &binaries, err))
        return false;
    program = path_join(arena, binaries, "postgres");
    if (program == NULL)
        return arena_failed(arena, "the cluster's paths", err);
    if (!file_exists(place->data)) {
        if (!cluster_create(place, binaries, arena, err))
            return false;
        status->created = true;
    }
    return socket_dir_make(place, err) && server_start(place, program, &status->started, err) &&
           schema_make(place, arena, err);
}

bool cluster_ensure(struct arena *arena, struct cluster_status *ret_status, struct err *err)
{
    struct cluster_place place;
    struct cluster_status status = {0};
    if (!cluster_place_find(arena, &place, err))
        return false;
    bool ready = file_exists(place.data) && !file_exists(place.fresh_mark) &&
                 server_ping(&place) == PQPING_OK;
    scoped_fd lock = -1;
    if (!ready && (!lock_take(&place, &lock, err) || !bring_up(&place, arena, &status, err)))
        return false;
    if (!status_fill(&place, arena, &status, err))
        return false;
    *ret_status = status;
    return true;
}

bool cluster_stop(struct err *err)
{
    struct cluster_place place;
    scoped_fd lock = -1;
    scoped_arena arena;
    arena_init(&arena, PATHS_BUDGET_BYTES);
    if (!cluster_place_find(&arena, &place, err))
        return false;
    if (!file_exists(place.data))
        return true;
    if (!lock_take(&place, &lock, err))
        return false;
    pid_t pid = cluster_server_pid(&place);
    if (pid == 0)
        return true;
    if (!cluster_process_runs(pid, err))
        return false;
    if (kill(pid, SIGINT) != 0 && errno != ESRCH) /* PostgreSQL's fast shutdown */
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot stop process %ld", (long)pid);
    int64_t deadline = clock_monotonic_ms() + STOP_WAIT_MS;
    while (cluster_folder_in_use(place.data)) {
        (void)waitpid(pid, NULL, WNOHANG);
        if (clock_monotonic_ms() > deadline)
            return err_set(err, ERR_UNAVAILABLE, "process %ld does not end within %d s (log: %s)",
                           (long)pid, STOP_WAIT_MS / 1000, place.log_file);
        clock_sleep_ms(POLL_MS);
    }
    return true;
}
