/* stepledger alert acknowledge|silence|dismiss|reopen: what people say about an alert; and the
 * silence of a project. */
#include "history/alert/alert.h"
#include "history/lease/lease.h"
#include "ops/cli/cli.h"
#include "ops/cli/alert/alert_actions.h"
#include "ops/cli/operand/operand.h"
#include "ops/runtime/clock.h"

#include <string.h>

enum { MS_PER_S = 1000, US_PER_MS = 1000, SILENCE_MAX_S = 366 * 86400 };

/* ---- how long -------------------------------------------------------------------------------- */

/* 0: neither is given. */
static bool silent_ms_read(const struct cli *cli, int64_t *ret_ms, struct err *err)
{
    int64_t until_us = 0;
    bool for_given = cli_given(cli, "for"), until_given = cli_given(cli, "until");
    *ret_ms = 0;
    if ((for_given || until_given) && strcmp(cli->operands[0], "silence") != 0)
        return err_set(err, ERR_USAGE, "alert %s: --for and --until are for silence alone",
                       cli->operands[0]);
    if (for_given && until_given)
        return err_set(err, ERR_USAGE, "--for and --until exclude each other");
    if (for_given)
        *ret_ms = cli_int(cli, "for") > INT64_MAX / MS_PER_S ? -1 : cli_int(cli, "for") * MS_PER_S;
    if (until_given && !moment_read(cli_text(cli, "until"), &until_us))
        return err_set(err, ERR_USAGE,
                       "option --until: '%s' is no time like 2026-11-30, 2026-11-30T08:00 (UTC) or "
                       "2026-11-30T08:00:00+01:00",
                       cli_text(cli, "until"));
    if (until_given)
        *ret_ms = (until_us - clock_wall_us()) / US_PER_MS;
    if ((for_given || until_given) && (*ret_ms < 1 || *ret_ms > (int64_t)SILENCE_MAX_S * MS_PER_S))
        return err_set(err, ERR_USAGE, "option --%s: %s is not from now to 366 days from now",
                       for_given ? "for" : "until", cli_text(cli, for_given ? "for" : "until"));
    return true;
}

static bool reason_read(struct cli *cli, const char **ret_reason, struct err *err)
{
    if (cli_text(cli, "reason") == NULL)
        return err_set(err, ERR_USAGE, "alert %s: --reason is missing: others will ask",
                       cli->operands[0]);
    return decide_reason(cli, ret_reason, err);
}

/* ---- silence --------------------------------------------------------------------------------- */

struct silenced {
    const char *project, *workload, *branch, *until_utc;
};

static const struct member silenced_members[] = {
    M_FIELDS(silenced, project, workload, branch, until_utc),
};
static const struct record silenced_record = RECORD_OF(silenced, silenced_members);

static bool project_silence(struct cli *cli, struct db *db, struct err *err)
{
    const int64_t day_ms = INT64_C(86400) * MS_PER_S;
    struct silenced silenced;
    struct silence silence = {
        .project = cli_text(cli, "project") != NULL ? cli_text(cli, "project")
                                                    : conf_text(&cli->conf, CONF_project),
        .workload = cli_text(cli, "workload"),
        .branch = cli_text(cli, "branch"),
    };
    if (silence.project[0] == '\0')
        return err_set(err, ERR_USAGE, "alert silence: name an alert (l12), or --project");
    if (!reason_read(cli, &silence.reason, err) || !silent_ms_read(cli, &silence.ms, err))
        return false;
    silence.ms = silence.ms == 0 ? day_ms : silence.ms;
    silenced = (struct silenced){silence.project, silence.workload, silence.branch, NULL};
    return silence_add(db, &silence, &cli->arena, &silenced.until_utc, err) &&
           record_emit(&silenced_record, &silenced, err);
}

/* ---- one alert ------------------------------------------------------------------------------- */

/* "l12", or "v7": the alert of that verdict. *ret_verdict_id 0: no verdict is meant. */
static bool alert_named(struct cli *cli, struct db *db, struct alert_key *ret_key,
                        int64_t *ret_verdict_id, struct err *err)
{
    const char *name = cli->operands[1];
    int64_t event_id;
    *ret_verdict_id = 0;
    if (name[0] == 'l' && text_parse_i64(name + 1, &event_id) && event_id > 0)
        return alert_find(db, event_id, &cli->arena, ret_key, err);
    if (name[0] != 'v')
        return err_set(err, ERR_USAGE, "'%s' is neither an alert (l12) nor a verdict (v7)", name);
    struct verdict *verdict = arena_new(&cli->arena, struct verdict);
    if (!decide_verdict(cli, db, name, ret_verdict_id, verdict, err))
        return false;
    *ret_key = alert_key_of(verdict);
    return true;
}

struct decided {
    const char *alert;
    struct alert_key key;
    struct alert_change change;
    const char *reason;
};

static const struct member decided_members[] = {
    M_FIELDS(decided, alert, reason),
    M_CHOICE_AS("state", decided, change.after, enum alert_state, alert_state_names),
    M_CHOICE_AS("was", decided, change.before.state, enum alert_state, alert_state_names),
    M_TEXT_AS("project", decided, key.project),
    M_TEXT_AS("workload", decided, key.workload),
    M_TEXT_AS("series", decided, key.series),
    M_TEXT_AS("branch", decided, key.branch),
};
static const struct record decided_record = RECORD_OF(decided, decided_members);

bool alert_action_respond(struct cli *cli, struct db *db, struct err *err)
{
    const char *name = cli->operands[0];
    if (cli->operand_count == 1 && strcmp(name, alert_action_names[ALERT_SILENCE]) == 0)
        return project_silence(cli, db, err);
    struct decided decided = {.alert = cli->operands[1]};
    struct alert_response response = {
        .action = (enum alert_action)text_index(name, alert_action_names, ALERT_ACTION_COUNT),
        .by = decide_person(cli),
    };
    scoped_transaction *open = NULL;
    if (!alert_operands_expect(cli, 1, "an alert (l12) or a verdict (v7)", err) ||
        !reason_read(cli, &response.reason, err) ||
        !silent_ms_read(cli, &response.silent_ms, err) ||
        !alert_named(cli, db, &decided.key, &response.verdict_id, err) ||
        !transaction_open(db, &open, err) ||
        !alert_respond(db, &decided.key, &response, &decided.change, err) ||
        !transaction_close(&open, err))
        return false;
    decided.reason = response.reason;
    return record_emit(&decided_record, &decided, err);
}
