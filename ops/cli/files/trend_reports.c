/* Implements the making and printing of reports of trends. */
#include "ops/cli/files/trend_reports.h"

#include "history/reports/reports.h"
#include "ops/cli/operand/operand.h"
#include "ops/flow/reports/reports.h"
#include "ops/present/trend_report/trend_report.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/text_harmless.h"

#include <string.h>
#include <unistd.h>

enum { REPORT_MAX_BYTES = 256 << 20 };

bool trend_report_wanted(const struct cli *cli)
{
    return cli_given(cli, "period") || cli_given(cli, "since") || cli_given(cli, "until");
}

/* The first picture: of what needs somebody. */
static bool picture_print(struct cli *cli, const struct trend_report *report, struct err *err)
{
    struct report_picture *pictures;
    size_t count;
    scoped_text out;
    text_init(&out, REPORT_MAX_BYTES);
    if (!trend_report_pictures(report, 1, &cli->arena, &pictures, &count, err))
        return false;
    if (count == 0)
        return err_set(err, ERR_MISSING, "this report has nothing to draw: %s",
                       report->headlines.count > 0 ? report->headlines.items[0] : "nothing new");
    text_addn(&out, (const char *)pictures[0].bytes, pictures[0].byte_count);
    return cli_emit_bytes(cli_text(cli, "output"), &out, err);
}

bool trend_report_print(struct cli *cli, const struct trend_report *report, struct err *err)
{
    const char *format = cli_text(cli, "format"), *output = cli_text(cli, "output");
    const struct text_style style = {output == NULL && cli_colour(STDOUT_FILENO),
                                     cli_columns(STDOUT_FILENO)};
    scoped_text out;
    text_init(&out, REPORT_MAX_BYTES);
    if (strcmp(format, "json") == 0)
        return document_print(output, trend_report_to_json(report, err), err);
    if (strcmp(format, "png") == 0)
        return picture_print(cli, report, err);
    bool made = strcmp(format, "html") == 0   ? trend_report_html(report, &out, err)
                : strcmp(format, "csv") == 0  ? trend_report_csv(report, &out, err)
                : strcmp(format, "text") == 0 ? trend_report_text(report, &style, &out, err)
                                              : trend_report_markdown(report, &out, err);
    return made && cli_emit(output, &out, err);
}

static bool period_read(struct cli *cli, struct report_request *request, struct err *err)
{
    const char *since = cli_text(cli, "since"), *until = cli_text(cli, "until");
    const char *period = cli_text(cli, "period");
    if (since != NULL && period != NULL)
        return err_set(err, ERR_USAGE, "--since and --period exclude each other");
    request->until_us = request->made_us;
    if ((until != NULL && !moment_read_past(until, "until", &request->until_us, err)) ||
        (since != NULL && !moment_read_past(since, "since", &request->since_us, err)))
        return false;
    if (since == NULL)
        request->since_us =
            report_period_begin(request->until_us, period != NULL ? period : "week");
    return request->since_us < request->until_us ||
           err_set(err, ERR_USAGE, "option --until: %s is not behind --since %s",
                   until != NULL ? until : "now", since);
}

static bool request_read(struct cli *cli, struct report_request *request, struct err *err)
{
    const struct reference_scope scope = reference_scope_of(cli);
    *request = (struct report_request){
        .project = scope.project,
        .workloads = scope.workload,
        .branch = cli_text(cli, "branch"),
        .measure = cli_text(cli, "measure"),
        .policy = cli_text(cli, "policy"),
        .repository = cli_text(cli, "repository"),
        .conf = &cli->conf,
        .made_us = clock_wall_us(),
        .canary_count = REPORT_CANARIES,
    };
    if (request->project == NULL)
        return err_set(err, ERR_USAGE,
                       "option --project is required: a report of trends is of a project");
    if (request->branch != NULL && cli_given(cli, "all-branches"))
        return err_set(err, ERR_USAGE, "--branch and --all-branches exclude each other");
    if (request->branch == NULL && !cli_given(cli, "all-branches"))
        request->branch = conf_text(&cli->conf, CONF_judge_baseline_branch);
    if (request->policy == NULL)
        request->policy = conf_text(&cli->conf, CONF_judge_policy);
    return period_read(cli, request, err);
}

static bool record(struct db *db, struct trend_report *report, struct arena *arena, struct err *err)
{
    bool is_new;
    return db_begin(db, err) &&
           db_end(db, report_record_within(db, report, arena, &is_new, err), err);
}

bool trend_report_show(struct cli *cli, struct arena *arena, struct err *err)
{
    scoped_db *db = NULL;
    struct trend_report report;
    struct report_request request;
    bool writes = cli_given(cli, "record");
    return request_read(cli, &request, err) &&
           (writes ? connect_ledger(cli, &db, err) : connect_reader(cli, &db, err)) &&
           report_make(db, &request, arena, &report, err) &&
           (!writes || record(db, &report, arena, err)) && trend_report_print(cli, &report, err);
}

/* ---- recorded ones --------------------------------------------------------------------------- */

bool trend_report_is_id(const char *operand, int64_t *ret_id)
{
    return reference_is_id(operand, 'r', ret_id) ||
           (operand[0] == 'r' && reference_is_id(operand + 1, 'p', ret_id));
}

/* The first member that differs; NULL = none. */
static const char *difference(const json_t *kept, json_t *made)
{
    const char *name;
    json_t *value;
    json_object_foreach (made, name, value)
        if (json_object_get(kept, name) == NULL || !json_equal(json_object_get(kept, name), value))
            return name;
    return NULL;
}

static bool compare_again(struct db *db, const struct trend_report *kept, struct arena *arena,
                          struct err *err)
{
    struct trend_report made;
    if (!report_make_again(db, kept, arena, &made, err))
        return false;
    scoped_json *before = trend_report_to_json(kept, err);
    scoped_json *now = before == NULL ? NULL : trend_report_to_json(&made, err);
    if (now == NULL)
        return false;
    const char *differs = difference(before, now);
    if (differs != NULL)
        return err_set(
            err, ERR_INPUT,
            "%s is not what the ledger tells of its period as it stood at %.19s: its \"%s\" "
            "differs. Corrections since do not count; runs that came from another ledger since, "
            "another policy, and another version of stepledger, make it so",
            kept->report, kept->made_at_utc, differs);
    harmless_say("stepledger report: %s was made again from the ledger as it stood at %.19s: it is "
                 "the same",
                 kept->report, kept->made_at_utc);
    return true;
}

bool trend_report_show_recorded(struct cli *cli, int64_t id, struct arena *arena, struct err *err)
{
    scoped_db *db = NULL;
    struct trend_report report;
    return connect_reader(cli, &db, err) && ledger_load_report(db, id, arena, &report, err) &&
           (!cli_given(cli, "again") || compare_again(db, &report, arena, err)) &&
           trend_report_print(cli, &report, err);
}
