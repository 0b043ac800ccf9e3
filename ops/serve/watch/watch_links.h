/* Links in a watched folder. Who may write there must have neither others' files submitted nor all
 * of the disk searched. */
#ifndef OPS_SERVE_WATCH_WATCH_LINKS_H
#define OPS_SERVE_WATCH_WATCH_LINKS_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"

/* The first link, the path itself or below it, that is not followed; NULL: there is none. Followed
 * are those of this user and of root, and those to what belongs to the one who laid them. In the
 * arena. ERR_INPUT: it cannot be searched; ERR_LIMIT. */
bool watch_link_refused(const char *path, struct arena *arena, const char **ret_link,
                        struct err *err);

#endif
