/* Implements the loop: claim, deliver, record, log; one arena per delivery. */
#include "ops/serve/workers/workers.h"

#include "alerts/deliver.h"
#include "history/lease/lease.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/log.h"
#include "ops/runtime/retry.h"
#include "ops/serve/process/process.h"
#include "ops/serve/workers/alert_upkeep.h"
#include "ops/serve/workers/lease_keep.h"

#include <inttypes.h>
#include <stdio.h>

/* Beside the delivery itself: time to claim, to wait for a slow name server, to record. */
enum {
    SHORT_PAUSE_MS = 1500,
    LEASE_SLACK_MS = 120000,
    LEASE_MS = DESTINATION_TIMEOUT_MAX_MS + LEASE_SLACK_MS
};

struct worker {
    struct db *db;
    const struct conf *conf;
    struct retry_policy policy;
    struct worker_report *report;
};

enum fate { FATE_DELIVERED, FATE_RETRIED, FATE_DEAD };

/* One claimed message on its way. */
struct attempt {
    struct outbox_item item;
    struct destination to; /* zeroed when it is not configured */
    struct delivery delivery;
    enum fate fate;
    int64_t wait_ms;
    struct err fault;                       /* backs delivery.reason when the trouble is ours */
    char given_up[sizeof(struct err) + 64]; /* backs it when the attempts are used up */
};

/* What an outcome means for the message while attempts are left, and how loudly it is logged. */
static const struct {
    enum fate fate;
    enum log_level level;
    enum log_event event;
} outcomes[DELIVERY_CLASS_COUNT] = {
    [DELIVERY_DONE] = {FATE_DELIVERED, LOG_INFO, LOG_delivery_done},
    [DELIVERY_PERMANENT] = {FATE_DEAD, LOG_ERROR, LOG_delivery_refused},
    [DELIVERY_RETRY] = {FATE_RETRIED, LOG_WARN, LOG_delivery_failed},
    [DELIVERY_AMBIGUOUS] = {FATE_RETRIED, LOG_WARN, LOG_delivery_failed},
};

static const int refusals[] = {
    [REFUSAL_NONE] = 0, [REFUSAL_DESTINATION] = 1, [REFUSAL_FOR_GOOD] = OUTBOX_REFUSALS_MAX};

/* A wrong configuration ends the message; what this machine lacks for the moment does not. */
static void attempt_fail(struct attempt *attempt)
{
    bool configured_wrong = attempt->fault.kind == ERR_USAGE;
    attempt->delivery = (struct delivery){
        .class = configured_wrong ? DELIVERY_PERMANENT : attempt->delivery.class,
        .refusal = configured_wrong ? REFUSAL_DESTINATION : REFUSAL_NONE,
        .retry_after_ms = -1,
        .reason = attempt->fault.text,
    };
}

static void attempt_send(const struct worker *worker, struct attempt *attempt, struct arena *arena)
{
    const struct outbox_item *item = &attempt->item;
    const struct delivery_request request = {
        .content_type = item->content_type,
        .body = item->body,
        .body_length = item->body_length,
        .message_id = item->dedupe_key,
        .thread_ref = item->thread_ref,
        .wall_us = clock_wall_us(),
        .created_us = item->created_us,
        .settled = item->settled,
    };
    if (!item->is_whole) {
        /* Who can write the database cannot have a text of their own delivered with our signature.
         */
        attempt->delivery = (struct delivery){
            .class = DELIVERY_PERMANENT,
            .retry_after_ms = -1,
            .reason =
                "not sent: the message is not the one that its verdict caused, it was changed "
                "in the outbox (`stepledger verify` tells what else was)",
        };
    } else {
        attempt->delivery.class = DELIVERY_RETRY; /* nothing was sent yet */
        if (!destination_find(worker->conf, item->destination, arena, &attempt->to,
                              &attempt->fault) ||
            !deliver(&attempt->to, &request, arena, &attempt->delivery, &attempt->fault))
            attempt_fail(attempt);
    }
    if (attempt->to.gives_up_in_doubt && attempt->delivery.class == DELIVERY_AMBIGUOUS)
        attempt->delivery.class = DELIVERY_PERMANENT;
}

/* The database decides whether a message that would be retried is dead: attempts and time are in
 * its row. The reason is written before that is known, so the log adds it afterwards. */
static bool attempt_record(const struct worker *worker, struct attempt *attempt, struct err *err)
{
    const struct outbox_item *item = &attempt->item;
    const struct delivery *delivery = &attempt->delivery;
    attempt->fate = outcomes[delivery->class].fate;
    if (attempt->fate == FATE_DELIVERED) {
        const struct outbox_success success = {delivery->http_status, delivery->remote_ref,
                                               attempt->to.min_interval_ms};
        return outbox_delivered(worker->db, item, &success, err);
    }
    struct outbox_failure failure = {.http_status = delivery->http_status,
                                     .reason = delivery->reason,
                                     .pause = delivery->pause,
                                     .settled = delivery->settled,
                                     .refusals = refusals[delivery->refusal]};
    if (attempt->fate == FATE_DEAD)
        return outbox_dead(worker->db, item, &failure, err);
    bool dead = false;
    /* At least what the receiver asked for. */
    int64_t wait_ms = retry_delay_ms(&worker->policy, item->attempt, retry_random());
    if (wait_ms < delivery->retry_after_ms)
        wait_ms = delivery->retry_after_ms;
    failure.delay_ms = attempt->wait_ms = wait_ms;
    if (!outbox_retry(worker->db, item, &failure, &dead, err))
        return false;
    if (!dead)
        return true;
    attempt->fate = FATE_DEAD;
    (void)snprintf(attempt->given_up, sizeof attempt->given_up,
                   "given up after attempt %d of %d%s: %s", item->attempt, item->max_attempts,
                   item->attempt >= item->max_attempts ? ""
                                                       : ", since the next would come too late",
                   delivery->reason);
    attempt->delivery.reason = attempt->given_up;
    return true;
}

static void attempt_log(const struct attempt *attempt)
{
    static const char *const next[] = {
        [FATE_DELIVERED] = "none", [FATE_RETRIED] = "retry", [FATE_DEAD] = "give_up"};
    const struct delivery *delivery = &attempt->delivery;
    char message[24], number[16], status[16];
    (void)snprintf(message, sizeof message, "%" PRId64, attempt->item.id);
    (void)snprintf(number, sizeof number, "%d", attempt->item.attempt);
    (void)snprintf(status, sizeof status, "%d", delivery->http_status);
    enum log_level level = attempt->fate == FATE_DEAD ? LOG_ERROR : outcomes[delivery->class].level;
    if (level == LOG_INFO && delivery->reason != NULL)
        level = LOG_WARN; /* done, but not for all */
    log_event(level, outcomes[delivery->class].event, "message", message, "destination",
              attempt->item.destination, "attempt", number, "class",
              delivery_class_names[delivery->class], "status", status, "next", next[attempt->fate],
              "why", delivery->reason, NULL);
}

/* Claims and handles one message; *ret_found false when none is due. */
static bool attempt_run(const struct worker *worker, bool *ret_found, struct err *err)
{
    scoped_arena arena;
    conf_memory_arena(worker->conf, &arena);
    struct attempt attempt = {0};
    if (!outbox_claim(worker->db, LEASE_MS, &arena, &attempt.item, ret_found, err))
        return false;
    if (!*ret_found)
        return true;
    struct lease_keeper keeper;
    lease_keep_start(&keeper, worker->db, &attempt.item, LEASE_MS);
    attempt_send(worker, &attempt, &arena);
    lease_keep_end(&keeper);
    struct err fault = {0};
    bool recorded = attempt_record(worker, &attempt, &fault);
    if (!recorded && fault.kind != ERR_CONFLICT) {
        if (err != NULL)
            *err = fault;
        return err_prefix(err, "message %" PRId64 " to '%s' (%s) is not recorded and comes again",
                          attempt.item.id, attempt.item.destination,
                          delivery_class_names[attempt.delivery.class]);
    }
    attempt_log(&attempt);
    int64_t *const counters[] = {[FATE_DELIVERED] = &worker->report->delivered,
                                 [FATE_RETRIED] = &worker->report->retried,
                                 [FATE_DEAD] = &worker->report->dead};
    if (recorded)
        ++*counters[attempt.fate];
    else
        log_event(LOG_WARN, LOG_lease_lost, "destination", attempt.item.destination, "why",
                  fault.text, NULL);
    return true;
}

/* Receivers that want a pause between messages do not end the work; those that asked for a long one
 * do. */
static bool short_pause_wait(struct db *db, bool *ret_waited, struct err *err)
{
    int64_t left_ms;
    if (!outbox_pause_left(db, &left_ms, err))
        return false;
    *ret_waited = left_ms >= 0 && left_ms <= SHORT_PAUSE_MS;
    if (*ret_waited)
        clock_sleep_ms(left_ms + 1);
    return true;
}

bool worker_alert_once(struct db *db, const struct conf *conf, struct worker_report *ret_report,
                       struct err *err)
{
    *ret_report = (struct worker_report){0};
    const struct worker worker = {
        .db = db,
        .conf = conf,
        .policy = {.base_ms = conf_int(conf, CONF_delivery_base_ms),
                   .cap_ms = conf_int(conf, CONF_delivery_cap_ms)},
        .report = ret_report,
    };
    int64_t count = 0;
    if (!outbox_reap(worker.db, &count, err))
        return false;
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRId64, count);
    if (count > 0)
        log_event(LOG_WARN, LOG_lease_lost, "messages", text, "why",
                  "a worker ended before it recorded them; they come again", NULL);
    if (!alert_digests_make(db, conf, err))
        return false;
    for (bool found = true; found;) {
        if (!attempt_run(&worker, &found, err))
            return false;
        if (!found && (!alert_troubles_tell(db, conf, &found, err) ||
                       (!found && !short_pause_wait(db, &found, err))))
            return false;
    }
    log_event(LOG_DEBUG, LOG_outbox_empty, NULL);
    return true;
}

static bool outbox_work(const struct service_loop *loop, struct db *db, const char *name,
                        struct err *err)
{
    struct worker_report report;
    (void)name;
    return worker_alert_once(db, loop->conf, &report, err);
}

bool worker_alert_run(const struct conf *conf, const char *conninfo, struct err *err)
{
    const struct service_loop loop = {
        .kind = "alert", .conf = conf, .conninfo = conninfo, .turn = outbox_work};
    return service_loop_run(&loop, err);
}
