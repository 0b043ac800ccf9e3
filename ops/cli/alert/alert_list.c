/* stepledger alert list|show: how alerts stand, and what became of messages. */
#include "history/alert/alert.h"
#include "history/lease/lease.h"
#include "ops/cli/alert/alert.h"
#include "ops/cli/alert/alert_actions.h"
#include "ops/cli/cli.h"
#include "ops/runtime/text_harmless.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { DOCUMENT_MAX_BYTES = 16 << 20 };

/* ---- as a document --------------------------------------------------------------------------- */

/* An alert with how long it has stood; names that are empty there are none. */
struct alert_shown {
    struct alert_row row;
    int64_t age_s;
};

static const struct member alert_members[] = {
    M_ENTRY("alert", alert_shown, row.id, 'l'),
    M_TEXT_AS("state", alert_shown, row.state),
    M_TEXT_AS("project", alert_shown, row.key.project),
    M_TEXT_AS("workload", alert_shown, row.key.workload),
    M_TEXT_AS("series", alert_shown, row.key.series),
    M_TEXT_AS("branch", alert_shown, row.key.branch),
    M_TEXT_AS("since_utc", alert_shown, row.since_utc),
    M_INT(alert_shown, age_s),
    M_ENTRY("since_verdict", alert_shown, row.since_verdict_id.value, 'v'),
    M_ENTRY("verdict", alert_shown, row.verdict_id, 'v'),
    M_TEXT_AS("moved_at_utc", alert_shown, row.moved_at_utc),
    M_TEXT_AS("by", alert_shown, row.by),
    M_TEXT_AS("reason", alert_shown, row.reason),
    M_TEXT_AS("until_utc", alert_shown, row.until_utc),
};
static const struct record alert_shown_record = RECORD_OF(alert_shown, alert_members);

static const struct member message_members[] = {
    M_INT_AS("message", outbox_row, id),
    M_FIELDS(outbox_row, destination, state),
    M_TEXT_AS("change", outbox_row, phase),
    M_FIELDS(outbox_row, headline, attempt, max_attempts, last_error),
    M_ENTRY("verdict", outbox_row, verdict_id, 'v'),
    M_FIELDS(outbox_row, created_at_utc, not_before_utc, finished_at_utc),
};
static const struct record message_record = RECORD_OF(outbox_row, message_members);

static const struct member thread_members[] = {
    M_TEXT(thread_row, destination),
    M_TEXT_AS("alert", thread_row, order_key),
    M_TEXT_AS("state", thread_row, phase),
    M_ANY("opened", MEMBER_INT32, FIELD_AT(struct thread_row, generation, int)),
    M_FIELDS(thread_row, headline, remote_ref, changed_at_utc),
};
static const struct record thread_record = RECORD_OF(thread_row, thread_members);

static const struct member failing_members[] = {
    M_TEXT_AS("destination", destination_row, name),
    M_FIELDS(destination_row, disabled_why, disabled_until_utc, paused_until_utc, failing_since_utc,
             waiting),
};
const struct record failing_record = RECORD_OF(destination_row, failing_members);

struct lists {
    struct alert_page alerts;
    struct alert_shown *shown; /* of the document: the same alerts */
    struct destination_page destinations;
    struct thread_page threads;
    struct outbox_page messages;
};

static const struct member list_members[] = {
    M_LIST("alerts", lists, shown, alerts.count, alert_shown, alert_shown_record),
    M_LIST("destinations", lists, destinations.items, destinations.count, destination_row,
           failing_record),
    M_LIST("threads", lists, threads.items, threads.count, thread_row, thread_record),
    M_LIST("messages", lists, messages.items, messages.count, outbox_row, message_record),
};
static const struct record list_record = RECORD_OF(lists, list_members);

static bool list_print(struct lists *lists, struct arena *arena, struct err *err)
{
    lists->shown = arena_array(arena, struct alert_shown, lists->alerts.count);
    for (size_t i = 0; i < lists->alerts.count; i++) {
        struct alert_shown *alert = &lists->shown[i];
        *alert = (struct alert_shown){lists->alerts.items[i], 0};
        alert->age_s = alert->row.since_ms / 1000;
        if (alert->row.key.series[0] == '\0')
            alert->row.key.series = NULL;
        if (alert->row.key.branch[0] == '\0')
            alert->row.key.branch = NULL;
    }
    return record_emit(&list_record, lists, err);
}

/* ---- as text --------------------------------------------------------------------------------- */

void failing_text(const struct destination_page *page, struct text *out)
{
    for (size_t i = 0; i < page->count; i++) {
        const struct destination_row *row = &page->items[i];
        bool is_disabled = row->disabled_why != NULL, pauses = row->paused_until_utc != NULL;
        char messages[FORMAT_COUNTED_BYTES];
        harmless_line(out, "%-10s%s %s %s%s%s; waiting: %s", "receiver", row->name,
                      is_disabled ? "is disabled until"
                      : pauses    ? "pauses until"
                                  : "fails since",
                      is_disabled ? row->disabled_until_utc
                      : pauses    ? row->paused_until_utc
                                  : row->failing_since_utc,
                      is_disabled ? ": " : "", is_disabled ? row->disabled_why : "",
                      format_counted(row->waiting, "message", messages));
    }
}

static bool list_text(const struct lists *lists, struct err *err)
{
    scoped_text out;
    text_init(&out, DOCUMENT_MAX_BYTES);
    harmless_line(&out, "%-7s %-12s %-10s %-6s %s", "alert", "state", "since", "by", "of");
    for (size_t i = 0; i < lists->alerts.count; i++) {
        /* One line, and below it who decided what. */
        const struct alert_row *row = &lists->alerts.items[i];
        char age[AGE_BYTES], since[24];
        (void)snprintf(since, sizeof since, "v%" PRId64, row->since_verdict_id.value);
        harmless_line(&out, "l%-6" PRId64 " %-12s %-10s %-6s %s/%s%s%s%s%s", row->id, row->state,
                      row->since_utc == NULL ? "-" : age_text(row->since_ms, age),
                      row->since_verdict_id.set ? since : "-", row->key.project, row->key.workload,
                      row->key.branch[0] == '\0' ? "" : ", branch ", row->key.branch,
                      row->key.series[0] == '\0' ? "" : ", series ", row->key.series);
        if (row->reason != NULL)
            harmless_line(&out, "%8s%s: %s%s%s", "", row->by, row->reason,
                          row->until_utc == NULL ? "" : ", until ",
                          row->until_utc == NULL ? "" : row->until_utc);
    }
    failing_text(&lists->destinations, &out);
    text_addf(&out, "\n%8s  %-10s %-9s %-7s %s\n", "message", "state", "change", "tries",
              "destination and headline");
    for (size_t i = 0; i < lists->messages.count; i++) {
        const struct outbox_row *row = &lists->messages.items[i];
        char tries[24];
        (void)snprintf(tries, sizeof tries, "%d/%d", row->attempt, row->max_attempts);
        harmless_line(&out, "%8" PRId64 "  %-10s %-9s %-7s %s: %s", row->id, row->state, row->phase,
                      tries, row->destination, row->headline != NULL ? row->headline : "-");
        if (row->last_error != NULL)
            harmless_line(&out, "%10s%s", "", row->last_error);
    }
    return text_ok(&out, "the list", err) && cli_write(out.data, out.length, err);
}

bool alert_action_list(struct cli *cli, struct db *db, struct err *err)
{
    struct lists lists;
    const struct alert_query query = {cli_text(cli, "project"), cli_given(cli, "all"),
                                      cli_int(cli, "last")};
    if (!alert_operands_expect(cli, 0, "", err))
        return false;
    if (query.limit < 1)
        return err_set(err, ERR_USAGE, "option --last: %s is not 1 or more", cli_text(cli, "last"));
    if (!alert_list(db, &query, &cli->arena, &lists.alerts, err) ||
        !thread_list(db, query.limit, &cli->arena, &lists.threads, err) ||
        !destinations_failing(db, &cli->arena, &lists.destinations, err) ||
        !outbox_list(db, cli_text(cli, "state"), query.limit, &cli->arena, &lists.messages, err))
        return false;
    return strcmp(cli_text(cli, "format"), "text") == 0 ? list_text(&lists, err)
                                                        : list_print(&lists, &cli->arena, err);
}

/* ---- show ------------------------------------------------------------------------------------ */

static const struct member receipt_members[] = {
    M_FIELDS(outbox_receipt, attempt, outcome, http_status, reason, remote_ref, recorded_at_utc),
};
static const struct record receipt_record = RECORD_OF(outbox_receipt, receipt_members);

struct message_shown {
    int64_t message;
    struct outbox_letter letter;
    json_t *body; /* its text where it is no JSON */
};

static const struct member letter_members[] = {
    M_INT(message_shown, message),
    M_TEXT_AS("destination", message_shown, letter.destination),
    M_TEXT_AS("state", message_shown, letter.state),
    M_TEXT_AS("change", message_shown, letter.phase),
    M_TEXT_AS("alert", message_shown, letter.order_key),
    M_TEXT_AS("dedupe_key", message_shown, letter.dedupe_key),
    M_TEXT_AS("content_type", message_shown, letter.content_type),
    M_TEXT_AS("last_error", message_shown, letter.last_error),
    M_JSON(message_shown, body),
    M_LIST("receipts", message_shown, letter.receipts, letter.receipt_count, outbox_receipt,
           receipt_record),
};
static const struct record letter_record = RECORD_OF(message_shown, letter_members);

bool alert_action_show(struct cli *cli, struct db *db, struct err *err)
{
    struct message_shown shown;
    struct outbox_letter *letter = &shown.letter;
    if (!alert_operands_expect(cli, 1, "the number of a message", err) ||
        !alert_number_read(cli->operands[1], &shown.message, err) ||
        !outbox_show(db, shown.message, &cli->arena, letter, err))
        return false;
    scoped_json *body = json_parse(letter->body, letter->body_length, "the message", NULL);
    if (body == NULL)
        body = json_text(letter->body);
    shown.body = body;
    return record_emit(&letter_record, &shown, err);
}
