/* What `stepledger queue` does about candidates that wait to be judged. */
#ifndef OPS_CLI_QUEUE_QUEUE_JUDGE_H
#define OPS_CLI_QUEUE_QUEUE_JUDGE_H

#include "history/lease/lease.h"
#include "ops/cli/cli.h"

#include <jansson.h>

/* `queue judge REF...`: asks for a verdict on each and prints their numbers. ERR_MISSING: nothing
 * in the ledger has that name. */
bool queue_judge(struct cli *cli, struct db *db, struct err *err);

/* The candidates as a list of JSON; NULL: no memory. */
json_t *judgements_json(const struct judgement_page *page);

/* The same as a table; nothing when there are none. */
void judgements_text(const struct judgement_page *page, struct text *out);

#endif
