/* stepledger accept: a person takes one change with its cost. */
#include "history/alert/alert.h"
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/flow/tell/tell.h"

struct accepting {
    struct cli *cli;
    struct db *db;
    const char *reason, *change_key;
    int64_t verdict_id, id;
    struct verdict verdict;
    struct alert_change change; /* of its alert */
};

/* What is said of it. */
static const struct member accepted_members[] = {
    M_ENTRY("acceptance", accepting, change.acceptance.id, 'a'),
    M_ENTRY("verdict", accepting, verdict_id, 'v'),
    M_CHOICE_AS("alert", accepting, change.after, enum alert_state, alert_state_names),
    M_TEXT_AS("change", accepting, change_key),
    M_FIELDS(accepting, reason),
};
static const struct record accepted_record = RECORD_OF(accepting, accepted_members);

/* Who takes the change wants to hear no more of it. An alert that is settled already, or was never
 * raised, stays as it is. */
static bool alert_dismiss(struct accepting *accepting, struct err *err)
{
    const struct alert_key key = alert_key_of(&accepting->verdict);
    const struct alert_response response = {.action = ALERT_ACCEPT,
                                            .reason = accepting->reason,
                                            .by = decide_person(accepting->cli),
                                            .verdict_id = accepting->verdict_id};
    struct err refused = {0};
    if (alert_respond(accepting->db, &key, &response, &accepting->change, &refused) ||
        refused.kind == ERR_MISSING || refused.kind == ERR_INPUT)
        return true;
    return err_set(err, refused.kind, "%s", refused.text);
}

/* What shows the commit learns it now, not from its next judgement. */
static bool accept_all(struct accepting *accepting, struct err *err)
{
    struct db *db = accepting->db;
    struct cli *cli = accepting->cli;
    const struct flow flow = connect_flow(cli, db);
    const struct acceptance_entry entry = {.verdict_id = accepting->verdict_id,
                                           .change_key = accepting->change_key,
                                           .reason = accepting->reason,
                                           .by = decide_person(cli)};
    scoped_transaction *open = NULL;
    return transaction_open(db, &open, err) && alert_dismiss(accepting, err) &&
           ledger_accept(db, &entry, &cli->arena, &accepting->change.acceptance, err) &&
           notify_accepted(&flow, &accepting->verdict, accepting->verdict_id, &accepting->change,
                           err) &&
           transaction_close(&open, err);
}

static bool accept_run(struct cli *cli, struct err *err)
{
    scoped_db *db = NULL;
    struct accepting accepting = {.cli = cli};
    const char *name = cli->operands[0];
    if (!decide_reason(cli, &accepting.reason, err) || !connect_ledger(cli, &db, err) ||
        !decide_verdict(cli, db, name, &accepting.verdict_id, &accepting.verdict, err))
        return false;
    accepting.db = db;
    /* A pass needs no acceptance, and what could not be judged cannot be accepted. */
    enum verdict_status status = accepting.verdict.status;
    if (status != VERDICT_FAIL && status != VERDICT_WARN)
        return err_set(err, ERR_INPUT, "verdict %s is %s: only a fail or a warning can be accepted",
                       name, verdict_status_names[status]);
    accepting.change_key = verdict_change_key(&accepting.verdict, &cli->arena);
    if (accepting.change_key == NULL)
        return err_set(err, ERR_LIMIT, "verdict %s has more profiles than a change is named by",
                       name);
    return accept_all(&accepting, err) && record_emit(&accepted_record, &accepting, err);
}

static const struct cli_option options[] = {
    CLI_REASON,
    CLI_DB,
    CLI_END,
};

const struct cli_command cmd_accept = {
    .name = "accept",
    .line = "take one change with its cost",
    .operands = "VERDICT",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .required = "reason",
    .details =
        "Appends an acceptance of the change that the verdict judged: its commit, or its profiles\n"
        "when no commit is known. Later gates of the same change say so and exit 0, its commit\n"
        "status turns green, and people hear no more of it. It covers what was accepted: a loss\n"
        "up to the upper end of that verdict's interval (or a point above its estimate), by what\n"
        "that verdict names. What is beyond fails again, says by how much, and can be accepted\n"
        "too. Every other change, also of the same branch, is judged and told as before. No\n"
        "verdict is changed or removed.\n\n"
        "exit: 0 accepted · 2 usage · 6 no such verdict · 65 the verdict is no fail or warning ·\n"
        "      69 database away",
    .run = accept_run,
};
