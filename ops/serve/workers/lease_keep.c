/* A thread that waits for the end of the attempt, and prolongs the lease until it comes. */
#include "ops/serve/workers/lease_keep.h"

#include "ops/runtime/clock.h"

#include <signal.h>
#include <time.h>

static const int64_t KEEP_MAX_MS = INT64_C(3600) * 1000;

/* true: the attempt has ended. */
static bool end_wait(struct lease_keeper *keeper, int64_t until_ms)
{
    const struct timespec until = {.tv_sec = (time_t)(until_ms / 1000),
                                   .tv_nsec = (long)(until_ms % 1000) * 1000000};
    (void)pthread_mutex_lock(&keeper->lock);
    while (!keeper->ends && pthread_cond_timedwait(&keeper->ended, &keeper->lock, &until) == 0)
        continue;
    bool ends = keeper->ends;
    (void)pthread_mutex_unlock(&keeper->lock);
    return ends;
}

/* A database that is away for a moment leaves two more chances before the lease runs out. */
static void *keep(void *context)
{
    struct lease_keeper *keeper = context;
    int64_t every_ms = keeper->lease_ms / 3;
    int64_t next_ms = clock_monotonic_ms(), last_ms = next_ms + KEEP_MAX_MS;
    bool lost = false;
    while (!lost && next_ms < last_ms && !end_wait(keeper, next_ms + every_ms)) {
        struct err fault = {0};
        lost = !outbox_extend(keeper->db, keeper->item, keeper->lease_ms, &fault) &&
               fault.kind == ERR_CONFLICT && fault.sqlstate[0] == '\0';
        next_ms = clock_monotonic_ms();
    }
    return NULL;
}

void lease_keep_start(struct lease_keeper *keeper, struct db *db, const struct outbox_item *item,
                      int64_t lease_ms)
{
    pthread_condattr_t clock;
    *keeper = (struct lease_keeper){.db = db, .item = item, .lease_ms = lease_ms};
    (void)pthread_mutex_init(&keeper->lock, NULL);
    (void)pthread_condattr_init(&clock);
    (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&keeper->ended, &clock);
    (void)pthread_condattr_destroy(&clock);
    /* Signals are the caller's business. */
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    keeper->runs = pthread_create(&keeper->thread, NULL, keep, keeper) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void lease_keep_end(struct lease_keeper *keeper)
{
    (void)pthread_mutex_lock(&keeper->lock);
    keeper->ends = true;
    (void)pthread_cond_signal(&keeper->ended);
    (void)pthread_mutex_unlock(&keeper->lock);
    if (keeper->runs)
        (void)pthread_join(keeper->thread, NULL);
    (void)pthread_cond_destroy(&keeper->ended);
    (void)pthread_mutex_destroy(&keeper->lock);
}
