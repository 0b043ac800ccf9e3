/* Writes moves and receipts: they name verdicts as the lines before them do. */
#include "ops/cli/archive/export_alerts.h"

#include "history/alert/alert.h"
#include "ops/runtime/json.h"

static bool move_write(struct export *export, const struct alert_move_row *row, struct err *err)
{
    export->manifest.end.decisions++;
    return export_recorded(
        export,
        json_pack("{ss, so, so, so, so, so, so, so, si, so, so}", "type", "alert_move", "project",
                  json_text(row->project), "workload", json_text(row->workload), "branch",
                  json_text(row->branch), "verdict", export_name('v', row->verdict_id), "from",
                  json_text(row->from), "to", json_text(row->to), "action", json_text(row->action),
                  "good_count", row->good_count, "reason", json_text(row->reason), "until_utc",
                  json_text(row->until_utc)),
        &row->origin, err);
}

static bool moves_write(struct export *export, struct err *err)
{
    for (int64_t after = 0;;) {
        struct alert_move_page page;
        scoped_arena arena;
        arena_init_within(&arena, export->memory);
        if (!alert_moves_after(export->db, after, &arena, &page, err))
            return false;
        for (size_t i = 0; i < page.count; i++)
            if (!move_write(export, &page.items[i], err))
                return false;
        if (page.count == 0)
            return true;
        after = page.items[page.count - 1].id;
    }
}

static bool delivery_write(struct export *export, const struct delivery_row *row, struct err *err)
{
    export->manifest.end.deliveries++;
    return export_line(
        export,
        json_pack("{ss, sI, so, so, so, si, so, so, so, so, so}", "type", "delivery", "message",
                  (json_int_t)row->message, "destination", json_text(row->destination),
                  "dedupe_key", json_text(row->dedupe_key), "verdict",
                  row->verdict_id.set ? export_name('v', row->verdict_id.value) : json_null(),
                  "attempt", row->attempt, "outcome", json_text(row->outcome), "http_status",
                  row->http_status.set ? json_integer((json_int_t)row->http_status.value)
                                       : json_null(),
                  "reason", json_text(row->reason), "remote_ref", json_text(row->remote_ref),
                  "recorded_at_utc", json_text(row->recorded_at_utc)),
        err);
}

static bool deliveries_write(struct export *export, struct err *err)
{
    for (int64_t after = 0;;) {
        struct delivery_page page;
        scoped_arena arena;
        arena_init_within(&arena, export->memory);
        if (!deliveries_after(export->db, after, &arena, &page, err))
            return false;
        for (size_t i = 0; i < page.count; i++)
            if (!delivery_write(export, &page.items[i], err))
                return false;
        if (page.count == 0)
            return true;
        after = page.items[page.count - 1].id;
    }
}

bool export_alerts(struct export *export, struct err *err)
{
    return moves_write(export, err) && deliveries_write(export, err);
}
