/* stepledger rebaseline: the baseline of a series begins anew. */
#include "history/decision.h"
#include "ops/cli/commands.h"
#include "ops/cli/connect.h"
#include "ops/cli/decide.h"
#include "ops/runtime/json.h"

#include <stdio.h>

static bool print(const char *series, const struct series_start *start, const char *reason,
                  struct err *err)
{
    char id[24], after[24];
    (void)snprintf(id, sizeof id, "r%lld", (long long)start->rebaseline_id);
    (void)snprintf(after, sizeof after, "p%lld", (long long)start->after_profile_id);
    scoped_json *root =
        json_pack("{s:s, s:s, s:s, s:o}", "rebaseline", id, "series", series, "after_profile",
                  start->after_profile_id > 0 ? after : "p0", "reason", json_text(reason));
    if (root == NULL)
        return err_set(err, ERR_LIMIT, "no memory for the document");
    scoped_text out;
    text_init(&out, 1 << 20);
    json_print(root, JSON_STYLE_INDENTED, &out);
    return cli_emit(NULL, &out, err);
}

/* --after p12, 0 when it is not given. */
static bool after_read(const struct cli *cli, int64_t *ret_after, struct err *err)
{
    const char *name = cli_text(cli, "after");
    *ret_after = 0;
    return name == NULL ||
           (name[0] == 'p' && text_parse_i64(name + 1, ret_after) && *ret_after > 0) ||
           err_set(err, ERR_USAGE, "option --after: '%s' is no profile; one is written p12", name);
}

static bool rebaseline(struct cli *cli, struct db **db, struct err *err)
{
    const char *series = cli->operands[0], *reason;
    struct series_start start;
    int64_t after;
    return decide_reason(cli, &reason, err) && after_read(cli, &after, err) &&
           connect_ledger(cli, db, err) &&
           ledger_rebaseline(*db, series, after, reason, &start, err) &&
           print(series, &start, reason, err);
}

static int run_rebaseline(struct cli *cli)
{
    struct err err = {0};
    struct db *db = NULL;
    bool done = rebaseline(cli, &db, &err);
    db_close(db);
    return done ? EXIT_OK : cli_fail(cli, &err);
}

static const struct cli_option options[] = {
    {"after", CLI_TEXT, "PROFILE", NULL, "the last entry of the old level (default: the newest)",
     false},
    CLI_REASON,
    CLI_DB,
    CLI_END,
};

const struct cli_command cmd_rebaseline = {
    .name = "rebaseline",
    .line = "start the baseline of a series anew",
    .operands = "SERIES",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details =
        "Appends that only entries behind the newest one (or behind --after) are a baseline of\n"
        "the series (s3, as verdicts and `ingest` name it): for a change of level that is here to\n"
        "stay, such as new drivers. Nothing is removed; past verdicts stay as they are.\n\n"
        "exit: 0 recorded · 2 usage · 6 no such series · 65 not the name of a series ·\n"
        "      69 database away",
    .run = run_rebaseline,
};
