/* What a gate prints and leaves for a forge. */
#ifndef OPS_CLI_JUDGING_GATE_REPORT_H
#define OPS_CLI_JUDGING_GATE_REPORT_H

#include "ops/cli/cli.h"
#include "ops/flow/judge/judge.h"

/* The formats of --format. */
#define GATE_FORMATS "json|jsonl|text|md|html|github|junit"

/* Options of commands that judge: what is strict, how they exit, what they print. */
#define CLI_JUDGING \
    CLI_OPTION("strict-provenance", CLI_FLAG, NULL, NULL, \
               "the same trace twice, and facts that are unknown, are incomparable"), \
        CLI_OPTION("warn-exit", CLI_FLAG, NULL, NULL, "exit 3 on warn"), \
        CLI_OPTION("strict", CLI_FLAG, NULL, NULL, "exit 4 on inconclusive"), \
        CLI_OPTION("on-error", CLI_CHOICE, "fail|pass", "fail", \
                   "when the database is away or a disk is full: exit 69 or 75, or 0"), \
        CLI_OPTION("format", CLI_CHOICE, GATE_FORMATS, "json", "what to print")

/* All outcomes of one call. is_matrix: they are printed as a list even when there is one. */
struct gate_report {
    struct cli *cli;
    struct db *db; /* tells the runs behind a verdict */
    const struct gate_outcome *outcomes;
    size_t count;
    bool is_matrix;
    int exit_code;
};

/* Prints them in the format of --format; nothing of a single one that could not be judged where the
 * format has no place for it (it is said on stderr). ERR_LIMIT, ERR_FULL. */
bool gate_report_print(const struct gate_report *report, struct err *err);

/* Appends the markdown to the file that GITHUB_STEP_SUMMARY names (at most 1 MiB, beyond which it
 * is dropped whole: the details go first) and the results to GITHUB_OUTPUT (verdict, verdict_id,
 * exit_code, report_url when verdict_url is configured; of several the worst); nothing without
 * these variables. */
bool gate_report_leave(const struct gate_report *report, struct err *err);

/* The exit code that belongs to it, with --warn-exit, --strict and --on-error. */
int gate_exit_code(const struct cli *cli, const struct gate_outcome *outcome);

/* The worst of all: errors of the system, then of the input, then fail, incomparable, inconclusive,
 * warn. */
int gate_worst_code(const struct cli *cli, const struct gate_outcome *outcomes, size_t count);

/* Says and reports what ended a call before there was anything to judge: the forge hears of it as
 * of a verdict. Returns the exit code. */
int gate_report_failure(struct cli *cli, const struct err *failure);

#endif
