/* Implements a download: bounds before the first byte, then a few threads that take file after
 * file. */
#include "ops/net/fetch/fetch_folder.h"
#include "ops/net/fetch/fetch_file.h"
#include "ops/net/fetch/fetch_path.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <sys/statvfs.h>

enum { PROGRESS_EVERY_MS = 100 };

/* A thread and the failure that ended it. */
struct worker {
    struct fetch_job *job;
    pthread_t thread;
    bool failed;
    struct err failure;
    _Atomic bool ended;
};

static bool bounds_check(const struct fetch_source *source, int64_t *ret_total, struct err *err)
{
    *ret_total = 0;
    if (source->count > FETCH_FILES_MAX)
        return err_set(err, ERR_LIMIT, "%s has %zu files; at most %d are fetched", source->name,
                       source->count, FETCH_FILES_MAX);
    for (size_t i = 0; i < source->count; i++) {
        const struct fetch_item *item = &source->items[i];
        const char *fault = fetch_path_fault(item->path);
        if (fault != NULL)
            return err_set(err, ERR_INPUT,
                           "%s lists a file outside its folder: the path '%.200s' %s", source->name,
                           item->path, fault);
        if (item->size_bytes > FETCH_FILE_MAX_BYTES)
            return err_set(err, ERR_LIMIT, "'%.200s' of %s has %" PRId64 " bytes; at most 64 GiB",
                           item->path, source->name, item->size_bytes);
        *ret_total += item->size_bytes > 0 ? item->size_bytes : 0;
    }
    return *ret_total <= FETCH_TOTAL_MAX_BYTES ||
           err_set(err, ERR_LIMIT, "%s has %" PRId64 " bytes in all; at most 256 GiB are fetched",
                   source->name, *ret_total);
}

/* Better now than after an hour. What is there already may make up for it, so that only a file
 * system that is far too small is refused. */
static bool space_check(int root_fd, const struct fetch_target *target, int64_t total,
                        struct err *err)
{
    struct statvfs space;
    if (fstatvfs(root_fd, &space) != 0)
        return true;
    double all = (double)space.f_blocks * (double)space.f_frsize;
    return (double)total <= all ||
           err_set(err, ERR_FULL,
                   "the file system of '%s' has room for %.0f bytes in all, but %" PRId64
                   " are to be fetched; choose another folder",
                   target->folder, all, total);
}

static void *work(void *context)
{
    struct worker *worker = context;
    struct fetch_job *job = worker->job;
    while (!atomic_load(&job->stop)) {
        size_t index = atomic_fetch_add(&job->next, 1);
        if (index >= job->source->count)
            break;
        if (fetch_file(job, index, &worker->failure))
            continue;
        worker->failed = true;
        atomic_store(&job->stop, true);
    }
    atomic_store(&worker->ended, true);
    return NULL;
}

static bool all_ended(struct worker *workers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!atomic_load(&workers[i].ended))
            return false;
    }
    return true;
}

static void progress_show(const struct fetch_job *job, const struct fetch_target *target,
                          int64_t total)
{
    if (target->progress != NULL)
        target->progress(target->progress_context, atomic_load(&job->bytes_done), total);
}

/* The failure that began it: those that followed because of `stop` are conflicts. */
static bool failure_tell(const struct worker *workers, size_t count, struct err *err)
{
    const struct worker *first = NULL;
    for (size_t i = 0; i < count; i++) {
        if (workers[i].failed && (first == NULL || first->failure.kind == ERR_CONFLICT))
            first = &workers[i];
    }
    return first == NULL || err_set(err, first->failure.kind, "%s", first->failure.text);
}

static bool workers_run(struct fetch_job *job, const struct fetch_target *target, int64_t total,
                        struct err *err)
{
    const struct fetch_source *source = job->source;
    struct worker workers[FETCH_CONNECTIONS_MAX] = {0};
    size_t wanted =
        (size_t)source->connections < source->count ? (size_t)source->connections : source->count;
    size_t started = 0;
    while (started < wanted && started < FETCH_CONNECTIONS_MAX) {
        workers[started].job = job;
        if (pthread_create(&workers[started].thread, NULL, work, &workers[started]) != 0)
            break;
        started++;
    }
    if (started == 0 && wanted > 0) { /* no thread to be had: this one does it alone */
        workers[0].job = job;
        (void)work(&workers[0]);
        return failure_tell(workers, 1, err);
    }
    while (target->progress != NULL && !all_ended(workers, started)) {
        progress_show(job, target, total);
        clock_sleep_ms(PROGRESS_EVERY_MS);
    }
    for (size_t i = 0; i < started; i++)
        (void)pthread_join(workers[i].thread, NULL);
    progress_show(job, target, total);
    return failure_tell(workers, started, err);
}

bool fetch_all(const struct fetch_source *source, const struct fetch_target *target,
               struct fetch_report *ret_report, struct err *err)
{
    int64_t total;
    if (!bounds_check(source, &total, err) || !file_make_dirs(target->folder, err))
        return false;
    scoped_fd root = open(target->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return err_set_errno(err, ERR_INPUT, "cannot enter '%s'", target->folder);
    struct fetch_job job = {.source = source, .root_fd = root};
    if (!space_check(root, target, total, err) || !workers_run(&job, target, total, err))
        return false;
    *ret_report = (struct fetch_report){
        .bytes_total = atomic_load(&job.bytes_done),
        .bytes_moved = atomic_load(&job.bytes_moved),
        .files_kept = atomic_load(&job.files_kept),
        .files_resumed = atomic_load(&job.files_resumed),
    };
    return true;
}
