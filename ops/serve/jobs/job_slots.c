/* The moves of one slot; what a failure means is in ops/serve/process/process.h. */
#include "ops/serve/jobs/jobs.h"

#include "ops/runtime/clock.h"
#include "ops/runtime/log.h"
#include "ops/serve/process/process.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { JOB_BYTES = 4 << 20 }; /* of a job's row */

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

/* ---- what an end of an attempt means --------------------------------------------------------- */

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

static void slot_lost(struct job_slots *slots, struct slot *slot, const char *why)
{
    slots->counts->lost++;
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

/* ---- slots ----------------------------------------------------------------------------------- */

/* Records a failed attempt; false: the database failed, and it is tried again later. */
static bool slot_record(struct job_slots *slots, struct db *db, struct slot *slot, struct err *err)
{
    bool aside;
    struct err fault = {0};
    const struct err *why = &slot->result.failure;
    struct queue_failure failure = {
        .ending = slot->released ? QUEUE_RELEASE : attempt_ending(why, slot->job.fence),
        .kind = slot->result.crashed ? "crash" : err_kind_name(why->kind),
        .text = why->text,
        .delay_ms = slot->released
                        ? 0
                        : retry_delay_ms(&slots->policy, (int)slot->job.fence, retry_random()),
    };
    if (queue_fail(db, &slot->job, &failure, &aside, &fault)) {
        struct job_counts *counts = slots->counts;
        int64_t *const counters[] = {[QUEUE_RETRY] = &counts->retried,
                                     [QUEUE_SET_ASIDE] = &counts->aside,
                                     [QUEUE_RELEASE] = &counts->released};
        enum queue_ending ending = aside ? QUEUE_SET_ASIDE : failure.ending;
        ++*counters[ending];
        slot_log(slot, ending_logs[ending].level, ending_logs[ending].event, why->text);
        slot_free(slot);
        return true;
    }
    if (attempt_may_pass(&fault)) {
        *err = fault;
        return false;
    }
    /* The fence refused it, or the server will not have it: the lease has to do. */
    slot_lost(slots, slot, fault.text);
    return true;
}

/* The moment between a job's commit and its end looks like a lost lease: it is killed only when the
 * next heartbeat finds it still running. */
static bool slot_beat(struct job_slots *slots, struct db *db, struct slot *slot, struct err *err)
{
    bool held;
    int64_t now = clock_monotonic_ms();
    if (now < slot->beat_ms)
        return true;
    slot->beat_ms = now + slots->lease.lease_ms / 3;
    if (slot->lost) {
        job_child_kill(&slot->child);
        slot_lost(slots, slot, "the lease ran out and another worker took the job");
        return true;
    }
    if (!queue_heartbeat(db, &slot->job, &held, err))
        return false;
    slot->lost = !held;
    return true;
}

/* Claims one job into a free slot; *ret_found false when none is due. */
static bool slot_claim(struct job_slots *slots, struct db *db, struct slot *slot, bool *ret_found,
                       struct err *err)
{
    const struct job_setting setting = {.conf = slots->conf, .conninfo = slots->conninfo};
    *slot = (struct slot){0};
    arena_init(&slot->arena, JOB_BYTES);
    bool claimed = queue_claim(db, &slots->lease, &slot->arena, &slot->job, ret_found, err);
    if (!claimed || !*ret_found) {
        slot_free(slot);
        return claimed;
    }
    slot->beat_ms = clock_monotonic_ms() + slots->lease.lease_ms / 3;
    slot->state = SLOT_RUNNING;
    if (job_child_start(&slot->child, &setting, &slot->job, &slot->result.failure))
        slot_log(slot, LOG_DEBUG, LOG_job_claimed, "due");
    else
        slot->state = SLOT_ENDED;
    return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

void job_slots_init(struct job_slots *slots, int count)
{
    slots->items = memory_zalloc((size_t)count, sizeof *slots->items);
    slots->count = count;
}

void job_slots_done(struct job_slots *slots)
{
    for (int i = 0; i < slots->count; i++)
        slot_free(&slots->items[i]);
    free(slots->items);
    slots->items = NULL;
    slots->count = 0;
}

static int state_count(const struct job_slots *slots, enum slot_state state)
{
    int count = 0;
    for (int i = 0; i < slots->count; i++)
        count += slots->items[i].state == state;
    return count;
}

int job_slots_running(const struct job_slots *slots)
{
    return state_count(slots, SLOT_RUNNING);
}

bool job_slots_empty(const struct job_slots *slots)
{
    return state_count(slots, SLOT_FREE) == slots->count;
}

void job_slots_collect(struct job_slots *slots)
{
    for (int i = 0; i < slots->count; i++) {
        struct slot *slot = &slots->items[i];
        if (slot->state != SLOT_RUNNING || !job_child_ended(&slot->child, &slot->result))
            continue;
        slot->state = SLOT_ENDED;
        if (slot->result.done) {
            bool duplicate = slot->result.receipt.duplicate;
            ++*(duplicate ? &slots->counts->duplicate : &slots->counts->stored);
            slot_log(slot, LOG_INFO, LOG_job_done, duplicate ? "known already" : "stored");
            slot_free(slot);
        } else if (slot->result.failure.kind == ERR_CONFLICT &&
                   slot->result.failure.sqlstate[0] == '\0')
            slot_lost(slots, slot, slot->result.failure.text);
    }
}

bool job_slots_turn(struct job_slots *slots, struct db *db, struct err *err)
{
    for (int i = 0; i < slots->count; i++) {
        struct slot *slot = &slots->items[i];
        if ((slot->state == SLOT_ENDED && !slot_record(slots, db, slot, err)) ||
            (slot->state == SLOT_RUNNING && !slot_beat(slots, db, slot, err)))
            return false;
    }
    return true;
}

bool job_slots_fill(struct job_slots *slots, struct db *db, bool *ret_idle, struct err *err)
{
    bool found = true;
    for (int i = 0; i < slots->count && found; i++)
        if (slots->items[i].state == SLOT_FREE &&
            !slot_claim(slots, db, &slots->items[i], &found, err))
            return false;
    *ret_idle = !found;
    return true;
}

void job_slots_release(struct job_slots *slots)
{
    job_slots_collect(slots);
    for (int i = 0; i < slots->count; i++) {
        struct slot *slot = &slots->items[i];
        if (slot->state != SLOT_RUNNING)
            continue;
        job_child_kill(&slot->child);
        slot->state = SLOT_ENDED;
        slot->released = true;
        (void)err_set(&slot->result.failure, ERR_UNAVAILABLE, "the worker was told to stop");
    }
}
