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

/* Of the destinations that show commits: a pending state now and, as a guard, the end of it. */
static bool events_enqueue(const struct flow *flow, const struct notice *notices, size_t count,
                           struct err *err)
{
    const int64_t waits_ms[] = {0, guard_wait_ms};
    struct plan_list plans = {0};
    struct alert_thread thread;
    struct outbox_message message;
    bool is_new;
    scoped_transaction *open = NULL;
    if (!transaction_open(flow->db, &open, err) || !plans_make(flow, &notices[0], &plans, err) ||
        !plans_lock(flow, &plans, err))
        return false;
    for (const struct plan *plan = plans.items; plan < plans.items + plans.count; plan++)
        for (size_t j = 0; plan->channel->by_commit && j < count; j++) {
            if (!thread_find(flow->db, plan->to.name, plan->order_key, &thread, err) ||
                !plan_message(flow, plan, &notices[j], thread.generation, &message, err))
                return false;
            message.generation = 0; /* the thread stays as it is */
            message.wait_ms = waits_ms[j];
            message.replaces = waits_ms[j] == 0; /* the guard stands beside what it guards */
            if (!outbox_enqueue(flow->db, 0, &message, &is_new, err))
                return false;
        }
    return arena_ok(flow->arena, "the messages", err) && transaction_close(&open, err);
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
    return events_enqueue(flow, notices, 2, err);
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
    return events_enqueue(flow, &notice, 1, err);
}
