/* stepledger gate: is the candidate slower than the baseline, and may one say so? */
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/cli/judging/gate_jobs.h"
#include "ops/cli/judging/gate_report.h"
#include "ops/runtime/log.h"
#include "ops/runtime/text_harmless.h"

#include <stdio.h>

static bool judge_all(struct cli *cli, struct db *db, struct err *err)
{
    struct gate_job_list jobs;
    const char *matrix = cli_text(cli, "matrix");
    if (!(matrix != NULL ? gate_jobs_of_matrix(cli, matrix, &jobs, err)
                         : gate_job_of_options(cli, &jobs, err)))
        return false;
    struct gate_outcome *outcomes = arena_array(&cli->arena, struct gate_outcome, jobs.count);
    /* A job that cannot be judged does not hold the others. */
    const struct flow flow = connect_flow(cli, db);
    for (size_t i = 0; i < jobs.count; i++) {
        gate_judge_job(&flow, &jobs.items[i], &outcomes[i]);
        if (outcomes[i].failure.kind != ERR_NONE) {
            const char *name = outcomes[i].job->name;
            harmless_say("stepledger %s: %s%s%s", cli->command->name, name != NULL ? name : "",
                         name != NULL ? ": " : "", outcomes[i].failure.text);
        }
    }
    struct gate_report report = {.cli = cli, .db = db, .outcomes = outcomes, .count = jobs.count};
    report.is_matrix = cli_given(cli, "matrix");
    report.exit_code = gate_worst_code(cli, outcomes, jobs.count);
    cli->code = (enum exit_code)report.exit_code;
    if (gate_report_print(&report, err) && gate_report_leave(&report, err))
        return true;
    if (report.exit_code == EXIT_OK)
        return false;
    (void)cli_fail(cli, err); /* a verdict that nobody could read stands all the same */
    return true;
}

static bool replay_one(struct cli *cli, struct db *db, struct err *err)
{
    const char *name = cli_text(cli, "replay");
    struct gate_replay replay;
    int64_t id;
    if (name[0] != 'v' || !text_parse_i64(name + 1, &id) || id < 1)
        return err_set(err, ERR_USAGE, "option --replay: '%s' is no verdict; one is written v7",
                       name);
    const struct flow flow = connect_flow(cli, db);
    if (!gate_replay(&flow, id, &replay, err))
        return false;
    const struct gate_report report = {
        .cli = cli, .db = db, .outcomes = &replay.outcome, .count = 1};
    if (replay.outcome.retracted != NULL)
        log_event(LOG_WARN, LOG_retracted_evidence, "verdict", name, "why",
                  replay.outcome.retracted, NULL);
    if (!gate_report_print(&report, err))
        return false;
    if (!replay.is_same) {
        /* Why it came out otherwise: the program's rule, or what it was given. */
        long long then = replay.recorded_rule, now = replay.outcome.verdict.rule_version;
        if (then == now)
            harmless_say("stepledger gate: %s is not what was recorded, by the same version of the "
                         "rule: the ledger was changed (`stepledger verify`, `stepledger show %s`)",
                         name, name);
        else
            harmless_say("stepledger gate: %s was judged by version %lld of the rule, this program "
                         "judges by version %lld: what is printed is its own verdict on the same "
                         "profiles and policy (recorded: `stepledger show %s`)",
                         name, then, now, name);
    }
    cli->code = replay.is_same ? EXIT_OK : EXIT_FAILED;
    return true;
}

static bool gate(struct cli *cli, struct err *err)
{
    scoped_db *db = NULL;
    bool is_replay = cli_given(cli, "replay");
    if (is_replay == (cli->operand_count > 0 || cli_given(cli, "matrix")))
        return err_set(err, ERR_USAGE,
                       is_replay ? "--replay takes neither operands nor --matrix"
                                 : "PATH|REF... is missing (or --matrix FILE, or "
                                   "--replay VERDICT)");
    if (cli_given(cli, "memory-profile") && (is_replay || cli_given(cli, "matrix")))
        return err_set(err, ERR_USAGE,
                       "--memory-profile is of one capture, which is given with it: neither "
                       "--matrix nor --replay takes it");
    if (is_replay)
        return connect_ledger(cli, &db, err) && replay_one(cli, db, err);
    if (!connect_ledger(cli, &db, err) || !judge_all(cli, db, err))
        cli->code = (enum exit_code)gate_report_failure(cli, err);
    return true;
}

static const struct cli_option options[] = {
    CLI_PROJECT,
    CLI_WORKLOAD,
    {"branch", CLI_TEXT, "B", NULL, "branch of the candidate"},
    {"commit", CLI_TEXT, "SHA", NULL, "commit of the candidate"},
    {"run", CLI_TEXT, "RUN", NULL, "run of the candidate (default: each profile is one)"},
    {"label", CLI_TEXT, "L", NULL, "a name to find the candidate by"},
    {"reason", CLI_TEXT, "TEXT", NULL, "why known candidates get other facts than were recorded"},
    CLI_COLLECT,
    {"baseline", CLI_LIST, "REF", NULL, "baseline: id, commit, run, label or path"},
    {"paired", CLI_FLAG, NULL, NULL,
     "baseline and candidate ran in turns: the i-th of each is a pair"},
    {"merge-base", CLI_TEXT, "SHA", NULL, "baseline: the runs of this commit"},
    {"baseline-branch", CLI_TEXT, "B", "main", "branch that the baseline comes from"},
    {"last", CLI_INT, "N", "200", "at most so many comparable runs, those next to the candidate"},
    {"policy", CLI_TEXT, "FILE", NULL, "thresholds and actions (`stepledger policy show`)"},
    {"matrix", CLI_TEXT, "FILE", NULL, "judge several workloads, a section each"},
    {"replay", CLI_TEXT, "VERDICT", NULL, "make a recorded verdict again (v7)"},
    CLI_JUDGING,
    CLI_TAKING_IN,
    CLI_MEMORY_PROFILE,
    CLI_DB,
    CLI_END,
};

const struct cli_command cmd_gate = {
    .name = "gate",
    .line = "judge a candidate against the baseline",
    .operands = "PATH|REF...",
    .operand_min = 0,
    .operand_max = -1,
    .options = options,
    .details =
        "The operands are the candidate: paths are ingested first, so that a verdict\n"
        "names ledger entries only; everything else is an id, a commit, a run or a label.\n"
        "The baseline is all runs of the baseline branch that can be compared with the\n"
        "candidate, of the level in which it stands: `rebaseline` and confirmed change points\n"
        "begin new ones, and so does what a trend confirms of these runs alone. At most N of\n"
        "them, the nearest: the newest ones for a candidate of today; one that was captured\n"
        "before runs of the branch is judged by as many before as behind it, of the level of\n"
        "then.\n"
        "Step time decides, and the time from one step to the next where input or host keep\n"
        "devices waiting ([measure steady_step_period] of the policy), and the mean of all\n"
        "steps where some of them are slow in two runs or more, as no median shows ([measure\n"
        "steady_step_mean]).\n"
        "Device memory profiles alone (memory.prof) are judged by what is in use, under\n"
        "[measure device_memory], and by nothing else.\n"
        "The verdict is recorded with all that it rests on, and destinations that\n"
        "`notify = ...` names are told when it is not pass (`stepledger work alert --once`\n"
        "delivers). A change that a person has accepted (`stepledger accept`) no longer\n"
        "fails. Profiles that are unfit (few steps, a drift, two kinds of steps, devices cut\n"
        "off, `--meta throttled=REASON` of whoever runs the job) are left out; a side that\n"
        "has no other is inconclusive and has to be run again, unless the faster half of its\n"
        "steps or the mean of all fails. `policy reasons` lists the codes of reasons.\n\n"
        "Commit and branch of paths come from the options, else from what was collected beside\n"
        "the job (--env-file, --wandb-run), --repo, or a CI system's variables, never from the\n"
        "current directory (`stepledger help capture`).\n\n"
        "A candidate that the ledger knows is judged by the facts that are recorded of it; other\n"
        "ones (--meta, --env-file, ...), additional ones too, are refused unless --reason says\n"
        "why: any fact may decide with what it is compared. They stay with the profile, under\n"
        "your name, where your login may correct profiles.\n\n"
        "A matrix file holds one [section] per workload with the keys candidate,\n"
        "baseline, project, workload (default: the section's name), branch, commit, run,\n"
        "label, merge_base, baseline_branch, policy, last; what it leaves out comes from\n"
        "the options. The exit code is the worst of all.\n\n"
        "With GITHUB_STEP_SUMMARY and GITHUB_OUTPUT in the environment the summary and\n"
        "verdict=, verdict_id=, exit_code= (and report_url= when verdict_url is\n"
        "configured) are left there; --format github prints annotations. What could not\n"
        "be judged at all is verdict=error there, an annotation, an error in JUnit.\n\n"
        "exit: 0 pass, warn, inconclusive, accepted; replayed to the byte · 1 fail;\n"
        "      replayed differently · 3 warn with --warn-exit · 4 inconclusive with\n"
        "      --strict · 5 incomparable · 6 no baseline or no such profile · 2 usage ·\n"
        "      65 input rejected · 69 database away · 75 disk full (0 for the last two\n"
        "      with --on-error=pass)",
    .run = gate,
};
