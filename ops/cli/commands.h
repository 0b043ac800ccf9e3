/* The table of commands: group and name. A name here is a `const struct cli_command cmd_NAME` in
 * cmd_NAME.c of the room of its subject; on the command line `_` is `-`. */
#ifndef OPS_CLI_COMMANDS_H
#define OPS_CLI_COMMANDS_H

struct cli_command;

#define CLI_COMMANDS(X) \
    X("profiles and summaries", summarize) \
    X("profiles and summaries", table) \
    X("profiles and summaries", explain) \
    X("profiles and summaries", convert) \
    X("profiles and summaries", query) \
    X("profiles and summaries", compare) \
    X("profiles and summaries", track) \
    X("profiles and summaries", report) \
    X("profiles and summaries", history) \
    X("profiles and summaries", bundle) \
    X("profiles and summaries", publish) \
    X("profiles and summaries", changepoints) \
    X("the ledger", capture_env) \
    X("the ledger", ingest) \
    X("the ledger", gate) \
    X("the ledger", interleave) \
    X("the ledger", trend) \
    X("the ledger", policy) \
    X("the ledger", amend) \
    X("the ledger", retract) \
    X("the ledger", accept) \
    X("the ledger", rebaseline) \
    X("the ledger", canary) \
    X("the ledger", list) \
    X("the ledger", show) \
    X("the ledger", log) \
    X("the ledger", verify) \
    X("the ledger", checkpoint) \
    X("the ledger", import) \
    X("the ledger", export) \
    X("running it", serve) \
    X("running it", status) \
    X("running it", queue) \
    X("running it", work) \
    X("running it", alert) \
    X("running it", check) \
    X("running it", migrate) \
    X("running it", db)

#define CLI_DECLARE(group, name) extern const struct cli_command cmd_##name;
CLI_COMMANDS(CLI_DECLARE)
#undef CLI_DECLARE

#endif
