/* A folder beside the cluster, in which another is made whole before it takes a name. */
#include "history/cluster/cluster_workshop.h"

#include "history/cluster/cluster_process.h"
#include "history/cluster/cluster_server.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ORPHAN_WAIT_MS = 15000, ORPHAN_POLL_MS = 10 };

static const char NAME_BEGIN[] = "pg.new.";

static int entry_remove(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info;
    (void)type;
    (void)walk;
    return remove(path);
}

void folder_remove(const char *path)
{
    (void)nftw(path, entry_remove, 16, FTW_DEPTH | FTW_PHYS);
}

/* What an attempt that was killed left behind. A server that it had started ends by itself, and is
 * left to do so: it gives back shared memory. Until then it may put a file into a folder that is
 * being emptied, so that is done again until the folder is gone. */
static void leftover_remove(const struct cluster_place *place, const char *home,
                            struct arena *arena)
{
    const struct cluster_place left = cluster_place_at(place, home, arena);
    int64_t deadline = clock_monotonic_ms() + ORPHAN_WAIT_MS;
    while (clock_monotonic_ms() < deadline) {
        if (!cluster_folder_in_use(left.data)) {
            folder_remove(home);
            if (access(home, F_OK) != 0)
                break;
        }
        clock_sleep_ms(ORPHAN_POLL_MS);
    }
    folder_remove(home);
    cluster_socket_dir_remove(&left);
}

/* What attempts that were killed left; the caller holds the lock. */
static void workshop_leftovers_remove(const struct cluster_place *place, struct arena *arena)
{
    DIR *parent = opendir(place->parent);
    if (parent == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(parent)) != NULL;) {
        if (strncmp(entry->d_name, NAME_BEGIN, sizeof NAME_BEGIN - 1) == 0)
            leftover_remove(place, path_join(arena, place->parent, entry->d_name), arena);
    }
    (void)closedir(parent);
}

bool workshop_open(struct workshop *shop, const struct cluster_place *place, const char *binaries,
                   struct arena *arena, struct err *err)
{
    *shop = (struct workshop){.binaries = binaries, .arena = arena};
    workshop_leftovers_remove(place, arena);
    char *home = arena_printf(arena, "%s/%sXXXXXX", place->parent, NAME_BEGIN);
    if (mkdtemp(home) == NULL)
        return err_set_errno(
            err, ERR_USAGE,
            "cannot make a folder in %s for the embedded database (set XDG_DATA_HOME, or "
            "name a database with --db)",
            place->parent);
    shop->opened = true;
    shop->place = cluster_place_at(place, home, arena);
    if (geteuid() != place->uid && chown(home, place->uid, place->gid) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot give %s to user %s", home, place->user);
    return true;
}

void workshop_close(struct workshop *shop)
{
    if (!shop->opened)
        return;
    folder_remove(shop->place.home);
    cluster_socket_dir_remove(&shop->place);
    shop->opened = false;
}

bool workshop_run(const struct workshop *shop, const char *name, const char *const *arguments,
                  const char *input, struct err *err)
{
    const char *argv[WORKSHOP_ARGUMENTS_MAX + 2] = {path_join(shop->arena, shop->binaries, name)};
    for (size_t i = 0; arguments[i] != NULL && i < WORKSHOP_ARGUMENTS_MAX; i++)
        argv[i + 1] = arguments[i];
    const struct cluster_command command = {
        .argv = argv,
        .folder = shop->place.home,
        .log_file = shop->place.log_file,
        .input = input,
        .dies_with_us = true,
    };
    return cluster_execute(&shop->place, &command, err);
}

bool folder_rename(const char *from, const char *to, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, 2 * strlen(to) + 8192);
    const char *parent = arena_strndup(&arena, to, (size_t)(path_base(to) - to));
    if (rename(from, to) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot rename %s to %s", from, to);
    scoped_fd fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return (fd >= 0 && fsync(fd) == 0) ||
           err_set_errno(err, ERR_UNAVAILABLE, "cannot sync %s", parent);
}

/* Its files were written without fsync: a thousand of them take seconds where one sync of the file
 * system takes a moment, and before the rename nothing has to last. */
bool workshop_rename(struct workshop *shop, const char *to, struct err *err)
{
    scoped_fd home = open(shop->place.home, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (home < 0 || syncfs(home) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot sync %s", shop->place.home);
    if (!folder_rename(shop->place.home, to, err))
        return false;
    shop->opened = false;
    cluster_socket_dir_remove(&shop->place);
    return true;
}
