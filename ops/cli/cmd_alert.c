/* stepledger alert: what was told, what could not be, and trying a destination out. */
#include "alerts/card.h"
#include "alerts/channels.h"
#include "history/outbox_admin.h"
#include "history/outbox_state.h"
#include "ops/cli/commands.h"
#include "ops/cli/connect.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DOCUMENT_MAX_BYTES = 16 << 20, MS_PER_S = 1000, SILENCE_MAX_S = 366 * 86400 };

static bool document_print(const json_t *document, struct err *err)
{
    scoped_text out;
    text_init(&out, DOCUMENT_MAX_BYTES);
    if (document == NULL)
        return err_set(err, ERR_LIMIT, "no memory for the document");
    json_print(document, JSON_STYLE_INDENTED, &out);
    return text_ok(&out, "the document", err) && cli_emit(NULL, &out, err);
}

static bool operands_expect(const struct cli *cli, size_t count, const char *what, struct err *err)
{
    size_t given = cli->operand_count - 1;
    if (given == count)
        return true;
    if (given > count)
        return err_set(err, ERR_USAGE, "alert %s: unexpected operand '%s'", cli->operands[0],
                       cli->operands[count + 1]);
    return err_set(err, ERR_USAGE, "alert %s: %s is missing", cli->operands[0], what);
}

/* ---- graph ----------------------------------------------------------------------------------- */

static bool graph_print(struct cli *cli, struct db *db, struct err *err)
{
    (void)db;
    scoped_text out;
    text_init(&out, DOCUMENT_MAX_BYTES);
    if (!operands_expect(cli, 0, "", err))
        return false;
    text_addf(&out, "%-11s %-11s %-17s %s\n", "from", "to", "action", "when");
    for (size_t i = 0; i < outbox_transition_count; i++) {
        const struct outbox_transition *move = &outbox_transitions[i];
        text_addf(&out, "%-11s %-11s %-17s %s\n", outbox_state_names[move->from],
                  outbox_state_names[move->to], move->action, move->when);
    }
    text_addf(&out,
              "\nretries: after attempt n a wait of 0 to min(%" PRId64 " ms, %" PRId64
              " ms * 2^n), never less than the receiver asks for;\n"
              "at most %" PRId64 " attempts; chat 24 h, states of commits 6 h after the verdict.\n",
              conf_int(&cli->conf, CONF_delivery_cap_ms),
              conf_int(&cli->conf, CONF_delivery_base_ms),
              conf_int(&cli->conf, CONF_delivery_attempts));
    return text_ok(&out, "the graph", err) && cli_write(out.data, out.length, err);
}

/* ---- list ------------------------------------------------------------------------------------ */

static json_t *row_json(const struct outbox_row *row)
{
    char verdict[24];
    (void)snprintf(verdict, sizeof verdict, "v%" PRId64, row->verdict_id);
    return json_pack(
        "{s:I, s:s, s:s, s:s, s:o, s:i, s:i, s:o, s:o, s:o, s:o, s:o}", "message",
        (json_int_t)row->id, "destination", row->destination, "state", row->state, "change",
        row->phase, "headline", json_text(row->headline), "attempt", row->attempt, "max_attempts",
        row->max_attempts, "last_error", json_text(row->last_error), "verdict",
        json_text(row->verdict_id == 0 ? NULL : verdict), "created_at_utc",
        json_text(row->created_at_utc), "not_before_utc", json_text(row->not_before_utc),
        "finished_at_utc", json_text(row->finished_at_utc));
}

static json_t *thread_json(const struct thread_row *row)
{
    return json_pack("{s:s, s:s, s:s, s:i, s:o, s:o, s:o}", "destination", row->destination,
                     "alert", row->order_key, "state", row->phase, "opened", row->generation,
                     "headline", json_text(row->headline), "remote_ref", json_text(row->remote_ref),
                     "changed_at_utc", json_text(row->changed_at_utc));
}

static bool list_json(const struct outbox_page *page, const struct thread_page *threads,
                      struct err *err)
{
    scoped_json *messages = json_array(), *alerts = json_array();
    bool made = true;
    for (size_t i = 0; i < page->count; i++)
        made &= json_array_append_new(messages, row_json(&page->items[i])) == 0;
    for (size_t i = 0; i < threads->count; i++)
        made &= json_array_append_new(alerts, thread_json(&threads->items[i])) == 0;
    if (!made)
        return err_set(err, ERR_LIMIT, "no memory for the list");
    scoped_json *document = json_pack("{s:O, s:O}", "alerts", alerts, "messages", messages);
    return document_print(document, err);
}

static bool list_text(const struct outbox_page *page, const struct thread_page *threads,
                      struct err *err)
{
    scoped_text out;
    text_init(&out, DOCUMENT_MAX_BYTES);
    for (size_t i = 0; i < threads->count; i++)
        text_addf(&out, "%-9s %-16s %s\n", threads->items[i].phase, threads->items[i].destination,
                  threads->items[i].headline != NULL ? threads->items[i].headline : "-");
    text_addf(&out, "%s%8s  %-10s %-9s %-7s %s\n", threads->count > 0 ? "\n" : "", "message",
              "state", "change", "tries", "destination and headline");
    for (size_t i = 0; i < page->count; i++) {
        const struct outbox_row *row = &page->items[i];
        char tries[24];
        (void)snprintf(tries, sizeof tries, "%d/%d", row->attempt, row->max_attempts);
        text_addf(&out, "%8" PRId64 "  %-10s %-9s %-7s %s: %s\n", row->id, row->state, row->phase,
                  tries, row->destination, row->headline != NULL ? row->headline : "-");
        if (row->last_error != NULL)
            text_addf(&out, "%10s%s\n", "", row->last_error);
    }
    return text_ok(&out, "the list", err) && cli_write(out.data, out.length, err);
}

static bool list_print(struct cli *cli, struct db *db, struct err *err)
{
    struct outbox_page page;
    struct thread_page threads;
    int64_t last = cli_int(cli, "last");
    if (!operands_expect(cli, 0, "", err))
        return false;
    if (last < 1)
        return err_set(err, ERR_USAGE, "option --last: %s is not 1 or more", cli_text(cli, "last"));
    if (!outbox_list(db, cli_text(cli, "state"), last, &cli->arena, &page, err) ||
        !thread_list(db, last, &cli->arena, &threads, err))
        return false;
    return strcmp(cli_text(cli, "format"), "text") == 0 ? list_text(&page, &threads, err)
                                                        : list_json(&page, &threads, err);
}

/* ---- show ------------------------------------------------------------------------------------ */

static bool number_read(const char *text, int64_t *ret_id, struct err *err)
{
    return (text_parse_i64(text, ret_id) && *ret_id > 0) ||
           err_set(err, ERR_USAGE, "'%s' is no number of a message", text);
}

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

static bool show_print(struct cli *cli, struct db *db, struct err *err)
{
    int64_t id;
    struct outbox_letter letter;
    if (!operands_expect(cli, 1, "the number of a message", err) ||
        !number_read(cli->operands[1], &id, err) || !outbox_show(db, id, &cli->arena, &letter, err))
        return false;
    json_t *body = json_parse(letter.body, letter.body_length, "the message", NULL);
    if (body == NULL)
        body = json_text(letter.body);
    scoped_json *document =
        json_pack("{s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "message", (json_int_t)id,
                  "destination", letter.destination, "state", letter.state, "change", letter.phase,
                  "alert", letter.order_key, "dedupe_key", letter.dedupe_key, "content_type",
                  letter.content_type, "last_error", json_text(letter.last_error), "body", body,
                  "receipts", receipts_json(&letter));
    return document_print(document, err);
}

/* ---- test ------------------------------------------------------------------------------------ */

/* What a message of any kind of destination can be made of. */
static struct verdict verdict_sample(const struct cli *cli)
{
    return (struct verdict){
        .project = "stepledger",
        .workload = "test",
        .status = VERDICT_PASS,
        .evidence_sha256 = "test",
        .candidate = {.branch = cli_text(cli, "branch"), .commit = cli_text(cli, "commit")},
    };
}

static bool test_send(const struct cli *cli, const struct destination *to, struct arena *arena,
                      struct delivery *ret_delivery, struct err *err)
{
    const struct channel *channel;
    struct message message;
    char id[64];
    struct verdict sample = verdict_sample(cli);
    struct notice notice = {.headline = "a test message: this destination works"};
    if (!channel_find(to->kind, &channel, err))
        return false;
    if (channel->shows_state)
        notice = (struct notice){.verdict = &sample, .details = notice.headline};
    if (channel->takes != NULL && !channel->takes(&notice, to))
        return err_set(err, ERR_USAGE,
                       "destination '%s' is of kind %s: name what it writes to with --commit SHA "
                       "or --branch pull/NUMBER",
                       to->name, to->kind);
    (void)snprintf(id, sizeof id, "test-%" PRId64 "-%d", clock_wall_us(), (int)getpid());
    if (!message_build(&notice, to, arena, &message, err))
        return false;
    const struct delivery_request request = {.content_type = message.content_type,
                                             .body = message.body,
                                             .body_length = message.length,
                                             .message_id = id,
                                             .wall_us = clock_wall_us()};
    return deliver(to, &request, arena, ret_delivery, err);
}

static bool test_print(struct cli *cli, struct db *db, struct err *err)
{
    (void)db;
    scoped_arena arena;
    struct destination to;
    struct delivery delivery = {0};
    arena_init(&arena, cli_budget(cli));
    if (!operands_expect(cli, 1, "the name of a destination", err) ||
        !destination_find(&cli->conf, cli->operands[1], &arena, &to, err) ||
        !test_send(cli, &to, &arena, &delivery, err))
        return false;
    if (delivery.class != DELIVERY_DONE)
        return err_set(err, ERR_UNAVAILABLE, "destination '%s' (%s): %s", to.name,
                       delivery_class_names[delivery.class], delivery.reason);
    scoped_json *document =
        json_pack("{s:s, s:s, s:i, s:o}", "destination", to.name, "outcome", "done", "http_status",
                  delivery.http_status, "remote_ref", json_text(delivery.remote_ref));
    return document_print(document, err);
}

/* ---- retry ----------------------------------------------------------------------------------- */

static bool retry_print(struct cli *cli, struct db *db, struct err *err)
{
    size_t count = cli->operand_count - 1;
    struct outbox_ids chosen = {arena_array(&cli->arena, int64_t, count), count}, done;
    if (chosen.items == NULL)
        return arena_failed(&cli->arena, "the command line", err);
    if ((count == 0) != cli_given(cli, "all"))
        return err_set(err, ERR_USAGE, "alert retry: name messages by their numbers, or say --all");
    for (size_t i = 0; i < count; i++)
        if (!number_read(cli->operands[i + 1], &chosen.items[i], err))
            return false;
    if (!outbox_revive(db, &chosen, &cli->arena, &done, err))
        return false;
    scoped_json *list = json_array();
    for (size_t i = 0; i < done.count; i++)
        (void)json_array_append_new(list, json_integer((json_int_t)done.items[i]));
    scoped_json *document = json_pack("{s:O}", "messages", list);
    if (!document_print(document, err))
        return false;
    return done.count >= count ||
           err_set(err, ERR_MISSING, "%zu of %zu messages are not dead (`alert list` shows them)",
                   count - done.count, count);
}

/* ---- silence --------------------------------------------------------------------------------- */

static bool silence_print(struct cli *cli, struct db *db, struct err *err)
{
    const char *until;
    const struct silence silence = {
        .project = cli_text(cli, "project") != NULL ? cli_text(cli, "project")
                                                    : conf_text(&cli->conf, CONF_project),
        .workload = cli_text(cli, "workload"),
        .branch = cli_text(cli, "branch"),
        .ms = cli_int(cli, "for") * MS_PER_S,
        .reason = cli_text(cli, "reason"),
    };
    if (!operands_expect(cli, 0, "", err))
        return false;
    if (silence.project[0] == '\0')
        return err_set(err, ERR_USAGE, "alert silence: --project is missing");
    if (silence.reason == NULL || silence.reason[0] == '\0')
        return err_set(err, ERR_USAGE, "alert silence: --reason is missing: others will ask");
    if (cli_int(cli, "for") < 1 || cli_int(cli, "for") > SILENCE_MAX_S)
        return err_set(err, ERR_USAGE, "option --for: %s is not from 1 to %d seconds",
                       cli_text(cli, "for"), SILENCE_MAX_S);
    if (!silence_add(db, &silence, &cli->arena, &until, err))
        return false;
    scoped_json *document = json_pack("{s:s, s:o, s:o, s:s}", "project", silence.project,
                                      "workload", json_text(silence.workload), "branch",
                                      json_text(silence.branch), "until_utc", until);
    return document_print(document, err);
}

/* ---- the command ----------------------------------------------------------------------------- */

static const struct {
    const char *name;
    bool needs_ledger;
    bool (*run)(struct cli *cli, struct db *db, struct err *err);
} actions[] = {
    {"list", true, list_print},   {"show", true, show_print},       {"test", false, test_print},
    {"retry", true, retry_print}, {"silence", true, silence_print}, {"graph", false, graph_print},
};
enum { ACTION_COUNT = sizeof actions / sizeof actions[0] };

static int run_alert(struct cli *cli)
{
    struct err err = {0};
    const char *names[ACTION_COUNT];
    for (size_t i = 0; i < ACTION_COUNT; i++) {
        scoped_db *db = NULL;
        names[i] = actions[i].name;
        if (strcmp(actions[i].name, cli->operands[0]) != 0)
            continue;
        bool done = (!actions[i].needs_ledger || connect_ledger(cli, &db, &err)) &&
                    actions[i].run(cli, db, &err);
        return done ? EXIT_OK : cli_fail(cli, &err);
    }
    const char *near = text_nearest(cli->operands[0], names, ACTION_COUNT);
    (void)err_set(
        &err, ERR_USAGE, "unknown action '%s'%s%s: list, show, test, retry, silence, graph",
        cli->operands[0], near == NULL ? "" : "; did you mean ", near == NULL ? "" : near);
    return cli_fail(cli, &err);
}

static const struct cli_option options[] = {
    {"state", CLI_CHOICE, "pending|sending|done|dead|superseded", NULL, "list: only these", false},
    {"last", CLI_INT, "N", "100", "list: how many, newest first", false},
    {"format", CLI_CHOICE, "json|text", "json", "list: what to print", false},
    {"all", CLI_FLAG, NULL, NULL, "retry: every dead message", false},
    {"commit", CLI_TEXT, "SHA", NULL, "test: of destinations that show the state of commits",
     false},
    {"branch", CLI_TEXT, "B", NULL, "silence: only this one; test: pull/NUMBER for comments",
     false},
    {"for", CLI_INT, "SECONDS", "86400", "silence: how long", false},
    {"reason", CLI_TEXT, "WHY", NULL, "silence: why", false},
    CLI_PROJECT,
    CLI_WORKLOAD,
    CLI_DB,
    CLI_END,
};

const struct cli_command cmd_alert = {
    .name = "alert",
    .line = "messages and their destinations: list, show, test, retry, silence, graph",
    .operands = "list|show|test|retry|silence|graph [MESSAGE|DESTINATION]...",
    .operand_min = 1,
    .operand_max = -1,
    .options = options,
    .details =
        "list            alerts as each destination knows them, and messages with their state.\n"
        "show MESSAGE    one message: its bytes, and what became of each attempt.\n"
        "test NAME       sends a test message at once, past the outbox; says what came of it.\n"
        "retry MESSAGE   dead messages get all their attempts again.\n"
        "silence         nothing is told of the project (workload, branch) for a while; states of\n"
        "                commits go on.\n"
        "graph           the states of a message, and how it moves between them.\n\n"
        "exit: 0 done · 2 usage · 6 no such message · 69 database away, or the test was not\n"
        "      delivered",
    .run = run_alert,
};
