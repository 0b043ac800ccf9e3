/* stepledger rebaseline: the baseline of a series begins anew. */
#include "compare/statistics/statistics.h"
#include "history/alert/alert.h"
#include "history/profiles/profiles.h"
#include "history/reading/reading.h"
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/runtime/json.h"
#include "schema/documents/measures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    RUNS_MAX = 10000, /* of the series, in which the place is looked for */
    LEVEL_RUNS = 20   /* on each side of the place, of which the level is the median */
};

struct rebaselining {
    struct cli *cli;
    struct db *db;
    const char *series, *reason;
};

struct rebaselined {
    int64_t rebaseline, after_profile;
    const char *series, *reason;
};

static const struct member rebaselined_members[] = {
    M_ENTRY("rebaseline", rebaselined, rebaseline, 'r'),
    M_ENTRY("after_profile", rebaselined, after_profile, 'p'),
    M_FIELDS(rebaselined, series, reason),
};
static const struct record rebaselined_record = RECORD_OF(rebaselined, rebaselined_members);

/* ---- from here on ---------------------------------------------------------------------------- */

static bool start_anew(struct rebaselining *job, int64_t after, struct err *err)
{
    struct level_mark start;
    const struct rebaseline_entry entry = {
        .series = job->series, .after_profile_id = after, .reason = job->reason};
    if (!ledger_rebaseline(job->db, &entry, &start, err))
        return false;
    const struct rebaselined made = {start.rebaseline_id, start.profile_id, job->series,
                                     job->reason};
    return record_emit(&rebaselined_record, &made, err);
}

/* ---- a change point -------------------------------------------------------------------------- */

/* The median over the nearest runs of one side; count is not 0. */
static double level_of(struct arena *arena, const struct trend_point *points, size_t count)
{
    double *values = arena_array(arena, double, count);
    for (size_t i = 0; values != NULL && i < count; i++)
        values[i] = points[i].value;
    if (values != NULL)
        stats_sort(values, count);
    return values == NULL ? NAN : stats_quantile(values, count, 0.5);
}

static int64_t number_of(const char *entry)
{
    int64_t number = 0;
    (void)text_parse_i64(entry + 1, &number);
    return number;
}

static bool point_make(struct rebaselining *job, struct change_point_entry *point, struct err *err)
{
    struct ledger_profile profile;
    struct run_order *at;
    struct trend trend;
    if (!ledger_load_profile(job->db, point->at_profile_id, &job->cli->arena, &profile, err))
        return false;
    if (profile.series == NULL || strcmp(profile.series, job->series) != 0)
        return err_set(err, ERR_INPUT, "p%lld belongs to series %s, not to %s",
                       (long long)point->at_profile_id,
                       profile.series != NULL ? profile.series : "none", job->series);
    const struct trend_query query = {.project = profile.project,
                                      .workload = profile.workload,
                                      .series = job->series,
                                      .measure = point->measure,
                                      .run_limit = RUNS_MAX};
    if (!ledger_trend(job->db, &query, &job->cli->arena, &trend, err) ||
        !ledger_run_orders(job->db, (struct profile_numbers){&point->at_profile_id, 1},
                           query.corrected_us, &job->cli->arena, &at, err))
        return false;
    /* What the ledger knows of the step time around the place. */
    size_t before = 0;
    while (before < trend.point_count && run_order_compare(trend.points[before].order, *at) < 0)
        before++;
    size_t after = trend.point_count - before;
    if (before == 0 || after == 0)
        return err_set(err, ERR_INPUT, "p%lld: no level changed there: series %s has no run %s it",
                       (long long)point->at_profile_id, job->series,
                       before == 0 ? "before" : "at or behind");
    size_t left = before < LEVEL_RUNS ? before : LEVEL_RUNS;
    size_t right = after < LEVEL_RUNS ? after : LEVEL_RUNS;
    point->before = level_of(&job->cli->arena, trend.points + before - left, left);
    point->after = level_of(&job->cli->arena, trend.points + before, right);
    return isfinite(point->before + point->after) ||
           arena_failed(&job->cli->arena, "the change point", err);
}

/* Only what stands can be withdrawn: a candidate, or what was confirmed. */
static bool is_standing(struct rebaselining *job, const struct change_point_entry *point,
                        struct err *err)
{
    struct ledger_profile profile;
    struct change_mark_list marks;
    if (!ledger_load_header(job->db, point->at_profile_id, &job->cli->arena, &profile, err))
        return false;
    const struct change_mark_query query = {.project = profile.project,
                                            .workload = profile.workload};
    if (!ledger_change_marks(job->db, &query, &job->cli->arena, &marks, err))
        return false;
    for (size_t i = 0; i < marks.count; i++)
        if (marks.items[i].series_id == number_of(job->series) &&
            marks.items[i].at_profile_id == point->at_profile_id &&
            marks.items[i].measure != NULL && strcmp(marks.items[i].measure, point->measure) == 0 &&
            strcmp(marks.items[i].status, "withdrawn") != 0)
            return true;
    return err_set(err, ERR_MISSING, "series %s has no change point at p%lld (`list changes`)",
                   job->series, (long long)point->at_profile_id);
}

struct marked {
    struct change_point_entry point;
    const char *series, *reason;
};

static const struct member marked_members[] = {
    M_ENTRY("change_point", marked, point.id, 'k'),
    M_ENTRY("at_profile", marked, point.at_profile_id, 'p'),
    M_TEXT_AS("measure", marked, point.measure),
    M_CHOICE_AS("status", marked, point.status, enum change_point_status,
                change_point_status_names),
    M_NUMBER_AS("before", marked, point.before),
    M_NUMBER_AS("after", marked, point.after),
    M_FIELDS(marked, series, reason),
};
static const struct record marked_record = RECORD_OF(marked, marked_members);

static bool level_mark(struct rebaselining *job, int64_t at, struct err *err)
{
    bool withdraws = cli_given(job->cli, "withdraw");
    struct change_point_entry point = {
        .measure = measure_rows[MEASURE_steady_step_median].name,
        .at_profile_id = at,
        .status = withdraws ? CHANGE_POINT_WITHDRAWN : CHANGE_POINT_CONFIRMED,
        .method = "person",
    };
    scoped_text evidence;
    text_init(&evidence, 1 << 16);
    scoped_json *reason = json_pack("{s:o}", "reason", json_text(job->reason));
    if (reason == NULL)
        return err_set_memory(err, "no memory for the change point");
    json_print(reason, JSON_STYLE_LINE, &evidence);
    point.evidence = text_string(&evidence);
    return point_make(job, &point, err) && (!withdraws || is_standing(job, &point, err)) &&
           text_ok(&evidence, "the reason", err) &&
           change_point_add(job->db, &point, &point.id, err) &&
           record_emit(&marked_record, &(struct marked){point, job->series, job->reason}, err);
}

/* ---- the command ----------------------------------------------------------------------------- */

/* An option that names a profile, p12; 0 when it is not given. */
static bool profile_read(const struct cli *cli, const char *option, int64_t *ret_id,
                         struct err *err)
{
    const char *name = cli_text(cli, option);
    *ret_id = 0;
    return name == NULL || (name[0] == 'p' && text_parse_i64(name + 1, ret_id) && *ret_id > 0) ||
           err_set(err, ERR_USAGE, "option --%s: '%s' is no profile; one is written p12", option,
                   name);
}

static bool rebaseline(struct rebaselining *job, struct err *err)
{
    struct cli *cli = job->cli;
    int64_t after, at;
    if (!decide_reason(cli, &job->reason, err) || !profile_read(cli, "after", &after, err) ||
        !profile_read(cli, "at", &at, err))
        return false;
    if (after > 0 && at > 0)
        return err_set(err, ERR_USAGE, "--after and --at exclude each other: both say where");
    if (at == 0 && cli_given(cli, "withdraw"))
        return err_set(err, ERR_USAGE, "--withdraw needs --at: which change point?");
    return connect_ledger(cli, &job->db, err) &&
           (at > 0 ? level_mark(job, at, err) : start_anew(job, after, err));
}

static int run_rebaseline(struct cli *cli)
{
    struct err err = {0};
    struct rebaselining job = {.cli = cli, .series = cli->operands[0]};
    bool done = rebaseline(&job, &err);
    db_close(job.db);
    return done ? EXIT_OK : cli_fail(cli, &err);
}

static const struct cli_option options[] = {
    {"after", CLI_TEXT, "PROFILE", NULL, "the last run of the old level (default: the newest)",
     false},
    {"at", CLI_TEXT, "PROFILE", NULL, "confirm a change point: the first run of the new level",
     false},
    {"withdraw", CLI_FLAG, NULL, NULL, "take back the change point at --at", false},
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
        "Appends that only runs behind the newest one (or behind --after) are a baseline of the\n"
        "series (s3, as verdicts and `ingest` name it): for a change of level that is here to\n"
        "stay, such as new drivers. Runs stand in the order in which they were captured: what is\n"
        "recorded later and was captured before is of the old level, and a candidate of then is\n"
        "judged by the old runs. With --at it confirms that the step time changed its level at\n"
        "that profile, which has the same effect and is drawn in trends; a change point that was\n"
        "a mistake, or a candidate that is none (`list changes`), is withdrawn. Nothing is\n"
        "removed; past verdicts stay as they are.\n\n"
        "exit: 0 recorded · 2 usage · 6 no such series, profile or change point · 65 not the name\n"
        "      of a series, or no level begins there · 69 database away",
    .run = run_rebaseline,
};
