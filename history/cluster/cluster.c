/* The embedded cluster: found, made, started, stopped.
 *
 * A command that finds it answering takes no lock at all. Otherwise one process at a time, under a
 * file lock, makes what is missing; the lock ends with the process that holds it.
 */
#include "history/cluster/cluster.h"

#include "history/cluster/cluster_access.h"
#include "history/cluster/cluster_create.h"
#include "history/cluster/cluster_place.h"
#include "history/cluster/cluster_process.h"
#include "history/cluster/cluster_server.h"
#include "history/cluster/cluster_workshop.h"
#include "history/migrate/migrate.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

enum {
    LOCK_WAIT_MS = 120000, /* somebody else's initdb and crash recovery */
    POLL_MS = 10,
    PATHS_BUDGET_BYTES = 4 << 20,
};

static const char APPLICATION_ROLE[] = "stepledger";
static const char OWNER_ROLE[] = "stepledger_owner";

static bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static void status_fill(const struct cluster_place *place, struct arena *arena,
                        struct cluster_status *status)
{
    status->exists = file_exists(place->data);
    status->pid = cluster_server_pid(place);
    status->data_dir = place->data;
    status->socket_dir = place->socket_dir;
    status->log_file = place->log_file;
    status->url = cluster_place_url(place, APPLICATION_ROLE, arena);
    status->owner_url = cluster_place_url(place, OWNER_ROLE, arena);
}

bool cluster_inspect(struct arena *arena, struct cluster_status *ret_status, struct err *err)
{
    struct cluster_place place;
    struct cluster_status status = {0};
    if (!cluster_place_find(arena, &place, err))
        return false;
    status_fill(&place, arena, &status);
    status.running = status.pid != 0 && cluster_server_answers(&place);
    *ret_status = status;
    return true;
}

bool cluster_exists(struct arena *arena, bool *ret_exists, struct err *err)
{
    struct cluster_place place;
    if (!cluster_place_find(arena, &place, err))
        return false;
    *ret_exists = file_exists(place.data);
    return true;
}

bool cluster_lock(const struct cluster_place *place, int *ret_fd, struct err *err)
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

/* On a cluster that was just made, or whose maker was killed before this. */
static bool schema_make(const struct cluster_place *place, struct arena *arena, struct err *err)
{
    struct migration_report report;
    scoped_db *db = NULL;
    if (!file_exists(place->fresh_mark))
        return true;
    if (!db_open_raw(cluster_place_url(place, OWNER_ROLE, arena), &db, err) ||
        !migrate_run(db, &report, err))
        return false;
    return unlink(place->fresh_mark) == 0 ||
           err_set_errno(err, ERR_UNAVAILABLE, "cannot remove %s", place->fresh_mark);
}

static bool bring_up(const struct cluster_place *place, struct arena *arena,
                     struct cluster_status *status, struct err *err)
{
    const char *binaries;
    /* A restore was killed between two renames. */
    if (!file_exists(place->home) && file_exists(place->restored) &&
        !folder_rename(place->restored, place->home, err))
        return false;
    if (!cluster_binaries_find(place, arena, &binaries, err))
        return false;
    if (!file_exists(place->data)) {
        if (!cluster_create(place, binaries, arena, err))
            return false;
        status->created = true;
    }
    const struct cluster_start start = {.program = path_join(arena, binaries, "postgres")};
    return (cluster_folder_in_use(place->data) ||
            (cluster_settings_ensure(place, arena, err) &&
             cluster_access_ensure(place, binaries, arena, err))) &&
           cluster_socket_dir_make(place, err) &&
           cluster_server_start(place, &start, &status->started, err) &&
           schema_make(place, arena, err);
}

bool cluster_ensure(struct arena *arena, struct cluster_status *ret_status, struct err *err)
{
    struct cluster_place place;
    struct cluster_status status = {0};
    if (!cluster_place_find(arena, &place, err))
        return false;
    bool ready =
        file_exists(place.data) && !file_exists(place.fresh_mark) && cluster_server_answers(&place);
    scoped_fd lock = -1;
    if (!ready && (!cluster_lock(&place, &lock, err) || !bring_up(&place, arena, &status, err)))
        return false;
    status_fill(&place, arena, &status);
    status.running = status.pid != 0;
    *ret_status = status;
    return true;
}

/* A look at whether it answers is a session of its own, and costs as much as the one that is
 * wanted: where all is there, that one is tried first. */
bool cluster_open(struct arena *arena, struct db **ret_db, struct err *err)
{
    struct cluster_place place;
    struct cluster_status status;
    struct err absent;
    if (!cluster_place_find(arena, &place, err))
        return false;
    const char *url = cluster_place_url(&place, APPLICATION_ROLE, arena);
    pid_t server = cluster_server_pid(&place);
    if (server != 0 && !cluster_process_runs(server, err))
        return false;
    if (server != 0 && !file_exists(place.fresh_mark) && db_open(url, ret_db, &absent))
        return true;
    return cluster_ensure(arena, &status, err) && db_open(url, ret_db, err);
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
    if (!cluster_lock(&place, &lock, err))
        return false;
    return cluster_server_stop(&place, err);
}
