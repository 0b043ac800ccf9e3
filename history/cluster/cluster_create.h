/* Making the embedded cluster, for the files of history/ only. */
#ifndef HISTORY_CLUSTER_CLUSTER_CREATE_H
#define HISTORY_CLUSTER_CLUSTER_CREATE_H

#include "history/cluster/cluster_place.h"

/* The roles and the database, a statement a line, for whoever makes the server: nobody else needs
 * the right to make roles. */
extern const char cluster_roles[];

/* Makes place->home: initdb in a folder beside it, which then takes its name, so that a killed
 * attempt leaves nothing that looks like a cluster. The caller holds the lock. */
bool cluster_create(const struct cluster_place *place, const char *binaries, struct arena *arena,
                    struct err *err);

/* Puts our settings back into a postgresql.conf that was torn. The cluster does not run, and the
 * caller holds its lock. */
bool cluster_settings_ensure(const struct cluster_place *place, struct arena *arena,
                             struct err *err);

#endif
