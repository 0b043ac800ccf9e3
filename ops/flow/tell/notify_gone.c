/* Implements the end of alerts of gone branches, under the lock that their verdicts take too. */
#include "ops/flow/tell/notify_gone.h"

#include "history/alert/alert.h"
#include "history/lease/lease.h"
#include "history/verdicts/verdicts.h"
#include "ops/flow/tell/notify_phase.h"
#include "ops/flow/tell/notify_plan.h"

#include <inttypes.h>
#include <string.h>

enum { ALERTS_MAX = 100000 };

/* One alert that may be of a gone branch. */
struct ending {
    struct flow flow;
    const struct alert_row *row;
    int64_t days;
    struct verdict verdict;
    struct notice notice;
    struct alert_change change;
};

/* Whoever was told that it is open hears of the end; what shows the state of a commit keeps it. */
static bool plan_end(const struct ending *ending, const struct plan *plan, struct err *err)
{
    const struct flow *flow = &ending->flow;
    struct alert_thread thread;
    struct outbox_message message;
    bool is_new;
    if (!plan_is_people(plan))
        return true;
    if (!thread_find(flow->db, plan->to.name, plan->order_key, &thread, err))
        return false;
    struct notice notice = ending->notice;
    notice.phase = phase_of_change(&ending->change, &thread);
    if (notice.phase == PHASE_NONE || !change_disturbs(&ending->change, ending->verdict.status))
        return true;
    return plan_message(flow, plan, &notice, thread.generation, &message, err) &&
           plan_wait(flow, plan, &message, err) &&
           outbox_enqueue(flow->db, ending->row->verdict_id, &message, &is_new, err);
}

static bool alert_end(struct ending *ending, bool *ret_ended, struct err *err)
{
    const struct flow *flow = &ending->flow;
    const struct alert_key *key = &ending->row->key;
    struct alert_status status;
    bool is_quiet;
    *ret_ended = false;
    if (!alert_look(flow->db, key, &status, err) ||
        !alert_branch_is_quiet(flow->db, key, ending->days, &is_quiet, err))
        return false;
    if (!is_quiet || status.state == ALERT_RESOLVED || status.state == ALERT_NONE)
        return true;
    const struct alert_response response = {
        .action = ALERT_EXPIRE,
        .reason =
            arena_printf(flow->arena, "no run of branch %s for %" PRId64 " days: it counts as gone",
                         key->branch, ending->days)};
    *ret_ended = true;
    int64_t id = ending->row->verdict_id;
    if (!ledger_read_verdict(flow->db, id, flow->arena, NULL, &ending->verdict, err))
        return false;
    verdict_notice(flow, &ending->verdict, id, &ending->notice);
    if (!alert_respond(flow->db, key, &response, &ending->change, err))
        return false;
    ending->notice.headline = ending->notice.again = response.reason;
    struct plan_list plans;
    if (!plans_make(flow, &ending->notice, &plans, err) || !plans_lock(flow, &plans, err))
        return false;
    for (size_t i = 0; i < plans.count; i++)
        if (!plan_end(ending, &plans.items[i], err))
            return false;
    return arena_ok(flow->arena, "the messages", err);
}

static bool row_end(const struct flow *flow, const struct alert_row *row, int64_t *count,
                    struct err *err)
{
    scoped_arena arena;
    bool ended;
    conf_memory_arena(flow->conf, &arena);
    struct ending ending = {.flow = {flow->conf, flow->db, &arena, flow->memory},
                            .row = row,
                            .days = conf_int(flow->conf, CONF_alert_gone_days)};
    scoped_transaction *open = NULL;
    if (!transaction_open(flow->db, &open, err) || !alert_end(&ending, &ended, err) ||
        !transaction_close(&open, err))
        return false;
    *count += ended;
    return true;
}

bool notify_gone(struct db *db, const struct conf *conf, int64_t *ret_count, struct err *err)
{
    scoped_arena arena;
    conf_memory_arena(conf, &arena);
    const struct flow flow = {.conf = conf, .db = db, .arena = &arena};
    const struct alert_query query = {.limit = ALERTS_MAX};
    const char *baseline = conf_text(conf, CONF_judge_baseline_branch);
    struct alert_page page = {0};
    *ret_count = 0;
    if (conf_int(conf, CONF_alert_gone_days) > 0 && !alert_list(db, &query, &arena, &page, err))
        return false;
    for (size_t i = 0; i < page.count; i++) {
        const char *branch = page.items[i].key.branch;
        bool is_nobodys = branch[0] == '\0' || strcmp(branch, baseline) == 0;
        if (!is_nobodys && !row_end(&flow, &page.items[i], ret_count, err))
            return false;
    }
    return true;
}
