/* Implements the check of paths, and the walk with openat that trusts no link. */
#include "ops/net/fetch/fetch_path.h"
#include "ops/runtime/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

static bool part_is(const char *part, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(part, word, length) == 0;
}

const char *fetch_path_fault(const char *path)
{
    if (path[0] == '\0')
        return "is empty";
    if (path[0] == '/')
        return "is absolute";
    if (strchr(path, '\\') != NULL)
        return "holds a backslash";
    if (isalpha((unsigned char)path[0]) && path[1] == ':')
        return "begins with a drive letter";
    for (const char *p = path;; p++) {
        if ((unsigned char)*p < ' ' && *p != '\0')
            return "holds a control character";
        if (*p == '\0')
            break;
    }
    for (const char *p = path;;) {
        size_t length = strcspn(p, "/");
        if (length == 0)
            return "has an empty part";
        if (part_is(p, length, ".") || part_is(p, length, ".."))
            return "has a part that is . or ..";
        if (length > NAME_MAX)
            return "has a part that is too long";
        if (p[length] == '\0')
            return NULL;
        p += length + 1;
    }
}

bool fetch_path_open(int root_fd, const char *path, int *ret_fd, const char **ret_base,
                     struct err *err)
{
    scoped_fd fd = fcntl(root_fd, F_DUPFD_CLOEXEC, 0);
    const char *p = path;
    for (size_t length; fd >= 0 && p[length = strcspn(p, "/")] == '/'; p += length + 1) {
        char part[NAME_MAX + 1];
        memcpy(part, p, length);
        part[length] = '\0';
        if (mkdirat(fd, part, 0777) != 0 && errno != EEXIST)
            return err_set_errno(err, ERR_INPUT, "cannot make the folder '%s' of '%s'", part, path);
        int next = openat(fd, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (next < 0)
            return err_set_errno(err, ERR_INPUT, "cannot enter '%s' of '%s'", part, path);
        (void)close(fd);
        fd = next;
    }
    if (fd < 0)
        return err_set_errno(err, ERR_INPUT, "cannot open the folder of '%s'", path);
    *ret_base = p;
    *ret_fd = fd;
    fd = -1;
    return true;
}
