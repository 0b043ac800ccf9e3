/* Makes the outbox messages of a verdict: routes, then one plan per destination, then its message.
 */
#include "ops/cli/notify.h"

#include "alerts/card.h"
#include "alerts/channels.h"
#include "alerts/route.h"
#include "history/outbox_admin.h"
#include "history/outbox_enqueue.h"
#include "ops/runtime/clock.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static const int64_t reopen_within_ms = INT64_C(7) * 24 * 3600 * 1000; /* later it is a new alert */
static const int64_t state_lifetime_ms =
    INT64_C(6) * 3600 * 1000;                              /* a stale commit status misleads */
static const int64_t guard_wait_ms = INT64_C(3600) * 1000; /* no judgement takes longer */

/* One destination that may be told. */
struct plan {
    const struct route *route;
    const struct channel *channel;
    struct destination to;
    char order_key[SHA256_HEX_BYTES];
};

struct plan_list {
    struct plan *items;
    size_t count, capacity;
};

/* ---- who ---- */

static bool is_planned(const struct plan_list *plans, const char *name)
{
    for (size_t i = 0; i < plans->count; i++)
        if (strcmp(plans->items[i].to.name, name) == 0)
            return true;
    return false;
}

static bool plan_add(const struct notifying *notifying, const struct notice *notice,
                     const struct route *route, const char *name, struct plan_list *plans,
                     struct err *err)
{
    struct plan plan = {.route = route};
    if (!destination_find(notifying->conf, name, notifying->arena, &plan.to, err) ||
        !channel_find(plan.to.kind, &plan.channel, err))
        return err_prefix(err, "route '%s'", route->name);
    if (plan.channel->takes != NULL && !plan.channel->takes(notice, &plan.to))
        return true;
    bool keyed = plan.channel->by_commit ? message_commit_key(notice->verdict, plan.order_key, err)
                                         : message_order_key(notice->verdict, plan.order_key, err);
    if (!keyed)
        return false;
    plans->items = arena_grow(notifying->arena, plans->items, plans->count, &plans->capacity,
                              sizeof *plans->items);
    if (plans->items == NULL)
        return arena_failed(notifying->arena, "the messages", err);
    plans->items[plans->count++] = plan;
    return true;
}

static bool plans_make(const struct notifying *notifying, const struct notice *notice,
                       struct plan_list *plans, struct err *err)
{
    struct route_list routes;
    if (!route_read(notifying->conf, notifying->arena, &routes, err))
        return false;
    for (size_t i = 0; i < routes.count; i++) {
        const struct route *route = &routes.items[i];
        const char *list = route->to;
        if (!route_covers(route, notice->verdict))
            continue;
        for (char *name; (name = route_next_name(&list, notifying->arena)) != NULL;)
            if (!is_planned(plans, name) && !plan_add(notifying, notice, route, name, plans, err))
                return false;
    }
    return true;
}

/* ---- what it changes ---- */

static bool is_open(enum alert_phase phase)
{
    return phase == PHASE_FIRING || phase == PHASE_REPEATED || phase == PHASE_REOPENED;
}

static enum alert_phase phase_next(const struct alert_thread *thread, enum verdict_status status)
{
    bool open = thread->known && is_open(thread->phase);
    if (status == VERDICT_PASS)
        return open ? PHASE_RESOLVED : PHASE_NONE;
    if (status != VERDICT_FAIL && status != VERDICT_WARN)
        return PHASE_NONE; /* what could not be judged neither opens nor closes */
    if (open)
        return PHASE_REPEATED;
    bool recent =
        thread->known && thread->phase == PHASE_RESOLVED && thread->age_ms < reopen_within_ms;
    return recent ? PHASE_REOPENED : PHASE_FIRING;
}

/* How often the alert was opened, this time included. */
static int generation_of(enum alert_phase phase, const struct alert_thread *thread)
{
    bool opens = phase == PHASE_FIRING || phase == PHASE_REOPENED;
    return thread->generation + (opens ? 1 : 0);
}

/* ---- the message ---- */

static const char *link_of(const struct notifying *notifying, const char *verdict_id)
{
    static const char mark[] = "{verdict}";
    const char *pattern = conf_text(notifying->conf, CONF_verdict_url);
    const char *at = strstr(pattern, mark);
    if (pattern[0] == '\0' || verdict_id == NULL)
        return NULL;
    if (at == NULL)
        return pattern;
    return arena_printf(notifying->arena, "%.*s%s%s", (int)(at - pattern), pattern, verdict_id,
                        at + sizeof mark - 1);
}

static bool message_make(const struct notifying *notifying, const struct plan *plan,
                         const struct notice *notice, int generation,
                         struct outbox_message *ret_message, struct err *err)
{
    struct arena *arena = notifying->arena;
    struct message built;
    struct card card;
    char dedupe[SHA256_HEX_BYTES];
    const struct message_identity identity = {notice, plan->order_key, plan->to.kind, generation};
    if (!message_build(notice, &plan->to, arena, &built, err) ||
        !card_make(notice, arena, &card, err) || !message_dedupe_key(&identity, dedupe, err))
        return false;
    *ret_message = (struct outbox_message){
        .destination = plan->to.name,
        .order_key = arena_strdup(arena, plan->order_key),
        .dedupe_key = arena_strdup(arena, dedupe),
        .content_type = built.content_type,
        .body = built.body,
        .body_length = built.length,
        .max_attempts = (int)conf_int(notifying->conf, CONF_delivery_attempts),
        .lifetime_ms = plan->channel->shows_state ? state_lifetime_ms : 0,
        .phase = notice->phase,
        .generation = notice->phase == PHASE_NONE ? 0 : generation,
        .headline = card.title,
        .replaces = plan->channel->shows_state,
    };
    return (ret_message->order_key != NULL && ret_message->dedupe_key != NULL) ||
           arena_failed(arena, "a message", err);
}

static bool wait_set(const struct notifying *notifying, const struct plan *plan,
                     struct outbox_message *message, struct err *err)
{
    const struct route *route = plan->route;
    int64_t recent = 0;
    if (plan->channel->shows_state)
        return true;
    if (route->rate_count > 0 &&
        !outbox_recent(notifying->db, plan->to.name, route->rate_window_ms, &recent, err))
        return false;
    struct route_wait wait = route_wait_of(route, clock_wall_us(), recent);
    message->wait_ms = wait.ms;
    message->in_digest = wait.in_digest;
    return true;
}

/* *ret_told false: this destination is not told of that. */
static bool plan_carry_out(const struct notifying *notifying, const struct plan *plan,
                           struct notice notice, struct outbox_message *ret_message, bool *ret_told,
                           struct err *err)
{
    struct alert_thread thread;
    if (!thread_find(notifying->db, plan->to.name, plan->order_key, &thread, err))
        return false;
    notice.phase = phase_next(&thread, notice.verdict->status);
    bool state = plan->channel->shows_state;
    *ret_told = route_tells(plan->route, &notice, state) &&
                (state || notice.phase != PHASE_NONE || notice.verdict->status != VERDICT_PASS ||
                 (plan->route->statuses & 1U << VERDICT_PASS) != 0);
    if (!*ret_told)
        return true;
    int generation = generation_of(notice.phase, &thread);
    return message_make(notifying, plan, &notice, generation, ret_message, err) &&
           wait_set(notifying, plan, ret_message, err);
}

/* ---- verdicts ---- */

/* The keys alone, for their locks. */
static bool plans_lock(const struct notifying *notifying, const struct plan_list *plans,
                       struct outbox_message *messages, struct err *err)
{
    for (size_t i = 0; i < plans->count; i++)
        messages[i] = (struct outbox_message){.destination = plans->items[i].to.name,
                                              .order_key = plans->items[i].order_key};
    return outbox_keys_lock(notifying->db, messages, plans->count, notifying->arena, err);
}

static bool messages_fill(const struct notifying *notifying, struct verdict_entry *entry,
                          struct err *err)
{
    struct plan_list plans = {0};
    const struct verdict *verdict = entry->verdict;
    const char *id = arena_printf(notifying->arena, "v%" PRId64, entry->id);
    if (id == NULL)
        return arena_failed(notifying->arena, "a message", err);
    const struct notice notice = {
        .verdict = verdict, .verdict_id = id, .link = link_of(notifying, id)};
    bool silenced, told;
    if (!plans_make(notifying, &notice, &plans, err) ||
        !silence_holds(notifying->db, verdict->project, verdict->workload,
                       verdict->candidate.branch, &silenced, err))
        return false;
    struct outbox_message *messages =
        arena_array(notifying->arena, struct outbox_message, plans.count);
    if (messages == NULL)
        return arena_failed(notifying->arena, "the messages", err);
    if (!plans_lock(notifying, &plans, messages, err))
        return false;
    size_t count = 0;
    for (size_t i = 0; i < plans.count; i++) {
        if (silenced && !plans.items[i].channel->shows_state)
            continue;
        if (!plan_carry_out(notifying, &plans.items[i], notice, &messages[count], &told, err))
            return false;
        count += told;
    }
    entry->messages = messages;
    entry->message_count = count;
    return true;
}

bool notify_append(const struct notifying *notifying, struct verdict_entry *entry, struct err *err)
{
    if (!db_begin(notifying->db, err))
        return false;
    if (!messages_fill(notifying, entry, err) ||
        !ledger_append_verdict_within(notifying->db, entry, err) ||
        !db_commit(notifying->db, err)) {
        db_rollback(notifying->db);
        return false;
    }
    return true;
}

/* ---- before and instead of a verdict ---- */

/* Each event is one of its own: the clock and the process tell them apart. */
static const char *event_id(struct arena *arena, const char *what)
{
    return arena_printf(arena, "%s-%" PRId64 "-%d", what, clock_wall_us(), (int)getpid());
}

static bool event_enqueue(const struct notifying *notifying, const struct plan *plan,
                          const struct notice *notice, int64_t wait_ms, struct err *err)
{
    struct alert_thread thread;
    struct outbox_message message;
    bool is_new;
    if (!thread_find(notifying->db, plan->to.name, plan->order_key, &thread, err) ||
        !message_make(notifying, plan, notice, thread.generation, &message, err))
        return false;
    message.generation = 0; /* the thread stays as it is */
    message.wait_ms = wait_ms;
    message.replaces = wait_ms == 0; /* the guard stands beside what it guards */
    return outbox_enqueue(notifying->db, 0, &message, &is_new, err);
}

/* Of the destinations that show commits: a pending state now and, as a guard, the end of it. */
static bool events_enqueue(const struct notifying *notifying, const struct notice *notices,
                           size_t count, struct err *err)
{
    const int64_t waits_ms[] = {0, guard_wait_ms};
    struct plan_list plans = {0};
    if (!plans_make(notifying, &notices[0], &plans, err))
        return false;
    struct outbox_message *keys = arena_array(notifying->arena, struct outbox_message, plans.count);
    if (keys == NULL)
        return arena_failed(notifying->arena, "the messages", err);
    if (!plans_lock(notifying, &plans, keys, err))
        return false;
    for (size_t i = 0; i < plans.count; i++)
        for (size_t j = 0; plans.items[i].channel->by_commit && j < count; j++)
            if (!event_enqueue(notifying, &plans.items[i], &notices[j], waits_ms[j], err))
                return false;
    return true;
}

static bool events_tell(const struct notifying *notifying, const struct notice *notices,
                        size_t count, struct err *err)
{
    if (!db_begin(notifying->db, err))
        return false;
    if (!events_enqueue(notifying, notices, count, err) || !db_commit(notifying->db, err)) {
        db_rollback(notifying->db);
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

bool notify_started(const struct notifying *notifying, const struct notify_start *start,
                    struct err *err)
{
    const struct verdict planned = verdict_planned(start);
    const struct notice notices[] = {
        {.phase = PHASE_STARTED,
         .verdict = &planned,
         .verdict_id = event_id(notifying->arena, "start"),
         .headline = "the judgement is under way"},
        {.phase = PHASE_ABORTED,
         .verdict = &planned,
         .verdict_id = event_id(notifying->arena, "guard"),
         .headline = "the judgement began and was not heard of again"},
    };
    if (notices[0].verdict_id == NULL || notices[1].verdict_id == NULL)
        return arena_failed(notifying->arena, "a message", err);
    return events_tell(notifying, notices, 2, err);
}

bool notify_aborted(const struct notifying *notifying, const struct notify_start *start,
                    const char *why, struct err *err)
{
    const struct verdict planned = verdict_planned(start);
    const struct notice notice = {.phase = PHASE_ABORTED,
                                  .verdict = &planned,
                                  .verdict_id = event_id(notifying->arena, "abort"),
                                  .headline = why};
    if (notice.verdict_id == NULL)
        return arena_failed(notifying->arena, "a message", err);
    return events_tell(notifying, &notice, 1, err);
}
