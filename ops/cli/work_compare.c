/* Makes a gate's job of a candidate: the baseline and the policy are those of the configuration. */
#include "ops/cli/work_compare.h"

#include "ops/cli/connect.h"
#include "ops/cli/gate_outcome.h"
#include "ops/serve/workers/workers.h"

#include <string.h>
#include <unistd.h>

static const char *text_or_null(const struct conf *conf, enum conf_key key)
{
    const char *text = conf_text(conf, key);
    return text[0] == '\0' ? NULL : text;
}

/* A policy that is away for a moment is no lack of a baseline. */
static bool policy_check(const char *path, struct err *err)
{
    if (path == NULL || access(path, R_OK) == 0)
        return true;
    (void)err_set_errno(err, ERR_UNAVAILABLE, "cannot read judge_policy = %s", path);
    err->kind = ERR_UNAVAILABLE;
    return false;
}

static bool candidate_judge(void *context, struct db *db, const struct judgement *judgement,
                            int64_t *ret_verdict_id, struct err *err)
{
    struct cli *cli = context;
    const struct judgement_subject *subject = &judgement->subject;
    const char *candidates[] = {subject->candidate};
    struct gate_outcome outcome;
    struct gate_job job = {
        .project = subject->project,
        .workload = subject->workload,
        .branch = subject->branch,
        .commit = subject->commit,
        .baseline_branch = conf_text(&cli->conf, CONF_judge_baseline_branch),
        .policy = text_or_null(&cli->conf, CONF_judge_policy),
        .last = conf_int(&cli->conf, CONF_judge_last),
        .candidates = {candidates, 1},
        .judgement = judgement,
    };
    if (!policy_check(job.policy, err))
        return false;
    struct arena_mark mark = arena_mark(&cli->arena);
    gate_judge_job(cli, db, &job, &outcome);
    arena_rewind(&cli->arena, mark);
    *ret_verdict_id = outcome.id;
    if (outcome.id == 0)
        *err = outcome.failure;
    return outcome.id != 0;
}

static bool report_print(struct cli *cli, const struct compare_counts *counts, struct err *err)
{
    const char *line = arena_printf(
        &cli->arena,
        "{\"aside\": %lld, \"judged\": %lld, \"lost\": %lld, \"released\": %lld, "
        "\"retried\": %lld, \"without_baseline\": %lld}\n",
        (long long)counts->aside, (long long)counts->judged, (long long)counts->lost,
        (long long)counts->released, (long long)counts->retried, (long long)counts->without);
    return line == NULL ? arena_failed(&cli->arena, "the report", err)
                        : cli_write(line, strlen(line), err);
}

bool work_compare(struct cli *cli, struct err *err)
{
    scoped_db *db = NULL;
    struct compare_counts counts;
    const struct compare_setting setting = {.conf = &cli->conf,
                                            .conninfo = connect_configured(cli),
                                            .judge = candidate_judge,
                                            .context = cli};
    if (!policy_check(text_or_null(&cli->conf, CONF_judge_policy), err))
        return false;
    if (!cli_given(cli, "once"))
        return worker_compare_run(&setting, err);
    return connect_ledger(cli, &db, err) && worker_compare_once(&setting, db, &counts, err) &&
           report_print(cli, &counts, err);
}
