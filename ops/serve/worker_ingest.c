/* One loop: collect jobs that ended, record, prolong leases, take back those of others, claim, wait.
 *
 * A slot keeps its result until the database has taken it, so an outage costs no work that was
 * stored and no reason why something was not.
 */
#include "ops/serve/worker_ingest.h"

#include "history/service.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/log.h"
#include "ops/runtime/retry.h"
#include "ops/serve/job_child.h"
#include "ops/serve/ledger_link.h"
#include "ops/serve/signals.h"
#include "ops/serve/worker_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    POLL_MS = 1000,      /* hints may be lost */
    SIGN_MS = 10000,     /* how often a worker says that it lives */
    STOP_GRACE_MS = 4000, /* jobs may end in this time, then they are given back */
    LAST_WORDS_MS = 2000, /* to record what was given back */
    JOB_BYTES = 1 << 20,  /* of a job's row */
};

enum slot_state { SLOT_FREE, SLOT_RUNNING, SLOT_ENDED };

struct slot {
    enum slot_state state;
    struct arena arena; /* of the job's row */
    struct queue_job job;
    struct job_child child;
    struct job_result result; /* of a slot that ended without storing */
    bool released;            /* ended by us, in order to stop */
    bool lost;                /* a heartbeat found the lease lost */
    int64_t beat_ms;          /* when the next heartbeat is due */
};

struct worker {
    const struct worker_ingest_setting *setting;
    struct worker_ingest_report *report;
    struct retry_policy policy;
    struct queue_lease lease;
    struct ledger_link link;
    struct signals signals;
    struct watch *watch;
    struct slot *slots;
    int64_t reap_ms, sign_ms, stop_ms; /* due times; stop_ms 0 = no stop was asked for */
    bool idle;                         /* the last claim found nothing */
    char name[WORKER_NAME_BYTES];
};

/* ---- what an end of an attempt means --------------------------------------------------------- */

/* A time-out of a statement may be the job's own doing; a database that is away is not. */
static bool is_blameless(const struct err *failure)
{
    return failure->kind == ERR_FULL ||
           (failure->kind == ERR_UNAVAILABLE && strcmp(failure->sqlstate, "57014") != 0);
}

static enum queue_ending ending_of(const struct slot *slot)
{
    enum err_kind kind = slot->result.failure.kind;
    if (slot->released || is_blameless(&slot->result.failure))
        return QUEUE_RELEASE;
    return kind == ERR_INPUT || kind == ERR_LIMIT || kind == ERR_USAGE ? QUEUE_SET_ASIDE
                                                                       : QUEUE_RETRY;
}

static void slot_log(const struct slot *slot, enum log_level level, enum log_event event,
                     const char *why)
{
    char number[24], attempt[16], profile[24] = "-";
    (void)snprintf(number, sizeof number, "%" PRId64, slot->job.id);
    (void)snprintf(attempt, sizeof attempt, "%d", slot->job.attempt);
    if (slot->result.done)
        (void)snprintf(profile, sizeof profile, "p%" PRId64, slot->result.receipt.id);
    log_event(level, event, "job", number, "attempt", attempt, "file", slot->job.path, "profile",
              profile, "why", why, NULL);
}

static void slot_free(struct slot *slot)
{
    arena_done(&slot->arena);
    *slot = (struct slot){0};
}

static void slot_stored(struct worker *worker, struct slot *slot)
{
    bool duplicate = slot->result.receipt.duplicate;
    ++*(duplicate ? &worker->report->duplicate : &worker->report->stored);
    slot_log(slot, LOG_INFO, LOG_job_done, duplicate ? "known already" : "stored");
    slot_free(slot);
}

static void slot_lost(struct worker *worker, struct slot *slot, const char *why)
{
    worker->report->lost++;
    slot_log(slot, LOG_WARN, LOG_lease_lost, why);
    slot_free(slot);
}

static const struct {
    enum log_level level;
    enum log_event event;
} ending_logs[] = {
    [QUEUE_RETRY] = {LOG_WARN, LOG_job_failed},
    [QUEUE_SET_ASIDE] = {LOG_ERROR, LOG_job_set_aside},
    [QUEUE_RELEASE] = {LOG_INFO, LOG_job_released},
};

static void failure_note(struct worker *worker, const struct slot *slot, enum queue_ending ending,
                         bool aside)
{
    struct worker_ingest_report *report = worker->report;
    int64_t *const counters[] = {[QUEUE_RETRY] = &report->retried,
                                 [QUEUE_SET_ASIDE] = &report->aside,
                                 [QUEUE_RELEASE] = &report->released};
    if (aside)
        ending = QUEUE_SET_ASIDE;
    ++*counters[ending];
    slot_log(slot, ending_logs[ending].level, ending_logs[ending].event,
             slot->result.failure.text);
}

/* ---- slots ----------------------------------------------------------------------------------- */

static void slot_collect(struct worker *worker, struct slot *slot)
{
    if (slot->state != SLOT_RUNNING || !job_child_ended(&slot->child, &slot->result))
        return;
    slot->state = SLOT_ENDED;
    if (slot->result.done)
        slot_stored(worker, slot);
    else if (slot->result.failure.kind == ERR_CONFLICT && slot->result.failure.sqlstate[0] == '\0')
        slot_lost(worker, slot, slot->result.failure.text);
}

/* Records a failed attempt; false: the database failed, and it is tried again later. */
static bool slot_record(struct worker *worker, struct slot *slot, struct err *err)
{
    bool aside;
    struct err fault = {0};
    const struct err *why = &slot->result.failure;
    struct queue_failure failure = {
        .ending = ending_of(slot),
        .kind = slot->result.crashed ? "crash" : err_kind_name(why->kind),
        .text = why->text,
        .delay_ms = slot->released
                        ? 0
                        : retry_delay_ms(&worker->policy, (int)slot->job.fence, retry_random()),
    };
    if (!queue_fail(worker->link.db, &slot->job, &failure, &aside, &fault)) {
        if (fault.kind != ERR_CONFLICT || fault.sqlstate[0] != '\0') {
            *err = fault;
            return false;
        }
        slot_lost(worker, slot, fault.text);
        return true;
    }
    failure_note(worker, slot, failure.ending, aside);
    slot_free(slot);
    return true;
}

/* The moment between a job's commit and its end looks like a lost lease: it is killed only when the
 * next heartbeat finds it still running. */
static bool slot_beat(struct worker *worker, struct slot *slot, struct err *err)
{
    bool held;
    int64_t now = clock_monotonic_ms();
    if (now < slot->beat_ms)
        return true;
    slot->beat_ms = now + worker->lease.lease_ms / 3;
    if (slot->lost) {
        job_child_kill(&slot->child);
        slot_lost(worker, slot, "the lease ran out and another worker took the job");
        return true;
    }
    if (!queue_heartbeat(worker->link.db, &slot->job, &held, err))
        return false;
    slot->lost = !held;
    return true;
}

static bool slot_turn(struct worker *worker, struct slot *slot, struct err *err)
{
    switch (slot->state) {
    case SLOT_ENDED:
        return slot_record(worker, slot, err);
    case SLOT_RUNNING:
        return slot_beat(worker, slot, err);
    default:
        return true;
    }
}

/* Claims one job into a free slot; *ret_found false when none is due. */
static bool slot_claim(struct worker *worker, struct slot *slot, bool *ret_found, struct err *err)
{
    const struct job_setting setting = {.conf = worker->setting->conf,
                                        .conninfo = worker->setting->conninfo};
    *slot = (struct slot){0};
    arena_init(&slot->arena, JOB_BYTES);
    bool claimed =
        queue_claim(worker->link.db, &worker->lease, &slot->arena, &slot->job, ret_found, err);
    if (!claimed || !*ret_found) {
        slot_free(slot);
        return claimed;
    }
    slot->beat_ms = clock_monotonic_ms() + worker->lease.lease_ms / 3;
    slot->state = SLOT_RUNNING;
    if (job_child_start(&slot->child, &setting, &slot->job, &slot->result.failure))
        slot_log(slot, LOG_DEBUG, LOG_job_claimed, "due");
    else
        slot->state = SLOT_ENDED;
    return true;
}

static int slots_count(const struct worker *worker, enum slot_state state)
{
    int count = 0;
    for (int i = 0; i < worker->setting->slots; i++)
        count += worker->slots[i].state == state;
    return count;
}

static bool slots_fill(struct worker *worker, struct err *err)
{
    bool found = true;
    for (int i = 0; i < worker->setting->slots && found; i++)
        if (worker->slots[i].state == SLOT_FREE &&
            !slot_claim(worker, &worker->slots[i], &found, err))
            return false;
    worker->idle = !found;
    return true;
}

/* ---- the loop -------------------------------------------------------------------------------- */

static bool leases_reap(struct worker *worker, struct err *err)
{
    int64_t count, now = clock_monotonic_ms();
    if (now < worker->reap_ms)
        return true;
    worker->reap_ms = now + worker->lease.lease_ms / 4 + 1;
    if (!queue_reap(worker->link.db, &count, err))
        return false;
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRId64, count);
    if (count > 0)
        log_event(LOG_WARN, LOG_lease_lost, "jobs", text, "why",
                  "a worker was gone before it said what came of them", NULL);
    return true;
}

static bool sign_give(struct worker *worker, struct err *err)
{
    int64_t now = clock_monotonic_ms();
    if (now < worker->sign_ms)
        return true;
    worker->sign_ms = now + SIGN_MS;
    const struct worker_sign sign = {worker->name, "ingest", worker->setting->slots,
                                     slots_count(worker, SLOT_RUNNING)};
    return worker_seen(worker->link.db, &sign, err);
}

static bool folder_look(struct worker *worker, struct err *err)
{
    int64_t count;
    return worker->watch == NULL || worker->stop_ms != 0 ||
           watch_turn(worker->watch, worker->link.db, &count, err);
}

/* Everything that needs the database; false when it failed. */
static bool database_turn(struct worker *worker, bool fresh, struct err *err)
{
    bool hinted;
    if (fresh && !queue_listen(worker->link.db, err))
        return false;
    for (int i = 0; i < worker->setting->slots; i++)
        if (!slot_turn(worker, &worker->slots[i], err))
            return false;
    return sign_give(worker, err) && leases_reap(worker, err) && folder_look(worker, err) &&
           queue_hints_take(worker->link.db, &hinted, err) &&
           (worker->stop_ms != 0 || slots_fill(worker, err));
}

static void wait(struct worker *worker)
{
    int64_t now = clock_monotonic_ms(), wake = now + POLL_MS;
    int64_t lease_third = now + worker->lease.lease_ms / 3;
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
    for (int i = 0; i < worker->setting->slots; i++)
        slot_collect(worker, &worker->slots[i]);
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
    bool empty = slots_count(worker, SLOT_FREE) == worker->setting->slots;
    if (worker->stop_ms != 0)
        return empty || clock_monotonic_ms() >= worker->stop_ms;
    return worker->setting->once && worker->idle && empty;
}

/* What still runs is stopped and given back; whoever does not hear of it takes it when the lease has
 * run out. */
static void slots_release(struct worker *worker)
{
    struct err err = {0};
    for (int i = 0; i < worker->setting->slots; i++) {
        struct slot *slot = &worker->slots[i];
        slot_collect(worker, slot);
        if (slot->state != SLOT_RUNNING)
            continue;
        job_child_kill(&slot->child);
        slot->state = SLOT_ENDED;
        slot->released = true;
        (void)err_set(&slot->result.failure, ERR_UNAVAILABLE, "the worker was told to stop");
    }
    int64_t deadline = clock_monotonic_ms() + LAST_WORDS_MS;
    while (slots_count(worker, SLOT_ENDED) > 0 && clock_monotonic_ms() < deadline) {
        if (!turn(worker, &err))
            break;
        if (slots_count(worker, SLOT_ENDED) > 0)
            clock_sleep_ms(50);
    }
}

static void worker_end(struct worker *worker)
{
    slots_release(worker);
    if (worker->link.db != NULL)
        (void)worker_gone(worker->link.db, worker->name, NULL);
    ledger_link_close(&worker->link);
    watch_close(worker->watch);
    for (int i = 0; i < worker->setting->slots; i++)
        slot_free(&worker->slots[i]);
    free(worker->slots);
    (void)close(worker->signals.fd);
    log_event(LOG_INFO, LOG_worker_stopped, "kind", "ingest", "worker", worker->name, NULL);
}

static bool worker_begin(struct worker *worker, struct err *err)
{
    const struct conf *conf = worker->setting->conf;
    worker_name_make(worker->name);
    worker->policy = (struct retry_policy){.base_ms = conf_int(conf, CONF_queue_base_ms),
                                           .cap_ms = conf_int(conf, CONF_queue_cap_ms)};
    worker->lease = (struct queue_lease){worker->name, conf_int(conf, CONF_queue_lease_ms)};
    worker->slots = calloc((size_t)worker->setting->slots, sizeof *worker->slots);
    if (worker->slots == NULL)
        return err_set(err, ERR_LIMIT, "no memory for %d slots", worker->setting->slots);
    job_folders_sweep();
    if (!signals_open(&worker->signals, err) ||
        (worker->setting->watch != NULL && !watch_open(worker->setting->watch, &worker->watch, err)))
        return false;
    log_event(LOG_INFO, LOG_worker_started, "kind", "ingest", "worker", worker->name, NULL);
    return true;
}

bool worker_ingest_run(const struct worker_ingest_setting *setting,
                       struct worker_ingest_report *ret_report, struct err *err)
{
    *ret_report = (struct worker_ingest_report){0};
    struct worker worker = {.setting = setting,
                            .report = ret_report,
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
