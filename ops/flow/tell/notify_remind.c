/* Implements reminders: one transaction per alert, under the lock that its verdicts take too. */
#include "ops/flow/tell/notify_remind.h"

#include "history/alert/alert.h"
#include "history/lease/lease.h"
#include "history/verdicts/verdicts.h"
#include "ops/flow/tell/notify_plan.h"
#include "ops/runtime/clock.h"

#include <inttypes.h>
#include <string.h>

enum { ALERTS_MAX = 1000 };

/* One alert that may be reminded of. */
struct reminding {
    struct flow flow;
    const struct alert_row *row;
    struct verdict verdict;
    struct notice notice;
};

static bool has_reminders(const struct plan *plan, const struct route *route, const void *what)
{
    (void)what;
    return plan_is_people(plan) && route->remind_ms != 0;
}

/* Only who was told that it is open, and has heard nothing for the route's time. */
static bool plan_remind(const struct reminding *reminding, struct plan *plan, int64_t *count,
                        struct err *err)
{
    const struct flow *flow = &reminding->flow;
    struct alert_thread thread;
    struct outbox_message message;
    bool is_new;
    if (!plan_decide(plan, has_reminders, NULL))
        return true;
    if (!thread_find(flow->db, plan->to.name, plan->order_key, &thread, err))
        return false;
    if (!thread.known || !phase_is_open(thread.phase) || thread.age_ms < plan->route->remind_ms)
        return true;
    if (!plan_message(flow, plan, &reminding->notice, thread.generation, &message, err) ||
        !plan_wait(flow, plan, &message, err) ||
        !outbox_enqueue(flow->db, reminding->row->verdict_id, &message, &is_new, err))
        return false;
    *count += is_new;
    return true;
}

/* Whether it is still as the list said: open, nobody's, and failing. */
static bool is_due(const struct reminding *reminding, bool *ret_due, struct err *err)
{
    const struct alert_key *key = &reminding->row->key;
    struct alert_status status;
    bool silenced;
    if (!alert_look(reminding->flow.db, key, &status, err) ||
        !silence_holds(reminding->flow.db, key->project, key->workload, key->branch, &silenced,
                       err))
        return false;
    *ret_due = (status.state == ALERT_OPEN || status.state == ALERT_REOPENED) &&
               status.good_count == 0 && status.verdict_id == reminding->row->verdict_id &&
               !silenced;
    return true;
}

static bool alert_remind(struct reminding *reminding, int64_t *count, struct err *err)
{
    bool due;
    if (!is_due(reminding, &due, err))
        return false;
    if (!due)
        return true;
    int64_t id = reminding->row->verdict_id;
    const struct flow *flow = &reminding->flow;
    if (!ledger_read_verdict(flow->db, id, flow->arena, NULL, &reminding->verdict, err))
        return false;
    verdict_notice(flow, &reminding->verdict, id, &reminding->notice);
    if (reminding->verdict.status != VERDICT_FAIL) /* people reopen after a pass, too */
        return true;
    struct notice *notice = &reminding->notice;
    notice->phase = PHASE_REPEATED;
    notice->details =
        arena_printf(flow->arena, "a reminder: it is open since %s", reminding->row->since_utc);
    notice->again = arena_printf(flow->arena, "%" PRId64, clock_wall_us());
    struct plan_list plans;
    if (!plans_make(flow, notice, &plans, err) || !plans_lock(flow, &plans, err))
        return false;
    for (size_t i = 0; i < plans.count; i++)
        if (!plan_remind(reminding, &plans.items[i], count, err))
            return false;
    return arena_ok(flow->arena, "the messages", err);
}

static bool row_remind(const struct flow *flow, const struct alert_row *row, int64_t *count,
                       struct err *err)
{
    scoped_arena arena;
    conf_memory_arena(flow->conf, &arena);
    struct reminding reminding = {.flow = {flow->conf, flow->db, &arena, flow->memory}, .row = row};
    scoped_transaction *open = NULL;
    return transaction_open(flow->db, &open, err) && alert_remind(&reminding, count, err) &&
           transaction_close(&open, err);
}

bool notify_remind(struct db *db, const struct conf *conf, int64_t *ret_count, struct err *err)
{
    scoped_arena arena;
    conf_memory_arena(conf, &arena);
    const struct flow flow = {.conf = conf, .db = db, .arena = &arena};
    const struct alert_query query = {.limit = ALERTS_MAX};
    struct alert_page page = {0};
    struct route_list routes;
    bool wanted = false;
    int64_t count = 0;
    if (!route_read(conf, &arena, &routes, err))
        return false;
    for (size_t i = 0; i < routes.count; i++)
        wanted |= routes.items[i].remind_ms > 0;
    if (wanted && !alert_list(db, &query, &arena, &page, err))
        return false;
    for (size_t i = 0; i < page.count; i++)
        if (!row_remind(&flow, &page.items[i], &count, err))
            return false;
    *ret_count = count;
    return true;
}
