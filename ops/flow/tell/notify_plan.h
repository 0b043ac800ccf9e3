/* Whom the routes name for a verdict, and the message that each of them gets. */
#ifndef OPS_FLOW_TELL_NOTIFY_PLAN_H
#define OPS_FLOW_TELL_NOTIFY_PLAN_H

#include "alerts/channels.h"
#include "alerts/route.h"
#include "history/lease/lease.h"
#include "history/profiles/profiles.h"
#include "ops/flow/flow.h"

/* The web address of a verdict ("v12"); NULL when none is configured. */
const char *notify_link(const struct flow *flow, const char *verdict_id);

/* One destination that may be told. */
struct plan {
    const struct route **routes; /* those that name it, in their order; 1 or more */
    size_t route_count, route_capacity;
    const struct route *route; /* of these the one that holds: the first, unless plan_decide finds
                                  another */
    const struct channel *channel;
    struct destination to;
    char order_key[SHA256_HEX_BYTES];
};

struct plan_list {
    struct plan *items;
    size_t count, capacity;
};

/* The destinations of all routes that cover the notice's verdict and have a place for it, each
 * once. ERR_USAGE: a route or destination is wrong. */
bool plans_make(const struct flow *flow, const struct notice *notice, struct plan_list *ret_plans,
                struct err *err);

/* Whether a route that names the destination says what this asks for: the first such holds then. */
typedef bool plan_says(const struct plan *plan, const struct route *route, const void *what);
bool plan_decide(struct plan *plan, plan_says *says, const void *what);

/* People read it: it gets what they want to hear, when they do. What shows a state, or keeps a
 * record, gets every verdict at once. */
bool plan_is_people(const struct plan *plan);

/* The first destination that the routes name for the verdict and that comments at pull or merge
 * requests, when its branch names none; NULL: there is none. Of the baseline branch nobody expects
 * a comment. ERR_USAGE as plans_make. */
bool plan_astray(const struct flow *flow, const struct verdict *verdict, const char **ret_name,
                 struct err *err);

/* Locks their order keys until the end of the transaction. */
bool plans_lock(const struct flow *flow, const struct plan_list *plans, struct err *err);

/* The message, in its final bytes, due at once. generation: how often the alert was opened, as this
 * destination knows it. */
bool plan_message(const struct flow *flow, const struct plan *plan, const struct notice *notice,
                  int generation, struct outbox_message *ret_message, struct err *err);

/* Sets how long it waits, and whether it may be joined with others then, as the route says; of
 * people alone. */
bool plan_wait(const struct flow *flow, const struct plan *plan, struct outbox_message *message,
               struct err *err);

/* What there is to say of a recorded verdict: the notice without its phase. */
void verdict_notice(const struct flow *flow, const struct verdict *verdict, int64_t verdict_id,
                    struct notice *ret_notice);

#endif
