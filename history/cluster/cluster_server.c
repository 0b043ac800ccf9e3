/* The server of the embedded cluster: its socket, its start, its stop. It is started directly
 * (pg_ctl would wait 0.1 s), in a session of its own, and outlives us. */
#include "history/cluster/cluster_server.h"

#include "history/cluster/cluster_process.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/file.h"

#include <errno.h>
#include <libpq-fe.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum {
    START_WAIT_MS = 90000,
    STOP_WAIT_MS = 60000,
    SOCKET_WAIT_MS = 5000, /* then a server without a socket is started again */
    POLL_MS = 10,
    LOG_BYTES_MAX = 16 << 20,
    URL_BYTES = 64 << 10,
};

bool cluster_server_answers(const struct cluster_place *place)
{
    scoped_arena arena;
    arena_init(&arena, URL_BYTES);
    const char *const keywords[] = {"dbname", "connect_timeout", NULL};
    const char *const values[] = {cluster_place_url(place, "stepledger", &arena), "5", NULL};
    return PQpingParams(keywords, values, 1) == PQPING_OK;
}

/* A socket folder in /tmp must be ours alone: anybody can make one of that name first. */
bool cluster_socket_dir_make(const struct cluster_place *place, struct err *err)
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

void cluster_socket_dir_remove(const struct cluster_place *place)
{
    static const char *const names[] = {".s.PGSQL.5432", ".s.PGSQL.5432.lock"};
    char path[4096];
    if (strcmp(place->socket_dir, place->home) == 0)
        return;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", place->socket_dir, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(place->socket_dir);
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

static bool server_spawn(const struct cluster_place *place, const struct cluster_start *start,
                         pid_t *ret_pid, struct err *err)
{
    const char *const argv[] = {start->program,
                                "-D",
                                place->data,
                                "-k",
                                place->socket_dir,
                                "-c",
                                "listen_addresses=",
                                "-p",
                                "5432",
                                start->on_trial ? "-c" : NULL,
                                "archive_mode=off",
                                NULL};
    const struct cluster_command command = {.argv = argv,
                                            .folder = place->data,
                                            .log_file = place->log_file,
                                            .dies_with_us = start->on_trial};
    /* PostgreSQL trusts a lock file whose process id is alive, and after a reboot that may be
     * anybody's. The caller knows that no server process is in the data folder. */
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/postmaster.pid", place->data);
    (void)unlink(path);
    (void)snprintf(path, sizeof path, "%s/.s.PGSQL.5432.lock", place->socket_dir);
    (void)unlink(path);
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
    if (waited_ms > SOCKET_WAIT_MS && pid != 0 && access(path, F_OK) != 0)
        (void)kill(pid, SIGINT);
}

/* Waits until the server answers, or the one that we sent is gone. After kill -9 of a server its
 * orphans hold its shared memory for a moment: nothing is sent before they are gone. */
bool cluster_server_start(const struct cluster_place *place, const struct cluster_start *start,
                          bool *ret_started, struct err *err)
{
    int64_t begin = clock_monotonic_ms();
    pid_t pid = 0;
    while (!cluster_server_answers(place)) {
        int64_t waited_ms = clock_monotonic_ms() - begin;
        pid_t server = cluster_server_pid(place);
        if (server != 0 && !cluster_process_runs(server, err))
            return false;
        if (pid != 0 && waitpid(pid, NULL, WNOHANG) == pid)
            return cluster_log_error("the embedded database does not start", place->log_file, err);
        if (waited_ms > START_WAIT_MS && pid == 0) /* what its log says last may be of last week */
            return err_set(err, ERR_UNAVAILABLE,
                           "the embedded database runs and does not answer within %d s (log: %s)",
                           START_WAIT_MS / 1000, place->log_file);
        if (waited_ms > START_WAIT_MS)
            return cluster_log_error("the embedded database does not answer", place->log_file, err);
        if (pid == 0)
            unreachable_stop(place, waited_ms);
        if (pid == 0 && !cluster_folder_in_use(place->data)) {
            if (!server_spawn(place, start, &pid, err))
                return false;
            *ret_started = true;
        }
        clock_sleep_ms(POLL_MS);
    }
    return true;
}

bool cluster_server_stop(const struct cluster_place *place, struct err *err)
{
    pid_t pid = cluster_server_pid(place);
    if (pid == 0)
        return true;
    if (!cluster_process_runs(pid, err))
        return false;
    if (kill(pid, SIGINT) != 0 && errno != ESRCH) /* PostgreSQL's fast shutdown */
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot stop process %ld", (long)pid);
    int64_t deadline = clock_monotonic_ms() + STOP_WAIT_MS;
    while (cluster_folder_in_use(place->data)) {
        (void)waitpid(pid, NULL, WNOHANG);
        if (clock_monotonic_ms() > deadline)
            return err_set(err, ERR_UNAVAILABLE, "process %ld does not end within %d s (log: %s)",
                           (long)pid, STOP_WAIT_MS / 1000, place->log_file);
        clock_sleep_ms(POLL_MS);
    }
    return true;
}
