/* The server of a cluster, for the files of history/ only. The caller holds the cluster's lock. */
#ifndef HISTORY_CLUSTER_CLUSTER_SERVER_H
#define HISTORY_CLUSTER_CLUSTER_SERVER_H

#include "history/cluster/cluster_place.h"

#include <stdbool.h>

struct cluster_start {
    const char *program; /* the full path of `postgres` */
    bool on_trial;       /* ends with this process, and archives nothing */
};

/* One process at a time makes, starts, stops or replaces a cluster; the lock ends when *ret_fd is
 * closed. ERR_UNAVAILABLE after two minutes. */
bool cluster_lock(const struct cluster_place *place, int *ret_fd, struct err *err);

/* Whether the server can be reached at its socket; needs no lock. */
bool cluster_server_answers(const struct cluster_place *place);

/* Makes the folder of the socket where that is not the cluster's home. */
bool cluster_socket_dir_make(const struct cluster_place *place, struct err *err);
/* Removes it with what a server that was killed left in it, unless that is its home. */
void cluster_socket_dir_remove(const struct cluster_place *place);

/* Waits until the server answers, or the one that was started is gone. *ret_started: by this call;
 * else left as it is. */
bool cluster_server_start(const struct cluster_place *place, const struct cluster_start *start,
                          bool *ret_started, struct err *err);

/* Orderly stop, and waits until no process of it is left; succeeds when it is down already. */
bool cluster_server_stop(const struct cluster_place *place, struct err *err);

#endif
