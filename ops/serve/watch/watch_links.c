/* As Linux itself does in /tmp (protected_symlinks); a link in the folder that a link leads to
 * belongs to who owns that one. */
#include "ops/serve/watch/watch_links.h"

#include <errno.h>
#include <fts.h>
#include <sys/stat.h>
#include <unistd.h>

static void fts_cleanup(FTS **tree)
{
    if (*tree != NULL)
        (void)fts_close(*tree);
}

static bool is_followed(const FTSENT *entry)
{
    struct stat end;
    uid_t owner = entry->fts_statp->st_uid;
    return owner == geteuid() || owner == 0 || stat(entry->fts_path, &end) != 0 ||
           end.st_uid == owner;
}

bool watch_link_refused(const char *path, struct arena *arena, const char **ret_link,
                        struct err *err)
{
    char *root = arena_strdup(arena, path);
    *ret_link = NULL;
    if (root == NULL)
        return arena_failed(arena, "a path", err);
    char *const roots[] = {root, NULL};
    __attribute__((cleanup(fts_cleanup))) FTS *tree =
        fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    if (tree == NULL)
        return err_set_errno(err, ERR_INPUT, "cannot search '%s'", path);
    for (FTSENT *entry; (errno = 0, entry = fts_read(tree)) != NULL;) {
        if (entry->fts_info != FTS_SL || is_followed(entry))
            continue;
        *ret_link = arena_strdup(arena, entry->fts_path);
        return *ret_link != NULL || arena_failed(arena, "a path", err);
    }
    return errno == 0 || err_set_errno(err, ERR_INPUT, "cannot search '%s'", path);
}
