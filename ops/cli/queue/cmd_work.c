/* stepledger work: one worker, until it is told to stop or there is nothing left to do. */
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/flow/judge/judge.h"
#include "ops/serve/workers/workers.h"
#include "ops/flow/submit/submit.h"
#include "ops/serve/metrics/metrics.h"

#include <string.h>

/* ---- ingest ---------------------------------------------------------------------------------- */

static bool watch_prepare(struct cli *cli, struct watch_setting *watch, struct err *err)
{
    struct ingest_options options;
    struct submission *submission = &watch->submission;
    watch->folder = cli_text(cli, "watch");
    submission->conf = &cli->conf;
    submission->with_bytes = cli_given(cli, "bytes");
    submission->judge = cli_given(cli, "judge");
    submission->identity = (struct profile_identity){.branch = cli_text(cli, "branch"),
                                                     .commit = cli_text(cli, "commit"),
                                                     .run = cli_text(cli, "run"),
                                                     .label = cli_text(cli, "label")};
    if (!cli_scope(cli, &submission->identity.project, &submission->identity.workload, err) ||
        !summarize_options(cli, &options, err))
        return false;
    submission->options = job_options_text(&options, &cli->arena, err);
    return submission->options != NULL;
}

static bool work_ingest(struct cli *cli, struct err *err)
{
    struct watch_setting watch = {0};
    struct job_counts counts;
    struct worker_ingest_setting setting = {
        .conf = &cli->conf,
        .conninfo = connect_configured(cli),
        .slots = (int)cli_int(cli, "jobs"),
        .once = cli_given(cli, "once"),
        .watch = cli_given(cli, "watch") ? &watch : NULL,
    };
    if (cli_int(cli, "jobs") < 1 || cli_int(cli, "jobs") > 256)
        return err_set(err, ERR_USAGE, "option --jobs: %s is not from 1 to 256",
                       cli_text(cli, "jobs"));
    if (setting.watch != NULL && !watch_prepare(cli, &watch, err))
        return false;
    if (!worker_ingest_run(&setting, &counts, err))
        return false;
    const char *line = arena_printf(
        &cli->arena,
        "{\"aside\": %lld, \"duplicate\": %lld, \"lost\": %lld, \"released\": %lld, "
        "\"retried\": %lld, \"stored\": %lld}\n",
        (long long)counts.aside, (long long)counts.duplicate, (long long)counts.lost,
        (long long)counts.released, (long long)counts.retried, (long long)counts.stored);
    return cli_write(line, strlen(line), err);
}

/* ---- the others ------------------------------------------------------------------------------ */

static bool work_alert(struct cli *cli, struct err *err)
{
    struct worker_report report = {0};
    scoped_db *db = NULL;
    if (!cli_given(cli, "once"))
        return worker_alert_run(&cli->conf, connect_configured(cli), err);
    if (!connect_ledger(cli, &db, err) || !worker_alert_once(db, &cli->conf, &report, err))
        return false;
    const char *line = arena_printf(
        &cli->arena, "{\"dead\": %lld, \"delivered\": %lld, \"retried\": %lld}\n",
        (long long)report.dead, (long long)report.delivered, (long long)report.retried);
    return cli_write(line, strlen(line), err);
}

static bool work_schedule(struct cli *cli, struct err *err)
{
    scoped_db *db = NULL;
    if (!cli_given(cli, "once"))
        return schedule_run(&cli->conf, connect_configured(cli), err);
    return connect_ledger(cli, &db, err) && schedule_once(db, &cli->conf, err);
}

static bool work_metrics(struct cli *cli, struct err *err)
{
    return metrics_run(&cli->conf, connect_configured(cli), err);
}

/* Judging what the queue stored, as `gate` would. */
static bool work_compare(struct cli *cli, struct err *err)
{
    scoped_db *db = NULL;
    struct compare_counts counts;
    const struct compare_setting setting = {
        .conf = &cli->conf, .conninfo = connect_configured(cli), .memory = cli->memory};
    if (!judge_policy_check(&cli->conf, err))
        return false;
    if (!cli_given(cli, "once"))
        return worker_compare_run(&setting, err);
    if (!connect_ledger(cli, &db, err) || !worker_compare_once(&setting, db, &counts, err))
        return false;
    const char *line = arena_printf(
        &cli->arena,
        "{\"aside\": %lld, \"judged\": %lld, \"lost\": %lld, \"released\": %lld, "
        "\"retried\": %lld, \"without_baseline\": %lld}\n",
        (long long)counts.aside, (long long)counts.judged, (long long)counts.lost,
        (long long)counts.released, (long long)counts.retried, (long long)counts.without);
    return cli_write(line, strlen(line), err);
}

static const struct {
    const char *kind;
    bool (*run)(struct cli *cli, struct err *err);
} kinds[] = {{"ingest", work_ingest},
             {"compare", work_compare},
             {"alert", work_alert},
             {"schedule", work_schedule},
             {"metrics", work_metrics}};

/* Every worker hears --once and --db; the others are of `ingest`, most of what its --watch makes.
 */
static bool options_check(const struct cli *cli, struct err *err)
{
    static const char *const of_all[] = {"once", "db"};
    bool ingests = strcmp(cli->operands[0], "ingest") == 0;
    for (const struct cli_option *option = cli->command->options; option->name != NULL; option++) {
        if (!ingests && cli_given(cli, option->name) && !text_is_one(option->name, of_all))
            return err_set(err, ERR_USAGE, "option --%s is for `work ingest`; this is `work %s`",
                           option->name, cli->operands[0]);
    }
    return true;
}

static bool work(struct cli *cli, struct err *err)
{
    const char *names[sizeof kinds / sizeof kinds[0]];
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        names[i] = kinds[i].kind;
        if (strcmp(cli->operands[0], kinds[i].kind) == 0)
            return options_check(cli, err) && kinds[i].run(cli, err);
    }
    return err_set(err, ERR_USAGE, "unknown worker '%s'%s", cli->operands[0],
                   text_choices(cli->operands[0], names, sizeof names / sizeof names[0]).words);
}

static const struct cli_option options[] = {
    {"once", CLI_FLAG, NULL, NULL, "do what is due, then end"},
    {"jobs", CLI_INT, "N", "1", "ingest: jobs at a time"},
    {"watch", CLI_TEXT, "DIR", NULL, "ingest: make jobs of the captures that appear in DIR"},
    {"bytes", CLI_FLAG, NULL, NULL, "ingest --watch: the files travel in the database"},
    {"judge", CLI_FLAG, NULL, NULL, "ingest --watch: what is stored is to be judged"},
    CLI_PROJECT,
    CLI_WORKLOAD,
    {"branch", CLI_TEXT, "B", NULL, "ingest --watch: branch of the code"},
    {"commit", CLI_TEXT, "SHA", NULL, "ingest --watch: commit of the code"},
    {"run", CLI_TEXT, "RUN", NULL, "ingest --watch: execution of the job"},
    {"label", CLI_TEXT, "L", NULL, "ingest --watch: a name to find the profiles by"},
    CLI_META,
    CLI_WARMUP,
    CLI_MODE,
    CLI_STRICT_INPUT,
    CLI_READING,
    CLI_DB,
    CLI_END,
};

const struct cli_command cmd_work = {
    .name = "work",
    .line = "run a worker: ingest, compare, alert, schedule, metrics",
    .operands = "ingest|compare|alert|schedule|metrics",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details =
        "ingest    takes jobs of the queue; each runs in a process of its own, with limits of\n"
        "          memory (job_memory_mb) and time (job_cpu_s, job_wall_s). With --watch, files\n"
        "          that lie in DIR are one capture each, folders below it are searched as\n"
        "          `ingest` does; a capture is taken when its files were renamed to their place,\n"
        "          or have not changed for watch_settle_ms.\n"
        "compare   judges what --judge was said for when it was queued, as `gate` does: a commit\n"
        "          with all its profiles when none has come for judge_settle_ms (at once with\n"
        "          --once), by judge_policy against judge_baseline_branch.\n"
        "alert     delivers the messages of the outbox to their destinations.\n"
        "schedule  does regular tasks when they are due.\n"
        "metrics   serves numbers on 127.0.0.1:metrics_port for Prometheus.\n\n"
        "A worker goes on by itself when the database was away. SIGTERM ends it in order: jobs\n"
        "that do not end within seconds are given back. With --once, ingest, compare and alert\n"
        "print what came of their work.\n\n"
        "exit: 0 stopped, or all that was due is done · 2 usage · 6 no such folder · 69 database\n"
        "      away (with --once), or the port is taken; schedule --once: as the first task that\n"
        "      failed says: 2 wrong configuration · 6 what it names is missing · 65 input, or\n"
        "      findings of verifying · 69 something is away · 70 internal · 75 it is tried again\n"
        "      later, or another scheduler is at it",
    .run = work,
};
