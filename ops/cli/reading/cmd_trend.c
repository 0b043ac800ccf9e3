/* stepledger trend: the course of a measure over the last runs, with their verdicts, and what moved
 * in it. */
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/flow/trends/trends.h"
#include "ops/present/trend/trend.h"

#include <string.h>
#include <unistd.h>

enum { DOCUMENT_MAX_BYTES = 64 << 20 };

static const struct {
    const char *name;
    bool (*print)(const struct trend *trend, struct text *out, struct err *err);
    bool is_bytes;
} formats[] = {{"md", trend_markdown, false},
               {"csv", trend_csv, false},
               {"html", trend_html, false},
               {"svg", trend_svg, false},
               {"png", trend_png, true}};

static bool print(struct cli *cli, const struct trend *trend, struct err *err)
{
    const char *wanted = cli_text(cli, "format"), *output = cli_text(cli, "output");
    scoped_text out;
    text_init(&out, DOCUMENT_MAX_BYTES);
    if (strcmp(wanted, "json") == 0)
        return document_print(output, trend_to_json(trend), err);
    if (strcmp(wanted, "text") == 0) {
        const struct text_style style = {output == NULL && cli_colour(STDOUT_FILENO),
                                         cli_columns(STDOUT_FILENO)};
        return trend_text(trend, &style, &out, err) && cli_emit(output, &out, err);
    }
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(formats[i].name, wanted) != 0)
            continue;
        return formats[i].print(trend, &out, err) &&
               (formats[i].is_bytes ? cli_emit_bytes(output, &out, err)
                                    : cli_emit(output, &out, err));
    }
    return err_set(err, ERR_BUG, "no printer for --format %s", wanted);
}

static bool moment_of(const struct cli *cli, const char *option, struct opt_i64 *ret_us,
                      struct err *err)
{
    const char *text = cli_text(cli, option);
    ret_us->set = text != NULL;
    return text == NULL || moment_read_past(text, option, &ret_us->value, err);
}

static bool request_read(struct cli *cli, struct trends_request *request, struct err *err)
{
    const char *group = cli_text(cli, "group-by");
    *request = (struct trends_request){
        .project = cli_text(cli, "project"),
        .branch = cli_text(cli, "branch"),
        .series = cli_text(cli, "series"),
        .measure = cli_text(cli, "measure"),
        .group = (enum trends_group)text_index(group, trends_group_names, TRENDS_GROUP_COUNT - 1),
        .shown = cli_int(cli, "last"),
    };
    bool of_project = request->group == TRENDS_BY_WORKLOAD;
    if (request->branch != NULL && cli_given(cli, "all-branches"))
        return err_set(err, ERR_USAGE, "--branch and --all-branches exclude each other");
    if ((request->group == TRENDS_BY_OP || request->group == TRENDS_BY_MEASURE) &&
        cli_given(cli, "measure"))
        return err_set(err, ERR_USAGE,
                       "option --measure is for --group-by none and workload: --group-by %s has "
                       "measures of its own",
                       cli_text(cli, "group-by"));
    if (of_project && cli_given(cli, "workload"))
        return err_set(err, ERR_USAGE, "--workload and --group-by workload exclude each other");
    if (request->shown < 1 || request->shown > TRENDS_RUNS_MAX)
        return err_set(err, ERR_USAGE, "option --last: %lld must be from 1 to %d",
                       (long long)request->shown, TRENDS_RUNS_MAX);
    if (of_project && request->project == NULL)
        return err_set(err, ERR_USAGE, "--group-by workload needs --project P");
    if (!of_project && !cli_scope(cli, &request->project, &request->workload, err))
        return false;
    if (!moment_of(cli, "since", &request->since_us, err) ||
        !moment_of(cli, "until", &request->until_us, err))
        return false;
    bool no_time = request->since_us.set && request->until_us.set &&
                   request->since_us.value >= request->until_us.value;
    return !no_time || err_set(err, ERR_USAGE, "option --until: %s is not behind --since %s",
                               cli_text(cli, "until"), cli_text(cli, "since"));
}

/* Before anything is looked for: a policy that is missing is no lack of runs. */
static bool policy_open(struct cli *cli, struct conf_file *policy, struct trends_request *request,
                        struct err *err)
{
    const char *path = cli_text(cli, "policy");
    if (path == NULL)
        path = conf_text(&cli->conf, CONF_judge_policy);
    if (path[0] == '\0')
        return true;
    request->policy = policy;
    request->policy_name = path;
    return conf_file_read(path, &cli->arena, policy, err);
}

static bool show(struct cli *cli, struct err *err)
{
    scoped_db *db = NULL;
    struct trend trend;
    struct trends_request request;
    struct conf_file policy = {0};
    if (!request_read(cli, &request, err) || !policy_open(cli, &policy, &request, err))
        return false;
    bool names_none = request.branch == NULL && !cli_given(cli, "all-branches");
    if (names_none)
        request.branch = conf_text(&cli->conf, CONF_judge_baseline_branch);
    if (!connect_reader(cli, &db, err))
        return false;
    if (!trends_read(db, &request, &cli->arena, &trend, err)) {
        const struct err why = *err; /* err_set writes where it would read */
        if (why.kind != ERR_MISSING || (!names_none && request.series == NULL))
            return false;
        return err_set(err, ERR_MISSING, "%s; %s%s%s", why.text,
                       request.series != NULL ? "`stepledger list series` says which there are"
                                              : "",
                       request.series != NULL && names_none ? "; " : "",
                       names_none ? "--branch B shows another, --all-branches every run" : "");
    }
    trend.branch_why = names_none ? "the baseline branch (judge_baseline_branch); --branch B shows "
                                    "another, --all-branches every run"
                                  : NULL;
    return print(cli, &trend, err);
}

static const struct cli_option options[] = {
    CLI_PROJECT,
    CLI_WORKLOAD,
    {"branch", CLI_TEXT, "B", NULL, "only runs of this branch (default: the baseline branch)"},
    {"all-branches", CLI_FLAG, NULL, NULL, "runs of every branch, and of none"},
    {"series", CLI_TEXT, "S", NULL, "only this series (s3)"},
    {"measure", CLI_TEXT, "M", "steady_step_median", "which measure (an unknown name lists them)"},
    {"group-by", CLI_CHOICE, "none|op|measure|workload", "none",
     "a course of each, what moved first, in place of runs"},
    {"policy", CLI_TEXT, "FILE", NULL,
     "which runs can be compared, as of `gate` (default: judge_policy)"},
    {"since", CLI_TEXT, "TIME", NULL,
     "only runs captured (where that is not known, recorded) then or later: 2026-11-30, 7d, 4w"},
    {"until", CLI_TEXT, "TIME", NULL, "only runs captured, or recorded, before"},
    {"last", CLI_INT, "N", "50", "runs listed; what moved is looked for in 400 at least"},
    {"format", CLI_CHOICE, "json|text|md|csv|html|svg|png", "json", "what to print"},
    {"output", CLI_TEXT, "FILE", NULL, "write there and print the path"},
    CLI_DB,
    CLI_DB_READ,
    CLI_END,
};

const struct cli_command cmd_trend = {
    .name = "trend",
    .line = "the course of a measure over the last runs",
    .operands = "",
    .operand_min = 0,
    .operand_max = 0,
    .options = options,
    .details =
        "One value per run (the median over its profiles) with the newest verdict on it. Another\n"
        "series and a re-baseline begin a level of their own: nothing is compared across.\n"
        "\n"
        "What moved is told for runs that `gate` would compare by that policy (equal facts where\n"
        "it is strict, the same work by the shapes and operations of ops): changes of level, each\n"
        "behind one run and at the latest with another (95 %), of two tiers as `changepoints` has\n"
        "them, and slow drifts, which no run began. --group-by op tells it of every op that takes\n"
        "0.5 % of a step (which ops crept up?), by measure and by workload of each of these. What\n"
        "moved too little to matter (less than 1 %, of a share one point, of an op 0.2 % of the\n"
        "time of all ops, too) is counted and stands in its row as small. A share, as MFU is\n"
        "one, changes by points and, beside them, by percent of what it was: -2.3 pp (-4.4 %\n"
        "relative).\n"
        "\n"
        "A change that later ones took back, up to a quarter of it, went away; what is left of\n"
        "it, or how much of one that did not go away is undone, stands beside it. An op that\n"
        "moved with both has to say so too, where ops are told. `report` has it the same way.\n"
        "\n"
        "Of the newest change of the step time all but csv tell what it is made of: ops, where\n"
        "the time of a step goes before and behind it, and how long steps took. MFU comes first\n"
        "where runs tell it: the median of the newest seven runs (and of the seven before that\n"
        "change); a report has it before its period.\n"
        "\n"
        "csv has a row a run. The run with which a new level likeliest begins tells in columns\n"
        "change (confirmed, suspected), change_before, change_after and change_pct what changed,\n"
        "the first run of a drift in drift, drift_pct and drift_until (its last profile) what it\n"
        "comes to. With --group-by it has a row a course, and one for each change and drift in\n"
        "it.\n"
        "\n"
        "svg and png are the picture of html alone: a mark for each run, a line for each level, a\n"
        "band where a change lies. png is drawn by librsvg, its letters by DejaVu Sans (else what\n"
        "the machine has for sans-serif): the same bytes on one machine.\n"
        "\n" CLI_CSV_DETAILS
        "exit: 0 shown · 2 usage, or no such measure · 6 no such run or policy · 69 database away",
    .run = show,
};
