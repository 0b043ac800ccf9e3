/* initdb, our settings, the roles and the database, by the server's single-user mode: no
 * role that people or programs can connect as is ever a superuser. */
#include "history/cluster_create.h"

#include "history/cluster_process.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/file.h"
#include "ops/runtime/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_BYTES_MAX = 65536, ORPHAN_WAIT_MS = 15000, ORPHAN_POLL_MS = 10 };

/* A private server for one user: small, durable, silent. Where it listens is said at each start;
 * what a client was refused, the client is told. */
static const char settings[] = "# Written by stepledger; add settings of your own below.\n"
                               "listen_addresses = ''\n"
                               "unix_socket_permissions = 0700\n"
                               "max_connections = 40\n"
                               "shared_buffers = 32MB\n"
                               "max_wal_size = 256MB\n"
                               "min_wal_size = 32MB\n"
                               "synchronous_commit = on\n"
                               "recovery_init_sync_method = syncfs\n"
                               "wal_compression = lz4\n"
                               "jit = off\n"
                               "huge_pages = off\n"
                               "timezone = 'UTC'\n"
                               "log_timezone = 'UTC'\n"
                               "log_min_error_statement = panic\n"
                               "log_line_prefix = '%m [%p] %q%u@%d '\n"
                               "lc_messages = 'C'\n";

/* Peer: the kernel says who is at the other end of the socket, the map below says who that may be.
 */
static const char host_rules[] = "# Written by stepledger: the Unix socket, nothing else.\n"
                                 "local all all peer map=stepledger\n";

const char cluster_roles[] =
    "CREATE ROLE stepledger LOGIN;\n"
    "CREATE ROLE stepledger_owner LOGIN;\n"
    "CREATE ROLE stepledger_ingest NOLOGIN;\n"
    "CREATE ROLE stepledger_compare NOLOGIN;\n"
    "CREATE ROLE stepledger_alert NOLOGIN;\n"
    "CREATE ROLE stepledger_read NOLOGIN;\n"
    "GRANT stepledger_ingest, stepledger_compare, stepledger_alert, stepledger_read TO "
    "stepledger;\n"
    "CREATE DATABASE stepledger OWNER stepledger_owner;\n";

/* The folder in which the cluster is made. */
struct workshop {
    const struct cluster_place *place;
    const char *binaries;
    struct arena *arena;
    const char *home, *data, *log_file;
};

static int entry_remove(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info;
    (void)type;
    (void)walk;
    return remove(path);
}

static void folder_remove(const char *path)
{
    (void)nftw(path, entry_remove, 16, FTW_DEPTH | FTW_PHYS);
}

/* What an attempt that was killed left behind. The server that its initdb had started ends by
 * itself, and is left to do so: it gives back shared memory. Until then it may put a file into a
 * folder that is being emptied, so that is done again until the folder is gone. */
static void leftover_remove(const char *home, struct arena *arena)
{
    const char *data = path_join(arena, home, "data");
    int64_t deadline = clock_monotonic_ms() + ORPHAN_WAIT_MS;
    while (data != NULL && clock_monotonic_ms() < deadline) {
        if (!cluster_folder_in_use(data)) {
            folder_remove(home);
            if (access(home, F_OK) != 0)
                return;
        }
        clock_sleep_ms(ORPHAN_POLL_MS);
    }
    folder_remove(home);
}

static void leftovers_remove(const struct cluster_place *place, struct arena *arena)
{
    DIR *parent = opendir(place->parent);
    if (parent == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(parent)) != NULL;) {
        bool ours = strncmp(entry->d_name, "pg.new.", 7) == 0;
        char *path = ours ? path_join(arena, place->parent, entry->d_name) : NULL;
        if (path != NULL)
            leftover_remove(path, arena);
    }
    (void)closedir(parent);
}

static bool workshop_open(struct workshop *shop, struct err *err)
{
    const struct cluster_place *place = shop->place;
    char *home = path_join(shop->arena, place->parent, "pg.new.XXXXXX");
    if (home == NULL)
        return arena_failed(shop->arena, "the cluster's paths", err);
    if (mkdtemp(home) == NULL)
        return err_set_errno(
            err, ERR_USAGE,
            "cannot make a folder in %s for the embedded database (set XDG_DATA_HOME, or "
            "name a database with --db)",
            place->parent);
    shop->home = home;
    shop->data = path_join(shop->arena, home, "data");
    shop->log_file = path_join(shop->arena, home, "server.log");
    if (shop->data == NULL || shop->log_file == NULL)
        return arena_failed(shop->arena, "the cluster's paths", err);
    if (geteuid() != place->uid && chown(home, place->uid, place->gid) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot give %s to user %s", home, place->user);
    return true;
}

static bool program_run(const struct workshop *shop, const char *const *argv, const char *input,
                        struct err *err)
{
    const struct cluster_command command = {
        .argv = argv,
        .folder = shop->home,
        .log_file = shop->log_file,
        .input = input,
        .dies_with_us = true,
    };
    return cluster_execute(shop->place, &command, err);
}

static bool initdb_run(const struct workshop *shop, struct err *err)
{
    const char *program = path_join(shop->arena, shop->binaries, "initdb");
    if (program == NULL)
        return arena_failed(shop->arena, "the cluster's paths", err);
    const char *const argv[] = {program,
                                "-D",
                                shop->data,
                                "-U",
                                "postgres",
                                "-E",
                                "UTF8",
                                "--locale=C.UTF-8",
                                "-A",
                                "peer",
                                "--data-checksums",
                                "--no-sync",
                                "--wal-segsize=4",
                                NULL};
    return program_run(shop, argv, NULL, err);
}

static bool roles_make(const struct workshop *shop, struct err *err)
{
    const char *program = path_join(shop->arena, shop->binaries, "postgres");
    if (program == NULL)
        return arena_failed(shop->arena, "the cluster's paths", err);
    const char *const argv[] = {program, "--single",           "-D",       shop->data,
                                "-c",    "exit_on_error=true", "-c",       "log_min_messages=error",
                                "-c",    "fsync=off",          "postgres", NULL};
    return program_run(shop, argv, cluster_roles, err);
}

/* A file of the data folder, replaced or extended, with the owner that initdb gave it. */
static bool file_put(const struct workshop *shop, const char *name, bool append, const char *text,
                     struct err *err)
{
    const char *path = path_join(shop->arena, shop->data, name);
    if (path == NULL)
        return arena_failed(shop->arena, "the cluster's paths", err);
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (append ? O_APPEND : O_TRUNC);
    scoped_fd fd = open(path, flags, 0600);
    if (fd < 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot write %s", path);
    if (geteuid() != shop->place->uid && fchown(fd, shop->place->uid, shop->place->gid) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot give %s to user %s", path,
                             shop->place->user);
    if (!file_write_all(fd, text, strlen(text), path, err))
        return false;
    return fsync(fd) == 0 || err_set_errno(err, ERR_UNAVAILABLE, "cannot write %s", path);
}

/* Root and the owner may be the application, and the owner of the schema for migrations; nobody may
 * be `postgres`. */
static bool map_write(const struct workshop *shop, struct err *err)
{
    scoped_text map;
    text_init(&map, FILE_BYTES_MAX);
    text_add(&map, "# Written by stepledger: map, operating-system user, database role.\n");
    const char *const users[] = {shop->place->user, "root"};
    for (size_t i = 0; i < 2; i++) {
        text_addf(&map, "stepledger \"%s\" stepledger\n", users[i]);
        text_addf(&map, "stepledger \"%s\" stepledger_owner\n", users[i]);
    }
    return text_ok(&map, "the map of users", err) &&
           file_put(shop, "pg_ident.conf", false, text_string(&map), err);
}

static bool fresh_mark(const struct workshop *shop, struct err *err)
{
    const char *path = path_join(shop->arena, shop->home, "fresh");
    return path == NULL ? arena_failed(shop->arena, "the cluster's paths", err)
                        : file_write_atomic(path, "", 0, err);
}

/* initdb and single-user mode ran without fsync: a thousand of them take seconds where one sync of
 * the file system takes a moment, and before the rename nothing has to last. */
static bool workshop_rename(const struct workshop *shop, struct err *err)
{
    scoped_fd home = open(shop->home, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (home < 0 || syncfs(home) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot sync %s", shop->home);
    if (rename(shop->home, shop->place->home) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot rename %s to %s", shop->home,
                             shop->place->home);
    scoped_fd parent = open(shop->place->parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (parent < 0 || fsync(parent) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot sync %s", shop->place->parent);
    return true;
}

static bool workshop_work(const struct workshop *shop, struct err *err)
{
    return initdb_run(shop, err) && file_put(shop, "postgresql.conf", true, settings, err) &&
           file_put(shop, "pg_hba.conf", false, host_rules, err) && map_write(shop, err) &&
           roles_make(shop, err) && fresh_mark(shop, err) && workshop_rename(shop, err);
}

bool cluster_create(const struct cluster_place *place, const char *binaries, struct arena *arena,
                    struct err *err)
{
    struct workshop shop = {.place = place, .binaries = binaries, .arena = arena};
    leftovers_remove(place, arena);
    if (!workshop_open(&shop, err))
        return false;
    if (workshop_work(&shop, err))
        return true;
    folder_remove(shop.home);
    return err_prefix(err, "cannot make the embedded database");
}
