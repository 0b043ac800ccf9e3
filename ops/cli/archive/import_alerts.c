/* Takes moves and receipts over. The verdicts of an export that tells moves make none themselves:
 * what people said in between is part of the alert's life. */
#include "ops/cli/archive/import_alerts.h"

#include "history/alert/alert.h"
#include "ops/runtime/log.h"

#include <inttypes.h>
#include <stdio.h>

/* Not set: it is none, or too large for one. */
static struct opt_i64 number_of(const json_t *line, const char *member)
{
    const json_t *value = json_object_get(line, member);
    json_int_t number = json_integer_value(value);
    bool fits = json_is_integer(value) && number >= 0 && number <= INT32_MAX;
    return fits ? some_i64(number) : (struct opt_i64){0};
}

static bool members_missing(const char *name, const char *members, struct err *err)
{
    return err_set(err, ERR_INPUT, "%s: %s: one is missing or of another type", name, members);
}

static bool move_left_out(struct import *import, const struct alert_move_row *row, const char *name)
{
    char what[300];
    (void)snprintf(what, sizeof what,
                   "a move of the alert of workload %.100s, branch %.60s (%.20s) is left out: here "
                   "it does not stand so",
                   row->workload, row->branch, row->action);
    log_event(LOG_WARN, LOG_input_warning, "file", name, "why", what, NULL);
    import->left_out++;
    return true;
}

bool import_alert_move(struct import *import, const json_t *line, const char *name, struct err *err)
{
    const char *verdict = import_text(line, "verdict");
    struct alert_move_row row = {
        .project = import_text(line, "project"),
        .workload = import_text(line, "workload"),
        .branch = import_text(line, "branch"),
        .from = import_text(line, "from"),
        .to = import_text(line, "to"),
        .action = import_text(line, "action"),
        .good_count = (int)number_of(line, "good_count").value,
        .reason = import_text(line, "reason"),
        .until_utc = import_text(line, "until_utc"),
        .origin = import_origin(line),
    };
    if (row.project == NULL || row.workload == NULL || row.branch == NULL || row.to == NULL ||
        row.action == NULL || verdict == NULL)
        return members_missing(name, "project, workload, branch, verdict, to, action", err);
    if (!import_find(import, verdict, name, &row.verdict_id, err))
        return false;
    if (row.verdict_id == IMPORT_LEFT_OUT)
        return import_left_out(import, name, line);
    bool known, taken;
    int64_t held;
    const char *what = arena_printf(import->arena, "move v%" PRId64 " %s %s %s %s", row.verdict_id,
                                    row.branch, row.from == NULL ? "" : row.from, row.action,
                                    row.reason == NULL ? "" : row.reason);
    if (!alert_move_count(import->db, &row, &held, err) ||
        !import_is_known(import, what, held, &known, err))
        return err_prefix(err, "%s", name);
    if (known)
        return true;
    if (!alert_move_take(import->db, &row, &taken, err))
        return err_prefix(err, "%s", name);
    import->decisions += taken;
    return taken || move_left_out(import, &row, name);
}

/* *ret_left_out: its verdict is not here. */
static bool verdict_translate(const struct import *import, const json_t *line, const char *name,
                              struct opt_i64 *ret_id, bool *ret_left_out, struct err *err)
{
    int64_t ours = IMPORT_LEFT_OUT;
    const char *verdict = import_text(line, "verdict");
    if (verdict != NULL && !import_find(import, verdict, name, &ours, err))
        return false;
    *ret_left_out = verdict != NULL && ours == IMPORT_LEFT_OUT;
    *ret_id = verdict == NULL ? (struct opt_i64){0} : some_i64(ours);
    return true;
}

bool import_delivery(struct import *import, const json_t *line, const char *name, struct err *err)
{
    bool left_out, is_new;
    struct opt_i64 attempt = number_of(line, "attempt");
    const json_t *message = json_object_get(line, "message");
    struct delivery_row row = {
        .message = json_integer_value(message),
        .destination = import_text(line, "destination"),
        .dedupe_key = import_text(line, "dedupe_key"),
        .attempt = (int)attempt.value,
        .outcome = import_text(line, "outcome"),
        .http_status = number_of(line, "http_status"),
        .reason = import_text(line, "reason"),
        .remote_ref = import_text(line, "remote_ref"),
        .recorded_at_utc = import_text(line, "recorded_at_utc"),
    };
    if (!json_is_integer(message) || row.message < 0 || !attempt.set || row.destination == NULL ||
        row.dedupe_key == NULL || row.outcome == NULL || row.recorded_at_utc == NULL)
        return members_missing(
            name, "message, destination, dedupe_key, attempt, outcome, recorded_at_utc", err);
    if (!verdict_translate(import, line, name, &row.verdict_id, &left_out, err))
        return false;
    if (left_out)
        return import_left_out(import, name, line);
    if (!delivery_keep(import->db, &row, &is_new, err))
        return err_prefix(err, "%s", name);
    import->deliveries += is_new;
    import->known += !is_new;
    return true;
}
