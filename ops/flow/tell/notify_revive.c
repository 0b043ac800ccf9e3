/* Implements revival: what stands in the way of each dead message, then its return. */
#include "ops/flow/tell/notify_revive.h"

#include "alerts/channels.h"
#include "history/alert/alert.h"
#include "history/lease/lease.h"
#include "history/verdicts/verdicts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ROW_BYTES = 64 << 20 };

/* One dead message. */
struct reviving {
    struct db *db;
    const struct conf *conf;
    const struct outbox_row *row;
    struct arena *arena;
    struct revival result;
    bool about_alert; /* it tells people of one: what was lost after it comes with it */
};

__attribute__((format(printf, 2, 3))) static void stay(struct reviving *reviving,
                                                       const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(reviving->result.why, sizeof reviving->result.why, format, arguments);
    va_end(arguments);
}

static bool after_look(const struct reviving *reviving, struct outbox_after *ret_after,
                       struct err *err)
{
    const struct outbox_message key = {.destination = reviving->row->destination,
                                       .order_key = reviving->row->order_key};
    return outbox_keys_lock(reviving->db, &key, 1, reviving->arena, err) &&
           outbox_void(reviving->db, err) &&
           outbox_look_after(reviving->db, reviving->row->id, ret_after, err);
}

/* Whether people are to be told last what the phase says of an alert in that state; of one that
 * somebody looks after, has silenced or dismissed, nothing. */
static bool is_told_so(enum alert_state state, enum alert_phase last)
{
    bool open = state == ALERT_OPEN || state == ALERT_REOPENED;
    bool ended = state == ALERT_RESOLVED || state == ALERT_NONE;
    return phase_is_open(last) ? open : ended;
}

/* Tells of an alert: the last that its destination hears must be how the alert stands. */
static bool alert_check(struct reviving *reviving, struct err *err)
{
    struct verdict verdict;
    struct alert_status status;
    struct outbox_after after;
    bool silenced;
    /* The lock of the workload comes before that of the order key, as when verdicts are
     * told. */
    if (!ledger_read_verdict(reviving->db, reviving->row->verdict_id, reviving->arena, NULL,
                             &verdict, err))
        return false;
    const struct alert_key key = alert_key_of(&verdict);
    if (!alert_look(reviving->db, &key, &status, err) || !after_look(reviving, &after, err) ||
        !silence_holds(reviving->db, verdict.project, verdict.workload, verdict.candidate.branch,
                       &silenced, err))
        return false;
    reviving->about_alert = true;
    if (after.told_id != 0)
        stay(reviving, "message %" PRId64 " told of the alert since", after.told_id);
    else if (silenced)
        stay(reviving, "nothing is told of the workload or branch until its silence ends");
    else if (!is_told_so(status.state, after.last_phase))
        stay(reviving, "the alert is %s by now", alert_state_names[status.state]);
    return true;
}

/* Whether it may go: `result.why` stays empty then. */
static bool row_check(struct reviving *reviving, struct err *err)
{
    const struct outbox_row *row = reviving->row;
    const struct channel *channel;
    struct destination to;
    struct err fault = {0};
    if (!destination_find(reviving->conf, row->destination, reviving->arena, &to, &fault) ||
        !channel_find(to.kind, &channel, &fault)) {
        stay(reviving, "%s", fault.text);
        return true;
    }
    if (channel->shows_state) {
        /* Shows a state: only the newest is true. */
        struct outbox_after after;
        if (!after_look(reviving, &after, err))
            return false;
        if (after.newest_id != 0)
            stay(reviving, "message %" PRId64 " shows a newer state", after.newest_id);
        return true;
    }
    bool of_alert = alert_phase_named(row->phase) != PHASE_NONE && row->verdict_id != 0;
    return channel->keeps_record || !of_alert || alert_check(reviving, err);
}

/* ---- one transaction each ---- */

static void revival_add(struct revival_list *list, const struct revival *revival,
                        struct arena *arena)
{
    list->items = arena_grow(arena, list->items, list->count, &list->capacity, sizeof *list->items);
    list->items[list->count++] = *revival;
}

static bool row_revive(struct reviving *reviving, struct revival_list *list, struct arena *outer,
                       struct err *err)
{
    struct outbox_ids ids;
    if (!row_check(reviving, err))
        return false;
    if (reviving->result.why[0] != '\0') {
        revival_add(list, &reviving->result, outer);
        return true;
    }
    if (!outbox_revive(reviving->db, reviving->row->id, reviving->about_alert, reviving->arena,
                       &ids, err))
        return false;
    for (size_t i = 0; i < ids.count; i++) {
        const struct revival revival = {.id = ids.items[i]};
        revival_add(list, &revival, outer);
    }
    return true;
}

static bool is_listed(const struct revival_list *list, int64_t id)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].id == id)
            return true;
    return false;
}

bool notify_revive(struct db *db, const struct conf *conf, const struct outbox_selection *selection,
                   struct arena *arena, struct revival_list *ret_list, struct err *err)
{
    struct outbox_page page;
    struct revival_list list = {0};
    if (!outbox_dead_list(db, selection, arena, &page, err))
        return false;
    for (size_t i = 0; i < page.count; i++) {
        if (is_listed(&list, page.items[i].id)) /* it came with one before it */
            continue;
        scoped_arena inner;
        arena_init(&inner, ROW_BYTES);
        struct reviving reviving = {.db = db,
                                    .conf = conf,
                                    .row = &page.items[i],
                                    .arena = &inner,
                                    .result = {.id = page.items[i].id}};
        scoped_transaction *open = NULL;
        if (!transaction_open(db, &open, err) || !row_revive(&reviving, &list, arena, err) ||
            !transaction_close(&open, err) || !arena_ok(arena, "the messages", err))
            return false;
    }
    *ret_list = list;
    return true;
}
