/* Takes backups with PostgreSQL's own programs, which run with our user id: they write where we may
 * write.
 *
 * pg_basebackup fetches the WAL at the end over its one connection. Its other way, a second process
 * that streams the WAL meanwhile, goes on for ever when the first one is killed. So that no WAL is
 * gone by then, a slot of our own session holds it, and goes with the session. */
#include "history/cluster/backup.h"

#include "history/client/client.h"
#include "history/cluster/cluster_place.h"
#include "history/cluster/cluster_process.h"
#include "history/cluster/cluster_workshop.h"
#include "history/verify/verify.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/digest.h"
#include "ops/runtime/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

enum { MANIFEST_BYTES_MAX = 256 << 20, MEMORY_BYTES_MAX = 1 << 16 };

const char backup_note_name[] = "backup.json";
static const char PART_END[] = ".stepledger-part";
static const char BACKUP_ROLE[] = "stepledger_backup";

/* ---- the folder ------------------------------------------------------------------------------ */

static bool folder_is_empty(const char *path)
{
    int count = 0;
    DIR *folder = opendir(path);
    if (folder == NULL)
        return false;
    while (count <= 2 && readdir(folder) != NULL)
        count++;
    (void)closedir(folder);
    return count <= 2; /* "." and ".." */
}

static const char *folder_of(const char *path, struct arena *arena)
{
    const char *base = path_base(path);
    return base == path + 1 ? "/" : arena_strndup(arena, path, (size_t)(base - path) - 1);
}

/* An empty folder at that name is taken, wherever links lead to it. */
static bool present_take(const char *path, struct arena *arena, const char **ret_path,
                         struct err *err)
{
    struct stat info, parent_info;
    char *real = realpath(path, NULL);
    *ret_path = arena_strdup(arena, real);
    free(real);
    if (*ret_path == NULL || stat(*ret_path, &info) != 0 ||
        stat(folder_of(*ret_path, arena), &parent_info) != 0)
        return err_set_errno(err, ERR_INPUT, "cannot look at '%s'", path);
    if (!S_ISDIR(info.st_mode) || !folder_is_empty(*ret_path))
        return err_set(err, ERR_INPUT,
                       "'%s' is there already, and is not an empty folder: name a new one", path);
    return info.st_dev == parent_info.st_dev ||
           err_set(err, ERR_INPUT,
                   "'%s' is the root of a file system, which cannot be replaced by a whole backup: "
                   "name a folder in it",
                   path);
}

static bool path_take(const char *path, struct arena *arena, const char **ret_path, struct err *err)
{
    struct stat info;
    const char *normal = path_normal(arena, path);
    if (lstat(normal, &info) == 0)
        return present_take(normal, arena, ret_path, err);
    const char *base = path_base(normal);
    const char *named =
        base == normal ? "." : arena_strndup(arena, normal, (size_t)(base - normal));
    char *parent = realpath(named, NULL);
    if (parent == NULL)
        return err_set_errno(err, ERR_INPUT, "the folder in which the backup '%s' shall lie", path);
    *ret_path = path_join(arena, parent, base);
    free(parent);
    return true;
}

/* -1: somebody holds it or is done with it (EWOULDBLOCK), or why it cannot be locked. */
static int part_lock(const char *part)
{
    struct stat at_path, at_fd;
    int fd = open(part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &at_fd) == 0 &&
        lstat(part, &at_path) == 0) {
        if (at_fd.st_ino == at_path.st_ino)
            return fd;
        errno = EWOULDBLOCK; /* who held it has made another since */
    }
    int number = errno == ENOENT ? EWOULDBLOCK : errno; /* or is done with it */
    fd_cleanup(&fd);
    errno = number;
    return -1;
}

/* What attempts that were killed left in the parent, under any name. */
static void leftovers_remove(const char *parent, struct arena *arena)
{
    DIR *folder = opendir(parent);
    if (folder == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        size_t length = strlen(entry->d_name);
        bool ours = length > sizeof PART_END - 1 &&
                    strcmp(entry->d_name + length - (sizeof PART_END - 1), PART_END) == 0;
        char *path = ours ? path_join(arena, parent, entry->d_name) : NULL;
        scoped_fd fd = path == NULL ? -1 : part_lock(path);
        if (fd >= 0)
            folder_remove(path);
    }
    (void)closedir(folder);
}

bool backup_open(struct backup *backup, const char *path, struct arena *arena, struct err *err)
{
    *backup = (struct backup){.arena = arena, .lock_fd = -1};
    if (!path_take(path, arena, &backup->path, err))
        return false;
    /* A backup within the cluster would be a part of itself. */
    struct cluster_place place;
    if (!cluster_place_find(arena, &place, err))
        return false;
    char *home = realpath(place.home, NULL);
    size_t length = home == NULL ? 0 : strlen(home);
    bool within =
        length > 0 && strncmp(backup->path, home, length) == 0 && backup->path[length] == '/';
    free(home);
    if (within)
        return err_set(err, ERR_INPUT, "'%s' lies in the folder of the database itself",
                       backup->path);
    const char *parent = folder_of(backup->path, arena);
    const char *part = arena_printf(arena, "%s%s", backup->path, PART_END);
    leftovers_remove(parent, arena);
    if (mkdir(part, 0700) != 0 && errno != EEXIST)
        return err_set_errno(err, ERR_INPUT, "cannot make the folder '%s'", part);
    backup->lock_fd = part_lock(part);
    if (backup->lock_fd < 0 && errno == EWOULDBLOCK)
        return err_set(err, ERR_CONFLICT, "another command is making this backup (%s)", part);
    if (backup->lock_fd < 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot lock the folder '%s'", part);
    backup->part = part;
    return true;
}

bool backup_finish(struct backup *backup, struct err *err)
{
    if (syncfs(backup->lock_fd) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot sync '%s'", backup->part);
    if (!folder_rename(backup->part, backup->path, err))
        return access(backup->path, F_OK) != 0
                   ? false
                   : err_prefix(err,
                                "the backup '%s' is whole, but not yet safe from a loss of power",
                                backup->path);
    backup->part = NULL;
    return true;
}

void backup_close(struct backup *backup)
{
    if (backup->part != NULL)
        folder_remove(backup->part);
    fd_cleanup(&backup->lock_fd);
    *backup = (struct backup){.arena = backup->arena, .lock_fd = -1};
}

/* ---- the note -------------------------------------------------------------------------------- */

bool backup_note_begin(struct db *db, struct arena *arena, struct backup_note *ret_note,
                       struct err *err)
{
    bool found;
    char now[CLOCK_ISO_BYTES];
    struct checkpoint last = {0}, here = {0};
    scoped_result *versions = NULL;
    if (!query_row(db, Q_backup_versions, NULL, &versions, err) ||
        !checkpoint_last(db, arena, &last, &found, err) ||
        !checkpoint_heads_read(db, arena, &here, err))
        return false;
    *ret_note = (struct backup_note){
        .schema_version = "backup.v1",
        .begun_at_utc = arena_strdup(arena, clock_iso(clock_wall_us(), now)),
        .stepledger_version = STEPLEDGER_VERSION,
        .migration = result_i32(versions, 0, C_backup_versions_schema_version),
        .checkpoint_id = found ? last.id : NULL,
        .checkpoint_root_sha256 = found ? last.root_sha256 : NULL,
        .heads = here.heads,
        .head_count = here.head_count,
        .server_version = result_copy_text(versions, 0, C_backup_versions_server_version, arena),
    };
    return true;
}

bool backup_manifest_hash(const char *data, char ret_sha256[SHA256_HEX_BYTES], struct err *err)
{
    char *text;
    size_t length;
    scoped_arena arena;
    arena_init(&arena, 2 * (size_t)MANIFEST_BYTES_MAX);
    if (!file_read(path_join(&arena, data, "backup_manifest"), MANIFEST_BYTES_MAX, &arena, &text,
                   &length, err))
        return false;
    sha256_hex(text, length, ret_sha256);
    return true;
}

/* nftw has no context of its own. */
static _Thread_local int64_t files_seen, bytes_seen;

static int file_count(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)path;
    (void)walk;
    files_seen += type == FTW_F;
    bytes_seen += type == FTW_F ? info->st_size : 0;
    return 0;
}

/* ---- the copy -------------------------------------------------------------------------------- */

/* What of PostgreSQL a backup is taken with. */
struct tools {
    struct cluster_place place;
    const char *basebackup, *verifybackup, *url, *log_file;
};

static bool tools_find(struct arena *arena, struct tools *out, struct err *err)
{
    const char *binaries;
    if (!cluster_place_find(arena, &out->place, err) ||
        !cluster_binaries_find(&out->place, arena, &binaries, err))
        return false;
    out->basebackup = path_join(arena, binaries, "pg_basebackup");
    out->verifybackup = path_join(arena, binaries, "pg_verifybackup");
    out->url = cluster_place_url(&out->place, BACKUP_ROLE, arena);
    out->log_file = path_join(arena, out->place.home, "backup.log");
    return true;
}

static bool copy_run(const struct tools *tools, const char *folder, const char *const *argv,
                     struct err *err)
{
    const struct cluster_command command = {.argv = argv,
                                            .folder = folder,
                                            .log_file = tools->log_file,
                                            .dies_with_us = true,
                                            .as_caller = true};
    (void)unlink(tools->log_file);
    return cluster_execute(&tools->place, &command, err);
}

bool backup_take(struct backup *backup, struct backup_note *note, struct err *err)
{
    struct tools tools;
    scoped_db *hold = NULL;
    struct arena *arena = backup->arena;
    const char *data = path_join(arena, backup->part, "data");
    char sha256[SHA256_HEX_BYTES];
    if (!tools_find(arena, &tools, err))
        return false;
    /* A session that keeps the WAL of the backup. */
    scoped_result *slot = NULL;
    if (!db_open_raw(tools.url, &hold, err))
        return err_prefix(err, "if an older stepledger started this ledger's server, it knows "
                               "nobody who may take backups: `stepledger db stop`, then again");
    if (!query_row(hold, Q_backup_hold, NULL, &slot, err))
        return false;
    const char *const basebackup[] = {tools.basebackup,
                                      "--pgdata",
                                      data,
                                      "--dbname",
                                      tools.url,
                                      "--wal-method=fetch",
                                      "--checkpoint=fast",
                                      "--manifest-checksums=SHA256",
                                      "--label=stepledger db backup",
                                      "--no-password",
                                      "--no-sync",
                                      NULL};
    const char *const verifybackup[] = {tools.verifybackup, "--quiet", data, NULL};
    if (!copy_run(&tools, backup->part, basebackup, err) ||
        !copy_run(&tools, backup->part, verifybackup, err) ||
        !backup_manifest_hash(data, sha256, err))
        return false;
    note->manifest_sha256 = arena_strdup(arena, sha256);
    files_seen = bytes_seen = 0;
    if (nftw(data, file_count, 16, FTW_PHYS) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot look at '%s'", data);
    note->file_count = files_seen;
    note->byte_count = bytes_seen;
    (void)unlink(tools.log_file);
    return true;
}

/* ---- the memory of the last one -------------------------------------------------------------- */

static bool memory_path(struct arena *arena, const char **ret_path, struct err *err)
{
    struct cluster_place place;
    if (!cluster_place_find(arena, &place, err))
        return false;
    *ret_path = path_join(arena, place.home, "last_backup");
    return true;
}

bool backup_memory_read(struct arena *arena, struct backup_memory *ret_memory, struct err *err)
{
    char *text;
    size_t length;
    const char *path;
    struct stat info;
    struct err missing = {0};
    *ret_memory = (struct backup_memory){0};
    if (!memory_path(arena, &path, err))
        return false;
    if (!file_read(path, MEMORY_BYTES_MAX, arena, &text, &length, &missing)) {
        *err = missing;
        return missing.kind == ERR_MISSING;
    }
    char *line_end = strchr(text, '\n'),
         *end = line_end == NULL ? NULL : strchr(line_end + 1, '\n');
    int64_t done_us = stat(path, &info) == 0 ? (int64_t)info.st_mtime * 1000000 : 0;
    int64_t age_us = clock_wall_us() - done_us;
    ret_memory->age_ms = age_us > 0 ? age_us / 1000 : 0;
    if (end == NULL || end + 1 != text + length)
        return err_set(err, ERR_INPUT, "'%s' holds no time and place of a backup: remove it", path);
    *line_end = *end = '\0';
    ret_memory->begun_at_utc = text;
    ret_memory->path = line_end + 1;
    return true;
}

bool backup_memory_write(const struct backup *backup, const struct backup_note *note,
                         struct err *err)
{
    const char *path;
    if (!memory_path(backup->arena, &path, err))
        return false;
    const char *text = arena_printf(backup->arena, "%s\n%s\n", note->begun_at_utc, backup->path);
    return file_write_atomic(path, text, strlen(text), err);
}
