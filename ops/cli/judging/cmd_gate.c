/* stepledger gate: is the candidate slower than the baseline, and may one say so? */
#include "ops/cli/cli.h"
#include "ops/cli/judging/gate_report.h"
#include "ops/cli/operand/operand.h"
#include "ops/net/section.h"
#include "ops/runtime/log.h"
#include "ops/runtime/text_harmless.h"

#include <stdio.h>
#include <string.h>

/* ---- what is judged: the options, then what a section of a matrix file changes -------------- */

struct gate_job_list {
    struct gate_job *items;
    size_t count;
};

/* What the options say; a matrix needs no project yet. */
static struct gate_job options_job(const struct cli *cli)
{
    const struct cli_value *baselines = cli_value(cli, "baseline");
    return (struct gate_job){
        .branch = cli_text(cli, "branch"),
        .commit = cli_text(cli, "commit"),
        .run = cli_text(cli, "run"),
        .label = cli_text(cli, "label"),
        .baseline_branch = cli_text(cli, "baseline-branch"),
        .merge_base = cli_text(cli, "merge-base"),
        .policy = cli_text(cli, "policy"),
        .last = cli_int(cli, "last"),
        .strict_provenance = cli_given(cli, "strict-provenance"),
        .paired = cli_given(cli, "paired"),
        .baselines = {baselines->list, baselines->count},
    };
}

/* What holds for all jobs of a call. */
struct common {
    struct collection collection;
    struct reading reading;
    const char *reason, *by; /* for other facts of known profiles; NULL: there is none */
};

/* What was said elsewhere of the candidates that are ingested. */
static bool job_collect(struct cli *cli, const struct common *common, struct gate_job *job,
                        struct err *err)
{
    const struct collection *collection = &common->collection;
    job->collection = collection;
    job->reading = &common->reading;
    job->reason = common->reason;
    job->reason_by = common->by;
    if (job->run == NULL)
        job->run = collection->run;
    return origin_of_options(cli, collection, job->commit, job->branch, &job->origin, err);
}

static bool common_load(struct cli *cli, const struct common **ret_common, struct err *err)
{
    struct common *common = arena_new(&cli->arena, struct common);
    *ret_common = common;
    if (cli_text(cli, "reason") != NULL) {
        common->by = decide_person(cli);
        if (!decide_reason(cli, &common->reason, err))
            return false;
    }
    if (!collect_of_options(cli, &common->collection, err) ||
        !summarize_reading(cli, &common->reading, err))
        return false;
    common->reading.options.memory_profile = cli_text(cli, "memory-profile");
    return true;
}

static bool job_check(const struct gate_job *job, const char *place, struct err *err)
{
    if (job->baselines.count > 0 && job->merge_base != NULL)
        return err_set(err, ERR_USAGE,
                       "%s: --baseline and --merge-base exclude each other: both name the baseline",
                       place);
    if (job->paired && job->baselines.count == 0)
        return err_set(
            err, ERR_USAGE,
            "%s: --paired needs --baseline: the runs that the candidates took turns with", place);
    if (job->candidates.count == 0)
        return err_set(err, ERR_USAGE, "%s: no candidate: name a profile to judge", place);
    return job->last >= 1 ||
           err_set(err, ERR_USAGE, "%s: %lld runs are no baseline", place, (long long)job->last);
}

/* One job of the options and operands. ERR_USAGE. */
static bool job_of_options(struct cli *cli, struct gate_job_list *ret_jobs, struct err *err)
{
    const struct common *common;
    struct gate_job *job = arena_new(&cli->arena, struct gate_job);
    *job = options_job(cli);
    job->candidates = (struct string_list){cli->operands, cli->operand_count};
    if (!cli_scope(cli, &job->project, &job->workload, err) ||
        !job_check(job, "the command line", err) || !common_load(cli, &common, err) ||
        !job_collect(cli, common, job, err))
        return false;
    *ret_jobs = (struct gate_job_list){job, 1};
    return true;
}

/* ---- matrix ---------------------------------------------------------------------------------- */

/* The words of a value; several lines with one key are one list. */
static void words_add(const char *value, struct string_list *list, struct arena *arena)
{
    size_t room = strlen(value) / 2 + 1;
    const char **items = arena_array(arena, const char *, list->count + room);
    if (list->count > 0)
        memcpy(items, list->items, list->count * sizeof *items);
    list->items = items;
    for (const char *at = value + strspn(value, " \t"); *at != '\0'; at += strspn(at, " \t")) {
        size_t length = strcspn(at, " \t");
        items[list->count++] = arena_strndup(arena, at, length);
        at += length;
    }
}

static bool candidates_add(void *target, const struct conf_entry *entry, struct arena *arena,
                           struct err *err)
{
    (void)err;
    words_add(entry->value, &((struct gate_job *)target)->candidates, arena);
    return true;
}

static bool baselines_add(void *target, const struct conf_entry *entry, struct arena *arena,
                          struct err *err)
{
    (void)err;
    words_add(entry->value, &((struct gate_job *)target)->baselines, arena);
    return true;
}

#define TEXT(key, help) SECTION_KEY_TEXT(#key, struct gate_job, key, help)
static const struct section_key keys[] = {
    TEXT(project, "as --project"),
    TEXT(workload, "as --workload; default: the section's name"),
    TEXT(branch, "as --branch"),
    TEXT(commit, "as --commit"),
    TEXT(run, "as --run"),
    TEXT(label, "as --label"),
    TEXT(baseline_branch, "as --baseline-branch"),
    TEXT(merge_base, "as --merge-base"),
    TEXT(policy, "as --policy"),
    SECTION_KEY_OWN("candidate", candidates_add, "profiles to judge; may go on in further lines"),
    SECTION_KEY_OWN("baseline", baselines_add, "as --baseline; may go on in further lines"),
    SECTION_KEY_NUMBER("last", struct gate_job, last, 1, INT32_MAX, 1, "as --last"),
};
#undef TEXT

static struct gate_job *job_find(struct gate_job_list *jobs, const char *name)
{
    for (size_t i = 0; i < jobs->count; i++) {
        if (strcmp(jobs->items[i].name, name) == 0)
            return &jobs->items[i];
    }
    return NULL;
}

static bool jobs_check(struct cli *cli, const struct gate_job_list *jobs, const char *path,
                       struct err *err)
{
    const struct common *common;
    if (jobs->count == 0)
        return err_set(err, ERR_USAGE, "%s: no [section]: each one is a workload to judge", path);
    if (!common_load(cli, &common, err))
        return false;
    for (size_t i = 0; i < jobs->count; i++) {
        struct gate_job *job = &jobs->items[i];
        enum { PLACE_BYTES = 300 };
        char place[PLACE_BYTES];
        (void)snprintf(place, sizeof place, "%s: [%s]", path, job->name);
        if (job->project[0] == '\0')
            return err_set(err, ERR_USAGE, "%s: project is missing", place);
        if (!job_check(job, place, err) || !job_collect(cli, common, job, err))
            return false;
    }
    return true;
}

/* One job per section of a matrix file; what a section does not say comes from the options:
 *
 *     [pretrain-8k]
 *     workload = pretrain          # default: the section's name
 *     candidate = out/8k/run1 out/8k/run2
 *     policy = ci/pretrain.policy
 *
 * Lists are separated by blanks. ERR_USAGE with file:line; ERR_MISSING. */
static bool jobs_of_matrix(struct cli *cli, const char *path, struct gate_job_list *ret_jobs,
                           struct err *err)
{
    struct conf_file file = {0};
    if (cli->operand_count > 0)
        return err_set(err, ERR_USAGE, "--matrix takes no operands: candidates stand in the file");
    if (!conf_file_read(path, &cli->arena, &file, err))
        return false;
    /* A section that stands twice would be one job with the candidates of both. */
    for (size_t i = 0; i < file.header_count; i++) {
        const struct conf_header *header = &file.headers[i];
        for (size_t j = 0; j < i; j++) {
            if (strcmp(file.headers[j].name, header->name) == 0)
                return err_set(err, ERR_USAGE,
                               "%s:%d: [%s] stands twice, first in line %d: give it another name "
                               "and `workload = ...`",
                               header->file, header->line, header->name, file.headers[j].line);
        }
    }
    if (!conf_sections_check(&file, err))
        return false;
    struct gate_job_list jobs = {arena_array(&cli->arena, struct gate_job, file.count), 0};
    for (size_t i = 0; i < file.count; i++) {
        const struct conf_entry *entry = &file.entries[i];
        if (entry->section[0] == '\0')
            return err_set(err, ERR_USAGE, "%s:%d: '%s' stands before the first [section]",
                           entry->file, entry->line, entry->key);
        struct gate_job *job = job_find(&jobs, entry->section);
        if (job == NULL) {
            const char *project = cli_text(cli, "project");
            job = &jobs.items[jobs.count++];
            *job = options_job(cli);
            job->name = job->workload = entry->section;
            job->project = project != NULL ? project : conf_text(&cli->conf, CONF_project);
        }
        /* Lists may go on in further lines; of anything else only one could hold. */
        const struct section section = {.what = arena_printf(&cli->arena, "[%s]", entry->section),
                                        .keys = SECTION_KEYS(keys),
                                        .target = job};
        bool is_list = strcmp(entry->key, "candidate") == 0 || strcmp(entry->key, "baseline") == 0;
        if ((!is_list && !conf_entry_once(&file, i, err)) ||
            !section_apply(&section, entry, &cli->arena, err) ||
            !arena_ok(&cli->arena, "the matrix", err))
            return false;
    }
    *ret_jobs = jobs;
    return jobs_check(cli, &jobs, path, err);
}

/* ---- judging -------------------------------------------------------------------------------- */

static bool judge_all(struct cli *cli, struct db *db, struct err *err)
{
    struct gate_job_list jobs = {0};
    const char *matrix = cli_text(cli, "matrix");
    if (!(matrix != NULL ? jobs_of_matrix(cli, matrix, &jobs, err)
                         : job_of_options(cli, &jobs, err)))
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
    decide_log_retracted(name, replay.outcome.retracted);
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
