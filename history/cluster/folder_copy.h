/* Copying a folder with all its files, for somebody else; for the files of history/ only. */
#ifndef HISTORY_CLUSTER_FOLDER_COPY_H
#define HISTORY_CLUSTER_FOLDER_COPY_H

#include "ops/runtime/err.h"

#include <stdbool.h>
#include <sys/types.h>

struct folder_owner {
    uid_t uid;
    gid_t gid;
};

/* Makes `to`, private to its owner, with copies of all files and folders of `from`. ERR_INPUT:
 * anything else is in there; ERR_FULL. What was copied by then stays. */
bool folder_copy(const char *from, const char *to, const struct folder_owner *owner,
                 struct err *err);

#endif
