/* Reports of what moved in a project, as `report` makes and prints them. Stays in its room. */
#ifndef OPS_CLI_FILES_TREND_REPORTS_H
#define OPS_CLI_FILES_TREND_REPORTS_H

#include "ops/cli/cli.h"
#include "schema/documents/trend_report.h"

/* Options of making one. */
#define TREND_REPORT_OPTIONS \
    {"period", \
     CLI_CHOICE, \
     "day|week|month", \
     NULL, \
     "make a report of trends: what moved in the project in so much time", \
     false}, \
        {"since", CLI_TEXT, "TIME", NULL, "the same, from then on (2026-11-30, 7d)", false}, \
        {"until", CLI_TEXT, "TIME", NULL, "the end of its period (default: now)", false}, \
        {"branch", CLI_TEXT, "B", NULL, "runs of that branch (default: judge_baseline_branch)", \
         false}, \
        {"all-branches", CLI_FLAG, NULL, NULL, "runs of any branch", false}, \
        {"measure", CLI_TEXT, "M", "steady_step_median", "the measure that is followed", false}, \
        {"policy", CLI_TEXT, "FILE", NULL, "which runs can be compared (default: judge_policy)", \
         false}, \
        {"record", CLI_FLAG, NULL, NULL, "append it to the ledger, where it gets an id", false}, \
        {"again", \
         CLI_FLAG, \
         NULL, \
         NULL, \
         "make the recorded report anew and say whether the ledger still tells the same", \
         false}, \
    { \
        "repository", CLI_TEXT, "DIR|URL", NULL, \
            "a clone of git, or a forge's repository, that knows the commits", false \
    }

/* Whether the options ask for a report of trends. */
bool trend_report_wanted(const struct cli *cli);

/* Whether the operand is the id of a recorded one: "rp7", or "r7" for short; its number. */
bool trend_report_is_id(const char *operand, int64_t *ret_id);

/* Prints a recorded one. With --again ERR_INPUT names what the ledger tells
 * otherwise as it stood when the report was made. */
bool trend_report_show_recorded(struct cli *cli, int64_t id, struct arena *arena, struct err *err);

/* Makes one of the options' period and prints it. */
bool trend_report_show(struct cli *cli, struct arena *arena, struct err *err);

/* Prints it as --format says. */
bool trend_report_print(struct cli *cli, const struct trend_report *report, struct err *err);

#endif
