/* stepledger report: a summary, or what moved in a project, for people. */
#include "history/reports/reports.h"
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/flow/reports/reports.h"
#include "ops/present/report/report.h"
#include "ops/present/trend_report/trend_report.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/text_harmless.h"
#include "schema/documents/trend_report.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DOCUMENT_MAX_BYTES = 512 << 20, REPORT_MAX_BYTES = 256 << 20 };

/* ---- what is reported ------------------------------------------------------------------------ */

enum form { /* bits */
            FORM_SUMMARY_FILE = 1,
            FORM_SUMMARY = 2,
            FORM_REPORT_FILE = 4,
            FORM_RECORDED = 8,
            FORM_PERIOD = 16
};

static const struct {
    enum form form;
    const char *words;
} forms[] = {{FORM_SUMMARY_FILE, "a summary in a file"},
             {FORM_SUMMARY, "a summary of the ledger"},
             {FORM_REPORT_FILE, "a report in a file"},
             {FORM_RECORDED, "a recorded report (rp7)"},
             {FORM_PERIOD, "a new report of trends (--period, --since or --until)"}};

/* Those that not every form hears, and which do. */
static const struct {
    const char *option;
    unsigned forms;
} options_of_forms[] = {
    {"top-k", FORM_SUMMARY_FILE | FORM_SUMMARY},
    {"project", FORM_SUMMARY | FORM_PERIOD},
    {"workload", FORM_SUMMARY | FORM_PERIOD},
    {"period", FORM_PERIOD},
    {"since", FORM_PERIOD},
    {"until", FORM_PERIOD},
    {"branch", FORM_PERIOD},
    {"all-branches", FORM_PERIOD},
    {"measure", FORM_PERIOD},
    {"policy", FORM_PERIOD},
    {"repository", FORM_PERIOD},
    {"record", FORM_PERIOD},
    {"again", FORM_RECORDED},
};

static bool options_check(const struct cli *cli, enum form form, const char *name, struct err *err)
{
    enum { FORM_COUNT = sizeof forms / sizeof *forms, WORDS_BYTES = 256 };
    char heard[WORDS_BYTES] = "";
    const char *is = NULL;
    for (size_t i = 0; i < sizeof options_of_forms / sizeof *options_of_forms; i++) {
        if (!cli_given(cli, options_of_forms[i].option) || (options_of_forms[i].forms & form) != 0)
            continue;
        for (size_t k = 0; k < FORM_COUNT; k++) {
            size_t length = strlen(heard);
            if ((options_of_forms[i].forms & forms[k].form) != 0)
                (void)snprintf(heard + length, sizeof heard - length, "%s%s",
                               length > 0 ? " or " : "", forms[k].words);
            is = forms[k].form == form ? forms[k].words : is;
        }
        return err_set(err, ERR_USAGE, "option --%s is for %s; %s%s%s is %s",
                       options_of_forms[i].option, heard, name != NULL ? "'" : "",
                       name != NULL ? name : "this", name != NULL ? "'" : "", is);
    }
    return true;
}

/* ---- reports of trends ----------------------------------------------------------------------- */

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

/* Prints it as --format says. */
static bool trend_report_print(struct cli *cli, const struct trend_report *report, struct err *err)
{
    const char *format = cli_text(cli, "format"), *output = cli_text(cli, "output");
    const struct text_style style = {output == NULL && cli_colour(STDOUT_FILENO),
                                     cli_columns(STDOUT_FILENO)};
    scoped_text out;
    text_init(&out, REPORT_MAX_BYTES);
    if (strcmp(format, "json") == 0)
        return document_print(output, trend_report_to_json(report), err);
    if (strcmp(format, "png") == 0)
        return picture_print(cli, report, err);
    bool made = strcmp(format, "html") == 0   ? trend_report_html(report, &out, err)
                : strcmp(format, "csv") == 0  ? trend_report_csv(report, &out, err)
                : strcmp(format, "text") == 0 ? trend_report_text(report, &style, &out, err)
                                              : trend_report_markdown(report, &out, err);
    return made && cli_emit(output, &out, err);
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

/* Makes one of the options' period and prints it. */
static bool trend_report_show(struct cli *cli, struct arena *arena, struct err *err)
{
    scoped_db *db = NULL;
    scoped_transaction *open = NULL;
    struct trend_report report;
    struct report_request request;
    bool is_new, writes = cli_given(cli, "record");
    return request_read(cli, &request, err) &&
           (writes ? connect_ledger(cli, &db, err) : connect_reader(cli, &db, err)) &&
           report_make(db, &request, arena, &report, err) &&
           (!writes || (transaction_open(db, &open, err) &&
                        report_record_within(db, &report, arena, &is_new, err) &&
                        transaction_close(&open, err))) &&
           trend_report_print(cli, &report, err);
}

/* ---- recorded ones --------------------------------------------------------------------------- */

/* Whether the operand is the id of a recorded one: "rp7", or "r7" for short; its number. ("rp0" is
 * one that no ledger holds, and no run either.) */
static bool trend_report_is_id(const char *operand, int64_t *ret_id)
{
    return reference_is_id(operand, 'r', ret_id) ||
           (strncmp(operand, "rp", 2) == 0 && text_parse_i64(operand + 2, ret_id));
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
    scoped_json *before = trend_report_to_json(kept);
    scoped_json *now = trend_report_to_json(&made);
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

/* ---- the command ----------------------------------------------------------------------------- */

static bool summary_report(struct cli *cli, const struct summary *summary, struct err *err)
{
    scoped_text out;
    text_init(&out, REPORT_MAX_BYTES);
    const char *format = cli_text(cli, "format");
    int64_t top_k = cli_int(cli, "top-k");
    bool to_terminal = cli_text(cli, "output") == NULL && cli_colour(STDOUT_FILENO);
    const struct text_style style = {to_terminal, cli_columns(STDOUT_FILENO)};
    if (strcmp(format, "md") != 0 && strcmp(format, "text") != 0 && strcmp(format, "html") != 0)
        return err_set(err, ERR_USAGE,
                       "--format %s is for reports of trends; `stepledger summarize` and `show` "
                       "print summaries as JSON",
                       format);
    bool made = strcmp(format, "md") == 0     ? report_markdown(summary, top_k, &out, err)
                : strcmp(format, "html") == 0 ? report_html(summary, top_k, &out, err)
                                              : report_text(summary, top_k, &style, &out, err);
    return made && cli_emit(cli_text(cli, "output"), &out, err);
}

/* Either kind, by what it says that it is. */
static bool file_print(struct cli *cli, const char *path, struct arena *arena, struct err *err)
{
    struct summary summary;
    struct trend_report report;
    reference_file_log(path);
    scoped_json *root = json_read_file(path, DOCUMENT_MAX_BYTES, err);
    if (root == NULL)
        return false;
    const char *version = json_string_value(json_object_get(root, "schema_version"));
    if (version != NULL && strcmp(version, TREND_REPORT_VERSION) == 0)
        return options_check(cli, FORM_REPORT_FILE, path, err) &&
               trend_report_from_json(root, path, arena, &report, err) &&
               trend_report_print(cli, &report, err);
    return options_check(cli, FORM_SUMMARY_FILE, path, err) &&
           summary_from_json(root, path, arena, &summary, err) &&
           summary_report(cli, &summary, err);
}

static bool summary_find(struct cli *cli, const char *name, bool may_be_report, struct arena *arena,
                         struct err *err)
{
    struct summary summary;
    struct err why = {0};
    const struct reference_scope scope = reference_scope_of(cli);
    if (!options_check(cli, FORM_SUMMARY, name, err))
        return false;
    if (reference_summary(cli, &scope, name, arena, &summary, &why))
        return summary_report(cli, &summary, err);
    *err = why;
    return why.kind == ERR_MISSING && may_be_report
               ? err_set(err, ERR_MISSING,
                         "%s; a recorded report is called rp7 (`stepledger list reports`)",
                         why.text)
               : false;
}

static bool report(struct cli *cli, struct err *err)
{
    struct arena *arena = &cli->arena;
    const char *name = cli_text(cli, "summary");
    if (name != NULL && cli->operand_count > 0)
        return err_set(err, ERR_USAGE, "unexpected operand '%s'", cli->operands[0]);
    bool may_be_report = name == NULL; /* --summary r7 is a run or a label of that name */
    if (name == NULL && cli->operand_count > 0)
        name = cli->operands[0];
    bool names_time =
        cli_given(cli, "period") || cli_given(cli, "since") || cli_given(cli, "until");
    if (name == NULL && names_time)
        return options_check(cli, FORM_PERIOD, NULL, err) && trend_report_show(cli, arena, err);
    if (name == NULL)
        return err_set(err, ERR_USAGE,
                       "nothing says what to report: give a SUMMARY (a file, p12, a run), the id "
                       "of a report (rp7), or --project P with --period week");
    int64_t id;
    if (reference_is_file(name))
        return file_print(cli, name, arena, err);
    if (may_be_report && trend_report_is_id(name, &id)) {
        /* Prints a recorded one. With --again ERR_INPUT names what the ledger tells otherwise as
         * it stood when the report was made. */
        scoped_db *db = NULL;
        struct trend_report report;
        return options_check(cli, FORM_RECORDED, name, err) && connect_reader(cli, &db, err) &&
               ledger_load_report(db, id, arena, &report, err) &&
               (!cli_given(cli, "again") || compare_again(db, &report, arena, err)) &&
               trend_report_print(cli, &report, err);
    }
    return summary_find(cli, name, may_be_report, arena, err);
}

static const struct cli_option options[] = {
    {"summary", CLI_TEXT, "SUMMARY", NULL, "the summary to report: a file, p12, a run, ..."},
    {"format", CLI_CHOICE, "md|text|html|csv|json|png", "md",
     "the form of the report; csv, json and png (its first picture): of a report of trends"},
    CLI_TOP_K,
    {"output", CLI_TEXT, "FILE", NULL, "write the report there and print the path"},
    {"period", CLI_CHOICE, "day|week|month", NULL,
     "make a report of trends: what moved in the project in so much time"},
    {"since", CLI_TEXT, "TIME", NULL, "the same, from then on (2026-11-30, 7d)"},
    {"until", CLI_TEXT, "TIME", NULL, "the end of its period (default: now)"},
    {"branch", CLI_TEXT, "B", NULL, "runs of that branch (default: judge_baseline_branch)"},
    {"all-branches", CLI_FLAG, NULL, NULL, "runs of any branch"},
    {"measure", CLI_TEXT, "M", "steady_step_median", "the measure that is followed"},
    {"policy", CLI_TEXT, "FILE", NULL, "which runs can be compared (default: judge_policy)"},
    {"record", CLI_FLAG, NULL, NULL, "append it to the ledger, where it gets an id"},
    {"again", CLI_FLAG, NULL, NULL,
     "make the recorded report anew and say whether the ledger still tells the same"},
    {"repository", CLI_TEXT, "DIR|URL", NULL,
     "a clone of git, or a forge's repository, that knows the commits"},
    CLI_REFERENCE_SCOPE,
    CLI_DB,
    CLI_DB_READ,
    CLI_END,
};

const struct cli_command cmd_report = {
    .name = "report",
    .line = "report a summary, or what moved in a project, to people",
    .operands = "[SUMMARY]",
    .operand_max = 1,
    .options = options,
    .details =
        "md is the reference tool's report; text and html are ours, with charts.\n"
        "SUMMARY is a file, or what the ledger calls it: p12, v4 (its candidate), a run, a\n"
        "label, a commit.\n\n"
        "With --period, --since or --until it says what moved in a project; --record keeps it\n"
        "as an entry, rp7. A recorded one is printed by that name (r7 for short; in `log` and\n"
        "`rebaseline` r2 is a re-baseline, which is no operand here).\n\n"
        "csv has a line for each finding, and in `after` the counts of what was looked at (kinds\n"
        "runs, workloads, workloads_with_runs, ...); runs and windows are those that a line rests\n"
        "on.\n\n" CLI_CSV_DETAILS "exit: 0 reported · 1 error · 2 usage",
    .run = report,
    .compatible = true,
};
