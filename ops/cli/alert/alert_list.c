/* stepledger alert list|show: how alerts stand, and what became of messages. */
#include "history/alert/alert.h"
#include "history/lease/lease.h"
#include "ops/cli/cli.h"
#include "ops/cli/alert/failing.h"
#include "ops/cli/alert/alert_actions.h"
#include "ops/runtime/json.h"
#include "ops/runtime/text_harmless.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { DOCUMENT_MAX_BYTES = 16 << 20 };

/* "v7"; JSON null for none. */
static json_t *verdict_json(int64_t id)
{
    char name[24];
    (void)snprintf(name, sizeof name, "v%" PRId64, id);
    return id == 0 ? json_null() : json_string(name);
}

static json_t *name_json(const char *name)
{
    return json_text(name[0] == '\0' ? NULL : name);
}

static json_t *alert_json(const struct alert_row *row)
{
    char id[24];
    (void)snprintf(id, sizeof id, "l%" PRId64, row->id);
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:I, s:o, s:o, s:s, s:o, s:o, s:o}", "alert", id,
        "state", row->state, "project", row->key.project, "workload", row->key.workload, "series",
        name_json(row->key.series), "branch", name_json(row->key.branch), "since_utc",
        json_text(row->since_utc), "age_s", (json_int_t)(row->since_ms / 1000), "since_verdict",
        verdict_json(row->since_verdict_id.value), "verdict", verdict_json(row->verdict_id),
        "moved_at_utc", row->moved_at_utc, "by", json_text(row->by), "reason",
        json_text(row->reason), "until_utc", json_text(row->until_utc));
}

static json_t *row_json(const struct outbox_row *row)
{
    return json_pack("{s:I, s:s, s:s, s:s, s:o, s:i, s:i, s:o, s:o, s:o, s:o, s:o}", "message",
                     (json_int_t)row->id, "destination", row->destination, "state", row->state,
                     "change", row->phase, "headline", json_text(row->headline), "attempt",
                     row->attempt, "max_attempts", row->max_attempts, "last_error",
                     json_text(row->last_error), "verdict", verdict_json(row->verdict_id),
                     "created_at_utc", json_text(row->created_at_utc), "not_before_utc",
                     json_text(row->not_before_utc), "finished_at_utc",
                     json_text(row->finished_at_utc));
}

static json_t *thread_json(const struct thread_row *row)
{
    return json_pack("{s:s, s:s, s:s, s:i, s:o, s:o, s:o}", "destination", row->destination,
                     "alert", row->order_key, "state", row->phase, "opened", row->generation,
                     "headline", json_text(row->headline), "remote_ref", json_text(row->remote_ref),
                     "changed_at_utc", json_text(row->changed_at_utc));
}

struct lists {
    struct alert_page alerts;
    struct destination_page destinations;
    struct thread_page threads;
    struct outbox_page messages;
};

static bool list_json(const struct lists *lists, struct err *err)
{
    scoped_json *alerts = json_array(), *threads = json_array(), *messages = json_array();
    bool made = true;
    for (size_t i = 0; i < lists->alerts.count; i++)
        made &= json_array_append_new(alerts, alert_json(&lists->alerts.items[i])) == 0;
    for (size_t i = 0; i < lists->threads.count; i++)
        made &= json_array_append_new(threads, thread_json(&lists->threads.items[i])) == 0;
    for (size_t i = 0; i < lists->messages.count; i++)
        made &= json_array_append_new(messages, row_json(&lists->messages.items[i])) == 0;
    if (!made)
        return err_set_memory(err, "no memory for the list");
    json_t *document =
        json_pack("{s:O, s:o, s:O, s:O}", "alerts", alerts, "destinations",
                  failing_json(&lists->destinations), "threads", threads, "messages", messages);
    return document_print(NULL, document, err);
}

/* One line, and below it who decided what. */
static void alert_line(const struct alert_row *row, struct text *out)
{
    char age[AGE_BYTES], since[24];
    (void)snprintf(since, sizeof since, "v%" PRId64, row->since_verdict_id.value);
    harmless_line(out, "l%-6" PRId64 " %-12s %-10s %-6s %s/%s%s%s%s%s", row->id, row->state,
                  row->since_utc == NULL ? "-" : age_text(row->since_ms, age),
                  row->since_verdict_id.set ? since : "-", row->key.project, row->key.workload,
                  row->key.branch[0] == '\0' ? "" : ", branch ", row->key.branch,
                  row->key.series[0] == '\0' ? "" : ", series ", row->key.series);
    if (row->reason != NULL)
        harmless_line(out, "%8s%s: %s%s%s", "", row->by, row->reason,
                      row->until_utc == NULL ? "" : ", until ",
                      row->until_utc == NULL ? "" : row->until_utc);
}

static void message_line(const struct outbox_row *row, struct text *out)
{
    char tries[24];
    (void)snprintf(tries, sizeof tries, "%d/%d", row->attempt, row->max_attempts);
    harmless_line(out, "%8" PRId64 "  %-10s %-9s %-7s %s: %s", row->id, row->state, row->phase,
                  tries, row->destination, row->headline != NULL ? row->headline : "-");
    if (row->last_error != NULL)
        harmless_line(out, "%10s%s", "", row->last_error);
}

static bool list_text(const struct lists *lists, struct err *err)
{
    scoped_text out;
    text_init(&out, DOCUMENT_MAX_BYTES);
    harmless_line(&out, "%-7s %-12s %-10s %-6s %s", "alert", "state", "since", "by", "of");
    for (size_t i = 0; i < lists->alerts.count; i++)
        alert_line(&lists->alerts.items[i], &out);
    failing_text(&lists->destinations, &out);
    text_addf(&out, "\n%8s  %-10s %-9s %-7s %s\n", "message", "state", "change", "tries",
              "destination and headline");
    for (size_t i = 0; i < lists->messages.count; i++)
        message_line(&lists->messages.items[i], &out);
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
                                                        : list_json(&lists, err);
}

/* ---- show ------------------------------------------------------------------------------------ */

static json_t *receipts_json(const struct outbox_letter *letter)
{
    scoped_json *list = json_array();
    for (size_t i = 0; i < letter->receipt_count; i++) {
        const struct outbox_receipt *receipt = &letter->receipts[i];
        json_t *item = json_pack(
            "{s:i, s:s, s:o, s:o, s:o, s:o}", "attempt", receipt->attempt, "outcome",
            receipt->outcome, "http_status",
            receipt->http_status == 0 ? json_null() : json_integer(receipt->http_status), "reason",
            json_text(receipt->reason), "remote_ref", json_text(receipt->remote_ref),
            "recorded_at_utc", json_text(receipt->recorded_at_utc));
        if (json_array_append_new(list, item) != 0)
            return NULL;
    }
    return json_incref(list);
}

bool alert_action_show(struct cli *cli, struct db *db, struct err *err)
{
    int64_t id;
    struct outbox_letter letter;
    if (!alert_operands_expect(cli, 1, "the number of a message", err) ||
        !alert_number_read(cli->operands[1], &id, err) ||
        !outbox_show(db, id, &cli->arena, &letter, err))
        return false;
    json_t *body = json_parse(letter.body, letter.body_length, "the message", NULL);
    if (body == NULL)
        body = json_text(letter.body);
    json_t *document =
        json_pack("{s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "message", (json_int_t)id,
                  "destination", letter.destination, "state", letter.state, "change", letter.phase,
                  "alert", letter.order_key, "dedupe_key", letter.dedupe_key, "content_type",
                  letter.content_type, "last_error", json_text(letter.last_error), "body", body,
                  "receipts", receipts_json(&letter));
    return document_print(NULL, document, err);
}
