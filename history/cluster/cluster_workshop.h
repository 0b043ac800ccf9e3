/* A folder beside the cluster, in which another is made whole before it takes a name, so that a
 * killed attempt leaves nothing that looks like a cluster; for the files of history/ only. */
#ifndef HISTORY_CLUSTER_CLUSTER_WORKSHOP_H
#define HISTORY_CLUSTER_CLUSTER_WORKSHOP_H

#include "history/cluster/cluster_place.h"

#include <stdbool.h>

enum { WORKSHOP_ARGUMENTS_MAX = 20 };

struct workshop {
    struct cluster_place place; /* of what is made */
    const char *binaries;
    struct arena *arena;
    bool opened; /* its folder is there and is to be removed */
};

/* Makes a new folder for the cluster's owner, after removing those of attempts that were killed.
 * The caller holds the cluster's lock. */
bool workshop_open(struct workshop *shop, const struct cluster_place *place, const char *binaries,
                   struct arena *arena, struct err *err);

/* Removes the folder unless it got its name; accepts a zeroed one. */
void workshop_close(struct workshop *shop);

/* Runs one of PostgreSQL's programs in it, as the owner, and waits for its end. arguments: without
 * the program, NULL at the end. */
bool workshop_run(const struct workshop *shop, const char *name, const char *const *arguments,
                  const char *input, struct err *err);

/* Puts all of it on the disk and gives it its name. */
bool workshop_rename(struct workshop *shop, const char *to, struct err *err);

/* A rename that lasts. */
bool folder_rename(const char *from, const char *to, struct err *err);

/* A folder with all that is in it, as far as it can be removed. */
void folder_remove(const char *path);

#endif
