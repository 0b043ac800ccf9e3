/* Where the embedded cluster lies, who runs it, and with which binaries; for the files of history/
 * only. */
#ifndef HISTORY_CLUSTER_CLUSTER_PLACE_H
#define HISTORY_CLUSTER_CLUSTER_PLACE_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"

#include <sys/types.h>

struct cluster_place {
    const char *parent;     /* .../stepledger: holds all of the below */
    const char *home;       /* parent/pg: appears whole, by a rename */
    const char *data;       /* home/data: PostgreSQL's own */
    const char *log_file;   /* home/server.log */
    const char *fresh_mark; /* home/fresh: the schema is still to be made */
    const char *lock_file;  /* parent/pg.lock: one starter at a time */
    const char
        *restored; /* parent/pg.restored: whole, and to become home (history/cluster/restore.h) */
    const char *socket_dir; /* home, or a folder in /tmp where home is too long for a socket */
    const char *user;       /* name of uid */
    uid_t uid; /* who runs the server: ourselves, or as root the folder's owner or `postgres` */
    gid_t gid;
};

/* Reads the environment, makes nothing; PGSERVICE, which no URI overrides, is taken out of it.
 * ERR_USAGE: no home folder; ERR_MISSING: root, and no user `postgres`. */
bool cluster_place_find(struct arena *arena, struct cluster_place *ret_place, struct err *err);

/* The place of another cluster with that home, beside one. */
struct cluster_place cluster_place_at(const struct cluster_place *beside, const char *home,
                                      struct arena *arena);

/* The folder of initdb and postgres: of the version that made `data`, when that exists, else the
 * newest. ERR_MISSING says what to install. */
bool cluster_binaries_find(const struct cluster_place *place, struct arena *arena,
                           const char **ret_folder, struct err *err);

/* A libpq URI of the embedded database for a role. It says, too, what libpq would take from
 * PGHOSTADDR and its like, which somebody has set for a server of his own. */
char *cluster_place_url(const struct cluster_place *place, const char *role, struct arena *arena);

#endif
