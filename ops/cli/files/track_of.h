/* A pair's track record: what `track` and `bundle` write. */
#ifndef OPS_CLI_FILES_TRACK_OF_H
#define OPS_CLI_FILES_TRACK_OF_H

#include "ops/cli/operand/operand.h"
#include "ops/runtime/json.h"

/* Assesses the pair by the command's thresholds and, with --history, appends the record.
 * *ret_status is the assessment's status. A new reference, NULL with an error. */
json_t *track_of(struct cli *cli, const struct pair *pair, struct arena *arena,
                 const char **ret_status, struct err *err);

#endif
