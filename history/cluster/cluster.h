/* The embedded PostgreSQL cluster: a private one, found again by later commands.
 *
 * Unix socket only, in a short directory; never a TCP port. As root it runs as the user `postgres`.
 * Starting is safe when two commands do it at once (a file lock), and after kill -9 of anything.
 */
#ifndef HISTORY_CLUSTER_CLUSTER_H
#define HISTORY_CLUSTER_CLUSTER_H

#include "history/cluster/backup.h"
#include "history/cluster/cluster_create.h"
#include "history/cluster/restore.h"
#include "history/db.h"
#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"

#include <stdbool.h>
#include <sys/types.h>

struct cluster_status {
    bool exists, running;
    bool created, started; /* by this very call of cluster_ensure */
    pid_t pid;
    const char *data_dir, *socket_dir, *log_file;
    const char *url;       /* conninfo of the application role */
    const char *owner_url; /* conninfo of the role that owns the schema: for migrate */
};

/* Where it is and whether it runs; makes and starts nothing. */
bool cluster_inspect(struct arena *arena, struct cluster_status *ret_status, struct err *err);

/* Whether it was ever made; asks no server. */
bool cluster_exists(struct arena *arena, bool *ret_exists, struct err *err);

/* Makes it when it is not there (initdb), starts it when it is down, brings the schema up to date
 * when it is fresh. */
bool cluster_ensure(struct arena *arena, struct cluster_status *ret_status, struct err *err);

/* Opens its ledger in the application's role; made and started before, as by cluster_ensure, where
 * it is not there yet or down. */
bool cluster_open(struct arena *arena, struct db **ret_db, struct err *err);

/* Orderly stop; succeeds when it is down already. */
bool cluster_stop(struct err *err);

#endif
