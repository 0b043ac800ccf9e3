/* Keeps the lease of a message while it is being sent: a publication with large files may last
 * longer than any lease that fits the rest, and must not be taken over by another worker.
 */
#ifndef OPS_SERVE_WORKERS_LEASE_KEEP_H
#define OPS_SERVE_WORKERS_LEASE_KEEP_H

#include "history/lease/lease.h"

#include <pthread.h>

struct lease_keeper {
    struct db *db;
    const struct outbox_item *item;
    int64_t lease_ms;
    bool runs, ends; /* ends is under the lock */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
};

/* Prolongs the lease three times in its length until lease_keep_end, for an hour at most: what
 * lasts longer hangs. The connection is the keeper's until then. A lease that was lost shows when
 * the attempt is recorded; where no thread can be had, the lease stays as it is. *keeper must not
 * move. */
void lease_keep_start(struct lease_keeper *keeper, struct db *db, const struct outbox_item *item,
                      int64_t lease_ms);

/* Returns when the connection is the caller's again. */
void lease_keep_end(struct lease_keeper *keeper);

#endif
