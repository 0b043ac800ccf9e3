/* Copies a folder of plain files, file by file: the caller syncs the whole. */
#include "history/cluster/folder_copy.h"

#include "ops/runtime/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

enum { CHUNK_BYTES = 1 << 16, DEPTH_MAX = 16 };

/* An open folder and what it is copied to. */
struct pair {
    int from, to;
    const char *name; /* for messages */
    int depth;
    const struct folder_owner *owner;
};

static bool owner_give(int fd, const struct pair *pair, struct err *err)
{
    return geteuid() == pair->owner->uid || fchown(fd, pair->owner->uid, pair->owner->gid) == 0 ||
           err_set_errno(err, ERR_UNAVAILABLE, "cannot give '%s' to user id %u", pair->name,
                         (unsigned)pair->owner->uid);
}

static bool bytes_copy(int from, int to, const char *name, struct err *err)
{
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

static bool file_copy(const struct pair *in, const char *name, struct err *err)
{
    scoped_fd from = openat(in->from, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (from < 0)
        return err_set_errno(err, ERR_INPUT, "cannot open '%s/%s'", in->name, name);
    scoped_fd to = openat(in->to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (to < 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot write '%s'", name);
    return owner_give(to, in, err) && bytes_copy(from, to, name, err);
}

static bool entries_copy(const struct pair *pair, struct err *err);

static bool folder_enter(const struct pair *in, const char *name, struct err *err)
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
    const struct pair pair = {from, to, name, in->depth + 1, in->owner};
    return owner_give(to, &pair, err) && entries_copy(&pair, err);
}

static bool entry_copy(const struct pair *in, const char *name, struct err *err)
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

static bool entries_copy(const struct pair *pair, struct err *err)
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

bool folder_copy(const char *from, const char *to, const struct folder_owner *owner,
                 struct err *err)
{
    if (mkdir(to, 0700) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot make the folder '%s'", to);
    scoped_fd from_fd = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (from_fd < 0)
        return err_set_errno(err, ERR_INPUT, "cannot open '%s'", from);
    scoped_fd to_fd = open(to, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (to_fd < 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot open '%s'", to);
    const struct pair pair = {from_fd, to_fd, from, 0, owner};
    return owner_give(to_fd, &pair, err) && entries_copy(&pair, err);
}
