/* Who may come into the embedded cluster: host rules, the map of users, and the role that takes
 * backups; for the files of history/ only. */
#ifndef HISTORY_CLUSTER_CLUSTER_ACCESS_H
#define HISTORY_CLUSTER_CLUSTER_ACCESS_H

#include "history/cluster/cluster_place.h"

#include <stdbool.h>

/* The statement that makes stepledger_backup, which may read the data folder and no table, unless
 * it is there. */
extern const char cluster_backup_role[];

/* Writes the rules and the map of a data folder anew: for its owner and root. */
bool cluster_access_write(const struct cluster_place *place, struct arena *arena, struct err *err);

/* Adds what the two files lack: in a cluster of an older stepledger what backups need, and all of
 * it where the files were torn. The cluster does not run, and the caller holds its lock. */
bool cluster_access_ensure(const struct cluster_place *place, const char *binaries,
                           struct arena *arena, struct err *err);

#endif
