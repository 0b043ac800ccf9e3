/* See worker_pool.h. Jobs are planes or lines: few and long, so an atomic counter is queue enough.
 */
#include "ingest/wire/worker_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { WORKERS_MOST = 64 };

struct worker_pool {
    worker_pool_job *job;
    void *context;
    size_t count;
    atomic_size_t next;
    atomic_bool failed;
    pthread_mutex_t lock;
    size_t failed_index; /* under the lock */
    struct err err;
};

static void failure_keep(struct worker_pool *pool, size_t index, const struct err *err)
{
    (void)pthread_mutex_lock(&pool->lock);
    if (index < pool->failed_index) {
        pool->failed_index = index;
        pool->err = *err;
    }
    (void)pthread_mutex_unlock(&pool->lock);
    pool->failed = true;
}

static void *work(void *context)
{
    struct worker_pool *pool = context;
    while (!pool->failed) {
        size_t index = atomic_fetch_add(&pool->next, 1);
        struct err err = {0};
        if (index >= pool->count)
            break;
        if (!pool->job(pool->context, index, &err))
            failure_keep(pool, index, &err);
    }
    return NULL;
}

bool worker_pool_run(int threads, size_t count, worker_pool_job *job, void *context,
                     struct err *err)
{
    struct worker_pool pool = {
        .job = job, .context = context, .count = count, .failed_index = SIZE_MAX};
    pthread_t others[WORKERS_MOST];
    size_t started = 0, wanted = threads < 1 ? 0 : (size_t)threads - 1;
    if (wanted > WORKERS_MOST)
        wanted = WORKERS_MOST;
    if (count == 0)
        return true;
    if (wanted > count - 1)
        wanted = count - 1;
    (void)pthread_mutex_init(&pool.lock, NULL);
    while (started < wanted && pthread_create(&others[started], NULL, work, &pool) == 0)
        started++;
    (void)work(&pool);
    while (started > 0)
        (void)pthread_join(others[--started], NULL);
    (void)pthread_mutex_destroy(&pool.lock);
    if (pool.failed)
        *err = pool.err;
    return !pool.failed;
}
