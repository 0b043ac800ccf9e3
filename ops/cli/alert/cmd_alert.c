/* stepledger alert: alerts and what people say about them, what was told, what could not be, and
 * trying a destination out. */
#include "ops/cli/alert/alert_actions.h"
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"

#include <string.h>

static const struct {
    const char *name;
    bool (*connect)(struct cli *cli, struct db **ret_db, struct err *err); /* NULL: needs none */
    bool (*run)(struct cli *cli, struct db *db, struct err *err);
} actions[] = {
    {"list", connect_reader, alert_action_list},
    {"show", connect_reader, alert_action_show},
    {"acknowledge", connect_ledger, alert_action_respond},
    {"silence", connect_ledger, alert_action_respond},
    {"dismiss", connect_ledger, alert_action_respond},
    {"reopen", connect_ledger, alert_action_respond},
    {"retry", connect_ledger, alert_action_retry},
    {"test", NULL, alert_action_test},
    {"graph", NULL, alert_action_graph},
};
enum { ACTION_COUNT = sizeof actions / sizeof actions[0] };

static bool alert(struct cli *cli, struct err *err)
{
    const char *names[ACTION_COUNT];
    for (size_t i = 0; i < ACTION_COUNT; i++) {
        scoped_db *db = NULL;
        names[i] = actions[i].name;
        if (strcmp(actions[i].name, cli->operands[0]) == 0)
            return (actions[i].connect == NULL || actions[i].connect(cli, &db, err)) &&
                   actions[i].run(cli, db, err);
    }
    return err_set(err, ERR_USAGE, "unknown action '%s'%s", cli->operands[0],
                   text_choices(cli->operands[0], names, ACTION_COUNT).words);
}

static const struct cli_option options[] = {
    {"state", CLI_CHOICE, "pending|sending|done|dead|superseded", NULL,
     "list: only messages in this state"},
    {"last", CLI_INT, "N", "100", "list: how many, newest first"},
    {"format", CLI_CHOICE, "json|text", "json", "list: what to print"},
    {"all", CLI_FLAG, NULL, NULL, "list: resolved alerts too; retry: every dead message"},
    {"reason", CLI_TEXT, "WHY", NULL, "acknowledge, silence, dismiss, reopen: why"},
    {"until", CLI_TEXT, "TIME", NULL, "silence: 2026-11-30 or 2026-11-30T08:00Z"},
    {"for", CLI_INT, "SECONDS", NULL,
     "silence: how long (default: an alert until it is resolved, a project for a day)"},
    {"commit", CLI_TEXT, "SHA", NULL, "test: of destinations that show the state of commits"},
    {"branch", CLI_TEXT, "B", NULL, "silence: only this one; test: pull/NUMBER for comments"},
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
        "A DESTINATION is a section of the configuration: [destination NAME] with its kind\n"
        "(`stepledger help alerts` lists them, and what each needs), its url, and by reference\n"
        "(env:NAME, file:/PATH, credential:NAME) its secret; of mail also from and to, the secret\n"
        "USER:PASSWORD.\n\n"
        "exit: 0 done · 2 usage · 6 no such alert or message · 65 not possible in its state ·\n"
        "      69 database away, or the test was not delivered",
    .run = alert,
};
