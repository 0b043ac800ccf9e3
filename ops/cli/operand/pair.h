/* Two summaries compared: what `compare`, `track` and `bundle` begin with. */
#ifndef OPS_CLI_OPERAND_PAIR_H
#define OPS_CLI_OPERAND_PAIR_H

#include "ops/cli/cli.h"
#include "schema/documents/comparison.h"
#include "schema/documents/summary.h"

#define CLI_TOP_K CLI_OPTION("top-k", CLI_INT, "N", "10", "rows of each list")
/* Of `compare` and `track`; with CLI_REFERENCE_SCOPE and CLI_DB. */
#define CLI_SIDES \
    CLI_OPTION("before", CLI_TEXT, "SUMMARY", NULL, \
               "summary of the baseline: a file, p3, a run, ..."), \
        CLI_OPTION("after", CLI_TEXT, "SUMMARY", NULL, "summary of the candidate")
#define CLI_STRICT_PROVENANCE \
    CLI_OPTION("strict-provenance", CLI_FLAG, NULL, NULL, \
               "the same trace on both sides is an error")

/* Names and defaults are those of TRACK_THRESHOLDS (compare/reference/track.h). */
#define CLI_THRESHOLDS \
    CLI_OPTION("max-step-median-regression-pct", CLI_REAL, "PCT", "5.0", \
               "fail above: median steady step"), \
        CLI_OPTION("max-step-p90-regression-pct", CLI_REAL, "PCT", "10.0", \
                   "fail above: 90th percentile"), \
        CLI_OPTION("max-communication-share-regression-abs", CLI_REAL, "X", "0.05", \
                   "warn above: communication share"), \
        CLI_OPTION("max-stall-share-regression-abs", CLI_REAL, "X", "0.05", \
                   "warn above: stall share")

#define CLI_TRACK_RECORD \
    CLI_OPTION("label", CLI_TEXT, "L", NULL, "kept in the track record"), \
        CLI_OPTION("history", CLI_TEXT, "FILE", NULL, \
                   "append the track record to this JSONL file")

struct pair {
    struct summary before, after;
    struct comparison comparison;
};

/* Compares the summaries that are there already. ERR_INPUT as pair_load. */
bool pair_compare(struct cli *cli, struct arena *arena, struct pair *pair, struct err *err);

/* Reads both sides, which --before and --after or the operands name (files, or what the ledger
 * calls them), and compares. ERR_INPUT: --strict-provenance and the checks failed. */
bool pair_load(struct cli *cli, struct arena *arena, struct pair *pair, struct err *err);

#endif
