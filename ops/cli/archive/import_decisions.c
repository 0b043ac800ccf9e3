/* Appends decisions through the ledger's own functions. The same words may be there twice, and mean
 * something each time (a change point that was confirmed, withdrawn, and confirmed again). */
#include "ops/cli/archive/import_decisions.h"

#include "history/alert/alert.h"
#include "history/reports/reports.h"
#include "ops/runtime/json.h"

#include <inttypes.h>
#include <string.h>

static const char *text_or_empty(const json_t *line, const char *member)
{
    const char *text = import_text(line, member);
    return text == NULL ? "" : text;
}

static bool is_known(struct import *import, const char *what, int64_t held, bool *ret_known,
                     struct err *err)
{
    if (!import_is_known(import, what, held, ret_known, err))
        return false;
    import->decisions += !*ret_known;
    return true;
}

/* Who decided something said why: a line without is none that `export` wrote. */
static bool reason_check(const char *reason, const char *name, struct err *err)
{
    return reason[strspn(reason, " ")] != '\0' ||
           err_set(err, ERR_INPUT, "%s: it has no reason; write why into `reason`", name);
}

bool import_acceptance(struct import *import, const json_t *line, const char *name, struct err *err)
{
    bool known;
    int64_t held;
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
           is_known(import, what, held, &known, err) &&
           (known ||
            (db_begin(import->db, err) &&
             db_end(import->db, ledger_accept(import->db, &entry, import->arena, &ignored, err),
                    err)) ||
            err_prefix(err, "%s", name));
}

bool import_rebaseline(struct import *import, const json_t *line, const char *name, struct err *err)
{
    bool known;
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
    if (!rebaseline_count(import->db, &row, import->arena, &series, &held, err) ||
        !is_known(import, what, held, &known, err))
        return false;
    const struct rebaseline_entry entry = {.series = series,
                                           .after_profile_id = row.after_profile_id,
                                           .is_whole = after == NULL,
                                           .reason = row.reason,
                                           .origin = row.origin};
    return known || ledger_rebaseline(import->db, &entry, &ignored, err) ||
           err_prefix(err, "%s", name);
}

static bool status_read(const char *status, const char *name, enum change_point_status *ret_status,
                        struct err *err)
{
    for (int i = 0; i < CHANGE_POINT_STATUS_COUNT; i++)
        if (strcmp(change_point_status_names[i], status) == 0) {
            *ret_status = (enum change_point_status)i;
            return true;
        }
    return err_set(err, ERR_INPUT, "%s: a change point is not '%.40s'", name, status);
}

bool import_change_point(struct import *import, const json_t *line, const char *name,
                         struct err *err)
{
    bool known;
    int64_t held, id;
    struct change_point_entry point = {
        .measure = text_or_empty(line, "measure"),
        .before = json_number_value(json_object_get(line, "before")),
        .after = json_number_value(json_object_get(line, "after")),
        .method = text_or_empty(line, "method"),
        .evidence = import_text(line, "evidence"),
        .origin = import_origin(line),
    };
    if (!import_find(import, text_or_empty(line, "profile"), name, &point.at_profile_id, err) ||
        !status_read(text_or_empty(line, "status"), name, &point.status, err))
        return false;
    if (point.at_profile_id == IMPORT_LEFT_OUT)
        return import_left_out(import, name, line);
    const char *what =
        arena_printf(import->arena, "change p%" PRId64 " %s %d %a %a %s", point.at_profile_id,
                     point.measure, (int)point.status, point.before, point.after, point.method);
    return (change_point_count(import->db, &point, &held, err) &&
            is_known(import, what, held, &known, err) &&
            (known || change_point_add(import->db, &point, &id, err))) ||
           err_prefix(err, "%s", name);
}

bool import_report(struct import *import, const json_t *line, const char *name, struct err *err)
{
    bool known;
    int64_t held, id;
    struct trend_report report;
    const struct report_entry entry = {.report = &report,
                                       .document = text_or_empty(line, "document"),
                                       .origin = import_origin(line)};
    scoped_json *root = json_parse(entry.document, strlen(entry.document), name, err);
    if (root == NULL || !trend_report_from_json(root, name, import->arena, &report, err))
        return false;
    const char *what = arena_printf(import->arena, "report %s %s", report.project, entry.document);
    return (ledger_report_count(import->db, report.project, entry.document, &held, err) &&
            is_known(import, what, held, &known, err) &&
            (known || /* one of that name and end that says something else was made here */
             (db_begin(import->db, err) &&
              db_end(import->db, ledger_append_report_within(import->db, &entry, &id, err),
                     err)))) ||
           err_prefix(err, "%s", name);
}
