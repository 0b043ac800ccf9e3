/* stepledger alert: alerts and what people say about them, what was told, what could not be, and
 * trying a destination out. */
#include "history/alert/alert.h"
#include "history/lease/lease.h"
#include "ops/cli/alert_actions.h"
#include "ops/cli/commands.h"
#include "ops/cli/connect.h"
#include "ops/flow/tell/tell.h"
#include "ops/runtime/json.h"

#include <inttypes.h>
#include <string.h>

enum { DOCUMENT_MAX_BYTES = 16 << 20 };

bool alert_document_print(const json_t *document, struct err *err)
{
    scoped_text out;
    text_init(&out, DOCUMENT_MAX_BYTES);
    if (document == NULL)
        return err_set_memory(err, "no memory for the document");
    json_print(document, JSON_STYLE_INDENTED, &out);
    return text_ok(&out, "the document", err) && cli_emit(NULL, &out, err);
}

bool alert_operands_expect(const struct cli *cli, size_t count, const char *what, struct err *err)
{
    size_t given = cli->operand_count - 1;
    if (given == count)
        return true;
    if (given > count)
        return err_set(err, ERR_USAGE, "alert %s: unexpected operand '%s'", cli->operands[0],
                       cli->operands[count + 1]);
    return err_set(err, ERR_USAGE, "alert %s: %s is missing", cli->operands[0], what);
}

bool alert_number_read(const char *text, int64_t *ret_id, struct err *err)
{
    return (text_parse_i64(text, ret_id) && *ret_id > 0) ||
           err_set(err, ERR_USAGE, "'%s' is no number of a message", text);
}

/* ---- graph ---------------------------------------------------------------------------------- */

bool alert_action_graph(struct cli *cli, struct db *db, struct err *err)
{
    (void)db;
    scoped_text out;
    text_init(&out, DOCUMENT_MAX_BYTES);
    if (!alert_operands_expect(cli, 0, "", err))
        return false;
    text_addf(&out, "alerts\n%-13s %-13s %-12s %s\n", "from", "to", "action", "when");
    for (size_t i = 0; i < alert_transition_count; i++) {
        const struct alert_transition *move = &alert_transitions[i];
        text_addf(&out, "%-13s %-13s %-12s %s\n", alert_state_names[move->from],
                  alert_state_names[move->to], alert_action_names[move->action], move->when);
    }
    text_addf(&out, "\nmessages\n%-11s %-11s %-17s %s\n", "from", "to", "action", "when");
    for (size_t i = 0; i < outbox_move_count; i++) {
        const struct state_move *move = &outbox_moves[i];
        text_addf(&out, "%-11s %-11s %-17s %s\n", outbox_state_names[move->from],
                  outbox_state_names[move->to], move->action, move->when);
    }
    text_addf(&out,
              "\nretries: after attempt n a wait of 0 to min(%" PRId64 " ms, %" PRId64
              " ms * 2^n), never less than the receiver asks for;\n"
              "at most %" PRId64 " attempts; chat 24 h, states of commits 6 h after the verdict.\n"
              "A destination that refuses %d times in a row (credential, address), says that it is "
              "gone,\nor takes nothing for 5 days is disabled for an hour, then for twice as long, "
              "at most a day;\nthen one message is tried. `alert retry DESTINATION` opens it at "
              "once.\nFinished messages are removed after %" PRId64
              " days, those of open alerts after a year; their receipts stay.\n",
              conf_int(&cli->conf, CONF_delivery_cap_ms),
              conf_int(&cli->conf, CONF_delivery_base_ms),
              conf_int(&cli->conf, CONF_delivery_attempts), OUTBOX_REFUSALS_MAX,
              conf_int(&cli->conf, CONF_outbox_keep_days));
    return text_ok(&out, "the graph", err) && cli_write(out.data, out.length, err);
}

/* ---- retry ---------------------------------------------------------------------------------- */

static bool revival_print(const struct revival_list *list, const char *destination, struct err *err)
{
    scoped_json *messages = json_array(), *kept = json_array();
    for (size_t i = 0; i < list->count; i++) {
        const struct revival *revival = &list->items[i];
        if (revival->why[0] == '\0')
            (void)json_array_append_new(messages, json_integer((json_int_t)revival->id));
        else
            (void)json_array_append_new(kept,
                                        json_pack("{s:I, s:o}", "message", (json_int_t)revival->id,
                                                  "why", json_text(revival->why)));
    }
    scoped_json *document = json_pack("{s:o, s:O, s:O}", "destination", json_text(destination),
                                      "messages", messages, "not_sent", kept);
    return alert_document_print(document, err);
}

/* Whether each message that was named is on its way. */
static bool named_are_sent(const struct outbox_ids *named, const struct revival_list *list,
                           struct err *err)
{
    for (size_t i = 0; i < named->count; i++) {
        const struct revival *found = NULL;
        for (size_t j = 0; j < list->count; j++)
            if (list->items[j].id == named->items[i])
                found = &list->items[j];
        if (found == NULL)
            return err_set(err, ERR_MISSING,
                           "message %" PRId64 " is not dead (`alert list` shows messages)",
                           named->items[i]);
        if (found->why[0] != '\0')
            return err_set(err, ERR_INPUT, "message %" PRId64 " is not sent: %s", found->id,
                           found->why);
    }
    return true;
}

static bool is_number(const char *operand)
{
    return operand[strspn(operand, "0123456789")] == '\0';
}

bool alert_action_retry(struct cli *cli, struct db *db, struct err *err)
{
    size_t count = cli->operand_count - 1;
    struct outbox_selection chosen = {{arena_array(&cli->arena, int64_t, count), count}, NULL};
    struct revival_list list;
    if (chosen.ids.items == NULL)
        return arena_failed(&cli->arena, "the command line", err);
    if ((count == 0) != cli_given(cli, "all"))
        return err_set(
            err, ERR_USAGE,
            "alert retry: name messages by their numbers, or a destination, or say --all");
    if (count == 1 && !is_number(cli->operands[1])) {
        chosen = (struct outbox_selection){.destination = cli->operands[1]};
        if (!destination_reopen(db, chosen.destination, err))
            return false;
    }
    for (size_t i = 0; i < chosen.ids.count; i++)
        if (!alert_number_read(cli->operands[i + 1], &chosen.ids.items[i], err))
            return false;
    return notify_revive(db, &cli->conf, &chosen, &cli->arena, &list, err) &&
           revival_print(&list, chosen.destination, err) && named_are_sent(&chosen.ids, &list, err);
}

/* ---- the command ---------------------------------------------------------------------------- */

static const struct {
    const char *name;
    bool (*connect)(struct cli *cli, struct db **ret_db, struct err *err); /* NULL: needs none */
    bool (*run)(struct cli *cli, struct db *db, struct err *err);
} actions[] = {
    {"list", connect_reader, alert_action_list},
    {"show", connect_reader, alert_action_show},
    {"acknowledge", connect_ledger, alert_action_acknowledge},
    {"silence", connect_ledger, alert_action_silence},
    {"dismiss", connect_ledger, alert_action_dismiss},
    {"reopen", connect_ledger, alert_action_reopen},
    {"retry", connect_ledger, alert_action_retry},
    {"test", NULL, alert_action_test},
    {"graph", NULL, alert_action_graph},
};
enum { ACTION_COUNT = sizeof actions / sizeof actions[0], NAMES_BYTES = 200 };

static int action_unknown(struct cli *cli)
{
    struct err err = {0};
    const char *names[ACTION_COUNT];
    scoped_text list;
    text_init(&list, NAMES_BYTES);
    for (size_t i = 0; i < ACTION_COUNT; i++) {
        names[i] = actions[i].name;
        text_addf(&list, "%s%s", i == 0 ? "" : ", ", names[i]);
    }
    const char *near = text_nearest(cli->operands[0], names, ACTION_COUNT);
    (void)err_set(&err, ERR_USAGE, "unknown action '%s'%s%s: %s", cli->operands[0],
                  near == NULL ? "" : "; did you mean ", near == NULL ? "" : near,
                  text_shown(&list));
    return cli_fail(cli, &err);
}

static int run_alert(struct cli *cli)
{
    struct err err = {0};
    for (size_t i = 0; i < ACTION_COUNT; i++) {
        scoped_db *db = NULL;
        if (strcmp(actions[i].name, cli->operands[0]) != 0)
            continue;
        bool done = (actions[i].connect == NULL || actions[i].connect(cli, &db, &err)) &&
                    actions[i].run(cli, db, &err);
        return done ? EXIT_OK : cli_fail(cli, &err);
    }
    return action_unknown(cli);
}

static const struct cli_option options[] = {
    {"state", CLI_CHOICE, "pending|sending|done|dead|superseded", NULL,
     "list: only messages in this state", false},
    {"last", CLI_INT, "N", "100", "list: how many, newest first", false},
    {"format", CLI_CHOICE, "json|text", "json", "list: what to print", false},
    {"all", CLI_FLAG, NULL, NULL, "list: resolved alerts too; retry: every dead message", false},
    {"reason", CLI_TEXT, "WHY", NULL, "acknowledge, silence, dismiss, reopen: why", false},
    {"until", CLI_TEXT, "TIME", NULL, "silence: 2026-11-30 or 2026-11-30T08:00Z", false},
    {"for", CLI_INT, "SECONDS", NULL,
     "silence: how long (default: an alert until it is resolved, a project for a day)", false},
    {"commit", CLI_TEXT, "SHA", NULL, "test: of destinations that show the state of commits",
     false},
    {"branch", CLI_TEXT, "B", NULL, "silence: only this one; test: pull/NUMBER for comments",
     false},
    CLI_PROJECT,
    CLI_WORKLOAD,
    CLI_DB,
    CLI_DB_READ,
    CLI_END,
};

const struct cli_command cmd_alert = {
    .name = "alert",
    .line = "alerts, what people say about them, and the messages about them",
    .operands = "ACTION [ALERT|VERDICT|MESSAGE|DESTINATION]...",
    .operand_min = 1,
    .operand_max = -1,
    .options = options,
    .details =
        "An alert is one workload on one series and branch. The first fail opens it, the first\n"
        "pass resolves it; one that came back lately needs two passes in a row.\n\n"
        "list               alerts: state, age, since which verdict, who decided what; messages.\n"
        "acknowledge ALERT  somebody looks after it: people hear of it again when it gets worse,\n"
        "                   and when it is resolved.\n"
        "silence ALERT      nobody wants to hear of it, until it is resolved or --until.\n"
        "silence            the same of a project (workload, branch) for a while.\n"
        "dismiss ALERT      it is none: nothing is told until it is resolved.\n"
        "reopen ALERT       takes the last word back.\n"
        "show MESSAGE       one message: its bytes, and what became of each attempt.\n"
        "retry MESSAGE      dead messages get all their attempts again, with what was lost after\n"
        "                   them about their alert; not where they are no longer true (not_sent).\n"
        "retry DESTINATION  opens one that was disabled; its dead messages of a day go out.\n"
        "test DESTINATION   sends a test message at once, past the outbox; to W&B the artifact\n"
        "                   profile-summary-stepledger-test.\n"
        "graph              the states of alerts and messages, and the moves between them.\n\n"
        "ALERT is l12, or v7 for the alert of a verdict. States of commits are told whatever\n"
        "people say. `stepledger accept` takes one change with its cost and dismisses its alert.\n"
        "A DESTINATION is a section of the configuration: [destination NAME] with kind = webhook,\n"
        "slack, slack_api, discord, teams, google_chat, mattermost, mail, github_status,\n"
        "github_check, github_comment, gitlab_status, gitlab_note or wandb, its url, and by\n"
        "reference (env:NAME, file:/PATH, credential:NAME) its secret; of mail also from and to,\n"
        "the secret USER:PASSWORD.\n\n"
        "exit: 0 done · 2 usage · 6 no such alert or message · 65 not possible in its state ·\n"
        "      69 database away, or the test was not delivered",
    .run = run_alert,
};
