/* Appends decisions through the ledger's own functions. The same words may be there twice, and mean
 * something each time (a change point that was confirmed, withdrawn, and confirmed again). */
#include "ops/cli/archive/import.h"

#include "history/alert/alert.h"
#include "history/reports/reports.h"
#include "ops/runtime/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *text_or_empty(const json_t *line, const char *member)
{
    const char *text = import_text(line, member);
    return text == NULL ? "" : text;
}

static bool is_known(struct import *import, const char *what, int64_t held)
{
    bool known = import_is_known(import, what, held);
    import->decisions += !known;
    return known;
}

/* Who decided something said why: a line without is none that `export` wrote. */
static bool reason_check(const char *reason, const char *name, struct err *err)
{
    return reason[strspn(reason, " ")] != '\0' ||
           err_set(err, ERR_INPUT, "%s: it has no reason; write why into `reason`", name);
}

bool import_acceptance(struct import *import, const json_t *line, const char *name, struct err *err)
{
    int64_t held;
    scoped_transaction *open = NULL;
    struct acceptance ignored;
    struct acceptance_entry entry = {
        .change_key = text_or_empty(line, "change_key"),
        .reason = text_or_empty(line, "reason"),
        .origin = import_origin(line),
    };
    entry.by = entry.origin.by;
    if (!reason_check(entry.reason, name, err) ||
        !import_find(import, text_or_empty(line, "verdict"), name, &entry.verdict_id, err))
        return false;
    if (entry.verdict_id == IMPORT_LEFT_OUT)
        return import_left_out(import, name, line);
    const char *what = arena_printf(import->arena, "accept v%" PRId64 " %s %s", entry.verdict_id,
                                    entry.change_key, entry.reason);
    return acceptance_count(import->db, &entry, &held, err) &&
           (is_known(import, what, held) ||
            (transaction_open(import->db, &open, err) &&
             ledger_accept(import->db, &entry, import->arena, &ignored, err) &&
             transaction_close(&open, err)) ||
            err_prefix(err, "%s", name));
}

bool import_rebaseline(struct import *import, const json_t *line, const char *name, struct err *err)
{
    int64_t held;
    const char *series;
    struct level_mark ignored;
    struct rebaseline_row row = {.reason = text_or_empty(line, "reason"),
                                 .origin = import_origin(line)};
    const char *after = import_text(line, "after"); /* alone in an export of before */
    const char *of = after != NULL ? after : text_or_empty(line, "of");
    if (!reason_check(row.reason, name, err) ||
        !import_find(import, of, name, &row.of_profile_id, err))
        return false;
    if (row.of_profile_id == IMPORT_LEFT_OUT)
        return import_left_out(import, name, line);
    row.after_profile_id = after != NULL ? row.of_profile_id : 0;
    const char *what = arena_printf(import->arena, "rebaseline p%" PRId64 " of p%" PRId64 " %s",
                                    row.after_profile_id, row.of_profile_id, row.reason);
    if (!rebaseline_count(import->db, &row, import->arena, &series, &held, err))
        return false;
    const struct rebaseline_entry entry = {.series = series,
                                           .after_profile_id = row.after_profile_id,
                                           .is_whole = after == NULL,
                                           .reason = row.reason,
                                           .origin = row.origin};
    return is_known(import, what, held) || ledger_rebaseline(import->db, &entry, &ignored, err) ||
           err_prefix(err, "%s", name);
}

bool import_change_point(struct import *import, const json_t *line, const char *name,
                         struct err *err)
{
    int64_t held, id;
    struct change_point_entry point = {
        .measure = text_or_empty(line, "measure"),
        .before = json_number_value(json_object_get(line, "before")),
        .after = json_number_value(json_object_get(line, "after")),
        .method = text_or_empty(line, "method"),
        .evidence = import_text(line, "evidence"),
        .origin = import_origin(line),
    };
    if (!import_find(import, text_or_empty(line, "profile"), name, &point.at_profile_id, err))
        return false;
    const char *status = text_or_empty(line, "status");
    point.status = (enum change_point_status)text_index(status, change_point_status_names,
                                                        CHANGE_POINT_STATUS_COUNT);
    if (point.status == CHANGE_POINT_STATUS_COUNT)
        return err_set(err, ERR_INPUT, "%s: a change point is not '%.40s'", name, status);
    if (point.at_profile_id == IMPORT_LEFT_OUT)
        return import_left_out(import, name, line);
    const char *what =
        arena_printf(import->arena, "change p%" PRId64 " %s %d %a %a %s", point.at_profile_id,
                     point.measure, (int)point.status, point.before, point.after, point.method);
    return (change_point_count(import->db, &point, &held, err) &&
            (is_known(import, what, held) || change_point_add(import->db, &point, &id, err))) ||
           err_prefix(err, "%s", name);
}

bool import_report(struct import *import, const json_t *line, const char *name, struct err *err)
{
    int64_t held, id = IMPORT_LEFT_OUT, theirs = 0; /* an export of before does not say it */
    scoped_transaction *open = NULL;
    struct trend_report report;
    const char *their_id = import_text(line, "id");
    const struct report_entry entry = {.report = &report,
                                       .document = text_or_empty(line, "document"),
                                       .origin = import_origin(line)};
    scoped_json *root = json_parse(entry.document, strlen(entry.document), name, err);
    if (root == NULL || !trend_report_from_json(root, name, import->arena, &report, err))
        return false;
    if (their_id != NULL && (strncmp(their_id, "rp", 2) != 0 ||
                             !text_parse_i64(their_id + 2, &theirs) || theirs <= import->reports))
        return err_set(err, ERR_INPUT, "%s: %.40s is no report that follows the line before it",
                       name, their_id);
    const char *what = arena_printf(import->arena, "report %s %s", report.project, entry.document);
    if (!ledger_report_count(import->db, report.project, entry.document, &held, err))
        return err_prefix(err, "%s", name);
    /* One of that name and end that says something else was made here. */
    if (!is_known(import, what, held) &&
        ((theirs > 0 && !import_number(import, 'r', theirs, err)) ||
         !transaction_open(import->db, &open, err) ||
         !ledger_append_report_within(import->db, &entry, &id, err) ||
         !transaction_close(&open, err)))
        return err_prefix(err, "%s", name);
    if (theirs > 0)
        import_number_given(import, (struct import_pair){'r', theirs, id}, name);
    import->reports = theirs;
    return true;
}

/* ---- alerts ---------------------------------------------------------------------------------- */

/* The verdicts of an export that tells moves make none themselves: what people said in between is
 * part of the alert's life. */

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
    bool taken;
    int64_t held;
    const char *what = arena_printf(import->arena, "move v%" PRId64 " %s %s %s %s", row.verdict_id,
                                    row.branch, row.from == NULL ? "" : row.from, row.action,
                                    row.reason == NULL ? "" : row.reason);
    if (!alert_move_count(import->db, &row, &held, err))
        return err_prefix(err, "%s", name);
    if (import_is_known(import, what, held))
        return true;
    if (!alert_move_take(import->db, &row, &taken, err))
        return err_prefix(err, "%s", name);
    import->decisions += taken;
    if (taken)
        return true;
    char why[300];
    (void)snprintf(why, sizeof why,
                   "a move of the alert of workload %.100s, branch %.60s (%.20s) is left out: here "
                   "it does not stand so",
                   row.workload, row.branch, row.action);
    log_event(LOG_WARN, LOG_input_warning, "file", name, "why", why, NULL);
    import->left_out++;
    return true;
}

bool import_delivery(struct import *import, const json_t *line, const char *name, struct err *err)
{
    bool is_new;
    struct opt_i64 attempt = number_of(line, "attempt");
    const json_t *message = json_object_get(line, "message");
    const char *verdict = import_text(line, "verdict");
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
    row.verdict_id.set = verdict != NULL;
    if (verdict != NULL && !import_find(import, verdict, name, &row.verdict_id.value, err))
        return false;
    if (verdict != NULL && row.verdict_id.value == IMPORT_LEFT_OUT)
        return import_left_out(import, name, line);
    if (!delivery_keep(import->db, &row, &is_new, err))
        return err_prefix(err, "%s", name);
    import->deliveries += is_new;
    import->known += !is_new;
    return true;
}
