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

EXPORT_PAGES(moves_write, alert_move_page, alert_moves_after, move_write)

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

EXPORT_PAGES(deliveries_write, delivery_page, deliveries_after, delivery_write)

bool export_alerts(struct export *export, struct err *err)
{
    return moves_write(export, err) && deliveries_write(export, err);
}
