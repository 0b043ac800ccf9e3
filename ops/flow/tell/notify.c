/* Makes the outbox messages of a verdict: what it does to its alert, then one message for each
 * destination that is to hear of that. */
#include "ops/flow/tell/notify.h"

#include "history/lease/lease.h"
#include "history/verdicts/verdicts.h"
#include "ops/flow/tell/notify_phase.h"
#include "ops/flow/tell/notify_plan.h"
#include "ops/runtime/text.h"

#include <string.h>

/* What is told, and of which change of the alert. */
struct news {
    struct notice notice; /* without its phase */
    const struct alert_change *change;
    bool disturbs; /* people want to hear of it */
};

/* What stands below what the verdict says; "" where there is nothing. */
static const char *details_of(const struct flow *flow, const struct news *news,
                              enum alert_phase phase)
{
    const struct acceptance *acceptance = &news->change->acceptance;
    bool is_taken = acceptance->found && news->notice.verdict->status != VERDICT_PASS;
    if (news->notice.accepted || is_taken)
        return arena_printf(flow->arena, "accepted by %s: %s", acceptance->by, acceptance->reason);
    if (acceptance->beyond != NULL)
        return arena_printf(flow->arena, "more than was accepted: %s", acceptance->beyond);
    return phase != PHASE_FLAPPING
               ? ""
               : arena_printf(flow->arena,
                              "it came back lately: %d passes in a row end it, one does not",
                              ALERT_CALM_PASSES);
}

static bool is_wanted(const struct plan *plan, const struct route *route, const void *what)
{
    const struct notice *notice = what;
    bool all = !plan_is_people(plan);
    return route_tells(route, notice, all) &&
           (all || notice->phase != PHASE_NONE || verdict_improved(notice->verdict) ||
            notice->verdict->status != VERDICT_PASS || (route->statuses & 1U << VERDICT_PASS) != 0);
}

/* *ret_told false: this destination is not told of that. */
static bool plan_carry_out(const struct flow *flow, struct plan *plan, const struct news *news,
                           struct outbox_message *ret_message, bool *ret_told, struct err *err)
{
    struct alert_thread thread;
    struct notice notice = news->notice;
    *ret_told = false;
    if (!news->disturbs && plan_is_people(plan))
        return true;
    if (!thread_find(flow->db, plan->to.name, plan->order_key, &thread, err))
        return false;
    notice.phase = plan->channel->by_commit
                       ? phase_of_commit(&thread, notice.verdict->status, notice.accepted)
                       : phase_of_change(news->change, &thread);
    notice.details = details_of(flow, news, notice.phase);
    *ret_told = plan_decide(plan, is_wanted, &notice);
    if (!*ret_told)
        return true;
    /* How often the alert was opened, as this destination knows it, this time included. */
    bool opens = notice.phase == PHASE_FIRING || notice.phase == PHASE_REOPENED;
    int generation = thread.generation + (opens ? 1 : 0);
    return plan_message(flow, plan, &notice, generation, ret_message, err) &&
           plan_wait(flow, plan, ret_message, err);
}

static bool profiles_fill(const struct flow *flow, const struct plan_list *plans,
                          struct notice *notice, struct err *err)
{
    bool wanted = false;
    for (size_t i = 0; i < plans->count; i++)
        wanted |= plans->items[i].channel->keeps_record;
    if (!wanted)
        return true;
    /* The candidate's profiles, as the ledger holds them; only where somebody wants them. */
    const struct string_list *ids = &notice->verdict->candidate.profile_ids;
    struct notice_profile *items = arena_array(flow->arena, struct notice_profile, ids->count);
    for (size_t i = 0; i < ids->count; i++) {
        int64_t id;
        struct ledger_profile *profile = arena_new(flow->arena, struct ledger_profile);
        if (!text_parse_i64(ids->items[i] + 1, &id))
            return err_set(err, ERR_BUG, "\"%s\" is no profile of the ledger", ids->items[i]);
        if (!ledger_load_profile(flow->db, id, flow->arena, profile, err))
            return false;
        items[i] = (struct notice_profile){ids->items[i], &profile->summary};
    }
    notice->profiles = items;
    notice->profile_count = ids->count;
    return true;
}

static bool news_carry_out(const struct flow *flow, struct news *news,
                           struct message_list *ret_messages, struct err *err)
{
    struct plan_list plans = {0};
    struct message_list messages = {0};
    bool told;
    if (!plans_make(flow, &news->notice, &plans, err) || !plans_lock(flow, &plans, err) ||
        !profiles_fill(flow, &plans, &news->notice, err))
        return false;
    messages.items = arena_array(flow->arena, struct outbox_message, plans.count);
    for (size_t i = 0; i < plans.count; i++) {
        if (!plan_carry_out(flow, &plans.items[i], news, &messages.items[messages.count], &told,
                            err))
            return false;
        messages.count += told;
    }
    *ret_messages = messages;
    return arena_ok(flow->arena, "the messages", err);
}

/* ---- verdicts ---- */

/* Everything is decided under the lock of the workload, which alert_decide takes. */
bool notify_append(const struct flow *flow, struct verdict_entry *entry, struct err *err)
{
    const struct verdict *verdict = entry->verdict;
    struct alert_change change;
    struct message_list messages;
    struct news news = {0};
    bool silenced;
    scoped_transaction *open = NULL;
    verdict_notice(flow, verdict, entry->id, &news.notice);
    if (!transaction_open(flow->db, &open, err) ||
        !alert_decide(flow->db, verdict, flow->arena, &change, err) ||
        !silence_holds(flow->db, verdict->project, verdict->workload, verdict->candidate.branch,
                       &silenced, err))
        return false;
    news.change = &change;
    news.disturbs = !silenced && change_disturbs(&change, verdict->status);
    news.notice.accepted = change.acceptance.found && verdict->status == VERDICT_FAIL;
    if (!news_carry_out(flow, &news, &messages, err))
        return false;
    entry->alert = &change;
    entry->messages = messages.items;
    entry->message_count = messages.count;
    bool appended = ledger_append_verdict_within(flow->db, entry, err);
    entry->alert = NULL; /* it ends here */
    return appended && transaction_close(&open, err);
}

/* ---- acceptances ---- */

bool notify_accepted(const struct flow *flow, const struct verdict *verdict, int64_t verdict_id,
                     const struct alert_change *change, struct err *err)
{
    struct news news = {.change = change};
    struct message_list messages;
    bool is_new;
    verdict_notice(flow, verdict, verdict_id, &news.notice);
    news.notice.accepted = true;
    if (!news_carry_out(flow, &news, &messages, err))
        return false;
    for (size_t i = 0; i < messages.count; i++)
        if (!outbox_enqueue(flow->db, verdict_id, &messages.items[i], &is_new, err))
            return false;
    return true;
}
