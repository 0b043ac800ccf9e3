/* Implements plans: routes, then one plan per destination, then its message. */
#include "ops/flow/tell/notify_plan.h"

#include "alerts/card.h"
#include "alerts/forge/forge.h"
#include "history/lease/lease.h"
#include "ops/runtime/clock.h"

#include <inttypes.h>
#include <string.h>

static const int64_t state_lifetime_ms =
    INT64_C(6) * 3600 * 1000; /* a stale commit status misleads */

const char *notify_link(const struct flow *flow, const char *verdict_id)
{
    static const char mark[] = "{verdict}";
    const char *pattern = conf_text(flow->conf, CONF_verdict_url);
    const char *at = strstr(pattern, mark);
    if (pattern[0] == '\0' || verdict_id == NULL)
        return NULL;
    if (at == NULL)
        return pattern;
    return arena_printf(flow->arena, "%.*s%s%s", (int)(at - pattern), pattern, verdict_id,
                        at + sizeof mark - 1);
}

static struct plan *plan_of(const struct plan_list *plans, const char *name)
{
    for (size_t i = 0; i < plans->count; i++)
        if (strcmp(plans->items[i].to.name, name) == 0)
            return &plans->items[i];
    return NULL;
}

/* Another route that names it: what the first does not tell, that one may. */
static void plan_route_add(struct arena *arena, const struct route *route, struct plan *plan)
{
    plan->routes = arena_grow(arena, plan->routes, plan->route_count, &plan->route_capacity,
                              sizeof *plan->routes);
    plan->routes[plan->route_count++] = route;
}

bool plan_decide(struct plan *plan, plan_says *says, const void *what)
{
    for (size_t i = 0; i < plan->route_count; i++)
        if (says(plan, plan->routes[i], what)) {
            plan->route = plan->routes[i];
            return true;
        }
    return false;
}

static bool plan_add(const struct flow *flow, const struct notice *notice,
                     const struct route *route, const char *name, struct plan_list *plans,
                     struct err *err)
{
    struct plan plan = {.route = route};
    if (!destination_find(flow->conf, name, flow->arena, &plan.to, err) ||
        !channel_find(plan.to.kind, &plan.channel, err))
        return err_prefix(err, "route '%s'", route->name);
    if (plan.channel->takes != NULL && !plan.channel->takes(notice, &plan.to))
        return true;
    (plan.channel->by_commit ? message_commit_key : message_order_key)(notice->verdict,
                                                                       plan.order_key);
    plan_route_add(flow->arena, route, &plan);
    plans->items =
        arena_grow(flow->arena, plans->items, plans->count, &plans->capacity, sizeof *plans->items);
    plans->items[plans->count++] = plan;
    return true;
}

bool plans_make(const struct flow *flow, const struct notice *notice, struct plan_list *ret_plans,
                struct err *err)
{
    struct plan_list plans = {0};
    struct route_list routes;
    if (!route_read(flow->conf, flow->arena, &routes, err))
        return false;
    for (size_t i = 0; i < routes.count; i++) {
        const struct route *route = &routes.items[i];
        const char *list = route->to;
        if (!route_covers(route, notice->verdict))
            continue;
        for (char *name; (name = route_next_name(&list, flow->arena)) != NULL;) {
            struct plan *plan = plan_of(&plans, name);
            if (plan != NULL)
                plan_route_add(flow->arena, route, plan);
            else if (!plan_add(flow, notice, route, name, &plans, err))
                return false;
        }
    }
    *ret_plans = plans;
    return true;
}

static bool is_astray(const struct flow *flow, const char *name)
{
    struct destination to;
    const struct channel *channel;
    return destination_find(flow->conf, name, flow->arena, &to, NULL) &&
           channel_find(to.kind, &channel, NULL) && channel->at_request && to.issue == NULL;
}

bool plan_astray(const struct flow *flow, const struct verdict *verdict, const char **ret_name,
                 struct err *err)
{
    const char *branch = verdict->candidate.branch;
    const char *baseline = conf_text(flow->conf, CONF_judge_baseline_branch);
    struct route_list routes;
    *ret_name = NULL;
    if (forge_is_request(branch) || (branch != NULL && strcmp(branch, baseline) == 0))
        return true;
    if (!route_read(flow->conf, flow->arena, &routes, err))
        return false;
    for (size_t i = 0; i < routes.count && *ret_name == NULL; i++) {
        const char *list = routes.items[i].to;
        char *name = NULL;
        while (route_covers(&routes.items[i], verdict) && *ret_name == NULL &&
               (name = route_next_name(&list, flow->arena)) != NULL)
            *ret_name = is_astray(flow, name) ? name : NULL;
    }
    return true;
}

bool plan_is_people(const struct plan *plan)
{
    return !plan->channel->shows_state && !plan->channel->keeps_record;
}

bool plans_lock(const struct flow *flow, const struct plan_list *plans, struct err *err)
{
    struct outbox_message *keys = arena_array(flow->arena, struct outbox_message, plans->count);
    for (size_t i = 0; i < plans->count; i++)
        keys[i] = (struct outbox_message){.destination = plans->items[i].to.name,
                                          .order_key = plans->items[i].order_key};
    return outbox_keys_lock(flow->db, keys, plans->count, flow->arena, err);
}

bool plan_message(const struct flow *flow, const struct plan *plan, const struct notice *notice,
                  int generation, struct outbox_message *ret_message, struct err *err)
{
    struct arena *arena = flow->arena;
    struct message built;
    struct card card = card_make(notice, arena);
    char dedupe[SHA256_HEX_BYTES];
    const struct message_identity identity = {notice, plan->order_key, plan->to.kind, generation};
    if (!message_build(notice, &plan->to, arena, &built, err))
        return false;
    message_dedupe_key(&identity, dedupe);
    *ret_message = (struct outbox_message){
        .destination = plan->to.name,
        .order_key = arena_strdup(arena, plan->order_key),
        .dedupe_key = arena_strdup(arena, dedupe),
        .content_type = built.content_type,
        .body = built.body,
        .body_length = built.length,
        .max_attempts = (int)conf_int(flow->conf, CONF_delivery_attempts),
        .lifetime_ms = plan->channel->shows_state    ? state_lifetime_ms
                       : plan->channel->keeps_record ? RECORD_LIFETIME_MS
                                                     : 0,
        .phase = notice->phase,
        .generation = notice->phase == PHASE_NONE ? 0 : generation,
        .headline = card.title,
        .replaces = plan->channel->shows_state,
        .standalone = !plan_is_people(plan),
    };
    return true;
}

bool plan_wait(const struct flow *flow, const struct plan *plan, struct outbox_message *message,
               struct err *err)
{
    const struct route *route = plan->route;
    int64_t recent = 0;
    if (!plan_is_people(plan))
        return true;
    if (route->rate_count > 0 &&
        !outbox_recent(flow->db, plan->to.name, route->rate_window_ms, &recent, err))
        return false;
    struct route_wait wait = route_wait_of(route, clock_wall_us(), recent);
    message->wait_ms = wait.ms;
    message->in_digest = wait.in_digest;
    return true;
}

void verdict_notice(const struct flow *flow, const struct verdict *verdict, int64_t verdict_id,
                    struct notice *ret_notice)
{
    const char *id = arena_printf(flow->arena, "v%" PRId64, verdict_id);
    *ret_notice =
        (struct notice){.verdict = verdict, .verdict_id = id, .link = notify_link(flow, id)};
}
