/* One loop: collect jobs that ended, record, prolong leases, take back those of others, claim,
 * wait. */
#include "ops/serve/workers/workers.h"

#include "history/lease/lease.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/log.h"
#include "ops/serve/jobs/jobs.h"
#include "ops/serve/process/process.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum {
    POLL_MS = 1000,       /* hints may be lost */
    STOP_GRACE_MS = 4000, /* jobs may end in this time, then they are given back */
    LAST_WORDS_MS = 2000, /* to record what was given back */
};

struct worker {
    const struct worker_ingest_setting *setting;
    struct job_slots slots;
    struct ledger_link link;
    struct signals signals;
    struct watch *watch;
    int64_t reap_ms, heartbeat_ms, stop_ms; /* due times; stop_ms 0 = no stop was asked for */
    bool idle;                              /* the last claim found nothing */
    char name[WORKER_NAME_BYTES];
};

/* Everything that needs the database; false when it failed. */
static bool database_turn(struct worker *worker, bool fresh, struct err *err)
{
    bool hinted;
    if (fresh && !queue_listen(worker->link.db, err))
        return false;
    if (!job_slots_turn(&worker->slots, worker->link.db, err))
        return false;
    int64_t count = 0, now = clock_monotonic_ms();
    const struct worker_heartbeat heartbeat = {worker->name, "ingest", worker->setting->slots,
                                               job_slots_running(&worker->slots)};
    if (!worker_heartbeat_give(worker->link.db, &heartbeat, &worker->heartbeat_ms, err))
        return false;
    if (now >= worker->reap_ms) {
        worker->reap_ms = now + worker->slots.lease.lease_ms / 4 + 1;
        if (!queue_reap(worker->link.db, &count, err))
            return false;
    }
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRId64, count);
    if (count > 0)
        log_event(LOG_WARN, LOG_lease_lost, "jobs", text, "why",
                  "a worker was gone before it said what came of them", NULL);
    if (worker->watch != NULL && worker->stop_ms == 0 &&
        !watch_turn(worker->watch, worker->link.db, &count, err))
        return false;
    return queue_hints_take(worker->link.db, &hinted, err) &&
           (worker->stop_ms != 0 ||
            job_slots_fill(&worker->slots, worker->link.db, &worker->idle, err));
}

static void wait(struct worker *worker)
{
    int64_t now = clock_monotonic_ms(), wake = now + POLL_MS;
    int64_t lease_third = now + worker->slots.lease.lease_ms / 3;
    if (worker->watch != NULL && watch_due_ms(worker->watch) < wake)
        wake = watch_due_ms(worker->watch);
    if (lease_third < wake)
        wake = lease_third;
    if (worker->link.db == NULL && worker->link.retry_at_ms < wake)
        wake = worker->link.retry_at_ms;
    const int fds[] = {worker->link.db == NULL ? -1 : queue_socket(worker->link.db),
                       worker->watch == NULL ? -1 : watch_socket(worker->watch)};
    signals_wait(&worker->signals, fds, 2, wake - now);
    if (worker->signals.stop && worker->stop_ms == 0)
        worker->stop_ms = clock_monotonic_ms() + STOP_GRACE_MS;
}

/* One round; false when a worker that runs once cannot go on. */
static bool turn(struct worker *worker, struct err *err)
{
    bool fresh;
    struct err failure = {0};
    job_slots_collect(&worker->slots);
    bool up = ledger_link_ready(&worker->link, &fresh, &failure);
    if (up && !database_turn(worker, fresh, &failure)) {
        (void)ledger_link_check(&worker->link, &failure);
        up = false;
    }
    if (up || !worker->setting->once)
        return true;
    *err = failure;
    return false;
}

static bool is_over(const struct worker *worker)
{
    bool empty = job_slots_empty(&worker->slots);
    if (worker->stop_ms != 0)
        return empty || clock_monotonic_ms() >= worker->stop_ms;
    return worker->setting->once && worker->idle && empty;
}

static void worker_end(struct worker *worker)
{
    /* What still runs is stopped and given back; whoever does not hear of it takes it when
     * the lease has run out. */
    struct err err = {0};
    int64_t deadline = clock_monotonic_ms() + LAST_WORDS_MS;
    job_slots_release(&worker->slots);
    while (!job_slots_empty(&worker->slots) && clock_monotonic_ms() < deadline &&
           turn(worker, &err))
        clock_sleep_ms(LAST_WORDS_MS / 100);
    if (worker->link.db != NULL)
        (void)worker_gone(worker->link.db, worker->name, NULL);
    ledger_link_close(&worker->link);
    watch_close(worker->watch);
    job_slots_done(&worker->slots);
    (void)close(worker->signals.fd);
    log_event(LOG_INFO, LOG_worker_stopped, "kind", "ingest", "worker", worker->name, NULL);
}

static bool worker_begin(struct worker *worker, struct err *err)
{
    const struct conf *conf = worker->setting->conf;
    worker_name_make(worker->name);
    worker->slots.policy = (struct retry_policy){.base_ms = conf_int(conf, CONF_queue_base_ms),
                                                 .cap_ms = conf_int(conf, CONF_queue_cap_ms)};
    worker->slots.lease = (struct queue_lease){worker->name, conf_int(conf, CONF_queue_lease_ms)};
    job_folders_sweep();
    job_slots_init(&worker->slots, worker->setting->slots);
    if (!signals_open(&worker->signals, err) ||
        (worker->setting->watch != NULL &&
         !watch_open(worker->setting->watch, &worker->watch, err)))
        return false;
    log_event(LOG_INFO, LOG_worker_started, "kind", "ingest", "worker", worker->name, NULL);
    return true;
}

bool worker_ingest_run(const struct worker_ingest_setting *setting, struct job_counts *ret_counts,
                       struct err *err)
{
    *ret_counts = (struct job_counts){0};
    struct worker worker = {
        .setting = setting,
        .slots = {.conf = setting->conf, .conninfo = setting->conninfo, .counts = ret_counts},
        .link.conninfo = setting->conninfo,
        .signals.fd = -1};
    bool going = worker_begin(&worker, err);
    bool done = going;
    while (going) {
        done = turn(&worker, err);
        going = done && !is_over(&worker);
        if (going)
            wait(&worker);
    }
    worker_end(&worker);
    return done;
}
