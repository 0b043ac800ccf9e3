/* Implements pending states of commits and their ends. */
#include "ops/flow/tell/notify_check.h"

#include "history/lease/lease.h"
#include "ops/flow/tell/notify_plan.h"
#include "ops/runtime/clock.h"

#include <inttypes.h>
#include <unistd.h>

static const int64_t guard_wait_ms = INT64_C(3600) * 1000; /* no judgement takes longer */

/* Each event is one of its own: the clock and the process tell them apart. */
static const char *event_id(struct arena *arena, const char *what)
{
    return arena_printf(arena, "%s-%" PRId64 "-%d", what, clock_wall_us(), (int)getpid());
}

static bool event_enqueue(const struct flow *flow, const struct plan *plan,
                          const struct notice *notice, int64_t wait_ms, struct err *err)
{
    struct alert_thread thread;
    struct outbox_message message;
    bool is_new;
    if (!thread_find(flow->db, plan->to.name, plan->order_key, &thread, err) ||
        !plan_message(flow, plan, notice, thread.generation, &message, err))
        return false;
    message.generation = 0; /* the thread stays as it is */
    message.wait_ms = wait_ms;
    message.replaces = wait_ms == 0; /* the guard stands beside what it guards */
    return outbox_enqueue(flow->db, 0, &message, &is_new, err);
}

/* Of the destinations that show commits: a pending state now and, as a guard, the end of it. */
static bool events_enqueue(const struct flow *flow, const struct notice *notices, size_t count,
                           struct err *err)
{
    const int64_t waits_ms[] = {0, guard_wait_ms};
    struct plan_list plans = {0};
    if (!plans_make(flow, &notices[0], &plans, err) || !plans_lock(flow, &plans, err))
        return false;
    for (size_t i = 0; i < plans.count; i++)
        for (size_t j = 0; plans.items[i].channel->by_commit && j < count; j++)
            if (!event_enqueue(flow, &plans.items[i], &notices[j], waits_ms[j], err))
                return false;
    return true;
}

static bool events_tell(const struct flow *flow, const struct notice *notices, size_t count,
                        struct err *err)
{
    if (!db_begin(flow->db, err))
        return false;
    if (!events_enqueue(flow, notices, count, err) || !db_commit(flow->db, err)) {
        db_rollback(flow->db);
        return false;
    }
    return true;
}

static struct verdict verdict_planned(const struct notify_start *start)
{
    return (struct verdict){
        .project = start->project,
        .workload = start->workload,
        .candidate = {.branch = start->branch, .commit = start->commit},
    };
}

bool notify_started(const struct flow *flow, const struct notify_start *start, struct err *err)
{
    const struct verdict planned = verdict_planned(start);
    const struct notice notices[] = {
        {.phase = PHASE_STARTED,
         .verdict = &planned,
         .verdict_id = event_id(flow->arena, "start"),
         .headline = "the judgement is under way"},
        {.phase = PHASE_ABORTED,
         .verdict = &planned,
         .verdict_id = event_id(flow->arena, "guard"),
         .headline = "the judgement began and was not heard of again"},
    };
    if (notices[0].verdict_id == NULL || notices[1].verdict_id == NULL)
        return arena_failed(flow->arena, "a message", err);
    return events_tell(flow, notices, 2, err);
}

static const char *reason_of(enum err_kind why)
{
    static const struct {
        enum err_kind kind;
        const char *text;
    } reasons[] = {
        {ERR_INPUT, "a profile, or what is said about it, cannot be read"},
        {ERR_MISSING, "a profile or baseline that was asked for is not there"},
        {ERR_USAGE, "the call or the configuration is wrong"},
        {ERR_LIMIT, "a bound of memory or time was reached"},
        {ERR_FULL, "the disk is full"},
        {ERR_IO, "a disk or file server failed"},
        {ERR_UNAVAILABLE, "the database did not answer"},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (reasons[i].kind == why)
            return reasons[i].text;
    return "the program failed";
}

bool notify_aborted(const struct flow *flow, const struct notify_start *start, enum err_kind why,
                    struct err *err)
{
    const struct verdict planned = verdict_planned(start);
    const struct notice notice = {.phase = PHASE_ABORTED,
                                  .verdict = &planned,
                                  .verdict_id = event_id(flow->arena, "abort"),
                                  .headline = reason_of(why)};
    if (notice.verdict_id == NULL)
        return arena_failed(flow->arena, "a message", err);
    return events_tell(flow, &notice, 1, err);
}
