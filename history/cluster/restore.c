/* Restores the embedded cluster.
 *
 * The renames: the copy becomes pg.restored, the cluster pg.old.TIME, pg.restored the cluster.
 * Before the second one the old cluster is in its place; after it, whoever finds no cluster but
 * pg.restored does the third (history/cluster/cluster.c).
 */
#include "history/cluster/restore.h"

#include "history/cluster/backup.h"
#include "history/cluster/cluster_access.h"
#include "history/cluster/cluster_process.h"
#include "history/cluster/cluster_server.h"
#include "history/migrate/migrate.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/file.h"
#include "ops/runtime/json.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

enum { NOTE_BYTES_MAX = 1 << 30 };

bool restore_note_read(const char *path, struct arena *arena, struct backup_note *ret_note,
                       struct err *err)
{
    const char *file = path_join(arena, path, backup_note_name);
    if (access(path, F_OK) == 0 && access(file, F_OK) != 0)
        return err_set(err, ERR_MISSING,
                       "'%s' is no backup of `stepledger db backup`: there is no %s in it", path,
                       backup_note_name);
    scoped_json *root = json_read_file(file, NOTE_BYTES_MAX, err);
    if (root == NULL || !backup_note_from_json(root, file, arena, ret_note, err))
        return err->kind == ERR_INPUT &&
               err_prefix(err, "nothing was restored, take another backup");
    return ret_note->migration <= migrate_version_wanted() ||
           err_set(err, ERR_UNAVAILABLE,
                   "the ledger in '%s' has schema version %lld, this stepledger knows up to %d: "
                   "use a newer one",
                   path, (long long)ret_note->migration, migrate_version_wanted());
}

bool restore_open(struct restore *restore, bool replace, struct arena *arena, struct err *err)
{
    *restore = (struct restore){.arena = arena, .lock_fd = -1};
    struct cluster_place *place = &restore->place;
    if (!cluster_place_find(arena, place, err) || !cluster_lock(place, &restore->lock_fd, err))
        return false;
    /* One restore was killed before its second rename, or between it and the third. */
    if (access(place->restored, F_OK) == 0 && access(place->home, F_OK) == 0)
        folder_remove(place->restored);
    else if (access(place->restored, F_OK) == 0 &&
             !folder_rename(place->restored, place->home, err))
        return false;
    return replace || access(place->home, F_OK) != 0 ||
           err_set(err, ERR_INPUT,
                   "there is a ledger in %s already: --replace moves it aside, and keeps it",
                   place->home);
}

static bool manifest_check(const struct restore *restore, const struct backup_note *note,
                           struct err *err)
{
    char sha256[SHA256_HEX_BYTES];
    const char *const verify[] = {"--quiet", restore->shop.place.data, NULL};
    if (!backup_manifest_hash(restore->shop.place.data, sha256, err))
        return false;
    if (strcmp(sha256, note->manifest_sha256) != 0)
        return err_set(err, ERR_INPUT,
                       "the backup's manifest is not the one that its note names: one of the two "
                       "was changed");
    if (workshop_run(&restore->shop, "pg_verifybackup", verify, NULL, err))
        return true;
    if (err->kind == ERR_UNAVAILABLE)
        err->kind = ERR_INPUT;
    return err_prefix(err, "the backup is not what was taken");
}

/* pg_verifybackup passes over the files by which a server is told what to run: no backup of ours
 * has the signals of a recovery, and settings of ALTER SYSTEM could be anyone's. */
static bool unlisted_check(const struct restore *restore, const char *source, struct err *err)
{
    static const char *const signals[] = {"recovery.signal", "standby.signal"};
    enum { SETTINGS_BYTES_MAX = 1 << 20 };
    const char *data = restore->shop.place.data;
    const char *settings = path_join(restore->arena, data, "postgresql.auto.conf");
    char *text = NULL;
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        if (access(path_join(restore->arena, data, signals[i]), F_OK) == 0)
            return err_set(err, ERR_INPUT,
                           "the backup is not what was taken: it holds '%s', which no backup does",
                           signals[i]);
    }
    if (access(settings, F_OK) == 0 &&
        !file_read(settings, SETTINGS_BYTES_MAX, restore->arena, &text, NULL, err))
        return false;
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char first = line[strspn(line, " \t\r")];
        if (first != '#' && first != '\n' && first != '\0')
            return err_set(err, ERR_INPUT,
                           "'%s/postgresql.auto.conf' holds settings (\"%.60s\"), which no hash of "
                           "the backup covers: empty the file, and set again by ALTER SYSTEM what "
                           "you know to be yours",
                           source, line);
    }
    return true;
}

/* ---- the copy of the folder ------------------------------------------------------------------ */

struct folder_owner {
    uid_t uid;
    gid_t gid;
};

/* A folder of plain files, file by file: the caller syncs the whole. */
enum { CHUNK_BYTES = 1 << 16, DEPTH_MAX = 16 };

/* An open folder and what it is copied to. */
struct folder_copy {
    int from, to;
    const char *name; /* for messages */
    int depth;
    const struct folder_owner *owner;
};

static bool owner_give(int fd, const struct folder_copy *pair, struct err *err)
{
    return geteuid() == pair->owner->uid || fchown(fd, pair->owner->uid, pair->owner->gid) == 0 ||
           err_set_errno(err, ERR_UNAVAILABLE, "cannot give '%s' to user id %u", pair->name,
                         (unsigned)pair->owner->uid);
}

static bool file_copy(const struct folder_copy *in, const char *name, struct err *err)
{
    scoped_fd from = openat(in->from, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (from < 0)
        return err_set_errno(err, ERR_INPUT, "cannot open '%s/%s'", in->name, name);
    scoped_fd to = openat(in->to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (to < 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot write '%s'", name);
    if (!owner_give(to, in, err))
        return false;
    char chunk[CHUNK_BYTES];
    for (;;) {
        size_t got;
        if (!file_read_some(from, chunk, sizeof chunk, name, &got, err))
            return false;
        if (got == 0)
            return true;
        if (!file_write_all(to, chunk, got, name, err))
            return false;
    }
}

static bool entries_copy(const struct folder_copy *pair, struct err *err);

static bool folder_enter(const struct folder_copy *in, const char *name, struct err *err)
{
    if (mkdirat(in->to, name, 0700) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot make the folder '%s'", name);
    scoped_fd from = openat(in->from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    scoped_fd to = openat(in->to, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (from < 0 || to < 0)
        return err_set_errno(err, ERR_INPUT, "cannot open '%s/%s'", in->name, name);
    if (in->depth == DEPTH_MAX)
        return err_set(err, ERR_INPUT, "'%s' has more than %d folders in each other", name,
                       DEPTH_MAX);
    const struct folder_copy pair = {from, to, name, in->depth + 1, in->owner};
    return owner_give(to, &pair, err) && entries_copy(&pair, err);
}

static bool entry_copy(const struct folder_copy *in, const char *name, struct err *err)
{
    struct stat info;
    if (fstatat(in->from, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return err_set_errno(err, ERR_INPUT, "cannot look at '%s/%s'", in->name, name);
    if (S_ISDIR(info.st_mode))
        return folder_enter(in, name, err);
    return S_ISREG(info.st_mode)
               ? file_copy(in, name, err)
               : err_set(err, ERR_INPUT, "'%s/%s' is neither a file nor a folder", in->name, name);
}

static bool entries_copy(const struct folder_copy *pair, struct err *err)
{
    int fd = openat(pair->from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    if (folder == NULL) {
        (void)err_set_errno(err, ERR_INPUT, "cannot read the folder '%s'", pair->name);
        fd_cleanup(&fd);
        return false;
    }
    bool done = true;
    for (struct dirent *entry; done && (entry = readdir(folder)) != NULL;)
        done = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
               entry_copy(pair, entry->d_name, err);
    (void)closedir(folder);
    return done;
}

/* ---- the restore ----------------------------------------------------------------------------- */

bool restore_copy(struct restore *restore, const char *path, const struct backup_note *note,
                  struct err *err)
{
    const struct folder_owner owner = {restore->place.uid, restore->place.gid};
    const char *data = path_join(restore->arena, path, "data");
    /* The programs of the version that took the backup. */
    const char *binaries;
    struct cluster_place source = restore->place;
    source.data = data;
    if (!cluster_binaries_find(&source, restore->arena, &binaries, err) ||
        !workshop_open(&restore->shop, &restore->place, binaries, restore->arena, err))
        return false;
    /* Makes `to`, private to its owner, with copies of all files and folders of `from`.
     * ERR_INPUT: anything else is in there; ERR_FULL. What was copied by then stays. */
    const char *to = restore->shop.place.data;
    if (mkdir(to, 0700) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot make the folder '%s'", to);
    scoped_fd from_fd = open(data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (from_fd < 0)
        return err_set_errno(err, ERR_INPUT, "cannot open '%s'", data);
    scoped_fd to_fd = open(to, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (to_fd < 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot open '%s'", to);
    const struct folder_copy pair = {from_fd, to_fd, data, 0, &owner};
    if (!owner_give(to_fd, &pair, err) || !entries_copy(&pair, err) ||
        !manifest_check(restore, note, err) || !unlisted_check(restore, data, err) ||
        !cluster_access_write(&restore->shop.place, restore->arena, err))
        return false;
    /* On trial it can be reached by nobody who looks for the ledger. */
    bool started;
    struct workshop *shop = &restore->shop;
    const struct cluster_start start = {path_join(shop->arena, shop->binaries, "postgres"), true};
    restore->url = cluster_place_url(&shop->place, "stepledger", shop->arena);
    restore->owner_url = cluster_place_url(&shop->place, "stepledger_owner", shop->arena);
    restore->runs = true;
    return cluster_socket_dir_make(&shop->place, err) &&
           cluster_server_start(&shop->place, &start, &started, err);
}

bool restore_finish(struct restore *restore, struct err *err)
{
    struct cluster_place *place = &restore->place;
    if (!cluster_server_stop(&restore->shop.place, err))
        return false;
    restore->runs = false;
    if (!workshop_rename(&restore->shop, place->restored, err))
        return false;
    if (access(place->home, F_OK) == 0) {
        /* A name that nothing has. */
        char now[CLOCK_ISO_BYTES];
        (void)clock_compact(clock_wall_us(), now);
        restore->old_home = arena_printf(restore->arena, "%s.old.%s", place->home, now);
        for (int i = 2; access(restore->old_home, F_OK) == 0; i++)
            restore->old_home = arena_printf(restore->arena, "%s.old.%s.%d", place->home, now, i);
        if (!cluster_server_stop(place, err) || !folder_rename(place->home, restore->old_home, err))
            return false;
    }
    return folder_rename(place->restored, place->home, err);
}

void restore_close(struct restore *restore)
{
    if (restore->runs)
        (void)cluster_server_stop(&restore->shop.place, NULL);
    restore->runs = false;
    workshop_close(&restore->shop);
    fd_cleanup(&restore->lock_fd);
    restore->lock_fd = -1;
}
