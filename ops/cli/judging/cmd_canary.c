/* stepledger canary: the gate's own false-alarm rate and power, on a series' past. */
#include "compare/gate/gate.h"
#include "compare/policy/policy.h"
#include "history/alert/alert.h"
#include "history/profiles/profiles.h"
#include "history/verdicts/verdicts.h"
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/flow/judge/judge.h"
#include "ops/present/trend/trend.h"

#include <string.h>
#include <unistd.h>

enum { DOCUMENT_MAX_BYTES = 4 << 20, RUNS_MAX = 2000 };

struct canary_call {
    struct cli *cli;
    struct db *db;
    struct arena *arena;
    struct gate_policy policy;
    struct canary_input input;
    struct canary_report report;
};

/* The series of the branch's newest run, when none is given. */
static bool series_choose(struct canary_call *call, const struct baseline_query *any,
                          struct err *err)
{
    struct place_list newest;
    struct ledger_profile profile;
    struct baseline_query query = *any;
    query.run_limit = 1;
    if (!ledger_baseline_places(call->db, &query, call->arena, &newest, err))
        return false;
    if (newest.count == 0)
        return err_set(err, ERR_MISSING,
                       "project '%s', workload '%s' has no profile of branch '%s'", any->project,
                       any->workload, any->branch);
    if (!ledger_load_header(call->db, newest.items[0].id, call->arena, &profile, err))
        return false;
    call->input.series = profile.series;
    return true;
}

static bool profiles_load(struct canary_call *call, struct err *err)
{
    struct level_bounds level;
    struct place_list places;
    struct baseline_query query = {
        .project = call->input.project,
        .workload = call->input.workload,
        .branch = call->input.branch,
        .run_limit = cli_int(call->cli, "last"),
    };
    if ((call->input.series == NULL && !series_choose(call, &query, err)) ||
        !ledger_level_bounds(call->db, call->input.series, 0, &level, err))
        return false;
    query.series = call->input.series;
    query.since_id = level.start.profile_id;
    query.with_since = level.start.change_point_id != 0;
    if (!ledger_baseline_places(call->db, &query, call->arena, &places, err))
        return false;
    int64_t *ids = arena_array(call->arena, int64_t, places.count);
    size_t count = 0;
    for (size_t i = places.count; i-- > 0;) { /* newest first there, oldest first here */
        if (!places.items[i].archived)
            ids[count++] = places.items[i].id;
    }
    return canary_past_load(call->db, (struct profile_numbers){ids, count}, call->arena,
                            &call->input, err);
}

static bool canary(struct cli *cli, struct err *err)
{
    scoped_db *db = NULL;
    struct canary_call made = {.cli = cli, .arena = &cli->arena}, *call = &made;
    call->input.branch = cli_text(cli, "branch");
    call->input.series = cli_text(cli, "series");
    call->input.runs_a_side = cli_int(cli, "runs");
    int64_t last = cli_int(cli, "last");
    if (call->input.runs_a_side < 1 || last < 1 || last > RUNS_MAX ||
        call->input.runs_a_side > last)
        return err_set(err, ERR_USAGE, "--runs %lld of --last %lld: from 1 to %d",
                       (long long)call->input.runs_a_side, (long long)last, RUNS_MAX);
    if (!cli_scope(cli, &call->input.project, &call->input.workload, err))
        return false;
    const char *path = cli_text(cli, "policy");
    const struct policy_scope scope = {call->input.project, call->input.workload, false};
    struct conf_file file = {0};
    gate_policy_default(&call->policy);
    call->input.policy = &call->policy;
    if (path != NULL && (!conf_file_read(path, call->arena, &file, err) ||
                         !gate_policy_read(&file, &scope, call->arena, &call->policy, err)))
        return false;
    if (!connect_ledger(cli, &db, err))
        return false;
    call->db = db;
    if (!profiles_load(call, err) || !canary_run(&call->input, call->arena, &call->report, err))
        return false;
    if (strcmp(cli_text(cli, "format"), "json") == 0)
        return document_print(NULL, canary_to_json(&call->report), err);
    scoped_text out;
    const struct text_style style = {cli_colour(STDOUT_FILENO), cli_columns(STDOUT_FILENO)};
    text_init(&out, DOCUMENT_MAX_BYTES);
    return canary_text(&call->report, &style, &out, err) && cli_emit(NULL, &out, err);
}

static const struct cli_option options[] = {
    CLI_PROJECT,
    CLI_WORKLOAD,
    {"branch", CLI_TEXT, "B", "main", "runs of this branch"},
    {"series", CLI_TEXT, "S", NULL, "this series (default: of the newest run)"},
    {"runs", CLI_INT, "R", "3", "runs of a candidate"},
    {"last", CLI_INT, "N", "60", "newest runs that take part"},
    {"policy", CLI_TEXT, "FILE", NULL, "the policy that is tried"},
    {"format", CLI_CHOICE, "json|text", "json", "what to print"},
    CLI_DB,
    CLI_END,
};

const struct cli_command cmd_canary = {
    .name = "canary",
    .line = "how often the gate is wrong on a series' own past",
    .operands = "",
    .operand_min = 0,
    .operand_max = 0,
    .options = options,
    .details =
        "Turns the gate on the past of a series, R runs against all comparable runs before: how\n"
        "often it fails (false alarms), and with step times of the candidate made longer by 1 to\n"
        "10 %, how often it catches that (power). Nothing is recorded. Windows\n"
        "across a change of level that a trend of the runs confirms have no part in it; other\n"
        "changes that were real count as false alarms here: re-baseline after them.\n\n"
        "exit: 0 printed · 2 usage · 6 too few runs · 69 database away",
    .run = canary,
};
