/* See crew.h. Jobs are planes or lines: few and long, so an atomic counter is queue enough. */
#include "ingest/crew.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { CREW_MOST = 64 };

struct crew {
    crew_job *job;
    void *context;
    size_t count;
    atomic_size_t next;
    atomic_bool failed;
    pthread_mutex_t lock;
    size_t failed_index; /* under the lock */
    struct err err;
};

static void failure_keep(struct crew *crew, size_t index, const struct err *err)
{
    (void)pthread_mutex_lock(&crew->lock);
    if (index < crew->failed_index) {
        crew->failed_index = index;
        crew->err = *err;
    }
    (void)pthread_mutex_unlock(&crew->lock);
    crew->failed = true;
}

static void *work(void *context)
{
    struct crew *crew = context;
    while (!crew->failed) {
        size_t index = atomic_fetch_add(&crew->next, 1);
        struct err err = {0};
        if (index >= crew->count)
            break;
        if (!crew->job(crew->context, index, &err))
            failure_keep(crew, index, &err);
    }
    return NULL;
}

bool crew_run(int threads, size_t count, crew_job *job, void *context, struct err *err)
{
    struct crew crew = {.job = job, .context = context, .count = count, .failed_index = SIZE_MAX};
    pthread_t others[CREW_MOST];
    size_t started = 0, wanted = threads < 1 ? 0 : (size_t)threads - 1;
    if (wanted > CREW_MOST)
        wanted = CREW_MOST;
    if (count == 0)
        return true;
    if (wanted > count - 1)
        wanted = count - 1;
    (void)pthread_mutex_init(&crew.lock, NULL);
    while (started < wanted && pthread_create(&others[started], NULL, work, &crew) == 0)
        started++;
    (void)work(&crew);
    while (started > 0)
        (void)pthread_join(others[--started], NULL);
    (void)pthread_mutex_destroy(&crew.lock);
    if (crew.failed)
        *err = crew.err;
    return !crew.failed;
}
